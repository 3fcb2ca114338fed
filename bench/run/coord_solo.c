/* SPDX-License-Identifier: Apache-2.0 */
/* One rank agreeing with itself: runs without MPI, and tests. */
#include "run/coord.h"

#include <stdlib.h>
#include <string.h>

static int solo_max(struct coord *c, int64_t *v, int n, int64_t deadline_ns)
{
	return 0;
}

static int solo_bcast(struct coord *c, void *data, size_t len, int root, int64_t deadline_ns)
{
	return 0;
}

static int solo_allgather(struct coord *c, const void *mine, size_t len, void *all,
			  int64_t deadline_ns)
{
	memcpy(all, mine, len);
	return 0;
}

static void solo_alarm(struct coord *c, int64_t round)
{
}

static int64_t solo_alarmed(struct coord *c)
{
	return -1;
}

static void solo_abort(struct coord *c, int code)
{
	_Exit(code);
}

static void solo_close(struct coord *c)
{
}

static const struct coord_ops solo_ops = {
	.max = solo_max,
	.bcast = solo_bcast,
	.allgather = solo_allgather,
	.alarm = solo_alarm,
	.alarmed = solo_alarmed,
	.abort = solo_abort,
	.close = solo_close,
};

int coord_solo_open(struct coord *c)
{
	*c = (struct coord){
		.ops = &solo_ops,
		.rank = 0,
		.size = 1,
		.host_rank = 0,
		.host_size = 1,
		.n_hosts = 1,
	};
	return 0;
}
