/* SPDX-License-Identifier: Apache-2.0 */
/* TABLE of NCCL's parts: see family.h. Files of NCCL 2.3 to 2.30, RCCL and the public plugins. */
#include "explain/family.h"

#include <string.h>

#include "base/attr.h"

enum family_where {
	IN_PLACE, /* a folder, file or function it comes from begins so */
	AT_START, /* the first words */
	IN_WORDS,
};

/* clang-format off */
static const struct family {
	enum family_where where;
	const char *what;
	enum rule_id rule;
} family_table[] = { /* earlier rows win: plugins and parts that speak in others' files first */
	{ IN_WORDS, "initialized via NCCL_",       RULE_MISUSE },
	{ IN_PLACE, "tcpx",                        RULE_TCPX },
	{ AT_START, "NET/GPUDirectTCPX",           RULE_TCPX },
	{ IN_PLACE, "fastrak",                     RULE_TCPX },
	{ AT_START, "NET/FasTrak",                 RULE_TCPX },
	{ AT_START, "NCCL/NET (shim)",             RULE_TCPX },
	{ AT_START, "NET/OFI",                     RULE_LIBFABRIC },
	{ IN_PLACE, "nccl_net_ofi",                RULE_LIBFABRIC },
	{ IN_PLACE, "allocator.c",                 RULE_MISUSE },
	{ IN_PLACE, "nccl_ofi",                    RULE_LIBFABRIC },
	{ IN_PLACE, "net_fastsocket",              RULE_SOCKET_TROUBLE },
	{ IN_PLACE, "ib_plugin",                   RULE_IB_TROUBLE },
	{ IN_PLACE, "gin_host",                    RULE_GIN },
	{ IN_PLACE, "gin_proxy",                   RULE_GIN },
	{ IN_PLACE, "gin.c",                       RULE_GIN },
	{ IN_PLACE, "gdaki",                       RULE_GIN },
	{ IN_PLACE, "gpucontext",                  RULE_GIN },
	{ IN_PLACE, "rma/",                        RULE_GIN },
	{ IN_PLACE, "rma.c",                       RULE_GIN },
	{ IN_WORDS, " GIN ",                       RULE_GIN },
	{ AT_START, "GIN ",                        RULE_GIN },
	{ IN_WORDS, "One sided RMA",               RULE_GIN },
	{ IN_WORDS, "One-sided RMA",               RULE_GIN },
	{ IN_PLACE, "ras/",                        RULE_BENIGN_WARN },
	{ IN_PLACE, "gdrwrap",                     RULE_GDRCOPY },
	{ AT_START, "GDRCOPY",                     RULE_GDRCOPY },
	{ AT_START, "gdr_",                        RULE_GDRCOPY },
	{ IN_WORDS, "CollNet",                     RULE_COLLNET },
	{ IN_WORDS, "COLLNET",                     RULE_COLLNET },
	{ IN_WORDS, "sharp",                       RULE_COLLNET },
	{ IN_WORDS, "SHARP",                       RULE_COLLNET },
	{ IN_PLACE, "coll_net",                    RULE_COLLNET },
	{ AT_START, "TOPO/NET",                    RULE_TOPOLOGY },
	{ IN_PLACE, "param/",                      RULE_SETTING },
	{ IN_PLACE, "net_ib",                      RULE_IB_TROUBLE },
	{ IN_PLACE, "ucx_",                        RULE_IB_TROUBLE },
	{ IN_PLACE, "p2p_plugin",                  RULE_IB_TROUBLE },
	{ IN_PLACE, "ibvwrap",                     RULE_IB_TROUBLE },
	{ IN_PLACE, "ibvsymbols",                  RULE_IB_TROUBLE },
	{ IN_PLACE, "mlx5dv",                      RULE_IB_TROUBLE },
	{ AT_START, "NET/IB",                      RULE_IB_TROUBLE },
	{ AT_START, "NET/MLX5",                    RULE_IB_TROUBLE },
	{ AT_START, "NET/UCX",                     RULE_IB_TROUBLE },
	{ IN_PLACE, "ipcsocket",                   RULE_UDS_FAILED },
	{ IN_PLACE, "linux_ipcsocket",             RULE_UDS_FAILED },
	{ IN_PLACE, "windows_ipcsocket",           RULE_UDS_FAILED },
	{ AT_START, "UDS",                         RULE_UDS_FAILED },
	{ AT_START, "IPC:",                        RULE_UDS_FAILED },
	{ IN_WORDS, "rocess group of UDS",         RULE_UDS_FAILED },
	{ IN_WORDS, "UDS]",                        RULE_UDS_FAILED },
	{ AT_START, "[Proxy",                      RULE_PROXY_FAILED },
	{ AT_START, "[Service",                    RULE_PROXY_FAILED },
	{ AT_START, "ncclProxy",                   RULE_PROXY_FAILED },
	{ IN_PLACE, "proxy.c",                     RULE_PROXY_FAILED },
	{ IN_PLACE, "nvls",                        RULE_NVLS_FAILED },
	{ IN_WORDS, "ulticast",                    RULE_NVLS_FAILED },
	{ IN_PLACE, "mnnvl",                       RULE_IMEX },
	{ AT_START, "MNNVL",                       RULE_IMEX },
	{ IN_PLACE, "plugin",                      RULE_PLUGIN },
	{ IN_WORDS, "lugin",                       RULE_PLUGIN },
	{ AT_START, "TUNER/",                      RULE_PLUGIN },
	{ AT_START, "PROFILER/",                   RULE_PLUGIN },
	{ AT_START, "NET/Socket",                  RULE_SOCKET_TROUBLE },
	{ IN_PLACE, "net_socket",                  RULE_SOCKET_TROUBLE },
	{ IN_PLACE, "socket",                      RULE_SOCKET_TROUBLE },
	{ AT_START, "socket",                      RULE_SOCKET_TROUBLE },
	{ AT_START, "ncclSocket",                  RULE_SOCKET_TROUBLE },
	{ AT_START, "ncclOsSocket",                RULE_SOCKET_TROUBLE },
	{ AT_START, "Net :",                       RULE_SOCKET_TROUBLE },
	{ AT_START, "Bootstrap",                   RULE_SOCKET_TROUBLE },
	{ AT_START, "bootstrap",                   RULE_SOCKET_TROUBLE },
	{ IN_PLACE, "bootstrap",                   RULE_SOCKET_TROUBLE },
	{ IN_WORDS, "connect to ",                 RULE_SOCKET_TROUBLE },
	{ IN_WORDS, "shared memory",               RULE_SHM_TROUBLE },
	{ IN_WORDS, "/dev/shm",                    RULE_SHM_TROUBLE },
	{ IN_PLACE, "shm",                         RULE_SHM_TROUBLE },
	{ IN_PLACE, "nvml",                        RULE_NVML_FAILED },
	{ IN_WORDS, "nvml",                        RULE_NVML_FAILED },
	{ IN_WORDS, "libnvidia-ml",                RULE_NVML_FAILED },
	{ IN_PLACE, "cudawrap",                    RULE_CUDA_DRIVER },
	{ IN_PLACE, "rocmwrap",                    RULE_CUDA_DRIVER },
	{ IN_PLACE, "transport/p2p",               RULE_MAPPING_FAILED },
	{ IN_PLACE, "register/",                   RULE_MISUSE },
	{ IN_PLACE, "graph/",                      RULE_TOPOLOGY },
	{ IN_WORDS, "real path of",                RULE_TOPOLOGY },
	{ AT_START, "Call to ",                    RULE_SYSTEM_CALL },
	{ IN_WORDS, "affinity failed",             RULE_SYSTEM_CALL },
	{ IN_WORDS, "llocation failed",            RULE_HOST_ALLOC },
	{ IN_WORDS, "ailed to allocate",           RULE_HOST_ALLOC },
	{ IN_WORDS, "nable to allocate",           RULE_HOST_ALLOC },
	{ IN_WORDS, "lloc(",                       RULE_HOST_ALLOC },
	{ IN_PLACE, "alloc.h",                     RULE_HOST_ALLOC },
	{ IN_PLACE, "argcheck",                    RULE_MISUSE },
	{ IN_PLACE, "enqueue",                     RULE_MISUSE },
	{ IN_PLACE, "group.c",                     RULE_MISUSE },
	{ IN_PLACE, "init.c",                      RULE_MISUSE },
	{ IN_PLACE, "init_",                       RULE_MISUSE },
	{ IN_PLACE, "dev_runtime",                 RULE_MISUSE },
	{ IN_PLACE, "symmetric",                   RULE_MISUSE },
	{ IN_PLACE, "sym",                         RULE_MISUSE },
	{ IN_PLACE, "ce_coll",                     RULE_MISUSE },
	{ IN_PLACE, "mem_manager",                 RULE_MISUSE },
	{ IN_PLACE, "allocator",                   RULE_MISUSE },
	{ IN_PLACE, "collectives",                 RULE_MISUSE },
	{ IN_PLACE, "strongstream",                RULE_MISUSE },
	{ IN_PLACE, "misc/utils",                  RULE_MISUSE },
	{ IN_PLACE, "transport/net.c",             RULE_SOCKET_TROUBLE },
	{ IN_PLACE, "register.c", RULE_MISUSE },
	{ IN_PLACE, "rings.c", RULE_TOPOLOGY },
	{ IN_PLACE, "utils.h", RULE_SYSTEM_CALL },
	{ IN_PLACE, "os/",                         RULE_SYSTEM_CALL },
};
/* clang-format on */

