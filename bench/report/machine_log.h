/* SPDX-License-Identifier: Apache-2.0 */
/* What explain finds in the library's logs that a run kept. Only those of one transport are read:
 * each one's environment is another, and auto's is the user's. */
#pragma once

#include "base/attr.h"
#include "explain/facts.h"
#include "explain/findings.h"

struct machine_log {
	struct facts *facts; /* NULL: the run has no logs of NCCL */
	struct findings found;
	char transport[32]; /* whose logs they are */
	size_t files, left; /* read; not read, for there are too many */
};

/* Reads DIR/logs. 0, also where there is nothing; -errno. */
int machine_log_read(struct machine_log *m, const char *dir) ATTR_MUST;
void machine_log_fini(struct machine_log *m);
