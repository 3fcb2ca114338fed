/* SPDX-License-Identifier: Apache-2.0 */
#include "run/launch.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/num.h"
#include "machine/host.h"
#include "ncclbench/exitcode.h"
#include "run/coord.h"
#include "run/environment.h"
#include "run/order.h"
#include "spec/transport.h"

#define PROBE_NS (60 * CLOCK_S) /* the first CUDA call after a boot loads the driver */
#define GATHER_NS (300 * CLOCK_S)
#define NOT_BUILT "is not built or not beside ncclbench-run"
#define PROBE_LEAST_NS (100 * CLOCK_MS)

/* ---- facts ---- */

static const char *worker_name(int backend)
{
	return backend == BACKEND_UCX ? "ncclbench-worker-ucx" : "ncclbench-worker-nccl";
}

/* Beside this program; tests name another one. */
static int find_worker(int backend, char *out, size_t max)
{
	const char *test = getenv("NCCLBENCH_TEST_WORKER");
	char *dir = file_self_dir();

	if (test)
		snprintf(out, max, "%s", test);
	else
		snprintf(out, max, "%s/%s", dir ? dir : ".", worker_name(backend));
	free(dir);
	return access(out, X_OK) == 0 ? 0 : -errno;
}

static void host_lines(const struct coord *c, const char *why, struct buf *b)
{
	struct host_facts h;

	host_read("", &h);
	buf_printf(b,
		   "rank=%d\nlocal_rank=%d\nhost=%s\nboot=%s\nmachine_id=%s\nkernel=%s\nos=%s\ncpu="
		   "%s\ncpus=%d\n",
		   c->rank, c->host_rank, h.name, h.boot, h.id, h.kernel, h.os, h.cpu,
		   host_cpus_allowed());
	buf_printf(
	    b, "mem_bytes=%lld\nshm_bytes=%lld\nib_devices=%d\nib_names=%s\ndriver_kernel=%s\n",
	    (long long)h.mem_bytes, (long long)h.shm_bytes, h.ib_devices, h.ib_names, h.driver);
	if (why[0])
		buf_printf(b, "probe_failed=%s\n", why);
}

/* What sysfs knows of each card's slot; the worker's facts are NVML's and the card's. */
static void slot_lines(const char *probed, struct buf *b)
{
	char text[64], key[32];
	int64_t devices = 0;

	if (!facts_text_get(probed, "devices", text, sizeof(text)) ||
	    num_parse_i64(text, 0, 1024, &devices) != 0)
		return;
	for (int i = 0; i < devices; i++) {
		int gen = -1, width = -1;

		snprintf(key, sizeof(key), "gpu%d.bus", i);
		if (!facts_text_get(probed, key, text, sizeof(text)))
			continue;
		host_pcie("", text, &gen, &width);
		if (gen > 0 && width > 0)
			buf_printf(b, "gpu%d.slot_gen=%d\ngpu%d.slot_width=%d\n", i, gen, i, width);
	}
}

static int64_t probe_ns(const struct options *o)
{
	int64_t left = o->deadline_ns ? o->deadline_ns - clock_now_ns() : PROBE_NS;

	left = left > PROBE_LEAST_NS ? left : PROBE_LEAST_NS;
	return left < PROBE_NS ? left : PROBE_NS;
}

static int gather(struct coord *c, const struct options *o, int backend, struct launch *l)
{
	char why[512] = "", *probed = NULL;
	struct buf mine = { 0 };
	int r;

	if (find_worker(backend, l->worker, sizeof(l->worker)) != 0)
		snprintf(why, sizeof(why), "%s " NOT_BUILT, worker_name(backend));
	else if (!facts_probe(l->worker, backend == BACKEND_NCCL ? o->nccl_lib : NULL, probe_ns(o),
			      &probed, why, sizeof(why)))
		probed = NULL;
	buf_puts(&mine, "device=0\n"); /* set_devices puts the right one */
	host_lines(c, why, &mine);
	if (probed) {
		buf_puts(&mine, probed);
		slot_lines(probed, &mine);
		if (o->order >= 0)
			order_lines(probed, &mine);
	}
	free(probed);
	facts_free(&l->facts);
	r = mine.failed
		? -ENOMEM
		: coord_gather_text(c, buf_text(&mine), &l->facts.text, clock_after_ns(GATHER_NS));
	buf_fini(&mine);
	if (r == 0)
		l->facts.n = c->size;
	return r;
}

