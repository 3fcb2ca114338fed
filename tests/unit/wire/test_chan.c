/* SPDX-License-Identifier: Apache-2.0 */
/* The channel: packets, deadlines, ends, and what wins when several things happen at once. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "ncclbench/protocol.h"
#include "slack.h"
#include "wire/chan.h"
#include "wire/msg.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

static int fds[2];

static int setup(void **state)
{
	return chan_pair(fds);
}

static int teardown(void **state)
{
	close(fds[0]);
	close(fds[1]);
	return 0;
}

static int recv_by(int64_t delay_ns, struct words *w)
{
	return chan_recv(fds[0], -1, clock_after_ns(delay_ns), 0, NULL, NULL, w);
}

static void say(const char *text)
{
	assert_int_equal(send(fds[1], text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

static void ends_are_close_on_exec(void **state)
{
	assert_true(fcntl(fds[0], F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(fds[1], F_GETFD) & FD_CLOEXEC);
}

static void message_arrives(void **state)
{
	struct msg m = { 0 };
	struct words w;

	msg_begin(&m, "FAIL");
	msg_add(&m, "text", "two words");
	assert_int_equal(chan_send(fds[1], &m, clock_after_ns(SLACK_NS)), CHAN_OK);
	assert_int_equal(chan_send(fds[1], &m, 0), CHAN_OK); /* past deadline, but there is room */
	msg_fini(&m);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(recv_by(SLACK_NS, &w), CHAN_OK);
		assert_string_equal(w.verb, "FAIL");
		assert_string_equal(words_get(&w, "text"), "two words");
		words_fini(&w);
	}
}

static void largest_message_fits_and_one_more_does_not(void **state)
{
	static char big[NB_MESSAGE_MAX + 2];
	struct msg m = { 0 };
	struct words w;

	memset(big, 'x', NB_MESSAGE_MAX - 7);
	msg_begin(&m, "NOTE");
	msg_add(&m, "k", big);
	assert_int_equal(m.text.len, NB_MESSAGE_MAX);
	assert_int_equal(chan_send(fds[1], &m, clock_after_ns(SLACK_NS)), CHAN_OK);
	assert_int_equal(recv_by(SLACK_NS, &w), CHAN_OK);
	assert_int_equal(strlen(words_get(&w, "k")), NB_MESSAGE_MAX - 7);
	words_fini(&w);
	msg_add(&m, "l", "");
	assert_int_equal(chan_send(fds[1], &m, clock_after_ns(SLACK_NS)), CHAN_OVERSIZE);
	msg_fini(&m);
	memset(big, 'A', NB_MESSAGE_MAX + 1);
	assert_int_equal(send(fds[1], big, NB_MESSAGE_MAX + 1, 0), NB_MESSAGE_MAX + 1);
	say("CHECK");
	assert_int_equal(recv_by(SLACK_NS, &w), CHAN_OVERSIZE);
	assert_null(w.copy);
	assert_int_equal(recv_by(SLACK_NS, &w), CHAN_OK); /* the rest of it is gone, not next */
	assert_string_equal(w.verb, "CHECK");
	words_fini(&w);
}

static void incomplete_message_is_not_sent(void **state)
{
	struct msg m = { 0 };

	msg_begin(&m, "NOTE");
	msg_add(&m, "no key", "x");
	assert_int_equal(chan_send(fds[1], &m, clock_after_ns(SLACK_NS)), -ENOMEM);
	msg_fini(&m);
}

static void silence_is_late(void **state)
{
	int64_t start_ns = clock_now_ns();
	struct words w;

	assert_int_equal(recv_by(50 * CLOCK_MS, &w), CHAN_LATE);
	assert_in_range(clock_now_ns() - start_ns, 50 * CLOCK_MS, 50 * CLOCK_MS + SLACK_NS);
	assert_null(w.copy);
	assert_int_equal(recv_by(0, &w), CHAN_LATE);
}

static void what_is_there_counts_past_the_deadline(void **state)
{
	struct words w;

	say("CHECK");
	assert_int_equal(chan_recv(fds[0], -1, 0, 0, NULL, NULL, &w), CHAN_OK);
	words_fini(&w);
}

