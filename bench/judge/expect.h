/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expected failures: a CSV file `match,verdict,reason,until`. `match` is a list of column=value
 * words
 * ("transport=socket op=broadcast bytes=8"); verdict is a name of the verdict table or any; from
 * the day after `until` (2026-12-31) the row counts again.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

struct pool;

struct expectation {
	char match[256];
	int verdict; /* -1: any */
	char reason[160];
	char until[12];
};

struct expectations {
	struct expectation *v;
	size_t n;
};

#define EXPECT_HEADER "match,verdict,reason,until\n"

void expect_fini(struct expectations *e);
/* 0; -EBADMSG with line and reason in `why`; -ENOMEM. */
int expect_parse(const char *data, size_t len, struct expectations *out, char *why,
		 size_t why_max) ATTR_MUST;
/* NULL when well formed, else what is wrong (static text). */
const char *expect_fault(const struct expectation *e);
/* Why no point can ever match a well-formed row: a column twice, a value that none has; NULL when
 * one can. For whoever writes a row; files are read all the same, another version may know more. */
const char *expect_never(const struct expectation *e);
/* The row for a point, or for a group (bytes UINT64_MAX: rows that name bytes do not match); the
 * one that lasts longest, expired or not; NULL when none. */
const struct expectation *expect_find(const struct expectations *e, const struct pool *pool,
				      uint32_t group, uint64_t bytes, int verdict);