/* ---- which GPU ---- */

/* -1: the order that was asked for is not known. */
static int wanted_device(const struct options *o, const char *facts, int host_rank, int devices)
{
	int ordered[ORDER_DEVICES_MAX], n;

	if (o->n_map > 0)
		return o->map[host_rank % o->n_map];
	if (o->order < 0)
		return devices > 0 ? host_rank % devices : 0;
	n = order_devices(o->order, facts, ordered);
	return n > 0 ? ordered[host_rank % n] : -1;
}

/* false and why not. */
static bool set_devices(struct launch *l, const struct options *o, char *why, size_t max)
{
	bool ok = true;

	for (int i = 0; i < l->facts.n; i++) {
		int devices = (int)facts_int(&l->facts, i, "devices", 0);
		int device = wanted_device(o, l->facts.text[i],
					   (int)facts_int(&l->facts, i, "local_rank", 0), devices);
		struct buf text = { 0 };

		if (device < 0)
			snprintf(why, max,
				 "--map: where the GPUs of rank %d hang is not to be seen in /sys "
				 "(PCI tree, NUMA nodes): give their numbers",
				 i);
		else if (device >= devices)
			snprintf(why, max, "--map names a GPU that is not there");
		ok &= device >= 0 && device < devices;
		device = device < 0 ? 0 : device;
		/* "device=" is the first line, written by gather. */
		buf_printf(&text, "device=%d%s", device, strchrnul(l->facts.text[i], '\n'));
		free(l->facts.text[i]);
		l->facts.text[i] = buf_take(&text);
		if (!l->facts.text[i])
			l->facts.text[i] = strdup("");
	}
	return ok;
}

static bool same_gpu(const struct facts *f, int a, int b)
{
	char x[80], y[80];

	if (!facts_same_host(f, a, b))
		return false;
	if (facts_gpu(f, a, "uuid", x, sizeof(x)) && facts_gpu(f, b, "uuid", y, sizeof(y)))
		return strcmp(x, y) == 0;
	return facts_device(f, a) == facts_device(f, b);
}

/* NCCL takes ranks on one GPU that have different host ids: those of two faked hosts may share. */
static bool may_share(const struct facts *f, int a, int b, int fake_hosts)
{
	return fake_hosts && environment_fake_host(a, f->n, fake_hosts) !=
				 environment_fake_host(b, f->n, fake_hosts);
}

static bool any_shared(const struct facts *f, int fake_hosts, int *first, int *second)
{
	for (int a = 0; a < f->n; a++)
		for (int b = a + 1; b < f->n; b++)
			if (!may_share(f, a, b, fake_hosts) && same_gpu(f, a, b)) {
				*first = a;
				*second = b;
				return true;
			}
	return false;
}

/* Why NCCL cannot be used with these ranks; "" when it can. */
static void nccl_refusal(struct launch *l, const struct options *o, char *why, size_t max)
{
	int a = 0, b = 0;
	char host[256], reason[300];

	why[0] = '\0';
	for (int i = 0; i < l->facts.n; i++) {
		facts_get(&l->facts, i, "host", host, sizeof(host));
		if (facts_get(&l->facts, i, "probe_failed", reason, sizeof(reason))) {
			snprintf(why, max, "rank %d on %s: %s", i, host, reason);
			return;
		}
		if (facts_int(&l->facts, i, "devices", 0) == 0) {
			if (!facts_get(&l->facts, i, "reason", reason, sizeof(reason)))
				snprintf(reason, sizeof(reason), "CUDA shows none");
			snprintf(why, max, "no GPU on %s (%s)", host, reason);
			return;
		}
	}
	if (!set_devices(l, o, why, max))
		return;
	l->shared_gpu = any_shared(&l->facts, o->fake_hosts, &a, &b);
	if (o->health && !o->share_gpu)
		l->shared_gpu = false; /* NCCL itself shall say that it refuses this, and its log be
					  explained */
	if (l->shared_gpu && !o->share_gpu) {
		facts_get(&l->facts, a, "host", host, sizeof(host));
		snprintf(
		    why, max,
		    "more ranks than GPUs: ranks %d and %d of %s would share GPU %d (%lld visible)",
		    a, b, host, facts_device(&l->facts, a),
		    (long long)facts_int(&l->facts, a, "devices", 0));
	}
}

