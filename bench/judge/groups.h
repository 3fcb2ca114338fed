/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TABLE of size classes. A group is what has one key but for the size, within one class: transport
 * x operation x class, timings and types apart. The score of a restart is the mean over the group's
 * points, so that noise of single points averages out and a shift of the class does not.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct buf;
struct pool;

struct size_class {
	const char *name;     /* small mid large */
	uint64_t up_to_bytes; /* inclusive */
	const char *help;
};

extern const struct size_class size_classes[];
extern const size_t n_size_classes;
size_t size_class_of(uint64_t bytes);

/* "p2p all_reduce graph", with every key column that is not at its usual value: "... half root 1".
 */
void group_label(const struct pool *pool, uint32_t group, struct buf *out);
