/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's own lines: the start of a record's text chooses its row; what no row takes is searched for
 * words. */
#include <stdio.h>
#include <string.h>

#include "explain/facts.h"
#include "explain/family.h"

/* ---- pieces ---- */

/* The end of a value: control bytes, escapes written out as text, frames of tables, Ray's remark.
 */
static struct span clean(struct span t)
{
	static const char *const ends[] = { "\\x1b", "\\u001b", "\\033[",      "\\e[",
					    "^[[",   "#033[",   "ESC[",        "\\n",
					    "\\r",   "`",       " [repeated ", " (repeated " };

	for (const char *p = t.p; p < t.end; p++)
		if (span_control(*p)) {
			t.end = p;
			break;
		}
	for (size_t i = 0; i < N_ELEMENTS(ends); i++) {
		const char *hit = memmem(t.p, (size_t)(t.end - t.p), ends[i], strlen(ends[i]));

		if (hit)
			t.end = hit;
	}
	for (;;) {
		struct span last = { t.end - 3, t.end };

		if (t.end > t.p && (t.end[-1] == ' ' || t.end[-1] == '|' || t.end[-1] == '\t'))
			t.end--;
		else if (t.end - t.p >= 3 && span_is(&last, "\xe2\x94\x82", 3)) /* a box's side */
			t.end -= 3;
		else
			return t;
	}
}

static void add_device(struct fact_device *set, int *n, struct fact_device d)
{
	for (int i = 0; i < *n; i++)
		if (strcmp(set[i].name, d.name) == 0 && strcmp(set[i].address, d.address) == 0)
			return;
	if (*n < FACTS_DEVICES)
		set[(*n)++] = d;
}

/* "eth0:192.0.2.2<0>", "mlx5_0:1/RoCE" or "eth0": name and what follows the colon. */
static bool take_device(struct span *s, struct fact_device *d)
{
	const char *start = s->p;
	size_t n;

	while (s->p < s->end && *s->p != ':' && *s->p != ' ' && !span_control(*s->p))
		s->p++;
	n = (size_t)(s->p - start);
	if (n == 0 || n >= sizeof(d->name))
		return false;
	memcpy(d->name, start, n);
	d->name[n] = '\0';
	d->address[0] = '\0';
	if (s->p < s->end && *s->p == ':') {
		start = ++s->p;
		while (s->p < s->end && *s->p != ' ' && *s->p != '<' && *s->p != ';' &&
		       !span_control(*s->p))
			s->p++;
		n = (size_t)(s->p - start);
		if (n < sizeof(d->address)) {
			memcpy(d->address, start, n);
			d->address[n] = '\0';
		}
	}
	return true;
}

/* "[0]eth0:192.0.2.2<0> [1]ib0:…" or, for the bootstrap since 2.11, one without a number. */
static void take_devices(struct facts *f, struct fact_proc *p, const struct log_record *r,
			 struct span s, struct fact_device *set, int *n)
{
	struct fact_device d = { .at = { p->file, r->line } };
	int number;

	memcpy(d.host, p->host, sizeof(d.host));
	if (s.p < s.end && *s.p != '[') {
		if (take_device(&s, &d))
			add_device(set, n, d);
		return;
	}
	while (s.p < s.end) {
		if (*s.p != '[') {
			s.p++;
			continue;
		}
		s.p++;
		if (!span_int(&s, 4096, &number) || !span_skip(&s, "]"))
			continue;
		span_skip(&s, " ");                      /* 2.3: "[0] mlx5_0:1/IB" */
		if (take_device(&s, &d) && d.address[0]) /* without one, the line was cut */
			add_device(set, n, d);
	}
}

/* "retrying (34/34)": no try is left, so the reason is an error although no WARN follows here. */
static enum rule_id last_try(struct span t)
{
	static const struct {
		const char *words;
		enum rule_id rule;
	} reasons[] = { { "no route to host", RULE_NO_ROUTE },
			{ "network is unreachable", RULE_NO_ROUTE },
			{ "refused", RULE_CONNECT_REFUSED },
			{ "timed out", RULE_CONNECT_TIMEOUT } };
	struct span s = t;
	int now, most;

	if (!span_find(&s, "retrying (") || !span_int(&s, 1 << 24, &now) || !span_skip(&s, "/") ||
	    !span_int(&s, 1 << 24, &most) || now < most)
		return RULE_CONNECT_RETRY;
	for (size_t i = 0; i < N_ELEMENTS(reasons); i++)
		if (pattern_in(t, reasons[i].words))
			return reasons[i].rule;
	return RULE_CONNECT_RETRY;
}

