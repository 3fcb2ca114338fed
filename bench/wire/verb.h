/* SPDX-License-Identifier: Apache-2.0 */
/* TABLE of verbs: who says it, at which phase it is the awaited answer, which keys it must have. */
#pragma once

#include <stdbool.h>

enum verb_id {
	VERB_HELLO,
	VERB_ID,
	VERB_IDENT,
	VERB_PEER,
	VERB_DEVICE,
	VERB_JOIN,
	VERB_JOINED,
	VERB_PREPARE,
	VERB_READY,
	VERB_RUN,
	VERB_DONE,
	VERB_CHECK,
	VERB_CHECKED,
	VERB_BYE,
	VERB_GONE,
	VERB_CEILING,
	VERB_CEILED,
	VERB_FAIL,
	VERB_NOTE,
	VERB_COUNT,
};

struct verb {
	const char *name;
	bool from_worker;
	int answers;               /* phase_id whose awaited answer it is, or PHASE_NONE */
	const char *keys[12];      /* required; ends with NULL */
};

struct words;
extern const struct verb verb_table[VERB_COUNT];
/* id, or -1 unknown verb; *missing names the first required key that is absent (then -2). */
int verb_check(const struct words *w, const char **missing);