static void full_channel_is_late(void **state)
{
	static char big[NB_MESSAGE_MAX];
	int64_t start_ns;
	struct msg m = { 0 };
	int rc = CHAN_OK;

	memset(big, 'x', 50000);
	msg_begin(&m, "NOTE");
	msg_add(&m, "k", big);
	for (int i = 0; i < 1000 && rc == CHAN_OK; i++) {
		start_ns = clock_now_ns();
		rc = chan_send(fds[1], &m, clock_after_ns(50 * CLOCK_MS));
	}
	assert_int_equal(rc, CHAN_LATE);
	assert_in_range(clock_now_ns() - start_ns, 50 * CLOCK_MS, 50 * CLOCK_MS + SLACK_NS);
	msg_fini(&m);
}

static void end_is_closed_and_raises_no_signal(void **state)
{
	struct msg m = { 0 };
	struct words w;

	close(fds[1]);
	assert_int_equal(recv_by(SLACK_NS, &w), CHAN_CLOSED);
	msg_begin(&m, "BYE");
	assert_int_equal(chan_send(fds[0], &m, clock_after_ns(SLACK_NS)), CHAN_CLOSED);
	msg_fini(&m);
	fds[1] = -1;
}

static void empty_packet_is_closed(void **state)
{
	struct words w;

	assert_int_equal(send(fds[1], "", 0, 0), 0);
	assert_int_equal(recv_by(SLACK_NS, &w), CHAN_CLOSED);
}

/* A worker that says FAIL and exits with our request unread: the kernel reports a reset first. */
static void last_words_survive_a_reset(void **state)
{
	struct msg m = { 0 };
	struct words w;

	msg_begin(&m, "RUN");
	assert_int_equal(chan_send(fds[0], &m, clock_after_ns(SLACK_NS)), CHAN_OK);
	msg_fini(&m);
	say("FAIL kind=error");
	close(fds[1]);
	fds[1] = -1;
	assert_int_equal(recv_by(SLACK_NS, &w), CHAN_OK);
	assert_string_equal(w.verb, "FAIL");
	words_fini(&w);
	assert_int_equal(recv_by(SLACK_NS, &w), CHAN_CLOSED);
	assert_int_equal(recv_by(SLACK_NS, &w), CHAN_CLOSED);
}

static void reset_without_words_is_closed(void **state)
{
	struct msg m = { 0 };
	struct words w;

	msg_begin(&m, "RUN");
	assert_int_equal(chan_send(fds[0], &m, clock_after_ns(SLACK_NS)), CHAN_OK);
	close(fds[1]);
	fds[1] = -1;
	assert_int_equal(chan_send(fds[0], &m, clock_after_ns(SLACK_NS)), CHAN_CLOSED);
	msg_fini(&m);
	assert_int_equal(recv_by(SLACK_NS, &w), CHAN_CLOSED);
}

static void garbage_is_bad_and_leaves_nothing(void **state)
{
	struct words w;

	say("\x01\xff not=a message\n");
	say("CHECK");
	assert_int_equal(recv_by(SLACK_NS, &w), CHAN_BAD);
	assert_null(w.copy);
	assert_int_equal(recv_by(SLACK_NS, &w), CHAN_OK);
	words_fini(&w);
}

static void faults_are_errno(void **state)
{
	struct msg m = { 0 };
	struct words w;
	int file = open("/dev/null", O_RDONLY | O_CLOEXEC);

	msg_begin(&m, "BYE");
	assert_int_equal(chan_recv(-1, -1, clock_after_ns(SLACK_NS), 0, NULL, NULL, &w), -EBADF);
	assert_int_equal(chan_recv(file, -1, clock_after_ns(SLACK_NS), 0, NULL, NULL, &w),
			 -ENOTSOCK);
	assert_int_equal(chan_send(file, &m, clock_after_ns(SLACK_NS)), -ENOTSOCK);
	msg_fini(&m);
	close(file);
}

/* A process that says what it has to say on fds[1], and ends. */
static pid_t start_speaker(const char *text)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	if (text && send(fds[1], text, strlen(text), 0) < 0)
		_exit(1);
	_exit(0);
}

