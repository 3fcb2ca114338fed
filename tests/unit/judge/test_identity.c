/* SPDX-License-Identifier: Apache-2.0 */
/* Which series are one measurement, and what may confirm another. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "judge/identity.h"
#include "judge/series.h"

struct one {
	const char *started, *boot, *machine;
	double log_time; /* of its only row */
};

static const struct {
	struct one a, b;
	bool same;
} rows[] = {
	{ { "10:00", "b1", "m1", 1 }, { "10:00", "b1", "m1", 1 }, true },
	{ { "10:00", "b1", "m1", 1 }, { "10:00", "b1", "m1", 2 }, true }, /* figures were touched */
	{ { "10:00", "b1", "m1", 1 }, { "10:01", "b1", "m1", 1 }, false },
	{ { "10:00", "b1", "m1", 1 }, { "10:00", "b2", "m1", 1 }, false },
	{ { "10:00", "b1", "m1", 1 }, { "10:00", "b1", "m2", 1 }, false },
	{ { "10:00", "", "", 1 }, { "10:00", "", "", 1 }, true },
	{ { "10:00", "", "", 1 }, { "10:00", "", "", 2 }, false }, /* two machines, one second */
	{ { "", "", "", 1 }, { "", "", "", 1 }, true },
	{ { "", "", "", 1 }, { "", "", "", 2 }, false },
	{ { "10:00", "b1", "m1", 1 }, { "", "", "", 1 }, true }, /* run.json was taken away */
	{ { "10:00", "b1", "m1", 1 }, { "", "", "", 2 }, false },
};

static void make(const struct one *from, struct point *p, struct series *s)
{
	*p = (struct point){ .group = 1, .bytes = 8, .log_time = from->log_time };
	*s = (struct series){ .points = p, .n = 1, .path = (char *)(uintptr_t) "old" };
	snprintf(s->facts.started, sizeof(s->facts.started), "%s", from->started);
	snprintf(s->facts.boot, sizeof(s->facts.boot), "%s", from->boot);
	snprintf(s->facts.value[FACT_MACHINE], FACT_TEXT, "%s", from->machine);
}

static void one_measurement(void **state)
{
	for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
		struct point p, q;
		struct series a, b;

		make(&rows[i].a, &p, &a);
		make(&rows[i].b, &q, &b);
		assert_int_equal(identity_same(&a, &b), rows[i].same);
		assert_int_equal(identity_same(&b, &a), rows[i].same);
	}
}

/* Two short runs of one second, of equal figures: their seeds are of the clock. */
static void seeds_tell_runs_of_a_second_apart(void **state)
{
	struct point p, q;
	struct series a, b;

	make(&rows[0].a, &p, &a);
	make(&rows[0].b, &q, &b);
	snprintf(a.facts.seed, sizeof(a.facts.seed), "2334317595997590");
	snprintf(b.facts.seed, sizeof(b.facts.seed), "2334317595997590");
	assert_true(identity_same(&a, &b));
	snprintf(b.facts.seed, sizeof(b.facts.seed), "2334318011220034");
	assert_false(identity_same(&a, &b));
	/* One side does not tell its own: then the rows decide. */
	b.facts.seed[0] = '\0';
	assert_true(identity_same(&a, &b));
	q.log_time = 2;
	assert_false(identity_same(&a, &b));
}

static void other_rows_are_another(void **state)
{
	struct point p[2] = { { .bytes = 8 }, { .bytes = 16 } },
		     q[2] = { { .bytes = 8 }, { .bytes = 16 } };
	struct series a = { .points = p, .n = 2 }, b = { .points = q, .n = 2 };

	assert_true(identity_same(&a, &b));
	q[1].bytes = 32;
	assert_false(identity_same(&a, &b));
	q[1].bytes = 16;
	b.n = 1;
	assert_false(identity_same(&a, &b));
}

static const struct {
	struct one again;
	const char *says; /* NULL: it may confirm */
} confirming[] = {
	{ { "2026-11-30T12:00:00Z", "b1", "m1", 9 }, NULL },
	{ { "2026-11-30T11:00:00Z", "b1", "m1", 9 }, "is the new run itself" },
	{ { "", "", "", 2 }, "is the new run itself" },
	{ { "2026-11-30T10:00:00Z", "b1", "m1", 9 }, "is a series of the baseline (old)" },
	{ { "", "", "", 1 }, "is a series of the baseline (old)" },
	{ { "", "", "", 9 }, "does not tell when it was measured" },
	{ { "2026-11-30T10:30:00Z", "b1", "m1", 9 },
	  "started at 2026-11-30T10:30:00Z, before the new run (2026-11-30T11:00:00Z)" },
};

static void what_confirms(void **state)
{
	static const struct one old = { "2026-11-30T10:00:00Z", "b1", "m1", 1 },
				new = { "2026-11-30T11:00:00Z", "b1", "m1", 2 };
	struct point p, q, r;
	struct series base, now, again;
	const struct series *list[] = { &base };
	char why[300];

	make(&old, &p, &base);
	make(&new, &q, &now);
	for (size_t i = 0; i < N_ELEMENTS(confirming); i++) {
		bool good;

		make(&confirming[i].again, &r, &again);
		good = identity_confirms(list, 1, &now, &again, why, sizeof(why));
		assert_int_equal(good, confirming[i].says == NULL);
		if (confirming[i].says)
			assert_non_null(strstr(why, confirming[i].says));
	}
	/* Measured from the verdict: after it, whatever a clock that was set says. */
	make(&(struct one){ "2026-11-30T10:30:00Z", "b1", "m1", 9 }, &r, &again);
	again.facts.confirms = true;
	assert_true(identity_confirms(list, 1, &now, &again, why, sizeof(why)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_measurement),
		cmocka_unit_test(seeds_tell_runs_of_a_second_apart),
		cmocka_unit_test(other_rows_are_another),
		cmocka_unit_test(what_confirms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
