/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines that are not NCCL's: Python's exceptions, launchers, the kernel, nccl-tests' table; and
 * settings in pasted scripts, pods and YAML files ("export NCCL_ALGO=simple", "NCCL_X: 180").
 */
#include <string.h>

#include "explain/facts.h"
#include "explain/family.h"

static bool name_char(char c)
{
	return span_digit(c) || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The value behind = or :, without quotes. `colon`: prose may use one, so the value must end the
 * line. */
static bool take_value(struct span s, bool colon, char *out, size_t max)
{
	char quote = 0;
	size_t n = 0;

	while (s.p < s.end && *s.p == ' ')
		s.p++;
	if (s.p < s.end && (*s.p == '"' || *s.p == '\'' || *s.p == '`'))
		quote = *s.p++;
	for (; s.p < s.end && n + 1 < max && !span_control(*s.p); s.p++) {
		if (quote ? *s.p == quote : strchr(" ;&|`\"')}<>\\\t", *s.p) != NULL)
			break;
		if ((unsigned char)*s.p >= 0x80) /* prose goes on: values are ASCII */
			break;
		if (!quote && colon && *s.p == ',')
			break;
		out[n++] = *s.p;
	}
	out[n] = '\0';
	if (!colon || quote)
		return quote || n > 0 || !colon;
	while (s.p < s.end && (*s.p == ' ' || *s.p == ',' || *s.p == '\r' || *s.p == '|'))
		s.p++;
	return n > 0 && (s.p == s.end || *s.p == '#' || *s.p == '}' || span_control(*s.p));
}

/* Behind a name: "=", "\"] =", "\", " of os.environ.setdefault, ": ". False: only mentioned. */
static bool take_assignment(struct span s, char *out, size_t max)
{
	bool quoted = false, comma = false;

	if (s.p < s.end && (*s.p == '"' || *s.p == '\'')) {
		quoted = true;
		s.p++;
	}
	while (s.p < s.end && (*s.p == ']' || *s.p == ' '))
		s.p++;
	if (s.p == s.end)
		return false;
	comma = quoted && *s.p == ',';
	if (*s.p == '=' || comma) {
		/* "x == 1" compares, "NCCL_IB_HCA==mlx5_0" asks for exactly that name */
		if (s.end - s.p > 2 && s.p[1] == '=' && s.p[2] == ' ')
			return false;
		s.p++;
		return take_value(s, false, out, max);
	}
	if (*s.p != ':' || s.end - s.p < 2 || (!quoted && s.p[1] != ' '))
		return false;
	s.p++;
	return take_value(s, true, out, max);
}

/* A comment, or a document that PyTorch prints about itself. */
static bool is_not_a_setting(struct span line)
{
	while (line.p < line.end && (*line.p == ' ' || *line.p == '\t'))
		line.p++;
	return (line.p < line.end && *line.p == '#') || pattern_in(line, "processgroupnccl") ||
	       pattern_in(line, "set by environment");
}

static void read_settings(struct facts *f, const struct log_record *r, struct span line)
{
	bool deprecated = pattern_in(line, "is deprecated; use torch_nccl");
	struct span s = line;
	char name[64], value[160];

	if (!memmem(s.p, (size_t)(s.end - s.p), "NCCL_", 5) || is_not_a_setting(line))
		return;
	while (span_find(&s, "NCCL_")) {
		const char *start = s.p - 5, *end = s.p;

		while (start > line.p && name_char(start[-1]))
			start--;
		while (end < s.end && name_char(*end))
			end++;
		s.p = end;
		if ((start > line.p &&
		     (start[-1] == '$' || start[-1] == '{' || span_word(start[-1]))) ||
		    (end < s.end && span_word(*end)) || end - start >= (ptrdiff_t)sizeof(name))
			continue;
		memcpy(name, start, (size_t)(end - start));
		name[end - start] = '\0';
		if (strncmp(name, "NCCL_", 5) != 0 && strncmp(name, "TORCH_NCCL_", 11) != 0)
			continue;
		if (deprecated)
			facts_add_setting(f, NULL, name, "", false, true, r->line);
		else if (take_assignment((struct span){ end, line.end }, value, sizeof(value)))
			facts_add_setting(f, NULL, name, value, false, false, r->line);
		else if (memmem(line.p, (size_t)(start - line.p), "name:", 5)) {
			memcpy(f->k8s_name, name, sizeof(name));
			f->k8s_line = r->line;
		}
	}
}

/* "- name: NCCL_DEBUG" and "  value: \"INFO\"" on the next line. */
static void read_pod_value(struct facts *f, const struct log_record *r, struct span line)
{
	struct span s = line;
	char value[160];

	if (!f->k8s_name[0] || r->line == f->k8s_line)
		return;
	if (r->line == f->k8s_line + 1 && span_find(&s, "value:") &&
	    take_value(s, true, value, sizeof(value)))
		facts_add_setting(f, NULL, f->k8s_name, value, false, false, r->line);
	f->k8s_name[0] = '\0';
}

static bool find_int(struct span s, const char *word, int *out)
{
	if (!span_find(&s, word))
		return false;
	while (s.p < s.end && *s.p == ' ')
		s.p++;
	return span_int(&s, 1 << 24, out);
}

/* "initializing distributed: GLOBAL_RANK: 1, MEMBER: 2/4" */
static void read_member(struct facts *f, const struct log_record *r, struct span t)
{
	struct fact_member m = { .at = { (int)f->n_files - 1, r->line } };
	struct span s = t;

	if (!find_int(t, "GLOBAL_RANK:", &m.rank) || !span_find(&s, "MEMBER:"))
		return;
	span_skip(&s, " ");
	if (span_int(&s, 1 << 20, &m.member) && span_skip(&s, "/") &&
	    span_int(&s, 1 << 20, &m.of) && f->n_members < (int)N_ELEMENTS(f->members))
		f->members[f->n_members++] = m;
}

/* nccl-tests: "#  Rank  0 Group  0 Pid   2377 on         vm device  0 [0000:00:06] NVIDIA H200" */
static void read_tests(struct facts *f, const struct log_record *r, struct span t)
{
	struct span s = t;
	int rank, pid;

	if (span_find(&s, "# Avg bus bandwidth") || span_find(&s, "# Out of bounds values"))
		f->tests_done = true;
	if (span_find(&s, "# nThread") && !f->tests_start.line)
		f->tests_start = (struct fact_place){ (int)f->n_files - 1, r->line };
	s = t;
	if (!span_find(&s, "#  Rank ") && !span_find(&s, "#   Rank "))
		return;
	if (!find_int((struct span){ t.p, t.end }, "Rank ", &rank) || !find_int(t, "Pid ", &pid))
		return;
	f->tests_other_rank |= rank != 0;
	if (rank != 0)
		return;
	for (int i = 0; i < f->n_tests_rank0 && i < 2; i++)
		if (f->tests_pid[i] == (uint64_t)pid)
			return;
	if (f->n_tests_rank0 < 2) {
		f->tests_pid[f->n_tests_rank0] = (uint64_t)pid;
		f->tests_header[f->n_tests_rank0] =
		    (struct fact_place){ (int)f->n_files - 1, r->line };
	}
	f->n_tests_rank0++;
}

/* "     1048576        262144     float     sum ...": nccl-tests did measure something. */
static void read_row(struct facts *f, struct span t)
{
	uint64_t size, count;

	while (t.p < t.end && *t.p == ' ')
		t.p++;
	if (!f->tests_start.line || f->tests_done || !span_number(&t, INT64_MAX, &size))
		return;
	while (t.p < t.end && *t.p == ' ')
		t.p++;
	f->tests_done = span_number(&t, INT64_MAX, &count) && t.p < t.end && *t.p == ' ';
}

/* Nothing but blanks, rules, frames and colours: does not end the quiet after a start. */
static bool is_blank(struct span t)
{
	for (; t.p < t.end; t.p++)
		if ((*t.p >= 'a' && *t.p <= 'z') || (*t.p >= 'A' && *t.p <= 'Z' && *t.p != 'm') ||
		    span_digit(*t.p))
			return false;
	return true;
}

/* A warning about sockets at start is not progress. */
static bool is_quiet(struct span t)
{
	return is_blank(t) || pattern_in(t, "socket.cpp") || pattern_in(t, "warning") ||
	       pattern_in(t, "deprecat") || pattern_in(t, "member: ");
}

static void note_pg_start(struct facts *f, struct fact_file *file, const struct log_record *r,
			  int rule, struct span t)
{
	if (rule == RULE_PG_START) {
		file->pg_start = (struct fact_place){ (int)f->n_files - 1, r->line };
		file->pg_quiet = true;
		span_copy(&t, file->pg_text, sizeof(file->pg_text));
	} else if (file->pg_quiet && rule != RULE_ACCELERATE_OFF && !is_quiet(t)) {
		file->pg_quiet = false;
	}
}

/* A rank's number in "[rank3]:", "[Rank 3]", "Rank 3]" of the line. */
static int rank_in(struct span t)
{
	int rank;

	return find_int(t, "[rank", &rank) || find_int(t, "[Rank ", &rank) ||
		       find_int(t, " Rank ", &rank)
		   ? rank
		   : -1;
}

/* "due to a collective timeout from  rank 13": another rank than the one that says so. */
static int timed_out(struct span t, int rank)
{
	int other;

	return span_find(&t, "collective timeout from") && find_int(t, "rank ", &other) ? other
											: rank;
}

static void note_wait(struct facts *f, int rank, const struct log_record *r, struct span t)
{
	struct fact_wait w = { .rank = rank, .at = { (int)f->n_files - 1, r->line } };
	struct span s = t, op = t, numel = t;

	if (rank < 0 || !span_find(&s, "SeqNum=") || !span_number(&s, INT64_MAX, &w.seq) ||
	    f->n_waits == (int)N_ELEMENTS(f->waits))
		return;
	if (!find_int(t, "PG ID ", &w.group) && !find_int(t, "PG ", &w.group))
		w.group = -1;
	if (!span_find(&op, "OpType=") || !span_name(&op, w.op, sizeof(w.op)))
		w.op[0] = '\0';
	if (!span_find(&numel, "NumelIn=") || !span_number(&numel, INT64_MAX, &w.numel))
		w.numel = 0;
	f->waits[f->n_waits++] = w;
}

/* The version in PyTorch's error: nobody else may have said it. */
static void note_version(struct facts *f, struct span t)
{
	struct span v = { t.p, t.p };

	while (v.end < t.end && (span_digit(*v.end) || *v.end == '.'))
		v.end++;
	while (v.end > v.p && v.end[-1] == '.')
		v.end--;
	if (!f->said_version[0])
		span_copy(&v, f->said_version, sizeof(f->said_version));
}

/* RCCL prints its version on lines of its own: "RCCL version : 2.21.5-HEAD:9a0e6a1". */
static void read_rccl(struct facts *f, const struct log_record *r, struct span t)
{
	if (!span_find(&t, "RCCL version"))
		return;
	while (t.p < t.end && (*t.p == ' ' || *t.p == ':'))
		t.p++;
	if (t.p < t.end && span_digit(*t.p))
		facts_rccl(f, r, t);
}

static bool ends_with(struct span t, const char *lit)
{
	size_t len = strlen(lit);

	while (t.end > t.p && (t.end[-1] == ' ' || span_control(t.end[-1])))
		t.end--;
	return (size_t)(t.end - t.p) >= len && memcmp(t.end - len, lit, len) == 0;
}

/* PyTorch and XLA pass on the words of NCCL's last WARN; those are read as one. */
static unsigned where_of(struct facts *f, const struct log_record *r, struct span t)
{
	static const char words[] = "log entry (may be unrelated)";
	bool quoted = (f->quote_line && r->line == f->quote_line) ||
		      memmem(t.p, (size_t)(t.end - t.p), words, sizeof(words) - 1);

	f->quote_line = ends_with(t, "Last error:") ? r->line + 1 : 0;
	return quoted ? IN_TEXT | IN_WARN : IN_TEXT;
}

/* The words quoted of NCCL's last WARN: which part of NCCL said them, where nothing better is
 * known.
 */
static int quoted_part(struct span t, int rule)
{
	static const enum rule_id bare[] = { RULE_TORCH_BARE, RULE_TORCH_CUDA, RULE_TORCH_SYSTEM,
					     RULE_TORCH_USAGE, RULE_TORCH_REMOTE };
	bool better = rule >= 0;
	enum rule_id part;

	for (size_t i = 0; i < N_ELEMENTS(bare); i++)
		better &= rule != (int)bare[i];
	if (better)
		return rule;
	if (span_find(&t, "(may be unrelated) '"))
		while (t.end > t.p && t.end[-1] != '\'')
			t.end--;
	part = family_of(t, (struct span){ t.p, t.p });
	return part == RULE_NCCL_WARN ? rule : (int)part;
}

void facts_text_line(struct facts *f, const struct log_record *r)
{
	struct fact_file *file = &f->files[f->n_files - 1];
	struct span t = r->kind == RECORD_NONE      ? r->text
			: r->kind == RECORD_VERSION ? (struct span){ r->before.p, r->text.end }
						    : r->before;
	unsigned where = where_of(f, r, t);
	int i = matcher_find(f->matcher, t, (struct span){ t.p, t.p }, where);
	int rule = i >= 0 ? (int)pattern_table[i].rule : -1;
	struct fact_hit h;

	if (where & IN_WARN)
		rule = quoted_part(t, rule);
	if (r->kind == RECORD_VERSION)
		note_version(f, r->text);
	if (r->kind == RECORD_NONE || r->kind == RECORD_VERSION) {
		note_pg_start(f, file, r, rule, t);
		read_pod_value(f, r, t);
		read_settings(f, r, t);
		read_row(f, t);
		read_rccl(f, r, t);
		if (t.p < t.end &&
		    memchr(t.p, '#', (size_t)(t.end - t.p) < 40 ? (size_t)(t.end - t.p) : 40))
			read_tests(f, r, t);
	}
	if (rule < 0)
		return;
	if (rule == RULE_PG_START) {
		f->all_registered |= pattern_in(t, "processes registered");
		read_member(f, r, t);
		return;
	}
	facts_fill_hit(f, r, t, &h);
	h.rank = rank_in(t);
	if (rule == RULE_TORCH_WATCHDOG) {
		note_wait(f, h.rank, r, t);
		h.rank = timed_out(t, h.rank);
	}
	facts_hit(f, (enum rule_id)rule, &h);
}
