/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks-as-threads coordinator keeps coord.h's promises, and notices what MPI would not. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "coord_threads.h"
#include "slack.h"

#define PATIENCE_NS SLACK_NS

static struct coord_threads_result result;

static void run(int size, coord_threads_fn fn, void *arg)
{
	assert_int_equal(coord_threads_run(size, clock_after_ns(PATIENCE_NS), fn, arg, &result), 0);
}

static void all_return(int size, int code)
{
	for (int i = 0; i < size; i++)
		assert_int_equal(result.code[i], code);
}

static int64_t soon(void)
{
	return clock_after_ns(PATIENCE_NS);
}

/* ---- every collective, every size ---- */

static int use_everything(struct coord *c, void *arg)
{
	int64_t v[2] = { c->rank, -c->rank }, mine = 1000 + c->rank,
		*all = calloc((size_t)c->size, sizeof(*all));
	char word[8] = "";
	int bad = 0, root = c->size / 2;

	if (!all || c->host_size != c->size || c->host_rank != c->rank || c->n_hosts != 1)
		return 1;
	for (int i = 0; i < 3; i++) {
		v[0] = c->rank;
		v[1] = -c->rank;
		bad |= c->ops->max(c, v, 2, soon()) != 0 || v[0] != c->size - 1 || v[1] != 0;
		if (c->rank == root)
			strcpy(word, "root");
		bad |= c->ops->bcast(c, word, sizeof(word), root, soon()) != 0 ||
		       strcmp(word, "root") != 0;
		bad |= c->ops->allgather(c, &mine, sizeof(mine), all, soon()) != 0;
		for (int k = 0; k < c->size; k++)
			bad |= all[k] != 1000 + k;
	}
	free(all);
	return bad ? 2 : 0;
}

static void sizes(void **state)
{
	static const int some[] = { 1, 2, 3, 7, 64, 512 };

	for (size_t i = 0; i < N_ELEMENTS(some); i++) {
		run(some[i], use_everything, NULL);
		all_return(some[i], 0);
		assert_int_equal(result.rounds, 9);
		assert_int_equal(result.aborted, -1);
	}
	assert_int_equal(coord_threads_run(0, soon(), use_everything, NULL, &result), -EINVAL);
	assert_int_equal(coord_threads_run(513, soon(), use_everything, NULL, &result), -EINVAL);
}

static int exchange_texts(struct coord *c, void *arg)
{
	char mine[32], **all = NULL, *word = c->rank == 0 ? strdup("from rank 0") : NULL;
	int bad;

	/* Texts of unlike length: rank 2 says "22". */
	memset(mine, '0' + c->rank, (size_t)c->rank);
	mine[c->rank] = '\0';
	bad = coord_gather_text(c, mine, &all, soon());
	for (int i = 0; !bad && i < c->size; i++)
		bad = strlen(all[i]) != (size_t)i || (i && all[i][0] != '0' + i);
	coord_free_texts(all, c->size);
	bad = bad || coord_bcast_text(c, &word, soon()) != 0 || strcmp(word, "from rank 0") != 0;
	free(word);
	return bad;
}

static void texts(void **state)
{
	run(5, exchange_texts, NULL);
	all_return(5, 0);
}

/* ---- what goes wrong ---- */

static void wait_for(atomic_int *what, int value)
{
	int64_t until = soon();

	while (atomic_load(what) != value && clock_now_ns() < until)
		clock_sleep_ns(CLOCK_MS);
}

static atomic_int gave_up;

static int one_stays_away(struct coord *c, void *arg)
{
	int64_t v = 1;
	int first;

	if (c->rank == 1) {
		wait_for(&gave_up, 2);
		return c->ops->max(c, &v, 1, soon());
	}
	first = c->ops->max(c, &v, 1, clock_after_ns(100 * CLOCK_MS));
	atomic_fetch_add(&gave_up, 1);
	return first == -ETIMEDOUT ? c->ops->max(c, &v, 1, soon()) : 99;
}

/* Whoever comes later is told too: nobody may go on with half of the ranks. */
static void a_missing_rank_ends_the_wait(void **state)
{
	run(3, one_stays_away, NULL);
	all_return(3, -ETIMEDOUT);
	assert_int_equal(gave_up, 2);
	for (int i = 0; i < 2; i++)
		assert_true(result.elapsed_ns[i] < PATIENCE_NS);
}

enum unlike { OTHER_CALL, OTHER_LENGTH, OTHER_ROOT };

static int one_is_out_of_step(struct coord *c, void *arg)
{
	enum unlike how = *(enum unlike *)arg;
	bool odd = c->rank == 1;
	int64_t v[2] = { 0, 0 };

	if (how == OTHER_CALL && odd)
		return c->ops->bcast(c, v, sizeof(v), 0, soon());
	if (how == OTHER_ROOT)
		return c->ops->bcast(c, v, sizeof(v), odd, soon());
	return c->ops->max(c, v, how == OTHER_LENGTH && odd ? 1 : 2, soon());
}

static void ranks_out_of_step_are_noticed(void **state)
{
	for (enum unlike how = OTHER_CALL; how <= OTHER_ROOT; how++) {
		run(3, one_is_out_of_step, &how);
		all_return(3, -EPROTO);
	}
}

static int one_aborts(struct coord *c, void *arg)
{
	int64_t v = 0;

	if (c->rank == 1) {
		c->ops->abort(c, 5);
		return -ECANCELED;
	}
	return c->ops->max(c, &v, 1, soon());
}

static void abort_wakes_everybody(void **state)
{
	run(4, one_aborts, NULL);
	all_return(4, -ECANCELED);
	assert_int_equal(result.aborted, 5);
}

static atomic_int may_return, returned;

static int never_return(struct coord *c, void *arg)
{
	if (c->rank == 1)
		wait_for(&may_return, 1);
	atomic_fetch_add(&returned, 1);
	return 0;
}

static void a_rank_that_does_not_return(void **state)
{
	assert_int_equal(
	    coord_threads_run(2, clock_after_ns(100 * CLOCK_MS), never_return, NULL, &result),
	    -ETIMEDOUT);
	atomic_store(&may_return, 1);
	wait_for(&returned, 2); /* it shall be gone before the program ends */
	assert_int_equal(returned, 2);
}

static int raise_alarms(struct coord *c, void *arg)
{
	int64_t v = 0;
	int bad = c->ops->alarmed(c) != -1;

	bad |= c->ops->max(c, &v, 1, soon()) != 0;
	if (c->rank == 2)
		c->ops->alarm(c, 4);
	bad |= c->ops->max(c, &v, 1, soon()) != 0;
	bad |= c->ops->alarmed(c) != (c->rank == 2 ? -1 : 4);
	bad |= c->ops->max(c, &v, 1, soon()) != 0;
	if (c->rank == 0)
		c->ops->alarm(c, 9);
	bad |= c->ops->max(c, &v, 1, soon()) != 0;
	bad |= c->ops->alarmed(c) != (c->rank == 0 ? 4 : 9);
	return bad;
}

static void alarms_reach_the_others(void **state)
{
	run(3, raise_alarms, NULL);
	all_return(3, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(texts),
		cmocka_unit_test(a_missing_rank_ends_the_wait),
		cmocka_unit_test(ranks_out_of_step_are_noticed),
		cmocka_unit_test(abort_wakes_everybody),
		cmocka_unit_test(a_rank_that_does_not_return),
		cmocka_unit_test(alarms_reach_the_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
