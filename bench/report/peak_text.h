/* SPDX-License-Identifier: Apache-2.0 */
/* --explain-peak: where every ceiling and every percent of peak comes from, as lines. */
#pragma once

struct buf;
struct fleet;
struct fleet_compare;

void peak_text(struct buf *b, const struct fleet *f, const struct fleet_compare *c);
