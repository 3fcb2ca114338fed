/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources: NVLink generations and link counts from the vendor's architecture papers; GeForce and
 * P2P from reports in NCCL's issues (nccl-tests #117 and #287, nccl #1637) and the open kernel
 * modules' patch sets; GPUDirect RDMA is documented for data-centre and workstation cards only.
 * Oldest CUDA: the toolkit that first names the architecture. Oldest NCCL: the first release whose
 * official build carries that architecture, or works on it (sm_120: 2.26, since 2.25 fails with
 * "ncclMaxSharedMem exceeds"). A card that is missing is unknown, not bad.
 */
#include "doctor/hardware.h"

#include <string.h>

#include "base/attr.h"

#define GEFORCE_P2P "no with the stock driver (SHM is used)"

/* More telling names first: "RTX 6000 Ada" before "RTX 6000". */
const struct hardware hardware_table[] = {
	{ "B200/B300, GB200/GB300", "B200|B300|GB200|GB300", "",
	  "NVLink 5, 18 links, 900 GB/s per direction", "NVLink", "yes", "12.8", "2.25.1", true },
	{ "GH200", "GH200", "9.0", "NVLink 4, 18 links; C2C to the CPU", "NVLink", "yes", "11.8",
	  "2.18.1", true },
	{ "H100 PCIe/NVL", "H100 PCIe|H100 NVL|H200 NVL", "9.0",
	  "NVLink 4 by bridges, pairs (H200 NVL: up to four)", "NVLink or PCIe", "yes", "11.8",
	  "2.16.2", true },
	{ "H100/H200/H800/H20 SXM", "H100 80GB HBM3|H100 SXM|H200|H800|H20", "9.0",
	  "NVLink 4, 18 links (H800: 8), 450 GB/s per direction", "NVLink", "yes", "11.8", "2.16.2",
	  true },
	{ "A100/A800", "A100|A800", "8.0", "NVLink 3, 12 links (A800: 8), 300 GB/s per direction",
	  "NVLink or PCIe", "yes", "11.0", "2.7.8", true },
	{ "A30", "A30", "8.0", "NVLink 3 by bridge, pairs", "NVLink or PCIe", "yes", "11.0",
	  "2.7.8", true },
	{ "L4/L40/L40S", "L40S|L40|L4", "8.9", "none", "PCIe", "yes", "11.8", "2.16.2", true },
	{ "RTX 6000 Ada and other RTX Ada", "6000 Ada|5000 Ada|4500 Ada|4000 Ada|Ada Generation",
	  "8.9", "none", "PCIe", "yes", "11.8", "2.16.2", true },
	{ "RTX PRO Blackwell", "RTX PRO", "12.0", "none", "PCIe", "yes", "12.8", "2.26.2", true },
	{ "A40/A10/A16/A2", "A40|A10|A16|A2", "8.6", "NVLink 3 by bridge (A40 only)",
	  "NVLink or PCIe", "yes", "11.1", "2.8.3", true },
	{ "RTX A6000 and other RTX A", "RTX A6000|RTX A5500|RTX A5000|RTX A4500|RTX A4000", "8.6",
	  "NVLink 3 by bridge, pairs (A4500 and up)", "NVLink or PCIe", "yes", "11.1", "2.8.3",
	  true },
	{ "RTX 50xx", "RTX 50", "12.0", "none", GEFORCE_P2P, "no", "12.8", "2.26.2", false },
	{ "RTX 40xx", "RTX 40", "8.9", "none", GEFORCE_P2P, "no", "11.8", "2.16.2", false },
	{ "RTX 3090/3090 Ti", "RTX 3090", "8.6",
	  "NVLink 3 by bridge, 4 links, 56 GB/s per direction, pairs",
	  "NVLink with the bridge, else " GEFORCE_P2P, "no", "11.1", "2.8.3", false },
	{ "RTX 30xx", "RTX 30", "8.6", "none", GEFORCE_P2P, "no", "11.1", "2.8.3", false },
	{ "RTX 20xx/TITAN RTX", "RTX 20|TITAN RTX", "7.5",
	  "NVLink 2 by bridge (2070 Super and up), pairs", "NVLink with the bridge, else no", "no",
	  "10.0", "2.3.5", false },
	{ "Quadro RTX", "Quadro RTX", "7.5", "NVLink 2 by bridge, pairs", "NVLink or PCIe", "yes",
	  "10.0", "2.3.5", true },
	{ "T4", "Tesla T4|T4", "7.5", "none", "PCIe", "yes", "10.0", "2.3.5", true },
	{ "V100", "V100", "7.0", "NVLink 2, 6 links, 150 GB/s per direction (SXM)",
	  "NVLink or PCIe", "yes", "9.0", "2.3.5", true },
	{ "P100", "P100", "6.0", "NVLink 1, 4 links, 80 GB/s per direction (SXM)", "NVLink or PCIe",
	  "yes", "8.0", "2.3.5", true },
	{ "GTX 10xx", "GTX 10", "6.1", "none", "PCIe (older drivers)", "no", "8.0", "2.3.5", true },
};
const size_t hardware_count = N_ELEMENTS(hardware_table);

/* Does `word` stand in `name` with no letter or digit right before it and no digit right after?
 * "A10" is not in "A100"; "RTX 40" means all of 40xx and is. */
static bool word_in(const char *name, const char *word, size_t len)
{
	bool prefix = len > 2 && strncmp(word + len - 3, " ", 1) == 0; /* "RTX 40", "GTX 10" */

	for (const char *p = name; *p; p++) {
		if (strncmp(p, word, len) != 0 || (p > name && p[-1] != ' ' && p[-1] != '-'))
			continue;
		if (prefix || !strchr("0123456789SX", p[len]) || p[len] == '\0')
			return true;
	}
	return false;
}

static bool named(const struct hardware *h, const char *name)
{
	for (const char *p = h->names; *p;) {
		size_t n = strcspn(p, "|");

		if (word_in(name, p, n))
			return true;
		p += n + (p[n] == '|');
	}
	return false;
}

const struct hardware *hardware_find(const char *name, const char *cc)
{
	for (size_t i = 0; i < hardware_count; i++)
		if (named(&hardware_table[i], name) &&
		    (!cc[0] || !hardware_table[i].cc[0] || strcmp(hardware_table[i].cc, cc) == 0))
			return &hardware_table[i];
	return NULL;
}
