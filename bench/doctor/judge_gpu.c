/* SPDX-License-Identifier: Apache-2.0 */
/* Judges of GPUs, driver, libraries, P2P and memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "doctor/check.h"
#include "doctor/groups.h"
#include "doctor/hardware.h"
#include "explain/variable.h"

#define GB 1e9

void judge_gpus(const struct doctor *d, struct judgements *v)
{
	int driver = d->host.gpus_proc;

	if (d->probe_why[0])
		judgement_add(v, LEVEL_UNKNOWN, NULL,
			      "CUDA was not asked: %s; %d GPU%s found by PCI", d->probe_why,
			      d->n_gpus, d->n_gpus == 1 ? "" : "s");
	else if (d->n_cuda == 0 && driver > 0)
		judgement_add(v, LEVEL_ERROR, "echo \"$CUDA_VISIBLE_DEVICES\"\nnvidia-smi",
			      "the driver shows %d GPU%s, CUDA none%s%s", driver,
			      driver == 1 ? "" : "s", d->cuda_reason[0] ? ": " : "",
			      d->cuda_reason);
	else if (d->n_cuda == 0)
		judgement_add(v, LEVEL_INFO, NULL, "no GPU%s%s", d->cuda_reason[0] ? ": " : "",
			      d->cuda_reason);
	else if (d->n_cuda == 1 && driver > 1)
		judgement_add(
		    v, LEVEL_WARNING,
		    "unset CUDA_VISIBLE_DEVICES     # choose the device in the program instead",
		    "CUDA shows 1 of %d GPUs: NCCL's P2P check is blind between processes that see "
		    "one GPU each",
		    driver);
	else
		judgement_add(v, LEVEL_OK, NULL, "%d GPU%s: %s%s", d->n_cuda,
			      d->n_cuda == 1 ? "" : "s", d->gpu[0].name,
			      d->n_cuda > 1 ? " ..." : "");
	for (int i = 1; i < d->n_cuda; i++)
		if (strcmp(d->gpu[i].name, d->gpu[0].name) != 0) {
			judgement_add(v, LEVEL_WARNING, NULL,
				      "GPUs differ: GPU 0 is %s, GPU %d is %s; collectives run at "
				      "the pace of the slowest",
				      d->gpu[0].name, i, d->gpu[i].name);
			break;
		}
}

/* "12.8" -> 1208; 0 unknown */
static int cuda_version(const char *text)
{
	int a, b;

	return sscanf(text, "%d.%d", &a, &b) == 2 ? a * 100 + b : 0;
}

void judge_driver(const struct doctor *d, struct judgements *v)
{
	int driver = cuda_version(d->cuda_driver), runtime = cuda_version(d->cuda_runtime);

	if (!d->host.driver[0] && d->n_gpus == 0) {
		judgement_add(v, LEVEL_INFO, NULL, "no NVIDIA driver");
		return;
	}
	if (!driver) {
		judgement_add(v, d->n_gpus ? LEVEL_UNKNOWN : LEVEL_INFO, NULL,
			      "driver %s; which CUDA it serves is not known",
			      d->host.driver[0] ? d->host.driver : "unknown");
		return;
	}
	for (int i = 0; i < d->n_gpus; i++) {
		const struct hardware *h = d->gpu[i].family;

		if (h && driver < cuda_version(h->cuda)) {
			judgement_add(v, LEVEL_ERROR, "# install a newer NVIDIA driver\nnvidia-smi",
				      "driver %s serves CUDA %s; %s needs %s", d->host.driver,
				      d->cuda_driver, h->family, h->cuda);
			return;
		}
	}
	/* Minor versions of one major are compatible; a newer major is not. */
	if (runtime && driver / 100 < runtime / 100)
		judgement_add(v, LEVEL_ERROR,
			      "# a driver for CUDA of that major version, or libraries built for "
			      "an older CUDA",
			      "driver %s serves CUDA %s, libraries here want %s", d->host.driver,
			      d->cuda_driver, d->cuda_runtime);
	else
		judgement_add(v, LEVEL_OK, NULL, "driver %s serves CUDA %s%s%s", d->host.driver,
			      d->cuda_driver, runtime ? ", the worker's runtime is " : "",
			      d->cuda_runtime);
}

static const struct doctor_lib *library(const struct doctor *d, const char *where)
{
	for (int i = 0; i < d->n_libs; i++)
		if (strcmp(d->lib[i].where, where) == 0)
			return &d->lib[i];
	return NULL;
}

static void judge_nccl_age(const struct doctor *d, struct judgements *v)
{
	const struct doctor_lib *lib = NULL;
	int version = doctor_nccl_version(d, &lib);

	for (int i = 0; version && i < d->n_gpus; i++) {
		const struct hardware *h = d->gpu[i].family;

		if (h && version < variable_version(h->nccl)) {
			/* A warning: PTX may still be compiled for a newer card, and distributions
			 * build their own. */
			judgement_add(
			    v, LEVEL_WARNING,
			    "pip install -U torch          # or a newer libnccl2 package",
			    "NCCL %s (%s) is older than %s, the first known to be good for %s",
			    lib->version, lib->where, h->nccl, h->family);
			return;
		}
	}
}

