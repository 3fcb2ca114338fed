/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worker/ucx_lanes.h"

#define LANES_MAX 32
#define NAME_MAX_LEN 24
#define TABLE_TITLE "tagged message by ucp_tag_send* from host memory"

enum use { USE_AM = 1, USE_AM_BW = 2, USE_RMA_BW = 4 };

struct lane {
	char transport[NAME_MAX_LEN], device[NAME_MAX_LEN];
	unsigned uses;
};

struct parse {
	struct lane lanes[LANES_MAX];
	int n;
	struct ucx_lanes *out;
	uint64_t bytes;
	bool in_table;
};

/* Uses of a lane as words behind the arrow; "am_bw#0" and "am_bw" are the same use. */
static const struct {
	const char *word;
	unsigned use;
} use_words[] = {
	{ "am", USE_AM },
	{ "am_bw", USE_AM_BW },
	{ "rma_bw", USE_RMA_BW },
};

/* By name of the threshold's protocol: which lanes carry the bytes, best first. */
static const struct {
	const char *protocol;
	unsigned uses[3];
} carriers[] = {
	{ "rndv", { USE_RMA_BW, USE_AM_BW, USE_AM } },
	{ "egr/zcopy", { USE_AM_BW, USE_AM } },
	{ "egr/bcopy", { USE_AM } },
	{ "egr/short", { USE_AM } },
};

static size_t span_name(const char *s, const char *stops)
{
	return strcspn(s, stops);
}

static void copy_part(char *out, size_t max, const char *s, size_t len)
{
	snprintf(out, max, "%.*s", (int)(len < max ? len : max - 1), s);
}

static bool list_has(const char *list, const char *name, size_t len)
{
	const char *p = list;

	while (*p) {
		size_t n = strcspn(p, ",");

		if (n == len && strncmp(p, name, len) == 0)
			return true;
		p += n + (p[n] == ',');
	}
	return false;
}

/* Adds a name to a comma-separated list unless it is there or does not fit. */
static void list_add(char *list, size_t max, const char *name, size_t len)
{
	size_t used = strlen(list);

	if (len == 0 || list_has(list, name, len) || used + len + 2 > max)
		return;
	snprintf(list + used, max - used, "%s%.*s", used ? "," : "", (int)len, name);
}

static unsigned parse_uses(const char *s)
{
	unsigned uses = 0;
	size_t i, len;

	for (; *s; s += len) {
		s += strspn(s, " \t");
		len = strcspn(s, " \t");
		for (i = 0; i < N_ELEMENTS(use_words); i++) {
			size_t word = strlen(use_words[i].word);

			if (strncmp(s, use_words[i].word, word) == 0 &&
			    (word == len || s[word] == '#'))
				uses |= use_words[i].use;
		}
	}
	return uses;
}

/* "lane[1]:  1:cma/memory.0 md[1] -> md[1]/cma/sysdev[255] rma_bw#0" */
static void parse_lane(struct parse *p, const char *line)
{
	const char *s = strstr(line, "lane["), *arrow;
	struct lane lane = { 0 };
	size_t len;

	s = s ? strstr(s, "]:") : NULL;
	s = s ? strchr(s + 2, ':') : NULL;
	arrow = s ? strstr(s, "->") : NULL;
	if (!s || !arrow || p->n == LANES_MAX)
		return;
	s++;
	len = span_name(s, "/ ");
	if (s[len] != '/')
		return;
	copy_part(lane.transport, sizeof(lane.transport), s, len);
	s += len + 1;
	copy_part(lane.device, sizeof(lane.device), s, span_name(s, ". "));
	lane.uses = parse_uses(arrow + 2);
	p->lanes[p->n++] = lane;
}

/* "0", "2049", "2K", "1G": how UCX writes sizes in its table. */
static const char *parse_memunit(const char *s, uint64_t *out)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *end;

	if (strncmp(s, "inf", 3) == 0) {
		*out = UINT64_MAX;
		return s + 3;
	}
	if (!isdigit((unsigned char)*s))
		return NULL;
	*out = strtoull(s, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (!unit)
		return end;
	*out <<= 10 * (unit - units + 1);
	return end + 1;
}

