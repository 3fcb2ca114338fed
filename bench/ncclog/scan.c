/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See scan.h. The start of a record's text chooses its row in a table. What a link or a flag proves
 * is proof.c's question.
 */
#include "ncclog/scan.h"

#include <stdlib.h>
#include <string.h>

#include "ncclog/lines.h"
#include "ncclog/link.h"
#include "ncclog/text.h"

enum { LINKS_MAX = 16384, TUNINGS_MAX = 4096, COUNT_MAX = 1 << 24 };

void scan_init(struct scan *s)
{
	*s = (struct scan){ .n_nodes = -1, .nranks = -1 };
}

void scan_fini(struct scan *s)
{
	free(s->links);
	free(s->tunings);
	lines_fini(&s->lines);
	scan_init(s);
}

/* Read up to the end of a text that no newline ended: the word may be longer in truth. */
static bool torn(const struct log_record *r, const struct span *rest)
{
	return !r->whole && rest->p == r->text.end;
}

/* ---- what a record says: `rest` is its text behind the words that chose the row ---- */

static void on_link(struct scan *s, const struct log_record *r, struct span rest)
{
	struct scan_link l;

	if (!link_parse(rest, r->whole, r->glued, &l)) {
		/* "Channel 00/04 :    0   1" lists a ring. A connection that cannot be read (torn,
		 * or of a version newer than the tables) must not be missing from a proof unseen.
		 */
		s->n_cut += span_find(&rest, " via ");
		return;
	}
	if (s->n_links >= LINKS_MAX)
		s->n_cut++;
	else if (link_add(&s->links, &s->n_links, &l))
		s->failed = true;
}

/* "CollNet 00/0 : 0 [send] via COLLNET/SHARP/0": a rank talks to the switch, there is no pair. */
static void on_collnet(struct scan *s, const struct log_record *r, struct span rest)
{
	if (span_find(&rest, " via COLLNET/"))
		s->collnet = true;
}

static void on_nvls(struct scan *s, const struct log_record *r, struct span rest)
{
	s->nvls_comm = true;
}

/* A process may have several communicators: the largest is the one that spans the job. */
static void on_comm(struct scan *s, const struct log_record *r, struct span rest)
{
	int nranks, nodes;

	if (!span_find(&rest, " nRanks ") && !span_find(&rest, " nranks "))
		return;
	if (!span_int(&rest, COUNT_MAX, &nranks) || torn(r, &rest) || nranks < s->nranks)
		return;
	if (nranks > s->nranks)
		s->n_nodes = -1;
	s->nranks = nranks;
	if (span_skip(&rest, " nNodes ") && span_int(&rest, COUNT_MAX, &nodes) && !torn(r, &rest))
		s->n_nodes = nodes;
}

static void on_refused(struct scan *s, const struct log_record *r, struct span rest)
{
	if (!s->p2p_refused[0])
		span_copy(&r->text, s->p2p_refused, sizeof(s->p2p_refused));
}

static void on_version(struct scan *s, const struct log_record *r)
{
	struct span v = { r->text.p, r->text.p };

	while (v.end < r->text.end && (span_word(*v.end) || *v.end == '.'))
		v.end++;
	if (!s->version[0] && (r->whole || v.end < r->text.end))
		span_copy(&v, s->version, sizeof(s->version));
}

/* ---- tuning: which algorithm and protocol a collective took ---- */

static int tuning_compare(const struct scan_tuning *t, const char *func, uint64_t bytes)
{
	if (t->bytes != bytes)
		return t->bytes < bytes ? -1 : 1;
	return strcmp(t->func, func);
}

