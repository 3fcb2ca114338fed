/* SPDX-License-Identifier: Apache-2.0 */
/* Both ends in one process, over loopback: addresses, streams, rates, and every way in which an end
 * can be missing. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/clock.h"
#include "machine/tcp.h"
#include "slack.h"

#define STEP_NS (20 * CLOCK_MS)

static void the_loopback_by_name(void **state)
{
	char address[TCP_ADDRESS_MAX], interface[32];

	assert_int_equal(tcp_address("=lo", address, sizeof(address), interface, sizeof(interface)),
			 0);
	assert_string_equal(interface, "lo");
	assert_string_equal(address, "127.0.0.1");
	assert_int_equal(tcp_address("lo", address, sizeof(address), interface, sizeof(interface)),
			 0);
	assert_string_equal(interface, "lo");
	assert_int_equal(
	    tcp_address("nope,lo", address, sizeof(address), interface, sizeof(interface)), 0);
}

static void none_that_fits(void **state)
{
	char address[TCP_ADDRESS_MAX] = "untouched", interface[32] = "untouched";

	assert_int_equal(tcp_address("=l", address, sizeof(address), interface, sizeof(interface)),
			 -ENOENT);
	assert_int_equal(
	    tcp_address("nope0", address, sizeof(address), interface, sizeof(interface)), -ENOENT);
	assert_string_equal(address, "untouched");
	/* Everything but what there may be: letters that names begin with. */
	assert_int_equal(tcp_address("^l,e,w,d,v,b,i,t,c,n,f,k,s,g,u,p", address, sizeof(address),
				     interface, sizeof(interface)),
			 -ENOENT);
}

static void loopback_is_the_last_choice(void **state)
{
	char address[TCP_ADDRESS_MAX], interface[32], other[32];

	assert_int_equal(tcp_address(NULL, address, sizeof(address), interface, sizeof(interface)),
			 0);
	if (tcp_address("^lo", address, sizeof(address), other, sizeof(other)) == 0)
		assert_string_equal(interface, other);
	else
		assert_string_equal(interface, "lo");
}

static void bad_addresses(void **state)
{
	int port = 7, error = 0;

	assert_int_equal(tcp_listen("not an address", &port), -EINVAL);
	assert_int_equal(port, 7);
	assert_null(tcp_connect("also not", 1, 1, clock_after_ns(SLACK_NS), &error));
	assert_int_equal(error, -EINVAL);
	assert_null(tcp_connect("127.0.0.1", 1, 0, clock_after_ns(SLACK_NS), &error));
	assert_int_equal(error, -EINVAL);
	assert_null(
	    tcp_connect("127.0.0.1", 1, TCP_STREAMS_MAX + 1, clock_after_ns(SLACK_NS), &error));
	assert_int_equal(error, -EINVAL);
}

static void nobody_comes(void **state)
{
	int port, error = 0, fd = tcp_listen("127.0.0.1", &port);
	int64_t began = clock_now_ns();

	assert_true(fd >= 0);
	assert_null(tcp_accept(fd, 1, clock_after_ns(60 * CLOCK_MS), &error));
	assert_int_equal(error, -ETIMEDOUT);
	assert_in_range(clock_now_ns() - began, 60 * CLOCK_MS, SLACK_NS);
	close(fd);
	assert_null(tcp_connect("127.0.0.1", port, 1, clock_after_ns(SLACK_NS), &error));
	assert_int_equal(error, -ECONNREFUSED);
}

static const int stream_counts[] = { 1, 4, 16 };

struct pair {
	struct tcp_end *a, *b;
};

static void join(struct pair *p, int streams)
{
	int port = 0, error = -1, fd = tcp_listen("127.0.0.1", &port);

	assert_true(fd >= 0);
	p->a = tcp_connect("127.0.0.1", port, streams, clock_after_ns(SLACK_NS), &error);
	assert_non_null(p->a);
	assert_int_equal(error, 0);
	p->b = tcp_accept(fd, streams, clock_after_ns(SLACK_NS), &error);
	assert_non_null(p->b);
	close(fd);
}