static bool range_holds(const char *s, uint64_t bytes)
{
	uint64_t lo, hi;

	s = parse_memunit(s, &lo);
	if (!s)
		return false;
	hi = lo;
	if (strncmp(s, "..", 2) == 0 && !parse_memunit(s + 2, &hi))
		return false;
	return bytes >= lo && bytes <= hi;
}

/* A table's cell: text between bars, without the spaces around it. Returns the next bar or NULL. */
static const char *next_cell(const char *bar, const char **text, size_t *len)
{
	const char *end = strchr(bar + 1, '|');

	if (!end)
		return NULL;
	*text = bar + 1;
	while (*text < end && **text == ' ')
		(*text)++;
	*len = (size_t)(end - *text);
	while (*len && (*text)[*len - 1] == ' ')
		(*len)--;
	return end;
}

/* "posix/memory", "tcp/eth0", "40% on rc_mlx5/mlx5_0:1 and 60% on ...": words that hold a slash. */
static void take_config(struct ucx_lanes *out, const char *s, size_t len)
{
	const char *end = s + len;

	while (s < end) {
		size_t n = strcspn(s, " |");
		const char *slash = memchr(s, '/', n);

		if (slash) {
			list_add(out->data, sizeof(out->data), s, (size_t)(slash - s));
			out->n_data++;
		}
		s += n;
		s += strspn(s, " ");
	}
}

/* One line of the table form. The title may stand alone in its line or be the second cell. */
static void parse_table_line(struct parse *p, const char *line)
{
	const char *bar = strchr(line, '|'), *range, *how, *config;
	size_t range_len, how_len, config_len;
	const char *title = strstr(line, TABLE_TITLE);

	if (!bar) {
		/* a line of only "#" and spaces ends the table; rules of "+---+" do not */
		if (!strchr(line, '+'))
			p->in_table = false;
		return;
	}
	if (strstr(line, "ucp_context") || title || strstr(line, " by ucp_"))
		p->in_table = title != NULL;
	if (!p->in_table || title)
		return;
	bar = next_cell(bar, &range, &range_len);
	bar = bar ? next_cell(bar, &how, &how_len) : NULL;
	bar = bar ? next_cell(bar, &config, &config_len) : NULL;
	if (!bar || !range_holds(range, p->bytes))
		return;
	if (how_len > 4 &&
	    strncmp(how, "(?) ", 4) == 0) { /* an estimate: the peer's memory is not known yet */
		how += 4;
		how_len -= 4;
	}
	copy_part(p->out->how, sizeof(p->out->how), how, how_len);
	take_config(p->out, config, config_len);
}

/* "0..<egr/short>..93..<egr/bcopy>..8256..<rndv>..(inf)": a protocol holds from the number before
 * it; the number behind it is where the next one starts. */
static void find_protocol(const char *s, uint64_t bytes, char *out, size_t max)
{
	uint64_t from;
	char *end;

	while ((s = s + strspn(s, " .")), isdigit((unsigned char)*s)) {
		from = strtoull(s, &end, 10);
		if (from > bytes || strncmp(end, "..<", 3) != 0)
			return;
		s = end + 3;
		copy_part(out, max, s, strcspn(s, ">"));
		s += strcspn(s, ">");
		s += *s == '>';
	}
}

static int take_lanes(struct parse *p, unsigned use)
{
	int i, n = 0;

	for (i = 0; i < p->n; i++) {
		if (!(p->lanes[i].uses & use))
			continue;
		list_add(p->out->data, sizeof(p->out->data), p->lanes[i].transport,
			 strlen(p->lanes[i].transport));
		n++;
	}
	return n;
}