/* One GPU per rank shown by the launcher: CUDA cannot be asked about a peer it does not see. */
static void note_blind(const struct launch *l, const struct coord *c)
{
	if (c->host_size > 1 && !l->shared_gpu && facts_int(&l->facts, 0, "devices", 0) == 1)
		log_note("each rank sees one GPU only: CUDA's own P2P check between GPUs is blind, "
			 "NCCL relies on NVML alone");
}

/* ---- which interface, for UCX ---- */

static bool interface_up(const char *name)
{
	char path[320], state[32];

	snprintf(path, sizeof(path), "/sys/class/net/%.255s/operstate", name);
	file_first_line(path, state, sizeof(state));
	return strcmp(state, "up") == 0 || strcmp(state, "unknown") == 0;
}

/* One interface, so that the figure is of one path: the first that is up and no bridge; else lo. */
static void choose_interface(struct launch *l)
{
	static const char *const skip[] = { "lo", "docker", "virbr", "br-", "veth" };
	DIR *d = opendir("/sys/class/net");
	struct dirent *e;

	snprintf(l->net_device, sizeof(l->net_device), "lo");
	if (getenv("UCX_NET_DEVICES")) {
		l->net_device[0] = '\0';
	} else {
		while (d && (e = readdir(d))) {
			bool out = e->d_name[0] == '.' || strlen(e->d_name) >= 32;

			for (size_t i = 0; i < N_ELEMENTS(skip); i++)
				out |= strncmp(e->d_name, skip[i], strlen(skip[i])) == 0;
			if (out || !interface_up(e->d_name))
				continue;
			/* The first by name: the folder's own order changes between boots. */
			if (strcmp(l->net_device, "lo") == 0 ||
			    strcmp(e->d_name, l->net_device) < 0)
				snprintf(l->net_device, sizeof(l->net_device), "%.31s", e->d_name);
		}
	}
	if (d)
		closedir(d);
}

/* ---- the decision ---- */

/* A driver, a GPU that CUDA shows, or a probe that was stuck or died on any host: then host memory
 * is no substitute for a health check. */
static bool knows_gpu(const struct launch *l)
{
	char driver[64], reason[300];

	for (int i = 0; i < l->facts.n; i++)
		if (facts_int(&l->facts, i, "devices", 0) > 0 ||
		    (facts_get(&l->facts, i, "driver_kernel", driver, sizeof(driver)) &&
		     driver[0]) ||
		    (facts_get(&l->facts, i, "probe_failed", reason, sizeof(reason)) &&
		     !strstr(reason, NOT_BUILT)))
			return true;
	return false;
}

/* Not built is the user's to mend; a worker that is there and dies is what a check looks for. */
static int refuse_ucx(const struct coord *c, int rank, const char *reason)
{
	bool built = !strstr(reason, NOT_BUILT);
	bool died = strstr(reason, FACTS_PROBE_DIED) || strstr(reason, FACTS_PROBE_HUNG);

	if (c->rank == 0)
		log_error("the UCX backend cannot be used: rank %d: %s; %s", rank, reason,
			  built ? "run that by hand to see why"
				: "install libucx-dev and build again");
	return (died ? NB_EXIT_BROKEN : NB_EXIT_USAGE) + 1;
}

static int use_ucx(struct coord *c, const struct options *o, struct launch *l)
{
	char reason[300];
	int r = gather(c, o, BACKEND_UCX, l);

	if (r < 0)
		return r;
	for (int i = 0; i < l->facts.n; i++) {
		if (!facts_get(&l->facts, i, "probe_failed", reason, sizeof(reason)))
			continue;
		return refuse_ucx(c, i, reason);
	}
	l->backend = BACKEND_UCX;
	choose_interface(l);
	return 0;
}

