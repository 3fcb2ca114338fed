/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of key=value, and the helper that gives them: dead, silent, absent. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "run/facts.h"
#include "slack.h"

static const char *worker;

static void keys_are_whole(void **state)
{
	const char *text =
	    "device=1\ngpu1.name=Fake GPU\ngpu1.names=no\nempty=\nequals=a=b\nlast=end";
	char v[32];

	assert_true(facts_text_get(text, "device", v, sizeof(v)));
	assert_string_equal(v, "1");
	assert_true(facts_text_get(text, "gpu1.name", v, sizeof(v)));
	assert_string_equal(v, "Fake GPU");
	assert_true(facts_text_get(text, "empty", v, sizeof(v)));
	assert_string_equal(v, "");
	assert_true(facts_text_get(text, "equals", v, sizeof(v)));
	assert_string_equal(v, "a=b");
	assert_true(facts_text_get(text, "last", v, sizeof(v)));
	assert_string_equal(v, "end");
	assert_false(facts_text_get(text, "vice", v, sizeof(v)));
	assert_false(facts_text_get(text, "gpu1", v, sizeof(v)));
	assert_false(facts_text_get(text, "a", v, sizeof(v)));
	assert_false(facts_text_get("", "device", v, sizeof(v)));
	assert_false(facts_text_get(NULL, "device", v, sizeof(v)));
	/* The first of two counts, and a value is cut to the room there is. */
	assert_true(facts_text_get("k=first\nk=second\n", "k", v, 4));
	assert_string_equal(v, "fir");
}

static void numbers_and_devices(void **state)
{
	char a[] = "device=1\ngpu0.bus=00\ngpu1.bus=11\nn=12\nbad=12x\nlow=-5\n",
	     b[] = "device=0\ngpu0.bus=22\n";
	char *texts[] = { a, b };
	const struct facts f = { .text = texts, .n = 2 };
	char v[32];

	assert_int_equal(facts_int(&f, 0, "n", -1), 12);
	assert_int_equal(facts_int(&f, 0, "low", 0), -5);
	assert_int_equal(facts_int(&f, 0, "bad", -7), -7);
	assert_int_equal(facts_int(&f, 0, "absent", 3), 3);
	assert_int_equal(facts_int(&f, 2, "n", 4), 4);
	assert_int_equal(facts_int(&f, -1, "n", 4), 4);
	assert_int_equal(facts_device(&f, 0), 1);
	assert_int_equal(facts_device(&f, 9), 0);
	assert_true(facts_gpu(&f, 0, "bus", v, sizeof(v)));
	assert_string_equal(v, "11");
	assert_true(facts_gpu(&f, 1, "bus", v, sizeof(v)));
	assert_string_equal(v, "22");
	assert_false(facts_gpu(&f, 1, "name", v, sizeof(v)));
	assert_string_equal(v, "");
}

/* Two containers with one host name are two machine starts only when the boot differs. */
static void one_host_or_two(void **state)
{
	char a[] = "host=n1\nboot=1\n", b[] = "host=n1\nboot=1\n", c[] = "host=n1\nboot=2\n",
	     d[] = "host=n2\nboot=1\n";
	char *texts[] = { a, b, c, d };
	const struct facts f = { .text = texts, .n = 4 };

	assert_true(facts_same_host(&f, 0, 1));
	assert_false(facts_same_host(&f, 0, 2));
	assert_false(facts_same_host(&f, 0, 3));
	assert_true(facts_same_host(&f, 2, 2));
}

static bool probe(const char *path, const char *script, int64_t timeout_ns, char *why, char **text)
{
	why[0] = '\0';
	*text = NULL;
	setenv("NCCLBENCH_TEST_FAKE", script, 1);
	return facts_probe(path, NULL, timeout_ns, text, why, 300);
}

static void a_probe_that_answers(void **state)
{
	char why[300], v[32], *text;

	assert_true(probe(worker, "slow:20@probe", SLACK_NS, why, &text));
	assert_true(facts_text_get(text, "devices", v, sizeof(v)));
	assert_string_equal(v, "2");
	assert_true(facts_text_get(text, "gpu0.name", v, sizeof(v)));
	assert_string_equal(v, "Fake GPU");
	free(text);
}

static void a_probe_that_does_not(void **state)
{
	char why[300], *text;
	int64_t from;

	assert_false(probe("/proc/nonexistent/worker", "", SLACK_NS, why, &text));
	assert_string_equal(why, "/proc/nonexistent/worker is not there");
	assert_false(probe(worker, "exit:3@probe", SLACK_NS, why, &text));
	assert_non_null(strstr(why, "--probe ended with status 3"));
	assert_false(probe(worker, "crash:11@probe", SLACK_NS, why, &text));
	assert_non_null(strstr(why, "--probe was killed by signal 11"));
	from = clock_now_ns();
	assert_false(probe(worker, "ignore-term@probe", CLOCK_S / 4, why, &text));
	assert_non_null(strstr(why, "--probe did not answer within"));
	assert_in_range(clock_now_ns() - from, CLOCK_S / 4, SLACK_NS);
	assert_null(text);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_whole),        cmocka_unit_test(numbers_and_devices),
		cmocka_unit_test(one_host_or_two),       cmocka_unit_test(a_probe_that_answers),
		cmocka_unit_test(a_probe_that_does_not),
	};

	if (argc != 2)
		return 2;
	worker = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
