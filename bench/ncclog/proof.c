/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See proof.h. A transport is proven by what the log says of every pair that was needed, never by
 * what was asked for, by an ability ("NVLS multicast support is available") or by a network that
 * was merely assigned ("Using network").
 */
#include "ncclog/proof.h"

#include <stdio.h>
#include <string.h>

#include "ncclog/link.h"
#include "ncclog/text.h"
#include "spec/transport.h"

const char *const proof_names[3] = { "unknown", "yes", "no" };

/* Each word of a variant keeps one separator, the first gains one: class and variant fit. */
enum {
	LABEL_MAX = sizeof(((struct scan_link *)0)->cls) + sizeof(((struct scan_link *)0)->variant)
};

/* Data moved without a channel: then channel lines prove nothing. */
static const struct bypass {
	size_t flag; /* offset in struct scan */
	const char *name;
} bypass_table[] = {
	{ offsetof(struct scan, nvls), "NVLS" },
	{ offsetof(struct scan, symmetric), "symmetric kernels" },
	{ offsetof(struct scan, copy_engine), "copy engine collectives" },
	{ offsetof(struct scan, collnet), "CollNet" },
};

static const char *find_bypass(const struct scan *flags)
{
	for (size_t i = 0; flags && i < N_ELEMENTS(bypass_table); i++)
		if (*(const bool *)((const char *)flags + bypass_table[i].flag))
			return bypass_table[i].name;
	return NULL;
}

/* ---- one link ---- */

/* Next word of a variant: "0(3)/GDRDMA(PCI)" has the words 0, GDRDMA. False at the end. */
static bool next_word(const char **p, const char **word, size_t *len)
{
	if (!**p)
		return false;
	*word = *p;
	*len = strcspn(*p, "/(");
	*p += strcspn(*p, "/");
	*p += **p == '/';
	return true;
}

static bool has_word(const char *variant, const char *wanted)
{
	const char *word;
	size_t len;

	wanted += *wanted == '/';
	while (next_word(&variant, &word, &len))
		if (len == strlen(wanted) && memcmp(word, wanted, len) == 0)
			return true;
	return false;
}

/* Class and variant without the words that say which device, which hop, or that send/recv
 * connections have one buffer. */
static void label(const struct scan_link *l, char out[LABEL_MAX])
{
	const char *p = l->variant, *word;
	size_t len, n = strlen(l->cls);

	memcpy(out, l->cls, n);
	while (next_word(&p, &word, &len)) {
		if (len == 0 || span_digit(*word) || (len == 6 && memcmp(word, "Shared", 6) == 0))
			continue;
		out[n++] = '/';
		memcpy(out + n, word, len);
		n += len;
	}
	out[n] = '\0';
}

/* SHM and old versions do not say the connection's kind: such a link counts for both. */
static bool is_relevant(const struct scan_link *l, const struct proof_need *need)
{
	if (l->conn != -1 && l->conn != (need->point_to_point ? 1 : 0))
		return false;
	if (need->a < 0 || need->b < 0)
		return true;
	return (l->from == need->a && l->to == need->b) ||
	       (need->both_ways && l->from == need->b && l->to == need->a);
}

/* Both ends on one host, where the row of a network leaves NCCL its choice. */
static bool is_inside(const struct scan_link *l, const struct transport *t,
		      const struct proof_need *need)
{
	if (!need->host || !(t->flags & TRANSPORT_NETWORK) || need->a >= 0)
		return false;
	if (l->from < 0 || l->from >= need->nranks || l->to < 0 || l->to >= need->nranks)
		return false;
	return need->host[l->from] == need->host[l->to];
}

static bool is_local_class(const char *cls)
{
	return strcmp(cls, "P2P") == 0 || strcmp(cls, "SHM") == 0;
}

