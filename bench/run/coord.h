/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the supervisors of a run agree. One struct of functions; coord_mpi.c, coord_solo.c and
 * (tests) threads fill it. Every call is collective, polled (never a spinning wait) and bounded by
 * a deadline: 0, -ETIMEDOUT when a rank did not come, or another negative errno. After a negative
 * return the run cannot go on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

struct coord;

struct coord_ops {
	int (*max)(struct coord *c, int64_t *v, int n,
		   int64_t deadline_ns); /* element by element, in place */
	int (*bcast)(struct coord *c, void *data, size_t len, int root, int64_t deadline_ns);
	int (*allgather)(struct coord *c, const void *mine, size_t len, void *all,
			 int64_t deadline_ns);
	/* Not collective: tell every other rank that this rank's worker failed in round `round`. */
	void (*alarm)(struct coord *c, int64_t round);
	/* Not collective, cheap: the latest round another rank raised an alarm for, -1 for none. */
	int64_t (*alarmed)(struct coord *c);
	void (*abort)(struct coord *c, int code); /* end the whole job; may not return */
	void (*close)(struct coord *c);
};

struct coord {
	const struct coord_ops *ops;
	int rank, size;
	int host_rank, host_size; /* among the ranks of this host */
	int n_hosts;
	int64_t round;            /* agreements so far; equal on all ranks */
	void *priv;
};

/* Called before MPI_Init by coord_mpi: 0, or -ENOSYS with a line printed. `argc/argv` may be
 * changed by MPI. */
int coord_open(struct coord *c) ATTR_MUST;
int coord_solo_open(struct coord *c) ATTR_MUST;

/* Gather texts of any length: *all holds size strings (heap, freed with coord_free_texts). */
int coord_gather_text(struct coord *c, const char *text, char ***all,
		      int64_t deadline_ns) ATTR_MUST;
void coord_free_texts(char **all, int n);
/* Rank 0's text to everybody; *text is replaced (heap) on the others. */
int coord_bcast_text(struct coord *c, char **text, int64_t deadline_ns) ATTR_MUST;
