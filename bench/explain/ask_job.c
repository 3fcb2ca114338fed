/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about the job as a whole: who is missing, who is alone, where did it stop. */
#include <string.h>

#include "explain/family.h"
#include "explain/findings.h"

static bool errors(const struct findings *fs)
{
	for (size_t i = 0; i < fs->n; i++)
		if (fs->list[i].severity == SEVERITY_ERROR)
			return true;
	return false;
}

static bool any_complete(const struct facts *f)
{
	for (size_t i = 0; i < f->n_procs; i++)
		if (f->procs[i].complete)
			return true;
	return false;
}

static bool any_links(const struct facts *f)
{
	for (size_t i = 0; i < f->n_comms; i++)
		if (f->comms[i].n_links)
			return true;
	return false;
}

/* N processes, each of which is rank 0 of 1. */
static void ask_single_ranks(const struct facts *f, struct findings *fs)
{
	int alone = 0;
	struct finding *out;
	bool more = false;

	for (size_t i = 0; i < f->n_procs; i++) {
		alone += f->procs[i].nranks == 1;
		more |= f->procs[i].nranks > 1;
	}
	if (!(alone > 1 && !more) && !(f->n_tests_rank0 > 1 && !f->tests_other_rank && !more))
		return;
	out = findings_add(fs, RULE_SINGLE_RANK_JOBS);
	if (!out)
		return;
	buf_printf(&out->text, "the launcher started %d jobs of one rank each instead of one job",
		   alone > 1 ? alone : f->n_tests_rank0);
	for (size_t i = 0; i < f->n_procs; i++)
		if (f->procs[i].nranks == 1 && out->n_evidence < 3)
			finding_evidence(out, f->procs[i].first, "rank 0 of 1");
	for (int i = 0; i < 2 && alone < 2; i++)
		finding_evidence(out, f->tests_header[i], "Rank 0");
}

static void list_ranks(struct buf *b, const uint64_t *seen, int n)
{
	int shown = 0;

	for (int i = 0; i < n; i++)
		if (!facts_bit(seen, i)) {
			if (shown++ < 16)
				buf_printf(b, "%s%d", shown == 1 ? " " : ", ", i);
		}
	if (shown > 16)
		buf_printf(b, " and %d more", shown - 16);
}

/* A WARN of a rank tells more than the absence of others, whose logs may not be here. */
static bool warned_error(const struct findings *fs)
{
	for (size_t i = 0; i < fs->n; i++)
		if (fs->list[i].severity == SEVERITY_ERROR && fs->list[i].n_evidence &&
		    fs->list[i].evidence[0].warn)
			return true;
	return false;
}

/* Some ranks began, none is ready: who did not come? Of one rank in one file nobody can say whether
 * only its log was given; and Ray leaves out what others said too. */
static void ask_missing(const struct facts *f, struct findings *fs)
{
	if (warned_error(fs) || f->hits[RULE_RAY_DEDUP].count)
		return;
	for (size_t i = 0; i < f->n_comms; i++) {
		const struct fact_comm *c = &f->comms[i];
		struct finding *out;

		if (c->gone || !c->started || c->n_complete || c->n_started < 1 ||
		    (c->n_started == 1 && f->n_files < 2) || c->n_started >= c->nranks ||
		    c->n_links)
			continue;
		out = findings_add(fs, RULE_RANK_MISSING);
		if (!out)
			return;
		buf_printf(&out->text,
			   "%d of %d ranks began a communicator and wait; never seen: rank",
			   c->n_started, c->nranks);
		list_ranks(&out->text, c->started, c->nranks);
		finding_evidence(out, c->at, "Init START");
		return;
	}
}

/* "GLOBAL_RANK: 0, MEMBER: 1/4" without the other members, and then quiet. */
static void ask_members(const struct facts *f, struct findings *fs)
{
	uint64_t seen[4] = { 0 };
	int of = 0, n = 0;
	struct finding *out;

	for (int i = 0; i < f->n_members; i++) {
		of = f->members[i].of > of ? f->members[i].of : of;
		if (f->members[i].rank < 256 && !facts_bit(seen, f->members[i].rank)) {
			seen[f->members[i].rank / 64] |= UINT64_C(1) << (f->members[i].rank % 64);
			n++;
		}
	}
	if (n < 1 || of > 256 || n >= of || f->all_registered || any_complete(f) || any_links(f) ||
	    findings_find(fs, RULE_RANK_MISSING))
		return;
	out = findings_add(fs, RULE_RANK_MISSING);
	if (!out)
		return;
	buf_printf(&out->text, "%d of %d ranks announced themselves; never seen: rank", n, of);
	list_ranks(&out->text, seen, of);
	finding_evidence(out, f->members[0].at, "GLOBAL_RANK, MEMBER");
}

