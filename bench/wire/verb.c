/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs of ncclbench/protocol.h as data. Optional keys (facts, fatal=, notes) are not listed.
 */
#include "wire/verb.h"

#include <stddef.h>
#include <string.h>

#include "spec/outcome.h"
#include "wire/msg.h"

const struct verb verb_table[VERB_COUNT] = {
	[VERB_HELLO] = { .name = "HELLO",
			 .from_worker = true,
			 .answers = PHASE_HELLO,
			 .keys = { "version", "backend", "pid" } },
	[VERB_ID] = { .name = "ID", .answers = PHASE_NONE },
	[VERB_IDENT] = { .name = "IDENT",
			 .from_worker = true,
			 .answers = PHASE_ID,
			 .keys = { "blob" } },
	[VERB_PEER] = { .name = "PEER", .answers = PHASE_NONE, .keys = { "rank", "blob" } },
	[VERB_DEVICE] = { .name = "DEVICE", .answers = PHASE_NONE, .keys = { "device" } },
	[VERB_JOIN] = { .name = "JOIN",
			.answers = PHASE_NONE,
			.keys = { "rank", "nranks", "device" } },
	[VERB_JOINED] = { .name = "JOINED",
			  .from_worker = true,
			  .answers = PHASE_JOIN,
			  .keys = { "context_us", "init_us" } },
	[VERB_PREPARE] = { .name = "PREPARE",
			   .answers = PHASE_NONE,
			   .keys = { "op", "dtype", "redop", "inplace", "root", "a", "b", "bytes",
				     "timing", "variant" } },
	[VERB_READY] = { .name = "READY",
			 .from_worker = true,
			 .answers = PHASE_PREPARE,
			 .keys = { "device_bytes" } },
	[VERB_RUN] = { .name = "RUN",
		       .answers = PHASE_NONE,
		       .keys = { "mode", "batches", "ops", "replays", "warmup" } },
	[VERB_DONE] = { .name = "DONE",
			.from_worker = true,
			.answers = PHASE_RUN,
			.keys = { "ns", "first_us" } },
	[VERB_CHECK] = { .name = "CHECK", .answers = PHASE_NONE },
	[VERB_CHECKED] = { .name = "CHECKED",
			   .from_worker = true,
			   .answers = PHASE_CHECK,
			   .keys = { "wrong", "checked", "first", "got", "want", "poisoned" } },
	[VERB_BYE] = { .name = "BYE", .answers = PHASE_NONE },
	[VERB_GONE] = { .name = "GONE",
			.from_worker = true,
			.answers = PHASE_BYE,
			.keys = { "teardown_us" } },
	[VERB_CEILING] = { .name = "CEILING",
			   .answers = PHASE_NONE,
			   .keys = { "name", "device", "peer", "bytes", "copies", "samples" } },
	[VERB_CEILED] = { .name = "CEILED",
			  .from_worker = true,
			  .answers = PHASE_CEILING,
			  .keys = { "ns" } },
	[VERB_FAIL] = { .name = "FAIL",
			.from_worker = true,
			.answers = PHASE_NONE,
			.keys = { "kind", "code", "text" } },
	[VERB_NOTE] = { .name = "NOTE", .from_worker = true, .answers = PHASE_NONE },
};

int verb_check(const struct words *w, const char **missing)
{
	const char *const *key;

	for (int id = 0; id < VERB_COUNT; id++) {
		if (strcmp(verb_table[id].name, w->verb) != 0)
			continue;
		for (key = verb_table[id].keys; *key; key++) {
			if (words_get(w, *key))
				continue;
			*missing = *key;
			return -2;
		}
		return id;
	}
	return -1;
}
