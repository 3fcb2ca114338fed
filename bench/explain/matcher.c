/* SPDX-License-Identifier: Apache-2.0 */
/* The automaton over pattern_table: one table look-up per byte, whatever the number of rows. */
#include <stdlib.h>
#include <strings.h>

#include "explain/pattern.h"

enum { CLASSES = 64, STATES_MAX = 16384, TRIED_BITS = 512 };

struct matcher {
	uint8_t class[256]; /* of a byte; 0: in no pattern */
	uint16_t n;         /* states */
	uint16_t (*go)[CLASSES];
	int16_t *first; /* pattern that ends in a state, or -1 */
	int16_t *next;  /* of a pattern: another one with the same text, or -1 */
	uint16_t *more; /* the longest suffix that ends a pattern too, or 0 */
};

static unsigned char fold(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : c;
}

static void number_bytes(struct matcher *m)
{
	uint8_t n = 1;

	for (size_t i = 0; i < pattern_count; i++)
		for (const char *p = pattern_table[i].text; *p; p++) {
			unsigned char c = fold((unsigned char)*p);

			if (!m->class[c])
				m->class[c] = n < CLASSES ? n++ : 0;
		}
	for (int c = 'A'; c <= 'Z'; c++)
		m->class[c] = m->class[c + 32];
}

/* Returns false when the table has outgrown STATES_MAX. */
static int add(struct matcher *m, size_t i)
{
	uint16_t at = 0;

	for (const char *p = pattern_table[i].text; *p; p++) {
		uint16_t *to = &m->go[at][m->class[(unsigned char)*p]];

		if (!*to) {
			if (m->n >= STATES_MAX)
				return 0;
			*to = m->n++;
		}
		at = *to;
	}
	m->next[i] = m->first[at];
	m->first[at] = (int16_t)i;
	return 1;
}

/* Breadth first: where to go on when a word breaks off. Turns missing steps into those. */
static int link_suffixes(struct matcher *m)
{
	uint16_t *queue = calloc(m->n, sizeof(*queue)), *fail = calloc(m->n, sizeof(*fail));
	size_t head = 0, tail = 0;

	if (queue && fail) {
		for (int c = 0; c < CLASSES; c++)
			if (m->go[0][c])
				queue[tail++] = m->go[0][c];
		while (head < tail) {
			uint16_t at = queue[head++];

			m->more[at] = m->first[fail[at]] >= 0 ? fail[at] : m->more[fail[at]];
			for (int c = 0; c < CLASSES; c++) {
				uint16_t *to = &m->go[at][c];

				if (*to) {
					fail[*to] = m->go[fail[at]][c];
					queue[tail++] = *to;
				} else {
					*to = m->go[fail[at]][c];
				}
			}
		}
	}
	free(queue);
	free(fail);
	return queue && fail;
}

void matcher_free(struct matcher *m)
{
	if (!m)
		return;
	free(m->go);
	free(m->first);
	free(m->next);
	free(m->more);
	free(m);
}

struct matcher *matcher_new(void)
{
	struct matcher *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->n = 1;
	m->go = calloc(STATES_MAX, sizeof(*m->go));
	m->first = malloc(STATES_MAX * sizeof(*m->first));
	m->next = calloc(pattern_count, sizeof(*m->next));
	m->more = calloc(STATES_MAX, sizeof(*m->more));
	if (!m->go || !m->first || !m->next || !m->more)
		goto fail;
	for (int i = 0; i < STATES_MAX; i++)
		m->first[i] = -1;
	number_bytes(m);
	if (pattern_count > TRIED_BITS)
		goto fail;
	for (size_t i = 0; i < pattern_count; i++)
		if (!add(m, i))
			goto fail;
	if (!link_suffixes(m))
		goto fail;
	return m;
fail:
	matcher_free(m);
	return NULL;
}

int pattern_in(struct span s, const char *lit)
{
	size_t len = strlen(lit);

	for (; (size_t)(s.end - s.p) >= len; s.p++)
		if (fold((unsigned char)*s.p) == fold((unsigned char)*lit) &&
		    strncasecmp(s.p, lit, len) == 0)
			return 1;
	return 0;
}

static int holds(const struct pattern *p, struct span text, struct span place, unsigned where)
{
	if (!(p->where & where))
		return 0;
	if (p->also && !pattern_in(text, p->also) && !pattern_in(place, p->also))
		return 0;
	return !p->unless || (!pattern_in(text, p->unless) && !pattern_in(place, p->unless));
}

int matcher_find(const struct matcher *m, struct span text, struct span place, unsigned where)
{
	uint64_t tried[TRIED_BITS / 64] = {
		0
	}; /* asked once per text: a hostile line repeats its words */
	int best = -1;
	uint16_t at = 0;

	for (const char *p = text.p; p < text.end; p++) {
		at = m->go[at][m->class[(unsigned char)*p]];
		for (uint16_t s = m->first[at] >= 0 ? at : m->more[at]; s; s = m->more[s])
			for (int i = m->first[s]; i >= 0; i = m->next[i]) {
				if ((best >= 0 && i >= best) || tried[i / 64] >> (i % 64) & 1)
					continue;
				tried[i / 64] |= UINT64_C(1) << (i % 64);
				if (holds(&pattern_table[i], text, place, where))
					best = i;
			}
	}
	return best;
}
