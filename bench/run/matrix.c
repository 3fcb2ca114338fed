/* SPDX-License-Identifier: Apache-2.0 */
/* See matrix.h. */
#include "run/matrix.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/num.h"
#include "ncclog/scan.h"
#include "report/overlap.h"
#include "run/arm.h"
#include "spec/op.h"
#include "spec/plan.h"

#define BIT(i) (1ULL << (i))
#define EVERY                                                                                   \
	(BIT(OP_ALL_REDUCE) | BIT(OP_BROADCAST) | BIT(OP_ALL_GATHER) | BIT(OP_REDUCE_SCATTER) | \
	 BIT(OP_REDUCE))

/* TABLE: words of --algos and --protos as NCCL_ALGO and NCCL_PROTO spell them, the operations that
 * have them, since when. A word with a refusal is not taken. */
struct word {
	const char *name, *nccl;
	unsigned long long ops;
	int since;
	const char *refusal;
};

#define MULTICAST "steers NVLink multicast or reduction in the network, which no option may do"

static const struct word algos[] = {
	{ "ring", "Ring", EVERY, 0, NULL },
	{ "tree", "Tree", BIT(OP_ALL_REDUCE), 20400, NULL },
	{ "pat", "PAT", BIT(OP_ALL_GATHER) | BIT(OP_REDUCE_SCATTER), 22300, NULL },
	{ "nvls", NULL, 0, 0, MULTICAST },
	{ "nvlstree", NULL, 0, 0, MULTICAST },
	{ "collnet", NULL, 0, 0, MULTICAST },
	{ "collnetdirect", NULL, 0, 0, MULTICAST },
	{ "collnetchain", NULL, 0, 0, MULTICAST },
	{ NULL, NULL, 0, 0, NULL },
};

static const struct word protos[] = {
	{ "ll", "LL", EVERY, 0, NULL },
	{ "ll128", "LL128", EVERY, 20500, NULL },
	{ "simple", "Simple", EVERY, 0, NULL },
	{ NULL, NULL, 0, 0, NULL },
};

enum { WORDS_MAX = 8 };

struct chosen {
	const struct word *w[WORDS_MAX];
	size_t n;
};

static const struct word *find(const struct word *table, const char *name)
{
	for (; table->name; table++)
		if (strcasecmp(table->name, name) == 0)
			return table;
	return NULL;
}

static int refuse(const char *option, const char *word, const struct word *table, char *why,
		  size_t max)
{
	const struct word *known = find(table, word);
	const char *names[WORDS_MAX], *near;
	size_t n = 0;

	if (known) {
		snprintf(why, max, "%s: '%.40s' %s", option, word,
			 known->refusal ? known->refusal : "is named twice");
		return -EINVAL;
	}
	for (; table[n].name && !table[n].refusal && n < WORDS_MAX; n++)
		names[n] = table[n].name;
	near = num_nearest(word, names, n);
	snprintf(why, max, "%s: unknown word '%.40s'%s%s; known: %s, %s, %s", option, word,
		 near ? "; did you mean " : "", near ? near : "", names[0], names[1], names[2]);
	return -EINVAL;
}

static int choose(const char *option, const char *text, const struct word *table,
		  struct chosen *out, char *why, size_t max)
{
	char *copy = text ? strdup(text) : NULL, *save = NULL;
	int r = text && !copy ? -ENOMEM : 0;

	out->n = 0;
	for (char *w = copy ? strtok_r(copy, ",", &save) : NULL; w && r == 0;
	     w = strtok_r(NULL, ",", &save)) {
		const struct word *known = find(table, w);

		for (size_t i = 0; known && i < out->n; i++)
			if (out->w[i] == known)
				known = NULL;
		if (!known || known->refusal || out->n == WORDS_MAX)
			r = refuse(option, w, table, why, max);
		else
			out->w[out->n++] = known;
	}
	if (r == 0 && text && out->n == 0) {
		snprintf(why, max, "%s: the list is empty; give for example %s,%s", option,
			 table[0].name, table[1].name);
		r = -EINVAL;
	}
	free(copy);
	return r;
}

static int add_pair(struct arm *a, const char *name, const char *value)
{
	a->set[a->n].name = strdup(name);
	a->set[a->n].value = strdup(value);
	a->n++;
	return a->set[a->n - 1].name && a->set[a->n - 1].value ? 0 : -ENOMEM;
}

static int fill_arm(struct arm *a, const struct word *algo, const struct word *proto)
{
	char text[96];
	int r = 0;

	a->set = calloc(2, sizeof(*a->set));
	if (!a->set)
		return -ENOMEM;
	if (algo)
		r = add_pair(a, "NCCL_ALGO", algo->nccl);
	if (r == 0 && proto)
		r = add_pair(a, "NCCL_PROTO", proto->nccl);
	snprintf(a->algo_req, sizeof(a->algo_req), "%s", algo ? algo->name : "");
	snprintf(a->proto_req, sizeof(a->proto_req), "%s", proto ? proto->name : "");
	/* NCCL's own choice has no label: it sorts first, and a reader that knows no arms takes it.
	 */
	snprintf(a->label, sizeof(a->label), "%s%s%s", algo ? algo->name : "",
		 algo && proto ? "/" : "", proto ? proto->name : "");
	snprintf(a->tag, sizeof(a->tag), "%s%s%s",
		 algo    ? algo->name
		 : proto ? ""
			 : "own",
		 algo && proto ? "-" : "", proto ? proto->name : "");
	snprintf(text, sizeof(text), "%s%s%s%s%s", algo ? "NCCL_ALGO=" : "", algo ? algo->nccl : "",
		 algo && proto ? " " : "", proto ? "NCCL_PROTO=" : "", proto ? proto->nccl : "");
	a->text = strdup(text);
	return r == 0 && !a->text ? -ENOMEM : r;
}

