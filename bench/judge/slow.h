/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of several alike things are slow: each is held against the median of its class. A rule of
 * thumb for pairs of one run; differences between runs are the gate's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct slow_rule {
	int least;    /* so many must be in a class: of two nobody knows which is the slow one */
	double share; /* slow: speed below this share of the class's median ... */
	double mads;  /* ... and so many MADs (as standard deviations) below it */
};

extern const struct slow_rule slow_rule;

struct slow_item {
	double speed; /* more is better; NaN or not above 0: not measured */
	int class;    /* below 0: of none, never slow */
	/* out: */
	double median; /* of the measured ones of its class; NaN when they are too few */
	bool slow;
};

/* Fills median and slow of all. -ENOMEM. */
int slow_find(struct slow_item *items, size_t n);
