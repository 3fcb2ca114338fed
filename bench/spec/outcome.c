/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of outcome.h. Who is asked and when is the supervisor's. */
#include "spec/outcome.h"

#include "ncclbench/exitcode.h"
#include "spec/lookup.h"

/* An interrupted sweep ends with 130 by its caller, so `aborted` itself asks for nothing. */
const struct outcome outcome_table[OUTCOME_COUNT] = {
	[OUTCOME_OK] = { "ok", 0, false, NB_EXIT_OK, "measured, and the data was right" },
	[OUTCOME_UNAVAILABLE] = { "unavailable", 4, false, NB_EXIT_OK,
				  "this machine, library or build cannot do it; detail says why" },
	[OUTCOME_UNPROVEN] = { "unproven", 1, false, NB_EXIT_OK,
			       "measured, but over another transport than the one asked for" },
	[OUTCOME_CORRUPT] = { "corrupt", 9, false, NB_EXIT_BROKEN,
			      "the result is not what the operation must give" },
	[OUTCOME_HANG] = { "hang", 7, true, NB_EXIT_BROKEN,
			   "no answer before the deadline; the worker was killed" },
	[OUTCOME_CRASH] = { "crash", 8, true, NB_EXIT_BROKEN,
			    "the worker died; detail has its signal or exit code" },
	[OUTCOME_ERROR] = { "error", 6, true, NB_EXIT_BROKEN,
			    "the library or the worker reported a failure" },
	[OUTCOME_OOM] = { "out-of-memory", 5, false, NB_EXIT_OK,
			  "memory was too short for this size" },
	[OUTCOME_SKIPPED] = { "skipped", 2, false, NB_EXIT_OK,
			      "left out: too slow for the time budget, or without meaning" },
	[OUTCOME_ABORTED] = { "aborted", 3, true, NB_EXIT_OK,
			      "interrupted, or another rank's worker failed first" },
};

const char *const phase_names[PHASE_COUNT] = {
	[PHASE_NONE] = "none", [PHASE_START] = "start", [PHASE_HELLO] = "hello",
	[PHASE_ID] = "id",     [PHASE_JOIN] = "join",   [PHASE_PREPARE] = "prepare",
	[PHASE_RUN] = "run",   [PHASE_CHECK] = "check", [PHASE_BYE] = "bye",
	[PHASE_CEILING] = "ceiling",
};

int outcome_find(const char *name)
{
	return LOOKUP(outcome_table, OUTCOME_COUNT, struct outcome, name, name);
}

int phase_find(const char *name)
{
	return lookup(phase_names, PHASE_COUNT, sizeof(phase_names[0]), 0, name);
}
