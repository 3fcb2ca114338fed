/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often the search recommends what is nothing, and how often it finds what is there. Simulated
 * machines, fixed seeds, no clock: prints each rate, fails when one is outside what docs/tune.md
 * promises. test_search_gains [SURFACES]   600 flat ones by default.
 */
#include <stdio.h>
#include <stdlib.h>

#include "surface.h"

#define FALSE_MOST 0.01
#define JUDGED_FROM 500 /* fewer only show that it runs */

struct level {
	const char *name;
	int transport;
	double noise, small_noise, outlier_rate, outlier, drift;
	double budget_s, cost_s;
};

/* Restart noise as seen on 2 x H200 (P2P, SHM, sockets) and worse. */
static const struct level levels[] = {
	{ "p2p", TRANSPORT_P2P, .002, .01, 0, 0, 0, 40, 1.1 },
	{ "shm", TRANSPORT_SHM, .02, .015, .02, .1, 0, 40, 1.1 },
	{ "socket", TRANSPORT_SOCKET, .1, .15, .05, .5, 0, 40, 1.1 },
	{ "socket drifting", TRANSPORT_SOCKET, .05, .1, 0, 0, .002, 40, 1.1 },
	{ "drifting the other way", TRANSPORT_SHM, .01, .01, 0, 0, -.002, 40, 1.1 },
	{ "long", TRANSPORT_SHM, .03, .03, .05, .3, 0, 400, 1 },
};

static int false_gains(const struct level *l, int surfaces)
{
	int wrong = 0;

	for (int i = 0; i < surfaces; i++) {
		struct surface w = { .noise = { l->noise, l->small_noise },
				     .outlier_rate = l->outlier_rate,
				     .outlier = l->outlier,
				     .drift = l->drift,
				     .cost_s = l->cost_s,
				     .hang_s = 10,
				     .seed = (uint64_t)i * 7919 + 1 };
		struct search_result r;

		if (surface_search(&w, l->transport, l->budget_s, 1, &r) < 0)
			exit(1);
		wrong += r.found[0].id == FOUND_GAIN || r.found[0].id == FOUND_TRADE;
		if (w.spent_s > l->budget_s * (1 + 1e-9))
			exit(fprintf(stderr, "%s: surface %d spent %g of %g s\n", l->name, i,
				     w.spent_s, l->budget_s) > 0);
		search_fini(&r);
	}
	return wrong;
}

/* ---- planted ---- */

/* As measured by hand: threads, sockets and channels multiply each other's worth up to 4 x 4 x 8.
 */
static double sockets(const struct surface *w, const struct setting *s, size_t k)
{
	double threads = fmin(surface_number(s, "NCCL_SOCKET_NTHREADS", 1), 4);
	double socks = fmin(surface_number(s, "NCCL_NSOCKS_PERTHREAD", 1), 4);
	double channels = fmin(surface_number(s, "NCCL_MIN_NCHANNELS", 2), 8) / 2;

	if (k == 1)
		return 0;
	return -0.3 * log(threads) - 0.2 * log(socks) - 0.55 * log(channels);
}

/* Best at 8 channels, worse again at 32. */
static double channels(const struct surface *w, const struct setting *s, size_t k)
{
	double c = surface_number(s, "NCCL_MIN_NCHANNELS", 4);

	return k == 1 ? 0 : -0.15 + 0.05 * fabs(log2(c / 8)) + (c == 4 ? 0.1 : 0);
}

static double few_percent(const struct surface *w, const struct setting *s, size_t k)
{
	return k == 0 && surface_has(s, "NCCL_MIN_NCHANNELS", "32") ? -0.05 : 0;
}

struct plant {
	const char *name;
	struct level level;
	double (*effect)(const struct surface *w, const struct setting *s, size_t k);
	double best;  /* log ratio of the optimum */
	double slack; /* a recommendation this much above it still counts as found */
	double least; /* share of the surfaces */
};

static const struct plant plants[] = {
	{ "socket x4",
	  { "", TRANSPORT_SOCKET, .05, .1, 0, 0, 0, 40, 1.1 },
	  sockets,
	  -1.455,
	  .25,
	  .98 },
	{ "shm +16 %",
	  { "", TRANSPORT_SHM, .015, .015, 0, 0, 0, 40, 1.1 },
	  channels,
	  -.15,
	  .055,
	  .95 },
	{ "p2p +5 %",
	  { "", TRANSPORT_P2P, .004, .01, 0, 0, 0, 40, 1.1 },
	  few_percent,
	  -.05,
	  .001,
	  .98 },
};

static int finds(const struct plant *p, int surfaces)
{
	int found = 0;

	for (int i = 0; i < surfaces; i++) {
		struct surface w = { .effect = p->effect,
				     .noise = { p->level.noise, p->level.small_noise },
				     .cost_s = p->level.cost_s,
				     .hang_s = 10,
				     .seed = (uint64_t)i * 104729 + 3 };
		struct search_result r;

		if (surface_search(&w, p->level.transport, p->level.budget_s, 3, &r) < 0)
			exit(1);
		if (r.found[0].id == FOUND_GAIN || r.found[0].id == FOUND_TRADE)
			found += p->effect(&w, &r.confirmation.arm[r.found[0].arm].s, 0) <=
				 p->best + p->slack;
		search_fini(&r);
	}
	return found;
}

int main(int argc, char **argv)
{
	int surfaces = argc > 1 ? atoi(argv[1]) : 600, bad = 0, all = 0;

	for (size_t i = 0; i < N_ELEMENTS(levels); i++) {
		int wrong = false_gains(&levels[i], surfaces);

		printf("flat, %-24s %3d of %d recommended\n", levels[i].name, wrong, surfaces);
		bad += surfaces >= JUDGED_FROM && wrong > FALSE_MOST * surfaces;
		all += wrong;
	}
	for (size_t i = 0; i < N_ELEMENTS(plants); i++) {
		int n = surfaces / 3, found = finds(&plants[i], n);

		printf("planted, %-21s %3d of %d found\n", plants[i].name, found, n);
		bad += surfaces >= JUDGED_FROM && found < plants[i].least * n;
	}
	printf("false gains: %.2f %%\n", 100.0 * all / (surfaces * (double)N_ELEMENTS(levels)));
	return bad != 0;
}
