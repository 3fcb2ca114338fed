/* SPDX-License-Identifier: Apache-2.0 */
#include "run/environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/arm.h"
#include "spec/transport.h"

/* TABLE: what launchers put into a rank's environment. A child that inherits it would take over the
 * rank's place in the job (with MPICH it did, and the job died). Seen with Open MPI 4.1, MPICH 4.0;
 * PRTE_ is Open MPI 5. */
static const char *const launcher_prefixes[] = { "OMPI_", "PMIX_", "PMI_", "PRTE_", "HYDRA_" };
static const char *const launcher_names[] = {
	"HFI_NO_BACKTRACE",
	"IPATH_NO_BACKTRACE",
	"MPI_LOCALNRANKS",
	"MPI_LOCALRANKID",
	"MPIR_CVAR_CH3_INTERFACE_HOSTNAME",
	"GFORTRAN_UNBUFFERED_PRECONNECTED",
};

/* TABLE: what run.json may show; and what mpirun itself puts under those names (addresses, session
 * folders), which nobody chose. */
static const char *const recordable_prefixes[] = { "NCCL_", "UCX_", "CUDA_", "OMPI_MCA_",
						   "NVIDIA_VISIBLE_DEVICES" };
static const char *const internal_prefixes[] = {
	"OMPI_MCA_orte_",        "OMPI_MCA_ess",           "OMPI_MCA_pmix",
	"OMPI_MCA_initial_wdir", "OMPI_MCA_shmem_RUNTIME",
};

static const struct env_pair nccl_tests[] = {
	{ "NCCL_P2P_MAX_PEERS", "2" },
	{ "NCCL_NVLINK_UTIL_CENTRIC_SCHED_ENABLE", "1" },
	{ NULL, NULL },
};

const struct env_pair *environment_nccl_tests(bool sendrecv)
{
	return sendrecv ? nccl_tests : nccl_tests + 1;
}

static bool has_prefix(const char *name, const char *const *prefixes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

bool environment_recordable(const char *name)
{
	return has_prefix(name, recordable_prefixes, N_ELEMENTS(recordable_prefixes)) &&
	       !has_prefix(name, internal_prefixes, N_ELEMENTS(internal_prefixes));
}

static const char *find(char *const *inherited, const char *name)
{
	size_t n = strlen(name);

	for (; inherited && *inherited; inherited++)
		if (strncmp(*inherited, name, n) == 0 && (*inherited)[n] == '=')
			return *inherited + n + 1;
	return NULL;
}

bool environment_multicast_veto(char *const *inherited)
{
	const char *value = find(inherited, "NCCL_NVLS_ENABLE");

	return value && value[0] && strtoll(value, NULL, 0) == 0;
}

bool environment_touches_multicast(const char *name, const char *value)
{
	if (strncmp(name, "NCCL_NVLS", 9) == 0)
		return true;
	return strcmp(name, "NCCL_ALGO") == 0 && strcasestr(value, "nvls") != NULL;
}

bool environment_is_internal(const char *name)
{
	for (size_t i = 0; i < N_ELEMENTS(launcher_names); i++)
		if (strcmp(name, launcher_names[i]) == 0)
			return true;
	return has_prefix(name, launcher_prefixes, N_ELEMENTS(launcher_prefixes)) ||
	       strncmp(name, "NCCLBENCH", 9) == 0;
}

static void drop_launcher(struct env *e)
{
	for (size_t i = 0; i < N_ELEMENTS(launcher_prefixes); i++)
		env_drop_prefix(e, launcher_prefixes[i]);
	for (size_t i = 0; i < N_ELEMENTS(launcher_names); i++)
		env_drop(e, launcher_names[i]);
}

/* "%r" in a value is the rank. */
static void expand(const char *value, int rank, char *out, size_t max)
{
	const char *mark = strstr(value, "%r");

	if (mark)
		snprintf(out, max, "%.*s%d%s", (int)(mark - value), value, rank, mark + 2);
	else
		snprintf(out, max, "%s", value);
}

/* Was NAME set before? `set` is "A=1 B=2". */
static bool is_set(const char *set, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = strstr(set, name); at; at = strstr(at + 1, name))
		if (at[n] == '=' && (at == set || at[-1] == ' '))
			return true;
	return false;
}

