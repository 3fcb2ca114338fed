/* SPDX-License-Identifier: Apache-2.0 */
/* TABLE of verdicts: what each means, and what it does to the exit code and to each output. */
#pragma once

enum verdict_id {
	VERDICT_NONE,
	VERDICT_PASS,
	VERDICT_IMPROVED,
	VERDICT_NEW,
	VERDICT_INCONCLUSIVE,
	VERDICT_MISSING,
	VERDICT_INCOMPARABLE,
	VERDICT_PATH_CHANGED,
	VERDICT_REGRESSED,
	VERDICT_IMPOSSIBLE,
	VERDICT_FAILED,
	VERDICT_COUNT, /* worst last */
};

struct verdict {
	const char *name;
	const char *help;
	int exit_point, exit_group; /* enum nb_exit */
	const char *junit;          /* failure, error, skipped or "" */
	const char *github;         /* error, warning, notice or "" */
	const char *mark;           /* one sign for Markdown tables */
};

extern const struct verdict verdict_table[VERDICT_COUNT];
int verdict_find(const char *name);      /* either case; -1 */
int verdict_exit_worse(int a, int b);    /* 2 > 5 > 1 > 4 > 3 > 0 */
const char *verdict_exit_word(int code); /* pass regressed inconclusive coverage broken usage */
