/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See findings.h. Words that were found become findings; then questions about the whole are asked;
 * then it is decided what is cause and what consequence: the first WARN of the first failing rank
 * counts.
 */
#include "explain/findings.h"

#include <stdlib.h>
#include <string.h>

#include "explain/family.h"
#include "explain/variable.h"

void findings_fini(struct findings *fs)
{
	for (size_t i = 0; i < fs->n; i++) {
		buf_fini(&fs->list[i].text);
		buf_fini(&fs->list[i].remedy);
	}
	free(fs->list);
	*fs = (struct findings){ 0 };
}

/* What an error of this rule is worth as a cause: 0 unless it rather tells that another rank
 * failed. */
static const struct {
	enum rule_id rule;
	int weight;
} weights[] = {
	{ RULE_CONNECT_REFUSED, 2 },
	{ RULE_CONNECT_TIMEOUT, 2 },
	{ RULE_NO_ROUTE, 2 },
	{ RULE_OOM_KILLED, 1 },
	{ RULE_TORCH_WATCHDOG, 3 },
	{ RULE_STORE_TIMEOUT, 3 },
	{ RULE_PEER_GONE, 4 },
	{ RULE_IB_STATUS, 3 },
	{ RULE_IB_FLUSHED, 4 },
	{ RULE_PROXY_FAILED, 4 },
	{ RULE_SILENT_FAILURE, 3 },
	{ RULE_IB_RETRY, 2 },
	{ RULE_NCCL_WARN, 3 },
	{ RULE_TORCH_WATCHDOG_STUCK, 4 },
	{ RULE_TORCH_REMOTE, 5 },
	{ RULE_TORCH_BARE, 5 },
	{ RULE_TORCH_CUDA, 5 },
	{ RULE_TORCH_SYSTEM, 5 },
	{ RULE_TORCH_USAGE, 5 },
	{ RULE_PG_START, 6 },
	{ RULE_INIT_UNFINISHED, 6 },
	{ RULE_CUDA_ERROR, 1 },
	{ RULE_MASTER_UNREACHABLE, 2 },
	{ RULE_ANY_217, 2 },
	{ RULE_RANK_MISSING, 1 },
	{ RULE_CUDA_PROGRAM, 1 },
	{ RULE_CRASHED, 1 },
	{ RULE_WORKER_DIED, 1 },
	{ RULE_TEARDOWN, 5 },
	{ RULE_RANKS_STALLED, 3 },
	{ RULE_GLOO, 2 },
};

static int weight_of(enum rule_id rule)
{
	for (size_t i = 0; i < N_ELEMENTS(weights); i++)
		if (weights[i].rule == rule)
			return weights[i].weight;
	return family_rule(rule) ? 3 : 0;
}

struct finding *findings_add(struct findings *fs, enum rule_id rule)
{
	const struct rule *r = &rule_table[rule];
	struct finding *f;

	if (fs->n == fs->cap) {
		size_t cap = fs->cap ? 2 * fs->cap : 16;

		f = realloc(fs->list, cap * sizeof(*f));
		if (!f) {
			fs->failed = true;
			return NULL;
		}
		fs->list = f;
		fs->cap = cap;
	}
	f = &fs->list[fs->n++];
	*f = (struct finding){ .rule = rule,
			       .severity = r->severity,
			       .confidence = r->confidence,
			       .weight = weight_of(rule),
			       .count = 1 };
	return f;
}

struct finding *findings_find(const struct findings *fs, enum rule_id rule)
{
	for (size_t i = 0; i < fs->n; i++)
		if (fs->list[i].rule == rule)
			return &fs->list[i];
	return NULL;
}

void finding_evidence(struct finding *f, struct fact_place at, const char *text)
{
	struct fact_hit *h;

	if (!f || !at.line || f->n_evidence >= FACTS_HITS)
		return;
	h = &f->evidence[f->n_evidence++];
	*h = (struct fact_hit){ .at = at, .proc = -1, .rank = -1 };
	memcpy(h->text, text, strnlen(text, sizeof(h->text) - 1));
}

void finding_setting(struct finding *f, const struct fact_setting *s)
{
	struct buf b = { 0 };

	buf_printf(&b, s->logged ? "%s set by environment to %s" : "%s=%s", s->name, s->value);
	finding_evidence(f, s->at, buf_text(&b));
	buf_fini(&b);
}

/* By time where both have one, else by file and line. */
static int compare_hits(const struct fact_hit *a, const struct fact_hit *b)
{
	int c = a->when[0] && b->when[0] ? strcmp(a->when, b->when) : 0;

	if (c)
		return c;
	if (a->at.file != b->at.file)
		return a->at.file < b->at.file ? -1 : 1;
	return a->at.line < b->at.line ? -1 : a->at.line > b->at.line;
}

