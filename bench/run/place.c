/* SPDX-License-Identifier: Apache-2.0 */
#include "run/place.h"

#include <stdio.h>
#include <string.h>

#include "base/attr.h"

const char *const place_names[PLACE_COUNT] = { "inherit", "near", "all" };

int place_find(const char *name)
{
	for (int i = 0; i < PLACE_COUNT; i++)
		if (strcmp(name, place_names[i]) == 0)
			return i;
	return -1;
}

/* What the cgroup allows: the kernel cuts a full mask down to it. Our own mask is put back. */
static void allowed_cpus(const cpu_set_t *mine, cpu_set_t *out)
{
	cpu_set_t full;

	memset(&full, 0xff, sizeof(full));
	*out = *mine;
	if (sched_setaffinity(0, sizeof(full), &full) != 0)
		return;
	sched_getaffinity(0, sizeof(*out), out);
	sched_setaffinity(0, sizeof(*mine), mine);
}

static void list_cpus(const cpu_set_t *set, char *out, size_t max)
{
	size_t used = 0;

	out[0] = '\0';
	for (int i = 0; i < CPU_SETSIZE && used + 12 < max; i++) {
		int last = i;

		if (!CPU_ISSET(i, set))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
			last++;
		used += (size_t)snprintf(out + used, max - used, last > i ? "%s%d-%d" : "%s%d",
					 used ? "," : "", i, last);
		i = last;
	}
}

static void widen(enum place_policy policy, const char *bus_id, const cpu_set_t *allowed,
		  struct place *out)
{
	char where[80] = "";

	if (policy == PLACE_ALL || !bus_id[0] ||
	    !place_near(bus_id, allowed, &out->set, where, sizeof(where))) {
		out->set = *allowed;
		snprintf(where, sizeof(where), "the CPUs this job may use");
	}
	out->after = CPU_COUNT(&out->set);
	out->changed = out->after != out->before;
	if (out->changed)
		snprintf(out->text, sizeof(out->text),
			 "worker was bound to %d CPU%s: widened to %d (%s)", out->before,
			 out->before == 1 ? "" : "s", out->after, where);
}

void place_choose(enum place_policy policy, const char *bus_id, struct place *out)
{
	cpu_set_t mine, allowed;

	memset(out, 0, sizeof(*out));
	CPU_ZERO(&mine);
	if (sched_getaffinity(0, sizeof(mine), &mine) != 0)
		memset(&mine, 0xff,
		       sizeof(mine)); /* more CPUs than cpu_set_t holds: nothing to widen */
	out->set = mine;
	out->before = out->after = CPU_COUNT(&mine);
	if (policy == PLACE_ALL || (policy == PLACE_NEAR && out->before == 1)) {
		allowed_cpus(&mine, &allowed);
		widen(policy, bus_id, &allowed, out);
	}
	list_cpus(&out->set, out->list, sizeof(out->list));
}