static void search(struct facts *f, struct fact_proc *p, const struct log_record *r, struct span t)
{
	int i = matcher_find(f->matcher, t, (struct span){ t.p, t.p }, IN_INFO);
	enum rule_id rule;
	struct fact_hit h;

	if (i < 0)
		return;
	rule = pattern_table[i].rule;
	facts_fill_hit(f, r, t, &h);
	facts_hit(f, rule == RULE_CONNECT_RETRY ? last_try(t) : rule, &h);
}

/* ---- rows: `rest` is the text behind the words that chose the row ---- */

static void on_link(struct facts *f, struct fact_proc *p, const struct log_record *r,
		    struct span rest)
{
	facts_link(f, p, r, rest);
}

static void on_nothing(struct facts *f, struct fact_proc *p, const struct log_record *r,
		       struct span rest)
{
}

static void on_comm(struct facts *f, struct fact_proc *p, const struct log_record *r,
		    struct span rest)
{
	facts_comm_line(f, p, r, r->text);
}

static void on_boot(struct facts *f, struct fact_proc *p, const struct log_record *r,
		    struct span rest)
{
	p->booted = true;
	p->boot = (struct fact_place){ p->file, r->line };
	take_devices(f, p, r,
		     record_text(r).p == r->text.p ? (struct span){ rest.p, record_text(r).end }
						   : rest,
		     f->boots, &f->n_boots);
}

static void on_sockets(struct facts *f, struct fact_proc *p, const struct log_record *r,
		       struct span rest)
{
	take_devices(f, p, r, rest, f->sockets, &f->n_sockets);
}

static void on_hcas(struct facts *f, struct fact_proc *p, const struct log_record *r,
		    struct span rest)
{
	struct span list = rest;

	if (span_find(&list, "; OOB "))
		rest.end = list.p;
	if (rest.p < rest.end && *rest.p == '[')
		take_devices(f, p, r, rest, f->hcas, &f->n_hcas);
	search(f, p, r, r->text);
}

static void on_hcas_23(struct facts *f, struct fact_proc *p, const struct log_record *r,
		       struct span rest)
{
	rest.p--; /* the bracket */
	take_devices(f, p, r, rest, f->hcas, &f->n_hcas);
}

static void on_no_ib(struct facts *f, struct fact_proc *p, const struct log_record *r,
		     struct span rest)
{
	if (!f->ib_none.line)
		f->ib_none = (struct fact_place){ p->file, r->line };
}

static void on_network(struct facts *f, struct fact_proc *p, const struct log_record *r,
		       struct span rest)
{
	struct span name = clean(record_text(r));

	name.p = rest.p;
	if (name.p < name.end)
		span_copy(&name, f->network, sizeof(f->network));
}

static void on_driver(struct facts *f, struct fact_proc *p, const struct log_record *r,
		      struct span rest)
{
	int v;

	if (span_int(&rest, 1000000, &v) && (r->whole || rest.p < r->text.end))
		p->driver = v;
}

static void on_connected(struct facts *f, struct fact_proc *p, const struct log_record *r,
			 struct span rest)
{
	p->connected = true;
}

static void on_nvls(struct facts *f, struct fact_proc *p, const struct log_record *r,
		    struct span rest)
{
	f->nvls = true;
}

static void on_collnet(struct facts *f, struct fact_proc *p, const struct log_record *r,
		       struct span rest)
{
	f->collnet |= span_find(&rest, " via COLLNET/");
}

static void on_plugin(struct facts *f, struct fact_proc *p, const struct log_record *r,
		      struct span rest)
{
	struct span t = clean(record_text(r));
	struct fact_plugin plugin = { .at = { p->file, r->line } };

	span_copy(&t, plugin.text, sizeof(plugin.text));
	for (int i = 0; i < f->n_plugins; i++)
		if (strcmp(f->plugins[i].text, plugin.text) == 0)
			return;
	if (f->n_plugins < (int)N_ELEMENTS(f->plugins))
		f->plugins[f->n_plugins++] = plugin;
}

static void on_version(struct facts *f, struct fact_proc *p, const struct log_record *r,
		       struct span t)
{
	struct span v = { t.p, t.p };

