/* SPDX-License-Identifier: Apache-2.0 */
/* What became of a point, and at which phase. A failed measurement is a result. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum outcome_id { /* CSV holds the names; order is that of the table, not of severity */
	OUTCOME_OK,
	OUTCOME_UNAVAILABLE,
	OUTCOME_UNPROVEN,
	OUTCOME_CORRUPT,
	OUTCOME_HANG,
	OUTCOME_CRASH,
	OUTCOME_ERROR,
	OUTCOME_OOM,     /* "out-of-memory" */
	OUTCOME_SKIPPED,
	OUTCOME_ABORTED, /* interrupted by the user, or another rank's worker failed first */
	OUTCOME_COUNT,
};

enum phase_id {
	PHASE_NONE,
	PHASE_START,
	PHASE_HELLO,
	PHASE_ID,
	PHASE_JOIN,
	PHASE_PREPARE,
	PHASE_RUN,
	PHASE_CHECK,
	PHASE_BYE,
	PHASE_CEILING,
	PHASE_COUNT,
};

struct outcome {
	const char *name;
	int severity;     /* the worst of all ranks wins; ok 0, corrupt highest */
	bool worker_lost; /* the worker cannot be used after it */
	int exit_code;    /* of a sweep with such a row (nb_exit); a --require may raise it */
	const char *help;
};

extern const struct outcome outcome_table[OUTCOME_COUNT];
extern const char *const phase_names[PHASE_COUNT]; /* "none" "start" "hello" ... */

int outcome_find(const char *name); /* id or -1 */
int phase_find(const char *name);