static int compare_hits_qsort(const void *a, const void *b)
{
	return compare_hits(a, b);
}

/* ---- words that were found ---- */

/* `token "simple" when parsing "simple"`: which variable was it? The one whose value has the word.
 */
static void say_token(const struct facts *f, struct finding *out)
{
	const char *text = out->evidence[0].text, *quote = strchr(text, '"'),
		   *end = quote ? strchr(quote + 1, '"') : NULL;
	static const char *const names[] = { "NCCL_ALGO", "NCCL_PROTO" };
	char token[64] = "";
	const char *name = "";
	struct variable_note note;

	if (!end || (size_t)(end - quote) > sizeof(token))
		return;
	memcpy(token, quote + 1, (size_t)(end - quote - 1));
	for (size_t i = 0; i < N_ELEMENTS(names) && token[0]; i++) {
		const struct fact_setting *s = facts_setting(f, names[i]);

		if (s && strstr(s->value, token)) {
			name = names[i];
			finding_setting(out, s);
			break;
		}
	}
	variable_explain_token(name, token, &note);
	buf_clear(&out->text);
	buf_puts(&out->text, note.text);
	buf_puts(&out->remedy, note.remedy);
}

static const struct {
	enum rule_id rule;
	const char *name;
} named[] = {
	{ RULE_NO_INTERFACE, "NCCL_SOCKET_IFNAME" },
	{ RULE_NET_NONE, "NCCL_NET" },
	{ RULE_IB_GID, "NCCL_IB_GID_INDEX" },
	{ RULE_IB_RETRY, "NCCL_IB_GID_INDEX" },
	{ RULE_NO_TRANSPORT, "NCCL_P2P_DISABLE" },
	{ RULE_NO_TRANSPORT, "NCCL_SHM_DISABLE" },
	{ RULE_NO_TRANSPORT, "NCCL_NET_DISABLE_INTRA" },
	{ RULE_ALGO_NONE, "NCCL_ALGO" },
	{ RULE_ALGO_NONE, "NCCL_PROTO" },
	{ RULE_TOPOLOGY, "NCCL_TOPO_FILE" },
	{ RULE_TOPOLOGY, "NCCL_GRAPH_FILE" },
	{ RULE_COLLNET, "NCCL_COLLNET_ENABLE" },
	{ RULE_GDRCOPY, "NCCL_GDRCOPY_ENABLE" },
	{ RULE_PLUGIN, "NCCL_NET_PLUGIN" },
};

/* "cause (NCCL_A=1, NCCL_B=2)" of the variables that a rule is about. */
static void say_values(const struct facts *f, struct finding *out)
{
	int shown = 0;

	for (size_t i = 0; i < N_ELEMENTS(named); i++) {
		const struct fact_setting *s =
		    named[i].rule == out->rule ? facts_setting(f, named[i].name) : NULL;

		if (s)
			buf_printf(&out->text, "%s%s=%s", shown++ ? ", " : " (", s->name, s->value);
	}
	if (shown)
		buf_putc(&out->text, ')');
}

/* fe80::/10 has a meaning on one cable only, and needs the sender's own interface to be sent to. */
static void say_link_local(struct finding *out)
{
	for (int i = 0; i < out->n_evidence; i++)
		if (strstr(out->evidence[i].text, "fe80:")) {
			buf_puts(&out->text, ": the peer gave a link-local IPv6 address (fe80::), "
					     "which only works on one cable");
			buf_puts(&out->remedy,
				 "export NCCL_SOCKET_FAMILY=AF_INET   # on all ranks\n"
				 "export NCCL_SOCKET_IFNAME=eth0      # an interface "
				 "with an address that others reach");
			return;
		}
}

static void word_finding(const struct facts *f, struct findings *fs, enum rule_id rule)
{
	const struct fact_hits *hits = &f->hits[rule];
	struct finding *out = findings_add(fs, rule);

	if (!out)
		return;
	out->count = hits->count;
	out->n_evidence = hits->n;
	memcpy(out->evidence, hits->hit, sizeof(out->evidence));
	qsort(out->evidence, (size_t)out->n_evidence, sizeof(out->evidence[0]), compare_hits_qsort);
	buf_puts(&out->text, rule_table[rule].cause);
	say_values(f, out);
	if ((family_rule(rule) || rule == RULE_CUDA_ERROR || rule == RULE_CUDA_PROGRAM) &&
	    out->n_evidence)
		buf_printf(&out->text, ": %.160s", out->evidence[0].text);
	if (rule == RULE_ALGO_TOKEN)
		say_token(f, out);
	if (rule == RULE_CONNECT_REFUSED || rule == RULE_CONNECT_TIMEOUT || rule == RULE_NO_ROUTE)
		say_link_local(out);
}

