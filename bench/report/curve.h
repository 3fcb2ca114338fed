/* SPDX-License-Identifier: Apache-2.0 */
/* Writers of the charts that show curves over message size or over the number of
 * ranks, and what all writers share. */
#pragma once

struct buf;
struct view;

int curve_bandwidth(const struct view *v, const char *op, struct buf *data, struct buf *vars);
int curve_latency(const struct view *v, const char *op, struct buf *data, struct buf *vars);
/* Bandwidth alone and beside computation. */
int curve_overlap(const struct view *v, const char *op, struct buf *data, struct buf *vars);
/* How much both slow each other against the number of channels. */
int curve_channels(const struct view *v, const char *op, struct buf *data, struct buf *vars);
/* The figures of the first two against the number of ranks. */
int curve_scaling(const struct view *v, const char *op, struct buf *data, struct buf *vars);
int curve_scaling_latency(const struct view *v, const char *op, struct buf *data, struct buf *vars);

/* title, sub1, sub2, caption, height of a picture. */
void curve_titles(const struct view *v, const char *title, const char *caption, int height,
		  struct buf *vars);
