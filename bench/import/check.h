/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a table's figures really say: which operation and unit it is where the text leaves it open,
 * bandwidths from size and time, rows that contradict themselves by more than rounding, wrong data.
 * Changes only what table.h calls "by check.c".
 */
#pragma once

struct imported;
struct import_table;

void import_check(struct imported *im, struct import_table *t);