static bool fatal_where_it_failed(enum rule_id rule)
{
	/* NCCL goes on without these two */
	if (rule == RULE_COLLNET || rule == RULE_GDRCOPY)
		return false;
	return family_rule(rule) || rule == RULE_TEARDOWN || rule == RULE_NVML_HIDDEN ||
	       rule == RULE_NVML_FAILED || rule == RULE_TOPOLOGY;
}

/* NCCL's words in the text of the program: it stopped with them. */
static bool in_exception(const struct finding *w)
{
	return w->n_evidence && !w->evidence[0].warn;
}

static bool process_failed(const struct facts *f, const struct finding *w)
{
	for (int i = 0; i < w->n_evidence; i++)
		if (w->evidence[i].proc >= 0 && f->procs[w->evidence[i].proc].failed)
			return true;
	return false;
}

/* Only the class of an error, weight 5, and no cause: then the WARNs are what there is to go by. */
static bool only_bare_errors(const struct findings *fs)
{
	bool bare = false;

	for (size_t i = 0; i < fs->n; i++)
		if (fs->list[i].severity == SEVERITY_ERROR && fs->list[i].weight != 5)
			return false;
		else
			bare |= fs->list[i].severity == SEVERITY_ERROR;
	return bare;
}

/* Severities that depend on how it went on. */
static void weigh(const struct facts *f, struct findings *fs)
{
	struct finding *gdr = findings_find(fs, RULE_GDR_OFF),
		       *retry = findings_find(fs, RULE_CONNECT_RETRY),
		       *master = findings_find(fs, RULE_MASTER_RETRY),
		       *missing = findings_find(fs, RULE_RANK_MISSING);
	bool complete = false, bare = only_bare_errors(fs);

	for (size_t i = 0; i < f->n_procs; i++)
		complete |= f->procs[i].complete;
	for (size_t i = 0; i < fs->n; i++)
		if (fatal_where_it_failed(fs->list[i].rule) &&
		    (bare || process_failed(f, &fs->list[i]) || in_exception(&fs->list[i])))
			fs->list[i].severity = SEVERITY_ERROR;
	if (gdr && !gdr->evidence[0].warn && !fs->several_hosts)
		gdr->severity = SEVERITY_INFO;
	if (missing && complete &&
	    !pattern_in(
		(struct span){ missing->evidence[0].text,
			       missing->evidence[0].text + strlen(missing->evidence[0].text) },
		"timed out"))
		missing->severity = SEVERITY_INFO; /* it came late */
	if (master && f->n_records)
		master->severity = SEVERITY_INFO; /* NCCL starts after that */
	if (retry && fs->connect_failed)
		retry->consequence = true; /* of which the retries were the beginning */
	else if (retry && !complete && f->n_records)
		retry->severity = SEVERITY_WARNING;
}

/* ---- cause and consequence ---- */

static const struct finding *first_cause(const struct findings *fs)
{
	const struct finding *best = NULL;

	for (size_t i = 0; i < fs->n; i++) {
		const struct finding *f = &fs->list[i];

		if (f->severity != SEVERITY_ERROR)
			continue;
		if (!best || f->weight < best->weight ||
		    (f->weight == best->weight && f->n_evidence && best->n_evidence &&
		     compare_hits(&f->evidence[0], &best->evidence[0]) < 0))
			best = f;
	}
	return best;
}

/* An error of weight 2 that came before the cause, in the same file, is one by itself. */
static bool came_before(const struct finding *f, const struct finding *cause)
{
	return f->n_evidence && cause->n_evidence && f->weight < 4 &&
	       f->evidence[0].at.file == cause->evidence[0].at.file &&
	       f->evidence[0].at.line < cause->evidence[0].at.line;
}

/* What a process complains of after its own first error comes of that. */
static bool same_process(const struct finding *f, const struct finding *cause)
{
	return f->weight > cause->weight && f->n_evidence && cause->n_evidence &&
	       f->evidence[0].warn && cause->evidence[0].warn && f->evidence[0].proc >= 0 &&
	       f->evidence[0].proc == cause->evidence[0].proc &&
	       compare_hits(&cause->evidence[0], &f->evidence[0]) < 0;
}

static void demote(struct findings *fs)
{
	const struct finding *cause = first_cause(fs);

	if (!cause)
		return;
	for (size_t i = 0; i < fs->n; i++) {
		struct finding *f = &fs->list[i];

		if (f == cause || f->severity != SEVERITY_ERROR)
			continue;
		if (!same_process(f, cause) &&
		    (f->weight < 2 || f->weight < cause->weight || came_before(f, cause)))
			continue;
		f->severity = SEVERITY_INFO;
		f->consequence = true;
		f->confidence = "likely";
	}
}