/* Where it is, or where it belongs. */
static size_t tuning_place(const struct scan *s, const char *func, uint64_t bytes)
{
	size_t lo = 0, hi = s->n_tunings;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (tuning_compare(&s->tunings[mid], func, bytes) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct scan_tuning *scan_find_tuning(const struct scan *s, const char *func, uint64_t bytes)
{
	size_t at = tuning_place(s, func, bytes);

	return at < s->n_tunings && tuning_compare(&s->tunings[at], func, bytes) == 0
		   ? &s->tunings[at]
		   : NULL;
}

static void keep_tuning(struct scan *s, const struct scan_tuning *t)
{
	size_t n = s->n_tunings, at = tuning_place(s, t->func, t->bytes);

	if (at < n && tuning_compare(&s->tunings[at], t->func, t->bytes) == 0) {
		s->tunings[at] = *t;
		return;
	}
	if (n >= TUNINGS_MAX) {
		s->n_cut++;
		return;
	}
	/* Room is 16, then the next power of two: only these counts are full. */
	if (n == 0 || (n >= 16 && (n & (n - 1)) == 0)) {
		struct scan_tuning *more = realloc(s->tunings, (n ? 2 * n : 16) * sizeof(*more));

		if (!more) {
			s->failed = true;
			return;
		}
		s->tunings = more;
	}
	memmove(&s->tunings[at + 1], &s->tunings[at], (n - at) * sizeof(*t));
	s->tunings[at] = *t;
	s->n_tunings++;
}

/* Up to 2.23 the log has numbers; these are 2.24's words for them. Before 2.14 there was one
 * CollNet, number 2. */
static const char *const algo_words[] = {
	"TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT"
};
static const char *const proto_words[] = { "LL", "LL128", "SIMPLE" };

static bool take_choice(struct span *s, const char *const *words, size_t n_words, char *out,
			size_t max)
{
	int number;

	if (s->p == s->end || !span_digit(*s->p))
		return span_name(s, out, max);
	if (!span_int(s, 99, &number) || (size_t)number >= n_words)
		return false;
	memcpy(out, words[number], strlen(words[number]) + 1); /* all shorter than `max`: 16 */
	return true;
}

/* "Algo RING proto SIMPLE channel{Lo..Hi}={0..23}" or "Algo 1 proto 2 time 12.3". */
static bool take_algo(struct span *s, struct scan_tuning *t)
{
	int lo, hi;

	if (!span_skip(s, "Algo ") ||
	    !take_choice(s, algo_words, N_ELEMENTS(algo_words), t->algo, sizeof(t->algo)))
		return false;
	if (!span_skip(s, " proto ") ||
	    !take_choice(s, proto_words, N_ELEMENTS(proto_words), t->proto, sizeof(t->proto)))
		return false;
	if (span_skip(s, " channel{Lo..Hi}={") && span_int(s, COUNT_MAX, &lo) &&
	    span_skip(s, "..") && span_int(s, COUNT_MAX, &hi) && span_skip(s, "}") && hi >= lo)
		t->channels = hi - lo + 1;
	return true;
}

/* Ways around the channels: the line names no algorithm. */
static const struct bypass {
	const char *mark, *algo;
	size_t flag; /* offset in struct scan */
} bypass_table[] = {
	{ " [Symmetric]", "SYMMETRIC", offsetof(struct scan, symmetric) },
	{ " [Copy Engine]", "COPY_ENGINE", offsetof(struct scan, copy_engine) },
};

static const struct bypass *take_bypass(struct span *s)
{
	for (size_t i = 0; i < N_ELEMENTS(bypass_table); i++)
		if (span_skip(s, bypass_table[i].mark))
			return &bypass_table[i];
	return NULL;
}

bool scan_parse_tuning(const struct log_record *r, struct scan_tuning *out)
{
	struct scan_tuning t = { .channels = -1 };
	const struct bypass *way = NULL;
	struct span rest = r->text;

	if (rest.p < rest.end && !span_digit(*rest.p)) {
		if (!span_name(&rest, t.func, sizeof(t.func)))
			return false;
		way = take_bypass(&rest);
		if (!span_skip(&rest, ": "))
			return false;
	}
	if (!span_number(&rest, INT64_MAX, &t.bytes) || !span_skip(&rest, " Bytes -> "))
		return false;
	if (way) {
		memcpy(t.algo, way->algo, strlen(way->algo) + 1);
		if (span_find(&rest, " nchannels ") && !span_int(&rest, COUNT_MAX, &t.channels))
			t.channels = -1;
	} else if (!take_algo(&rest, &t) || torn(r, &rest)) {
		return false;
	}
	*out = t;
	return true;
}

static void on_tuning(struct scan *s, const struct log_record *r, struct span rest)
{
	struct scan_tuning t;

	if (!scan_parse_tuning(r, &t))
		return;
	for (size_t i = 0; i < N_ELEMENTS(bypass_table); i++)
		if (strcmp(t.algo, bypass_table[i].algo) == 0)
			*(bool *)((char *)s + bypass_table[i].flag) = true;
	s->nvls |= strncmp(t.algo, "NVLS", 4) == 0;
	s->collnet |= strncmp(t.algo, "COLLNET", 7) == 0;
	keep_tuning(s, &t);
}

/* ---- records ---- */

static const struct row {
	const char *start; /* of the record's text; the last row takes what is left */
	size_t len;
	void (*on)(struct scan *s, const struct log_record *r, struct span rest);
} row_table[] = {
/* clang-format off */
#define ROW(start, on) { start, sizeof(start) - 1, on }
	ROW("Channel ", on_link),
	ROW("Ring ", on_link), /* 2.3, 2.4 */
	ROW("CollNet ", on_collnet),
	ROW("Coll ", on_collnet), /* its older name */
	ROW("NVLS comm ", on_nvls), /* not "NVLS multicast support", which is only an ability */
	ROW("comm 0x", on_comm),
	ROW("ncclCommInit", on_comm),
	ROW("P2P is disabled between ", on_refused),
	ROW("Could not enable P2P between ", on_refused),
	ROW("Legacy IPC not supported", on_refused),
	ROW("peer query failed between ", on_refused),
	ROW("", on_tuning),
#undef ROW
};
/* clang-format on */

static void on_warn(struct scan *s, const struct log_record *r)
{
	struct span text = record_text(r);

	if (s->n_warns++)
		return;
	span_copy(&text, s->first_warn, sizeof(s->first_warn));
	record_place(r, s->warn_place, sizeof(s->warn_place));
}

static void on_record(void *arg, const struct log_record *r)
{
	struct scan *s = arg;
	const struct row *row = row_table;

	if (r->kind == RECORD_VERSION) {
		on_version(s, r);
		return;
	}
	if (r->kind == RECORD_WARN)
		on_warn(s, r);
	while (!span_is(&r->text, row->start, row->len))
		row++;
	row->on(s, r, (struct span){ r->text.p + row->len, r->text.end });
}

/* ---- the log ---- */

void scan_feed(struct scan *s, const char *data, size_t len)
{
	s->lines.on = on_record;
	s->lines.arg = s; /* it may have been copied or moved since */
	lines_feed(&s->lines, data, len);
	s->n_cut += s->lines.n_cut;
	s->failed |= s->lines.failed;
	s->lines.n_cut = 0;
}

void scan_end(struct scan *s)
{
	s->lines.on = on_record;
	s->lines.arg = s;
	lines_end(&s->lines);
	s->n_cut += s->lines.n_cut;
	s->lines.n_cut = 0;
}