static int use_nccl(struct coord *c, struct launch *l)
{
	l->backend = BACKEND_NCCL;
	l->device = facts_device(&l->facts, c->rank);
	facts_gpu(&l->facts, c->rank, "bus", l->bus, sizeof(l->bus));
	note_blind(l, c);
	if (l->shared_gpu)
		log_note("--share-gpu: ranks share a GPU and take turns on it; figures are no "
			 "measure of any hardware");
	return 0;
}

int launch_decide(struct coord *c, const struct options *o, struct launch *l)
{
	char why[700];
	int r;

	memset(l, 0, sizeof(*l));
	l->fake_hosts = o->fake_hosts;
	if (o->backend == BACKEND_UCX)
		return use_ucx(c, o, l);
	r = gather(c, o, BACKEND_NCCL, l);
	if (r < 0)
		return r;
	nccl_refusal(l, o, why, sizeof(why));
	if (!why[0])
		return use_nccl(c, l);
	if (o->health && (o->backend == BACKEND_NCCL || o->share_gpu || knows_gpu(l))) {
		snprintf(l->refusal, sizeof(l->refusal), "NCCL cannot be used: %s", why);
		return NB_EXIT_BROKEN + 1;
	}
	if (o->backend == BACKEND_NCCL || o->share_gpu) {
		if (c->rank == 0)
			log_error("NCCL cannot be used: %s; start fewer ranks, add --share-gpu to "
				  "try things out, or measure host "
				  "memory with --backend ucx",
				  why);
		return NB_EXIT_USAGE + 1;
	}
	log_note("host memory through UCX instead of NCCL: %s", why);
	return use_ucx(c, o, l);
}

/* ---- titles ---- */

void launch_titles(const struct launch *l, int nranks, char *machine, size_t machine_max,
		   char *versions, size_t versions_max)
{
	char name[96] = "", links[16] = "", lib[64] = "", driver[64] = "", cuda[32] = "",
	     cpu[128] = "";

	facts_get(&l->facts, 0, "lib_version", lib, sizeof(lib));
	if (l->backend == BACKEND_UCX) {
		facts_get(&l->facts, 0, "cpu", cpu, sizeof(cpu));
		snprintf(machine, machine_max, "host memory, no GPU: %d ranks on %s", nranks,
			 cpu[0] ? cpu : "unknown CPU");
		snprintf(versions, versions_max, "UCX %s", lib);
		return;
	}
	facts_gpu(&l->facts, 0, "name", name, sizeof(name));
	facts_gpu(&l->facts, 0, "nvlinks", links, sizeof(links));
	facts_get(&l->facts, 0, "runtime_version", cuda, sizeof(cuda));
	facts_get(&l->facts, 0, "driver_version", driver, sizeof(driver));
	if (!driver[0])
		facts_get(&l->facts, 0, "driver_kernel", driver, sizeof(driver));
	if (l->shared_gpu)
		snprintf(machine, machine_max, "%d ranks sharing %s", nranks, name);
	else
		snprintf(machine, machine_max, "%d x %s%s%s", nranks, name,
			 links[0] && strcmp(links, "0") ? ", NVLink " : "",
			 links[0] && strcmp(links, "0") ? links : "");
	if (l->fake_hosts)
		snprintf(machine + strlen(machine), machine_max - strlen(machine),
			 ", faked as %d hosts", l->fake_hosts);
	snprintf(versions, versions_max, "NCCL %s, CUDA %s, driver %s", lib, cuda, driver);
}

int launch_ib_devices(const struct launch *l)
{
	const struct facts *f = &l->facts;
	int fewest = INT32_MAX;

	for (int i = 0; i < f->n; i++) {
		int n = (int)facts_int(f, i, "ib_devices", 0);

		fewest = n < fewest ? n : fewest;
	}
	return fewest;
}

void launch_map(const struct launch *l, char *out, size_t max)
{
	struct buf b = { 0 };

	for (int i = 0; l->backend == BACKEND_NCCL && i < l->facts.n; i++)
		buf_printf(&b, "%s%d:gpu%d", i ? " " : "", i, facts_device(&l->facts, i));
	/* Many ranks: what fits whole. */
	record_set(out, max, buf_text(&b));
	buf_fini(&b);
}
