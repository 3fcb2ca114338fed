/* SPDX-License-Identifier: Apache-2.0 */
/* How a tune folds the points of a transport into classes. What it finds with them is elsewhere. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "run/tune_class.h"
#include "spec/op.h"
#include "spec/plan.h"
#include "spec/profile.h"
#include "spec/transport.h"

static const uint64_t sizes[] = { 8, 4 << 20 };

static struct plan plan_of(unsigned long long ops)
{
	struct plan_request q = { .backend = BACKEND_UCX,
				  .nranks = 2,
				  .ops = ops,
				  .transports = 1ULL << TRANSPORT_UCX_SHM,
				  .sizes = sizes,
				  .n_sizes = 2,
				  .b = 1 };
	struct plan p = { 0 };
	char why[300] = "";

	q.profile = profile_find("quick");
	assert_int_equal(plan_build(&q, &p, why, sizeof(why)), 0);
	return p;
}

/* UCX has no alltoall: that costs these points, not the transport. */
static void an_operation_that_is_not_there_costs_nothing_else(void **state)
{
	struct plan p = plan_of(1ULL << OP_ALL_REDUCE | 1ULL << OP_ALLTOALL);
	const double us[] = { 2, 800, 0, 0 };
	struct tune_classes c = { 0 };
	char why[300] = "";
	double out[SEARCH_CLASSES];

	assert_int_equal(p.n_points, 4);
	assert_int_equal(tune_classes_build(&p, 0, "bandwidth", &c, why, sizeof(why)), 0);
	assert_string_equal(why, "");
	assert_int_equal(c.n, 2);
	assert_string_equal(c.v[1].name, "all_reduce mid");
	tune_classes_fold(&c, us, out);
	assert_true(fabs(out[0] - 2) < 1e-9 && fabs(out[1] - 800) < 1e-9);
	tune_classes_fini(&c);
	plan_fini(&p);
}

static void nothing_to_measure_is_told(void **state)
{
	struct plan p = plan_of(1ULL << OP_ALLTOALL);
	struct tune_classes c = { 0 };
	char why[300] = "";

	assert_int_equal(tune_classes_build(&p, 0, "bandwidth", &c, why, sizeof(why)), 1);
	assert_non_null(strstr(why, "does not have this operation"));
	plan_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_operation_that_is_not_there_costs_nothing_else),
		cmocka_unit_test(nothing_to_measure_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
