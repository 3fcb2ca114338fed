/* SPDX-License-Identifier: Apache-2.0 */
#include "run/card.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/num.h"
#include "data/record.h"
#include "wire/msg.h"

#define FELL_BELOW 0.95 /* of the highest clock that this worker's GPU had */
#define IDLE 0x1u

/* TABLE: NVML's clock event reasons. Idleness, clocks that somebody set and those of a display are
 * no trouble. */
static const struct {
	uint64_t bit;
	const char *name;
	bool trouble;
} reason_table[] = {
	{ IDLE, "idle", false },
	{ 0x2, "applications-clocks", false },
	{ 0x4, "sw-power-cap", true },
	{ 0x8, "hw-slowdown", true },
	{ 0x10, "sync-boost", true },
	{ 0x20, "sw-thermal", true },
	{ 0x40, "hw-thermal", true },
	{ 0x80, "hw-power-brake", true },
	{ 0x100, "display-clocks", false },
};

/* TABLE: numbers of a reading, their keys on the wire and in run.json. */
static const struct {
	const char *key, *name;
	size_t offset;
	double scale;
} numbers[] = {
	{ "sm_mhz", "sm_mhz", offsetof(struct card_reading, sm_mhz), 1 },
	{ "mem_mhz", "mem_mhz", offsetof(struct card_reading, mem_mhz), 1 },
	{ "power_mw", "power_w", offsetof(struct card_reading, power_w), 1e-3 },
	{ "temp_c", "temp_c", offsetof(struct card_reading, temp_c), 1 },
	{ "ecc_corrected", "ecc_corrected", offsetof(struct card_reading, ecc_corrected), 1 },
	{ "ecc_uncorrected", "ecc_uncorrected", offsetof(struct card_reading, ecc_uncorrected), 1 },
	{ "pcie_replays", "pcie_replays", offsetof(struct card_reading, pcie_replays), 1 },
};

static double *number_of(struct card_reading *r, size_t i)
{
	return (double *)(void *)((char *)r + numbers[i].offset);
}

static void reading_init(struct card_reading *r)
{
	*r = (struct card_reading){ 0 };
	for (size_t i = 0; i < N_ELEMENTS(numbers); i++)
		*number_of(r, i) = NAN;
}

void card_init(struct card *c)
{
	*c = (struct card){
		.top_mhz = NAN, .lowest_mhz = NAN, .highest_temp_c = NAN, .highest_power_w = NAN
	};
	reading_init(&c->first);
	reading_init(&c->last);
}

/* Adds each entry of "a; b" that is not there yet. */
static void add_processes(struct card *c, const char *list)
{
	while (*list) {
		size_t n = strcspn(list, ";"), len = strlen(c->processes);
		char one[160];

		record_set(one, n < sizeof(one) - 1 ? n + 1 : sizeof(one),
			   list); /* a name may hold a line end */
		if (one[0] && !strstr(c->processes, one) &&
		    len + strlen(one) + 3 < sizeof(c->processes))
			snprintf(c->processes + len, sizeof(c->processes) - len, "%s%s",
				 len ? "; " : "", one);
		list += n;
		list += strspn(list, "; ");
	}
}

int card_hello(struct card *c, const struct words *hello, int device)
{
	const char *processes;
	char key[32];

	c->top_mhz = NAN;
	snprintf(key, sizeof(key), "gpu%d.procs", device);
	processes = words_get(hello, key);
	if (processes)
		add_processes(c, processes);
	return ++c->worker;
}

static bool read_reasons(const struct words *answer, uint64_t *out)
{
	const char *text = words_get(answer, "throttle");
	char *end;
	unsigned long long v;

	if (!text || !*text || strspn(text, "0123456789abcdef") != strlen(text) ||
	    strlen(text) > 16)
		return false;
	v = strtoull(text, &end, 16);
	*out = v;
	return *end == '\0';
}

/* Counters are read less often than clocks: what an answer does not hold stays as it was. */
static bool take(struct card_reading *r, const struct words *answer)
{
	bool any = read_reasons(answer, &r->reasons);

	for (size_t i = 0; i < N_ELEMENTS(numbers); i++) {
		int64_t v;

		if (words_i64(answer, numbers[i].key, 0, INT64_MAX, &v) != 0)
			continue;
		*number_of(r, i) = (double)v * numbers[i].scale;
		any = true;
	}
	r->known |= any;
	return any;
}

