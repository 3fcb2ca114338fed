/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about the variables: each one, pairs that contradict, ranks that differ. */
#include <stdlib.h>
#include <string.h>

#include "explain/variable.h"
#include "explain/findings.h"

static int oldest_version(const struct facts *f)
{
	int v = 0;

	for (size_t i = 0; i < f->n_procs; i++) {
		int mine = variable_version(f->procs[i].version);

		if (mine && (!v || mine < v))
			v = mine;
	}
	return f->rccl ? 0 : v;
}

static void add_note(struct findings *fs, const struct variable_note *note,
		     const struct fact_setting *a, const struct fact_setting *b)
{
	struct finding *out;

	/* NCCL said the same as a WARN: one finding, that one. */
	if (note->rule == RULE_ALGO_TOKEN && findings_find(fs, RULE_ALGO_TOKEN))
		return;
	out = findings_add(fs, note->rule);
	if (!out)
		return;
	out->severity = note->severity;
	buf_puts(&out->text, note->text);
	buf_puts(&out->remedy, note->remedy);
	if (a)
		finding_setting(out, a);
	if (b && b != a)
		finding_setting(out, b);
}

static bool said_before(const struct facts *f, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(f->settings[k].name, f->settings[i].name) == 0 &&
		    (strcmp(f->settings[k].value, f->settings[i].value) == 0))
			return true;
	return false;
}

static void each(const struct facts *f, struct findings *fs)
{
	int version = oldest_version(f);

	for (size_t i = 0; i < f->n_settings; i++) {
		const struct fact_setting *s = &f->settings[i];
		struct variable_note note;

		if (!said_before(f, i) && variable_lint(s->name, s->deprecated ? NULL : s->value,
							version, s->logged, &note)) {
			/* An old NCCL does not stop at it. */
			if (note.rule == RULE_ALGO_TOKEN && version && version < 22400)
				note.severity = SEVERITY_WARNING;
			add_note(fs, &note, s, NULL);
		}
	}
}

static const char *get(const void *arg, const char *name)
{
	const struct fact_setting *s = facts_setting(arg, name);

	return s ? s->value : NULL;
}

static void together(const struct facts *f, struct findings *fs)
{
	struct variable_note note;
	size_t row = 0;

	while (variable_lint_together(get, f, &row, &note)) {
		const struct fact_setting *shown[2] = { NULL, NULL };

		/* NCCL's own error tells more than the rule behind it. */
		if (note.severity == SEVERITY_ERROR &&
		    (f->hits[RULE_NO_TRANSPORT].count || f->hits[RULE_NET_NONE].count))
			note.severity = SEVERITY_WARNING;
		for (size_t i = 0, n = 0; i < f->n_settings && n < 2; i++)
			if (strstr(note.text, f->settings[i].name) && !f->settings[i].deprecated)
				shown[n++] = &f->settings[i];
		add_note(fs, &note, shown[0], shown[1]);
	}
}

/* Variables that may well differ between ranks or hosts. */
static bool may_differ(const char *name)
{
	static const char *const names[] = {
		"NCCL_DEBUG",   "NCCL_HOSTID",       "NCCL_SOCKET_IFNAME", "NCCL_OOB",
		"NCCL_IB_HCA",  "NCCL_TOPO",         "NCCL_GRAPH_DUMP",    "NCCL_CONF_FILE",
		"NCCL_COMM_ID", "NCCL_PROXY_CPUSET", "NCCL_RAS",           "NCCL_IB_GID_INDEX",
		"NCCL_PROFILER"
	};

	for (size_t i = 0; i < N_ELEMENTS(names); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static int rank_with(const struct facts *f, size_t setting)
{
	for (size_t i = 0; i < f->n_procs; i++)
		if (facts_bit(f->procs[i].env, (int)setting))
			return f->procs[i].rank;
	return -1;
}

static void differing_values(const struct facts *f, struct findings *fs)
{
	for (size_t i = 0; i < f->n_settings; i++)
		for (size_t k = i + 1; k < f->n_settings; k++) {
			const struct fact_setting *a = &f->settings[i], *b = &f->settings[k];
			struct finding *out;

			if (!a->logged || !b->logged || strcmp(a->name, b->name) != 0 ||
			    may_differ(a->name))
				continue;
			out = findings_add(fs, RULE_ENV_DIFFERS);
			if (!out)
				return;
			buf_printf(&out->text, "ranks differ in %s: %s on rank %d, %s on rank %d",
				   a->name, a->value, rank_with(f, i), b->value, rank_with(f, k));
			finding_setting(out, a);
			finding_setting(out, b);
			break;
		}
}

/* Read by every rank of a communicator before it is ready: a rank that did not say it does not have
 * it. */
static const char *const read_by_all[] = {
	"NCCL_P2P_DISABLE",   "NCCL_P2P_LEVEL", "NCCL_NET",         "NCCL_IB_DISABLE",
	"NCCL_CUMEM_ENABLE",  "NCCL_BUFFSIZE",  "NCCL_NVLS_ENABLE", "NCCL_MAX_NCHANNELS",
	"NCCL_MIN_NCHANNELS", "NCCL_ALGO",      "NCCL_PROTO"
};

static void missing_values(const struct facts *f, struct findings *fs)
{
	for (size_t i = 0; i < f->n_settings; i++) {
		const struct fact_setting *s = &f->settings[i];
		int with = 0, without = 0, who = -1;
		struct finding *out;
		bool listed = false;

		for (size_t k = 0; k < N_ELEMENTS(read_by_all); k++)
			listed |= strcmp(s->name, read_by_all[k]) == 0;
		if (!s->logged || !listed)
			continue;
		for (size_t k = 0; k < f->n_procs; k++) {
			const struct fact_proc *p = &f->procs[k];

			if (facts_bit(p->env, (int)i)) {
				with++;
			} else if (p->complete && p->first.line < p->boot.line + 64 &&
				   p->boot.line) {
				without++;
				who = p->rank;
			}
		}
		if (!with || !without || findings_find(fs, RULE_ENV_DIFFERS))
			continue;
		out = findings_add(fs, RULE_ENV_DIFFERS);
		if (!out)
			return;
		buf_printf(
		    &out->text,
		    "%s=%s is set on rank %d and %d other%s, but not on rank %d and %d other%s",
		    s->name, s->value, rank_with(f, i), with - 1, with == 2 ? "" : "s", who,
		    without - 1, without == 2 ? "" : "s");
		out->confidence = "possible";
		finding_setting(out, s);
	}
}

void ask_environment(const struct facts *f, struct findings *fs)
{
	each(f, fs);
	together(f, fs);
	differing_values(f, fs);
	missing_values(f, fs);
}
