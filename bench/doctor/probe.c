/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What only CUDA and the driver know, asked of ncclbench-worker-nccl: facts by --probe, copies by
 * --p2p-check. Each runs as a child with a deadline; a driver that hangs costs its answer, not us.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/num.h"
#include "base/pairs.h"
#include "doctor/doctor.h"
#include "machine/root.h"
#include "proc/child.h"

enum {
	OUTPUT_MAX = 262144,
	HANGS_MAX = 2, /* after so many the GPUs are taken for stuck */
};
#define PROBE_NS (30 * CLOCK_S)
/* The worker ends a pair itself after 5 s; this is for one that cannot even do that. */
#define COPIES_NS (50 * CLOCK_S)

static int64_t number(const char *text, const char *key)
{
	char value[32];
	int64_t v;

	return pairs_get(text, key, value, sizeof(value)) &&
		       num_parse_i64(value, 0, INT64_MAX, &v) == 0
		   ? v
		   : -1;
}

static void gpu_text(const char *text, int i, const char *what, char *out, size_t max)
{
	char key[48];

	snprintf(key, sizeof(key), "gpu%d.%s", i, what);
	(void)pairs_get(text, key, out, max);
	root_clean(out);
}

static int64_t gpu_number(const char *text, int i, const char *what)
{
	char key[48];

	snprintf(key, sizeof(key), "gpu%d.%s", i, what);
	return number(text, key);
}

static void parse_gpu(struct doctor *d, const char *text, int i)
{
	struct doctor_gpu *g = &d->gpu[i];

	*g = (struct doctor_gpu){ .index = i, .cuda = true, .numa = -1 };
	gpu_text(text, i, "bus", g->bus, sizeof(g->bus));
	gpu_text(text, i, "name", g->name, sizeof(g->name));
	gpu_text(text, i, "cc", g->cc, sizeof(g->cc));
	gpu_text(text, i, "nvlink_version", g->link_version, sizeof(g->link_version));
	gpu_text(text, i, "procs", g->procs, sizeof(g->procs));
	g->mem_total = gpu_number(text, i, "mem_total");
	g->mem_free = gpu_number(text, i, "mem_free");
	g->nvlinks = (int)gpu_number(text, i, "nvlinks");
}

static void parse_pair(struct doctor *d, const char *text, int i, int j)
{
	struct doctor_pair *p = &d->pair[i][j];
	char key[48], value[16] = "";

	snprintf(key, sizeof(key), "p2p.%d.%d", i, j);
	(void)pairs_get(text, key, value, sizeof(value));
	p->cuda = strcmp(value, "yes") == 0  ? ANSWER_YES
		  : strcmp(value, "no") == 0 ? ANSWER_NO
					     : ANSWER_UNKNOWN;
	snprintf(key, sizeof(key), "nvml_p2p.%d.%d", i, j);
	(void)pairs_get(text, key, p->nvml, sizeof(p->nvml));
	root_clean(p->nvml);
}

static void add_worker_library(struct doctor *d, const char *text)
{
	struct doctor_lib *l = &d->lib[d->n_libs];

	if (d->n_libs == DOCTOR_LIBS_MAX ||
	    !pairs_get(text, "lib_version", l->version, sizeof(l->version)))
		return;
	(void)pairs_get(text, "lib_path", l->path, sizeof(l->path));
	snprintf(l->where, sizeof(l->where), "worker");
	root_clean(l->path);
	root_clean(l->version);
	d->n_libs++;
}

void doctor_parse_probe(struct doctor *d, const char *text)
{
	int64_t n = number(text, "devices");

	(void)pairs_get(text, "reason", d->cuda_reason, sizeof(d->cuda_reason));
	(void)pairs_get(text, "cuda_driver", d->cuda_driver, sizeof(d->cuda_driver));
	(void)pairs_get(text, "runtime_version", d->cuda_runtime, sizeof(d->cuda_runtime));
	(void)pairs_get(text, "driver_version", d->host.driver, sizeof(d->host.driver));
	root_clean(d->cuda_reason);
	add_worker_library(d, text);
	d->n_gpus = d->n_cuda = n < 0 ? 0 : n < DOCTOR_GPUS_MAX ? (int)n : DOCTOR_GPUS_MAX;
	for (int i = 0; i < d->n_gpus; i++)
		parse_gpu(d, text, i);
	for (int i = 0; i < d->n_gpus; i++)
		for (int j = 0; j < d->n_gpus; j++)
			if (i != j)
				parse_pair(d, text, i, j);
}

/* TABLE: first word of p2p_fact */
static void parse_fact(struct doctor_pair *p, const char *value)
{
	static const struct {
		const char *word;
		enum p2p_fact fact;
	} words[] = {
		{ "ok", P2P_OK },           { "no", P2P_REFUSED },  { "hang", P2P_HANG },
		{ "corrupt", P2P_CORRUPT }, { "error", P2P_ERROR },
	};
	size_t n = strcspn(value, " ");

	for (size_t i = 0; i < N_ELEMENTS(words); i++)
		if (strlen(words[i].word) == n && strncmp(words[i].word, value, n) == 0) {
			p->fact = words[i].fact;
			snprintf(p->said, sizeof(p->said), "%s", value[n] ? value + n + 1 : "");
			root_clean(p->said);
			if (p->fact == P2P_OK && num_parse_double(p->said, &p->gbps) != 0)
				p->gbps = 0;
		}
}

