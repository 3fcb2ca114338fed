/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes and the two array helpers every room uses. */
#pragma once

#include <stddef.h>

#define ATTR_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define ATTR_MUST __attribute__((warn_unused_result))
#define N_ELEMENTS(a) (sizeof(a) / sizeof((a)[0]))
