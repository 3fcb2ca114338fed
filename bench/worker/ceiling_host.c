/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/ceiling_host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define PAGE 4096

/* Touched before: page faults are no part of a copy. The first copy warms the caches and is not
 * reported. */
static void copy_all(const struct nb_ceiling *c, void *to, const void *from, int64_t *ns)
{
	int64_t began;
	int i, k;

	for (i = -1; i < c->samples; i++) {
		began = clock_now_ns();
		for (k = 0; k < c->copies; k++) {
			memcpy(to, from, c->bytes);
			__asm__ volatile(""
					 :
					 : "r"(to), "r"(from)
					 : "memory"); /* nobody reads it: do it all the same */
		}
		if (i >= 0)
			ns[i] = clock_now_ns() - began;
	}
}

int ceiling_host(const struct nb_ceiling *c, int64_t *ns)
{
	size_t room = (c->bytes + PAGE - 1) / PAGE * PAGE;
	void *from = aligned_alloc(PAGE, room), *to = aligned_alloc(PAGE, room);
	int r = from && to ? 0 : -ENOMEM;

	if (r == 0) {
		memset(from, 0x5a, room);
		memset(to, 0xa5, room);
		copy_all(c, to, from, ns);
	}
	free(from);
	free(to);
	return r;
}
