/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known about a machine, before anything is judged. Facts come from files under a root
 * ("" is the live system, else a recorded tree), and from lines that the NCCL worker printed. What
 * could not be read is unknown, never guessed: -1, "" or ANSWER_UNKNOWN.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "machine/host.h"

enum {
	DOCTOR_GPUS_MAX = 16,
	DOCTOR_NETS_MAX = 32,
	DOCTOR_LIBS_MAX = 8,
	DOCTOR_SETTINGS_MAX = 128,
	DOCTOR_BRIDGES_MAX = 64,
	DOCTOR_DEPTH_MAX = 16, /* PCI bridges between a GPU and its host bridge */
};

enum answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES };

enum path { /* in the order of distance; the words are nvidia-smi's and NCCL's */
	    PATH_UNKNOWN,
	    PATH_SELF,
	    PATH_NVL,
	    PATH_PIX,
	    PATH_PXB,
	    PATH_PHB,
	    PATH_NODE,
	    PATH_SYS,
	    PATH_COUNT
};
extern const char *const path_names[PATH_COUNT]; /* "?", "X", "NVL", "PIX" ... */

enum p2p_fact { /* what copies showed */
		P2P_UNTRIED,
		P2P_REFUSED, /* CUDA says no */
		P2P_OK,
		P2P_HANG,
		P2P_CORRUPT,
		P2P_ERROR,
};

struct hardware;

struct doctor_gpu {
	int index;    /* CUDA's number, or order of the bus ids where CUDA is not there */
	bool cuda;    /* CUDA shows it in this environment */
	char bus[32]; /* as sysfs writes it, "" unknown */
	char name[96], cc[8], link_version[8];
	int64_t mem_total, mem_free; /* bytes */
	int nvlinks;                 /* active ones */
	int numa;
	char procs[256];               /* others that use it, in the worker's words */
	const struct hardware *family; /* NULL unknown */
	/* PCI addresses from the host bridge down, the GPU's own last */
	char above[DOCTOR_DEPTH_MAX][32];
	int depth;
	char iommu[24]; /* type of its IOMMU group: "identity", "DMA", "DMA-FQ"; "" none */
};

struct doctor_pair {
	enum path path; /* PCI only: NVLinks are counted beside it */
	int links;      /* NVLinks between the two, -1 unknown */
	enum answer cuda;
	char nvml[48]; /* "" unknown */
	enum p2p_fact fact;
	char said[160]; /* words of the copy test */
	double gbps;    /* of the slowest way that worked */
};

struct doctor_bridge {
	char bus[32];
	enum answer redirects; /* ACS sends what comes from below up to the CPU */
	unsigned control;      /* the ACS control register */
};

struct doctor_net {
	char name[32];
	bool up, address, physical, loopback, bridge; /* bridge: docker, cni, veth ... */
	int mbps;
};

struct doctor_rdma {
	char name[32], state[24], link_layer[24], rate[32];
};

struct doctor_lib {
	char where[24]; /* "loader", "pytorch", "worker" */
	char path[512], version[24];
};

struct doctor_setting {
	char name[64], value[256], from[96]; /* "environment" or a file's name */
};

struct doctor {
	const char *root;
	bool recorded;
	struct host_facts host;
	/* limits; -1 unknown, INT64_MAX none */
	int64_t memlock, nofile;
	int cpus_allowed;
	int shm_error; /* errno of making a file in /dev/shm; 0: it went well, or was not tried */
	int ptrace_scope;
	char container[32], vm[64]; /* "" none seen */
	bool wsl;
	/* GPUs */
	char probe_why[320]; /* why there are no facts from CUDA; "" there are */
	char cuda_reason[256];
	char cuda_driver[16], cuda_runtime[16];
	struct doctor_gpu gpu[DOCTOR_GPUS_MAX];
	int n_gpus, n_cuda;
	struct doctor_pair pair[DOCTOR_GPUS_MAX][DOCTOR_GPUS_MAX];
	char p2p_why[320]; /* why copies were not tried, "" they were */
	struct doctor_bridge bridge[DOCTOR_BRIDGES_MAX];
	int n_bridges;
	bool iommu_on;
	enum answer peermem; /* nvidia_peermem is loaded */
	/* network */
	struct doctor_net net[DOCTOR_NETS_MAX];
	int n_nets;
	struct doctor_rdma rdma[DOCTOR_NETS_MAX];
	int n_rdma;
	/* NCCL */
	struct doctor_lib lib[DOCTOR_LIBS_MAX];
	int n_libs;
	char torch[32];                                     /* version, "" not found */
	struct doctor_setting setting[DOCTOR_SETTINGS_MAX]; /* of NCCL and its relatives */
	int n_settings;
	bool settings_cut;
};

struct doctor_request {
	const char *root;         /* NULL: live */
	const char *worker;       /* path of ncclbench-worker-nccl; NULL: not asked */
	bool copies;              /* try P2P in fact */
	char *const *environment; /* NULL: ours; a recorded tree has its own in /environ */
};

/* Takes at most a minute, most of it when a copy hangs. -ENOMEM only. */
int doctor_gather(const struct doctor_request *q, struct doctor *d) ATTR_MUST;

/* The parts of it. */
void doctor_read_limits(struct doctor *d);
/* Can this user make a file in that folder? Leaves nothing there. 0 or negative errno. */
int doctor_try_files(const char *dir) ATTR_MUST;
void doctor_read_pci(struct doctor *d);  /* after the probe: places of the GPUs, ACS, IOMMU */
void doctor_find_gpus(struct doctor *d); /* without CUDA: what the driver or PCI shows */
void doctor_read_net(struct doctor *d);
void doctor_read_libs(struct doctor *d, char *const *environment);
void doctor_read_settings(struct doctor *d, char *const *environment);
void doctor_parse_probe(struct doctor *d, const char *text);
void doctor_parse_copies(struct doctor *d, const char *text);
void doctor_probe(struct doctor *d, const struct doctor_request *q);

/* Value of NAME as NCCL sees it (environment before files), or NULL. */
const char *doctor_setting(const void *d, const char *name);
/* 22803 of the NCCL that matters here: PyTorch's, else the loader's, else the worker's; 0 unknown.
 */
int doctor_nccl_version(const struct doctor *d, const struct doctor_lib **which);
/* P2P that NCCL will use between two GPUs by its own rules: yes, no, unknown; `why` is a few words.
 */
enum answer doctor_nccl_p2p(const struct doctor *d, int i, int j, const char **why);
/* "NV18", else the PCI path's name. */
void doctor_path(const struct doctor *d, int i, int j, char *out, size_t max);
