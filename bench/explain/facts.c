/* SPDX-License-Identifier: Apache-2.0 */
/* See facts.h. Here: files, processes, hits. Records: records.c; communicators: comms.c; text:
 * prose.c. */
#include "explain/facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void on_record(void *arg, const struct log_record *r);

int facts_init(struct facts *f)
{
	*f = (struct facts){ .last_proc = -1, .last_key_proc = -1 };
	f->settings = calloc(FACTS_SETTINGS_MAX, sizeof(*f->settings));
	f->matcher = matcher_new();
	f->lines.want_none = true;
	if (f->settings && f->matcher)
		return 0;
	facts_fini(f);
	return -ENOMEM;
}

void facts_fini(struct facts *f)
{
	for (size_t i = 0; i < f->n_files; i++)
		free(f->files[i].name);
	for (size_t i = 0; i < f->n_procs; i++)
		free(f->procs[i].loose);
	for (size_t i = 0; i < f->n_comms; i++) {
		free(f->comms[i].links);
		free(f->comms[i].started);
		free(f->comms[i].complete);
	}
	free(f->files);
	free(f->procs);
	free(f->comms);
	free(f->settings);
	free(f->table);
	matcher_free(f->matcher);
	lines_fini(&f->lines);
	*f = (struct facts){ 0 };
}

int facts_begin(struct facts *f, const char *name)
{
	struct fact_file *more = realloc(f->files, (f->n_files + 1) * sizeof(*more));
	char *copy = strdup(name);

	if (more)
		f->files = more;
	if (!more || !copy) {
		free(copy);
		return -ENOMEM;
	}
	f->files[f->n_files++] = (struct fact_file){ .name = copy };
	f->last_proc = f->last_key_proc = -1;
	f->last_key_len = 0;
	f->k8s_name[0] = '\0';
	f->quote_line = 0;
	lines_fini(&f->lines);
	return 0;
}

void facts_feed(struct facts *f, const char *data, size_t len)
{
	f->lines.on = on_record;
	f->lines.arg = f;
	f->bytes += len;
	lines_feed(&f->lines, data, len);
}

void facts_end(struct facts *f)
{
	struct fact_file *file = &f->files[f->n_files - 1];

	f->lines.on = on_record;
	f->lines.arg = f;
	file->torn = f->lines.open;
	lines_end(&f->lines);
	file->n_lines = f->lines.line;
	f->n_cut += f->lines.n_cut;
	f->failed |= f->lines.failed;
	f->lines.n_cut = 0;
}

/* ---- hits ---- */

void facts_fill_hit(const struct facts *f, const struct log_record *r, struct span text,
		    struct fact_hit *h)
{
	const char *p = r->before.p, *end = r->before.end;

	*h = (struct fact_hit){ .at = { (int)f->n_files - 1, r->line },
				.proc = f->last_proc,
				.rank = f->last_proc >= 0 ? f->procs[f->last_proc].rank : -1,
				.warn = r->kind == RECORD_WARN };
	while (text.p < text.end && (*text.p == ' ' || span_control(*text.p)))
		text.p++;
	span_copy(&text, h->text, sizeof(h->text));
	/* "[2026-11-30 15:35:20]": good enough to order files by */
	for (; end - p >= 19; p++)
		if (span_digit(p[0]) && p[4] == '-' && p[7] == '-' &&
		    (p[10] == ' ' || p[10] == 'T') && p[13] == ':' && p[16] == ':') {
			memcpy(h->when, p, 19);
			h->when[10] = ' ';
			break;
		}
}

void facts_hit(struct facts *f, enum rule_id rule, const struct fact_hit *h)
{
	struct fact_hits *hits = &f->hits[rule];

	hits->count++;
	for (int i = 0; i < hits->n; i++) /* one per process and file is enough to show */
		if (hits->hit[i].proc == h->proc && hits->hit[i].at.file == h->at.file &&
		    strcmp(hits->hit[i].text, h->text) == 0)
			return;
	if (hits->n < FACTS_HITS)
		hits->hit[hits->n++] = *h;
}

/* ---- processes ---- */

static uint64_t hash_key(const char *host, size_t len, uint64_t pid, int file)
{
	uint64_t h = UINT64_C(1469598103934665603);

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)host[i]) * UINT64_C(1099511628211);
	h = (h ^ pid) * UINT64_C(1099511628211);
	return (h ^ (uint64_t)file) * UINT64_C(1099511628211);
}

/* The table is rebuilt at every doubling; half of it stays empty. */
static bool grow(struct facts *f)
{
	size_t cap = f->cap_procs ? 2 * f->cap_procs : 16;
	struct fact_proc *procs = realloc(f->procs, cap * sizeof(*procs));
	int *table;

	if (!procs)
		return false;
	f->procs = procs;
	table = malloc(2 * cap * sizeof(*table));
	if (!table)
		return false;
	f->cap_procs = cap;
	free(f->table);
	f->table = table;
	f->cap_table = 2 * cap;
	memset(table, 0xff, f->cap_table * sizeof(*table));
	for (size_t i = 0; i < f->n_procs; i++) {
		const struct fact_proc *p = &f->procs[i];
		uint64_t h = hash_key(p->host, strlen(p->host), p->pid, p->file);

		while (table[h % f->cap_table] >= 0)
			h++;
		table[h % f->cap_table] = (int)i;
	}
	return true;
}

