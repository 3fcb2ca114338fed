/* SPDX-License-Identifier: Apache-2.0 */
/* See ops.h. The factors are nccl-tests' (doc/PERFORMANCE.md), n ranks. */
#include "import/ops.h"

#include <ctype.h>
#include <string.h>

#include "base/attr.h"

static double one(int n)
{
	return 1;
}

static double share(int n)
{
	return n > 0 ? (n - 1.0) / n : 0;
}

static double twice(int n)
{
	return 2 * share(n);
}

/* clang-format off */
const struct import_op import_ops[] = {
	{ .name = "all_reduce", .ours = "all_reduce", .alias = "allreduce", .factor = twice },
	{ .name = "all_gather", .ours = "all_gather", .alias = "allgather", .factor = share, .share = SHARE_OLD },
	{ .name = "reduce_scatter", .ours = "reduce_scatter", .alias = "reducescatter", .factor = share, .share = SHARE_OLD },
	{ .name = "broadcast", .ours = "broadcast", .alias = "bcast", .factor = one },
	{ .name = "reduce", .ours = "reduce", .factor = one },
	{ .name = "alltoall", .ours = "alltoall", .alias = "all_to_all", .factor = share, .in_place_invalid = true },
	{ .name = "alltoallv", .factor = share, .in_place_invalid = true },
	{ .name = "gather", .ours = "gather", .factor = share },
	{ .name = "scatter", .ours = "scatter", .factor = share },
	{ .name = "sendrecv", .ours = "sendrecv", .alias = "send_recv", .factor = one, .in_place_invalid = true },
	{ .name = "hypercube", .factor = share, .share = SHARE_REST },
};
/* clang-format on */
const size_t import_n_ops = N_ELEMENTS(import_ops);

static bool is(const char *name, const char *text, size_t len)
{
	return name && strlen(name) == len && memcmp(name, text, len) == 0;
}

const struct import_op *import_op_find(const char *name, size_t len)
{
	for (size_t i = 0; i < import_n_ops; i++)
		if (is(import_ops[i].name, name, len) || is(import_ops[i].alias, name, len))
			return &import_ops[i];
	return NULL;
}

/* Separators are treated alike; a name must not go on with letters ("reduced"). */
static bool holds(const char *text, const char *name)
{
	size_t n = name ? strlen(name) : 0;

	for (const char *p = text; n && *p; p++) {
		size_t i = 0;

		if (p > text && isalnum((unsigned char)p[-1]))
			continue;
		while (i < n && p[i] &&
		       (tolower((unsigned char)p[i]) == name[i] ||
			(name[i] == '_' && strchr("-. ", p[i]))))
			i++;
		if (i == n && !isalpha((unsigned char)p[n]))
			return true;
	}
	return false;
}

const struct import_op *import_op_within(const char *text)
{
	const struct import_op *best = NULL;
	const char *base = strrchr(text, '/');
	size_t longest = 0;

	for (size_t i = 0; i < import_n_ops; i++) {
		const char *names[] = { import_ops[i].name, import_ops[i].alias };

		for (size_t k = 0; k < N_ELEMENTS(names); k++)
			if (names[k] && strlen(names[k]) > longest &&
			    holds(base ? base + 1 : text, names[k])) {
				best = &import_ops[i];
				longest = strlen(names[k]);
			}
	}
	return best;
}
