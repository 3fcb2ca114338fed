/* SPDX-License-Identifier: Apache-2.0 */
/* Texts kept once and named by number: keys of points and the words of their rows. 0 is "". */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

struct pool { /* zeroed is empty */
	char **text;
	uint32_t *slot; /* open addressing: number + 1, 0 is free */
	size_t n, cap, n_slots;
};

void pool_fini(struct pool *p);
/* The number of `text`; -ENOMEM. */
int pool_add(struct pool *p, const char *text, uint32_t *id) ATTR_MUST;
const char *pool_text(const struct pool *p, uint32_t id); /* valid until pool_fini; "" if unknown */
