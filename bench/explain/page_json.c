/* SPDX-License-Identifier: Apache-2.0 */
/* The page for scripts. Keys are relied on: add some, never rename one. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "explain/variable.h"
#include "explain/page.h"

static void put_string(struct buf *out, const char *text)
{
	struct buf clean = { 0 };

	page_clean(&clean, text);
	buf_putc(out, '"');
	for (const char *p = buf_text(&clean); *p; p++) {
		if (*p == '"' || *p == '\\')
			buf_putc(out, '\\');
		buf_putc(out, *p);
	}
	buf_putc(out, '"');
	out->failed |= clean.failed;
	buf_fini(&clean);
}

static void put_key(struct buf *out, const char *key, const char *text)
{
	buf_printf(out, "\"%s\":", key);
	put_string(out, text);
}

/* A comma between elements, none before the first: `n` counts them. */
static void sep(struct buf *out, int *n)
{
	buf_puts(out, (*n)++ ? ",\n  " : "\n  ");
}

static void put_rows(const struct facts *f, int comm, struct buf *out)
{
	struct page_row *rows;
	size_t n;
	int count = 0;

	if (page_rows(f, comm, &rows, &n)) {
		out->failed = true;
		return;
	}
	buf_putc(out, '[');
	for (size_t i = 0; i < n; i++) {
		const struct page_row *r = &rows[i];
		int devices = 0;

		sep(out, &count);
		buf_printf(out, "{\"pair\":\"%d->%d\",", r->from, r->to);
		put_key(out, "class", r->cls);
		buf_putc(out, ',');
		put_key(out, "variant", r->variant);
		buf_printf(out, ",\"channels\":%d", r->channels);
		if (strncmp(r->cls, "NET", 3) == 0) {
			buf_puts(out, ",\"devices\":[");
			for (int d = 0; d < 64; d++)
				if (r->devices >> d & 1)
					buf_printf(out, "%s%d", devices++ ? "," : "", d);
			buf_putc(out, ']');
		}
		buf_putc(out, '}');
	}
	buf_putc(out, ']');
	free(rows);
}

static void put_version(const struct facts *f, struct buf *out)
{
	const struct fact_proc *p = NULL;

	for (size_t i = 0; i < f->n_procs && !p; i++)
		if (f->procs[i].version[0])
			p = &f->procs[i];
	if (!p && f->said_version[0]) {
		put_key(out, "nccl_version", f->said_version);
		return;
	}
	if (!p) {
		buf_puts(out, "\"nccl_version\":null");
		return;
	}
	put_key(out, "nccl_version", p->version);
	if (p->cuda[0]) {
		buf_puts(out, ",\n");
		put_key(out, "cuda_version", p->cuda);
	}
	if (p->driver)
		buf_printf(out, ",\n\"driver_cuda\":\"%d.%d\"", p->driver / 1000,
			   p->driver % 1000 / 10);
}

static void put_env(const struct facts *f, struct buf *out)
{
	int count = 0;

	buf_puts(out, "\"env_set\":{");
	for (size_t i = 0; i < f->n_settings; i++) {
		const struct fact_setting *s = &f->settings[i];

		if (!s->logged || facts_setting(f, s->name) != s)
			continue;
		sep(out, &count);
		put_key(out, s->name, s->value);
	}
	buf_putc(out, '}');
}

/* Every setting with its place; what does not act says so in "note". */
static void put_settings(const struct facts *f, struct buf *out)
{
	int count = 0;

	buf_puts(out, "\"settings\":[");
	for (size_t i = 0; i < f->n_settings; i++) {
		const struct fact_setting *s = &f->settings[i];
		struct variable_note note;

		sep(out, &count);
		buf_putc(out, '{');
		put_key(out, "name", s->name);
		buf_putc(out, ',');
		put_key(out, "value", s->value);
		buf_printf(out, ",\"read\":%s,\"ranks\":%d,", s->logged ? "true" : "false",
			   s->n_procs);
		put_key(out, "file", f->files[s->at.file].name);
		buf_printf(out, ",\"line\":%" PRIu64, s->at.line);
		if (variable_lint(s->name, s->deprecated ? NULL : s->value, 0, s->logged, &note)) {
			buf_putc(out, ',');
			put_key(out, "note", note.text);
		}
		buf_putc(out, '}');
	}
	buf_putc(out, ']');
}

static void put_evidence(const struct facts *f, const struct finding *g, struct buf *out)
{
	buf_puts(out, "\"evidence\":[");
	for (int i = 0; i < g->n_evidence; i++) {
		const struct fact_hit *h = &g->evidence[i];

		buf_puts(out, i ? ",{" : "{");
		put_key(out, "file", f->files[h->at.file].name);
		buf_printf(out, ",\"line\":%" PRIu64 ",", h->at.line);
		put_key(out, "text", h->text);
		if (h->rank >= 0)
			buf_printf(out, ",\"rank\":%d", h->rank);
		buf_putc(out, '}');
	}
	buf_putc(out, ']');
}