static void say_one_library(struct judgements *v, const struct doctor_lib *l)
{
	if (l->version[0])
		judgement_add(v, LEVEL_OK, NULL, "NCCL %s at %s", l->version, l->path);
	else
		judgement_add(v, LEVEL_UNKNOWN, NULL, "NCCL of unknown version at %s", l->path);
}

void judge_nccl(const struct doctor *d, struct judgements *v)
{
	const struct doctor_lib *loader = library(d, "loader"), *torch = library(d, "pytorch"),
				*worker = library(d, "worker");

	judge_nccl_age(d, v);
	if (loader && torch && loader->version[0] && torch->version[0] &&
	    strcmp(loader->version, torch->version) != 0)
		judgement_add(v, LEVEL_INFO, NULL,
			      "two libraries: programs load NCCL %s (%s), PyTorch %s brings %s; "
			      "measure with the one you train with: "
			      "ncclbench sweep --nccl-lib %s",
			      loader->version, loader->path,
			      d->torch[0] ? d->torch : "(unknown version)", torch->version,
			      torch->path);
	else if (loader || torch || worker)
		say_one_library(v, torch ? torch : loader ? loader : worker);
	else
		judgement_add(v, LEVEL_INFO, NULL,
			      "no libnccl found by the loader, none in a Python's packages");
	if (d->torch[0] && !torch)
		judgement_add(
		    v, LEVEL_INFO, NULL,
		    "PyTorch %s has no libnccl of its own: it was built in, or PyTorch has no CUDA",
		    d->torch);
}

void judge_p2p_claimed(const struct doctor *d, struct judgements *v)
{
	int yes = 0, no = 0, unknown = 0, off = 0, pairs = 0;
	const char *why, *reason = "";

	for (int i = 0; i < d->n_gpus; i++)
		for (int j = 0; j < d->n_gpus; j++) {
			const struct doctor_pair *p = &d->pair[i][j];
			enum answer use;

			if (i == j)
				continue;
			pairs++;
			yes += p->cuda == ANSWER_YES;
			no += p->cuda == ANSWER_NO;
			unknown += p->cuda == ANSWER_UNKNOWN;
			use = doctor_nccl_p2p(d, i, j, &why);
			if (use == ANSWER_NO && p->cuda == ANSWER_YES) {
				off++;
				reason = why;
			}
		}
	if (pairs == 0)
		judgement_add(v, LEVEL_INFO, NULL, "fewer than two GPUs: no pair to ask about");
	else if (unknown == pairs)
		judgement_add(v, LEVEL_UNKNOWN, NULL, "CUDA was not asked");
	else if (no == pairs)
		judgement_add(v, LEVEL_INFO, NULL,
			      "no pair can do P2P: CUDA says no, NVML \"%s\"%s; NCCL goes through "
			      "host memory (SHM), not TCP",
			      d->pair[0][1].nvml[0] ? d->pair[0][1].nvml : "unknown",
			      d->gpu[0].family && !d->gpu[0].family->p2p_over_pcie
				  ? "; usual for this GeForce"
				  : "");
	else if (off)
		judgement_add(v, LEVEL_INFO,
			      "ncclbench sweep --transports auto,p2p,shm     # is P2P faster here?",
			      "%d of %d ordered pairs can do P2P, and NCCL will not use it for %d "
			      "of them: %s",
			      yes, pairs, off, reason);
	else
		judgement_add(v, LEVEL_OK, NULL,
			      "%d of %d ordered pairs can do P2P, and NCCL will use it%s", yes,
			      pairs, no ? "; the others go through host memory" : "");
}

static void judge_bad_pair(const struct doctor *d, struct judgements *v, int i, int j)
{
	const struct doctor_pair *p = &d->pair[i][j];
	static const char *const what[] = {
		[P2P_HANG] = "hangs", [P2P_CORRUPT] = "gives wrong data", [P2P_ERROR] = "fails"
	};
	const char *remedy =
	    p->links > 0
		? "nvidia-smi nvlink -s\nsystemctl status nvidia-fabricmanager\ndmesg | grep -i xid"
		: "export NCCL_P2P_DISABLE=1     # until it is mended: IOMMU and ACS off, or "
		  "another driver";

	judgement_add(v, LEVEL_ERROR, remedy,
		      "P2P from GPU %d to GPU %d %s (%s), though CUDA says yes: NCCL will use it "
		      "and hang or corrupt",
		      i, j, what[p->fact], p->said);
}

