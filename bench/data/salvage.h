/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows from samples.csv for points that a killed run left without one: with several restarts a row
 * is written in the last, and until then its samples are all there is. What only the supervisor
 * knew (the path, the algorithm, why it stopped) is unknown then, and is not guessed.
 */
#pragma once

#include <stddef.h>

#include "base/attr.h"
#include "data/record.h"

#define SALVAGE_DETAIL "the run was killed: from samples.csv, with the restarts it had"

/* Adds to *rows (n of them, heap) a row for each point of the samples that has none there; *added
 * counts them. A last line that was cut off is left out. 0; -ENOMEM; -EBADMSG with line and reason
 * in `why`. Nothing changes unless 0. */
int salvage_rows(const char *samples, size_t len, struct record **rows, size_t *n, size_t *added,
		 char *why, size_t why_max) ATTR_MUST;
