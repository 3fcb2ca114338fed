/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as tools really write it -> JSON a parser takes: bare inf and nan become null, bytes that
 * are not ASCII '?', and a text that ends in the middle is cut behind its last complete value and
 * closed. Invents no values.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct buf;

/* Takes one object from *at on and moves *at behind it; false when there is none left. `cut`: it
 * had no end. */
bool repair_next(const char *data, size_t len, size_t *at, struct buf *out, bool *cut);
