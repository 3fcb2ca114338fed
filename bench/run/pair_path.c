/* SPDX-License-Identifier: Apache-2.0 */
/* See pair_path.h. */
#include "run/pair_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/doctor.h"
#include "run/facts.h"
#include "spec/transport.h"

/* Ways and spans share one scale: enum path of the PCI tree, then these. */
enum { WAY_HOST = PATH_COUNT, WAY_HOSTS };
enum { SPAN_NONE = PATH_UNKNOWN };

/* TABLE: what data passes between two ranks of a host. */
enum medium {
	MEDIUM_HOST,   /* host memory or network cards nobody knows the place of */
	MEDIUM_LINK,   /* NVLink, else the PCI tree */
	MEDIUM_MEMORY, /* GPU, memory of the socket, GPU */
	MEDIUM_OWN,    /* NCCL's choice: NVLink where there is one, else perhaps memory */
};

static const unsigned char mediums[TRANSPORT_COUNT] = {
	[TRANSPORT_AUTO] = MEDIUM_OWN,     [TRANSPORT_P2P] = MEDIUM_LINK,
	[TRANSPORT_P2P_IPC] = MEDIUM_LINK, [TRANSPORT_P2P_CE] = MEDIUM_LINK,
	[TRANSPORT_SHM] = MEDIUM_MEMORY,
};

/* ---- what the facts say of each rank: read once, for pairs are many ---- */

struct pair_rank {
	int host; /* the lowest rank of it */
	int device, links;
};

static int links_of(const struct facts *f, int rank)
{
	char text[32];

	return facts_gpu(f, rank, "nvlinks", text, sizeof(text)) ? atoi(text) : 0;
}

static int host_of(const struct facts *f, const struct pair_rank *before, int rank)
{
	for (int i = 0; i < rank; i++)
		if (before[i].host == i && facts_same_host(f, i, rank))
			return i;
	return rank;
}

int pair_ranks_build(const struct facts *f, int n, struct pair_rank **out)
{
	struct pair_rank *v = calloc((size_t)n + 1, sizeof(*v));

	for (int i = 0; v && i < n; i++)
		v[i] = (struct pair_rank){
			.host = host_of(f, v, i),
			.device = facts_device(f, i),
			.links = links_of(f, i),
		};
	*out = v;
	return v ? 0 : -ENOMEM;
}

/* The facts say how many links a GPU has, not where they end: with two that have some they are
 * taken to be joined. */
static int links_between(const struct pair_rank *a, const struct pair_rank *b)
{
	if (a->host != b->host || a->links < 0 || b->links < 0)
		return 0;
	return a->links < b->links ? a->links : b->links;
}

static int way_between(const struct facts *f, const struct pair_rank *ranks, int a, int b)
{
	int i = ranks[a].device, j = ranks[b].device;
	char key[48], word[16];

	if (ranks[a].host != ranks[b].host)
		return WAY_HOSTS;
	if (i == j)
		return PATH_SELF;
	snprintf(key, sizeof(key), "path.%d.%d", i < j ? i : j, i < j ? j : i);
	/* One of the two is asked, whichever direction is meant. */
	facts_get(f, a < b ? a : b, key, word, sizeof(word));
	for (int p = PATH_PIX; p <= PATH_SYS; p++)
		if (strcmp(path_names[p], word) == 0)
			return p;
	return PATH_UNKNOWN;
}

/* ---- ways and spans ---- */

static int span_of(int medium, int way, int links, bool steered)
{
	bool known = way >= PATH_PIX && way <= PATH_SYS;

	if (medium == MEDIUM_HOST || (medium == MEDIUM_OWN && steered))
		return WAY_HOST;
	if (links > 0 && medium != MEDIUM_MEMORY)
		return SPAN_NONE;
	if (!known)
		return WAY_HOST;
	return medium != MEDIUM_LINK && way < PATH_NODE ? PATH_NODE : way;
}

int pair_paths_build(const struct facts *f, int transport, int n, bool steered, bool one_place,
		     struct pair_paths *out)
{
	size_t cells = (size_t)n * (size_t)n;
	struct pair_paths p = { .n = n, .way = calloc(cells, 1), .span = calloc(cells, 1) };
	struct pair_rank *ranks = NULL;
	int r = p.way && p.span ? pair_ranks_build(f, n, &ranks) : -ENOMEM;

	for (int a = 0; a < n && r == 0; a++)
		for (int b = 0; b < n; b++) {
			int way = one_place ? PATH_SELF
				  : a > b   ? p.way[b * n + a]
					    : way_between(f, ranks, a, b);
			int links = one_place ? 0 : links_between(&ranks[a], &ranks[b]);

			p.way[a * n + b] = (unsigned char)way;
			p.span[a * n + b] = (unsigned char)span_of(mediums[transport], way, links,
								   steered || one_place);
		}
	free(ranks);
	if (r < 0)
		pair_paths_fini(&p);
	else
		*out = p;
	return r;
}

void pair_paths_fini(struct pair_paths *p)
{
	free(p->way);
	free(p->span);
	*p = (struct pair_paths){ 0 };
}

/* Two that stay below a bridge, a socket or a host meet nowhere when that is not where the way from
 * one to the other leads through. */
bool pair_paths_apart(const void *paths, int a, int b, int c, int d)
{
	const struct pair_paths *p = paths;
	const int one[] = { a, b }, other[] = { c, d };
	int first = p->span[a * p->n + b], second = p->span[c * p->n + d];
	int reach = first > second ? first : second;

	for (int i = 0; i < 4; i++) {
		int way = p->way[one[i / 2] * p->n + other[i % 2]];

		if (way == PATH_SELF)
			return false;
		if (first != SPAN_NONE && second != SPAN_NONE && way <= reach)
			return false;
	}
	return true;
}

void pair_class(const struct facts *f, const struct pair_rank *ranks, int backend, int a, int b,
		char out[PAIR_CLASS_TEXT])
{
	int way = way_between(f, ranks, a, b), links = links_between(&ranks[a], &ranks[b]);

	out[0] = '\0';
	if (way == WAY_HOSTS || backend == BACKEND_UCX)
		snprintf(out, PAIR_CLASS_TEXT, way == WAY_HOSTS ? "two hosts" : "one host");
	else if (links > 0)
		snprintf(out, PAIR_CLASS_TEXT, "NV%d", links);
	else if (way >= PATH_PIX && way <= PATH_SYS)
		snprintf(out, PAIR_CLASS_TEXT, "%s", path_names[way]);
}
