/* SPDX-License-Identifier: Apache-2.0 */
#include "trouble.h"

#include <stddef.h>
#include <string.h>

#include "base/attr.h"

const struct trouble_phase trouble_phases[TROUBLE_PHASES] = {
	{ "hello", PHASE_HELLO, 100 },     { "id", PHASE_ID, 100 },   { "join", PHASE_JOIN, 200 },
	{ "prepare", PHASE_PREPARE, 100 }, { "run", PHASE_RUN, 100 }, { "check", PHASE_CHECK, 100 },
	{ "bye", PHASE_BYE, 50 },
};

const struct trouble troubles[] = {
	{ "hang", OUTCOME_HANG, true, 0, 500, "no answer within" },
	{ "ignore-term", OUTCOME_HANG, true, 0, 1000, "no answer within" },
	{ "stop", OUTCOME_HANG, true, 0, 500, "no answer within" },
	{ "crash:11", OUTCOME_CRASH, false, 0, 0, "killed by signal 11" },
	{ "crash:ABRT", OUTCOME_CRASH, false, 0, 0, "killed by signal 6" },
	{ "crash:9", OUTCOME_CRASH, false, 0, 0, "killed by signal 9" },
	{ "exit:3", OUTCOME_CRASH, false, 0, 0, "exit status 3" },
	{ "exit:0", OUTCOME_CRASH, false, 0, 0, "exit status 0" },
	{ "close", OUTCOME_ERROR, false, 2000, 500, "closed its socket but goes on running" },
	{ "garbage", OUTCOME_ERROR, false, 0, 0, "bytes that are no message" },
	{ "oversize", OUTCOME_ERROR, false, 0, 0, "above 131072 bytes" },
	{ "unknown-case", OUTCOME_ERROR, false, 0, 0, "unknown: SURPRISE" },
	{ "missing", OUTCOME_ERROR, false, 0, 0, "lacks the key" },
	{ "flood", OUTCOME_ERROR, false, 0, 0, "floods" },
	{ "twice", OUTCOME_ERROR, false, 0, 0, "when the answer of phase" },
	{ "nan", OUTCOME_OK, false, 0, 0, NULL },
	{ "version:9", OUTCOME_OK, false, 0, 0, NULL },
	{ "slow:150", OUTCOME_OK, false, 150, 0, NULL },
	{ "grandchild", OUTCOME_OK, false, 0, 0, NULL },
	{ "fail:unavailable", OUTCOME_UNAVAILABLE, false, 0, 0, "the script says so" },
	{ "fail:oom", OUTCOME_OOM, false, 0, 0, "the script says so" },
	{ "fail:skipped", OUTCOME_SKIPPED, false, 0, 0, "the script says so" },
	{ "fail:corrupt", OUTCOME_CORRUPT, false, 0, 0, "the script says so" },
	{ "fail:error", OUTCOME_ERROR, false, 0, 0, "the script says so" },
	{ "fail:surprise", OUTCOME_ERROR, false, 0, 0, "the script says so" },
	{ "fatal:error", OUTCOME_ERROR, false, 0, 0, "the script says so" },
	{ "fatal:oom", OUTCOME_OOM, false, 0, 0, "the script says so" },
};

const int n_troubles = (int)N_ELEMENTS(troubles);

int trouble_together(int i)
{
	int n = 1;

	while (n < TROUBLE_TOGETHER && i + n < n_troubles && troubles[i].late &&
	       troubles[i + n].late)
		n++;
	return n;
}

struct exception {
	const char *word, *phase;
	struct trouble_effect effect;
};

#define NOTHING                                  \
	{                                        \
		OUTCOME_OK, PHASE_NONE, -1, NULL \
	}

/* One worker, asked in the order of the phases. */
static const struct exception in_session[] = {
	{ "twice", "hello", { OUTCOME_ERROR, PHASE_ID, 0, "said HELLO" } },
	{ "twice", "id", { OUTCOME_ERROR, PHASE_JOIN, 0, "said IDENT" } },
	{ "twice", "join", { OUTCOME_ERROR, PHASE_PREPARE, 0, "said JOINED" } },
	{ "twice", "prepare", { OUTCOME_ERROR, PHASE_RUN, 0, "said READY" } },
	{ "twice", "run", { OUTCOME_ERROR, PHASE_CHECK, 0, "said DONE" } },
	{ "twice", "check", { OUTCOME_ERROR, PHASE_BYE, 0, "said CHECKED" } },
	{ "twice", "bye", NOTHING },
};

/* Two ranks and two points; only rank 0 is asked for its id. What a worker did wrong at its end
 * costs no point. */
static const struct exception in_campaign[] = {
	{ "twice", "hello", { OUTCOME_ERROR, PHASE_JOIN, 0, "said HELLO" } },
	{ "twice", "id", { OUTCOME_ERROR, PHASE_JOIN, 0, "said IDENT" } },
	{ "twice", "join", { OUTCOME_ERROR, PHASE_PREPARE, 0, "said JOINED" } },
	{ "twice", "prepare", { OUTCOME_ERROR, PHASE_RUN, 0, "said READY" } },
	{ "twice", "run", { OUTCOME_ERROR, PHASE_CHECK, 0, "said DONE" } },
	{ "twice", "check", { OUTCOME_ERROR, PHASE_PREPARE, 1, "said CHECKED" } },
	{ "nan", "hello", { OUTCOME_ERROR, PHASE_HELLO, 0, "protocol" } },
	{ "nan", "id", { OUTCOME_ERROR, PHASE_ID, 0, "address" } },
	{ "nan", "run", { OUTCOME_ERROR, PHASE_RUN, 0, "time of the single operation" } },
	{ "nan", "check", { OUTCOME_ERROR, PHASE_CHECK, 0, "count of wrong elements" } },
	{ "version:9",
	  "hello",
	  { OUTCOME_ERROR, PHASE_HELLO, 0, "speaks protocol 9, this program 2" } },
};

static const struct exception *find(const struct exception *e, size_t n, const char *word,
				    const char *phase)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(e[i].word, word) == 0 && strcmp(e[i].phase, phase) == 0)
			return &e[i];
	return NULL;
}

static void effect(const struct trouble *t, int phase_index, const struct exception *e,
		   struct trouble_effect *out)
{
	static const struct trouble_effect nothing = NOTHING;

	if (e)
		*out = e->effect;
	else if (t->outcome == OUTCOME_OK)
		*out = nothing;
	else
		*out = (struct trouble_effect){ t->outcome, trouble_phases[phase_index].id, 0,
						t->says };
}

void trouble_in_session(const struct trouble *t, int phase_index, struct trouble_effect *out)
{
	effect(t, phase_index,
	       find(in_session, N_ELEMENTS(in_session), t->word, trouble_phases[phase_index].name),
	       out);
}

void trouble_in_campaign(const struct trouble *t, int phase_index, struct trouble_effect *out)
{
	static const struct trouble_effect nothing = NOTHING;

	effect(
	    t, phase_index,
	    find(in_campaign, N_ELEMENTS(in_campaign), t->word, trouble_phases[phase_index].name),
	    out);
	if (trouble_phases[phase_index].id == PHASE_BYE)
		*out = nothing;
}
