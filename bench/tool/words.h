/* SPDX-License-Identifier: Apache-2.0 */
/* What every command says about words it does not take: one line, and the exit code of a usage
 * fault. */
#pragma once

#include <stddef.h>

/* "gate: --across 'x' is none of ..." */
int words_refuse(const char *command, const char *what, const char *word, const char *reason);
/* Unknown option, with the nearest name of a table: `names` points to the first row's name, rows
 * are `stride` bytes apart. */
int words_unknown(const char *command, const char *word, const char *const *names, size_t stride,
		  size_t n);
