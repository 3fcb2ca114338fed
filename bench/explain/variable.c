/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with a setting. The rules of reading are NCCL's: see variable.h and
 * docs/explain.md. */
#include "explain/variable.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/num.h"

#define LEVELS "LOC NVL NVB C2C PIX PXB P2C PXN PHB SYS 0 1 2 3 4 5"
#define SUBSYSTEMS                                                                                \
	"INIT COLL P2P SHM NET GRAPH TUNING ENV ALLOC CALL PROXY NVLS BOOTSTRAP REG PROFILE RAS " \
	"ALLOC_HOST DESTROY ALL"
#define ALGOS "Tree Ring CollNet CollNetDirect CollNetChain NVLS NVLSTree PAT"
#define PROTOS "LL LL128 Simple"

/* Words a variable takes. `list`: several, with commas, ^ in front excludes. `exact`: case counts.
 */
static const struct words {
	const char *name, *words;
	bool list, exact;
	const char *otherwise; /* what NCCL does with another word */
} word_table[] = {
	{ "NCCL_ALGO", ALGOS, true, false,
	  "NCCL >= 2.24 refuses to start with it, older ones ignore it" },
	{ "NCCL_PROTO", PROTOS, true, false,
	  "NCCL >= 2.24 refuses to start with it, older ones ignore it" },
	{ "NCCL_P2P_LEVEL", LEVELS, false, true,
	  "NCCL ignores it without a word; capital letters count" },
	{ "NCCL_NET_GDR_LEVEL", LEVELS, false, true,
	  "NCCL ignores it without a word; capital letters count" },
	{ "NCCL_NET_MERGE_LEVEL", "LOC PORT PIX PXB P2C PXN PHB SYS", false, true,
	  "NCCL ignores it" },
	{ "NCCL_DEBUG", "VERSION WARN INFO ABORT TRACE NONE", false, false,
	  "NCCL then prints nothing" },
	{ "NCCL_DEBUG_SUBSYS", SUBSYSTEMS, true, false, "unknown words are ignored" },
	{ "NCCL_DEBUG_TIMESTAMP_LEVELS", "VERSION WARN INFO ABORT TRACE ALL", true, false,
	  "unknown words are ignored" },
	{ "NCCL_SOCKET_FAMILY", "AF_INET AF_INET6", false, true, "NCCL ignores it without a word" },
	{ "NCCL_IB_ADDR_FAMILY", "AF_INET AF_INET6", false, true, "NCCL ignores it" },
	{ "NCCL_LAUNCH_MODE", "GROUP PARALLEL", false, true, "NCCL takes PARALLEL" },
	{ "NCCL_CHECK_MODE", "DEFAULT DEBUG_LOCAL DEBUG_GLOBAL", false, false, "NCCL ignores it" },
	{ "NCCL_NET_MERGE_POLICY", "ALL RAIL", false, false, "NCCL takes ALL" },
};

/* Variables where only 1 acts, and whole numbers that have bounds. */
static const char *const one_only[] = { "NCCL_P2P_DISABLE", "NCCL_SHM_DISABLE",
					"NCCL_NET_DISABLE_INTRA" };

static const struct bounds {
	const char *name;
	long long min, max;
	const char *note;
} bounds_table[] = {
	{ "NCCL_IB_RETRY_CNT", 0, 7, "the hardware counts to 7" },
	{ "NCCL_IB_TIMEOUT", 0, 31, "it is an exponent: 4.096 us x 2^n, 22 is about 17 s" },
	{ "NCCL_CGA_CLUSTER_SIZE", 0, 8, "" },
	{ "NCCL_SOCKET_NTHREADS", -2, 16, "threads x NCCL_NSOCKS_PERTHREAD may be 64 at most" },
	{ "NCCL_NSOCKS_PERTHREAD", -2, 64, "threads x NCCL_NSOCKS_PERTHREAD may be 64 at most" },
	{ "NCCL_SHM_LOCALITY", 1, 2, "1 sender's side, 2 receiver's side" },
	{ "NCCL_CROSS_NIC", 0, 2, "" },
	{ "NCCL_P2P_PXN_LEVEL", 0, 2, "" },
	{ "NCCL_IB_GID_INDEX", -1, 255, "" },
	{ "NCCL_IB_SL", 0, 15, "" },
};

