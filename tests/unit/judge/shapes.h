/* SPDX-License-Identifier: Apache-2.0 */
/* TABLE of made-up machines on which the gate and the comparison of arms are tried: how far
 * restarts, series and batches differ. */
#pragma once

#include "world.h"

/* Levels seen between batches of published tables and assumed between restarts and series
 * (docs/gate.md). */
#define QUIET                                                  \
	{                                                      \
		.series = .002, .restart = .003, .batch = .003 \
	}
#define MIDDLE                                                                     \
	{                                                                          \
		.series = .005, .restart = .01, .batch = .03, .outlier_rate = .01, \
		.outlier_size = .3                                                 \
	}
#define HEAVY                                                                     \
	{                                                                         \
		.series = .01, .restart = .02, .batch = .08, .outlier_rate = .05, \
		.outlier_size = .8                                                \
	}
#define MIXED                        \
	{                            \
		HEAVY, MIDDLE, QUIET \
	}
#define MIXED4                             \
	{                                  \
		MIXED, MIXED, MIXED, MIXED \
	}

/* Two machines with 2 x H200: sd over restart medians, and between machines (shift / sqrt 2); graph
 * timing. */
#define P2P                                                             \
	{                                                               \
		{ .series = .005, .restart = .01, .batch = .01 },       \
		    { .series = .0155, .restart = .009, .batch = .01 }, \
		{                                                       \
			.series = .014, .restart = .002, .batch = .005  \
		}                                                       \
	}
#define SHM                                                             \
	{                                                               \
		{ .series = .0106, .restart = .0155, .batch = .01 },    \
		    { .series = .0042, .restart = .009, .batch = .01 }, \
		{                                                       \
			.series = .026, .restart = .023, .batch = .01   \
		}                                                       \
	}
#define SOCKET                                                        \
	{                                                             \
		{ .series = .07, .restart = .125, .batch = .03 },     \
		    { .series = .07, .restart = .125, .batch = .03 }, \
		{                                                     \
			.series = .07, .restart = .125, .batch = .03  \
		}                                                     \
	}

struct shape {
	const char *name;
	struct world w;
};

enum { NORMAL, SHARED, SLOW, DRIFT, COMMON, MEASURED };

static const struct shape shapes[] = {
	[NORMAL] = { "normal", { .noise = MIXED4, .drift = 1, .common = .5 } },
	[SHARED] = { "shared process",
		     { .noise = MIXED4, .drift = 1, .common = .5, .shared = .8 } },
	[SLOW] = { "slow restarts",
		   { .noise = MIXED4,
		     .drift = 1,
		     .common = .5,
		     .shared = .8,
		     .slow_rate = .2,
		     .slow_size = .04 } },
	[DRIFT] = { "drift x 3", { .noise = MIXED4, .drift = 3, .common = .5 } },
	/* All points move together from series to series: as many groups say no more than one. */
	[COMMON] = { "common drift", { .noise = MIXED4, .drift = 2, .common = 1 } },
	[MEASURED] = { "2 x H200",
		       { .noise = { P2P, P2P, SHM, SOCKET },
			 .drift = 1,
			 .common = .5,
			 .shared = .5 } },
};
