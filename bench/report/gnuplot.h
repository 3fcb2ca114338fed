/* SPDX-License-Identifier: Apache-2.0 */
/* How gnuplot is started: in which folder, with which variables, and for how long at most, whatever
 * becomes of us. Draws nothing itself. */
#pragma once

#include <stddef.h>

#include "base/attr.h"
#include "base/clock.h"

struct env;

#define GNUPLOT_NS (60 * CLOCK_S) /* a hang; a slow machine is not one */
#define GNUPLOT_SHELL "/bin/sh"
#define GNUPLOT_WORDS 4 /* before the names of drivers in `dir` */

/* The first words; `dir` must outlive them. Exit status 127: there is no gnuplot. */
void gnuplot_words(char *argv[GNUPLOT_WORDS], char *dir);
/* Ours without the user's own settings of gnuplot. 0 or negative errno. */
int gnuplot_env(struct env *env) ATTR_MUST;