/* Nothing of use follows the line that starts the process group. */
static void ask_pg_start(const struct facts *f, struct findings *fs)
{
	if (errors(fs) || any_complete(f) || any_links(f))
		return;
	for (size_t i = 0; i < f->n_files; i++) {
		const struct fact_file *file = &f->files[i];
		struct finding *out;

		if (!file->pg_start.line || (!file->pg_quiet && !file->nccl))
			continue;
		out = findings_add(fs, RULE_PG_START);
		if (!out)
			return;
		if (file->nccl)
			buf_puts(&out->text, "the log ends while the process group is started: "
					     "NCCL began, but was never ready");
		finding_evidence(out, file->pg_start, file->pg_text);
		return;
	}
}

static bool troubles(const struct findings *fs)
{
	for (size_t i = 0; i < fs->n; i++)
		if (fs->list[i].severity >= SEVERITY_WARNING)
			return true;
	return false;
}

/* Not even a communicator was begun, and nothing else shows that NCCL came further. */
static void ask_only_booted(const struct facts *f, struct findings *fs)
{
	const struct fact_proc *booted = NULL;
	struct finding *out;

	if (f->n_links || f->n_algos || f->tests_done || troubles(fs))
		return;
	for (size_t i = 0; i < f->n_procs; i++) {
		const struct fact_proc *p = &f->procs[i];

		if (p->started || p->complete || p->connected)
			return;
		if (p->boot.line > 0 && !booted)
			booted = p;
	}
	out = booted ? findings_add(fs, RULE_INIT_UNFINISHED) : NULL;
	if (!out)
		return;
	buf_puts(&out->text, "NCCL was not ready yet where this log ends");
	finding_evidence(out, booted->last, "the last line of this process");
}

static void ask_unfinished(const struct facts *f, struct findings *fs)
{
	if (errors(fs) || any_complete(f) || findings_find(fs, RULE_RANK_MISSING))
		return;
	for (size_t i = 0; i < f->n_procs; i++) {
		const struct fact_proc *p = &f->procs[i];
		struct finding *out;

		if (!p->started || p->connected || f->n_algos || p->nranks < 2)
			continue;
		out = findings_add(fs, p->p2p ? RULE_P2P_HANG : RULE_INIT_UNFINISHED);
		if (!out)
			return;
		if (p->p2p)
			buf_puts(&out->text, "the log ends after P2P links were made and before "
					     "NCCL was ready: P2P may not deliver data");
		else if (f->n_comms == 1 && f->comms[0].n_started == 1)
			buf_printf(
			    &out->text,
			    "the log ends before the communicator was ready; only rank %d of "
			    "%d is in it",
			    p->rank, p->nranks);
		finding_evidence(out, p->last, "the last line of this process");
		return;
	}
}

/* Everything is ready, and then a time limit ends it: P2P that was connected is a suspect. */
static void ask_p2p_hang(const struct facts *f, struct findings *fs)
{
	const struct finding *w = findings_find(fs, RULE_TORCH_WATCHDOG);
	struct finding *out;
	bool p2p = false;

	for (size_t i = 0; i < f->n_procs; i++)
		p2p |= f->procs[i].p2p;
	if (!w || !p2p || findings_find(fs, RULE_P2P_HANG))
		return;
	out = findings_add(fs, RULE_P2P_HANG);
	if (!out)
		return;
	buf_puts(&out->text, "an operation hung although P2P was connected: P2P may not deliver "
			     "data (IOMMU/ACS, driver)");
	for (int i = 0; i < w->n_evidence && i < 1; i++)
		finding_evidence(out, w->evidence[i].at, w->evidence[i].text);
}

/* nccl-tests' header, NCCL ready, and not one row of its table. */
static void ask_tests_hang(const struct facts *f, struct findings *fs)
{
	struct finding *out;
	bool p2p = false;

	for (size_t i = 0; i < f->n_procs; i++)
		p2p |= f->procs[i].p2p;
	if (!f->tests_start.line || f->tests_done || errors(fs) ||
	    !(any_complete(f) || f->n_links) || findings_find(fs, RULE_P2P_HANG) ||
	    findings_find(fs, RULE_INIT_UNFINISHED))
		return;
	out = findings_add(fs, p2p ? RULE_P2P_HANG : RULE_INIT_UNFINISHED);
	if (!out)
		return;
	buf_printf(&out->text, "nccl-tests printed no result although %s: %s",
		   any_complete(f) ? "NCCL was ready" : "GPUs were being connected",
		   p2p ? "P2P may not deliver data (IOMMU/ACS, driver)"
		       : "the first operation hung, or the log was cut");
	finding_evidence(out, f->tests_start, "header of nccl-tests");
}

/* Of these every rank gives the same number of elements. */
static bool same_size_op(const char *op)
{
	return strcmp(op, "ALLREDUCE") == 0 || strcmp(op, "BROADCAST") == 0 ||
	       strcmp(op, "REDUCE") == 0;
}