static void apply_protocol(struct parse *p)
{
	struct ucx_lanes *out = p->out;
	size_t i, k;

	for (i = 0; i < N_ELEMENTS(carriers); i++) {
		if (strcmp(out->how, carriers[i].protocol) != 0)
			continue;
		for (k = 0; k < N_ELEMENTS(carriers[i].uses) && !out->n_data; k++)
			out->n_data = take_lanes(p, carriers[i].uses[k]);
		return;
	}
}

static void parse_line(struct parse *p, const char *line)
{
	const char *thresholds = strstr(line, " tag_send: ");

	if (strstr(line, "lane["))
		parse_lane(p, line);
	else if (thresholds)
		find_protocol(thresholds + strlen(" tag_send: "), p->bytes, p->out->how,
			      sizeof(p->out->how));
	else
		parse_table_line(p, line);
}

/* Control: the lane of active messages, which carries every header, when it is not the data's. */
static void summarize(struct parse *p)
{
	struct ucx_lanes *out = p->out;
	char name[2 * NAME_MAX_LEN + 2];
	int i;

	if (!out->n_data)
		apply_protocol(p);
	for (i = 0; i < p->n; i++) {
		const struct lane *lane = &p->lanes[i];

		snprintf(name, sizeof(name), "%s/%s", lane->transport, lane->device);
		list_add(out->all, sizeof(out->all), name, strlen(name));
		if (out->n_data && (lane->uses & USE_AM) &&
		    !list_has(out->data, lane->transport, strlen(lane->transport)))
			list_add(out->control, sizeof(out->control), lane->transport,
				 strlen(lane->transport));
	}
}

int ucx_lanes_parse(const char *text, uint64_t bytes, struct ucx_lanes *out)
{
	struct ucx_lanes found = { 0 };
	struct parse p = { .out = &found, .bytes = bytes };
	char line[512];
	size_t len;

	for (; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		copy_part(line, sizeof(line), text, len);
		parse_line(&p, line);
	}
	if (!p.n)
		return -EBADMSG;
	summarize(&p);
	*out = found;
	return 0;
}

void ucx_lanes_wanted(const char *ucx_tls, char *out, unsigned max)
{
	const char *s = ucx_tls ? ucx_tls : "";
	size_t len;

	out[0] = '\0';
	if (*s == '^')
		return;
	for (; *s; s += len + (s[len] == ',')) {
		len = strcspn(s, ",");
		if (len == 4 && strncmp(s, "self", 4) == 0)
			continue;
		if (len != 3 || strncmp(s, "all", 3) != 0)
			/* "\rc" asks for exactly that name; ":aux" marks a helper */
			copy_part(out, max, s + (*s == '\\'), len - (*s == '\\'));
		out[strcspn(out, ":")] = '\0';
		return;
	}
}

/* Names in UCX_TLS that stand for several transports. A family such as rc needs no row: its
 * members start with "rc_". */
static const struct {
	const char *alias, *members;
} aliases[] = {
	{ "shm", "posix,sysv,cma,xpmem,knem" },
	{ "sm", "posix,sysv,cma,xpmem,knem" },
	{ "mm", "posix,sysv,xpmem" },
	{ "ib", "rc_verbs,rc_mlx5,ud_verbs,ud_mlx5,dc_mlx5" },
};

static bool one_matches(const char *name, size_t len, const char *wanted)
{
	size_t want = strlen(wanted), i;

	if (len >= want && strncmp(name, wanted, want) == 0 && (len == want || name[want] == '_'))
		return true;
	for (i = 0; i < N_ELEMENTS(aliases); i++)
		if (strcmp(wanted, aliases[i].alias) == 0)
			return list_has(aliases[i].members, name, len);
	return false;
}

bool ucx_lanes_match(const char *data, const char *wanted)
{
	size_t len;

	if (!*data)
		return false;
	for (; *data; data += len + (data[len] == ',')) {
		len = strcspn(data, ",");
		if (!one_matches(data, len, wanted))
			return false;
	}
	return true;
}

bool ucx_lanes_has(const char *list, const char *name)
{
	return list_has(list, name, strlen(name));
}
