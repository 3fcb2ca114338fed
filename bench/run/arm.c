/* SPDX-License-Identifier: Apache-2.0 */
#include "run/arm.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "explain/variable.h"
#include "run/environment.h"

#define SHOWN 120 /* of a text in a message: what follows it must still be read */
#define LIBRARY_WORD "--nccl-lib"

struct parsing {
	struct arm *arm;
	char *why;
	size_t why_max;
};

static int refuse(const struct parsing *p, const char *word, const char *reason)
{
	snprintf(p->why, p->why_max, "'%.*s' %s", SHOWN, word, reason);
	return -EINVAL;
}

/* ---- one setting ---- */

static bool is_name(const char *text, size_t n)
{
	if (n == 0 || n >= 128 || isdigit((unsigned char)text[0]))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	return true;
}

static bool is_debug(const char *name, const char *value)
{
	for (const struct env_pair *p = transport_debug; p->name; p++)
		if (strcmp(p->name, name) == 0)
			return true;
	return false;
}

static bool is_internal(const char *name, const char *value)
{
	return environment_is_internal(name);
}

static bool is_preload(const char *name, const char *value)
{
	return strcmp(name, "LD_PRELOAD") == 0;
}

/* A file that NCCL reads settings from, a plugin that it asks instead of getenv (2.28.7). */
static bool is_hidden(const char *name, const char *value)
{
	return strcmp(name, "NCCL_CONF_FILE") == 0 || strcmp(name, "NCCL_ENV_PLUGIN") == 0;
}

/* TABLE: what an arm may not set, and why. */
static const struct {
	bool (*applies)(const char *name, const char *value);
	const char *reason;
} forbidden[] = {
	{ environment_touches_multicast,
	  "steers NVLink multicast, which no option may do: NCCL_NVLS_ENABLE=0 in the environment "
	  "of the whole run switches it off in "
	  "every arm" },
	{ is_hidden,
	  "brings settings that ncclbench does not see, multicast and its veto among them; name "
	  "each of them instead" },
	{ is_debug,
	  "is set by ncclbench itself, which reads the log to prove the path; leave it out" },
	{ is_preload, "cannot be set here; --nccl-lib PATH loads another library" },
	{ is_internal, "belongs to the launcher or to ncclbench; leave it out" },
};

bool arm_applies(const struct arm *a, size_t i, int transport)
{
	return !a->only || a->only[i] >> transport & 1;
}

const char *arm_value(const struct arm *a, const char *name)
{
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->set[i].name, name) == 0)
			return a->set[i].value;
	return NULL;
}

static int keep_setting(struct parsing *p, const char *word, size_t name_len)
{
	struct arm *a = p->arm;
	struct env_pair *grown = reallocarray(a->set, a->n + 1, sizeof(*grown));
	struct env_pair one;

	if (!grown)
		return -ENOMEM;
	a->set = grown;
	one.name = strndup(word, name_len);
	one.value = strdup(word + name_len + 1);
	a->set[a->n++] = one;
	return one.name && one.value ? 0 : -ENOMEM;
}

static int take_setting(struct parsing *p, const char *word)
{
	const char *eq = strchr(word, '=');
	struct env_pair *last;
	int r;

	if (!eq || !is_name(word, (size_t)(eq - word)))
		return refuse(p, word,
			      "is not NAME=VALUE, as NCCL_ALGO=Tree (or " LIBRARY_WORD " PATH)");
	if (p->arm->n == ARM_SETTINGS_MAX)
		return refuse(p, word, "is one setting too many: an arm has at most 32");
	r = keep_setting(p, word, (size_t)(eq - word));
	if (r < 0)
		return r;
	last = &p->arm->set[--p->arm->n];
	if (arm_value(p->arm, last->name))
		r = refuse(p, word, "sets a name that this arm sets already");
	p->arm->n++;
	for (size_t i = 0; i < N_ELEMENTS(forbidden) && r == 0; i++)
		if (forbidden[i].applies(last->name, last->value))
			r = refuse(p, word, forbidden[i].reason);
	return r;
}

/* ---- library ---- */

char *arm_library(const char *path, char *why, size_t why_max)
{
	char *real;

	if (strpbrk(path, ": ")) {
		snprintf(why, why_max,
			 LIBRARY_WORD ": '%.*s' holds a blank or a colon, which the loader cannot "
				      "take; use a link without them",
			 SHOWN, path);
		return NULL;
	}
	if (access(path, R_OK) != 0) {
		snprintf(why, why_max, LIBRARY_WORD ": cannot read '%.*s': %s", SHOWN, path,
			 strerror(errno));
		return NULL;
	}
	real = realpath(path, NULL);
	if (!real)
		snprintf(why, why_max, LIBRARY_WORD ": cannot resolve '%.*s': %s", SHOWN, path,
			 strerror(errno));
	else if (strpbrk(real, ": "))
		snprintf(why, why_max,
			 LIBRARY_WORD ": '%.*s' is a link to a path with a blank or a colon, which "
				      "the loader cannot take",
			 SHOWN, path);
	else
		return real;
	free(real);
	return NULL;
}

