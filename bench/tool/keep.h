/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Series as folders on disk: put there whole or not at all, taken away whole or left alone. What is
 * not finished has a hidden name, which readers of the folder pass over. Judges no figure; prints
 * nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

/* Waits a minute for others that change the folder, which is made where it is not there. A
 * descriptor: closing it lets others in. -ETIMEDOUT and other negative errno. */
int keep_lock(const char *dir) ATTR_MUST;
/* Is a series of that name possible: neither hidden, nor a file that means something there. */
bool keep_name_ok(const char *name);
/* Copies the files of the series `from` to dir/name. 0; -EEXIST and other negative errno: nothing
 * is left there. */
int keep_put(const char *from, const char *dir, const char *name) ATTR_MUST;
/* May the folder be taken away: it is one, and holds a series and nothing else. 0; 1: no, `why`
 * says what speaks against it; negative errno. Follows no link. */
int keep_removable(const char *path, char *why, size_t why_max) ATTR_MUST;
/* The same, and takes it away. */
int keep_remove(const char *path, char *why, size_t why_max) ATTR_MUST;
