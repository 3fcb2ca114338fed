/* SPDX-License-Identifier: Apache-2.0 */
/* See link.h. The words behind "via" are tables: a new spelling is a new word here. */
#include "ncclog/link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RANK_MAX ((1 << 24) - 1)
#define CHANNEL_MAX 255

struct word {
	const char *text;   /* in the log */
	const char *stored; /* in the variant: the same text unless shorter is as clear */
};

/* One way a line goes on behind "via ". */
struct via {
	const char *start, *cls;
	struct word heads[5]; /* one of them */
	struct word tails[6]; /* then any of these, in any order */
};

/* clang-format off */
static const struct via via_table[] = {
	{ "P2P/", "P2P",
	  { { "direct pointer", "direct" }, { "CUMEM", "CUMEM" }, { "MNNVL", "MNNVL" },
	    { "IPC", "IPC" } },
	  { { "/read", "/read" }, { "/CE", "/CE" } } },
	/* Up to 2.30.4 sender's and receiver's side are named: direct/direct. 2.30.7 names one. */
	{ "SHM/", "SHM",
	  { { "direct", "direct" }, { "CE", "CE" } },
	  { { "/direct", "/direct" }, { "/CE", "/CE" } } },
	{ "direct shared memory", "SHM", { { "", "direct" } }, { { NULL, NULL } } }, /* to 2.12 */
};

static const struct word net_tails[] = {
	{ "/GDRDMA", "/GDRDMA" }, { "/GDCopy", "/GDCopy" }, { "(PCI)", "(PCI)" },
	{ "/Shared", "/Shared" }, { NULL, NULL },
};
/* clang-format on */

static bool add_text(struct scan_link *l, const char *text, size_t len)
{
	size_t have = strlen(l->variant);

	if (have + len >= sizeof(l->variant))
		return false;
	memcpy(l->variant + have, text, len);
	l->variant[have + len] = '\0';
	return true;
}

/* True when one of the words was taken; false also when it did not fit. */
static bool take_word(struct span *s, const struct word *words, struct scan_link *l)
{
	for (; words->text; words++)
		if (span_skip(s, words->text))
			return add_text(l, words->stored, strlen(words->stored));
	return false;
}

/* "2[1a000]", the rank that an indirect path goes through. */
static bool take_hop(struct span *s, struct scan_link *l)
{
	const char *start = s->p;
	int rank;

	if (!span_skip(s, "indirect/") || !span_int(s, RANK_MAX, &rank) || !span_skip(s, "["))
		return false;
	while (s->p < s->end && span_word(*s->p))
		s->p++;
	return span_skip(s, "]") && add_text(l, start, (size_t)(s->p - start));
}

/* The network's name may hold spaces ("AWS Libfabric"): it ends where "/<device>" begins. */
static bool take_net(struct span *s, struct scan_link *l)
{
	const char *start = s->p, *device;
	size_t len;
	int number;

	while (s->end - s->p > 1 && !(s->p[0] == '/' && span_digit(s->p[1])) &&
	       !span_control(*s->p))
		s->p++;
	len = (size_t)(s->p - start);
	if (len == 0 || len > 64 || !span_skip(s, "/"))
		return false;
	if (len > sizeof(l->cls) - sizeof("NET/"))
		len = sizeof(l->cls) - sizeof("NET/");
	memcpy(l->cls, "NET/", 4);
	memcpy(l->cls + 4, start, len);
	device = s->p;
	if (!span_int(s, 9999, &number))
		return false;
	if (span_skip(s, "(")) /* the rank whose network device is used (PXN) */
		if (!span_int(s, RANK_MAX, &number) || !span_skip(s, ")"))
			return false;
	return add_text(l, device, (size_t)(s->p - device));
}

/* "CUM" of "CUMEM": a line that was cut, not a new word. */
static bool is_stump(const char *text, size_t len, const struct word *words)
{
	for (; words && words->text; words++)
		if (len < strlen(words->text) && memcmp(text, words->text, len) == 0)
			return true;
	return false;
}

/* What stands behind the known words: nothing, or a word of a version newer than the tables. */
static bool take_rest(struct span *s, bool whole, bool glued, const struct word *words,
		      struct scan_link *l)
{
	const char *start = s->p;

	if (span_is(s, "ESC[", 4)) /* a colour, as a terminal's viewer writes it */
		return true;
	while (s->p < s->end && (span_word(*s->p) || *s->p == '/'))
		s->p++;
	if (s->p == start)
		return true;
	/* "CUMEMhost:1:1 [0] NCCL INFO ...": the rest is the next record's prefix. Where that
	 * begins inside a word ("P2P/CUMEM/rehost:1:1"), nobody can say what the word was. */
	if (glued && s->p < s->end && *s->p != ' ')
		return l->variant[0] && *start != '/';
	if (is_stump(start, (size_t)(s->p - start), words))
		return false;
	return whole && add_text(l, start, (size_t)(s->p - start));
}