int matrix_arms(const char *algo_text, const char *proto_text, struct arm **out, size_t *n,
		char *why, size_t max)
{
	struct chosen a, p;
	struct arm *arms;
	size_t count = 0, n_a, n_p;
	int r = choose("--algos", algo_text, algos, &a, why, max);

	if (r == 0)
		r = choose("--protos", proto_text, protos, &p, why, max);
	if (r < 0)
		return r;
	n_a = a.n ? a.n : 1;
	n_p = p.n ? p.n : 1;
	arms = calloc(n_a * n_p + 2, sizeof(*arms));
	if (!arms)
		return -ENOMEM;
	r = fill_arm(&arms[count++], NULL, NULL);
	for (size_t i = 0; i < n_a && r == 0; i++)
		for (size_t k = 0; k < n_p && r == 0; k++)
			r = fill_arm(&arms[count++], a.n ? a.w[i] : NULL, p.n ? p.w[k] : NULL);
	if (r < 0) {
		arms_free(arms, count);
		return r;
	}
	*out = arms;
	*n = count;
	return 0;
}

static int fill_channels(struct arm *a, int channels)
{
	char value[16], text[96];
	int r;

	snprintf(value, sizeof(value), "%d", channels);
	snprintf(text, sizeof(text), "NCCL_MIN_NCHANNELS=%s NCCL_MAX_NCHANNELS=%s", value, value);
	snprintf(a->label, sizeof(a->label), "%s" OVERLAP_CHANNELS, value);
	snprintf(a->tag, sizeof(a->tag), "ch%s", value);
	a->set = calloc(2, sizeof(*a->set));
	a->text = strdup(text);
	if (!a->set || !a->text)
		return -ENOMEM;
	r = add_pair(a, "NCCL_MIN_NCHANNELS", value);
	return r < 0 ? r : add_pair(a, "NCCL_MAX_NCHANNELS", value);
}

int matrix_channels(const int *channels, size_t n_channels, struct arm **out, size_t *n)
{
	struct arm *arms = calloc(n_channels + 1, sizeof(*arms));
	size_t count = 1;
	int r = arms ? fill_arm(&arms[0], NULL, NULL) : -ENOMEM;

	for (size_t i = 0; i < n_channels && r == 0; i++)
		r = fill_channels(&arms[count++], channels[i]);
	if (r < 0) {
		arms_free(arms, arms ? count : 0);
		return r;
	}
	*out = arms;
	*n = count;
	return 0;
}

/* ---- what does not exist ---- */

static const char *missing(const struct word *w, int op, int version)
{
	if (!(w->ops >> op & 1))
		return "NCCL does not have this algorithm for the operation";
	if (version && version < w->since)
		return "this NCCL is older than the algorithm or protocol";
	return NULL;
}

static const char *impossible(const struct arm *a, int op, int version)
{
	const struct word *algo = a->algo_req[0] ? find(algos, a->algo_req) : NULL;
	const struct word *proto = a->proto_req[0] ? find(protos, a->proto_req) : NULL;
	const char *why = NULL;

	if ((algo || proto) && !(EVERY >> op & 1))
		return "send and receive have no algorithms to choose from";
	if (algo)
		why = missing(algo, op, version);
	return why || !proto ? why : missing(proto, op, version);
}

void matrix_plan(struct plan *p, const struct arm *arms, int version)
{
	for (size_t c = 0; c < p->n_configs; c++)
		for (size_t i = p->configs[c].first; i < p->configs[c].first + p->configs[c].n;
		     i++) {
			struct plan_point *q = &p->points[i];
			const char *why =
			    q->impossible ? NULL
					  : impossible(&arms[p->configs[c].arm], q->c.op, version);

			if (!why)
				continue;
			q->impossible = why;
			q->unavailable = true;
		}
}

/* ---- what NCCL did ---- */

static bool differs(const char *asked, const char *took)
{
	return asked[0] && took[0] && strcasecmp(asked, took) != 0;
}

bool matrix_declined(const struct arm *a, const struct scan_tuning *t, char *why, size_t max)
{
	if (!differs(a->algo_req, t->algo) && !differs(a->proto_req, t->proto))
		return false;
	snprintf(why, max, "NCCL declined: it took %s/%s, asked for %s%s%s", t->algo, t->proto,
		 a->algo_req, a->algo_req[0] && a->proto_req[0] ? "/" : "", a->proto_req);
	return true;
}
