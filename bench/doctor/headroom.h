/* SPDX-License-Identifier: Apache-2.0 */
/* Memory sizes as people write them: "21.48GB" is 10^9, "20GiB" 2^30. */
#pragma once

#include <stdint.h>

#include "base/attr.h"

/* A number and B, kB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB (of 1024). A bare letter is
 * refused: it means one thing here and another there. 0 or -EINVAL. */
int headroom_parse(const char *text, uint64_t *bytes) ATTR_MUST;