/* "-1vm:1512" is "vm:1512" behind the half line of another program. */
static int other_name(const struct facts *f, const char *host, size_t len, uint64_t pid)
{
	for (size_t i = f->n_procs; i-- > 0;) {
		const struct fact_proc *p = &f->procs[i];
		size_t n = strlen(p->host);

		if (p->pid == pid && p->file == (int)f->n_files - 1 && n && n < len &&
		    memcmp(host + len - n, p->host, n) == 0)
			return (int)i;
	}
	return -1;
}

static int find_proc(struct facts *f, const char *host, size_t len, uint64_t pid)
{
	int known;
	int file = (int)f->n_files - 1;
	uint64_t h = hash_key(host, len, pid, file);
	struct fact_proc *p;

	for (; f->cap_table && f->table[h % f->cap_table] >= 0; h++) {
		p = &f->procs[f->table[h % f->cap_table]];
		if (p->pid == pid && p->file == file && strncmp(p->host, host, len) == 0 &&
		    !p->host[len])
			return f->table[h % f->cap_table];
	}
	if (f->n_procs >= FACTS_PROCS_MAX) {
		f->n_cut++;
		return -1;
	}
	known = other_name(f, host, len, pid);
	if (known >= 0)
		return known;
	if (f->n_procs == f->cap_procs) {
		if (!grow(f)) {
			f->failed = true;
			return -1;
		}
		h = hash_key(host, len, pid, file);
		while (f->table[h % f->cap_table] >= 0)
			h++;
	}
	p = &f->procs[f->n_procs];
	*p = (struct fact_proc){
		.pid = pid, .file = file, .rank = -1, .nranks = -1, .pending_rule = -1
	};
	memcpy(p->host, host, len);
	f->table[h % f->cap_table] = (int)f->n_procs;
	return (int)f->n_procs++;
}

static bool host_char(char c)
{
	return span_word(c) || c == '-' || c == '.';
}

/* Walks back over ":digits"; false when there is none. */
static bool back_number(const char **end, const char *begin, uint64_t *out)
{
	const char *p = *end;
	struct span digits;

	while (p > begin && span_digit(p[-1]))
		p--;
	digits = (struct span){ p, *end };
	if (p == begin || p[-1] != ':' || !span_number(&digits, INT64_MAX, out))
		return false;
	*end = p - 1;
	return true;
}

/* "[36m" of a colour, "\\n" written out or the end of a time ("-07:00") right before the host. */
static const char *skip_escape(const char *host, const char *begin, const char *end)
{
	const char *p = host;

	if (host > begin && host[-1] == ':' && end - host > 2 && span_digit(host[0]) &&
	    span_digit(host[1]) && !span_digit(host[2]))
		return host + 2;

	if (host > begin && host[-1] == '\\' && end - host > 1 &&
	    (*host == 'n' || *host == 'r' || *host == 't'))
		return host + 1;
	if (host == begin || (host[-1] != '[' && host[-1] != ';'))
		return host;
	while (p < end && span_digit(*p))
		p++;
	return p < end - 1 && *p == 'm' ? p + 1 : host;
}

/* The name that ends at `end`: letters, digits, '-' and '.', or "<host>" of who hid it. */
static const char *back_host(const char *end, const char *begin)
{
	const char *host = end;

	if (end > begin && end[-1] == '>') {
		const char *open = memrchr(begin, '<', (size_t)(end - begin));

		return open && end - open < 63 && !memchr(open, ' ', (size_t)(end - open)) ? open
											   : end;
	}
	while (host > begin && host_char(host[-1]) && end - host < 63)
		host--;
	return host;
}

/* "14" of "14:10:52": a time stamp in front of a line without host and process. */
static bool is_clock(const char *host, const char *end)
{
	return end - host == 2 && span_digit(host[0]) && span_digit(host[1]);
}

/* "host:pid:tid" is the last such word before the mark: a launcher's prefix may hold others. */
static int read_proc(struct facts *f, struct span before)
{
	for (const char *p = before.end; p > before.p; p--) {
		const char *end = p, *host;
		uint64_t tid, pid;

		if (!span_digit(p[-1]) || (p < before.end && *p != ' ' && *p != '['))
			continue;
		if (!back_number(&end, before.p, &tid) || !back_number(&end, before.p, &pid))
			continue;
		host = skip_escape(back_host(end, before.p), before.p, end);
		if (is_clock(host, end) ||
		    (host == end && host > before.p && host[-1] != ' ' && host[-1] != '('))
			continue;
		if ((size_t)(p - host) < sizeof(f->last_key)) {
			f->last_key_len = (size_t)(p - host);
			memcpy(f->last_key, host, f->last_key_len);
		}
		return f->last_key_proc = find_proc(f, host, (size_t)(end - host), pid);
	}
	return -1;
}

