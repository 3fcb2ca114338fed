/* SPDX-License-Identifier: Apache-2.0 */
/* child_run: output, exit codes, bounds. The helpers are /bin/sh scripts. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "proc/child.h"
#include "slack.h"

static int shell(const char *script, int64_t timeout_ns, char *out, size_t max)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)script, NULL };

	return child_run("sh", argv, NULL, timeout_ns, out, max);
}

static void both_streams_and_the_status(void **state)
{
	char out[64];

	assert_int_equal(shell("echo one; echo two >&2; exit 3", SLACK_NS, out, sizeof(out)), 3);
	assert_string_equal(out, "one\ntwo\n");
	assert_int_equal(shell("exit 0", SLACK_NS, out, sizeof(out)), 0);
	assert_string_equal(out, "");
	assert_int_equal(shell("kill -9 $$", SLACK_NS, out, sizeof(out)), 128 + 9);
}

static void environment_is_given(void **state)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)"echo $WORD", NULL };
	char *envp[] = { (char *)"WORD=given", NULL };
	char out[64];

	assert_int_equal(child_run("/bin/sh", argv, envp, SLACK_NS, out, sizeof(out)), 0);
	assert_string_equal(out, "given\n");
}

static void long_output_is_cut_and_does_not_block(void **state)
{
	char out[10];

	assert_int_equal(
	    shell("head -c 300000 /dev/zero | tr '\\0' x; exit 4", SLACK_NS, out, sizeof(out)), 4);
	assert_string_equal(out, "xxxxxxxxx");
	assert_int_equal(shell("echo x", SLACK_NS, out, 1), 0);
	assert_string_equal(out, "");
	assert_int_equal(shell("echo x", SLACK_NS, out, 0), -EINVAL);
}

static void large_output_is_whole(void **state)
{
	size_t max = 300001;
	char *out = malloc(max);

	assert_int_equal(shell("head -c 300000 /dev/zero | tr '\\0' y", SLACK_NS, out, max), 0);
	assert_int_equal(strlen(out), 300000);
	assert_int_equal(strspn(out, "y"), 300000);
	free(out);
}

static void timeout_keeps_what_was_said(void **state)
{
	int64_t timeout_ns = 100 * CLOCK_MS, start_ns;
	char out[64] = "";

	for (; !out[0] && timeout_ns < SLACK_NS; timeout_ns *= PATIENCE_GROWS) {
		start_ns = clock_now_ns();
		assert_int_equal(shell("trap '' TERM; echo early; sleep 600; echo late", timeout_ns,
				       out, sizeof(out)),
				 -ETIMEDOUT);
		assert_in_range(clock_now_ns() - start_ns, timeout_ns, timeout_ns + SLACK_NS);
	}
	assert_string_equal(out, "early\n");
}

static void closed_output_does_not_spin_or_end_it(void **state)
{
	char out[64];

	assert_int_equal(
	    shell("exec >/dev/null 2>&1; sleep 0.05; exit 6", SLACK_NS, out, sizeof(out)), 6);
}

static void grandchild_that_holds_the_pipe_is_not_waited_for(void **state)
{
	int64_t start_ns = clock_now_ns();
	char out[64];
	int stray;

	assert_int_equal(shell("sleep 600 & echo gone", SLACK_NS, out, sizeof(out)), 0);
	assert_string_equal(out, "gone\n");
	/* One that left the group, so that nobody but us ends it. */
	assert_int_equal(
	    shell("setsid sleep 600 & echo $!; sleep 0.05", SLACK_NS, out, sizeof(out)), 0);
	stray = atoi(out);
	assert_true(stray > 1);
	kill(stray, SIGKILL);
	assert_true(clock_now_ns() - start_ns < SLACK_NS);
}

static void missing_program_is_an_error(void **state)
{
	char *argv[] = { (char *)"x", NULL };
	char out[8] = "junk";

	assert_int_equal(
	    child_run("no-such-program-anywhere", argv, NULL, SLACK_NS, out, sizeof(out)), -ENOENT);
	assert_string_equal(out, "");
}

static void nothing_stays_open(void **state)
{
	int before = fcntl(1, F_DUPFD_CLOEXEC, 0), after;
	char out[8];

	close(before);
	assert_int_equal(shell("echo x", SLACK_NS, out, sizeof(out)), 0);
	assert_int_equal(shell("sleep 20", 10 * CLOCK_MS, out, sizeof(out)), -ETIMEDOUT);
	after = fcntl(1, F_DUPFD_CLOEXEC, 0);
	close(after);
	assert_int_equal(before, after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_streams_and_the_status),
		cmocka_unit_test(environment_is_given),
		cmocka_unit_test(long_output_is_cut_and_does_not_block),
		cmocka_unit_test(large_output_is_whole),
		cmocka_unit_test(timeout_keeps_what_was_said),
		cmocka_unit_test(closed_output_does_not_spin_or_end_it),
		cmocka_unit_test(grandchild_that_holds_the_pipe_is_not_waited_for),
		cmocka_unit_test(missing_program_is_an_error),
		cmocka_unit_test(nothing_stays_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
