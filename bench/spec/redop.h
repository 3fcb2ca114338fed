/* SPDX-License-Identifier: Apache-2.0 */
/* TABLE of reductions; values equal ncclRedOp_t. */
#pragma once

enum redop_id { REDOP_SUM, REDOP_PROD, REDOP_MAX, REDOP_MIN, REDOP_AVG, REDOP_COUNT };

struct redop {
	const char *name;
	const char *help;
};

extern const struct redop redop_table[REDOP_COUNT];
int redop_find(const char *name);