/* The same process speaks mostly several times in a row: its words are compared first. */
static int proc_of(struct facts *f, const struct log_record *r)
{
	struct span b = r->before;
	int proc;

	while (b.end > b.p && b.end[-1] == ' ')
		b.end--;
	if (b.end > b.p && b.end[-1] == ']') {
		while (b.end > b.p && b.end[-1] != '[')
			b.end--;
		if (b.end > b.p)
			b.end--;
		while (b.end > b.p && b.end[-1] == ' ')
			b.end--;
	}
	if (f->last_key_len && f->last_key_proc >= 0 && (size_t)(b.end - b.p) >= f->last_key_len &&
	    memcmp(b.end - f->last_key_len, f->last_key, f->last_key_len) == 0 &&
	    ((size_t)(b.end - b.p) == f->last_key_len ||
	     !host_char(b.end[-(ptrdiff_t)f->last_key_len - 1])))
		return f->last_key_proc;
	proc = read_proc(f, r->before);
	if (proc < 0 && !r->first && f->line_of_proc == r->line)
		return f->last_proc; /* "host:1:1 [0] NCCL INFO NCCL version ...": one prefix, two
					marks */
	return proc < 0 ? find_proc(f, "", 0, 0) : proc;
}

/* "NCCL error in: ...:1275, unhandled cuda error, NCCL version 2.14.3" is PyTorch's line. */
static bool is_mention(const struct log_record *r)
{
	return r->kind == RECORD_VERSION && r->first &&
	       (pattern_in(r->before, "error") || pattern_in(r->before, "processgroupnccl"));
}

void facts_rccl(struct facts *f, const struct log_record *r, struct span v)
{
	int proc = find_proc(f, "", 0, 0);
	struct fact_proc *p = proc >= 0 ? &f->procs[proc] : NULL;
	struct span end = v;

	f->rccl = true;
	if (!p || p->version[0])
		return;
	while (end.p < end.end && (span_word(*end.p) || *end.p == '.'))
		end.p++;
	span_copy(&(struct span){ v.p, end.p }, p->version, sizeof(p->version));
	p->last = (struct fact_place){ p->file, r->line };
	if (!p->first.line)
		p->first = p->last;
}

static void on_record(void *arg, const struct log_record *r)
{
	struct facts *f = arg;
	struct fact_file *file = &f->files[f->n_files - 1];
	struct fact_proc *p;

	if (r->kind == RECORD_NONE || is_mention(r)) {
		f->last_proc = -1;
		facts_text_line(f, r);
		return;
	}
	f->n_records++;
	file->nccl = true;
	file->pg_quiet = false;
	f->last_proc = proc_of(f, r);
	f->line_of_proc = r->line;
	if (f->last_proc < 0)
		return;
	p = &f->procs[f->last_proc];
	p->last = (struct fact_place){ p->file, r->line };
	if (!p->first.line)
		p->first = p->last;
	facts_record(f, p, r);
}

static void flush_pending(struct facts *f, struct fact_proc *p)
{
	if (p->pending_rule >= 0)
		facts_hit(f, (enum rule_id)p->pending_rule, &p->pending);
	p->pending_rule = -1;
}

void facts_finish(struct facts *f)
{
	for (size_t i = 0; i < f->n_procs; i++) {
		flush_pending(f, &f->procs[i]);
		facts_flush_links(f, &f->procs[i]);
	}
}

/* ---- questions ---- */

bool facts_bit(const uint64_t *bits, int i)
{
	return bits && (bits[i / 64] >> (i % 64) & 1);
}

const struct fact_setting *facts_setting(const struct facts *f, const char *name)
{
	for (int logged = 1; logged >= 0; logged--)
		for (size_t i = 0; i < f->n_settings; i++)
			if (f->settings[i].logged == logged && !f->settings[i].deprecated &&
			    strcmp(f->settings[i].name, name) == 0)
				return &f->settings[i];
	return NULL;
}

bool facts_is(const struct facts *f, const char *name, const char *value)
{
	for (size_t i = 0; i < f->n_settings; i++)
		if (f->settings[i].logged && strcmp(f->settings[i].name, name) == 0 &&
		    strcmp(f->settings[i].value, value) == 0)
			return true;
	return false;
}

void facts_variant(const struct scan_link *l, char *out, size_t max, int *device)
{
	struct span v = { l->variant, l->variant + strlen(l->variant) };

	*device = -1;
	if (strncmp(l->cls, "NET", 3) == 0 && span_int(&v, 9999, device)) {
		if (v.p < v.end && *v.p == '(')
			(void)span_find(&v, ")"); /* the rank that lends its device */
		if (v.p < v.end && *v.p == '/')
			v.p++;
	}
	span_copy(&v, out, max);
}
