/* SPDX-License-Identifier: Apache-2.0 */
/* Writers of the bar charts: bandwidth of each transport at one size, and what became of each
 * transport's points. */
#pragma once

struct buf;
struct view;

int bars_comparison(const struct view *v, const char *op, struct buf *data, struct buf *vars);
int bars_outcomes(const struct view *v, const char *op, struct buf *data, struct buf *vars);