static void part(struct pair *p)
{
	int64_t began = clock_now_ns();

	tcp_stop(p->a);
	tcp_stop(p->b);
	assert_true(clock_now_ns() - began < SLACK_NS);
}

/* The first rate that is not 0: however slowly, something comes (or is found broken) in the end. */
static int64_t first_rate(struct tcp_end *e)
{
	int64_t until = clock_after_ns(SLACK_NS), rate;

	do
		rate = tcp_rate(e, 0, STEP_NS);
	while (rate == 0 && clock_now_ns() < until);
	return rate;
}

static void one_way(void **state)
{
	for (size_t i = 0; i < N_ELEMENTS(stream_counts); i++) {
		struct pair p;

		join(&p, stream_counts[i]);
		assert_int_equal(tcp_start(p.a, true, false, NULL, 0), 0);
		assert_int_equal(tcp_start(p.b, false, true, NULL, 0), 0);
		assert_true(first_rate(p.b) > 0);
		assert_int_equal(tcp_rate(p.a, 0, STEP_NS), 0); /* nothing comes to the sender */
		part(&p);
	}
}

static void both_ways(void **state)
{
	struct pair p;

	join(&p, 2);
	assert_int_equal(tcp_start(p.a, true, true, NULL, 0), 0);
	assert_int_equal(tcp_start(p.b, true, true, NULL, 0), 0);
	assert_true(first_rate(p.a) > 0);
	assert_true(first_rate(p.b) > 0);
	part(&p);
}

static void an_end_that_goes_is_no_figure(void **state)
{
	struct pair p;

	join(&p, 2);
	assert_int_equal(tcp_start(p.b, false, true, NULL, 0), 0);
	tcp_stop(p.a);
	assert_int_equal(first_rate(p.b), -EPIPE);
	p.a = NULL;
	part(&p);
}

/* An end whose peer is silent, and a sender whose peer does not read, are stopped all the same. */
static void a_silent_peer(void **state)
{
	struct pair p;

	join(&p, 1);
	assert_int_equal(tcp_start(p.a, true, true, NULL, 0), 0);
	assert_int_equal(tcp_rate(p.a, STEP_NS, STEP_NS), 0);
	part(&p);
}

static void threads_keep_to_their_cpus(void **state)
{
	cpu_set_t none, mine;
	struct pair p;

	CPU_ZERO(&none);
	assert_int_equal(sched_getaffinity(0, sizeof(mine), &mine), 0);
	join(&p, 1);
	assert_true(tcp_start(p.a, true, false, &none, sizeof(none)) < 0); /* no CPU at all */
	assert_int_equal(tcp_start(p.b, false, true, &mine, sizeof(mine)), 0);
	part(&p);
}

/* meson test --benchmark: below 100 MB/s on an idle machine something is wrong with the loopback or
 * with us. */
static void speed(void **state)
{
	for (size_t i = 0; i < N_ELEMENTS(stream_counts); i++) {
		struct pair p;
		int64_t rate;

		join(&p, stream_counts[i]);
		assert_int_equal(tcp_start(p.a, true, false, NULL, 0), 0);
		assert_int_equal(tcp_start(p.b, false, true, NULL, 0), 0);
		rate = tcp_rate(p.b, STEP_NS, 200 * CLOCK_MS);
		print_message("%d streams: %.2f GB/s\n", stream_counts[i], (double)rate / 1e9);
		assert_true(rate > 100000000);
		part(&p);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest benchmarks[] = { cmocka_unit_test(speed) };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_loopback_by_name),
		cmocka_unit_test(none_that_fits),
		cmocka_unit_test(loopback_is_the_last_choice),
		cmocka_unit_test(bad_addresses),
		cmocka_unit_test(nobody_comes),
		cmocka_unit_test(one_way),
		cmocka_unit_test(both_ways),
		cmocka_unit_test(an_end_that_goes_is_no_figure),
		cmocka_unit_test(a_silent_peer),
		cmocka_unit_test(threads_keep_to_their_cpus),
	};

	if (argc > 1)
		return cmocka_run_group_tests(benchmarks, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
