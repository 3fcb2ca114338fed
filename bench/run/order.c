/* SPDX-License-Identifier: Apache-2.0 */
/* See order.h. */
#include "run/order.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/num.h"
#include "doctor/doctor.h"
#include "run/facts.h"

static const char *const names[ORDER_COUNT] = {
	[ORDER_NEAR] = "near",
	[ORDER_FAR] = "far",
	[ORDER_NUMA] = "numa",
};

int order_find(const char *name)
{
	for (int i = 0; i < ORDER_COUNT; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return -1;
}

static int fact_int(const char *facts, const char *key)
{
	char text[64];
	int64_t v;

	if (!facts_text_get(facts, key, text, sizeof(text)) || num_parse_i64(text, 0, 4095, &v))
		return -1;
	return (int)v;
}

static int devices_of(const char *facts)
{
	int n = fact_int(facts, "devices");

	return n < ORDER_DEVICES_MAX ? n : ORDER_DEVICES_MAX;
}

/* ---- facts ---- */

static void write_lines(const struct doctor *d, struct buf *out)
{
	for (int i = 0; i < d->n_gpus; i++) {
		if (d->gpu[i].numa >= 0)
			buf_printf(out, "gpu%d.numa=%d\n", i, d->gpu[i].numa);
		for (int j = i + 1; j < d->n_gpus; j++)
			if (d->pair[i][j].path != PATH_UNKNOWN)
				buf_printf(out, "path.%d.%d=%s\n", i, j,
					   path_names[d->pair[i][j].path]);
	}
}

void order_lines(const char *probed, struct buf *out)
{
	struct doctor *d = calloc(1, sizeof(*d));
	int n = devices_of(probed);
	char key[32];

	if (!d)
		return;
	for (int i = 0; i < n && i < DOCTOR_GPUS_MAX; i++) {
		snprintf(key, sizeof(key), "gpu%d.bus", i);
		d->gpu[i].numa = -1;
		facts_text_get(probed, key, d->gpu[i].bus, sizeof(d->gpu[i].bus));
		d->n_gpus = i + 1;
	}
	doctor_read_pci(d);
	write_lines(d, out);
	free(d);
}

/* ---- orders ---- */

struct places {
	int n;
	int numa[ORDER_DEVICES_MAX];                    /* -1 unknown */
	int path[ORDER_DEVICES_MAX][ORDER_DEVICES_MAX]; /* enum path: greater is further */
};

static int path_of(const char *facts, int i, int j)
{
	char key[48], word[16];

	snprintf(key, sizeof(key), "path.%d.%d", i < j ? i : j, i < j ? j : i);
	if (!facts_text_get(facts, key, word, sizeof(word)))
		return PATH_UNKNOWN;
	for (int p = 0; p < PATH_COUNT; p++)
		if (strcmp(path_names[p], word) == 0)
			return p;
	return PATH_UNKNOWN;
}

static bool read_places(int order, const char *facts, struct places *p)
{
	char key[32];
	bool known = true;

	p->n = devices_of(facts);
	for (int i = 0; i < p->n; i++) {
		snprintf(key, sizeof(key), "gpu%d.numa", i);
		p->numa[i] = fact_int(facts, key);
		known &= order != ORDER_NUMA || p->numa[i] >= 0;
		for (int j = 0; j < p->n; j++) {
			p->path[i][j] = i == j ? PATH_SELF : path_of(facts, i, j);
			known &= order == ORDER_NUMA || p->path[i][j] != PATH_UNKNOWN;
		}
	}
	return known && p->n > 0;
}

static bool taken(const int *device, int n, int d)
{
	for (int i = 0; i < n; i++)
		if (device[i] == d)
			return true;
	return false;
}

/* What a device costs as the next one; the cheapest is taken, of equal ones the lowest. */
static int cost(int order, const struct places *p, const int *device, int n, int d)
{
	int sum = 0;

	if (order == ORDER_NUMA)
		return p->numa[d];
	for (int i = 0; i < n; i++)
		sum += p->path[d][device[i]];
	return order == ORDER_FAR ? -sum : sum;
}

int order_devices(int order, const char *facts, int device[ORDER_DEVICES_MAX])
{
	struct places p = { 0 };

	if (!read_places(order, facts, &p))
		return -ENODATA;
	for (int n = 0; n < p.n; n++) {
		int best = -1;

		for (int d = 0; d < p.n; d++)
			if (!taken(device, n, d) &&
			    (best < 0 ||
			     cost(order, &p, device, n, d) < cost(order, &p, device, n, best)))
				best = d;
		device[n] = best;
	}
	return p.n;
}
