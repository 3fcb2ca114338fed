/* SPDX-License-Identifier: Apache-2.0 */
/* The findings of explain on the workers' logs. A file of its own: explain's facts and ours have
 * one name. */
#pragma once

#include "base/attr.h"

struct json_t;

/* logs[i]: a line with the log's name, then the log. The array "findings" as explain --json has it
 * (a new reference), or NULL without memory. */
struct json_t *diagnose_logs(char *const *logs, int n) ATTR_MUST;
