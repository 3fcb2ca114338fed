/* SPDX-License-Identifier: Apache-2.0 */
/* See tune_class.h. */
#include "run/tune_class.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/num.h"
#include "judge/groups.h"
#include "report/estimate.h"
#include "spec/op.h"
#include "spec/plan.h"
#include "spec/transport.h"

#define MODEL_TOKENS 8192.0
#define MODEL_SCHEME "ddp"
#define MIB (1ULL << 20)

/* A small size beside the large one: what a setting costs there. */
static const uint64_t sizes_nccl[] = { 8, 64 * MIB }, sizes_ucx[] = { 8, 4 * MIB };
static const uint64_t small_nccl[] = { 8, 1024, 32768, 64 * MIB },
		      small_ucx[] = { 8, 1024, 32768, 4 * MIB };

/* ---- objectives ---- */

static const char *model_of(const char *objective)
{
	size_t n = strlen(OBJECTIVE_MODEL);

	return strncmp(objective, OBJECTIVE_MODEL, n) == 0 ? objective + n : NULL;
}

int tune_objective_check(const char *objective, char *why, size_t max)
{
	const char *model = model_of(objective), *names[64], *near;
	size_t n = 0;

	if (strcmp(objective, "bandwidth") == 0 || strcmp(objective, "latency") == 0)
		return 0;
	if (!model) {
		snprintf(why, max, "'%.60s' is none of bandwidth, latency, model:NAME", objective);
		return -EINVAL;
	}
	if (estimate_model_find(model) >= 0)
		return 0;
	for (; n < estimate_n_models && n < N_ELEMENTS(names); n++)
		names[n] = estimate_models[n].name;
	near = num_nearest(model, names, n);
	snprintf(why, max, "unknown model '%.60s'%s%s; ncclbench estimate --help names all", model,
		 near ? "; did you mean " : "", near ? near : "");
	return -EINVAL;
}

static size_t model_messages(const char *model, int gpus, struct estimate_message *out)
{
	const struct estimate_scheme *s = &estimate_schemes[estimate_scheme_find(MODEL_SCHEME)];

	return s->messages(&estimate_models[estimate_model_find(model)], gpus, MODEL_TOKENS, out);
}

