/* SPDX-License-Identifier: Apache-2.0 */
/* Writers of the charts made of cells: what NCCL's own choice of algorithm costs by size, and a
 * figure for every ordered pair of ranks. */
#pragma once

struct buf;
struct view;

int heatmap_algorithms(const struct view *v, const char *op, struct buf *data, struct buf *vars);
int heatmap_pairs(const struct view *v, const char *op, struct buf *data, struct buf *vars);
/* The same pairs as tables of text; nothing when the run has no second pair. */
void heatmap_pairs_text(const struct view *v, struct buf *out);
