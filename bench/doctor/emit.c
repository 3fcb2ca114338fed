/* SPDX-License-Identifier: Apache-2.0 */
/* See emit.h. */
#include "doctor/emit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "doctor/groups.h"
#include "doctor/hardware.h"

#define WORTH 1.1 /* below that a difference is noise or not worth a variable */

/* ---- what may be set ---- */

static bool any_broken(const struct doctor *d, int *i, int *j)
{
	for (*i = 0; *i < d->n_gpus; ++*i)
		for (*j = 0; *j < d->n_gpus; ++*j) {
			enum p2p_fact f = d->pair[*i][*j].fact;

			if (*i != *j && (f == P2P_HANG || f == P2P_CORRUPT || f == P2P_ERROR))
				return true;
		}
	return false;
}

static bool all_proven(const struct doctor *d)
{
	for (int i = 0; i < d->n_gpus; i++)
		for (int j = 0; j < d->n_gpus; j++)
			if (i != j && d->pair[i][j].fact != P2P_OK)
				return false;
	return d->n_gpus > 1;
}

/* Pairs that NCCL leaves to SHM only because of their distance; the farthest of them. */
static enum path too_far(const struct doctor *d)
{
	enum path far = PATH_UNKNOWN;
	const char *why;

	for (int i = 0; i < d->n_gpus; i++)
		for (int j = 0; j < d->n_gpus; j++)
			if (i != j && doctor_nccl_p2p(d, i, j, &why) == ANSWER_NO &&
			    strncmp(why, "farther", 7) == 0 && d->pair[i][j].path > far)
				far = d->pair[i][j].path;
	return far;
}

static bool p2p_disable(const struct plan_of_settings *p, struct advice *a)
{
	const struct measured *m = &p->m;
	const char *why;
	int i, j;

	if (any_broken(p->d, &i, &j)) {
		snprintf(a->reason, sizeof(a->reason),
			 "P2P from GPU %d to GPU %d fails in fact (%.100s) though CUDA allows it",
			 i, j, p->d->pair[i][j].said);
	} else if (m->there && strncmp(m->auto_used, "P2P", 3) == 0 &&
		   m->shm_gbps > WORTH * m->auto_gbps) {
		snprintf(a->reason, sizeof(a->reason),
			 "measured: all_reduce %.3g GB/s through SHM, %.3g by P2P, which NCCL "
			 "takes by itself",
			 m->shm_gbps, m->auto_gbps);
	} else {
		return false;
	}
	for (i = 0; i < p->d->n_gpus;
	     i++) /* where NCCL would not use it anyway, it changes nothing */
		for (j = 0; j < p->d->n_gpus; j++)
			if (i != j && (doctor_nccl_p2p(p->d, i, j, &why) != ANSWER_NO ||
				       strcmp(why, "NCCL_P2P_DISABLE=1") == 0)) {
				snprintf(a->value, sizeof(a->value), "1");
				return true;
			}
	return m->there && strncmp(m->auto_used, "P2P", 3) == 0
		   ? snprintf(a->value, sizeof(a->value), "1") > 0
		   : false;
}

static bool p2p_level(const struct plan_of_settings *p, struct advice *a)
{
	const struct measured *m = &p->m;
	enum path far = too_far(p->d);
	int i, j;

	if (any_broken(p->d, &i, &j))
		return false;
	snprintf(a->value, sizeof(a->value), "%s",
		 far > PATH_PXB && far < PATH_SYS ? path_names[far] : "SYS");
	if (m->there) { /* the run decides */
		if (strncmp(m->auto_used, "P2P", 3) == 0 || !(m->p2p_gbps > WORTH * m->auto_gbps))
			return false;
		snprintf(
		    a->reason, sizeof(a->reason),
		    "measured: all_reduce %.3g GB/s by P2P, %.3g by %s, which NCCL takes by itself",
		    m->p2p_gbps, m->auto_gbps, m->auto_used);
		return true;
	}
	if (far == PATH_UNKNOWN || !all_proven(p->d))
		return false;
	snprintf(a->reason, sizeof(a->reason),
		 "P2P over %s was proven by copies, and NCCL would stop at PXB; `ncclbench sweep` "
		 "tells the gain",
		 path_names[far]);
	return true;
}