/* Names people give networks. */
static const struct {
	const char *said, *means;
} net_aliases[] = {
	{ "tcp", "Socket" },      { "sockets", "Socket" }, { "eth", "Socket" },
	{ "ethernet", "Socket" }, { "infiniband", "IB" },  { "rdma", "IB" },
	{ "roce", "IB" },         { "verbs", "IB" },
};

static int compare_row(const void *name, const void *row)
{
	return strcmp(name, ((const struct variable_row *)row)->name);
}

static int compare_foreign(const void *name, const void *row)
{
	return strcmp(name, ((const struct variable_foreign *)row)->name);
}

const struct variable_row *variable_find(const char *name)
{
	return bsearch(name, variable_rows, variable_n_rows, sizeof(variable_rows[0]), compare_row);
}

const struct variable_foreign *variable_find_foreign(const char *name)
{
	return bsearch(name, variable_foreigns, variable_n_foreigns, sizeof(variable_foreigns[0]),
		       compare_foreign);
}

int variable_version(const char *text)
{
	int a, b, c = 0;

	if (sscanf(text, "%3d.%3d.%3d", &a, &b, &c) < 2 || a < 0 || b < 0 || c < 0 || a > 99 ||
	    b > 99 || c > 99)
		return 0;
	return a * 10000 + b * 100 + c;
}

static void note(struct variable_note *out, enum rule_id rule, enum severity severity)
{
	*out = (struct variable_note){ .rule = rule, .severity = severity };
}

#define SAY(out, ...) snprintf((out)->text, sizeof((out)->text), __VA_ARGS__)
#define DO(out, ...) snprintf((out)->remedy, sizeof((out)->remedy), __VA_ARGS__)

/* ---- names ---- */

static const char *nearest(const char *name)
{
	const char *names[512];
	size_t n = 0;

	for (size_t i = 0; i < variable_n_rows && n < N_ELEMENTS(names); i++)
		if (!variable_rows[i].last[0])
			names[n++] = variable_rows[i].name;
	return num_nearest(name, names, n);
}

static bool lint_foreign(const struct variable_foreign *f, const char *value,
			 struct variable_note *out)
{
	switch (f->status) {
	case FOREIGN_RENAMED:
		note(out, RULE_ENV_FOREIGN, value ? SEVERITY_WARNING : SEVERITY_INFO);
		SAY(out, "%s is %s's variable, not NCCL's, and was renamed %s", f->name, f->owner,
		    f->instead);
		DO(out, "export %s=%s      # and unset %s", f->instead,
		   value && value[0] ? value : "1", f->name);
		return true;
	case FOREIGN_NOBODY:
		note(out, RULE_ENV_UNKNOWN, SEVERITY_WARNING);
		SAY(out, "%s does not exist: NCCL ignores it without a word%s%s%s", f->name,
		    strstr(f->name, "TIMEOUT")
			? "; NCCL has no time limit for starting or for an operation"
			: "",
		    f->instead[0] ? "; what exists: " : "", f->instead);
		if (strstr(f->name, "INIT_TIMEOUT") || strcmp(f->name, "NCCL_TIMEOUT") == 0)
			DO(out,
			   "unset %s\n# PyTorch: init_process_group(..., "
			   "timeout=timedelta(minutes=30))",
			   f->name);
		else
			DO(out, "unset %s%s%s", f->name,
			   f->instead[0] ? "             # then: " : "", f->instead);
		return true;
	case FOREIGN_FRAMEWORK:
	case FOREIGN_APPLICATION:
	case FOREIGN_PLUGIN:
	default:
		return false; /* somebody else's, rightly named */
	}
}

