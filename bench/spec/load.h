/* SPDX-License-Identifier: Apache-2.0 */
/* TABLE of what keeps the GPU busy beside an operation (column load; docs/overlap.md). */
#pragma once

enum load_id { LOAD_NONE, LOAD_MEM, LOAD_FMA, LOAD_COUNT };

struct load {
	const char *name; /* "" for none, as in the column */
	const char *help;
};

extern const struct load load_table[LOAD_COUNT];
int load_find(const char *name); /* -1 */