static int set_pair(struct environment *e, const struct env_pair *pair, int rank, bool tell)
{
	char value[256];
	const char *old = env_get(&e->env, pair->name);

	expand(pair->value, rank, value, sizeof(value));
	if (tell && old && strcmp(old, value) != 0 && !is_set(buf_text(&e->set), pair->name))
		buf_printf(&e->overruled, "%s%s=%s", e->overruled.len ? " " : "", pair->name, old);
	buf_printf(&e->set, "%s%s=%s", e->set.len ? " " : "", pair->name, value);
	return env_set(&e->env, pair->name, value);
}

static int set_pairs(struct environment *e, const struct env_pair *pairs, int rank, bool tell)
{
	int r = 0;

	for (; pairs->name && r == 0; pairs++)
		r = set_pair(e, pairs, rank, tell);
	return r;
}

/* TUNING prints a line per operation: only wanted while nothing is timed. */
static int drop_tuning(struct environment *e)
{
	const char *now = env_get(&e->env, "NCCL_DEBUG_SUBSYS");
	const char *word = now ? strstr(now, ",TUNING") : NULL;
	char text[256];

	if (!word)
		return 0;
	snprintf(text, sizeof(text), "%.*s%s", (int)(word - now), now, word + strlen(",TUNING"));
	return env_set(&e->env, "NCCL_DEBUG_SUBSYS", text);
}

int environment_preload(struct env *e, const char *library)
{
	const char *old = env_get(e, "LD_PRELOAD");
	struct buf text = { 0 };
	int r;

	buf_printf(&text, "%s%s%s", library, old && old[0] ? ":" : "", old ? old : "");
	r = text.failed ? -ENOMEM : env_set(e, "LD_PRELOAD", buf_text(&text));
	buf_fini(&text);
	return r;
}

static bool stands_over_base(const struct environment_request *r, const char *name)
{
	for (size_t i = 0; r->arm && r->arm->beats_base && i < r->arm->n; i++)
		if (strcmp(r->arm->set[i].name, name) == 0 && arm_applies(r->arm, i, r->transport))
			return true;
	return false;
}

/* What a row itself needs comes after it and wins over an arm in any case. */
static int set_base(struct environment *e, const struct environment_request *r)
{
	int rc = 0;

	for (const struct env_pair *p = transport_base; p->name && rc == 0; p++)
		if (!stands_over_base(r, p->name))
			rc = set_pair(e, p, r->rank, true);
	return rc;
}

int environment_fake_host(int rank, int nranks, int hosts)
{
	return rank * hosts / nranks;
}

/* Of every row, auto too: it is the machine that is another one. */
static int set_fake_host(struct environment *e, const struct environment_request *r)
{
	struct env_pair pair = { .name = "NCCL_HOSTID" };
	char value[48];

	snprintf(value, sizeof(value), "ncclbench-host%d",
		 environment_fake_host(r->rank, r->nranks, r->fake_hosts));
	pair.value = value;
	return set_pair(e, &pair, r->rank, true);
}

static int apply_rows(struct environment *e, const struct environment_request *r)
{
	const struct transport *t = &transport_table[r->transport];
	int rc = 0;

	if (t->flags & TRANSPORT_FORCED && t->backend == BACKEND_NCCL)
		rc = set_base(e, r);
	if (rc == 0)
		rc = set_pairs(e, t->set, r->rank, true);
	if (rc == 0 && r->fake_hosts > 0 && t->backend == BACKEND_NCCL)
		rc = set_fake_host(e, r);
	else if (rc == 0 && (r->one_host || r->share_gpu))
		rc = set_pairs(e, t->one_host_set, r->rank, true);
	if (rc == 0 && t->backend == BACKEND_NCCL)
		rc = set_pairs(e, transport_debug, r->rank,
			       false); /* steers nothing, and auto gets it too */
	return rc;
}

