/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and ranks -> healthy or not, in one line, and an exit code. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "ncclbench/exitcode.h"
#include "run/finish.h"
#include "run/health.h"
#include "run/health_page.h"
#include "run/options.h"
#include "spec/transport.h"

static bool row_is(const struct record *r, const char *outcome)
{
	return strcmp(r->outcome, outcome) == 0;
}

/* "P2P/CUMEM" is of p2p, and p2p-ipc wants its variant, too. */
static bool is_way(const struct record *r, const struct transport *t)
{
	if (t->backend == BACKEND_UCX)
		return strcmp(t->name, r->transport) == 0;
	if (t->flags & TRANSPORT_MULTICAST)
		return strstr(r->used, "NVLS") != NULL;
	return t->proof_class && strncmp(r->used, t->proof_class, strlen(t->proof_class)) == 0 &&
	       (!t->proof_variant || strstr(r->used, t->proof_variant)) &&
	       (!t->proof_counter || !strstr(r->used, t->proof_counter));
}

static bool is_required(const struct record *r, unsigned long long required)
{
	bool met = false;

	for (int t = 0; t < TRANSPORT_COUNT; t++)
		met |= required >> t & 1 && is_way(r, &transport_table[t]);
	return met && strcmp(r->proof, "yes") == 0;
}

static const struct record *first_bad(const struct campaign *k)
{
	for (size_t i = 0; i < k->plan.n_points; i++)
		if (k->points[i].done && !row_is(&k->points[i].record, "ok"))
			return &k->points[i].record;
	return NULL;
}

static void name_ranks(const struct health *h, int n, bool failed, struct buf *out)
{
	int count = 0;

	for (int i = 0; i < n; i++) {
		bool waited =
		    h->ranks[i].outcome == OUTCOME_OK || h->ranks[i].outcome == OUTCOME_ABORTED;

		if (waited == failed)
			continue;
		if (count < 16)
			buf_printf(out, "%s%d", count ? ", " : "", i);
		count++;
	}
	if (count > 16)
		buf_printf(out, " and %d more", count - 16);
}

static void say_behind(const struct health *h, int n, struct health_verdict *v)
{
	struct buf failed = { 0 }, waited = { 0 };

	name_ranks(h, n, true, &failed);
	name_ranks(h, n, false, &waited);
	if (failed.len && waited.len)
		buf_printf(&v->behind, "%s: rank %s; had answered or only waited: rank %s",
			   h->worst.outcome == OUTCOME_HANG ? "behind" : "failed",
			   buf_text(&failed), buf_text(&waited));
	else if (failed.len && h->worst.outcome == OUTCOME_HANG)
		buf_printf(
		    &v->behind,
		    "every rank hangs: they wait for each other, see the last line of each log");
	buf_fini(&failed);
	buf_fini(&waited);
}

static void say_bad(const struct record *bad, const struct health *h, int n,
		    struct health_verdict *v)
{
	char size[32];
	int id = outcome_find(bad->outcome);

	num_format_size(bad->bytes, size, sizeof(size));
	buf_printf(&v->text, "NOT healthy: %s", bad->outcome);
	if (bad->phase[0] && strcmp(bad->phase, "none") != 0)
		buf_printf(&v->text, " at %s", bad->phase);
	if (h->worst.phase >= PHASE_PREPARE)
		buf_printf(&v->text, " of %s %s", bad->op, size);
	buf_printf(&v->text, ": %s", bad->detail);
	say_behind(h, n, v);
	v->exit_code = id >= 0 ? outcome_table[id].exit_code : NB_EXIT_BROKEN;
	/* In a sweep N/A is no failure: the others are measured. Here nothing is left that could be
	 * healthy. */
	if (v->exit_code == NB_EXIT_OK)
		v->exit_code = NB_EXIT_BROKEN;
}

static void say_way(const struct campaign *k, struct health_verdict *v)
{
	const struct record *first = &k->points[0].record;

	record_set(v->used, sizeof(v->used), first->used);
	record_set(v->proof, sizeof(v->proof), first->proof);
	for (size_t i = 1; i < k->plan.n_points; i++) {
		const struct record *r = &k->points[i].record;

		if (strcmp(r->proof, "yes") != 0)
			record_set(v->proof, sizeof(v->proof), r->proof);
		/* Collectives may add the switch (NVLS), send/recv may go another way: say both. */
		if (r->used[0] && !strstr(v->used, r->used) &&
		    strlen(v->used) + strlen(r->used) + 3 < sizeof(v->used)) {
			strcat(v->used, v->used[0] ? ", " : "");
			strcat(v->used, r->used);
		}
	}
}

static void say_well(const struct campaign *k, const struct finish *f, const struct health *h,
		     struct health_verdict *v)
{
	const struct record *other = NULL;

	for (size_t i = 0; f->required && i < k->plan.n_points && !other; i++)
		if (!is_required(&k->points[i].record, f->required))
			other = &k->points[i].record;
	if (other) {
		buf_printf(&v->text, "NOT healthy: --require %s, but %s used %s (proof: %s)",
			   f->options->require, other->op,
			   other->used[0] ? other->used : "something unknown", other->proof);
		v->exit_code = NB_EXIT_REQUIRED;
		return;
	}
	buf_printf(
	    &v->text,
	    "healthy: %d ranks, all_reduce and sendrecv give right data over %s (%s) in %.1f s",
	    k->request.nranks, v->used[0] ? v->used : "an unknown transport",
	    strcmp(v->proof, "yes") == 0 ? "proven" : "not proven: the log does not show it",
	    h->seconds);
}

void health_judge(const struct health *h, const struct campaign *k, const struct finish *f,
		  struct health_verdict *v)
{
	const struct record *bad = first_bad(k);

	say_way(k, v);
	if (k->interrupted) {
		buf_puts(&v->text, "interrupted: nothing is known");
		v->exit_code = NB_EXIT_INTERRUPTED;
	} else if (bad) {
		say_bad(bad, h, k->request.nranks, v);
	} else {
		say_well(k, f, h, v);
	}
}