static bool holds(struct span s, const char *what)
{
	return memmem(s.p, (size_t)(s.end - s.p), what, strlen(what)) != NULL;
}

static bool starts(struct span s, const char *what)
{
	size_t len = strlen(what);

	return (size_t)(s.end - s.p) >= len && memcmp(s.p, what, len) == 0;
}

static bool begins_in(struct span place, const char *what)
{
	for (;;) {
		if (starts(place, what))
			return true;
		place.p = memchr(place.p, '/', (size_t)(place.end - place.p));
		if (!place.p)
			return false;
		place.p++;
	}
}

/* A variable's name: "NCCL_SOCKET_NTHREADS is greater than"; not a constant of the interface. */
static bool names_variable(struct span s)
{
	static const char *const constants[] = { "GIN_CONNECTION",  "CTA_POLICY",
						 "DEVICE_UNPACK",   "CONFIG_",
						 "COMM_PROPERTIES", "DEV_COMM_",
						 "SIM_INFO" };
	bool constant = false;

	while (span_find(&s, "NCCL_")) {
		if (s.p == s.end || *s.p < 'A' || *s.p > 'Z')
			continue;
		constant = false;
		for (size_t i = 0; i < N_ELEMENTS(constants); i++)
			constant |= starts(s, constants[i]);
		if (!constant)
			return true;
	}
	return false;
}

