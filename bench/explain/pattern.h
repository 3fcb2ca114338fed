/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TABLE of words in a log and the diagnosis they mean, found all at once in one pass over the bytes
 * (Aho and Corasick's automaton). Upper and lower case are the same.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "explain/rule.h"
#include "ncclog/text.h"

enum pattern_where {
	IN_WARN = 1,
	IN_INFO = 2,
	IN_TEXT = 4,
	IN_ERR = IN_WARN | IN_TEXT,
	IN_ANY = 7
};

struct pattern {
	enum rule_id rule;
	unsigned where;
	const char *text, *also, *unless; /* also: must stand there too; unless: must not */
};

/* Earlier rows win. */
extern const struct pattern pattern_table[];
extern const size_t pattern_count;

struct matcher;                              /* built from the table; read only after that */
struct matcher *matcher_new(void) ATTR_MUST; /* NULL: no memory */
void matcher_free(struct matcher *m);
/* Best row for a text, or -1. `place` ("transport/shm.cc:590") counts for `also` and `unless`. */
int matcher_find(const struct matcher *m, struct span text, struct span place, unsigned where);
/* Case-blind search of `lit` in `s`. */
int pattern_in(struct span s, const char *lit);
