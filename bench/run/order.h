/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep --map near, far, numa: in which order the ranks of a host take its GPUs. From facts only;
 * how two GPUs reach each other is what the PCI tree says, not what was measured.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

struct buf;

enum order_id { ORDER_NEAR, ORDER_FAR, ORDER_NUMA, ORDER_COUNT };
#define ORDER_DEVICES_MAX 16 /* as many as a worker describes */

int order_find(const char *name); /* -1 */
/* The facts that orders need of this host's GPUs, whose buses `probed` names: gpu<i>.numa and
 * path.<i>.<j>, for i < j. Nothing where /sys does not show them. */
void order_lines(const char *probed, struct buf *out);
/* Device of each place; their number, or -ENODATA when `facts` (of one rank) do not tell. */
int order_devices(int order, const char *facts, int device[ORDER_DEVICES_MAX]) ATTR_MUST;
