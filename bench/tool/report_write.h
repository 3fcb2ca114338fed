/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a report: pages, pictures. Says what it could not do; decides nothing about figures.
 */
#pragma once

#include <stdbool.h>

#include "base/attr.h"

struct fleet;
struct fleet_compare;

struct report_files {
	const struct fleet *f;
	const struct fleet_compare *c;
	const char *dir;
	bool charts;
};

/* dir/report.html, dir/report.md, dir/charts/. 0 or -errno after an error line. */
int report_write(const struct report_files *w) ATTR_MUST;
/* May a page be written to `dir`? Not where another command keeps its own answer under the same
 * name: then NB_EXIT_USAGE after a line that says whose and how to read it; else NB_EXIT_OK. */
int report_write_may(const char *dir) ATTR_MUST;
