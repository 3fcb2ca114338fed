/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a GPU from a worker's answers: when a sample is flagged, and what run.json says.
 * Reasons are NVML's bits. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "run/card.h"
#include "wire/msg.h"

static void hear(struct card *c, const char *text)
{
	static struct words w;

	assert_int_equal(words_parse(&w, text, strlen(text)), 0);
	card_hear(c, c->worker, &w);
	words_fini(&w);
}

static void greet(struct card *c, const char *text, int device)
{
	static struct words w;

	assert_int_equal(words_parse(&w, text, strlen(text)), 0);
	(void)card_hello(c, &w, device);
	words_fini(&w);
}

static void nothing_known_flags_nothing(void **state)
{
	struct buf out = { 0 };
	struct card c;

	card_init(&c);
	hear(&c, "DONE ns=1 first_us=0");
	assert_int_equal(card_flags(&c), 0);
	card_lines(&c, &out);
	assert_string_equal(buf_text(&out), "");
	buf_fini(&out);
}

static void which_reasons_are_trouble(void **state)
{
	static const struct {
		const char *done;
		unsigned flags;
	} rows[] = {
		{ "DONE throttle=0", 0 },
		{ "DONE throttle=1", 0 },   /* idle */
		{ "DONE throttle=2", 0 },   /* clocks that somebody set */
		{ "DONE throttle=100", 0 }, /* of a display */
		{ "DONE throttle=103", 0 },
		{ "DONE throttle=4", CARD_THROTTLED },
		{ "DONE throttle=8", CARD_THROTTLED },
		{ "DONE throttle=10", CARD_THROTTLED },
		{ "DONE throttle=20", CARD_THROTTLED },
		{ "DONE throttle=40", CARD_THROTTLED },
		{ "DONE throttle=81", CARD_THROTTLED },
		{ "DONE throttle=200",
		  CARD_THROTTLED }, /* a bit of the future: better said than hidden */
		{ "DONE throttle=", 0 },
		{ "DONE throttle=0x4", 0 }, /* not of the form */
		{ "DONE throttle=11111111111111111", 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct card c;

		card_init(&c);
		hear(&c, rows[i].done);
		assert_int_equal(card_flags(&c), rows[i].flags);
	}
}

static void a_clock_that_falls(void **state)
{
	struct card c;

	card_init(&c);
	hear(&c, "JOINED sm_mhz=1980 throttle=1");
	hear(&c, "DONE sm_mhz=1881 throttle=0"); /* 5 % exactly */
	assert_int_equal(card_flags(&c), 0);
	hear(&c, "DONE sm_mhz=1880 throttle=0");
	assert_int_equal(card_flags(&c), CARD_CLOCK_FELL);
	hear(&c, "DONE sm_mhz=345 throttle=1"); /* idle: falls by itself */
	assert_int_equal(card_flags(&c), 0);
	hear(&c, "DONE sm_mhz=1200 throttle=24");
	assert_int_equal(card_flags(&c), CARD_CLOCK_FELL | CARD_THROTTLED);
	/* A new worker starts with what it finds; a clock that rises later is the one to hold. */
	greet(&c, "HELLO version=1", 0);
	hear(&c, "JOINED sm_mhz=1200 throttle=0");
	assert_int_equal(card_flags(&c), 0);
	hear(&c, "DONE sm_mhz=1500 throttle=0");
	assert_int_equal(card_flags(&c), 0);
	hear(&c, "DONE sm_mhz=1400 throttle=0");
	assert_int_equal(card_flags(&c), CARD_CLOCK_FELL);
	assert_true(c.lowest_mhz == 1200);
}

static void words_of_flags(void **state)
{
	char text[64];

	card_flags_text(0, text, sizeof(text));
	assert_string_equal(text, "");
	card_flags_text(CARD_THROTTLED, text, sizeof(text));
	assert_string_equal(text, "throttled");
	card_flags_text(CARD_CLOCK_FELL, text, sizeof(text));
	assert_string_equal(text, "clock-fell");
	card_flags_text(CARD_CLOCK_FELL | CARD_THROTTLED, text, sizeof(text));
	assert_string_equal(text, "throttled clock-fell");
}

static void start_and_end(void **state)
{
	struct buf out = { 0 };
	struct card c;

	card_init(&c);
	hear(&c, "JOINED sm_mhz=1980 mem_mhz=3201 power_mw=125500 temp_c=37 throttle=0 "
		 "ecc_corrected=2 ecc_uncorrected=0 pcie_replays=7");
	hear(&c, "DONE sm_mhz=1900 power_mw=401000 temp_c=61 throttle=44");
	hear(&c, "GONE sm_mhz=1980 temp_c=50 throttle=0 ecc_corrected=3");
	card_lines(&c, &out);
	assert_string_equal(
	    buf_text(&out),
	    "start.sm_mhz=1980\nstart.mem_mhz=3201\nstart.power_w=125.5\nstart.temp_c=37\nstart."
	    "ecc_corrected=2\n"
	    "start.ecc_uncorrected=0\nstart.pcie_replays=7\nstart.clock_reasons=0x0\n"
	    "end.sm_mhz=1980\nend.mem_mhz=3201\nend.power_w=401\nend.temp_c=50\nend.ecc_corrected="
	    "3\n"
	    "end.ecc_uncorrected=0\nend.pcie_replays=7\nend.clock_reasons=0x0\n"
	    "lowest_sm_mhz=1900\nhighest_temp_c=61\nhighest_power_w=401\nthrottled=sw-power-cap "
	    "hw-thermal\n");
	buf_fini(&out);
}

static void hear_of(struct card *c, int worker, const char *text)
{
	struct words w;

	assert_int_equal(words_parse(&w, text, strlen(text)), 0);
	card_hear(c, worker, &w);
	words_fini(&w);
}

/* The first worker's GONE is heard when the second has joined: its clock is no measure of the
 * second's, nor its trouble one of what the second measures. The run has it. */
static void one_that_ends_late_flags_nothing(void **state)
{
	struct buf out = { 0 };
	struct card c;

	card_init(&c);
	greet(&c, "HELLO version=1", 0);
	hear_of(&c, 1, "JOINED sm_mhz=1980 temp_c=50 throttle=0");
	greet(&c, "HELLO version=1", 0);
	hear_of(&c, 2, "JOINED sm_mhz=1500 temp_c=50 throttle=0");
	hear_of(&c, 1, "GONE sm_mhz=1980 temp_c=77 throttle=40");
	assert_int_equal(card_flags(&c), 0);
	hear_of(&c, 2, "DONE sm_mhz=1500 temp_c=60");
	assert_int_equal(card_flags(&c), 0);
	hear_of(&c, 2, "DONE sm_mhz=1000");
	assert_int_equal(card_flags(&c), CARD_CLOCK_FELL);
	card_lines(&c, &out);
	assert_non_null(strstr(buf_text(&out), "end.sm_mhz=1000\n"));
	assert_non_null(strstr(buf_text(&out), "highest_temp_c=77\n"));
	assert_non_null(strstr(buf_text(&out), "throttled=hw-thermal\n"));
	buf_fini(&out);
}

static void others_are_named_once(void **state)
{
	struct buf out = { 0 };
	struct card c;
	int i;

	card_init(&c);
	greet(&c, "HELLO gpu0.procs=4711%20python3%20512%20MiB gpu1.procs=9%20x", 0);
	greet(&c, "HELLO gpu0.procs=4711%20python3%20512%20MiB;%204712%20train", 0);
	card_lines(&c, &out);
	assert_string_equal(buf_text(&out), "processes=4711 python3 512 MiB; 4712 train\n");
	for (i = 0; i < 1000; i++) { /* never more than the room */
		char text[80];

		(void)snprintf(text, sizeof(text), "HELLO gpu0.procs=%d%%20process-with-a-name",
			       i + 100000);
		greet(&c, text, 0);
	}
	assert_true(strlen(c.processes) < sizeof(c.processes));
	buf_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_known_flags_nothing),
		cmocka_unit_test(which_reasons_are_trouble),
		cmocka_unit_test(a_clock_that_falls),
		cmocka_unit_test(words_of_flags),
		cmocka_unit_test(start_and_end),
		cmocka_unit_test(one_that_ends_late_flags_nothing),
		cmocka_unit_test(others_are_named_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
