/* SPDX-License-Identifier: Apache-2.0 */
/* The page for a person: verdict first, then findings with their line, reason and commands, then
 * facts. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "explain/page.h"

enum { PAIRS_SHOWN = 24, SETTINGS_SHOWN = 60, DEVICES_SHOWN = 8 };

static void indent(struct buf *out, const char *text, const char *first, const char *rest)
{
	const char *prefix = first;

	while (*text) {
		size_t n = strcspn(text, "\n");
		char *line = strndup(text, n);

		buf_puts(out, prefix);
		page_clean(out, line ? line : "");
		buf_putc(out, '\n');
		free(line);
		text += n + (text[n] == '\n');
		prefix = rest;
	}
}

static void show_evidence(const struct facts *f, const struct finding *g, struct buf *out)
{
	int most = g->severity == SEVERITY_INFO ? 1 : 3;

	for (int i = 0; i < g->n_evidence && i < most; i++) {
		const struct fact_hit *h = &g->evidence[i];

		buf_puts(out, "   ");
		page_clean(out, f->files[h->at.file].name);
		buf_printf(out, ":%" PRIu64 "%s", h->at.line, h->text[0] ? ": " : "");
		page_clean(out, h->text);
		buf_putc(out, '\n');
	}
	if (g->count > (size_t)(g->n_evidence < most ? g->n_evidence : most) && g->n_evidence)
		buf_printf(out, "   (%zu lines in all)\n", g->count);
}

static void show_finding(const struct facts *f, const struct finding *g, size_t number,
			 struct buf *out)
{
	const struct rule *r = &rule_table[g->rule];

	buf_printf(out, "\n%zu. %s: ", number, severity_names[g->severity]);
	page_clean(out, buf_text(&g->text));
	buf_printf(out, "  [%s, %s]\n", r->id, g->confidence);
	show_evidence(f, g, out);
	if (g->consequence) {
		buf_puts(out, "   Only a consequence of the first error: nothing to do here.\n");
		return;
	}
	indent(out, r->why, "   why: ", "        ");
	if (g->remedy.len)
		indent(out, buf_text(&g->remedy), "   do:  ", "        ");
}

static void show_versions(const struct facts *f, struct buf *out)
{
	const char *library = f->rccl ? "RCCL" : "NCCL";
	bool any = false;

	for (size_t i = 0; i < f->n_procs && !any; i++) {
		const struct fact_proc *p = &f->procs[i];

		if (!p->version[0])
			continue;
		any = true;
		buf_printf(out, "  %s ", library);
		page_clean(out, p->version);
		if (p->cuda[0])
			buf_printf(out, " built for CUDA %s", p->cuda);
		if (p->driver)
			buf_printf(out, ", driver for CUDA %d.%d", p->driver / 1000,
				   p->driver % 1000 / 10);
		buf_putc(out, '\n');
	}
	for (int i = 0; i < f->n_plugins; i++) {
		buf_puts(out, "  ");
		page_clean(out, f->plugins[i].text);
		buf_putc(out, '\n');
	}
}

static void show_channels(uint64_t send[4], uint64_t recv[4], const char *what, struct buf *out)
{
	uint64_t any = 0;

	for (int i = 0; i < 4; i++)
		any |= send[i] | recv[i];
	if (any)
		buf_printf(out, "%s", what);
}

static void show_devices(const struct facts *f, const struct page_row *r, struct buf *out)
{
	bool ib = strcmp(r->cls, "NET/IB") == 0;
	const struct fact_device *set = ib ? f->hcas : f->sockets;
	int n = ib ? f->n_hcas : strcmp(r->cls, "NET/Socket") == 0 ? f->n_sockets : 0, shown = 0;

	for (int i = 0; i < 64; i++) {
		if (!(r->devices >> i & 1))
			continue;
		buf_puts(out, shown++ ? ", " : " on ");
		if (i < n)
			page_clean(out, set[i].name);
		else
			buf_printf(out, "device %d", i);
	}
}

static void show_rows(const struct facts *f, int comm, struct buf *out)
{
	struct page_row *rows;
	size_t n;

	if (page_rows(f, comm, &rows, &n)) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; i < n && i < PAIRS_SHOWN; i++) {
		struct page_row *r = &rows[i];

		buf_printf(out, "    %d -> %d  ", r->from, r->to);
		page_clean(out, r->cls);
		buf_puts(out, r->variant[0] ? "/" : "");
		page_clean(out, r->variant);
		buf_printf(out, "  %d channel%s", r->channels, r->channels == 1 ? "" : "s");
		show_devices(f, r, out);
		show_channels(r->send[0], r->recv[0], ", collectives", out);
		show_channels(r->send[1], r->recv[1], ", send/recv", out);
		buf_putc(out, '\n');
	}
	if (n > PAIRS_SHOWN)
		buf_printf(out, "    and %zu more rows (--json has all)\n", n - PAIRS_SHOWN);
	free(rows);
}

static void show_comms(const struct facts *f, struct buf *out)
{
	for (size_t i = 0; i < f->n_comms && i < 16; i++) {
		const struct fact_comm *c = &f->comms[i];

		if (c->gone)
			continue;
		if (c->nranks < 0)
			buf_puts(out, "  connections (the log names no communicator)");
		else
			buf_puts(out, "  communicator");
		if (c->id)
			buf_printf(out, " 0x%" PRIx64, c->id);
		if (c->nranks > 0)
			buf_printf(out, ": %d rank%s, %d seen, %d ready", c->nranks,
				   c->nranks == 1 ? "" : "s", c->n_started, c->n_complete);
		if (c->nnodes > 0)
			buf_printf(out, ", %d node%s", c->nnodes, c->nnodes == 1 ? "" : "s");
		buf_putc(out, '\n');
		show_rows(f, (int)i, out);
		if (!c->n_links && c->nranks > 1)
			buf_puts(out,
				 "    no pair has a complete \"via\" line: transports unknown\n");
	}
	if (f->n_comms > 16)
		buf_printf(out, "  and %zu more communicators (--json has all)\n", f->n_comms - 16);
}

static bool said_before(const struct fact_device *set, int i)
{
	for (int k = 0; k < i; k++)
		if (strcmp(set[k].name, set[i].name) == 0)
			return true;
	return false;
}

/* "eth0 10.0.0.1, 10.0.0.2; ib0 ...": by name, as a variable would name it. */
static void show_interfaces(const struct fact_device *set, int n, const char *what, struct buf *out)
{
	int shown = 0;

	for (int i = 0; i < n && shown < DEVICES_SHOWN; i++) {
		int addresses = 0;

		if (said_before(set, i))
			continue;
		buf_puts(out, shown++ ? "; " : what);
		page_clean(out, set[i].name);
		for (int k = i; k < n && addresses < 4; k++) {
			if (strcmp(set[k].name, set[i].name) != 0 || !set[k].address[0])
				continue;
			buf_puts(out, addresses++ ? ", " : " ");
			page_clean(out, set[k].address);
		}
	}
	if (shown)
		buf_putc(out, '\n');
}