/* What the page says of the whole run. fmax and fmin prefer a number to NaN. */
static void add_to_run(struct card *c, const struct card_reading *r)
{
	if (!c->first.known)
		c->first = *r;
	c->seen |= r->reasons;
	c->highest_temp_c = fmax(c->highest_temp_c, r->temp_c);
	c->highest_power_w = fmax(c->highest_power_w, r->power_w);
	if (!(r->reasons & IDLE))
		c->lowest_mhz = fmin(c->lowest_mhz, r->sm_mhz);
}

void card_hear(struct card *c, int worker, const struct words *answer)
{
	struct card_reading late;

	reading_init(&late);
	if (worker != c->worker) {
		if (take(&late, answer))
			add_to_run(c, &late);
		return;
	}
	if (!take(&c->last, answer))
		return;
	c->top_mhz = fmax(c->top_mhz, c->last.sm_mhz);
	add_to_run(c, &c->last);
}

static uint64_t trouble(uint64_t reasons)
{
	for (size_t i = 0; i < N_ELEMENTS(reason_table); i++)
		if (!reason_table[i].trouble)
			reasons &= ~reason_table[i].bit;
	return reasons;
}

/* An idle GPU's clock falls by itself; NVML then says that it is idle. */
unsigned card_flags(const struct card *c)
{
	unsigned flags = 0;

	if (!c->last.known)
		return 0;
	if (trouble(c->last.reasons))
		flags |= CARD_THROTTLED;
	if (!(c->last.reasons & IDLE) && c->last.sm_mhz < FELL_BELOW * c->top_mhz)
		flags |= CARD_CLOCK_FELL;
	return flags;
}

void card_flags_text(unsigned flags, char *out, size_t max)
{
	snprintf(out, max, "%s%s%s", flags & CARD_THROTTLED ? "throttled" : "",
		 (flags & CARD_THROTTLED) && (flags & CARD_CLOCK_FELL) ? " " : "",
		 flags & CARD_CLOCK_FELL ? "clock-fell" : "");
}

void card_reasons_text(uint64_t reasons, char *out, size_t max)
{
	uint64_t left = trouble(reasons);
	struct buf b = { 0 };

	for (size_t i = 0; i < N_ELEMENTS(reason_table); i++)
		if (left & reason_table[i].bit) {
			buf_printf(&b, "%s%s", b.len ? " " : "", reason_table[i].name);
			left &= ~reason_table[i].bit;
		}
	if (left)
		buf_printf(&b, "%s0x%llx", b.len ? " " : "", (unsigned long long)left);
	snprintf(out, max, "%s", buf_text(&b));
	buf_fini(&b);
}

static void number_line(struct buf *out, const char *prefix, const char *name, double v)
{
	char text[32];

	if (isnan(v))
		return;
	num_format_double(v, text, sizeof(text));
	buf_printf(out, "%s%s=%s\n", prefix, name, text);
}

static void reading_lines(const struct card_reading *r, const char *prefix, struct buf *out)
{
	struct card_reading copy = *r;

	for (size_t i = 0; i < N_ELEMENTS(numbers); i++)
		number_line(out, prefix, numbers[i].name, *number_of(&copy, i));
	buf_printf(out, "%sclock_reasons=0x%llx\n", prefix, (unsigned long long)r->reasons);
}

void card_lines(const struct card *c, struct buf *out)
{
	char reasons[160];

	if (c->first.known) {
		reading_lines(&c->first, "start.", out);
		reading_lines(&c->last, "end.", out);
		number_line(out, "", "lowest_sm_mhz", c->lowest_mhz);
		number_line(out, "", "highest_temp_c", c->highest_temp_c);
		number_line(out, "", "highest_power_w", c->highest_power_w);
		card_reasons_text(c->seen, reasons, sizeof(reasons));
		buf_printf(out, "throttled=%s\n", reasons);
	}
	if (c->processes[0])
		buf_printf(out, "processes=%s\n", c->processes);
}
