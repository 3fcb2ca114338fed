/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --p2p-check [I,J ...]: does direct access between GPUs deliver? Drivers exist that say yes and
 * then hang, or move nothing, or move it wrongly; NCCL believes them. Each ordered pair is asked
 * three ways (the copy engine, a kernel that writes to the other GPU, a kernel that reads from it),
 * and what arrived is compared on the GPU it arrived at. NCCL itself is not used.
 *
 * One line per fact, written as soon as it is known, so that what is known before a hang is kept:
 *   links.I.J=18                NVLinks between the two, of NVML
 *   p2p_try.I.J=push            what is being done
 *   p2p_fact.I.J=ok 45.2        and GB/s of the slower of the three ways, one direction
 *   p2p_fact.I.J=no | hang push | corrupt push: ... | error ...
 * A pair that does not end in time ends the program: nothing else gets a stuck GPU back.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

#include "base/attr.h"
#include "base/clock.h"
#include "ncclbench/exitcode.h"
#include "ncclbench/kernels.h"
#include "worker/nccl_rank.h"
#include "worker/nvml.h"

enum {
	BYTES = 16 << 20,
	DEVICES_MAX = 16,
	LINKS_MAX = 36,
	START_S = 40, /* contexts on all GPUs; the first one wakes the driver */
	PAIR_S = 5,
	POISON = 0xA5,
	REMOTE_GPU = 0,
	REMOTE_SWITCH = 2, /* nvmlIntNvLinkDeviceType_t */
};

static struct {
	char *memory[DEVICES_MAX];
	struct nb_mismatch *wrong[DEVICES_MAX];
	char bus[DEVICES_MAX][32];
	int n, seconds;
	/* for the handler */
	char hang_line[64];
	size_t hang_len;
} check;

/* Only what a signal handler may do. */
static void on_alarm(int sig)
{
	ssize_t n = write(STDOUT_FILENO, check.hang_line, check.hang_len);

	_exit(n < 0 ? NB_EXIT_BROKEN : NB_EXIT_REQUIRED);
}

static void say(const char *what, int i, int j, const char *text)
{
	printf("%s.%d.%d=%s\n", what, i, j, text);
	fflush(stdout);
}

static void begin(const char *way, int i, int j)
{
	int n = snprintf(check.hang_line, sizeof(check.hang_line), "p2p_fact.%d.%d=hang %s\n", i, j,
			 way);

	check.hang_len = n > 0 ? (size_t)n : 0;
	say("p2p_try", i, j, way);
	alarm((unsigned)check.seconds);
}

/* ---- NVLinks between two GPUs ---- */

struct pci_info { /* nvmlPciInfo_t */
	char legacy[16];
	unsigned int domain, bus, device, device_id, subsystem_id;
	char id[32];
};

/* Links of `a` that end at `b`, and those that end at a switch. */
static void count_links(const char *a, const char *b, int *direct, int *switched)
{
	int (*state)(void *, unsigned int, int *);
	int (*type)(void *, unsigned int, int *);
	int (*remote)(void *, unsigned int, struct pci_info *);
	void *device = nvml_handle(a),
	     *slots[] = { nvml_symbol("nvmlDeviceGetNvLinkState"),
			  nvml_symbol("nvmlDeviceGetNvLinkRemoteDeviceType"),
			  nvml_symbol("nvmlDeviceGetNvLinkRemotePciInfo_v2") };

	memcpy(&state, &slots[0], sizeof(state));
	memcpy(&type, &slots[1], sizeof(type));
	memcpy(&remote, &slots[2], sizeof(remote));
	for (unsigned int link = 0; device && state && link < LINKS_MAX; link++) {
		struct pci_info info = { "" };
		int active = 0, kind = -1;

		if (state(device, link, &active))
			break;
		if (!active)
			continue;
		if (type && type(device, link, &kind) == 0 && kind == REMOTE_SWITCH)
			++*switched;
		else if (remote && remote(device, link, &info) == 0 &&
			 nvml_handle(info.id) == nvml_handle(b))
			++*direct;
	}
}

