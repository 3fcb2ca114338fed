/* SPDX-License-Identifier: Apache-2.0 */
/* results/README.md, generated: what a run directory holds and what each CSV column means. */
#pragma once

struct buf;

void columns_markdown(struct buf *b);
