/* SPDX-License-Identifier: Apache-2.0 */
/* See groups.h. A tie holds for every pair of a group, both ways: one slow pair slows a ring. */
#include "doctor/groups.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool broken(const struct doctor_pair *p)
{
	return p->fact == P2P_HANG || p->fact == P2P_CORRUPT || p->fact == P2P_ERROR;
}

static bool by_nvlink(const struct doctor *d, int i, int j)
{
	return d->pair[i][j].links > 0 && d->pair[j][i].links > 0 && !broken(&d->pair[i][j]) &&
	       !broken(&d->pair[j][i]);
}

static bool by_p2p(const struct doctor *d, int i, int j)
{
	return d->pair[i][j].fact == P2P_OK && d->pair[j][i].fact == P2P_OK;
}

static bool by_switch(const struct doctor *d, int i, int j)
{
	return d->pair[i][j].path == PATH_PIX || d->pair[i][j].path == PATH_PXB;
}

static bool by_node(const struct doctor *d, int i, int j)
{
	return d->gpu[i].numa >= 0 && d->gpu[i].numa == d->gpu[j].numa;
}

/* best first */
static const struct tie {
	const char *name;
	bool (*holds)(const struct doctor *d, int i, int j);
} ties[] = {
	{ "NVLink", by_nvlink },
	{ "P2P, proven by copies", by_p2p },
	{ "one PCIe switch", by_switch },
	{ "one NUMA node", by_node },
};

static int collect(const struct doctor *d, const struct tie *t, struct group *out)
{
	bool taken[DOCTOR_GPUS_MAX] = { false };
	int n = 0;

	for (int i = 0; i < d->n_gpus; i++) {
		struct group g = { .gpu = { i }, .n = 1, .by = t->name };

		for (int j = i + 1; j < d->n_gpus && !taken[i]; j++) {
			bool all = !taken[j];

			for (int k = 0; k < g.n && all; k++)
				all = t->holds(d, g.gpu[k], j);
			if (all)
				g.gpu[g.n++] = j;
		}
		for (int k = 0; k < g.n && g.n > 1; k++)
			taken[g.gpu[k]] = true;
		if (g.n > 1)
			out[n++] = g;
	}
	return n;
}

int groups_find(const struct doctor *d, struct group *out)
{
	for (size_t i = 0; i < N_ELEMENTS(ties); i++) {
		int n = collect(d, &ties[i], out);

		if (n > 0)
			return n;
	}
	return 0;
}

/* The k-th word of a list that already hides GPUs: its number in the unhidden order. */
static bool nth_word(const char *list, int k, struct buf *out)
{
	for (const char *p = list; *p; k--) {
		size_t n = strcspn(p, ",");

		if (k == 0) {
			buf_add(out, p, n);
			return n > 0;
		}
		p += n + (p[n] == ',');
	}
	return false;
}

void group_visible(const struct doctor *d, const struct group *g, struct buf *out)
{
	const char *now = doctor_setting(d, "CUDA_VISIBLE_DEVICES");

	for (int k = 0; k < g->n; k++) {
		if (k)
			buf_putc(out, ',');
		if (!now || !now[0] || !nth_word(now, d->gpu[g->gpu[k]].index, out))
			buf_printf(out, "%d", d->gpu[g->gpu[k]].index);
	}
}
