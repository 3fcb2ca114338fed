/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which part of NCCL speaks: by the file and the first words of a line whose own words no row of
 * pattern.c knows. Gives the general diagnosis of that part; it does not say what happened.
 */
#pragma once

#include <stdbool.h>

#include "explain/rule.h"
#include "ncclog/text.h"

/* `place`: "transport/net_ib.cc:345"; either may be empty. RULE_NCCL_WARN: nobody is known. */
enum rule_id family_of(struct span text, struct span place);
bool family_rule(enum rule_id rule); /* only says which part spoke: its own words must be shown */