static void say_links(int i, int j)
{
	int direct = 0, mine = 0, ignored = 0, theirs = 0;
	char text[16];

	count_links(check.bus[i], check.bus[j], &direct, &mine);
	count_links(check.bus[j], check.bus[i], &ignored, &theirs);
	snprintf(text, sizeof(text), "%d", direct + (mine < theirs ? mine : theirs));
	say("links", i, j, text);
}

/* ---- copies ---- */

/* The three ways from `i` to `j`; the device that works is the current one. */
static int copy_engine(int i, int j, cudaStream_t s)
{
	return (int)cudaMemcpyPeerAsync(check.memory[j], j, check.memory[i], i, BYTES, s);
}

static int copy_kernel(int i, int j, cudaStream_t s)
{
	return nb_copy(check.memory[j], check.memory[i], BYTES, s);
}

static const struct way {
	const char *name;
	int receiver; /* the receiving GPU works */
	int (*copy)(int i, int j, cudaStream_t s);
} ways[] = {
	{ "copy engine", 0, copy_engine },
	{ "push", 0, copy_kernel },
	{ "pull", 1, copy_kernel },
};

/* One way: 0, or a CUDA error with the name of what failed. */
static int go(const struct way *w, int i, int j, struct nb_mismatch *found, double *gbps,
	      const char **what)
{
	static const struct nb_mismatch none = { 0, ~0ULL };
	int worker = w->receiver ? j : i, rc;
	int64_t start;

#define STEP(name, call)           \
	do {                       \
		*what = name;      \
		rc = (int)(call);  \
		if (rc)            \
			return rc; \
	} while (0)
	STEP("cudaSetDevice", cudaSetDevice(i));
	STEP("fill", nb_fill_bytes(check.memory[i], BYTES, i * DEVICES_MAX + j, 0, NULL));
	STEP("fill", cudaDeviceSynchronize());
	STEP("cudaSetDevice", cudaSetDevice(j));
	STEP("poison", cudaMemset(check.memory[j], POISON, BYTES));
	STEP("poison", cudaDeviceSynchronize());
	STEP("cudaSetDevice", cudaSetDevice(worker));
	start = clock_now_ns();
	STEP("copy", w->copy(i, j, NULL));
	STEP("copy", cudaDeviceSynchronize());
	*gbps = BYTES / (double)(clock_now_ns() - start + 1);
	STEP("cudaSetDevice", cudaSetDevice(j));
	STEP("compare",
	     cudaMemcpyAsync(check.wrong[j], &none, sizeof(none), cudaMemcpyHostToDevice, NULL));
	STEP("compare", nb_check_bytes(check.memory[j], BYTES, i * DEVICES_MAX + j, 0, 0,
				       check.wrong[j], NULL));
	STEP("compare",
	     cudaMemcpyAsync(found, check.wrong[j], sizeof(*found), cudaMemcpyDeviceToHost, NULL));
	STEP("compare", cudaDeviceSynchronize());
#undef STEP
	return 0;
}

static void say_error(int i, int j, const char *way, const char *what, int rc)
{
	char text[256];

	(void)cudaGetLastError();
	snprintf(text, sizeof(text), "error %s: %s: %s (%d)", way, what,
		 cudaGetErrorString((cudaError_t)rc), rc);
	say("p2p_fact", i, j, text);
}

/* Peer access is a thing of the current device; on already is as good. */
static int enable(int from, int to)
{
	int rc = (int)cudaSetDevice(from);

	if (rc == 0)
		rc = (int)cudaDeviceEnablePeerAccess(to, 0);
	if (rc == (int)cudaErrorPeerAccessAlreadyEnabled) {
		(void)cudaGetLastError();
		rc = 0;
	}
	return rc;
}

/* True when the pair may be used both ways, which pushing and pulling need. */
static int allowed(int i, int j)
{
	int there = 0, back = 0;

	return cudaDeviceCanAccessPeer(&there, i, j) == cudaSuccess &&
	       cudaDeviceCanAccessPeer(&back, j, i) == cudaSuccess && there && back;
}