static void put_finding(const struct facts *f, const struct finding *g, struct buf *out)
{
	const struct rule *r = &rule_table[g->rule];

	buf_putc(out, '{');
	put_key(out, "cause", r->id);
	buf_putc(out, ',');
	put_key(out, "severity", severity_names[g->severity]);
	buf_puts(out, ",\n   ");
	put_key(out, "text", buf_text(&g->text));
	buf_puts(out, ",\n   ");
	put_key(out, "why", g->consequence ? "Only a consequence of the first error." : r->why);
	buf_puts(out, ",\n   ");
	put_evidence(f, g, out);
	buf_printf(out, ",\"lines\":%zu,\n   \"remedy\":\"", g->count);
	/* line breaks of commands are the only control bytes that are meant */
	for (const char *p = g->consequence ? "" : buf_text(&g->remedy); *p;) {
		size_t n = strcspn(p, "\n");
		struct buf line = { 0 }, quoted = { 0 };

		buf_add(&line, p, n);
		put_string(&quoted, buf_text(&line));
		if (quoted.len > 2)
			buf_add(out, quoted.data + 1, quoted.len - 2);
		p += n;
		if (*p) {
			buf_puts(out, "\\n");
			p++;
		}
		out->failed |= line.failed || quoted.failed;
		buf_fini(&line);
		buf_fini(&quoted);
	}
	buf_puts(out, "\",\n   ");
	put_key(out, "confidence", g->confidence);
	buf_putc(out, '}');
}

static size_t known_pairs(const struct fact_comm *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_links; i++)
		n += i == 0 || c->links[i].from != c->links[i - 1].from ||
		     c->links[i].to != c->links[i - 1].to;
	return n;
}

static void put_comms(const struct facts *f, struct buf *out)
{
	int count = 0;

	buf_puts(out, "\"comms\":[");
	for (size_t i = 0; i < f->n_comms; i++) {
		const struct fact_comm *c = &f->comms[i];

		if (c->gone)
			continue;
		sep(out, &count);
		buf_putc(out, '{');
		if (c->id)
			buf_printf(out, "\"id\":\"0x%" PRIx64 "\",", c->id);
		if (c->nranks > 0)
			buf_printf(out,
				   "\"nranks\":%d,\"ranks_seen\":%d,\"ranks_ready\":%d,\"pairs_"
				   "unknown\":%zu,",
				   c->nranks, c->n_started, c->n_complete,
				   (size_t)c->nranks * (size_t)(c->nranks - 1) - known_pairs(c));
		if (c->nnodes > 0)
			buf_printf(out, "\"nnodes\":%d,", c->nnodes);
		buf_puts(out, "\"transports\":");
		put_rows(f, (int)i, out);
		buf_putc(out, '}');
	}
	buf_putc(out, ']');
}

static void put_algos(const struct facts *f, struct buf *out)
{
	int count = 0;

	buf_puts(out, "\"algorithms\":[");
	for (int i = 0; i < f->n_algos; i++) {
		const struct fact_algo *a = &f->algos[i];

		sep(out, &count);
		buf_printf(out,
			   "{\"op\":\"%s\",\"algo\":\"%s\",\"proto\":\"%s\",\"min_bytes\":%" PRIu64
			   ",\"max_bytes\":%" PRIu64 ",\"count\":%zu}",
			   a->func, a->algo, a->proto, a->min_bytes, a->max_bytes, a->count);
	}
	buf_putc(out, ']');
}

static void put_devices(const char *key, const struct fact_device *set, int n, struct buf *out)
{
	buf_printf(out, "\"%s\":[", key);
	for (int i = 0; i < n; i++) {
		buf_puts(out, i ? ",{" : "{");
		put_key(out, "name", set[i].name);
		buf_putc(out, ',');
		put_key(out, "address", set[i].address);
		buf_putc(out, ',');
		put_key(out, "host", set[i].host);
		buf_putc(out, '}');
	}
	buf_putc(out, ']');
}

static void put_misc(const struct facts *f, struct buf *out)
{
	put_key(out, "network", f->network);
	buf_printf(out, ",\n\"nvls\":%s,\"collnet\":%s,\"symmetric\":%s,\"copy_engine\":%s,\n",
		   f->nvls ? "true" : "false", f->collnet ? "true" : "false",
		   f->symmetric ? "true" : "false", f->copy_engine ? "true" : "false");
	put_devices("interfaces", f->sockets, f->n_sockets, out);
	buf_puts(out, ",\n");
	put_devices("hcas", f->hcas, f->n_hcas, out);
	buf_puts(out, ",\n\"plugins\":[");
	for (int i = 0; i < f->n_plugins; i++) {
		buf_puts(out, i ? "," : "");
		put_string(out, f->plugins[i].text);
	}
	buf_puts(out, "],\n");
}

void page_json(const struct facts *f, const struct findings *fs, int exit_code, struct buf *out)
{
	struct buf verdict = { 0 };
	int count = 0;

	findings_verdict(f, fs, &verdict);
	buf_puts(out, "{\"schema\":1,\"command\":\"explain\",\n");
	put_key(out, "verdict", buf_text(&verdict));
	buf_printf(out, ",\"exit_code\":%d,\n", exit_code);
	put_version(f, out);
	buf_puts(out, ",\n\"transports\":");
	put_rows(f, -1, out);
	buf_puts(out, ",\n");
	put_env(f, out);
	buf_puts(out, ",\n\"findings\":[");
	for (size_t i = 0; i < fs->n; i++) {
		sep(out, &count);
		put_finding(f, &fs->list[i], out);
	}
	buf_puts(out, "],\n");
	put_comms(f, out);
	buf_puts(out, ",\n");
	put_algos(f, out);
	buf_puts(out, ",\n");
	put_misc(f, out);
	put_settings(f, out);
	buf_puts(out, "}\n");
	out->failed |= verdict.failed;
	buf_fini(&verdict);
}