static bool is_wanted(const struct scan_link *l, const struct transport *t,
		      const struct proof_need *need)
{
	if (!t->proof_class)
		return true;
	if (is_inside(l, t, need) && is_local_class(l->cls))
		return true;
	return strcmp(l->cls, t->proof_class) == 0 &&
	       (!t->proof_variant || has_word(l->variant, t->proof_variant)) &&
	       (!t->proof_counter || !has_word(l->variant, t->proof_counter));
}

/* ---- all links ---- */

struct tally {
	int pairs;                     /* ordered pairs with a relevant link */
	int wrong;                     /* of those, with a link that is not wanted */
	int asked;                     /* of those, with a link of the row's own class */
	int channels;                  /* of the pair with the fewest, -1 none */
	const struct scan_link *first; /* relevant one */
	const struct scan_link *other; /* NULL: all have the label of the first */
	bool other_unwanted;
};

/* Links [i, end) are one pair's. */
static size_t pair_end(const struct scan_link *links, size_t n, size_t i)
{
	size_t end = i + 1;

	while (end < n && links[end].from == links[i].from && links[end].to == links[i].to)
		end++;
	return end;
}

static bool same_label(const struct scan_link *a, const struct scan_link *b)
{
	char one[LABEL_MAX], two[LABEL_MAX];

	label(a, one);
	label(b, two);
	return strcmp(one, two) == 0;
}

/* What to name beside the first: an unwanted link, else another class, else another variant. */
static void note_other(const struct scan_link *l, bool wanted, struct tally *sum)
{
	bool known = sum->other != NULL;

	if (sum->other_unwanted)
		return;
	if (!wanted) {
		sum->other = l;
		sum->other_unwanted = true;
	} else if (strcmp(l->cls, sum->first->cls) != 0) {
		if (!known || strcmp(sum->other->cls, sum->first->cls) == 0)
			sum->other = l;
	} else if (!known && !same_label(l, sum->first)) {
		sum->other = l;
	}
}

static void add_pair(const struct scan_link *l, size_t n, const struct transport *t,
		     const struct proof_need *need, struct tally *sum)
{
	uint64_t sent[4] = { 0 }, received[4] = { 0 };
	bool seen = false, wrong = false, asked = false;
	int channels;

	for (; n > 0; l++, n--) {
		if (!is_relevant(l, need))
			continue;
		if (!sum->first)
			sum->first = l;
		note_other(l, is_wanted(l, t, need), sum);
		seen = true;
		wrong |= !is_wanted(l, t, need);
		asked |= t->proof_class && strcmp(l->cls, t->proof_class) == 0;
		for (int i = 0; i < 4; i++) {
			sent[i] |= l->send_mask[i];
			received[i] |= l->recv_mask[i];
		}
	}
	if (!seen)
		return;
	channels = link_channels(sent, received);
	sum->pairs++;
	sum->wrong += wrong;
	sum->asked += asked;
	if (sum->channels < 0 || channels < sum->channels)
		sum->channels = channels;
}

/* Pairs with a relevant link of that label. */
static int count_label(const struct scan_link *links, size_t n, const struct proof_need *need,
		       const struct scan_link *like)
{
	int count = 0;

	for (size_t i = 0, end; i < n; i = end) {
		bool hit = false;

		end = pair_end(links, n, i);
		for (size_t k = i; k < end && !hit; k++)
			hit = is_relevant(&links[k], need) && same_label(&links[k], like);
		count += hit;
	}
	return count;
}

/* One label when all agree, their class when only variants differ, else how many are of the other.
 */
static void describe(const struct scan_link *links, size_t n, const struct proof_need *need,
		     const struct tally *sum, struct proof *out)
{
	const struct scan_link *named = sum->other ? sum->other : sum->first;
	char name[LABEL_MAX];
	int count;

	if (!named)
		return;
	/* Where both are right, how many hops the network has is what is asked. */
	if (sum->other && !sum->wrong && is_local_class(sum->other->cls) &&
	    !is_local_class(sum->first->cls))
		named = sum->first;
	label(named, name);
	count = sum->other ? count_label(links, n, need, named) : sum->pairs;
	if (sum->other && !sum->wrong && strcmp(sum->other->cls, sum->first->cls) == 0)
		snprintf(out->used, sizeof(out->used), "%s", sum->first->cls);
	else if (count < sum->pairs)
		snprintf(out->used, sizeof(out->used), "mixed: %d of %d hops %s", count,
			 sum->pairs, name);
	else
		snprintf(out->used, sizeof(out->used), "%s", name);
}

