/* SPDX-License-Identifier: Apache-2.0 */
#include "run/fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "run/coord.h"
#include "spec/outcome.h"

#define EXTRA_MAX 10
/* A rank reaches a round at the latest after its own deadline and the stop ladder; far above both.
 */
#define ROUND_DEADLINE_NS (900 * CLOCK_S)

void fault_clear(struct fault *f)
{
	memset(f, 0, sizeof(*f));
	f->outcome = OUTCOME_OK;
}

void fault_set(struct fault *f, int outcome, int phase, const char *fmt, ...)
{
	va_list ap;

	f->outcome = outcome;
	f->phase = phase;
	f->code = 0;
	f->fatal = false;
	va_start(ap, fmt);
	vsnprintf(f->detail, sizeof(f->detail), fmt, ap);
	va_end(ap);
}

bool fault_is(const struct fault *f)
{
	return f->outcome != OUTCOME_OK;
}

bool fault_lost_worker(const struct fault *f)
{
	/* From JOIN on the library is in the middle of something collective: no worker is usable
	 * after a failure there. */
	bool collective =
	    f->phase == PHASE_JOIN || f->phase == PHASE_RUN || f->phase == PHASE_CHECK;
	/* Data were compared and found wrong: the worker itself is well. */
	bool compared = f->outcome == OUTCOME_CORRUPT && f->phase == PHASE_CHECK;

	if (!fault_is(f) || f->fatal)
		return f->fatal;
	return outcome_table[f->outcome].worker_lost || f->phase < PHASE_JOIN ||
	       (collective && !compared);
}

static int64_t pack(const struct fault *f, int rank)
{
	return ((int64_t)outcome_table[f->outcome].severity << 32) | (INT32_MAX - rank);
}

int fault_agree(struct coord *c, const struct fault *mine, int64_t *extra, int n_extra,
		struct fault *worst, int *worst_rank)
{
	int64_t v[2 + EXTRA_MAX] = { pack(mine, c->rank), fault_lost_worker(mine) };
	int64_t deadline = clock_after_ns(ROUND_DEADLINE_NS);
	int r, rank;

	if (n_extra > EXTRA_MAX)
		return -EINVAL;
	if (n_extra > 0)
		memcpy(v + 2, extra, (size_t)n_extra * sizeof(*extra));
	if (fault_lost_worker(mine))
		c->ops->alarm(c, c->round);
	r = c->ops->max(c, v, 2 + n_extra, deadline);
	c->round++;
	if (r < 0)
		return r;
	if (n_extra > 0)
		memcpy(extra, v + 2, (size_t)n_extra * sizeof(*extra));
	fault_clear(worst);
	*worst_rank = -1;
	if (v[0] >> 32 == outcome_table[OUTCOME_OK].severity)
		return 0;
	rank = INT32_MAX - (int)(v[0] & INT32_MAX);
	if (rank == c->rank)
		*worst = *mine;
	r = c->ops->bcast(c, worst, sizeof(*worst), rank, deadline);
	*worst_rank = rank;
	worst->fatal = v[1]; /* a lesser fault of another rank may have cost its worker */
	worst->detail[sizeof(worst->detail) - 1] = '\0';
	return r;
}
