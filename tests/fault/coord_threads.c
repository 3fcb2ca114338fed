/* SPDX-License-Identifier: Apache-2.0 */
/* One board per job: ranks lay down what they bring, the last one to come does the work for all,
 * the next round begins. */
#include "coord_threads.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

#define STACK_BYTES \
	(1u << 20) /* 512 ranks must fit; the deepest call chain of a campaign needs far less */

enum call { CALL_MAX, CALL_BCAST, CALL_GATHER };

struct deposit {
	enum call call;
	size_t len;
	int root;
	const void *in;
	void *out;
};

struct board {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	int size, here;
	int64_t generation;
	int verdict; /* of the latest generation */
	int broken;  /* negative errno once a rank stayed away: for good */
	int aborted;
	struct deposit deposit[COORD_THREADS_MAX];
	_Atomic int64_t alarm[COORD_THREADS_MAX];
};

struct rank {
	struct board *board;
	struct coord coord;
	pthread_t thread;
	coord_threads_fn fn;
	void *arg;
	int code;
	int64_t elapsed_ns;
	_Atomic bool ended;
};

struct job {
	struct board board;
	struct rank rank[COORD_THREADS_MAX];
	struct job *next;
};

static struct job *abandoned; /* timed out: ranks may still be in them */

static int unlike(const struct board *b)
{
	const struct deposit *first = &b->deposit[0];

	for (int i = 1; i < b->size; i++) {
		const struct deposit *d = &b->deposit[i];

		if (d->call != first->call || d->len != first->len || d->root != first->root)
			return -EPROTO;
	}
	return 0;
}

static void do_max(struct board *b)
{
	size_t n = b->deposit[0].len / sizeof(int64_t);

	for (size_t k = 0; k < n; k++) {
		int64_t max = INT64_MIN;

		for (int i = 0; i < b->size; i++) {
			int64_t v = ((const int64_t *)b->deposit[i].in)[k];

			max = v > max ? v : max;
		}
		for (int i = 0; i < b->size; i++)
			((int64_t *)b->deposit[i].out)[k] = max;
	}
}

static void do_bcast(struct board *b)
{
	const struct deposit *root = &b->deposit[b->deposit[0].root];

	for (int i = 0; i < b->size; i++)
		if (&b->deposit[i] != root)
			memcpy(b->deposit[i].out, root->in, root->len);
}

static void do_gather(struct board *b)
{
	for (int i = 0; i < b->size; i++)
		for (int k = 0; k < b->size; k++)
			memcpy((char *)b->deposit[i].out + (size_t)k * b->deposit[k].len,
			       b->deposit[k].in, b->deposit[k].len);
}

static void complete(struct board *b)
{
	static void (*const work[])(struct board *) = {
		[CALL_MAX] = do_max,
		[CALL_BCAST] = do_bcast,
		[CALL_GATHER] = do_gather,
	};

	b->verdict = unlike(b);
	if (b->verdict == 0)
		work[b->deposit[0].call](b);
	else
		b->broken = b->verdict;
	b->here = 0;
	b->generation++;
	pthread_cond_broadcast(&b->moved);
}

static void wait_for_others(struct board *b, int64_t deadline_ns)
{
	struct timespec until = { deadline_ns / CLOCK_S, deadline_ns % CLOCK_S };
	int64_t mine = b->generation;

	while (b->generation == mine && !b->broken)
		if (pthread_cond_timedwait(&b->moved, &b->lock, &until) == ETIMEDOUT &&
		    b->generation == mine && !b->broken) {
			/* What we laid down is about to go away: nobody may use it. */
			b->broken = -ETIMEDOUT;
			pthread_cond_broadcast(&b->moved);
		}
	if (b->generation == mine)
		b->verdict = b->broken;
}

static int meet(struct coord *c, const struct deposit *d, int64_t deadline_ns)
{
	struct board *b = ((struct rank *)c->priv)->board;
	int r;

	pthread_mutex_lock(&b->lock);
	if (!b->broken) {
		b->deposit[c->rank] = *d;
		if (++b->here == b->size)
			complete(b);
		else
			wait_for_others(b, deadline_ns);
	}
	r = b->broken ? b->broken : b->verdict;
	pthread_mutex_unlock(&b->lock);
	return r;
}

static int threads_max(struct coord *c, int64_t *v, int n, int64_t deadline_ns)
{
	struct deposit d = { .call = CALL_MAX, .len = (size_t)n * sizeof(*v), .in = v, .out = v };

	return meet(c, &d, deadline_ns);
}

static int threads_bcast(struct coord *c, void *data, size_t len, int root, int64_t deadline_ns)
{
	struct deposit d = {
		.call = CALL_BCAST, .len = len, .root = root, .in = data, .out = data
	};

	return root < 0 || root >= c->size ? -EINVAL : meet(c, &d, deadline_ns);
}

