/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the workers' NCCL logs prove. Each rank scans what its own worker's log has gained; links
 * are gathered over the ranks only when one of them saw something new; rank 0 judges.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "ncclog/proof.h"
#include "ncclog/scan.h"
#include "spec/op.h"

struct coord;

struct evidence {
	char *path[2];             /* the log and the quiet log */
	int64_t offset[2];
	struct scan scan;          /* this rank's */
	int64_t seen;              /* size of the scan's findings at the last gather */
	struct scan_link *links;   /* of all ranks */
	size_t n_links;
	bool nvls, symmetric, copy_engine, collnet, failed, nvls_comm; /* of any rank */
	int n_cut;                         /* most of any rank */
};

void evidence_init(struct evidence *e);
void evidence_fini(struct evidence *e);
/* Starts over for a new worker. Takes copies of the paths. */
int evidence_open(struct evidence *e, const char *log, const char *quiet_log) ATTR_MUST;
/* Reads on; returns 1 when there is something the other ranks do not know yet. */
int evidence_read(struct evidence *e);
/* Collective; afterwards rank 0 has the links of all, and only there evidence_judge may be asked.
 */
int evidence_gather(struct evidence *e, struct coord *c) ATTR_MUST;
/* `host` as in struct proof_need. `algo`: the log's word for the case's algorithm, NULL or "" when
 * it has none. */
void evidence_judge(const struct evidence *e, int transport, const struct op_case *c,
		    const int *host, const char *algo, struct proof *out);
