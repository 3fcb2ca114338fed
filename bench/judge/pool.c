/* SPDX-License-Identifier: Apache-2.0 */
/* See pool.h. */
#include "judge/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 1024

void pool_fini(struct pool *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->text[i]);
	free(p->text);
	free(p->slot);
	*p = (struct pool){ 0 };
}

static uint64_t hash(const char *s)
{
	uint64_t h = 1469598103934665603u; /* FNV-1a */

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211u;
	return h ^ (h >> 29);
}

/* Where the text is, or the free slot where it belongs. */
static uint32_t *slot_of(const struct pool *p, const char *text)
{
	size_t i = hash(text) & (p->n_slots - 1);

	while (p->slot[i] != 0 && strcmp(p->text[p->slot[i] - 1], text) != 0)
		i = (i + 1) & (p->n_slots - 1);
	return &p->slot[i];
}

static int grow_slots(struct pool *p)
{
	struct pool grown = *p;

	grown.n_slots = p->n_slots ? p->n_slots * 2 : FIRST_SLOTS;
	grown.slot = calloc(grown.n_slots, sizeof(*grown.slot));
	if (grown.slot == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < p->n; i++)
		*slot_of(&grown, p->text[i]) = (uint32_t)i + 1;
	free(p->slot);
	*p = grown;
	return 0;
}

static int append(struct pool *p, const char *text)
{
	if (p->n == p->cap) {
		size_t cap = p->cap ? p->cap * 2 : 256;
		char **grown = reallocarray(p->text, cap, sizeof(*grown));

		if (grown == NULL)
			return -ENOMEM;
		p->text = grown;
		p->cap = cap;
	}
	p->text[p->n] = strdup(text);
	return p->text[p->n] ? (p->n++, 0) : -ENOMEM;
}

int pool_add(struct pool *p, const char *text, uint32_t *id)
{
	uint32_t *slot;
	int rc = 0;

	if (text[0] == '\0') {
		*id = 0;
		return 0;
	}
	if (p->n * 2 >= p->n_slots)
		rc = grow_slots(p);
	if (rc)
		return rc;
	slot = slot_of(p, text);
	if (*slot == 0) {
		rc = append(p, text);
		if (rc)
			return rc;
		*slot = (uint32_t)p->n;
	}
	*id = *slot;
	return 0;
}

const char *pool_text(const struct pool *p, uint32_t id)
{
	return id > 0 && id <= p->n ? p->text[id - 1] : "";
}