static bool was_sent(const struct scan_link *links, size_t n, const struct proof_need *need,
		     int from, int to)
{
	const struct scan_link first = { .from = from, .to = to, .conn = -1 };
	size_t lo = 0, hi = n;

	while (lo < hi) { /* links are ordered by pair, then by connection */
		size_t mid = lo + (hi - lo) / 2;

		if (link_compare(&links[mid], &first) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < n && links[lo].from == from && links[lo].to == to; lo++)
		if (is_relevant(&links[lo], need))
			return true;
	return false;
}

static bool took_part(const struct scan_link *links, size_t n, const struct proof_need *need,
		      int rank)
{
	for (size_t i = 0; i < n; i++)
		if ((links[i].from == rank || (need->either_end && links[i].to == rank)) &&
		    is_relevant(&links[i], need))
			return true;
	return false;
}

static bool pair_missing(const struct scan_link *links, size_t n, const struct proof_need *need,
			 int from, int to, struct proof *out)
{
	if (was_sent(links, n, need, from, to))
		return false;
	snprintf(out->detail, sizeof(out->detail), "no \"via\" line for %d -> %d in the log", from,
		 to);
	return true;
}

static bool sender_missing(const struct scan_link *links, size_t n, const struct proof_need *need,
			   struct proof *out)
{
	for (int to = 0; to < need->nranks; to++)
		for (int i = 0, from; (from = need->sender(need->arg, to, i)) >= 0; i++)
			if (from != to && pair_missing(links, n, need, from, to, out))
				return true;
	return false;
}

/* Says what was needed and not seen; false when nothing is missing. */
static bool find_missing(const struct scan_link *links, size_t n, const struct proof_need *need,
			 struct proof *out)
{
	if (need->a >= 0 && need->b >= 0)
		return pair_missing(links, n, need, need->a, need->b, out) ||
		       (need->both_ways && pair_missing(links, n, need, need->b, need->a, out));
	if (need->nranks < 2) {
		snprintf(out->detail, sizeof(out->detail), "with %d rank nothing is sent",
			 need->nranks);
		return true;
	}
	if (need->sender)
		return sender_missing(links, n, need, out);
	for (int r = 0; r < need->nranks; r++)
		if (!took_part(links, n, need, r)) {
			snprintf(out->detail, sizeof(out->detail),
				 "no \"via\" line of rank %d of %d in the log", r, need->nranks);
			return true;
		}
	return false;
}

/* ---- verdicts ---- */

static bool algo_known(const struct proof_need *need)
{
	return need->algo && need->algo[0];
}

static bool is_nvls(const char *algo)
{
	return strncmp(algo, "NVLS", 4) == 0; /* or NVLS_TREE */
}

/* Set up, and nothing says whether this operation made use of it. */
static bool nvls_open(const struct scan *flags, const struct proof_need *need)
{
	return flags && (flags->nvls || flags->nvls_comm) && !need->point_to_point &&
	       !algo_known(need);
}

/* NVLS prints no channels; it carries collectives only. A communicator that is set up for it ("NVLS
 * comm") may use rings all the same: the operation's own algorithm is what counts. */
static void judge_multicast(const struct scan *flags, const struct proof_need *need,
			    struct proof *out)
{
	bool sign = flags && (flags->nvls || flags->nvls_comm) && !need->point_to_point;

	if (sign && algo_known(need) && is_nvls(need->algo)) {
		out->verdict = PROOF_YES;
		snprintf(out->used, sizeof(out->used), "NVLS");
	} else if (sign && algo_known(need)) {
		out->verdict = PROOF_NO;
		snprintf(out->detail, sizeof(out->detail),
			 "NVLS was set up, but the operation used algorithm %s", need->algo);
	} else if (sign) {
		snprintf(out->detail, sizeof(out->detail),
			 "NVLS was set up, but the log does not say that this operation used it");
	} else if (out->used[0]) {
		out->verdict = PROOF_NO;
		snprintf(out->detail, sizeof(out->detail), "%s",
			 need->point_to_point ? "NVLS carries no send/recv"
					      : "the log has channels and no sign of NVLS");
	} else {
		snprintf(out->detail, sizeof(out->detail), "the log has no sign of NVLS");
	}
}

static void judge_forced(const struct transport *t, const struct scan *flags,
			 const struct tally *sum, struct proof *out)
{
	const char *bypass = find_bypass(flags);
	char name[LABEL_MAX];

	if (sum->wrong) {
		label(sum->other, name);
		out->verdict = PROOF_NO;
		snprintf(out->detail, sizeof(out->detail),
			 "asked for %s, but %d of %d pairs used another way; first %d -> %d by %s",
			 t->name, sum->wrong, sum->pairs, sum->other->from, sum->other->to, name);
	} else if (bypass) {
		out->verdict = PROOF_NO;
		snprintf(out->detail, sizeof(out->detail),
			 "asked for %s, but the log shows data going around the channels: %s",
			 t->name, bypass);
	}
}

/* auto: the log is believed, whatever it says. */
static void judge_any(const struct scan *flags, const struct proof_need *need, struct proof *out)
{
	const char *bypass = find_bypass(flags);
	size_t have = strlen(out->used);

	if (!bypass || need->point_to_point)
		return;
	if (strcmp(bypass, "NVLS") == 0 && algo_known(need) && !is_nvls(need->algo))
		return; /* another operation's */
	snprintf(out->used + have, sizeof(out->used) - have, "%s%s", have ? " and " : "", bypass);
}

void proof_judge(const struct scan_link *links, size_t n, const struct scan *flags, int transport,
		 const struct proof_need *need, struct proof *out)
{
	struct tally sum = { .channels = -1 };
	const struct transport *t;
	bool missing;

	*out = (struct proof){ .verdict = PROOF_UNKNOWN, .channels = -1 };
	if (transport < 0 || transport >= TRANSPORT_COUNT ||
	    transport_table[transport].backend != BACKEND_NCCL) {
		snprintf(out->detail, sizeof(out->detail), "not a transport of NCCL");
		return;
	}
	t = &transport_table[transport];
	for (size_t i = 0, end; i < n; i = end) {
		end = pair_end(links, n, i);
		add_pair(links + i, end - i, t, need, &sum);
	}
	out->channels = sum.channels;
	describe(links, n, need, &sum, out);
	if (t->flags & TRANSPORT_MULTICAST) {
		judge_multicast(flags, need, out);
		return;
	}
	if (t->proof_class)
		judge_forced(t, flags, &sum, out);
	else
		judge_any(flags, need, out);
	if (out->verdict == PROOF_NO)
		return;
	missing = find_missing(links, n, need, out);
	if (!missing && need->host && t->flags & TRANSPORT_NETWORK && sum.asked == 0) {
		snprintf(out->detail, sizeof(out->detail),
			 "no \"via\" line between hosts in the log");
		return;
	}
	if (!missing && t->proof_class && nvls_open(flags, need))
		snprintf(out->detail, sizeof(out->detail),
			 "NVLS was set up and the log does not say whether this operation used it");
	else if (!missing && flags && (flags->failed || flags->n_cut))
		snprintf(out->detail, sizeof(out->detail),
			 "part of the log was not read (memory, too long, or unknown words)");
	else if (!missing)
		out->verdict = PROOF_YES;
}

int proof_merge(struct scan_link **set, size_t *n, const struct scan_link *more, size_t n_more)
{
	for (size_t i = 0; i < n_more; i++) {
		int err = link_add(set, n, &more[i]);

		if (err)
			return err;
	}
	return 0;
}
