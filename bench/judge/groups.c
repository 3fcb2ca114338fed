/* SPDX-License-Identifier: Apache-2.0 */
/* See groups.h. */
#include "judge/groups.h"

#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/visible.h"
#include "judge/pool.h"
#include "judge/series.h"

const struct size_class size_classes[] = {
	{ "small", 64 << 10, "up to 64 KiB" },
	{ "mid", (32 << 20) - 1, "above 64 KiB, below 32 MiB" },
	{ "large", UINT64_MAX, "32 MiB and more" },
};
const size_t n_size_classes = N_ELEMENTS(size_classes);

size_t size_class_of(uint64_t bytes)
{
	size_t i = 0;

	while (bytes > size_classes[i].up_to_bytes)
		i++;
	return i;
}

/* TABLE of what a label says: a column is left out at its usual values ("" is one always). */
static const struct {
	const char *column, *before, *usual[3];
} parts[] = {
	{ "transport", "", { "" } },
	{ "op", "", { "" } },
	{ "timing", "", { "" } },
	{ "variant", "", { "plain" } },
	{ "dtype", "", { "float" } },
	{ "redop", "", { "sum", "none" } },
	{ "inplace", "in place ", { "0" } },
	{ "root", "root ", { "0", "-1" } },
	{ "ranks", "ranks ", { "2" } },
	{ "map", "map ", { "" } },
	{ "pair", "pair ", { "0-1" } },
	{ "algo_req", "", { "" } },
	{ "proto_req", "", { "" } },
	{ "load", "load ", { "" } },
	{ "arm", "arm ", { "" } },
};

void group_label(const struct pool *pool, uint32_t group, struct buf *out)
{
	const char *text = pool_text(pool, group);

	for (size_t i = 0; i < N_ELEMENTS(parts); i++) {
		char value[64];
		bool usual;

		series_group_field(text, parts[i].column, value, sizeof(value));
		usual = value[0] == '\0';
		for (size_t k = 0; k < N_ELEMENTS(parts[i].usual) && parts[i].usual[k]; k++)
			usual |= strcmp(value, parts[i].usual[k]) == 0;
		if (usual)
			continue;
		buf_printf(out, "%s%s", out->len ? " " : "", parts[i].before);
		visible_add(out, value);
	}
}