static bool interface(const struct plan_of_settings *p, struct advice *a)
{
	int bridges = 0, real = 0;

	for (int i = 0; i < p->d->n_nets; i++) {
		const struct doctor_net *n = &p->d->net[i];

		if (!n->up || !n->address || n->loopback || strncmp(n->name, "docker", 6) == 0)
			continue; /* NCCL leaves docker* out by itself */
		if (strncmp(n->name, "ib", 2) == 0)
			return false; /* NCCL takes only these */
		bridges += n->bridge;
		if (!n->bridge && real++ == 0)
			snprintf(a->value, sizeof(a->value), "=%s", n->name);
	}
	if (!bridges || !real)
		return false;
	if (doctor_setting(p->d, "NCCL_SOCKET_IFNAME"))
		return false; /* the user has chosen */
	snprintf(a->reason, sizeof(a->reason),
		 "NCCL would also use %d bridge%s of containers, which other hosts cannot reach",
		 bridges, bridges == 1 ? "" : "s");
	return true;
}

static bool nvls_veto(const struct plan_of_settings *p, struct advice *a)
{
	const char *v = doctor_setting(p->d, "NCCL_NVLS_ENABLE");

	if (!v || strcmp(v, "0") != 0)
		return false;
	snprintf(a->value, sizeof(a->value), "0");
	snprintf(a->reason, sizeof(a->reason), "your own setting, kept");
	return true;
}

static bool visible(const struct plan_of_settings *p, struct advice *a)
{
	if (!p->devices[0])
		return false;
	snprintf(a->value, sizeof(a->value), "%s", p->devices);
	snprintf(a->reason, sizeof(a->reason),
		 "these GPUs are tied best (ncclbench doctor lists the groups)");
	return true;
}

static const struct {
	const char *name;
	bool (*wanted)(const struct plan_of_settings *p, struct advice *a);
} settings[] = {
	{ "NCCL_P2P_DISABLE", p2p_disable }, { "NCCL_P2P_LEVEL", p2p_level },
	{ "NCCL_SOCKET_IFNAME", interface }, { "NCCL_NVLS_ENABLE", nvls_veto },
	{ "CUDA_VISIBLE_DEVICES", visible },
};

void settings_plan(const struct doctor *d, const struct measured *m, struct plan_of_settings *p)
{
	struct group g[DOCTOR_GPUS_MAX];
	int n = groups_find(d, g);

	*p = (struct plan_of_settings){ .d = d,
					.ranks = d->n_gpus > 0 ? d->n_gpus : 1,
					.shm = d->n_gpus != 1,
					.rdma = d->n_rdma > 0 };
	p->m = m ? *m : (struct measured){ .auto_gbps = NAN, .p2p_gbps = NAN, .shm_gbps = NAN };
	if (n > 0 && g[0].n < d->n_gpus && strcmp(g[0].by, "one NUMA node") != 0) {
		struct buf list = { 0 };

		group_visible(d, &g[0], &list);
		snprintf(p->devices, sizeof(p->devices), "%s", buf_text(&list));
		p->ranks = g[0].n;
		buf_fini(&list);
	}
	for (size_t i = 0; i < N_ELEMENTS(settings); i++) {
		struct advice *a = &p->list[p->n];

		*a = (struct advice){ .name = "" };
		snprintf(a->name, sizeof(a->name), "%s", settings[i].name);
		p->n += settings[i].wanted(p, a);
	}
}

/* ---- formats ---- */

static void heading(const struct plan_of_settings *p, struct buf *out)
{
	if (p->m.there)
		buf_printf(out, "# from the run %s\n", p->m.run);
	else
		buf_printf(out, "# from the facts of %s; `--from RUN` takes measured ones\n",
			   p->d->host.name);
	if (p->n == 0)
		buf_puts(out,
			 "# nothing to set: NCCL's own choice is right here, as far as is known\n");
}

static void exports(const struct plan_of_settings *p, bool devices, struct buf *out)
{
	for (size_t i = 0; i < p->n; i++)
		if (devices || strcmp(p->list[i].name, "CUDA_VISIBLE_DEVICES") != 0)
			buf_printf(out, "# %s\nexport %s=%s\n", p->list[i].reason, p->list[i].name,
				   p->list[i].value);
}

static void write_env(const struct plan_of_settings *p, struct buf *out)
{
	heading(p, out);
	exports(p, true, out);
}

static void write_python(const struct plan_of_settings *p, struct buf *out)
{
	heading(p, out);
	if (p->n)
		buf_puts(out, "import os  # before the first communicator is made; "
			      "CUDA_VISIBLE_DEVICES before CUDA starts\n\n");
	for (size_t i = 0; i < p->n; i++)
		buf_printf(out, "os.environ[\"%s\"] = \"%s\"  # %s\n", p->list[i].name,
			   p->list[i].value, p->list[i].reason);
}

/* Its YAML has no key for NCCL's variables: they go before the launcher. It refuses RTX 40xx unless
 * two variables are set, which `accelerate launch` does itself. */
