/* SPDX-License-Identifier: Apache-2.0 */
#include "run/ceiling.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/clock.h"
#include "data/stats.h"
#include "machine/tcp.h"
#include "run/campaign.h"
#include "run/coord.h"
#include "run/crew.h"
#include "run/launch.h"
#include "run/progress.h"
#include "spec/ceiling.h"
#include "spec/outcome.h"
#include "spec/transport.h"
#include "wire/msg.h"

#define ROUND_NS (900 * CLOCK_S)
#define CONNECT_NS (10 * CLOCK_S)
#define SILENCE_NS (10 * CLOCK_S) /* a stream that brings nothing for so long has no rate */
#define WARM_NS (15 * CLOCK_MS)   /* connections start slowly */
#define WINDOW_NS (40 * CLOCK_MS)
#define SAMPLES 5

/* ---- rows ---- */

static void add_row(struct campaign *k, int id, const char *title, const char *of, double gbps)
{
	struct view_peak *p = &k->peaks[k->n_peaks];

	if (k->n_peaks == PEAK_MAX)
		return;
	memset(p, 0, sizeof(*p));
	snprintf(p->name, sizeof(p->name), "%s", title);
	snprintf(p->transport, sizeof(p->transport), "%s", of);
	p->gbps = gbps;
	p->kind = VIEW_PEAK_MEASURED;
	p->how = ceiling_table[id].how;
	k->n_peaks++;
}

/* The first reason is enough: the others mostly follow from it. */
static void say_why(struct campaign *k, const char *what, const char *why)
{
	if (!k->no_ceiling[0])
		snprintf(k->no_ceiling, sizeof(k->no_ceiling), "ceiling '%s' was not measured: %s",
			 what, why);
}

/* ---- TCP ---- */

struct tcp_plan {
	int sender, receiver; /* ranks */
	char address[TCP_ADDRESS_MAX], interface[32];
	int port, listener; /* listener: the receiver's, else -1 */
	char why[160];
};

/* Rank 0 and the first rank of another host; on one host rank 1. */
static int choose_peer(const struct launch *l, int nranks)
{
	for (int i = 1; i < nranks; i++)
		if (!facts_same_host(&l->facts, 0, i))
			return i;
	return nranks > 1 ? 1 : 0;
}

static void open_listener(struct tcp_plan *t, const char *choice)
{
	int r =
	    tcp_address(choice, t->address, sizeof(t->address), t->interface, sizeof(t->interface));

	if (r == 0)
		r = t->listener = tcp_listen(t->address, &t->port);
	if (r < 0)
		snprintf(t->why, sizeof(t->why), "no address to listen on%s%s: %s",
			 choice ? ", interface " : "", choice ? choice : "", strerror(-r));
}

/* What both ends use, as the receiver chose it. */
static int share_plan(struct campaign *k, struct tcp_plan *t)
{
	struct tcp_plan theirs = *t;
	int r =
	    k->c->ops->bcast(k->c, &theirs, sizeof(theirs), t->receiver, clock_after_ns(ROUND_NS));

	theirs.listener = t->listener;
	*t = theirs;
	return r;
}

static struct tcp_end *open_end(const struct campaign *k, const struct tcp_plan *t, int streams,
				int *error)
{
	int64_t deadline = clock_after_ns(CONNECT_NS);

	*error = 0;
	if (k->c->rank == t->sender)
		return tcp_connect(t->address, t->port, streams, deadline, error);
	if (k->c->rank == t->receiver)
		return tcp_accept(t->listener, streams, deadline, error);
	return NULL;
}

/* Workers get this set of CPUs, too: a rank bound to one core would measure that core. */
static int start_threads(const struct campaign *k, const struct tcp_plan *t, bool both,
			 struct tcp_end *e)
{
	const struct place *place = k->crew.place;
	const cpu_set_t *cpus = place && place->changed ? &place->set : NULL;
	bool sends = both || k->c->rank == t->sender, receives = both || k->c->rank == t->receiver;

	return tcp_start(e, sends, receives, cpus, sizeof(*cpus));
}

/* Bytes per second; where the window was too short for this machine, of the first one in which
 * bytes came. */
static int64_t rate_of(struct tcp_end *e)
{
	int64_t until = clock_after_ns(SILENCE_NS), rate = tcp_rate(e, WARM_NS, WINDOW_NS);

	while (rate == 0 && clock_now_ns() < until)
		rate = tcp_rate(e, 0, WINDOW_NS);
	return rate == 0 ? -ETIMEDOUT : rate;
}

/* GB/s of one direction (both: of the slower one), equal on all ranks; NaN when some end could not.
 */