static void show_ways(const struct facts *f, struct buf *out)
{
	if (f->network[0]) {
		buf_puts(out, "  network assigned: ");
		page_clean(out, f->network);
		buf_puts(out, " (the rows above say whether it was used)\n");
	}
	if (f->nvls || f->collnet || f->symmetric || f->copy_engine)
		buf_printf(out, "  past the channels:%s%s%s%s\n", f->nvls ? " NVLS" : "",
			   f->collnet ? " CollNet" : "", f->symmetric ? " symmetric kernels" : "",
			   f->copy_engine ? " copy engine" : "");
	for (int i = 0; i < f->n_algos; i++) {
		const struct fact_algo *a = &f->algos[i];
		char lo[32], hi[32];

		num_format_size(a->min_bytes, lo, sizeof(lo));
		num_format_size(a->max_bytes, hi, sizeof(hi));
		buf_printf(out, "  %s: %s%s%s, %s to %s\n", a->func[0] ? a->func : "operation",
			   a->algo, a->proto[0] ? "/" : "", a->proto, lo, hi);
	}
}

static void show_settings(const struct facts *f, struct buf *out)
{
	int shown = 0;

	for (size_t i = 0; i < f->n_settings; i++) {
		const struct fact_setting *s = &f->settings[i];

		if (!s->logged || shown == SETTINGS_SHOWN)
			continue;
		buf_puts(out,
			 shown++ ? " " : "  variables that NCCL read (environment or nccl.conf): ");
		buf_printf(out, "%s=", s->name);
		page_clean(out, s->value);
	}
	if (shown)
		buf_putc(out, '\n');
}

void page_text(const struct facts *f, const struct findings *fs, struct buf *out)
{
	struct buf verdict = { 0 };
	size_t before;

	findings_verdict(f, fs, &verdict);
	page_clean(out, buf_text(&verdict));
	buf_putc(out, '\n');
	out->failed |= verdict.failed;
	buf_fini(&verdict);
	for (size_t i = 0; i < fs->n; i++)
		show_finding(f, &fs->list[i], i + 1, out);
	if (!f->n_records)
		return;
	buf_puts(out, "\nWhat NCCL did\n");
	before = out->len;
	show_versions(f, out);
	show_comms(f, out);
	show_interfaces(f->n_sockets ? f->sockets : f->boots,
			f->n_sockets ? f->n_sockets : f->n_boots, "  interfaces: ", out);
	show_interfaces(f->hcas, f->n_hcas, "  RDMA devices: ", out);
	show_ways(f, out);
	show_settings(f, out);
	if (out->len == before)
		buf_puts(out, "  nothing of it is in the log\n");
}
