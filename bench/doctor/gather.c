/* SPDX-License-Identifier: Apache-2.0 */
/* All facts in their order, and what two of them say together. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "doctor/doctor.h"
#include "machine/root.h"

enum { RECORDED_MAX = 1 << 20 };

/* DIR/environ of a recorded tree: NAME=value lines. The vector and its text are one allocation
 * each. */
static char **recorded_environment(const char *root, char **text)
{
	char path[PATH_MAX];
	size_t len = 0, n = 0;
	char **vec;

	root_path(root, "/environ", path);
	if (file_read_all(path, RECORDED_MAX, text, &len) != 0)
		*text = strdup("");
	for (const char *p = *text ? *text : ""; *p; p++)
		n += *p == '\n';
	vec = calloc(n + 2, sizeof(*vec));
	n = 0;
	if (vec && *text)
		for (char *save = NULL, *p = strtok_r(*text, "\n", &save); p;
		     p = strtok_r(NULL, "\n", &save))
			vec[n++] = p;
	return vec;
}

static void start(struct doctor *d, const struct doctor_request *q)
{
	memset(d, 0, sizeof(*d));
	d->root = q->root ? q->root : "";
	d->recorded = d->root[0] != '\0';
	for (int i = 0; i < DOCTOR_GPUS_MAX; i++)
		for (int j = 0; j < DOCTOR_GPUS_MAX; j++)
			d->pair[i][j].links = -1;
}

int doctor_gather(const struct doctor_request *q, struct doctor *d)
{
	char *text = NULL, **recorded = NULL, *const * environment;

	start(d, q);
	if (d->recorded) {
		recorded = recorded_environment(d->root, &text);
		if (!recorded || !text) {
			free(recorded);
			free(text);
			return -ENOMEM;
		}
	}
	environment = recorded ? recorded : q->environment ? q->environment : environ;
	host_read(d->root, &d->host);
	doctor_read_limits(d);
	doctor_read_settings(d, environment);
	doctor_read_libs(d, environment);
	doctor_probe(d, q);
	if (d->n_gpus == 0)
		doctor_find_gpus(d);
	doctor_read_pci(d);
	doctor_read_net(d);
	free(recorded);
	free(text);
	return 0;
}

/* NCCL's own rule (its default level, the user's, then NVML's and CUDA's word), without trying
 * anything. */
enum answer doctor_nccl_p2p(const struct doctor *d, int i, int j, const char **why)
{
	const struct doctor_pair *p = &d->pair[i][j];
	const char *off = doctor_setting(d, "NCCL_P2P_DISABLE"),
		   *level = doctor_setting(d, "NCCL_P2P_LEVEL");
	enum path limit = PATH_PXB;

	if (strstr(d->host.cpu, "AMD") && d->n_gpus <= 2)
		limit = PATH_SYS;
	for (int k = PATH_NVL; level && k < PATH_COUNT; k++)
		if (strcmp(level, path_names[k]) == 0)
			limit = (enum path)k;
	*why = "NCCL_P2P_DISABLE=1";
	if (off && strtol(off, NULL, 0) == 1)
		return ANSWER_NO;
	*why = "CUDA says no";
	if (p->cuda == ANSWER_NO)
		return ANSWER_NO;
	*why = "NVML says no";
	if (p->nvml[0] && strcmp(p->nvml, "ok") != 0 && strcmp(p->nvml, "unknown") != 0)
		return ANSWER_NO;
	*why = "farther than NCCL_P2P_LEVEL allows";
	if (p->links <= 0 && p->path != PATH_UNKNOWN && p->path > limit)
		return ANSWER_NO;
	*why = "";
	return p->cuda == ANSWER_YES ? ANSWER_YES : ANSWER_UNKNOWN;
}