static int threads_allgather(struct coord *c, const void *mine, size_t len, void *all,
			     int64_t deadline_ns)
{
	struct deposit d = { .call = CALL_GATHER, .len = len, .in = mine, .out = all };

	return meet(c, &d, deadline_ns);
}

static void threads_alarm(struct coord *c, int64_t round)
{
	atomic_store(&((struct rank *)c->priv)->board->alarm[c->rank], round);
}

static int64_t threads_alarmed(struct coord *c)
{
	struct board *b = ((struct rank *)c->priv)->board;
	int64_t latest = -1;

	for (int i = 0; i < b->size; i++) {
		int64_t round = i == c->rank ? -1 : atomic_load(&b->alarm[i]);

		latest = round > latest ? round : latest;
	}
	return latest;
}

static void threads_abort(struct coord *c, int code)
{
	struct board *b = ((struct rank *)c->priv)->board;

	pthread_mutex_lock(&b->lock);
	if (b->aborted < 0)
		b->aborted = code;
	if (!b->broken)
		b->broken = -ECANCELED;
	pthread_cond_broadcast(&b->moved);
	pthread_mutex_unlock(&b->lock);
}

static void threads_close(struct coord *c)
{
}

static const struct coord_ops threads_ops = {
	.max = threads_max,
	.bcast = threads_bcast,
	.allgather = threads_allgather,
	.alarm = threads_alarm,
	.alarmed = threads_alarmed,
	.abort = threads_abort,
	.close = threads_close,
};

static void *live(void *arg)
{
	struct rank *r = arg;
	int64_t start = clock_now_ns();

	r->code = r->fn(&r->coord, r->arg);
	r->elapsed_ns = clock_now_ns() - start;
	atomic_store(&r->ended, true);
	return NULL;
}

static int board_init(struct board *b, int size)
{
	pthread_condattr_t attr;
	int r;

	b->size = size;
	b->aborted = -1;
	for (int i = 0; i < size; i++)
		b->alarm[i] = -1;
	r = pthread_condattr_init(&attr);
	if (r == 0)
		r = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	if (r == 0)
		r = pthread_cond_init(&b->moved, &attr);
	if (r == 0)
		r = pthread_mutex_init(&b->lock, NULL);
	pthread_condattr_destroy(&attr);
	return -r;
}

static int start_rank(struct job *j, int i, coord_threads_fn fn, void *arg)
{
	struct rank *r = &j->rank[i];
	pthread_attr_t attr;
	int rc;

	r->board = &j->board;
	r->fn = fn;
	r->arg = arg;
	r->coord = (struct coord){
		.ops = &threads_ops,
		.rank = i,
		.size = j->board.size,
		.host_rank = i,
		.host_size = j->board.size,
		.n_hosts = 1,
		.priv = r,
	};
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	rc = pthread_create(&r->thread, &attr, live, r);
	pthread_attr_destroy(&attr);
	return -rc;
}

static void abandon(struct job *j, int from, int n)
{
	for (int i = from; i < n; i++)
		pthread_detach(j->rank[i].thread);
	j->next = abandoned;
	abandoned = j;
}

/* Joins the first n; false when one is not back in time. */
static bool join_ranks(struct job *j, int n, int64_t deadline_ns)
{
	for (int i = 0; i < n; i++) {
		while (!atomic_load(&j->rank[i].ended)) {
			if (clock_now_ns() > deadline_ns) {
				abandon(j, i, n);
				return false;
			}
			clock_sleep_ns(CLOCK_MS);
		}
		pthread_join(j->rank[i].thread, NULL);
	}
	return true;
}

int coord_threads_run(int size, int64_t deadline_ns, coord_threads_fn fn, void *arg,
		      struct coord_threads_result *out)
{
	struct job *j;
	int r, started = 0;

	if (size < 1 || size > COORD_THREADS_MAX)
		return -EINVAL;
	j = calloc(1, sizeof(*j));
	if (!j)
		return -ENOMEM;
	r = board_init(&j->board, size);
	while (r == 0 && started < size) {
		r = start_rank(j, started, fn, arg);
		started += r == 0;
	}
	if (r < 0)
		threads_abort(&j->rank[0].coord, 0);
	if (!join_ranks(j, started, deadline_ns))
		return -ETIMEDOUT;
	out->aborted = j->board.aborted;
	out->rounds = j->board.generation;
	for (int i = 0; i < size; i++) {
		out->code[i] = j->rank[i].code;
		out->elapsed_ns[i] = j->rank[i].elapsed_ns;
	}
	pthread_cond_destroy(&j->board.moved);
	pthread_mutex_destroy(&j->board.lock);
	free(j);
	return r;
}