static void wake_by_pidfd_prefers_data(void **state)
{
	pid_t pid = start_speaker("FAIL kind=error");
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	siginfo_t info;
	struct words w;

	if (pidfd < 0) {
		waitpid(pid, NULL, 0);
		skip();
	}
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT),
			 0); /* has ended, for certain */
	assert_int_equal(chan_recv(fds[0], pidfd, clock_after_ns(SLACK_NS), 0, NULL, NULL, &w),
			 CHAN_OK);
	assert_string_equal(w.verb, "FAIL");
	words_fini(&w);
	/* Our own copy of fds[1] keeps the channel open: only the pidfd can tell. */
	assert_int_equal(chan_recv(fds[0], pidfd, clock_after_ns(SLACK_NS), 0, NULL, NULL, &w),
			 CHAN_WOKEN);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(pidfd);
}

static void wake_comes_while_waiting(void **state)
{
	int64_t start_ns = clock_now_ns();
	struct words w;
	int pipe_fds[2];
	pid_t pid;

	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		clock_sleep_ns(30 * CLOCK_MS);
		_exit(0); /* closes the last writing end: a hang-up */
	}
	close(pipe_fds[1]);
	assert_int_equal(chan_recv(fds[0], pipe_fds[0], clock_after_ns(LONG_NS), 0, NULL, NULL, &w),
			 CHAN_WOKEN);
	assert_true(clock_now_ns() - start_ns < SLACK_NS);
	waitpid(pid, NULL, 0);
	close(pipe_fds[0]);
}

static int count_to(void *arg)
{
	int *left = arg;

	return --*left == 0;
}

static void idle_runs_between_slices_and_can_end_the_wait(void **state)
{
	int64_t start_ns = clock_now_ns();
	struct words w;
	int left = 4;

	assert_int_equal(chan_recv(fds[0], -1, clock_after_ns(LONG_NS), 10, count_to, &left, &w),
			 CHAN_WOKEN);
	assert_int_equal(left, 0);
	assert_in_range(clock_now_ns() - start_ns, 30 * CLOCK_MS,
			SLACK_NS); /* three slices of 10 ms */
	left = 1000000;
	assert_int_equal(
	    chan_recv(fds[0], -1, clock_after_ns(50 * CLOCK_MS), 10, count_to, &left, &w),
	    CHAN_LATE);
	assert_true(1000000 - left <= 7); /* slept, did not spin */
}

static void ring(int sig)
{
}

static void signals_do_not_end_the_wait(void **state)
{
	struct sigaction sa = { .sa_handler = ring }, old;
	timer_t timer;
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	struct itimerspec every = { { 0, 5000000 }, { 0, 5000000 } };
	int64_t start_ns = clock_now_ns();
	struct words w;

	sigaction(SIGALRM, &sa, &old); /* without SA_RESTART */
	assert_int_equal(timer_create(CLOCK_MONOTONIC, &ev, &timer), 0);
	assert_int_equal(timer_settime(timer, 0, &every, NULL), 0);
	assert_int_equal(recv_by(60 * CLOCK_MS, &w), CHAN_LATE);
	timer_delete(timer);
	sigaction(SIGALRM, &old, NULL);
	assert_in_range(clock_now_ns() - start_ns, 60 * CLOCK_MS, 60 * CLOCK_MS + SLACK_NS);
}

#define CHAN_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CHAN_TEST(ends_are_close_on_exec),
		CHAN_TEST(message_arrives),
		CHAN_TEST(largest_message_fits_and_one_more_does_not),
		CHAN_TEST(incomplete_message_is_not_sent),
		CHAN_TEST(silence_is_late),
		CHAN_TEST(what_is_there_counts_past_the_deadline),
		CHAN_TEST(full_channel_is_late),
		CHAN_TEST(end_is_closed_and_raises_no_signal),
		CHAN_TEST(empty_packet_is_closed),
		CHAN_TEST(last_words_survive_a_reset),
		CHAN_TEST(reset_without_words_is_closed),
		CHAN_TEST(garbage_is_bad_and_leaves_nothing),
		CHAN_TEST(faults_are_errno),
		CHAN_TEST(wake_by_pidfd_prefers_data),
		CHAN_TEST(wake_comes_while_waiting),
		CHAN_TEST(idle_runs_between_slices_and_can_end_the_wait),
		CHAN_TEST(signals_do_not_end_the_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
