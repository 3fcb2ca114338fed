/* SPDX-License-Identifier: Apache-2.0 */
/* --map near, far, numa: orders worked out by hand from facts, and facts that do not tell. Not what
 * any real PCI tree looks like: tests/unit/doctor reads recorded ones. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "run/order.h"

/* 0 and 2 below one switch, 1 at the same host bridge, 3 at the other socket. */
static const char facts[] = "devices=4\ngpu0.numa=0\ngpu1.numa=0\ngpu2.numa=0\ngpu3.numa=1\n"
			    "path.0.1=PHB\npath.0.2=PIX\npath.0.3=SYS\npath.1.2=PHB\n"
			    "path.1.3=SYS\npath.2.3=SYS\n";
/* Numbered from socket to socket. */
static const char turns[] = "devices=4\ngpu0.numa=0\ngpu1.numa=1\ngpu2.numa=0\ngpu3.numa=1\n"
			    "path.0.1=SYS\npath.0.2=PIX\npath.0.3=SYS\npath.1.2=SYS\n"
			    "path.1.3=PIX\npath.2.3=SYS\n";

static void expect(int order, const char *text, int a, int b, int c, int d)
{
	const int want[4] = { a, b, c, d };
	int got[ORDER_DEVICES_MAX];

	assert_int_equal(order_devices(order, text, got), 4);
	assert_memory_equal(got, want, sizeof(want));
}

static void orders(void **state)
{
	expect(ORDER_NEAR, facts, 0, 2, 1, 3);
	expect(ORDER_FAR, facts, 0, 3, 1, 2);
	expect(ORDER_NUMA, facts, 0, 1, 2, 3);
	expect(ORDER_NEAR, turns, 0, 2, 1, 3);
	expect(ORDER_FAR, turns, 0, 1, 2, 3);
	expect(ORDER_NUMA, turns, 0, 2, 1, 3);
}

static void what_is_not_known_is_not_guessed(void **state)
{
	int got[ORDER_DEVICES_MAX];

	assert_int_equal(order_devices(ORDER_NEAR, "", got), -ENODATA);
	assert_int_equal(order_devices(ORDER_NEAR, "devices=0\n", got), -ENODATA);
	assert_int_equal(order_devices(ORDER_NEAR, "devices=2\n", got), -ENODATA);
	assert_int_equal(order_devices(ORDER_FAR, "devices=2\npath.0.1=?\n", got), -ENODATA);
	assert_int_equal(order_devices(ORDER_FAR, "devices=2\npath.0.1=NEXT\n", got), -ENODATA);
	assert_int_equal(order_devices(ORDER_NUMA, "devices=2\ngpu0.numa=0\n", got), -ENODATA);
	assert_int_equal(order_devices(ORDER_NUMA, "devices=2\npath.0.1=PIX\n", got), -ENODATA);
	assert_int_equal(order_devices(ORDER_NEAR, "devices=2\npath.0.1=PIX\n", got), 2);
	assert_int_equal(order_devices(ORDER_NUMA, "devices=1\ngpu0.numa=0\n", got), 1);
}

/* More than a worker describes: the rest is not ordered, and nothing is written beyond the end. */
static void many_devices(void **state)
{
	int got[ORDER_DEVICES_MAX + 1] = { 0 };
	struct buf text = { 0 };

	buf_puts(&text, "devices=4000\n");
	for (int i = 0; i < 20; i++)
		buf_printf(&text, "gpu%d.numa=%d\n", i, 20 - i);
	got[ORDER_DEVICES_MAX] = 77;
	assert_int_equal(order_devices(ORDER_NUMA, buf_text(&text), got), ORDER_DEVICES_MAX);
	assert_int_equal(got[0], 15);
	assert_int_equal(got[15], 0);
	assert_int_equal(got[ORDER_DEVICES_MAX], 77);
	buf_fini(&text);
}

static void words(void **state)
{
	assert_int_equal(order_find("near"), ORDER_NEAR);
	assert_int_equal(order_find("far"), ORDER_FAR);
	assert_int_equal(order_find("numa"), ORDER_NUMA);
	assert_int_equal(order_find(""), -1);
	assert_int_equal(order_find("0,1"), -1);
}

/* No such devices on any machine: nothing is told, and nothing breaks. */
static void lines_of_devices_that_are_not_there(void **state)
{
	struct buf out = { 0 };

	order_lines("devices=2\ngpu0.bus=ffff:ff:1f.7\ngpu1.bus=../../etc\n", &out);
	assert_string_equal(buf_text(&out), "");
	order_lines("", &out);
	assert_string_equal(buf_text(&out), "");
	buf_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders),
		cmocka_unit_test(what_is_not_known_is_not_guessed),
		cmocka_unit_test(many_devices),
		cmocka_unit_test(words),
		cmocka_unit_test(lines_of_devices_that_are_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
