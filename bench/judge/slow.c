/* SPDX-License-Identifier: Apache-2.0 */
/* See slow.h. */
#include "judge/slow.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "data/stats.h"

#define MAD_AS_SD 1.4826 /* of a normal distribution */

const struct slow_rule slow_rule = { .least = 3, .share = 0.90, .mads = 5 };

static bool of_class(const struct slow_item *i, int class)
{
	return i->class == class && i->speed > 0;
}

static void judge(struct slow_item *items, size_t n, int class, double *v)
{
	double median, bound;
	size_t have = 0;

	for (size_t i = 0; i < n; i++)
		if (of_class(&items[i], class))
			v[have++] = items[i].speed;
	if (have < (size_t)slow_rule.least)
		return;
	median = stats_median(v, have);
	for (size_t i = 0; i < have; i++)
		v[i] = fabs(v[i] - median);
	bound = median - slow_rule.mads * MAD_AS_SD * stats_median(v, have);
	bound = fmin(bound, slow_rule.share * median);
	for (size_t i = 0; i < n; i++)
		if (of_class(&items[i], class)) {
			items[i].median = median;
			items[i].slow = items[i].speed < bound;
		}
}

int slow_find(struct slow_item *items, size_t n)
{
	double *v = malloc((n + 1) * sizeof(*v));
	int last = -1;

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		items[i].median = NAN;
		items[i].slow = false;
		last = items[i].class > last ? items[i].class : last;
	}
	for (int class = 0; class <= last; class ++)
		judge(items, n, class, v);
	free(v);
	return 0;
}