static int compare_findings(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	if (x->severity != y->severity)
		return x->severity > y->severity ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight < y->weight ? -1 : 1;
	if (x->n_evidence && y->n_evidence) {
		int c = compare_hits(&x->evidence[0], &y->evidence[0]);

		if (c)
			return c;
	}
	if ((x->n_evidence > 0) != (y->n_evidence > 0))
		return x->n_evidence > 0 ? -1 : 1;
	return x->rule < y->rule ? -1 : x->rule > y->rule;
}

/* ---- all together ---- */

static bool several_hosts(const struct facts *f)
{
	const char *host = NULL;

	for (size_t i = 0; i < f->n_procs; i++) {
		if (!f->procs[i].host[0])
			continue;
		if (host && strcmp(host, f->procs[i].host) != 0)
			return true;
		host = f->procs[i].host;
	}
	/* one rank's log of a job on several hosts */
	for (size_t i = 0; i < f->n_comms; i++)
		if (f->comms[i].nnodes > 1 && f->comms[i].n_started < f->comms[i].nranks)
			return true;
	return false;
}

static void fill_defaults(struct findings *fs)
{
	for (size_t i = 0; i < fs->n; i++) {
		struct finding *f = &fs->list[i];

		if (!f->text.len)
			buf_puts(&f->text, rule_table[f->rule].cause);
		if (!f->remedy.len)
			buf_puts(&f->remedy, rule_table[f->rule].remedy);
		fs->failed |= f->text.failed || f->remedy.failed;
	}
}

/* Do the files have the names that a run of ours gives to UCX's logs? */
static bool logs_of_ucx(const struct facts *f)
{
	for (size_t i = 0; i < f->n_files; i++) {
		const char *slash = strrchr(f->files[i].name, '/'),
			   *name = slash ? slash + 1 : f->files[i].name;

		if (strncmp(name, "ucx-", 4) != 0)
			return false;
	}
	return f->n_files > 0;
}

void findings_judge(const struct facts *f, struct findings *fs)
{
	*fs = (struct findings){ .facts = f, .several_hosts = several_hosts(f) };
	for (int rule = 0; rule < RULE_COUNT; rule++)
		if (f->hits[rule].count && rule != RULE_PG_START)
			word_finding(f, fs, (enum rule_id)rule);
	fs->connect_failed = f->hits[RULE_CONNECT_REFUSED].count ||
			     f->hits[RULE_CONNECT_TIMEOUT].count || f->hits[RULE_NO_ROUTE].count;
	fs->connect_trouble = fs->connect_failed || f->hits[RULE_CONNECT_RETRY].count;
	weigh(f, fs);
	for (size_t i = 0; i < fs->n; i++)
		fs->any_error |= fs->list[i].severity == SEVERITY_ERROR;
	ask_machine(f, fs);
	ask_environment(f, fs);
	ask_job(f, fs);
	if (f->n_cut || f->failed)
		(void)findings_add(fs, RULE_LOG_CUT);
	if (!f->n_records)
		(void)findings_add(fs, logs_of_ucx(f) ? RULE_UCX_LOG : RULE_NO_NCCL_LINES);
	demote(fs);
	fill_defaults(fs);
	if (fs->n)
		qsort(fs->list, fs->n, sizeof(fs->list[0]), compare_findings);
}

static void say_links(const struct facts *f, struct buf *out)
{
	const char *only = NULL;
	bool mixed = false;

	for (size_t i = 0; i < f->n_comms; i++)
		for (size_t k = 0; k < f->comms[i].n_links; k++) {
			mixed |= only && strcmp(only, f->comms[i].links[k].cls) != 0;
			only = f->comms[i].links[k].cls;
		}
	if (mixed)
		buf_puts(out, ", over several transports");
	else if (only)
		buf_printf(out, ", over %s", only);
}

void findings_verdict(const struct facts *f, const struct findings *fs, struct buf *out)
{
	const struct finding *top = fs->n ? &fs->list[0] : NULL;
	int nranks = 0;

	for (size_t i = 0; i < f->n_procs; i++)
		nranks = f->procs[i].nranks > nranks ? f->procs[i].nranks : nranks;
	if (top && top->severity == SEVERITY_ERROR) {
		buf_printf(out, "ERROR: %s", buf_text(&top->text));
		if (top->n_evidence && top->evidence[0].rank >= 0)
			buf_printf(out, " (first seen by rank %d)", top->evidence[0].rank);
	} else if (top && top->severity == SEVERITY_WARNING) {
		buf_printf(out, "WARNING: %s", buf_text(&top->text));
	} else if (!f->n_records) {
		buf_puts(out,
			 "NOTHING FOUND: no NCCL output in this log, and no error that is known");
	} else {
		buf_puts(out, "OK: no problem found");
		if (nranks > 0)
			buf_printf(out, ", %d rank%s", nranks, nranks == 1 ? "" : "s");
		say_links(f, out);
	}
}