static int take_library(struct parsing *p, const char *path)
{
	if (!path)
		return refuse(p, LIBRARY_WORD, "needs a path after it");
	if (p->arm->nccl_lib)
		return refuse(p, path, "is a second " LIBRARY_WORD " in one arm; give one");
	p->arm->nccl_lib = arm_library(path, p->why, p->why_max);
	return p->arm->nccl_lib ? 0 : -EINVAL;
}

/* ---- one arm ---- */

static int parse_words(struct parsing *p, char *copy)
{
	char *save = NULL;
	int r = 0;

	for (char *w = strtok_r(copy, " \t\n", &save); w && r == 0;
	     w = strtok_r(NULL, " \t\n", &save)) {
		if (strcmp(w, LIBRARY_WORD) == 0)
			r = take_library(p, strtok_r(NULL, " \t\n", &save));
		else if (strncmp(w, LIBRARY_WORD "=", strlen(LIBRARY_WORD "=")) == 0)
			r = take_library(p, w + strlen(LIBRARY_WORD "="));
		else
			r = take_setting(p, w);
	}
	return r;
}

static int parse_arm(const char *text, size_t index, struct arm *a, char *why, size_t why_max)
{
	struct parsing p = { .arm = a, .why = why, .why_max = why_max };
	char *copy = strdup(text);
	int r = copy ? parse_words(&p, copy) : -ENOMEM;

	free(copy);
	a->text = strdup(text);
	a->label[0] = a->tag[0] = (char)('A' + index);
	return r == 0 && !a->text ? -ENOMEM : r;
}

/* ---- all ---- */

static bool same_arm(const struct arm *a, const struct arm *b)
{
	if (a->n != b->n ||
	    strcmp(a->nccl_lib ? a->nccl_lib : "", b->nccl_lib ? b->nccl_lib : "") != 0)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		const char *value = arm_value(b, a->set[i].name);

		if (!value || strcmp(value, a->set[i].value) != 0)
			return false;
	}
	return true;
}

static int check_different(const struct arm *arms, size_t n, char *why, size_t why_max)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++) {
			if (!same_arm(&arms[i], &arms[k]))
				continue;
			snprintf(
			    why, why_max,
			    "'%.*s' is the same environment as '%.*s'; there is nothing to compare",
			    SHOWN, arms[i].text, SHOWN, arms[k].text);
			return -EINVAL;
		}
	return 0;
}

int arms_parse(const char *const *texts, size_t n_texts, struct arm **out, size_t *n, char *why,
	       size_t why_max)
{
	bool against_plain = n_texts == 1;
	size_t count = n_texts + against_plain;
	struct arm *arms;
	int r = 0;

	if (count > ARMS_MAX) {
		snprintf(why, why_max, "%zu environments; at most %d are compared in one run",
			 n_texts, ARMS_MAX);
		return -EINVAL;
	}
	arms = calloc(count + 1, sizeof(*arms));
	if (!arms)
		return -ENOMEM;
	for (size_t i = 0; i < count && r == 0; i++)
		r = parse_arm(against_plain && i == 0 ? "" : texts[i - against_plain], i, &arms[i],
			      why, why_max);
	if (r == 0)
		r = check_different(arms, count, why, why_max);
	if (r < 0) {
		arms_free(arms, count);
		return r;
	}
	*out = arms;
	*n = count;
	return 0;
}

void arms_free(struct arm *arms, size_t n)
{
	for (size_t i = 0; arms && i < n; i++) {
		for (size_t k = 0; k < arms[i].n; k++) {
			free((char *)arms[i].set[k].name);
			free((char *)arms[i].set[k].value);
		}
		free(arms[i].set);
		free(arms[i].only);
		free(arms[i].nccl_lib);
		free(arms[i].text);
	}
	free(arms);
}

/* ---- what looks wrong ---- */

/* Another backend's variables change nothing here. */
static bool is_foreign(const char *name, int backend)
{
	return strncmp(name, backend == BACKEND_UCX ? "NCCL_" : "UCX_",
		       backend == BACKEND_UCX ? 5 : 4) == 0;
}

void arms_lint(const struct arm *arms, size_t n, int backend)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < arms[i].n; k++) {
			const struct env_pair *s = &arms[i].set[k];
			struct variable_note note;

			if (is_foreign(s->name, backend))
				log_note("--ab: arm %s sets %s, which the backend %s does not read",
					 arms[i].label, s->name, backend_names[backend]);
			else if (strncmp(s->name, "NCCL_", 5) == 0 &&
				 variable_lint(s->name, s->value, 0, false, &note))
				log_note("--ab: arm %s: %s", arms[i].label, note.text);
		}
}
