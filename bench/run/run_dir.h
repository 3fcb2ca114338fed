/* SPDX-License-Identifier: Apache-2.0 */
/* The directory of this run: rank 0 makes it, or reopens that of --resume, and the others learn
 * where their logs go. Collective. What is written into it is data/store.h's. */
#pragma once

#include "base/attr.h"

struct run;

/* 0; GIVEN_STOP after a line; negative errno. */
int run_dir_open(struct run *r) ATTR_MUST;
