/* SPDX-License-Identifier: Apache-2.0 */
/* Exit codes shared by all programs and commands (docs/design.md, "Outcomes"). */
#pragma once

enum nb_exit {
	NB_EXIT_OK = 0,
	NB_EXIT_REQUIRED = 1, /* a --require'd transport is not ok and proven; gate: regression */
	NB_EXIT_USAGE = 2,    /* bad command line or input; nothing was measured */
	NB_EXIT_INCONCLUSIVE = 3,
	NB_EXIT_COVERAGE = 4,
	NB_EXIT_BROKEN = 5, /* a point was corrupt, hung, crashed or failed; or our disk is full */
	NB_EXIT_SKIP = 77, /* tests only: this machine cannot run it */
	NB_EXIT_INTERRUPTED = 130,
};
