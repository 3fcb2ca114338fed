/* SPDX-License-Identifier: Apache-2.0 */
/* See steering.h. */
#include "report/steering.h"

#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "report/view.h"

#define WORTH_SAYING 1.1 /* times faster than the own choice */

static const char *common_timing(const struct view *v)
{
	for (size_t i = 0; i < v->n_rows; i++)
		if (strcmp(v->rows[i].timing, "stream") == 0)
			return "stream";
	return v->n_rows ? v->rows[0].timing : "stream";
}

static const struct record *fastest(const struct view *v, uint64_t bytes, const char *timing)
{
	const char *names[VIEW_TRANSPORTS_MAX];
	size_t n = view_transports(v, names, VIEW_TRANSPORTS_MAX);
	const struct record *best = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct record *r = view_cell(v, names[i], "all_reduce", bytes, timing);

		if (r && strcmp(r->proof, "yes") == 0 && strcmp(names[i], "auto") != 0 &&
		    (!best || view_busbw(r) > view_busbw(best)))
			best = r;
	}
	return best;
}

void steering_say(const struct view *v, const char *variables, struct buf *out)
{
	const char *timing = common_timing(v);
	uint64_t bytes = view_ranked_size(v, "all_reduce", timing);
	const struct record *own = view_cell(v, "auto", "all_reduce", bytes, timing);
	const struct record *best = fastest(v, bytes, timing);
	char size[32];

	if (!own || !variables[0])
		return;
	if (!best || !(view_busbw(best) > WORTH_SAYING * view_busbw(own))) {
		buf_printf(out, "auto ran with %s from your environment", variables);
		return;
	}
	num_format_size(bytes, size, sizeof(size));
	buf_printf(out,
		   "auto used %s: %s in your environment costs a factor of %.1f against %s "
		   "(all_reduce, %s: %.3g instead of %.3g GB/s)",
		   own->used, variables, view_busbw(best) / view_busbw(own), best->transport, size,
		   view_busbw(own), view_busbw(best));
}
