/* SPDX-License-Identifier: Apache-2.0 */
/* Writers of the charts that show curves over message size, and what all writers share. */
#pragma once

struct buf;
struct view;

int curve_bandwidth(const struct view *v, const char *op, struct buf *data, struct buf *vars);
int curve_latency(const struct view *v, const char *op, struct buf *data, struct buf *vars);

/* title, sub1, sub2, caption, height of a picture. */
void curve_titles(const struct view *v, const char *title, const char *caption, int height,
		  struct buf *vars);
