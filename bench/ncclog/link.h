/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One connection line ("Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM") and the ordered set of links it
 * joins. Knows every spelling since NCCL 2.3; does not know lines, prefixes or what a link proves.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "ncclog/scan.h"
#include "ncclog/text.h"

/*
 * `msg` starts behind "Channel " or "Ring ". `whole`: the text was ended by a newline, so an
 * unknown word is a new word and not the first half of a known one. `glued`: another record follows
 * on the same line, perhaps without a space. On success *out is one link with one channel bit set.
 */
bool link_parse(struct span msg, bool whole, bool glued, struct scan_link *out) ATTR_MUST;

/* Order of the set: from, to, conn, cls, variant. */
int link_compare(const struct scan_link *a, const struct scan_link *b);

/*
 * Adds `l` to the ordered set, or its channels to the equal link there. The set must have started
 * as NULL and 0 and have grown by this only (its room follows from *n). 0 or -ENOMEM, then the set
 * is as before.
 */
int link_add(struct scan_link **set, size_t *n, const struct scan_link *l) ATTR_MUST;

/* Channels in the sender's masks, or in the receiver's when no sender was seen. */
int link_channels(const uint64_t send_mask[4], const uint64_t recv_mask[4]);
