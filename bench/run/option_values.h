/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TABLE: for each key of option_rows.h what a value may be and which member of struct options it
 * fills. Looks at one value at a time; what options mean together is option_check.c's and
 * option_derive.c's.
 */
#pragma once

#include "base/attr.h"

#define OPTION_UNKNOWN 1 /* no such key */

struct options;

/* 0; OPTION_UNKNOWN; negative errno, -EINVAL after one line. */
int option_take(struct options *o, int key, const char *text) ATTR_MUST;