static bool lint_unknown(const char *name, struct variable_note *out)
{
	const char *near = nearest(name);

	note(out, RULE_ENV_UNKNOWN, SEVERITY_WARNING);
	SAY(out, "%s does not exist in NCCL 2.3 to 2.30: it is ignored without a word%s%s%s", name,
	    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	DO(out, "unset %s%s%s", name, near ? "\n# or: export " : "", near ? near : "");
	return true;
}

static bool lint_release(const struct variable_row *row, int version, struct variable_note *out)
{
	if (row->last[0] && (!version || version > variable_version(row->last))) {
		note(out, RULE_ENV_REMOVED, version ? SEVERITY_WARNING : SEVERITY_INFO);
		SAY(out, "%s is not read by NCCL after %s", row->name, row->last);
		DO(out, "unset %s", row->name);
		return true;
	}
	if (version && row->since[0] && version < variable_version(row->since)) {
		note(out, RULE_ENV_TOO_NEW, SEVERITY_WARNING);
		SAY(out, "%s is read since NCCL %s; this one is older (%d.%d.%d)", row->name,
		    row->since, version / 10000, version / 100 % 100, version % 100);
		DO(out, "unset %s                    # or a newer NCCL", row->name);
		return true;
	}
	return false;
}

/* ---- values ---- */

static const char *effect_of_zero(const char *name)
{
	if (strstr(name, "DISABLE"))
		return "so it does nothing";
	if (strstr(name, "ENABLE"))
		return "so it disables what it should enable";
	return "so it means 0";
}

static bool says_yes(const char *value)
{
	static const char *const words[] = { "true", "yes", "on", "y", "t", "enable", "enabled" };

	for (size_t i = 0; i < N_ELEMENTS(words); i++)
		if (strcasecmp(value, words[i]) == 0)
			return true;
	return false;
}

static bool lint_number(const struct variable_row *row, const char *value,
			struct variable_note *out)
{
	char *end;
	long long v = strtoll(value, &end, 0);

	if (!value[0])
		return false; /* means the default */
	note(out, RULE_ENV_VALUE, SEVERITY_WARNING);
	while (*end == ' ' || *end == '\r')
		end++;
	if (*end) {
		if (v == 0)
			SAY(out, "%s=%s: a whole number is wanted, text counts as 0, %s", row->name,
			    value, effect_of_zero(row->name));
		else
			SAY(out, "%s=%s: a whole number is wanted, this is read as %lld", row->name,
			    value, v);
		DO(out, "export %s=%s", row->name,
		   says_yes(value)                   ? "1"
		   : strcasecmp(value, "false") == 0 ? "0"
						     : "NUMBER");
		return true;
	}
	for (size_t i = 0; i < N_ELEMENTS(one_only); i++)
		if (strcmp(row->name, one_only[i]) == 0 && v != 0 && v != 1) {
			SAY(out, "%s=%s does nothing: only 1 acts", row->name, value);
			DO(out, "export %s=1", row->name);
			return true;
		}
	for (size_t i = 0; i < N_ELEMENTS(bounds_table); i++) {
		const struct bounds *b = &bounds_table[i];

		if (strcmp(row->name, b->name) != 0 || (v >= b->min && v <= b->max))
			continue;
		SAY(out, "%s=%s is outside %lld to %lld%s%s", row->name, value, b->min, b->max,
		    b->note[0] ? ": " : "", b->note);
		DO(out, "unset %s", row->name);
		return true;
	}
	return false;
}

static bool has_word(const char *words, const char *w, size_t len, bool exact)
{
	for (const char *p = words; *p;) {
		size_t n = strcspn(p, " ");

		if (n == len && (exact ? strncmp(p, w, n) : strncasecmp(p, w, n)) == 0)
			return true;
		p += n + strspn(p + n, " ");
	}
	return false;
}

static const char *properly(const char *words, const char *w, char *out, size_t max)
{
	for (const char *p = words; *p;) {
		size_t n = strcspn(p, " ");

		if (n == strlen(w) && strncasecmp(p, w, n) == 0) {
			snprintf(out, max, "%.*s", (int)n, p);
			return out;
		}
		p += n + strspn(p + n, " ");
	}
	return NULL;
}

void variable_explain_token(const char *name, const char *token, struct variable_note *out)
{
	char proper[32];
	bool algo = strcmp(name, "NCCL_PROTO") != 0, proto = strcmp(name, "NCCL_ALGO") != 0;

	note(out, RULE_ALGO_TOKEN, SEVERITY_ERROR);
	if (algo && properly(PROTOS, token, proper, sizeof(proper))) {
		SAY(out,
		    "NCCL_ALGO=%s: %s is a protocol: NCCL_PROTO=%s; NCCL >= 2.24 refuses to start "
		    "with this",
		    token, proper, proper);
		DO(out, "unset NCCL_ALGO\nexport NCCL_PROTO=%s", proper);
	} else if (proto && properly(ALGOS, token, proper, sizeof(proper))) {
		SAY(out,
		    "NCCL_PROTO=%s: %s is an algorithm: NCCL_ALGO=%s; NCCL >= 2.24 refuses to "
		    "start with this",
		    token, proper, proper);
		DO(out, "unset NCCL_PROTO\nexport NCCL_ALGO=%s", proper);
	} else {
		SAY(out,
		    "%s: '%s' is not a word that %s knows (%s%s%s); NCCL >= 2.24 refuses to start "
		    "with this",
		    name[0] ? name : "NCCL_ALGO or NCCL_PROTO", token, name[0] ? "it" : "NCCL",
		    algo ? ALGOS : "", algo && proto ? "; protocols: " : "", proto ? PROTOS : "");
		DO(out, "unset %s", name[0] ? name : "NCCL_ALGO NCCL_PROTO");
	}
}

/* One element of a list, without ^ and without "allreduce:" in front. */
static bool lint_word(const struct words *w, const char *p, size_t len, const char *value,
		      struct variable_note *out)
{
	const char *colon = memchr(p, ':', len);
	char token[64];
	bool choice = strcmp(w->name, "NCCL_ALGO") == 0 || strcmp(w->name, "NCCL_PROTO") == 0;

	if (choice && colon) {
		len -= (size_t)(colon + 1 - p);
		p = colon + 1;
	}
	if (len && *p == '^') {
		p++;
		len--;
	}
	if (len == 0 || has_word(w->words, p, len, w->exact))
		return false;
	snprintf(token, sizeof(token), "%.*s", (int)(len > 60 ? 60 : len), p);
	if (choice) {
		variable_explain_token(w->name, token, out);
		return true;
	}
	note(out, RULE_ENV_VALUE, SEVERITY_WARNING);
	SAY(out, "%s=%.80s: '%s' is not one of %s; %s", w->name, value, token, w->words,
	    w->otherwise);
	DO(out, "unset %s", w->name);
	return true;
}

static bool lint_words(const char *name, const char *value, struct variable_note *out)
{
	for (size_t i = 0; i < N_ELEMENTS(word_table); i++) {
		const struct words *w = &word_table[i];

		if (strcmp(w->name, name) != 0)
			continue;
		if (!w->list)
			return lint_word(w, value, strlen(value), value, out);
		for (const char *p = value; *p;) {
			size_t n = strcspn(p, ",;");

			if (lint_word(w, p, n, value, out))
				return true;
			p += n + strspn(p + n, ",;");
		}
		return false;
	}
	return false;
}

static bool lint_net(const char *value, struct variable_note *out)
{
	for (size_t i = 0; i < N_ELEMENTS(net_aliases); i++)
		if (strcasecmp(value, net_aliases[i].said) == 0) {
			note(out, RULE_ENV_VALUE, SEVERITY_ERROR);
			SAY(out,
			    "NCCL_NET=%s: no network has this name; NCCL calls it %s and fails to "
			    "start with another",
			    value, net_aliases[i].means);
			DO(out, "export NCCL_NET=%s", net_aliases[i].means);
			return true;
		}
	if (value[0])
		return false;
	note(out, RULE_ENV_VALUE, SEVERITY_ERROR);
	SAY(out, "NCCL_NET is set but empty: NCCL looks for a network without a name and fails to "
		 "start");
	DO(out, "unset NCCL_NET");
	return true;
}

static bool lint_interface(const char *value, struct variable_note *out)
{
	const char *p = value + strspn(value, "^=");

	note(out, RULE_ENV_VALUE, SEVERITY_WARNING);
	if (*p && p[strspn(p, "0123456789./")] == '\0' && strchr(p, '.')) {
		SAY(out, "NCCL_SOCKET_IFNAME=%s: names of interfaces are wanted, not addresses",
		    value);
		DO(out, "ip -br addr                   # which interface has it?\nexport "
			"NCCL_SOCKET_IFNAME=NAME");
	} else if (strchr(p, ' ')) {
		SAY(out,
		    "NCCL_SOCKET_IFNAME=%s: a blank becomes part of a name, which then matches "
		    "nothing",
		    value);
		DO(out, "export NCCL_SOCKET_IFNAME=eth0,eth1   # commas only");
	} else if (strlen(value) == 1) {
		SAY(out, "NCCL_SOCKET_IFNAME=%s: a name of one letter is ignored", value);
		DO(out, "unset NCCL_SOCKET_IFNAME");
	} else {
		return false;
	}
	return true;
}

static bool lint_text(const char *name, const char *value, struct variable_note *out)
{
	if (strcmp(name, "NCCL_SOCKET_IFNAME") == 0)
		return lint_interface(value, out);
	note(out, RULE_ENV_VALUE, SEVERITY_WARNING);
	if (strcmp(name, "NCCL_HOSTID") == 0 && !value[0]) {
		SAY(out, "NCCL_HOSTID is set but empty: that is a value, and all hosts then look "
			 "like one");
		DO(out, "unset NCCL_HOSTID");
		return true;
	}
	if (strcmp(name, "NCCL_DEBUG_FILE") == 0 && value[0] == '~') {
		SAY(out,
		    "NCCL_DEBUG_FILE=%s: ~ is not expanded inside quotes; the log goes nowhere",
		    value);
		DO(out, "export NCCL_DEBUG_FILE=$HOME/nccl.%%h.%%p.log");
		return true;
	}
	return false;
}

static bool lint_value(const struct variable_row *row, const char *value, struct variable_note *out)
{
	if (strcmp(row->name, "NCCL_NET") == 0)
		return lint_net(value, out);
	switch (row->type) {
	case ENV_INT:
		return lint_number(row, value, out);
	case ENV_WORDS:
		return lint_words(row->name, value, out);
	case ENV_TEXT:
	default:
		return lint_text(row->name, value, out);
	}
}

/* A value is the user's and may be a variable of the shell: nothing can be said then. */
static bool is_reference(const char *value)
{
	return strchr(value, '$') || strstr(value, "{{") || strstr(value, "...") || value[0] == '<';
}

bool variable_lint(const char *name, const char *value, int version, bool logged,
		   struct variable_note *out)
{
	const struct variable_row *row = variable_find(name);
	const struct variable_foreign *foreign = variable_find_foreign(name);

	if (!row) {
		if (logged || (!foreign && strncmp(name, "NCCL_", 5) != 0))
			return false; /* read by an NCCL newer than the table, or by another library
				       */
		return foreign ? lint_foreign(foreign, value, out) : lint_unknown(name, out);
	}
	if (!logged && lint_release(row, version, out))
		return true;
	return value && !is_reference(value) && lint_value(row, value, out);
}

/* ---- settings that contradict each other ---- */

enum { CONDITIONS = 3 };

static const struct conflict {
	struct {
		const char *name, *value;
	} if_[CONDITIONS]; /* value NULL: set at all; "!": set, not 0 */
	enum severity severity;
	const char *text, *remedy;
} conflict_table[] = {
	{ { { "NCCL_P2P_DISABLE", "1" },
	    { "NCCL_SHM_DISABLE", "1" },
	    { "NCCL_NET_DISABLE_INTRA", "1" } },
	  SEVERITY_ERROR,
	  "NCCL_P2P_DISABLE, NCCL_SHM_DISABLE and NCCL_NET_DISABLE_INTRA are all 1: nothing is "
	  "left inside a host",
	  "unset NCCL_P2P_DISABLE NCCL_SHM_DISABLE NCCL_NET_DISABLE_INTRA" },
	{ { { "NCCL_P2P_DISABLE", "1" }, { "NCCL_SHM_DISABLE", "1" } },
	  SEVERITY_WARNING,
	  "NCCL_P2P_DISABLE=1 and NCCL_SHM_DISABLE=1: GPUs of one host talk over the network "
	  "stack, the slowest way",
	  "unset NCCL_SHM_DISABLE          # SHM is what replaces P2P inside a host" },
	{ { { "NCCL_P2P_DISABLE", "1" }, { "NCCL_P2P_LEVEL", NULL } },
	  SEVERITY_WARNING,
	  "NCCL_P2P_DISABLE=1 wins over NCCL_P2P_LEVEL",
	  "unset NCCL_P2P_DISABLE          # or NCCL_P2P_LEVEL" },
	{ { { "NCCL_NET", "ib" }, { "NCCL_IB_DISABLE", "!" } },
	  SEVERITY_ERROR,
	  "NCCL_NET=IB and NCCL_IB_DISABLE: the only network that is allowed is switched off",
	  "unset NCCL_IB_DISABLE" },
	{ { { "NCCL_CUMEM_ENABLE", "0" }, { "NCCL_CUMEM_HOST_ENABLE", "1" } },
	  SEVERITY_WARNING,
	  "NCCL_CUMEM_HOST_ENABLE=1 does nothing with NCCL_CUMEM_ENABLE=0",
	  "unset NCCL_CUMEM_HOST_ENABLE" },
	{ { { "NCCL_NVLS_ENABLE", "0" }, { "NCCL_ALGO", "nvls" } },
	  SEVERITY_WARNING,
	  "NCCL_ALGO asks for NVLS, which NCCL_NVLS_ENABLE=0 switches off",
	  "unset NCCL_ALGO" },
	{ { { "NCCL_IB_DISABLE", "!" }, { "NCCL_IB_HCA", NULL } },
	  SEVERITY_INFO,
	  "NCCL_IB_HCA does nothing with NCCL_IB_DISABLE",
	  "unset NCCL_IB_HCA               # or NCCL_IB_DISABLE" },
	{ { { "NCCL_NET", "socket" }, { "NCCL_IB_HCA", NULL } },
	  SEVERITY_INFO,
	  "NCCL_IB_HCA does nothing with NCCL_NET=Socket",
	  "unset NCCL_IB_HCA               # or NCCL_NET" },
};

static bool holds(const char *value, const char *want)
{
	if (!value || !value[0])
		return false;
	if (!want)
		return true;
	if (strcmp(want, "!") == 0)
		return strtoll(value, NULL, 0) != 0;
	if (isdigit((unsigned char)want[0]))
		return isdigit((unsigned char)value[0]) &&
		       strtoll(value, NULL, 0) == strtoll(want, NULL, 0);
	return strcasecmp(value, want) == 0;
}

bool variable_lint_together(const char *(*get)(const void *arg, const char *name), const void *arg,
			    size_t *row, struct variable_note *out)
{
	for (; *row < N_ELEMENTS(conflict_table); (*row)++) {
		const struct conflict *c = &conflict_table[*row];
		int i = 0;

		while (i < CONDITIONS && c->if_[i].name &&
		       holds(get(arg, c->if_[i].name), c->if_[i].value))
			i++;
		if (i < CONDITIONS && c->if_[i].name)
			continue;
		note(out, RULE_ENV_CONFLICT, c->severity);
		SAY(out, "%s", c->text);
		DO(out, "%s", c->remedy);
		*row += i == CONDITIONS ? 2 : 1; /* all three off: the row for two says no more */
		return true;
	}
	return false;
}
