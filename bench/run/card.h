/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of this rank's GPU over a run, as its workers tell it: at the start of each (JOINED),
 * around points (DONE), at the end (GONE). From it come the flags of samples and run.json's
 * "state". Works on nothing where workers tell nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct words;

struct card_reading { /* NaN: not known */
	double sm_mhz, mem_mhz, power_w, temp_c;
	double ecc_corrected, ecc_uncorrected, pcie_replays;
	uint64_t reasons; /* NVML's clock event reasons */
	bool known;
};

struct card {
	struct card_reading first, last;
	double top_mhz; /* highest SM clock since this worker started; NaN unknown */
	double lowest_mhz, highest_temp_c, highest_power_w; /* of the run, while not idle */
	uint64_t seen;                                      /* all reasons that ever were */
	char processes[512];                                /* of others, "" none */
	int worker;                                         /* the latest one that said HELLO */
};

enum card_flag { CARD_THROTTLED = 1, CARD_CLOCK_FELL = 2 };

void card_init(struct card *c);
/* A new worker's HELLO: who else uses GPU `device`. The clock that later ones are held against
 * starts anew. `device` -1: who uses it is not taken from this worker. Returns its number. */
int card_hello(struct card *c, const struct words *hello, int device);
/* JOINED, DONE or GONE of that worker: takes what is there; an answer without a state changes
 * nothing. The GONE of one that ended while the next came up is heard after the next one's HELLO:
 * it belongs to the run, but flags nothing that the next one measures. */
void card_hear(struct card *c, int worker, const struct words *answer);
/* Bits of card_flag for what was measured until the latest reading. */
unsigned card_flags(const struct card *c);
/* Column `flags` of samples.csv: "throttled clock-fell", "" for none. */
void card_flags_text(unsigned flags, char *out, size_t max);
/* "sw-power-cap hw-slowdown", or "" when nothing but idleness and settings. */
void card_reasons_text(uint64_t reasons, char *out, size_t max);
/* Lines for run.json, gathered over ranks: start.sm_mhz=..., end.sm_mhz=..., processes=...; nothing
 * when nothing is known. */
void card_lines(const struct card *c, struct buf *out);