/* Largest size a sweep measures by default; larger messages are taken to behave like it. */
static uint64_t cap_bytes(int backend, double bytes)
{
	uint64_t most = backend == BACKEND_UCX ? 64 * MIB : 1024 * MIB;

	return bytes >= (double)most ? most : (uint64_t)bytes & ~(uint64_t)15;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int model_request(const char *model, struct plan_request *q, uint64_t **sizes)
{
	struct estimate_message m[ESTIMATE_MESSAGES_MAX];
	size_t n = model_messages(model, q->nranks, m), kept = 1;
	uint64_t *list = calloc(n + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	list[0] = 8;
	q->ops = 0;
	for (size_t i = 0; i < n; i++) {
		q->ops |= 1ULL << op_find(m[i].op);
		list[i + 1] = cap_bytes(q->backend, m[i].bytes);
	}
	qsort(list, n + 1, sizeof(*list), by_size);
	for (size_t i = 1; i <= n; i++)
		if (list[i] != list[kept - 1])
			list[kept++] = list[i];
	*sizes = list;
	q->sizes = list;
	q->n_sizes = kept;
	return 0;
}

static void default_sizes(const char *objective, struct plan_request *q)
{
	bool ucx = q->backend == BACKEND_UCX;

	if (strcmp(objective, "latency") == 0) {
		q->sizes = ucx ? small_ucx : small_nccl;
		q->n_sizes = N_ELEMENTS(small_nccl);
	} else {
		q->sizes = ucx ? sizes_ucx : sizes_nccl;
		q->n_sizes = N_ELEMENTS(sizes_nccl);
	}
}

int tune_objective_request(const char *objective, struct plan_request *q, uint64_t **sizes,
			   char *why, size_t max)
{
	bool own_sizes = q->sizes || q->begin || q->end || q->factor || q->step;

	if (model_of(objective)) {
		if (!own_sizes && !q->ops)
			return model_request(model_of(objective), q, sizes);
		snprintf(why, max,
			 "--objective model:NAME brings its own operations and sizes; leave out "
			 "--ops, --sizes, -b and -e");
		return -EINVAL;
	}
	if (!q->ops)
		q->ops = 1ULL << OP_ALL_REDUCE;
	if (!own_sizes)
		default_sizes(objective, q);
	return 0;
}

/* ---- classes ---- */

static int class_at(struct tune_classes *c, int op, size_t size_class, uint64_t bytes)
{
	char name[64];
	size_t k = 0;

	snprintf(name, sizeof(name), "%s %s", op_table[op].name, size_classes[size_class].name);
	while (k < c->n && strcmp(c->v[k].name, name) != 0)
		k++;
	if (k == SEARCH_CLASSES)
		return -1;
	if (k == c->n) {
		c->n++;
		memcpy(c->v[k].name, name, sizeof(name));
		c->lo[k] = bytes;
	}
	c->lo[k] = bytes < c->lo[k] ? bytes : c->lo[k];
	c->hi[k] = bytes > c->hi[k] ? bytes : c->hi[k];
	return (int)k;
}

/* Each message counts by the time that all of its kind take: a relative gain on it is worth so much
 * of the step. Without a time yet that is bytes x count, which is right where bandwidth rules, as
 * it does at a model's sizes. */
static void add_model(struct tune_classes *c, const struct plan *plan, size_t config,
		      const char *model)
{
	const struct plan_config *pc = &plan->configs[config];
	const struct plan_point *points = &plan->points[pc->first];
	struct estimate_message m[ESTIMATE_MESSAGES_MAX];
	size_t n = model_messages(model, points[0].c.nranks, m), k = c->n++;

	snprintf(c->v[k].name, sizeof(c->v[k].name), "model %.40s", model);
	c->v[k].target = true;
	c->lo[k] = UINT64_MAX;
	for (size_t i = 0; i < n; i++) {
		uint64_t want = cap_bytes(transport_table[pc->transport].backend, m[i].bytes);

		for (size_t j = 0; j < pc->n; j++) {
			if (points[j].impossible || points[j].asked_bytes != want ||
			    points[j].c.op != op_find(m[i].op))
				continue;
			c->weight[j][k] += m[i].bytes * m[i].count;
			c->lo[k] = want < c->lo[k] ? want : c->lo[k];
			c->hi[k] = want > c->hi[k] ? want : c->hi[k];
		}
	}
}

static int set_targets(struct tune_classes *c, const char *objective, char *why, size_t max)
{
	bool latency = strcmp(objective, "latency") == 0;
	size_t n = 0;

	for (size_t k = 0; k < c->n; k++) {
		const char *word = strrchr(c->v[k].name, ' ') + 1;

		if (!model_of(objective))
			c->v[k].target = (strcmp(word, size_classes[0].name) == 0) == latency;
		n += c->v[k].target;
	}
	if (n > 0)
		return 0;
	snprintf(why, max, "--objective %s needs sizes %s 64 KiB; give --sizes", objective,
		 latency ? "up to" : "above");
	return -EINVAL;
}

static int place_point(struct tune_classes *c, const struct plan_point *p, size_t i, char *why,
		       size_t max)
{
	int k;

	if (p->impossible) {
		snprintf(why, max, "%s", p->impossible);
		return 0;
	}
	k = class_at(c, p->c.op, size_class_of(p->c.bytes), p->c.bytes);
	if (k < 0)
		return -EINVAL;
	c->weight[i][k] = 1;
	return 0;
}

int tune_classes_build(const struct plan *plan, size_t config, const char *objective,
		       struct tune_classes *out, char *why, size_t max)
{
	const struct plan_config *pc = &plan->configs[config];
	struct tune_classes c = { .weight = calloc(pc->n + 1, sizeof(*c.weight)),
				  .n_points = pc->n };
	int rc = c.weight ? 0 : -ENOMEM;

	for (size_t i = 0; i < pc->n && rc == 0; i++)
		rc = place_point(&c, &plan->points[pc->first + i], i, why, max);
	if (rc == 0 && model_of(objective) && c.n == SEARCH_CLASSES)
		rc = -EINVAL;
	if (rc == -EINVAL)
		snprintf(why, max,
			 "more than %d operations and size classes; choose fewer --ops or --sizes",
			 SEARCH_CLASSES - 1);
	if (rc == 0 && c.n == 0)
		rc = 1;
	if (rc == 0) {
		if (max > 0)
			why[0] = '\0'; /* some points cannot be measured, the others can */
		if (model_of(objective))
			add_model(&c, plan, config, model_of(objective));
		rc = set_targets(&c, objective, why, max);
	}
	if (rc == 0)
		*out = c;
	else
		tune_classes_fini(&c);
	return rc;
}

void tune_classes_fini(struct tune_classes *c)
{
	free(c->weight);
	c->weight = NULL;
}

void tune_classes_fold(const struct tune_classes *c, const double *us, double *out)
{
	for (size_t k = 0; k < c->n; k++) {
		double sum = 0, weights = 0;

		for (size_t i = 0; i < c->n_points; i++) {
			if (!(c->weight[i][k] > 0))
				continue;
			sum += c->weight[i][k] * log(us[i]);
			weights += c->weight[i][k];
		}
		out[k] = exp(sum / weights);
	}
}

void tune_class_sizes(const struct tune_classes *c, size_t k, char *out, size_t max)
{
	char lo[32], hi[32];

	num_format_size(c->lo[k], lo, sizeof(lo));
	num_format_size(c->hi[k], hi, sizeof(hi));
	if (c->lo[k] == c->hi[k])
		snprintf(out, max, "%s", lo);
	else
		snprintf(out, max, "%s..%s", lo, hi);
}