static int apply_arm(struct environment *e, const struct environment_request *q)
{
	const struct arm *a = q->arm;
	int r = 0;

	for (size_t i = 0; a && i < a->n && r == 0; i++)
		if (arm_applies(a, i, q->transport))
			r = env_set(&e->env, a->set[i].name, a->set[i].value);
	return r;
}

static int load_library(struct environment *e, const struct environment_request *r)
{
	const char *lib = r->arm && r->arm->nccl_lib ? r->arm->nccl_lib : r->nccl_lib;

	return lib && transport_table[r->transport].backend == BACKEND_NCCL
		   ? environment_preload(&e->env, lib)
		   : 0;
}

/* From NCCL 2.28.7 on a plugin (libnccl-env.so where none is named) answers in place of the
 * environment: it could undo what is set here. */
static int drop_plugin(struct environment *e)
{
	const char *now = env_get(&e->env, "NCCL_ENV_PLUGIN");

	if (now && strcmp(now, "none") != 0)
		buf_printf(&e->overruled, "%sNCCL_ENV_PLUGIN=%s", e->overruled.len ? " " : "", now);
	return env_set(&e->env, "NCCL_ENV_PLUGIN", "none");
}

int environment_build(struct environment *e, char *const *inherited,
		      const struct environment_request *r)
{
	bool veto = r->veto || environment_multicast_veto(inherited);
	char number[32];
	int rc;

	memset(e, 0, sizeof(*e));
	rc = env_inherit(&e->env, inherited);
	if (rc < 0)
		return rc;
	drop_launcher(&e->env);
	rc = apply_arm(e, r);
	/* However it was spelled: a row that says 0 as well overrules nothing. */
	if (rc == 0 && veto)
		rc = env_set(&e->env, "NCCL_NVLS_ENABLE", "0");
	if (rc == 0)
		rc = apply_rows(e, r);
	if (rc == 0 && r->method)
		rc = set_pairs(e, r->method, r->rank, true);
	if (rc == 0 && !r->tuning)
		rc = drop_tuning(e);
	if (rc == 0)
		rc = load_library(e, r);
	if (rc == 0 && r->net_device && !(r->arm && arm_value(r->arm, "UCX_NET_DEVICES")))
		rc = env_set(&e->env, "UCX_NET_DEVICES", r->net_device);
	/* Last, so that no row, flag or file can come after it. */
	if (rc == 0 && veto) {
		const char *now = env_get(&e->env, "NCCL_NVLS_ENABLE");

		e->vetoed = now && strcmp(now, "0") != 0;
		rc = env_set(&e->env, "NCCL_NVLS_ENABLE", "0");
	}
	if (rc == 0 && veto)
		rc = drop_plugin(e);
	snprintf(number, sizeof(number), "%ld", (long)getpid());
	if (rc == 0)
		rc = env_set(&e->env, "NCCLBENCH_PPID",
			     number); /* the worker dies with us: it compares getppid() */
	snprintf(number, sizeof(number), "%d", r->rank);
	if (rc == 0)
		rc = env_set(&e->env, "NCCLBENCH_RANK", number);
	return rc;
}

void environment_fini(struct environment *e)
{
	env_fini(&e->env);
	buf_fini(&e->overruled);
	buf_fini(&e->set);
}

void environment_steering(char *const *inherited, struct buf *out)
{
	for (; inherited && *inherited; inherited++) {
		char name[64];
		const char *eq = strchr(*inherited, '=');
		size_t n = eq ? (size_t)(eq - *inherited) : 0;

		if (n == 0 || n >= sizeof(name) || strncmp(*inherited, "NCCL_", 5) != 0)
			continue;
		memcpy(name, *inherited, n);
		name[n] = '\0';
		if (transport_steers(name))
			buf_printf(out, "%s%s", out->len ? " " : "", *inherited);
	}
}
