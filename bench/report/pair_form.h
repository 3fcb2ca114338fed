/* SPDX-License-Identifier: Apache-2.0 */
/* Of which form the figures of pairs are: what the cells of one map have in common, and how it is
 * said. Knows no figures. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct record;

/* Do two rows of pairs differ in their pair, size and timing at most? */
bool pair_form_same(const struct record *a, const struct record *b);
/* What is not as usual, as ", beside mem, arm B"; "" when all is. */
void pair_form_words(const struct record *r, char *out, size_t max);
