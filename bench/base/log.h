/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line to standard error: "ncclbench: text". Only the rank told to speak prints notes; errors
 * of other ranks carry "rank N: ". Control bytes in the text are shown as \xNN: hostile names stay
 * text.
 */
#pragma once

#include <stdbool.h>

#include "base/attr.h"

void log_setup(const char *program, int rank, bool speaks);
void log_error(const char *fmt, ...) ATTR_PRINTF(1, 2); /* always printed */
void log_lines(const char *text);                       /* each line of it as one note */
void log_note(const char *fmt, ...) ATTR_PRINTF(1, 2);  /* printed by the speaking rank only */
