/* SPDX-License-Identifier: Apache-2.0 */
/* --transports and --require: words of any backend at first, of one when that is known. Chooses no
 * default. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/num.h"
#include "run/option_words.h"
#include "run/options.h"
#include "spec/transport.h"

#define ANY_BACKEND (-1)

static int transport_of(int backend, const char *word)
{
	int id = -1;

	if (backend != ANY_BACKEND)
		return transport_find(backend, word);
	for (int i = 0; i < BACKEND_COUNT && id < 0; i++)
		id = transport_find(i, word);
	return id;
}

/* A right word for another backend than the one that runs here: no typing mistake, so no neighbour.
 */
static bool of_other_backend(int backend, const char *option, const char *word)
{
	static const char *const remedies[BACKEND_COUNT] = {
		[BACKEND_NCCL] =
		    "the NCCL backend and at least two GPUs, one per rank: start it "
		    "on a machine where ncclbench doctor finds them, without --backend ucx",
		[BACKEND_UCX] = "the UCX backend: add --backend ucx",
	};

	for (int i = 0; i < BACKEND_COUNT; i++) {
		struct buf own = { 0 };

		if (i == backend || transport_find(i, word) < 0)
			continue;
		for (int t = 0; t < TRANSPORT_COUNT; t++)
			if (transport_table[t].backend == backend)
				buf_printf(&own, "%s%s", own.len ? ", " : "",
					   transport_table[t].name);
		log_note("%s: %s needs %s; %s has %s", option, word, remedies[i],
			 backend_names[backend], buf_text(&own));
		buf_fini(&own);
		return true;
	}
	return false;
}

struct wanted {
	int backend;
	const char *option;
	unsigned long long bits;
	const char *names[TRANSPORT_COUNT]; /* of the backend; n of them */
	size_t n;
};

static int add_transport(void *arg, const char *word)
{
	struct wanted *w = arg;
	int id = transport_of(w->backend, word);
	const char *near;

	if (id >= 0) {
		w->bits |= 1ULL << id;
		return 0;
	}
	if (w->backend != ANY_BACKEND && of_other_backend(w->backend, w->option, word))
		return -EINVAL;
	near = num_nearest(word, w->names, w->n);
	log_note("%s: %s%s transport '%.*s'%s%s; ncclbench list transports shows all", w->option,
		 w->backend == ANY_BACKEND ? "unknown" : backend_names[w->backend],
		 w->backend == ANY_BACKEND ? "" : " has no", QUOTED_MAX, word,
		 near ? "; did you mean " : "", near ? near : "");
	return -EINVAL;
}

/* Called by all ranks: notes, which only one of them prints. */
static int transport_bits(int backend, const char *option, const char *text,
			  unsigned long long *bits)
{
	struct wanted w = { .backend = backend, .option = option };
	int r;

	for (int i = 0; i < TRANSPORT_COUNT; i++)
		if (backend == ANY_BACKEND || transport_table[i].backend == backend)
			w.names[w.n++] = transport_table[i].name;
	r = list_each(text, add_transport, &w);
	if (r == 0 && w.bits == 0) {
		log_note("%s: the list is empty; give for example %s", option, w.names[0]);
		r = -EINVAL;
	}
	*bits = w.bits;
	return r;
}

int options_transports(const struct options *o, int backend, unsigned long long *wanted,
		       unsigned long long *required)
{
	int r = 0;

	*wanted = *required = 0;
	if (o->transports)
		r = transport_bits(backend, "--transports", o->transports, wanted);
	if (r == 0 && o->require)
		r = transport_bits(backend, "--require", o->require, required);
	if (r == 0 && *wanted && *required & ~*wanted) {
		log_note(
		    "--require names a transport that --transports leaves out; name it in both");
		r = -EINVAL;
	}
	return r;
}
