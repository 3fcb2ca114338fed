/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TABLE of the options of sweep, health and tune as --help prints them: name, argument, group,
 * text. What a value may be and where it goes is not here (option_values.c).
 */
#pragma once

#include <argp.h>

/* Of options without a letter. */
enum option_key {
	KEY_OPS = 256,
	KEY_TRANSPORTS,
	KEY_SIZES,
	KEY_TIMING,
	KEY_PROFILE,
	KEY_RESTARTS,
	KEY_BACKEND,
	KEY_REQUIRE,
	KEY_BIND,
	KEY_PAIR,
	KEY_MAP,
	KEY_REGISTER,
	KEY_NCCL_LIB,
	KEY_OUT,
	KEY_TIMEOUT,
	KEY_SEED,
	KEY_JSON,
	KEY_COLOR,
	KEY_NO_CHARTS,
	KEY_DRY_RUN,
	KEY_PLACE,
	KEY_ROOT,
	KEY_SHARE_GPU,
	KEY_CEILINGS,
	KEY_NO_CEILINGS,
	KEY_KEEP,
	KEY_AB,
	KEY_CONFIRM,
	KEY_BUDGET,
	KEY_OBJECTIVE,
	KEY_EMIT,
	KEY_RESUME,
	KEY_ONLY,
	KEY_ALGOS,
	KEY_PROTOS,
	KEY_PAIRS,
	KEY_TUNED,
	KEY_MATCH,
	KEY_RANKS,
	KEY_FAKE_HOSTS,
	KEY_OVERLAP,
	KEY_CHANNELS,
};

#define OPTION_ROWS_MAX 80 /* of one command */

extern const struct argp_option option_rows_sweep[], option_rows_health[], option_rows_tune[];
extern const char option_doc_sweep[], option_doc_health[], option_doc_tune[];