/* "direct/direct" says no more than "direct". */
static void fold_shm(struct scan_link *l)
{
	char *slash = strchr(l->variant, '/');

	if (slash && strncmp(l->variant, slash + 1, (size_t)(slash - l->variant)) == 0 &&
	    slash[1 + (slash - l->variant)] == '\0')
		*slash = '\0';
}

static bool take_via(struct span *s, bool whole, bool glued, struct scan_link *l)
{
	const struct word *tails = net_tails, *heads = NULL;

	if (span_skip(s, "NET/")) {
		if (!take_net(s, l))
			return false;
	} else {
		const struct via *v = via_table, *end = via_table + N_ELEMENTS(via_table);

		while (v < end && !span_skip(s, v->start))
			v++;
		if (v == end)
			return false;
		memcpy(l->cls, v->cls, strlen(v->cls) + 1);
		heads = v->heads;
		if (!take_hop(s, l))
			take_word(s, heads, l);
		tails = v->tails;
	}
	if (l->variant[0])
		while (take_word(s, tails, l))
			;
	if (!take_rest(s, whole, glued, l->variant[0] ? tails : heads, l))
		return false;
	if (strcmp(l->cls, "SHM") == 0)
		fold_shm(l);
	return l->variant[0] != '\0';
}

/* "0[1a000]", "0[0]" or, for networks of old versions, "0". */
static bool take_end(struct span *s, int *rank)
{
	if (!span_int(s, RANK_MAX, rank))
		return false;
	if (!span_skip(s, "["))
		return true;
	while (s->p < s->end && span_word(*s->p))
		s->p++;
	return span_skip(s, "]");
}

bool link_parse(struct span s, bool whole, bool glued, struct scan_link *out)
{
	struct scan_link l = { .conn = -1, .channels = 1 };
	int channel;
	bool receive;

	if (!span_int(&s, CHANNEL_MAX, &channel))
		return false;
	if (span_skip(&s, "/") && !span_int(&s, CHANNEL_MAX, &l.conn))
		return false;
	if (!span_skip(&s, " : ") || !take_end(&s, &l.from) || !span_skip(&s, " -> ") ||
	    !take_end(&s, &l.to))
		return false;
	receive = span_skip(&s, " [receive]");
	if (!receive)
		span_skip(&s, " [send]");
	if (!span_skip(&s, " via ") || !take_via(&s, whole, glued, &l))
		return false;
	(receive ? l.recv_mask : l.send_mask)[channel / 64] |= UINT64_C(1) << (channel % 64);
	*out = l;
	return true;
}

int link_compare(const struct scan_link *a, const struct scan_link *b)
{
	int c;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	if (a->conn != b->conn)
		return a->conn < b->conn ? -1 : 1;
	c = strcmp(a->cls, b->cls);
	return c ? c : strcmp(a->variant, b->variant);
}

int link_channels(const uint64_t send_mask[4], const uint64_t recv_mask[4])
{
	int sent = 0, received = 0;

	for (int i = 0; i < 4; i++) {
		sent += __builtin_popcountll(send_mask[i]);
		received += __builtin_popcountll(recv_mask[i]);
	}
	return sent ? sent : received;
}

static int make_room(struct scan_link **set, size_t n)
{
	struct scan_link *more;

	/* Room is 16, then the next power of two: only these counts are full. */
	if (n != 0 && (n < 16 || (n & (n - 1)) != 0))
		return 0;
	more = realloc(*set, (n ? 2 * n : 16) * sizeof(**set));
	if (!more)
		return -ENOMEM;
	*set = more;
	return 0;
}

int link_add(struct scan_link **set, size_t *n, const struct scan_link *l)
{
	size_t lo = 0, hi = *n;
	struct scan_link *at;
	int err;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = link_compare(&(*set)[mid], l);

		if (c == 0) {
			at = &(*set)[mid];
			for (int i = 0; i < 4; i++) {
				at->send_mask[i] |= l->send_mask[i];
				at->recv_mask[i] |= l->recv_mask[i];
			}
			at->channels = link_channels(at->send_mask, at->recv_mask);
			return 0;
		}
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	err = make_room(set, *n);
	if (err)
		return err;
	at = &(*set)[lo];
	memmove(at + 1, at, (*n - lo) * sizeof(*at));
	*at = *l;
	at->channels = link_channels(at->send_mask, at->recv_mask);
	(*n)++;
	return 0;
}
