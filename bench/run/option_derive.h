/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What options mean beyond their own value: the arms that several of them make, and what they
 * choose for the plan where nobody chose. Says what is wrong with the words of arms; what
 * contradicts what is option_check.c's.
 */
#pragma once

#include "base/attr.h"

struct options;

/* Arms of --ab, --algos and --protos, or --channels. 0; negative errno, -EINVAL after one line. */
int option_arms(struct options *o) ATTR_MUST;
/* After the contradictions: so that no sentence is about what was chosen by itself. */
void option_complete(struct options *o);
