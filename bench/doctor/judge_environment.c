/* SPDX-License-Identifier: Apache-2.0 */
/* Judges of settings, by explain's linter: one table of variables for both. */
#include <string.h>

#include "base/buf.h"
#include "doctor/check.h"
#include "explain/variable.h"

static const enum level levels[] = {
	[SEVERITY_INFO] = LEVEL_INFO,
	[SEVERITY_WARNING] = LEVEL_WARNING,
	[SEVERITY_ERROR] = LEVEL_ERROR,
};

static void each(const struct doctor *d, struct judgements *v, int version, int *bad)
{
	for (int i = 0; i < d->n_settings; i++) {
		const struct doctor_setting *s = &d->setting[i];
		struct variable_note note;
		bool file = strcmp(s->from, "environment") != 0;

		if (!variable_lint(s->name, s->value, version, false, &note))
			continue;
		judgement_add(v, levels[note.severity], note.remedy, "%s%s%s%s", note.text,
			      file ? " (from " : "", file ? s->from : "", file ? ")" : "");
		++*bad;
	}
}

static const char *get(const void *arg, const char *name)
{
	return doctor_setting(arg, name);
}

/* Right in form, and still without effect on this machine. */
static int idle(const struct doctor *d, struct judgements *v)
{
	const char *off = doctor_setting(d, "NCCL_P2P_DISABLE");
	int pairs = 0, refused = 0;

	for (int i = 0; i < d->n_gpus; i++)
		for (int j = 0; j < d->n_gpus; j++)
			if (i != j) {
				pairs++;
				refused += d->pair[i][j].cuda == ANSWER_NO;
			}
	if (!off || strcmp(off, "1") != 0 || !pairs || refused != pairs)
		return 0;
	judgement_add(v, LEVEL_INFO, "unset NCCL_P2P_DISABLE",
		      "NCCL_P2P_DISABLE=1 changes nothing here: CUDA refuses P2P for every pair");
	return 1;
}

void judge_environment(const struct doctor *d, struct judgements *v)
{
	const char *nvls = doctor_setting(d, "NCCL_NVLS_ENABLE");
	struct variable_note note;
	size_t row = 0;
	int bad = 0, nccl = 0;

	each(d, v, doctor_nccl_version(d, NULL), &bad);
	while (variable_lint_together(get, d, &row, &note)) {
		judgement_add(v, levels[note.severity], note.remedy, "%s", note.text);
		bad++;
	}
	bad += idle(d, v);
	for (int i = 0; i < d->n_settings; i++)
		nccl += strncmp(d->setting[i].name, "NCCL_", 5) == 0;
	if (nvls && strcmp(nvls, "0") == 0)
		judgement_add(
		    v, LEVEL_INFO, NULL,
		    "NCCL_NVLS_ENABLE=0 is taken as a veto: no command here switches NVLS on");
	if (d->settings_cut)
		judgement_add(v, LEVEL_UNKNOWN, NULL,
			      "more than %d variables: the rest was not looked at",
			      DOCTOR_SETTINGS_MAX);
	if (!bad)
		judgement_add(v, LEVEL_OK, NULL, "%d NCCL variable%s set, nothing wrong with %s",
			      nccl, nccl == 1 ? "" : "s", nccl == 1 ? "it" : "them");
}

void judge_files(const struct doctor *d, struct judgements *v)
{
	int n = 0;

	for (int i = 0; i < d->n_settings; i++)
		if (strcmp(d->setting[i].from, "environment") != 0) {
			judgement_add(v, LEVEL_INFO, NULL,
				      "%s sets %s=%s; the environment would win over it",
				      d->setting[i].from, d->setting[i].name, d->setting[i].value);
			n++;
		}
	if (!n)
		judgement_add(v, LEVEL_OK, NULL, "no file sets a variable of NCCL");
}