static void try_pair(int i, int j)
{
	double slowest = 0;
	char text[128];
	int rc;

	if (!allowed(i, j)) {
		say("p2p_fact", i, j, "no");
		return;
	}
	begin("enable", i, j);
	rc = enable(i, j);
	rc = rc ? rc : enable(j, i);
	if (rc) {
		say_error(i, j, "enable", "cudaDeviceEnablePeerAccess", rc);
		return;
	}
	for (size_t w = 0; w < N_ELEMENTS(ways); w++) {
		struct nb_mismatch found = { 0, ~0ULL };
		const char *what = "";
		double gbps = 0;

		begin(ways[w].name, i, j);
		rc = go(&ways[w], i, j, &found, &gbps, &what); /* the first one maps the memory */
		if (rc == 0 && found.wrong == 0)
			rc = go(&ways[w], i, j, &found, &gbps, &what);
		alarm(0);
		if (rc) {
			say_error(i, j, ways[w].name, what, rc);
			return;
		}
		if (found.wrong) {
			snprintf(text, sizeof(text),
				 "corrupt %s: %llu of %d bytes wrong, first %llu", ways[w].name,
				 found.wrong, BYTES, found.first);
			say("p2p_fact", i, j, text);
			return;
		}
		slowest = w == 0 || gbps < slowest ? gbps : slowest;
	}
	snprintf(text, sizeof(text), "ok %.3g", slowest);
	say("p2p_fact", i, j, text);
}

/* ---- */

static int open_devices(void)
{
	int n = 0, rc = (int)cudaGetDeviceCount(&n);

	check.n = rc ? 0 : n < DEVICES_MAX ? n : DEVICES_MAX;
	for (int i = 0; i < check.n && rc == 0; i++) {
		if (cudaDeviceGetPCIBusId(check.bus[i], sizeof(check.bus[i]), i) != cudaSuccess)
			check.bus[i][0] = '\0';
		rc = (int)cudaSetDevice(i);
		if (rc == 0)
			rc = (int)cudaMalloc((void **)&check.memory[i], BYTES);
		if (rc == 0)
			rc = (int)cudaMalloc((void **)&check.wrong[i], sizeof(struct nb_mismatch));
	}
	return rc;
}

/* "0,1" within the GPUs there are. */
static int pair_of(const char *word, int *i, int *j)
{
	char *end;
	long a = strtol(word, &end, 10), b = *end == ',' ? strtol(end + 1, &end, 10) : -1;

	if (*end || a < 0 || b < 0 || a == b || a >= check.n || b >= check.n)
		return -1;
	*i = (int)a;
	*j = (int)b;
	return 0;
}

int p2p_check_nccl(int argc, char **argv)
{
	const char *seconds = getenv("NCCLBENCH_TEST_P2P_SECONDS");
	int rc, i, j;

	check.seconds = START_S;
	(void)signal(SIGALRM, on_alarm);
	begin("start", 0, 0);
	(void)nvml_open();
	rc = open_devices();
	if (rc) {
		printf("p2p_reason=%s (%d)\n", cudaGetErrorString((cudaError_t)rc), rc);
		return fflush(stdout) ? NB_EXIT_BROKEN : NB_EXIT_OK;
	}
	check.seconds = seconds && atoi(seconds) > 0 ? atoi(seconds) : PAIR_S;
	for (i = 0; argc == 0 && i < check.n; i++)
		for (j = 0; j < check.n; j++)
			if (i != j)
				say_links(i, j);
	for (i = 0; argc == 0 && i < check.n; i++)
		for (j = 0; j < check.n; j++)
			if (i != j)
				try_pair(i, j);
	for (int k = 0; k < argc; k++)
		if (pair_of(argv[k], &i, &j) == 0)
			try_pair(i, j);
	alarm(0);
	printf("p2p_done=%d\n", check.n);
	fflush(stdout);
	/* Not through the runtime's destructors: they may wait for a GPU that does not answer. */
	_exit(NB_EXIT_OK);
}