	while (v.end < t.end && (span_word(*v.end) || *v.end == '.'))
		v.end++;
	if (!r->whole && v.end == r->text.end)
		return;
	if (!p->version[0]) {
		span_copy(&v, p->version, sizeof(p->version));
	} else if (!p->host[0] && !f->other_version[0] &&
		   (strlen(p->version) != (size_t)(v.end - v.p) ||
		    memcmp(p->version, v.p, strlen(p->version)) != 0)) {
		span_copy(&v, f->other_version, sizeof(f->other_version));
		f->other_version_at = (struct fact_place){ p->file, r->line };
	}
	if (span_find(&t, "+cuda") && !p->cuda[0]) {
		v = (struct span){ t.p, t.p };
		while (v.end < t.end && (span_digit(*v.end) || *v.end == '.'))
			v.end++;
		span_copy(&v, p->cuda, sizeof(p->cuda));
	}
	p->booted = true;
}

static void on_rccl(struct facts *f, struct fact_proc *p, const struct log_record *r,
		    struct span rest)
{
	f->rccl = true;
	while (rest.p < rest.end && !span_digit(*rest.p))
		rest.p++;
	on_version(f, p, r, rest);
}

/* "NCCL_X set by environment to 1." and, in old versions, "NCCL_X set to eth0". */
static void on_setting(struct facts *f, struct fact_proc *p, const struct log_record *r,
		       struct span rest)
{
	struct span t = clean(record_text(r));
	char name[64], value[160];
	size_t n;

	if (!r->whole || !span_name(&t, name, sizeof(name)) || strncmp(name, "NCCL_", 5) != 0 ||
	    (!span_skip(&t, " set by environment to") && !span_skip(&t, " set to"))) {
		search(f, p, r, r->text);
		return;
	}
	span_skip(&t, " ");
	span_copy(&t, value, sizeof(value));
	n = strlen(value);
	if (n > 1 && value[n - 1] == '.' && strspn(value, "-0123456789abcdefx") == n - 1)
		value[n - 1] = '\0';
	facts_add_setting(f, p, name, value, true, false, r->line);
}

/* Operations and the way they took, by function, algorithm and protocol. */
static void on_tuning(struct facts *f, const struct scan_tuning *t)
{
	struct fact_algo *a = f->algos;

	f->nvls |= strncmp(t->algo, "NVLS", 4) == 0;
	f->collnet |= strncmp(t->algo, "COLLNET", 7) == 0;
	f->symmetric |= strcmp(t->algo, "SYMMETRIC") == 0;
	f->copy_engine |= strcmp(t->algo, "COPY_ENGINE") == 0;
	for (; a < f->algos + f->n_algos; a++)
		if (strcmp(a->func, t->func) == 0 && strcmp(a->algo, t->algo) == 0 &&
		    strcmp(a->proto, t->proto) == 0)
			break;
	if (a == f->algos + FACTS_ALGOS_MAX)
		return;
	if (a == f->algos + f->n_algos) {
		*a = (struct fact_algo){ .min_bytes = t->bytes, .max_bytes = t->bytes };
		memcpy(a->func, t->func, sizeof(a->func));
		memcpy(a->algo, t->algo, sizeof(a->algo));
		memcpy(a->proto, t->proto, sizeof(a->proto));
		f->n_algos++;
	}
	a->count++;
	a->min_bytes = t->bytes < a->min_bytes ? t->bytes : a->min_bytes;
	a->max_bytes = t->bytes > a->max_bytes ? t->bytes : a->max_bytes;
}

/* A WARN's words are CUDA's; where it came from is in the calls that follow it. */
static const struct {
	enum rule_id said;
	const char *place;
	enum rule_id means;
} refine_table[] = {
	{ RULE_ANY_217, "shm.cc", RULE_SHM_217 },
	{ RULE_ANY_217, "p2p.cc", RULE_P2P_217 },
	{ RULE_HIDDEN_GPU, "transport/p2p.c", RULE_IMEX },
	{ RULE_CUDA_ERROR, "transport/shm.c", RULE_SHM_REGISTER },
	{ RULE_CUDA_ERROR, "transport/p2p.c", RULE_MAPPING_FAILED },
	{ RULE_CUDA_ERROR, "nvls.cc", RULE_NVLS_FAILED },
	{ RULE_CUDA_801, "nvls.cc", RULE_NVLS_FAILED },
	{ RULE_CUDA_800, "nvls.cc", RULE_NVLS_FAILED },
	{ RULE_CUDA_801, "mnnvl.cc", RULE_IMEX },
	{ RULE_CUDA_800, "mnnvl.cc", RULE_IMEX },
	{ RULE_CUDA_ERROR, "mnnvl.cc", RULE_IMEX },
};

