/* SPDX-License-Identifier: Apache-2.0 */
/* See load_slow.h. */
#include "worker/load_slow.h"

#include <math.h>
#include <stdlib.h>

const int load_steps[LOAD_STEPS] = { 1, 2, 4, 8, 16 };

struct load_plan load_plan(double pieces)
{
	struct load_plan p = { 0, LOAD_GROUPS_MAX };

	while (p.step + 1 < LOAD_STEPS && pieces > LOAD_GROUPS_MAX * load_steps[p.step])
		p.step++;
	if (pieces <= LOAD_GROUPS_MAX * load_steps[p.step])
		p.groups = (int)ceil(pieces / load_steps[p.step]);
	if (p.groups < 1)
		p.groups = 1;
	return p;
}

double load_slowdown(const double *mark_ns, int n, double start_ns, double stop_ns,
		     double group_alone_ns)
{
	int first = 0, last = n;

	while (first <= n && mark_ns[first] < start_ns)
		first++;
	while (last >= 0 && mark_ns[last] > stop_ns)
		last--;
	if (last - first < LOAD_GROUPS_LEAST || !(group_alone_ns > 0))
		return NAN;
	return (mark_ns[last] - mark_ns[first]) / ((last - first) * group_alone_ns);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double load_typical(double *slow, int kept, int n, int batches)
{
	if (n * 2 <= batches || kept < 1)
		return NAN;
	qsort(slow, (size_t)kept, sizeof(*slow), by_value);
	return slow[kept / 2];
}
