/* SPDX-License-Identifier: Apache-2.0 */
/* What NCCL's RAS service would say, played by a thread on a port of its own. Not NCCL. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/env.h"
#include "run/ras.h"
#include "slack.h"

struct server {
	int fd, port;
	const char *hello, *status; /* NULL: says nothing there */
	char heard[2][64];
	pthread_t thread;
};

static void hear(int fd, char *line, size_t max)
{
	size_t n = 0;

	while (n + 1 < max && read(fd, line + n, 1) == 1 && line[n] != '\n')
		n++;
	line[n] = '\0';
}

static void *serve(void *arg)
{
	struct server *s = arg;
	int fd = accept(s->fd, NULL, NULL);

	hear(fd, s->heard[0], sizeof(s->heard[0]));
	if (s->hello && write(fd, s->hello, strlen(s->hello)) > 0)
		hear(fd, s->heard[1], sizeof(s->heard[1]));
	if (s->status && write(fd, s->status, strlen(s->status)) < 0)
		return arg;
	if (!s->status)
		hear(fd, s->heard[1], sizeof(s->heard[1])); /* until the other side gives up */
	close(fd);
	return NULL;
}

static void start(struct server *s)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof(at);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	s->fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(s->fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(s->fd, 1), 0);
	assert_int_equal(getsockname(s->fd, (struct sockaddr *)&at, &len), 0);
	s->port = ntohs(at.sin_port);
	assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void stop(struct server *s)
{
	pthread_join(s->thread, NULL);
	close(s->fd);
}

static void test_troubles(void **state)
{
	struct server s = {
		.hello = "SERVER PROTOCOL 2\n",
		.status =
		    "NCCL version 2.28.3\n\nJob "
		    "summary\n===\n\nCommunicators\n===\n\nErrors\n======\n\n#0-0 INCOMPLETE\n"
		    "  Missing communicator data from 1 job process\n\nWarnings\n========\n\n#0-0 "
		    "MISMATCH\n",
	};
	struct buf out = { 0 };

	start(&s);
	ras_ask(s.port, clock_after_ns(SLACK_NS), &out);
	stop(&s);
	assert_string_equal(s.heard[0], "CLIENT PROTOCOL 2");
	assert_string_equal(s.heard[1], "STATUS");
	assert_string_equal(
	    buf_text(&out),
	    "#0-0 INCOMPLETE\n  Missing communicator data from 1 job process\n#0-0 MISMATCH\n");
	buf_fini(&out);
}

static void test_nothing_wrong(void **state)
{
	struct server s = {
		.hello = "SERVER PROTOCOL 3\n",
		.status =
		    "NCCL version 2.30.4\n\nJob\n===\nErrors\n======\n\nWarnings\n========\n\n"
	};
	struct buf out = { 0 };

	start(&s);
	ras_ask(s.port, clock_after_ns(SLACK_NS), &out);
	stop(&s);
	assert_string_equal(buf_text(&out), "");
	buf_fini(&out);
}

static void test_no_ras(void **state)
{
	struct server stranger = { .hello = "HTTP/1.1 400 Bad Request\n",
				   .status = "\nErrors\nnot RAS\n" };
	struct server mute = { .hello = "SERVER PROTOCOL 2\n" };
	struct buf out = { 0 };
	int64_t before;

	start(&stranger);
	ras_ask(stranger.port, clock_after_ns(SLACK_NS), &out);
	stop(&stranger);
	start(&mute);
	before = clock_now_ns();
	ras_ask(mute.port, clock_after_ns(200 * CLOCK_MS), &out);
	assert_in_range(clock_now_ns() - before, 200 * CLOCK_MS, SLACK_NS);
	stop(&mute);
	/* Nobody listens there any more. */
	ras_ask(mute.port, clock_after_ns(200 * CLOCK_MS), &out);
	ras_ask(0, clock_after_ns(200 * CLOCK_MS), &out);
	assert_string_equal(buf_text(&out), "");
	buf_fini(&out);
}

static int port_with(const char *name, const char *value)
{
	struct env e = { 0 };
	int port;

	if (name)
		assert_int_equal(env_set(&e, name, value), 0);
	port = ras_port(&e);
	env_fini(&e);
	return port;
}

static void test_port(void **state)
{
	assert_int_equal(port_with(NULL, NULL), 28028);
	assert_int_equal(port_with("NCCL_RAS_ENABLE", "1"), 28028);
	assert_int_equal(port_with("NCCL_RAS_ENABLE", ""), 28028);
	assert_int_equal(port_with("NCCL_RAS_ENABLE", "0"), 0);
	assert_int_equal(port_with("NCCL_RAS_ENABLE", "false"), 0);
	assert_int_equal(port_with("NCCL_RAS_ADDR", "localhost:12345"), 12345);
	assert_int_equal(port_with("NCCL_RAS_ADDR", "127.0.0.1:12345"), 12345);
	assert_int_equal(port_with("NCCL_RAS_ADDR", "10.0.0.1:12345"), 0);
	assert_int_equal(port_with("NCCL_RAS_ADDR", "localhost:70000"), 0);
	assert_int_equal(port_with("NCCL_RAS_ADDR", "localhost"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_troubles),
		cmocka_unit_test(test_nothing_wrong),
		cmocka_unit_test(test_no_ras),
		cmocka_unit_test(test_port),
	};

	return cmocka_run_group_tests_name("run/ras", tests, NULL, NULL);
}
