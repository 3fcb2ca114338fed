/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The comparison table at the end of a sweep: a row per transport (really used, proof, all_reduce
 * busbw at the largest size all measured transports have, sendrecv busbw, latency of 8 B, % of
 * peak, ratio to auto, or N/A (why)), then the peak rows, then counts of outcomes and the notes. A
 * micro sign is written where LC_ALL, LC_CTYPE or LANG says UTF-8, else "us".
 */
#pragma once

#include <stdbool.h>

struct buf;
struct view;

void table_text(struct buf *b, const struct view *v, int width,
		bool color); /* width 0: do not wrap reasons */
void table_markdown(struct buf *b, const struct view *v);
