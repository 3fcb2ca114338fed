/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the options and what was found out about the ranks to the plan of the campaign: what
 * commands and options ask for by themselves, and what the plan then leaves out. Not the plan
 * itself (spec/plan.h), and not whether the ranks' plans are equal (agree.h).
 */
#pragma once

#include "base/attr.h"

struct run;

/* --confirm: is this the machine of the verdict? 0 or GIVEN_STOP after a line. */
int planning_conditions(const struct run *r) ATTR_MUST;
/* 0; GIVEN_STOP after a line; negative errno. */
int planning_make(struct run *r) ATTR_MUST;
void planning_print(const struct run *r); /* --dry-run */
