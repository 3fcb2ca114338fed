/* SPDX-License-Identifier: Apache-2.0 */
/* See verdict.h. */
#include "judge/verdict.h"

#include <stddef.h>
#include <strings.h>

#include "base/attr.h"
#include "ncclbench/exitcode.h"

#define REGRESSION NB_EXIT_REQUIRED /* the same number: docs/design.md */

const struct verdict verdict_table[VERDICT_COUNT] = {
	[VERDICT_NONE] = { "NONE", "measured on neither side", 0, 0, "skipped", "", "" },
	[VERDICT_PASS] = { "PASS", "no slow-down as large as the limit, and twice that is excluded",
			   0, 0, "", "", "✅" },
	[VERDICT_IMPROVED] = { "IMPROVED", "faster by more than the limit: renew the baseline", 0,
			       0, "", "notice", "🚀" },
	[VERDICT_NEW] = { "NEW", "not in the baseline", 0, 0, "skipped", "", "🆕" },
	[VERDICT_INCONCLUSIVE] = { "INCONCLUSIVE", "too noisy or too few restarts to tell", 0,
				   NB_EXIT_INCONCLUSIVE, "skipped", "warning", "❔" },
	[VERDICT_MISSING] = { "MISSING", "in the baseline, not measured now", NB_EXIT_COVERAGE,
			      NB_EXIT_COVERAGE, "failure", "error", "🕳️" },
	[VERDICT_INCOMPARABLE] = { "INCOMPARABLE", "measured under other conditions",
				   NB_EXIT_COVERAGE, NB_EXIT_COVERAGE, "failure", "error", "🚫" },
	[VERDICT_PATH_CHANGED] = { "PATH_CHANGED",
				   "the data took another path than in the baseline",
				   NB_EXIT_COVERAGE, NB_EXIT_COVERAGE, "failure", "error", "🔀" },
	[VERDICT_REGRESSED] = { "REGRESSED", "slower by more than the limit", REGRESSION,
				REGRESSION, "failure", "error", "🔻" },
	[VERDICT_IMPOSSIBLE] = { "IMPOSSIBLE",
				 "faster than the link can be: the measurement is wrong",
				 NB_EXIT_BROKEN, NB_EXIT_BROKEN, "error", "error", "❗" },
	[VERDICT_FAILED] = { "FAILED", "wrong data, crash, hang or error", NB_EXIT_BROKEN,
			     NB_EXIT_BROKEN, "error", "error", "💥" },
};

/* Mildest first. */
static const struct {
	int code;
	const char *word;
} exits[] = {
	{ NB_EXIT_OK, "pass" },           { NB_EXIT_INCONCLUSIVE, "inconclusive" },
	{ NB_EXIT_COVERAGE, "coverage" }, { REGRESSION, "regressed" },
	{ NB_EXIT_BROKEN, "broken" },     { NB_EXIT_USAGE, "usage" },
};

static size_t exit_rank(int code)
{
	size_t i = 0;

	while (i + 1 < N_ELEMENTS(exits) && exits[i].code != code)
		i++;
	return i;
}

int verdict_exit_worse(int a, int b)
{
	return exit_rank(a) >= exit_rank(b) ? a : b;
}

const char *verdict_exit_word(int code)
{
	return exits[exit_rank(code)].word;
}

int verdict_find(const char *name)
{
	for (int i = 0; i < VERDICT_COUNT; i++)
		if (strcasecmp(verdict_table[i].name, name) == 0)
			return i;
	return -1;
}