/* "transport/p2p.cc:333 -> 1" or "p2p.cc:333 (p2pMap) -> 1": 1 to 6 are errors, 7 is "in progress".
 */
static bool on_trace(struct facts *f, struct fact_proc *p, const struct log_record *r,
		     struct span t)
{
	struct span s = t;
	int rc;

	if (!span_find(&s, " -> ") || !span_int(&s, 99, &rc))
		return false;
	s = (struct span){ t.p, s.p };
	if (!pattern_in(s, ".cc:") && !pattern_in(s, ".h:") && !pattern_in(s, ".cu:"))
		return false;
	p->failed |= rc > 0 && rc < 7;
	if (rc > 0 && rc < 7 && !p->trace.at.line)
		facts_fill_hit(f, r, t, &p->trace);
	/* where a call of the program or of the proxy ends: below, NCCL may have gone another way
	 */
	p->call_failed |=
	    rc > 0 && rc < 7 && (pattern_in(s, "group.cc:") || pattern_in(s, "proxy.cc:"));
	for (size_t i = 0; p->pending_rule >= 0 && i < N_ELEMENTS(refine_table); i++)
		if (p->pending_rule == (int)refine_table[i].said &&
		    pattern_in(s, refine_table[i].place)) {
			p->pending_rule = (int)refine_table[i].means;
			break;
		}
	return true;
}

static void on_other(struct facts *f, struct fact_proc *p, const struct log_record *r,
		     struct span rest)
{
	struct scan_tuning t;

	if (memmem(rest.p, (size_t)(rest.end - rest.p), " Bytes -> ", 10)) {
		if (scan_parse_tuning(r, &t))
			on_tuning(f, &t);
		return;
	}
	if (!on_trace(f, p, r, rest))
		search(f, p, r, rest);
}

static const struct row {
	const char *start;
	size_t len;
	void (*on)(struct facts *f, struct fact_proc *p, const struct log_record *r,
		   struct span rest);
} row_table[] = {
/* clang-format off */
#define ROW(start, on) { start, sizeof(start) - 1, on }
	ROW("Channel ", on_link),
	ROW("Ring ", on_link),
	ROW("Tree", on_nothing),
	ROW("CollNet ", on_collnet),
	ROW("Coll ", on_collnet),
	ROW("NVLS comm ", on_nvls),
	ROW("comm 0x", on_comm),
	ROW("ncclComm", on_comm),
	ROW("Connected ", on_connected),
	ROW("cudaDriverVersion ", on_driver),
	ROW("Bootstrap: Using ", on_boot),
	ROW("Bootstrap : Using ", on_boot),
	ROW("NET/Socket : Using ", on_sockets),
	ROW("NET/Socket: Using ", on_sockets),
	ROW("NET/IB : Using ", on_hcas),
	ROW("NET/IB: Using ", on_hcas),
	ROW("NET/IB : No device found", on_no_ib),
	ROW("Using network ", on_network),
	ROW("NET/Plugin: Loaded", on_plugin),
	ROW("NET/Plugin : Loaded", on_plugin),
	ROW("Loaded net plugin", on_plugin),
	ROW("Loaded collnet plugin", on_plugin),
	ROW("TUNER/Plugin: Using", on_plugin),
	ROW("Successfully loaded external", on_plugin),
	ROW("NET/OFI Using aws", on_plugin),
	ROW("NET/OFI Initializing aws", on_plugin),
	ROW("NET/OFI Selected ", on_plugin),
	/* 2.3 */
	ROW("NET : Using interface ", on_boot),
	ROW("NET/IB: [", on_hcas_23),
	ROW("Using internal Network ", on_network),
	ROW("RCCL version", on_rccl),
	ROW("NCCL_", on_setting),
	ROW("", on_other),
#undef ROW
};
/* clang-format on */

