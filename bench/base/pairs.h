/* SPDX-License-Identifier: Apache-2.0 */
/* Text of lines key=value, as the workers' --probe prints them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Value of the first line `key=` (cut at max); false when absent, and `out` is as it was. `text`
 * may be NULL. */
bool pairs_get(const char *text, const char *key, char *out, size_t max);