static int tcp_figure(struct campaign *k, struct tcp_plan *t, int streams, bool both, double *gbps)
{
	bool takes_part = k->c->rank == t->sender || k->c->rank == t->receiver,
	     receives = both || k->c->rank == t->receiver;
	struct tcp_end *e = NULL;
	int64_t v[2]; /* minus the rate, so that the maximum is the slowest; some end failed */
	int error = 0, r;

	*gbps = NAN;
	e = open_end(k, t, streams, &error);
	v[0] = error < 0;
	r = k->c->ops->max(k->c, v, 1, clock_after_ns(ROUND_NS));
	if (r < 0 || v[0])
		goto out;
	v[0] = -INT64_MAX;
	v[1] = 0;
	if (takes_part)
		error = start_threads(k, t, both, e);
	if (takes_part && error == 0 && receives) {
		int64_t rate = rate_of(e);

		error = rate < 0 ? (int)rate : 0;
		v[0] = -rate;
	}
	v[1] = error < 0;
	r = k->c->ops->max(k->c, v, 2,
			   clock_after_ns(ROUND_NS)); /* until here both ends keep sending */
	if (r == 0 && !v[1])
		*gbps = (double)-v[0] / 1e9;
out:
	tcp_stop(e);
	if (error < 0)
		snprintf(t->why, sizeof(t->why), "rank %d, %s, %d streams: %s", k->c->rank,
			 t->interface, streams, strerror(-error));
	return r;
}

static bool wants_tcp(const struct campaign *k)
{
	for (size_t i = 0; i < k->plan.n_configs; i++)
		if (transport_table[k->plan.configs[i].transport].peak == PEAK_TCP)
			return true;
	return false;
}

static int tcp_rows(struct campaign *k, struct tcp_plan *t, const char *of)
{
	double gbps, best = NAN;
	size_t best_row = 0;
	int streams = 0, r = 0;

	for (int id = 0; id < CEILING_COUNT && r == 0; id++) {
		const struct ceiling *c = &ceiling_table[id];
		bool both = c->streams == 0;

		if (!(c->needs & CEILING_NEEDS_TCP) || (both && streams == 0))
			continue;
		r = tcp_figure(k, t, both ? streams : c->streams, both, &gbps);
		if (r < 0 || isnan(gbps))
			continue;
		if (!both && !(gbps <= best)) {
			best = gbps;
			best_row = k->n_peaks;
			streams = c->streams;
		}
		add_row(k, id, c->title, "", gbps);
	}
	/* What a socket transport is held against: the fastest way of one direction. */
	if (best_row < k->n_peaks && streams)
		snprintf(k->peaks[best_row].transport, sizeof(k->peaks[best_row].transport), "%s",
			 of);
	return r;
}

/* `t` as the receiver has begun it: opened, or with why not. */
static int measure_tcp(struct campaign *k, struct tcp_plan *plan, const char *of)
{
	struct tcp_plan t = *plan;
	int r = share_plan(k, &t);

	if (r == 0 && !t.why[0])
		r = tcp_rows(k, &t, of);
	snprintf(k->tcp_interface, sizeof(k->tcp_interface), "%s", t.interface);
	if (t.listener >= 0)
		close(t.listener);
	if (t.why[0])
		say_why(k, "TCP", t.why);
	return r;
}

int ceiling_tcp(struct campaign *k, const struct launch *l)
{
	struct tcp_plan t = { .receiver = choose_peer(l, k->c->size), .listener = -1 };

	if (!wants_tcp(k) || t.receiver == 0)
		return 0;
	if (k->c->rank == t.receiver)
		open_listener(&t, getenv("NCCL_SOCKET_IFNAME"));
	return measure_tcp(k, &t, "socket");
}

/* "=eth0" of lanes "tcp/eth0", or of "0:tcp/eth0 2:tcp/lo" for peer 0. */
static bool lane_interface(const char *lanes, int peer, char *out, size_t max)
{
	char of_peer[24];
	const char *at, *end;

	snprintf(of_peer, sizeof(of_peer), "%d:", peer);
	at = lanes[0] >= '0' && lanes[0] <= '9' ? strstr(lanes, of_peer) : lanes;
	while (at && at != lanes && at[-1] != ' ')
		at = strstr(at + 1, of_peer);
	end = at ? at + strcspn(at, " ") : NULL;
	at = at ? strstr(at, "tcp/") : NULL;
	if (!at || at > end)
		return false;
	at += strlen("tcp/");
	snprintf(out, max, "=%.*s", (int)strcspn(at, "/, "), at);
	return out[1] != '\0';
}

static int most_ranks(const struct plan *p, int transport)
{
	int most = 0;

	for (size_t i = 0; i < p->n_configs; i++)
		if (p->configs[i].transport == transport && p->configs[i].nranks > most)
			most = p->configs[i].nranks;
	return most;
}