static bool is_of(const struct family *f, struct span text, struct span place)
{
	switch (f->where) {
	case IN_PLACE:
		return begins_in(place, f->what);
	case AT_START:
		return starts(text, f->what);
	case IN_WORDS:
		return holds(text, f->what);
	}
	return false;
}

enum rule_id family_of(struct span text, struct span place)
{
	if (names_variable(text))
		return RULE_SETTING;
	for (size_t i = 0; i < N_ELEMENTS(family_table); i++)
		if (is_of(&family_table[i], text, place))
			return family_table[i].rule;
	return RULE_NCCL_WARN;
}

bool family_rule(enum rule_id rule)
{
	static const enum rule_id parts[] = {
		RULE_NCCL_WARN,   RULE_TCPX,        RULE_PLUGIN,         RULE_GIN,
		RULE_COLLNET,     RULE_GDRCOPY,     RULE_IB_TROUBLE,     RULE_UDS_FAILED,
		RULE_SHM_TROUBLE, RULE_CUDA_DRIVER, RULE_SOCKET_TROUBLE, RULE_SETTING,
		RULE_SYSTEM_CALL, RULE_MISUSE,
	};

	for (size_t i = 0; i < N_ELEMENTS(parts); i++)
		if (parts[i] == rule)
			return true;
	return false;
}
