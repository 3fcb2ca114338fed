/* SPDX-License-Identifier: Apache-2.0 */
/* CPUs of the NUMA node a PCI device hangs on, by hwloc. */
#include "run/place.h"

#include <hwloc.h>
#include <hwloc/glibc-sched.h>
#include <stdio.h>

/* The opencl component would initialise the GPU driver, gl would ask an X server. */
static hwloc_topology_t load(void)
{
	hwloc_topology_t t;

	if (hwloc_topology_init(&t) != 0)
		return NULL;
	hwloc_topology_set_components(t, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "opencl");
	hwloc_topology_set_components(t, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "gl");
	hwloc_topology_set_io_types_filter(t, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
	if (hwloc_topology_load(t) != 0) {
		hwloc_topology_destroy(t);
		return NULL;
	}
	return t;
}

bool place_near(const char *bus_id, const cpu_set_t *allowed, cpu_set_t *out, char *where,
		size_t where_max)
{
	hwloc_topology_t t = load();
	hwloc_obj_t device, near = NULL;
	cpu_set_t both;
	bool found = false;

	if (!t)
		return false;
	device = hwloc_get_pcidev_by_busidstring(t, bus_id);
	if (device)
		near = hwloc_get_non_io_ancestor_obj(t, device);
	if (near && near->cpuset &&
	    hwloc_cpuset_to_glibc_sched_affinity(t, near->cpuset, &both, sizeof(both)) == 0) {
		CPU_AND(&both, &both, allowed);
		found = CPU_COUNT(&both) > 1;
	}
	if (found) {
		int node = near->nodeset ? hwloc_bitmap_first(near->nodeset) : -1;

		*out = both;
		snprintf(where, where_max, "NUMA node %d of GPU %.20s", node, bus_id);
	}
	hwloc_topology_destroy(t);
	return found;
}
