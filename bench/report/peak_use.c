/* SPDX-License-Identifier: Apache-2.0 */
/* See peak_use.h. The supervisor's own rule is run/peak.c; this one is for what has no peak_pct. */
#include "report/peak_use.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/attr.h"
#include "spec/op.h"

static const char *const reduced_on_the_way[] = { "NVLS", "CollNet" };

static bool is_reduced_on_the_way(const struct record *r)
{
	for (size_t i = 0; i < N_ELEMENTS(reduced_on_the_way); i++)
		if (strncasecmp(r->algo, reduced_on_the_way[i], strlen(reduced_on_the_way[i])) == 0)
			return true;
	return false;
}

static const struct view_peak *line_rate(const struct view *v)
{
	for (size_t i = 0; i < v->n_peaks; i++)
		if (v->peaks[i].kind == VIEW_PEAK_LINE_RATE && v->peaks[i].gbps > 0)
			return &v->peaks[i];
	return NULL;
}

static double algbw(const struct record *r)
{
	if (isfinite(r->algbw_gbps))
		return r->algbw_gbps;
	return r->time_us > 0 ? op_algbw_gbps(r->bytes, r->time_us) : NAN;
}

void peak_use_of(const struct view *v, const struct record *r, struct peak_use *out)
{
	*out = (struct peak_use){ .algorithm = is_reduced_on_the_way(r) };
	out->gbps = out->algorithm ? algbw(r) : view_busbw(r);
	out->peak = out->algorithm ? line_rate(v) : view_peak_of(v, r->transport);
	out->recorded = isfinite(r->peak_pct);
	out->pct = out->recorded ? r->peak_pct
		   : out->peak   ? 100 * out->gbps / out->peak->gbps
				 : NAN;
}

double peak_use_pct(const struct view *v, const struct record *r)
{
	struct peak_use use;

	peak_use_of(v, r, &use);
	return use.pct;
}