void doctor_parse_copies(struct doctor *d, const char *text)
{
	char key[48], value[200];

	if (pairs_get(text, "p2p_reason", value, sizeof(value)))
		snprintf(d->p2p_why, sizeof(d->p2p_why), "%s", value);
	for (int i = 0; i < d->n_gpus; i++)
		for (int j = 0; j < d->n_gpus; j++) {
			snprintf(key, sizeof(key), "links.%d.%d", i, j);
			if (i != j && number(text, key) >= 0)
				d->pair[i][j].links = (int)number(text, key);
			snprintf(key, sizeof(key), "p2p_fact.%d.%d", i, j);
			if (i != j && pairs_get(text, key, value, sizeof(value)))
				parse_fact(&d->pair[i][j], value);
		}
}

/* Pairs without an answer as arguments; a pair that was being tried when its worker fell silent
 * hangs. */
static int remaining(struct doctor *d, char words[][16], char **argv)
{
	int n = 0;

	for (int i = 0; i < d->n_gpus; i++)
		for (int j = 0; j < d->n_gpus; j++)
			if (i != j && d->pair[i][j].fact == P2P_UNTRIED) {
				snprintf(words[n], 16, "%d,%d", i, j);
				argv[n] = words[n];
				n++;
			}
	argv[n] = NULL;
	return n;
}

/* The last pair begun without an answer: its worker was killed by us, or died. */
static void blame_last(struct doctor *d, const char *text, int rc)
{
	const char *last = NULL;
	int i, j;

	for (const char *p = text; (p = strstr(p, "p2p_try.")); p++)
		last = p;
	if (!last || sscanf(last, "p2p_try.%d.%d=", &i, &j) != 2 || i < 0 || j < 0 ||
	    i >= d->n_gpus || j >= d->n_gpus || i == j || d->pair[i][j].fact != P2P_UNTRIED)
		return;
	d->pair[i][j].fact = rc == -ETIMEDOUT ? P2P_HANG : P2P_ERROR;
	snprintf(d->pair[i][j].said, sizeof(d->pair[i][j].said), "%s",
		 rc == -ETIMEDOUT ? "the driver does not even end the process"
				  : "the process died");
}

static int count_hangs(const struct doctor *d)
{
	int n = 0;

	for (int i = 0; i < d->n_gpus; i++)
		for (int j = 0; j < d->n_gpus; j++)
			n += d->pair[i][j].fact == P2P_HANG;
	return n;
}

static void try_copies(struct doctor *d, const char *worker)
{
	static char words[DOCTOR_GPUS_MAX * DOCTOR_GPUS_MAX][16];
	static char *argv[DOCTOR_GPUS_MAX * DOCTOR_GPUS_MAX + 3];
	char *out = calloc(1, OUTPUT_MAX);
	int left = d->n_gpus * (d->n_gpus - 1), before = left + 1, rc = 0;

	argv[0] = (char *)worker;
	argv[1] = (char *)"--p2p-check";
	argv[2] = NULL; /* all of them, and the links */
	while (out && left > 0 && left < before && count_hangs(d) < HANGS_MAX) {
		rc = child_run(worker, argv, NULL, COPIES_NS, out, OUTPUT_MAX);
		doctor_parse_copies(d, out);
		if (rc != 0)
			blame_last(d, out, rc);
		before = left;
		left = remaining(d, words, argv + 2);
	}
	if (left > 0 && !d->p2p_why[0])
		snprintf(d->p2p_why, sizeof(d->p2p_why), "%s",
			 count_hangs(d) ? "stopped after copies that hang"
					: "the check ended early");
	free(out);
}

static void recorded_lines(struct doctor *d, const char *name,
			   void (*parse)(struct doctor *d, const char *text))
{
	char path[PATH_MAX], *text = NULL;
	size_t len;

	root_path(d->root, name, path);
	if (file_read_all(path, OUTPUT_MAX, &text, &len) == 0)
		parse(d, text);
	else if (parse == doctor_parse_probe)
		snprintf(d->probe_why, sizeof(d->probe_why), "the recorded tree has no %s",
			 name + 1);
	free(text);
}

static void probe_live(struct doctor *d, const char *worker)
{
	char *argv[] = { (char *)worker, (char *)"--probe", NULL }, *out = calloc(1, OUTPUT_MAX);
	int rc = out ? child_run(worker, argv, NULL, PROBE_NS, out, OUTPUT_MAX) : -ENOMEM;

	if (rc == 0)
		doctor_parse_probe(d, out);
	else if (rc == -ENOENT)
		snprintf(d->probe_why, sizeof(d->probe_why),
			 "ncclbench-worker-nccl is not built here (it needs CUDA and NCCL)");
	else if (rc == -ETIMEDOUT)
		snprintf(d->probe_why, sizeof(d->probe_why),
			 "the driver did not answer within %d s", (int)(PROBE_NS / CLOCK_S));
	else if (rc < 0)
		snprintf(d->probe_why, sizeof(d->probe_why), "%.200s: %s", worker, strerror(-rc));
	else
		snprintf(d->probe_why, sizeof(d->probe_why), "%.100s ended with status %d: %.*s",
			 worker, rc, (int)(strcspn(out, "\n") < 160 ? strcspn(out, "\n") : 160),
			 out);
	free(out);
	root_clean(d->probe_why);
}

void doctor_probe(struct doctor *d, const struct doctor_request *q)
{
	if (d->recorded) {
		recorded_lines(d, "/probe.txt", doctor_parse_probe);
		recorded_lines(d, "/p2p.txt", doctor_parse_copies);
		return;
	}
	if (!q->worker) {
		snprintf(d->probe_why, sizeof(d->probe_why), "not asked");
		return;
	}
	probe_live(d, q->worker);
	if (!q->copies)
		snprintf(d->p2p_why, sizeof(d->p2p_why), "--no-copies was given");
	else if (d->n_cuda > 1)
		try_copies(d, q->worker);
}