int ceiling_tcp_joined(const void *launch, struct campaign *k, const struct crew *w)
{
	struct tcp_plan t = { .receiver = choose_peer(launch, w->nranks), .listener = -1 };
	char choice[64];

	/* Once, where most ranks have connected: that has the far ones, too. */
	if (transport_table[w->transport].peak != PEAK_TCP || t.receiver == 0 ||
	    w->nranks != most_ranks(&k->plan, w->transport))
		return 0;
	if (k->c->rank == t.receiver && lane_interface(w->lanes, t.sender, choice, sizeof(choice)))
		open_listener(&t, choice);
	else if (k->c->rank == t.receiver)
		snprintf(t.why, sizeof(t.why),
			 "UCX does not say which interface it uses (lanes: %.80s)",
			 w->lanes[0] ? w->lanes : "not told");
	return measure_tcp(k, &t, transport_table[w->transport].name);
}

/* ---- copies ---- */

/* Device of the first rank that shares rank 0's host and not its GPU, as rank 0 numbers them; -1
 * none. */
static int peer_device(const struct launch *l)
{
	int mine = facts_device(&l->facts, 0), devices = (int)facts_int(&l->facts, 0, "devices", 0);

	for (int i = 1; i < l->facts.n; i++) {
		int theirs = facts_device(&l->facts, i);

		if (facts_same_host(&l->facts, 0, i) && theirs != mine && theirs < devices)
			return theirs;
	}
	return -1;
}

struct samples {
	double ns[SAMPLES];
	size_t n;
};

static void read_ceiled(const struct words *answer, int64_t *extra, void *arg)
{
	struct samples *s = arg;
	int64_t ns[SAMPLES];
	size_t n = SAMPLES;

	s->n = words_list(answer, "ns", ns, &n) == 0 ? n : 0;
	for (size_t i = 0; i < s->n; i++)
		s->ns[i] = (double)ns[i];
}

/* Rank 0's worker alone is asked; the others wait, so that nothing else moves on this machine. */
static int ask(struct crew *w, const struct launch *l, int id, struct samples *s,
	       struct fault *worst)
{
	const struct ceiling *c = &ceiling_table[id];
	struct msg m = { 0 };
	int64_t unused = 0;
	int r;

	s->n = 0;
	if (w->c->rank != 0)
		return crew_agree(w, &unused, 1, worst);
	msg_begin(&m, "CEILING");
	msg_add(&m, "name", c->name);
	msg_add_i64(&m, "device", l->backend == BACKEND_NCCL ? l->device : -1);
	msg_add_i64(&m, "peer", peer_device(l));
	msg_add_u64(&m, "bytes", c->bytes);
	msg_add_i64(&m, "copies", c->copies);
	msg_add_i64(&m, "samples", SAMPLES);
	r = crew_ask(w, PHASE_CEILING, &m, 0, read_ceiled, s, &unused, 1, worst);
	msg_fini(&m);
	return r;
}

static bool fits(const struct ceiling *c, const struct launch *l)
{
	if (c->needs & CEILING_NEEDS_TCP)
		return false;
	if (c->needs & CEILING_NEEDS_PEER && peer_device(l) < 0)
		return false;
	return !(c->needs & CEILING_NEEDS_GPU) || l->backend == BACKEND_NCCL;
}

static void take_samples(struct campaign *k, int id, const struct samples *s)
{
	const struct ceiling *c = &ceiling_table[id];
	double ns = s->n == SAMPLES ? stats_median(s->ns, s->n) : 0;

	if (ns > 0)
		add_row(k, id, c->title, "", (double)c->bytes * c->copies / ns);
}

static int ask_all(struct campaign *k, struct crew *w, const struct launch *l, struct fault *worst)
{
	bool lost = false;
	int r = 0;

	for (int id = 0; id < CEILING_COUNT && r == 0 && !lost && !w->stop; id++) {
		struct samples s;

		if (!fits(&ceiling_table[id], l))
			continue;
		r = ask(w, l, id, &s, worst);
		if (r < 0)
			return r;
		take_samples(k, id, &s);
		if (fault_is(worst))
			say_why(k, ceiling_table[id].name, worst->detail);
		lost = fault_lost_worker(worst);
	}
	return r;
}

int ceiling_copies(struct campaign *k, const struct launch *l)
{
	struct crew_spec spec = k->crew;
	struct crew w;
	struct fault worst;
	int64_t unused;
	int r;

	campaign_show(k, "ceilings");
	spec.transport = l->backend == BACKEND_UCX ? TRANSPORT_UCX_SHM : TRANSPORT_AUTO;
	spec.purpose = "ceilings";
	crew_init(&w, k->c);
	w.broken = k->broken;
	fault_clear(&worst);
	r = crew_start(&w, &spec, &worst);
	if (r == 0 && fault_is(&worst))
		say_why(k, "copies", worst.detail);
	else if (r == 0)
		r = ask_all(k, &w, l, &worst);
	if (r == 0)
		r = crew_stop(&w,
			      fault_lost_worker(&worst) || w.stop ? SESSION_KILL : SESSION_LEAVE,
			      &unused);
	else
		(void)session_stop(&w.session, SESSION_KILL);
	k->interrupted |= w.stop;
	crew_fini(&w);
	progress_clear(k->progress);
	return r;
}
