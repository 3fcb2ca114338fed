/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thing to try: variables with values, or none, which is the control. Kept by number of row and
 * value, so that two of them can be compared and joined. Sets nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

struct buf;

enum { SETTING_MAX = 8, SETTING_OTHERWISE = 255 };

struct setting {
	struct {
		uint8_t tunable; /* row of tunable_table */
		uint8_t value;   /* of its values, or SETTING_OTHERWISE */
	} v[SETTING_MAX];
	size_t n; /* ascending in tunable */
};

/* Adds or replaces one; false when it is full. */
bool setting_put(struct setting *s, size_t tunable, size_t value) ATTR_MUST;
void setting_drop(struct setting *s, size_t at);
bool setting_equal(const struct setting *a, const struct setting *b);
/* All of both; false when they differ in a value, or together are too many or break a limit. */
bool setting_join(const struct setting *a, const struct setting *b, struct setting *out) ATTR_MUST;
const char *setting_name(const struct setting *s, size_t i);
const char *setting_value(const struct setting *s, size_t i);
/* No limit of the table is broken. */
bool setting_allowed(const struct setting *s);
/* "A=1 B=2"; "" for the control. */
void setting_text(const struct setting *s, struct buf *out);
/* 0, or -EINVAL: not words of the tables. */
int setting_parse(const char *text, struct setting *out) ATTR_MUST;
