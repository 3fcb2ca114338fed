/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which communicator a line is about. Since 2.18.3 lines carry a commId that all ranks share;
 * before, the how-manieth communicator of its size it is in its process must do. "Channel" lines
 * name none: they belong to the newest one of their process in which the rank fits.
 */
#include <stdlib.h>
#include <string.h>

#include "explain/facts.h"
#include "ncclog/link.h"
#include "ncclog/proof.h"

struct comm_line {
	uint64_t ptr, id;
	int rank, nranks, nnodes, dev;
};

static bool take_hex(struct span *s, uint64_t *out)
{
	const char *start;
	uint64_t v = 0;

	span_skip(s, "0x");
	start = s->p;
	for (; s->p < s->end && s->p - start < 16; s->p++) {
		char c = *s->p;
		int d = span_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

		if (d < 0)
			break;
		v = v << 4 | (unsigned)d;
	}
	*out = v;
	return s->p > start;
}

static bool take_after(struct span s, const char *word, int *out)
{
	return span_find(&s, word) && span_int(&s, 1 << 24, out);
}

static bool parse(struct span t, struct comm_line *c)
{
	struct span s = t;

	*c = (struct comm_line){ .rank = -1, .nranks = -1, .nnodes = -1, .dev = -1 };
	if (!span_find(&s, "comm ") || !take_hex(&s, &c->ptr) || !take_after(s, " rank ", &c->rank))
		return false;
	if (!take_after(s, " nranks ", &c->nranks) && !take_after(s, " nRanks ", &c->nranks))
		return false;
	(void)take_after(s, " nNodes ", &c->nnodes);
	(void)take_after(s, " cudaDev ", &c->dev);
	if (span_find(&s, " commId ") && !take_hex(&s, &c->id))
		c->id = 0;
	return c->rank < c->nranks;
}

static int new_comm(struct facts *f, uint64_t id, int nth, int nranks, const struct log_record *r)
{
	struct fact_comm *c;

	if (f->n_comms >= FACTS_COMMS_MAX) {
		f->n_cut++;
		return -1;
	}
	if (f->n_comms == f->cap_comms) {
		size_t cap = f->cap_comms ? 2 * f->cap_comms : 8;

		c = realloc(f->comms, cap * sizeof(*c));
		if (!c) {
			f->failed = true;
			return -1;
		}
		f->comms = c;
		f->cap_comms = cap;
	}
	c = &f->comms[f->n_comms];
	*c = (struct fact_comm){ .id = id,
				 .nth = nth,
				 .nranks = nranks,
				 .nnodes = -1,
				 .one_host = true,
				 .at = { (int)f->n_files - 1, r ? r->line : 0 },
				 .first_proc = -1 };
	if (nranks > 0 && nranks <= FACTS_RANKS_MAX) {
		c->started = calloc((size_t)nranks / 64 + 1, sizeof(uint64_t));
		c->complete = calloc((size_t)nranks / 64 + 1, sizeof(uint64_t));
	}
	return (int)f->n_comms++;
}

static void move_links(struct facts *f, struct fact_comm *to, struct scan_link **links, size_t *n)
{
	if (proof_merge(&to->links, &to->n_links, *links, *n))
		f->failed = true;
	free(*links);
	*links = NULL;
	*n = 0;
}

static int by_id(const struct facts *f, uint64_t id, int nranks)
{
	for (size_t i = f->n_comms; id && i-- > 0;)
		if (f->comms[i].id == id && f->comms[i].nranks == nranks && !f->comms[i].gone)
			return (int)i;
	return -1;
}

static int by_order(const struct facts *f, const struct fact_proc *p, const struct comm_line *l,
		    int *nth)
{
	*nth = 0;
	for (int i = 0; i < p->n_slots; i++)
		*nth += p->slots[i].rank == l->rank && p->slots[i].comm >= 0 &&
			f->comms[p->slots[i].comm].nranks == l->nranks;
	for (size_t i = 0; i < f->n_comms; i++)
		if (!f->comms[i].id && f->comms[i].nranks == l->nranks && f->comms[i].nth == *nth &&
		    !f->comms[i].gone)
			return (int)i;
	return -1;
}

static struct fact_slot *slot_of(struct fact_proc *p, const struct comm_line *l)
{
	for (int i = p->n_slots; i-- > 0;)
		if (p->slots[i].ptr == l->ptr && p->slots[i].rank == l->rank)
			return &p->slots[i];
	if (p->n_slots == FACTS_SLOTS) /* the second oldest goes: the oldest spans the job */
		memmove(&p->slots[1], &p->slots[2], (FACTS_SLOTS - 2) * sizeof(p->slots[0]));
	else
		p->n_slots++;
	p->slots[p->n_slots - 1] =
	    (struct fact_slot){ .ptr = l->ptr, .comm = -1, .rank = l->rank, .dev = l->dev };
	return &p->slots[p->n_slots - 1];
}

/* A pointer is reused after the communicator is gone: another id or size is another one. */
static bool is_other(const struct fact_comm *c, const struct comm_line *l)
{
	return c->nranks != l->nranks || (l->id && c->id && c->id != l->id);
}