void judge_p2p_fact(const struct doctor *d, struct judgements *v)
{
	int ok = 0, claimed = 0, untried = 0, pairs = d->n_gpus * (d->n_gpus - 1);

	for (int i = 0; i < d->n_gpus; i++)
		for (int j = 0; j < d->n_gpus; j++) {
			const struct doctor_pair *p = &d->pair[i][j];

			if (i == j)
				continue;
			claimed += p->cuda == ANSWER_YES;
			ok += p->fact == P2P_OK;
			untried += p->cuda == ANSWER_YES && p->fact == P2P_UNTRIED;
			if (p->fact == P2P_HANG || p->fact == P2P_CORRUPT || p->fact == P2P_ERROR)
				judge_bad_pair(d, v, i, j);
		}
	if (untried)
		judgement_add(v, LEVEL_UNKNOWN, NULL, "%d of %d ordered pairs were not tried%s%s",
			      untried, pairs, d->p2p_why[0] ? ": " : "", d->p2p_why);
	if (ok)
		judgement_add(
		    v, LEVEL_OK, NULL,
		    "P2P proven by copies of 16 MiB with data check for %d of %d ordered pairs", ok,
		    pairs);
	if (claimed == 0 && ok == 0)
		judgement_add(v, d->probe_why[0] && pairs ? LEVEL_UNKNOWN : LEVEL_INFO, NULL,
			      "no pair claims P2P: nothing to prove");
}

void judge_groups(const struct doctor *d, struct judgements *v)
{
	struct group g[DOCTOR_GPUS_MAX];
	int n = groups_find(d, g);

	if (n == 0)
		judgement_add(v, d->n_gpus > 1 ? LEVEL_UNKNOWN : LEVEL_INFO, NULL, "%s",
			      d->n_gpus > 1 ? "no tie between GPUs is known"
					    : "fewer than two GPUs");
	for (int i = 0; i < n; i++) {
		struct buf list = { 0 }, line = { 0 };

		group_visible(d, &g[i], &list);
		buf_printf(&line, "export CUDA_VISIBLE_DEVICES=%s", buf_text(&list));
		judgement_add(v, LEVEL_INFO, g[i].n < d->n_gpus ? buf_text(&line) : NULL,
			      "GPUs %s%s: %s", buf_text(&list), g[i].n == d->n_gpus ? " (all)" : "",
			      g[i].by);
		buf_fini(&list);
		buf_fini(&line);
	}
}

/* What a full-shard step needs at its highest: what the GPU keeps, and the part that is gathered
 * whole. */
static void judge_one_gpu(struct judgements *v, const char *name, double free_bytes)
{
	const struct headroom *h = v->room;
	double needs = (double)h->shard + (double)h->unshard, left = free_bytes - needs;

	if (left < 0)
		judgement_add(v, LEVEL_ERROR,
			      "# more GPUs (smaller shards), a smaller wrapped unit, activation "
			      "checkpointing, or CPU offload;\n"
			      "# without it the out-of-memory is reported as an NCCL error",
			      "%s: short by %.2f GB (%.2f shard + %.2f unsharded of %.2f free)",
			      name, -left / GB, (double)h->shard / GB, (double)h->unshard / GB,
			      free_bytes / GB);
	else
		judgement_add(
		    v, LEVEL_OK, NULL,
		    "%s: fits, %.2f GB to spare (%.2f shard + %.2f unsharded of %.2f free)", name,
		    left / GB, (double)h->shard / GB, (double)h->unshard / GB, free_bytes / GB);
}

void judge_memory(const struct doctor *d, struct judgements *v)
{
	const struct headroom *h = v->room;
	int judged = 0;

	if (!h || !h->asked) {
		for (int i = 0; i < d->n_gpus; i++)
			if (d->gpu[i].mem_free >= 0)
				judgement_add(v, LEVEL_INFO, NULL, "GPU %d: %.2f of %.2f GB free",
					      i, (double)d->gpu[i].mem_free / GB,
					      (double)d->gpu[i].mem_total / GB);
		return;
	}
	if (h->has_free) {
		judge_one_gpu(v, "a GPU with that much free", (double)h->free);
		return;
	}
	for (int i = 0; i < d->n_gpus; i++) {
		char name[16];

		snprintf(name, sizeof(name), "GPU %d", i);
		if (d->gpu[i].mem_free >= 0) {
			judge_one_gpu(v, name, (double)d->gpu[i].mem_free);
			judged++;
		}
	}
	if (!judged)
		judgement_add(v, LEVEL_UNKNOWN, NULL,
			      "no GPU's free memory is known; --free SIZE stands in for one");
}

void judge_busy(const struct doctor *d, struct judgements *v)
{
	int n = 0;

	for (int i = 0; i < d->n_gpus; i++)
		if (d->gpu[i].procs[0]) {
			judgement_add(v, LEVEL_INFO, NULL, "GPU %d is used by %s", i,
				      d->gpu[i].procs);
			n++;
		}
	if (!n && d->n_cuda)
		judgement_add(v, LEVEL_OK, NULL, "no other process is seen on the GPUs");
}
