/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strict text <-> number. A number is read whole or refused: 0 on success, -EINVAL for text that is
 * not one, -ERANGE for one that does not fit. Outputs change only on success.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

struct buf;

int num_parse_i64(const char *text, int64_t min, int64_t max, int64_t *out) ATTR_MUST;
int num_parse_double(const char *text, double *out) ATTR_MUST; /* finite, C locale, no hex */
/* nccl-tests' sizes: a whole number and an optional suffix K M G T (powers of 1024, either case,
 * optionally followed by B or iB; B alone is bytes): "8", "64K", "1g", "4MiB". */
int num_parse_size(const char *text, uint64_t *out) ATTR_MUST;
/* "30", "1.5", "250ms", "30s", "2m" -> nanoseconds; a bare number is seconds; > 0. */
int num_parse_duration(const char *text, int64_t *ns) ATTR_MUST;

/* 8 -> "8 B", 1536 -> "1.5 KiB", 1<<30 -> "1 GiB". */
void num_format_size(uint64_t bytes, char *out, size_t max);
/* three significant digits and a unit: 5.75e3 ns -> "5.75 us"; `utf8` writes µs. */
void num_format_time(double ns, int utf8, char *out, size_t max);
/* Shortest decimal that reads back as the same double; C locale; 32 bytes are enough. "" for NaN
 * and infinities: they are no figures. */
void num_format_double(double v, char *out, size_t max);

/* Levenshtein distance, for "did you mean"; strings longer than 63 bytes are cut. */
int num_edit_distance(const char *a, const char *b);
/* The candidate nearest to `word` (distance <= 1 + len/3), else NULL. */
const char *num_nearest(const char *word, const char *const *candidates, size_t n);