/* Two WARNs of one fault, one after the other: which of them says it better? */
static const struct {
	enum rule_id first, second, means;
} pair_table[] = {
	{ RULE_SHM_NOT_SHARED, RULE_SHM_CUMEM_MIXED, RULE_SHM_CUMEM_MIXED },
	{ RULE_SHM_TOO_SMALL, RULE_SHM_NOT_WRITABLE, RULE_SHM_TOO_SMALL },
	{ RULE_SHM_NOT_WRITABLE, RULE_SHM_TOO_SMALL, RULE_SHM_NOT_WRITABLE },
	{ RULE_SHM_MAP, RULE_SHM_TOO_SMALL, RULE_SHM_MAP },
	{ RULE_SHM_REGISTER, RULE_SHM_TOO_SMALL, RULE_SHM_REGISTER },
	{ RULE_TOO_MANY_FILES, RULE_SHM_TOO_SMALL, RULE_TOO_MANY_FILES },
};

static enum rule_id pair_means(int first, enum rule_id second)
{
	for (size_t i = 0; i < N_ELEMENTS(pair_table); i++)
		if ((int)pair_table[i].first == first && pair_table[i].second == second)
			return pair_table[i].means;
	return RULE_COUNT;
}

static void on_warn(struct facts *f, struct fact_proc *p, const struct log_record *r)
{
	enum rule_id rule, both;
	struct span text = record_text(r), place;
	char where[96];
	struct fact_hit h;
	int i;

	f->n_warns++;
	record_place(r, where, sizeof(where));
	place = (struct span){ where, where + strlen(where) };
	i = matcher_find(f->matcher, text, place, IN_WARN);
	facts_fill_hit(f, r, text, &h);
	rule = i >= 0 ? pattern_table[i].rule : family_of(text, place);
	both = pair_means(p->pending_rule, rule);
	if (both < RULE_COUNT)
		p->pending_rule = (int)both;
	if (p->pending_rule >= 0)
		facts_hit(f, (enum rule_id)p->pending_rule, &p->pending);
	/* an echo of what the chain of calls before it began with says nothing of it */
	p->warned |= rule != RULE_BENIGN_WARN &&
		     !(p->trace.at.line && (rule == RULE_PROXY_FAILED || rule == RULE_PEER_GONE));
	p->pending = h;
	p->pending_rule = both < RULE_COUNT ? (int)both : (int)rule;
}

/* Ray prints a line of many workers once: "... [repeated 7x across cluster]". */
static void note_repeated(struct facts *f, const struct log_record *r)
{
	struct fact_hit h;

	if (!memmem(r->text.p, (size_t)(r->text.end - r->text.p), "[repeated ", 10))
		return;
	facts_fill_hit(f, r, r->text, &h);
	facts_hit(f, RULE_RAY_DEDUP, &h);
}

void facts_record(struct facts *f, struct fact_proc *p, const struct log_record *r)
{
	const struct row *row = row_table;

	if (r->kind == RECORD_VERSION) {
		on_version(f, p, r, r->text);
		return;
	}
	note_repeated(f, r);
	if (r->kind == RECORD_WARN) {
		on_warn(f, p, r);
		return;
	}
	while (!span_is(&r->text, row->start, row->len))
		row++;
	row->on(f, p, r, (struct span){ r->text.p + row->len, r->text.end });
	if (r->first && r->before.end - r->before.p > 120) /* another program's line ran into it */
		facts_text_line(f, r);
}

static uint64_t *bit_of(struct fact_proc *p, size_t i)
{
	return &p->env[i / 64];
}

void facts_add_setting(struct facts *f, struct fact_proc *p, const char *name, const char *value,
		       bool logged, bool deprecated, uint64_t line)
{
	size_t i = 0;

	while (i < f->n_settings &&
	       (strcmp(f->settings[i].name, name) != 0 ||
		strcmp(f->settings[i].value, value) != 0 || f->settings[i].logged != logged ||
		f->settings[i].deprecated != deprecated))
		i++;
	if (i == FACTS_SETTINGS_MAX) {
		f->n_cut++;
		return;
	}
	if (i == f->n_settings) {
		struct fact_setting *s = &f->settings[f->n_settings++];

		snprintf(s->name, sizeof(s->name), "%s", name);
		snprintf(s->value, sizeof(s->value), "%s", value);
		s->logged = logged;
		s->deprecated = deprecated;
		s->at = (struct fact_place){ (int)f->n_files - 1, line };
	}
	if (!p)
		return;
	f->settings[i].n_procs += !(*bit_of(p, i) >> (i % 64) & 1);
	*bit_of(p, i) |= UINT64_C(1) << (i % 64);
}
