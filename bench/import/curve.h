/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which tables are measurements of one curve by one method, and what that curve is called in
 * points.csv. The first method of a curve has the plain word of its timing; the next ones
 * "stream~2", "stream~3": figures of two methods never share a key.
 */
#pragma once

#include <stddef.h>

struct imported;
struct import_table;

/* out[i]: the curve of table i; equal numbers are one curve and method. The low 12 bits count
 * methods, from 0. */
void curve_numbers(const struct imported *im, int *out);
void curve_timing(const struct import_table *t, int curve, char *out, size_t max);
/* nvbandwidth's names are too long for the column: "device_to_device_memcpy_read_ce" ->
 * "d_to_d_read". */
void curve_short_name(const char *name, char *out, size_t max);
/* Distinct method ids, joined; what the gate compares. */
void curve_methods(const struct imported *im, char *out, size_t max);