static struct fact_slot *find_slot(struct facts *f, struct fact_proc *p, const struct comm_line *l,
				   const struct log_record *r)
{
	struct fact_slot *s = slot_of(p, l);
	int nth, same;

	if (s->comm >= 0 && is_other(&f->comms[s->comm], l)) {
		s->ptr = 0;
		s = slot_of(p, l);
	}
	if (s->comm < 0) {
		s->comm = l->id ? by_id(f, l->id, l->nranks) : by_order(f, p, l, &nth);
		if (s->comm < 0)
			s->comm = new_comm(f, l->id, l->id ? 0 : nth, l->nranks, r);
	} else if (l->id && !f->comms[s->comm].id) { /* its first lines were without the id */
		same = by_id(f, l->id, l->nranks);
		if (same < 0) {
			f->comms[s->comm].id = l->id;
		} else {
			move_links(f, &f->comms[same], &f->comms[s->comm].links,
				   &f->comms[s->comm].n_links);
			f->comms[s->comm].gone = true;
			s->comm = same;
		}
	}
	return s;
}

static void mark(uint64_t *bits, int rank, int *count)
{
	if (!bits || facts_bit(bits, rank))
		return;
	bits[rank / 64] |= UINT64_C(1) << (rank % 64);
	(*count)++;
}

static void note_host(const struct facts *f, struct fact_comm *c, const struct fact_proc *p)
{
	if (c->first_proc < 0)
		c->first_proc = (int)(p - f->procs);
	else if (strcmp(f->procs[c->first_proc].host, p->host) != 0)
		c->one_host = false;
	if (!p->host[0])
		c->one_host = false;
}

void facts_comm_line(struct facts *f, struct fact_proc *p, const struct log_record *r,
		     struct span t)
{
	struct comm_line l;
	struct fact_slot *s;
	struct fact_comm *c;
	struct span rest = t;

	if (!parse(t, &l))
		return;
	if (pattern_in(t, "destroy") || pattern_in(t, "abort") || pattern_in(t, "finalize")) {
		p->torn_down = true;
		return;
	}
	s = find_slot(f, p, &l, r);
	if (s->comm < 0)
		return;
	c = &f->comms[s->comm];
	note_host(f, c, p);
	mark(c->started, l.rank, &c->n_started);
	p->started = true;
	if (l.nnodes > 0)
		c->nnodes = l.nnodes;
	if (l.nranks > p->nranks) {
		p->nranks = l.nranks;
		p->rank = l.rank;
	}
	if (!span_find(&rest, "COMPLETE"))
		return;
	mark(c->complete, l.rank, &c->n_complete);
	s->complete = p->complete = true;
	facts_flush_links(f, p);
}

/* ---- links ---- */

static bool fits(const struct facts *f, const struct fact_slot *s, const struct scan_link *l)
{
	const struct fact_comm *c = s->comm >= 0 ? &f->comms[s->comm] : NULL;

	return c && !c->gone && l->from < c->nranks && l->to < c->nranks &&
	       (s->rank == l->from || s->rank == l->to);
}

static int comm_for(const struct facts *f, const struct fact_proc *p, const struct scan_link *l)
{
	for (int i = p->n_slots; i-- > 0;)
		if (fits(f, &p->slots[i], l))
			return p->slots[i].comm;
	return -1;
}

void facts_link(struct facts *f, struct fact_proc *p, const struct log_record *r, struct span t)
{
	struct scan_link l;
	int comm;

	if (!link_parse(t, r->whole, r->glued, &l))
		return;
	p->p2p |= strcmp(l.cls, "P2P") == 0;
	if (f->n_links >= FACTS_LINKS_MAX) {
		f->n_cut++;
		return;
	}
	comm = comm_for(f, p, &l);
	if (comm >= 0) {
		struct fact_comm *c = &f->comms[comm];
		size_t before = c->n_links;

		f->failed |= link_add(&c->links, &c->n_links, &l) != 0;
		f->n_links += c->n_links - before;
	} else {
		size_t before = p->n_loose;

		if (!p->first_link.line)
			p->first_link = (struct fact_place){ p->file, r->line };
		f->failed |= link_add(&p->loose, &p->n_loose, &l) != 0;
		f->n_links += p->n_loose - before;
	}
}

static int anonymous(struct facts *f, const struct fact_proc *p)
{
	int comm;

	for (size_t i = 0; i < f->n_comms; i++)
		if (f->comms[i].nranks < 0)
			return (int)i;
	comm = new_comm(f, 0, 0, -1, NULL);
	if (comm >= 0)
		f->comms[comm].at = p->first_link;
	return comm;
}

/* The log of a rank begins late and names no communicator; where others name just one, and its
 * ranks fit, the links are that one's. */
static int only_one(const struct facts *f, const struct fact_proc *p)
{
	int only = -1;

	for (size_t i = 0; i < f->n_comms && p->n_slots == 0; i++) {
		if (f->comms[i].gone || f->comms[i].nranks < 0)
			continue;
		if (only >= 0)
			return -1;
		only = (int)i;
	}
	for (size_t i = 0; only >= 0 && i < p->n_loose; i++)
		if (p->loose[i].from >= f->comms[only].nranks ||
		    p->loose[i].to >= f->comms[only].nranks)
			return -1;
	return only;
}

void facts_flush_links(struct facts *f, struct fact_proc *p)
{
	int comm = -1;

	if (!p->n_loose)
		return;
	for (size_t i = 0; i < p->n_loose && comm < 0; i++)
		comm = comm_for(f, p, &p->loose[i]);
	if (comm < 0)
		comm = only_one(f, p);
	if (comm < 0)
		comm = anonymous(f, p);
	if (comm >= 0)
		move_links(f, &f->comms[comm], &p->loose, &p->n_loose);
}
