/* SPDX-License-Identifier: Apache-2.0 */
/* See page.h. */
#include "doctor/page.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "doctor/groups.h"
#include "doctor/hardware.h"
#include "ncclbench/exitcode.h"

static const char *const fact_names[] = {
	[P2P_UNTRIED] = "untried", [P2P_REFUSED] = "no",      [P2P_OK] = "ok",
	[P2P_HANG] = "hang",       [P2P_CORRUPT] = "corrupt", [P2P_ERROR] = "error",
};
static const char *const answer_names[] = {
	[ANSWER_UNKNOWN] = "unknown", [ANSWER_NO] = "no", [ANSWER_YES] = "yes"
};

int doctor_exit_code(const struct judgements *v)
{
	return judgements_worst(v) == LEVEL_ERROR ? NB_EXIT_REQUIRED : NB_EXIT_OK;
}

/* ---- text ---- */

/* Copies: "+" proven, "-" refused, "!" failed, "?" not tried. */
static const char *mark(const struct doctor_pair *p)
{
	switch (p->fact) {
	case P2P_OK:
		return "+";
	case P2P_REFUSED:
		return "-";
	case P2P_HANG:
	case P2P_CORRUPT:
	case P2P_ERROR:
		return "!";
	case P2P_UNTRIED:
	default:
		return p->cuda == ANSWER_NO ? "-" : "?";
	}
}

void doctor_matrix(const struct doctor *d, struct buf *out)
{
	char cell[16];

	if (d->n_gpus < 2)
		return;
	buf_puts(out, "      ");
	for (int j = 0; j < d->n_gpus; j++) {
		snprintf(cell, sizeof(cell), "GPU%d", j);
		buf_printf(out, " %-6s", cell);
	}
	buf_puts(out, " NUMA  bus\n");
	for (int i = 0; i < d->n_gpus; i++) {
		buf_printf(out, "GPU%-3d", i);
		for (int j = 0; j < d->n_gpus; j++) {
			doctor_path(d, i, j, cell, sizeof(cell));
			if (i != j)
				strcat(cell, mark(&d->pair[i][j]));
			buf_printf(out, " %-6s", cell);
		}
		if (d->gpu[i].numa >= 0)
			buf_printf(out, " %-5d", d->gpu[i].numa);
		else
			buf_puts(out, " ?    ");
		buf_printf(out, " %s\n", d->gpu[i].bus);
	}
	buf_puts(
	    out,
	    "NVn: n NVLinks; PIX: one PCIe switch; PXB: several; PHB: the CPU; NODE: host bridges "
	    "of one NUMA node; SYS: between nodes.\n"
	    "P2P: + proven by copies, - refused by CUDA, ! claimed and failing, ? not tried\n\n");
}

static void add_gpus(const struct doctor *d, struct buf *out)
{
	for (int i = 0; i < d->n_gpus; i++) {
		const struct doctor_gpu *g = &d->gpu[i];

		buf_printf(out, "GPU %d: %s", i, g->name[0] ? g->name : "unknown name");
		if (g->mem_total >= 0)
			buf_printf(out, ", %.1f GB", (double)g->mem_total / 1e9);
		if (g->nvlinks > 0)
			buf_printf(out, ", %d NVLinks", g->nvlinks);
		if (g->family)
			buf_printf(out, "; family %s: P2P %s; GPUDirect RDMA %s", g->family->family,
				   g->family->p2p, g->family->rdma);
		buf_putc(out, '\n');
	}
	if (d->n_gpus)
		buf_putc(out, '\n');
}

static void add_remedy(struct buf *out, const char *remedy)
{
	for (const char *p = remedy; *p;) {
		size_t n = strcspn(p, "\n");

		buf_puts(out, "      ");
		buf_add(out, p, n);
		buf_putc(out, '\n');
		p += n + (p[n] == '\n');
	}
}

void doctor_text(const struct doctor *d, const struct judgements *v, bool quiet, struct buf *out)
{
	size_t count[LEVEL_COUNT] = { 0 };

	buf_printf(out, "%s: %s, Linux %s%s%s\n\n", d->host.name,
		   d->host.os[0] ? d->host.os : "unknown system", d->host.kernel,
		   d->host.cpu[0] ? ", " : "", d->host.cpu);
	add_gpus(d, out);
	doctor_matrix(d, out);
	for (size_t i = 0; i < v->n; i++) {
		const struct judgement *x = &v->list[i];
		char word[16];

		count[x->level]++;
		if (quiet && x->level == LEVEL_OK)
			continue;
		snprintf(word, sizeof(word), "%s", level_names[x->level]);
		for (char *p = word; *p && x->level >= LEVEL_WARNING; p++)
			*p = (char)toupper((unsigned char)*p);
		buf_printf(out, "%-8s %-13s %s\n", word, x->check->id, x->seen ? x->seen : "");
		add_remedy(out, x->remedy ? x->remedy : "");
	}
	buf_printf(out, "\n%zu error, %zu warning, %zu unknown, %zu info, %zu ok\n",
		   count[LEVEL_ERROR], count[LEVEL_WARNING], count[LEVEL_UNKNOWN],
		   count[LEVEL_INFO], count[LEVEL_OK]);
}