static void write_accelerate(const struct plan_of_settings *p, struct buf *out)
{
	bool rtx40 = p->d->n_gpus && p->d->gpu[0].family &&
		     strcmp(p->d->gpu[0].family->family, "RTX 40xx") == 0;

	heading(p, out);
	exports(p, false, out);
	if (rtx40)
		buf_puts(out, "# RTX 40xx: accelerate launch sets NCCL_P2P_DISABLE=1 and "
			      "NCCL_IB_DISABLE=1 itself; inside a host SHM runs, not TCP\n");
	buf_printf(out,
		   "# one process per GPU\naccelerate launch %s--num_machines 1 --num_processes %d",
		   p->ranks > 1 ? "--multi_gpu " : "", p->ranks);
	if (p->devices[0])
		buf_printf(out, " --gpu_ids %s", p->devices);
	buf_puts(out, " train.py\n");
}

static void write_torchrun(const struct plan_of_settings *p, struct buf *out)
{
	heading(p, out);
	exports(p, true, out);
	buf_printf(out,
		   "# one process per GPU\ntorchrun --standalone --nproc_per_node=%d train.py\n",
		   p->ranks);
}

static void write_docker(const struct plan_of_settings *p, struct buf *out)
{
	heading(p, out);
	if (p->shm)
		buf_puts(
		    out,
		    "# --shm-size: NCCL's buffers between GPUs do not fit into Docker's 64 MiB\n");
	if (p->rdma)
		buf_puts(out, "# --device and memlock: RDMA\n");
	for (size_t i = 0; i < p->n; i++)
		buf_printf(out, "# %s: %s\n", p->list[i].name, p->list[i].reason);
	buf_puts(out, "docker run --rm ");
	if (p->devices[0])
		buf_printf(out, "--gpus '\"device=%s\"'", p->devices);
	else
		buf_puts(out, "--gpus all");
	buf_puts(out, p->shm ? " --shm-size=1g" : "");
	buf_puts(out, p->rdma ? " --device=/dev/infiniband --ulimit memlock=-1" : "");
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->list[i].name, "CUDA_VISIBLE_DEVICES") != 0) /* --gpus chooses */
			buf_printf(out, " -e %s=%s", p->list[i].name, p->list[i].value);
	buf_puts(out, " IMAGE COMMAND\n");
}

/* The device plugin chooses the GPUs: no CUDA_VISIBLE_DEVICES there. */
static void write_k8s(const struct plan_of_settings *p, struct buf *out)
{
	bool first = true;

	heading(p, out);
	buf_puts(out, "spec:\n  containers:\n  - name: train\n");
	for (size_t i = 0; i < p->n; i++) {
		if (strcmp(p->list[i].name, "CUDA_VISIBLE_DEVICES") == 0)
			continue;
		buf_printf(out, "%s    - name: %s  # %s\n      value: \"%s\"\n",
			   first ? "    env:\n" : "", p->list[i].name, p->list[i].reason,
			   p->list[i].value);
		first = false;
	}
	buf_printf(out, "    resources:\n      limits:\n        nvidia.com/gpu: %d\n", p->ranks);
	if (p->shm)
		buf_puts(out, "    volumeMounts:\n    - name: shm\n      mountPath: /dev/shm\n"
			      "  volumes:\n  - name: shm  # a pod's own /dev/shm has 64 MiB, too "
			      "little for NCCL\n"
			      "    emptyDir:\n      medium: Memory\n      sizeLimit: 1Gi\n");
}

static void write_slurm(const struct plan_of_settings *p, struct buf *out)
{
	buf_puts(out, "#!/bin/bash\n");
	buf_printf(out, "#SBATCH --nodes=1\n#SBATCH --ntasks-per-node=%d\n", p->ranks);
	buf_printf(out, "#SBATCH --gpus-per-node=%d\n", p->ranks);
	heading(p, out);
	buf_puts(out, "# --gpus-per-node, not --gpus-per-task: a task that sees one GPU makes "
		      "NCCL's P2P check blind\n");
	exports(p, false, out);
	buf_puts(out, "srun python train.py\n");
}

const struct emit_format emit_formats[] = {
	{ "env", "lines for a shell", write_env },
	{ "python", "os.environ, before torch", write_python },
	{ "accelerate", "accelerate launch", write_accelerate },
	{ "torchrun", "torchrun", write_torchrun },
	{ "docker", "docker run", write_docker },
	{ "k8s", "a piece of a Pod", write_k8s },
	{ "slurm", "a batch script", write_slurm },
};
const size_t emit_count = N_ELEMENTS(emit_formats);

const struct emit_format *emit_find(const char *name)
{
	for (size_t i = 0; i < emit_count; i++)
		if (strcmp(emit_formats[i].name, name) == 0)
			return &emit_formats[i];
	return NULL;
}