/* Two ranks wait at the same number of the same group, but not in the same operation. */
static void ask_different_waits(const struct facts *f, struct findings *fs)
{
	for (int i = 0; i < f->n_waits; i++)
		for (int k = i + 1; k < f->n_waits; k++) {
			const struct fact_wait *a = &f->waits[i], *b = &f->waits[k];
			bool ops = strcmp(a->op, b->op) != 0;
			struct finding *out;

			if (a->seq != b->seq || a->group != b->group || a->rank == b->rank ||
			    !a->op[0] || !b->op[0] || !a->numel || !b->numel ||
			    (!ops && (a->numel == b->numel || !same_size_op(a->op))))
				continue;
			out = findings_add(fs, RULE_TORCH_MISMATCH);
			if (!out)
				return;
			out->confidence = "likely";
			buf_printf(
			    &out->text,
			    "ranks called different collectives or sizes: at number %llu rank "
			    "%d waits in %s of %llu elements, rank %d in %s of %llu",
			    (unsigned long long)a->seq, a->rank, a->op,
			    (unsigned long long)a->numel, b->rank, b->op,
			    (unsigned long long)b->numel);
			finding_evidence(out, a->at, "WorkNCCL");
			finding_evidence(out, b->at, "WorkNCCL");
			return;
		}
}

/* Which rank is behind, by the numbers that PyTorch's watchdogs gave. */
static void ask_behind(const struct facts *f, struct findings *fs)
{
	struct finding *w = findings_find(fs, RULE_TORCH_WATCHDOG);
	uint64_t low = UINT64_MAX, high = 0, seen[16] = { 0 };
	int who = -1, nranks = 0, known = 0;

	if (!w)
		return;
	for (int i = 0; i < f->n_waits; i++) {
		if (f->waits[i].seq < low) {
			low = f->waits[i].seq;
			who = f->waits[i].rank;
		}
		high = f->waits[i].seq > high ? f->waits[i].seq : high;
		if (f->waits[i].rank < 1024 && !facts_bit(seen, f->waits[i].rank)) {
			seen[f->waits[i].rank / 64] |= UINT64_C(1) << (f->waits[i].rank % 64);
			known++;
		}
	}
	for (size_t i = 0; i < f->n_procs; i++)
		nranks = f->procs[i].nranks > nranks ? f->procs[i].nranks : nranks;
	if (f->n_waits > 1 && low < high)
		buf_printf(&w->text, "; rank %d is behind: operation %llu, others are at %llu", who,
			   (unsigned long long)low, (unsigned long long)high);
	else if (known && nranks > known && nranks <= 1024) {
		buf_puts(&w->text, "; no timeout was reported by rank");
		list_ranks(&w->text, seen, nranks);
		buf_puts(&w->text, ": look there first");
	}
}

/* Errors that are more than the echo of another rank's. */
static bool causes(const struct findings *fs)
{
	for (size_t i = 0; i < fs->n; i++)
		if (fs->list[i].severity == SEVERITY_ERROR && fs->list[i].weight < 4)
			return true;
	return false;
}

/* The chain began after a peer had gone: then that is why. */
static bool after_peer(const struct facts *f, const struct fact_proc *p)
{
	const struct fact_hits *gone = &f->hits[RULE_PEER_GONE];

	for (int i = 0; i < gone->n; i++)
		if (gone->hit[i].at.file == p->trace.at.file &&
		    gone->hit[i].at.line < p->trace.at.line)
			return true;
	return false;
}

/* Which part of NCCL it was, by the file the chain of calls begins in, and what to try there. */
static void say_part(const struct fact_hit *trace, struct finding *out)
{
	struct span place = { trace->text, trace->text + strlen(trace->text) };
	enum rule_id part = family_of((struct span){ place.p, place.p }, place);

	if (part == RULE_NCCL_WARN || part == RULE_PROXY_FAILED || part == RULE_MISUSE)
		return;
	buf_printf(&out->text, "; that part: %s", rule_table[part].cause);
	buf_puts(&out->remedy, rule_table[part].remedy);
	buf_printf(&out->remedy, "\n%s", rule_table[RULE_SILENT_FAILURE].remedy);
}

/* A chain of "file.cc:123 -> 2" up to the call of the program, and no WARN that says why. */
static void ask_silent(const struct facts *f, struct findings *fs)
{
	for (size_t i = 0; i < f->n_procs && !causes(fs); i++) {
		const struct fact_proc *p = &f->procs[i];
		struct finding *out;

		if (!p->call_failed || p->warned || p->torn_down || after_peer(f, p))
			continue;
		out = findings_add(fs, RULE_SILENT_FAILURE);
		if (!out)
			return;
		buf_printf(&out->text, "NCCL returned an error without a WARN: %.80s",
			   p->trace.text);
		say_part(&p->trace, out);
		out->evidence[out->n_evidence++] = p->trace;
		return;
	}
}

void ask_job(const struct facts *f, struct findings *fs)
{
	static void (*const questions[])(const struct facts *, struct findings *) = {
		ask_silent,          ask_single_ranks, ask_missing,     ask_members,
		ask_pg_start,        ask_unfinished,   ask_only_booted, ask_behind,
		ask_different_waits, ask_p2p_hang,     ask_tests_hang,
	};

	for (size_t i = 0; i < N_ELEMENTS(questions); i++)
		questions[i](f, fs);
}
