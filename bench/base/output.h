/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standard output of a program, so that a lost answer is never exit status 0: on a full disk or a
 * closed stream one line says so and the program ends with NB_EXIT_BROKEN, or with what the caller
 * of output_put says. It sees what this
 * process writes, not what becomes of it behind a pipe (mpirun's own exit status tells that).
 */
#pragma once

#include "base/attr.h"

struct buf;

/* Once, first in main. A standard stream that is closed becomes one that refuses: else the next
 * file opened would get its number, and the program's own words. */
void output_guard(void);
/* Writes and flushes the whole of it: 0, or a negative errno after it was said; then the exit
 * status is the caller's to choose. */
int output_put(const struct buf *b) ATTR_MUST;