/* ---- JSON ---- */

static json_t *text(const char *s)
{
	json_t *o = json_string(s);

	return o ? o : json_string("?"); /* not UTF-8 */
}

static json_t *count_or_null(int64_t v)
{
	return v < 0 ? json_null() : json_integer((json_int_t)v);
}

static json_t *checks(const struct judgements *v)
{
	json_t *a = json_array();

	for (size_t i = 0; i < v->n; i++) {
		json_t *o = json_object();

		json_object_set_new(o, "id", text(v->list[i].check->id));
		json_object_set_new(o, "verdict", text(level_names[v->list[i].level]));
		json_object_set_new(o, "seen", text(v->list[i].seen ? v->list[i].seen : ""));
		json_object_set_new(o, "remedy", text(v->list[i].remedy ? v->list[i].remedy : ""));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *gpus(const struct doctor *d)
{
	json_t *a = json_array();

	for (int i = 0; i < d->n_gpus; i++) {
		const struct doctor_gpu *g = &d->gpu[i];
		json_t *o = json_object();

		json_object_set_new(o, "gpu", json_integer(i));
		json_object_set_new(o, "name", text(g->name));
		json_object_set_new(o, "family", g->family ? text(g->family->family) : json_null());
		json_object_set_new(o, "bus", text(g->bus));
		json_object_set_new(o, "nvlinks", count_or_null(g->nvlinks));
		json_object_set_new(o, "numa", count_or_null(g->numa));
		json_object_set_new(o, "memory_bytes", count_or_null(g->mem_total));
		json_object_set_new(o, "memory_free_bytes", count_or_null(g->mem_free));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *pairs(const struct doctor *d)
{
	json_t *a = json_array();

	for (int i = 0; i < d->n_gpus; i++)
		for (int j = 0; j < d->n_gpus; j++) {
			const struct doctor_pair *p = &d->pair[i][j];
			char name[24], path[16];
			json_t *o;

			if (i == j)
				continue;
			o = json_object();
			snprintf(name, sizeof(name), "%d->%d", i, j);
			doctor_path(d, i, j, path, sizeof(path));
			json_object_set_new(o, "pair", text(name));
			json_object_set_new(o, "path", text(path));
			json_object_set_new(o, "cuda", text(answer_names[p->cuda]));
			json_object_set_new(o, "nvml", text(p->nvml[0] ? p->nvml : "unknown"));
			json_object_set_new(o, "fact", text(fact_names[p->fact]));
			json_object_set_new(o, "said", text(p->said));
			json_array_append_new(a, o);
		}
	return a;
}

static json_t *libraries(const struct doctor *d)
{
	json_t *a = json_array();

	for (int i = 0; i < d->n_libs; i++)
		json_array_append_new(a, json_pack("{s:o,s:o,s:o}", "where", text(d->lib[i].where),
						   "path", text(d->lib[i].path), "version",
						   text(d->lib[i].version)));
	return a;
}

static json_t *groups(const struct doctor *d)
{
	struct group g[DOCTOR_GPUS_MAX];
	json_t *a = json_array();
	int n = groups_find(d, g);

	for (int i = 0; i < n; i++) {
		struct buf list = { 0 };

		group_visible(d, &g[i], &list);
		json_array_append_new(a, json_pack("{s:o,s:o}", "CUDA_VISIBLE_DEVICES",
						   text(buf_text(&list)), "by", text(g[i].by)));
		buf_fini(&list);
	}
	return a;
}

void doctor_json(const struct doctor *d, const struct judgements *v, int exit_code, struct buf *out)
{
	json_t *o = json_object();
	char *s;

	json_object_set_new(o, "schema", json_integer(1));
	json_object_set_new(o, "command", text("doctor"));
	json_object_set_new(o, "verdict", text(level_names[judgements_worst(v)]));
	json_object_set_new(o, "exit_code", json_integer(exit_code));
	json_object_set_new(o, "host", text(d->host.name));
	json_object_set_new(o, "driver", text(d->host.driver));
	json_object_set_new(o, "cuda_driver", text(d->cuda_driver));
	json_object_set_new(o, "torch", text(d->torch));
	json_object_set_new(o, "container", text(d->container));
	json_object_set_new(o, "vm", text(d->vm));
	json_object_set_new(o, "shm_bytes", count_or_null(d->host.shm_bytes));
	json_object_set_new(o, "gpus", gpus(d));
	json_object_set_new(o, "pairs", pairs(d));
	json_object_set_new(o, "groups", groups(d));
	json_object_set_new(o, "libraries", libraries(d));
	json_object_set_new(o, "checks", checks(v));
	s = json_dumps(o, JSON_INDENT(1));
	json_decref(o);
	if (s)
		buf_printf(out, "%s\n", s);
	else
		out->failed = true;
	free(s);
}
