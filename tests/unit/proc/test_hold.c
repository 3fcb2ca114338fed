/* SPDX-License-Identifier: Apache-2.0 */
/* A signal that comes while it is held: seen, ends a helper early, acts at the release. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "proc/child.h"
#include "proc/hold.h"

extern char **environ;

static int status_of(void (*what)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		what();
		_exit(99);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void held(void)
{
	struct hold outer, inner;

	hold_signals(&outer);
	hold_signals(&inner);
	if (hold_interrupted() || raise(SIGTERM) || !hold_interrupted())
		_exit(1);
	hold_release(&inner);
	if (!hold_interrupted())
		_exit(2);
	hold_release(&outer);
}

static void nothing_came(void)
{
	struct hold hold;

	hold_signals(&hold);
	hold_release(&hold);
	_exit(hold_interrupted() ? 1 : 7);
}

static void helper_ends(void)
{
	static char sleep_name[] = "sleep", long_time[] = "300";
	char *argv[] = { sleep_name, long_time, NULL }, out[64];
	struct hold hold;

	hold_signals(&hold);
	(void)raise(SIGINT);
	_exit(child_run("/bin/sleep", argv, environ, 60 * CLOCK_S, out, sizeof(out)) == -EINTR ? 7
											       : 1);
}

static void acts_at_the_release(void **state)
{
	int status = status_of(held);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

static void goes_on_without(void **state)
{
	(void)state;
	assert_int_equal(WEXITSTATUS(status_of(nothing_came)), 7);
}

static void ends_a_helper(void **state)
{
	int status = status_of(helper_ends);

	(void)state;
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(acts_at_the_release),
		cmocka_unit_test(goes_on_without),
		cmocka_unit_test(ends_a_helper),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
