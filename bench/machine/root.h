/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files under a root that stands for "/": the live system ("") or a recorded tree. For those who
 * read facts from files (this room and doctor).
 */
#pragma once

#include <limits.h>
#include <stddef.h>

/* "" when it would not fit. */
void root_path(const char *root, const char *rest, char out[PATH_MAX]);
/* First line without white space around it, "" on any failure; control bytes become '?'. */
void root_line(const char *root, const char *rest, char *out, size_t max);
/* In place; returns the first byte that is not white space. */
char *root_trim(char *text);
/* Control bytes become '?': facts go into tables, file names, terminals. */
void root_clean(char *text);
