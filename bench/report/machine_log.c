/* SPDX-License-Identifier: Apache-2.0 */
/* See machine_log.h. */
#include "report/machine_log.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define FILES_MAX 64
#define FILE_MAX_BYTES (64u << 20)

static const char prefix[] = "nccl-";

/* "nccl-<transport>.rank0.start0.log" and the ".timed.log" beside it. */
static int is_log(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 4 && strncmp(e->d_name, prefix, sizeof(prefix) - 1) == 0 &&
	       strcmp(e->d_name + n - 4, ".log") == 0;
}

static bool is_of(const char *name, const char *transport)
{
	size_t n = strlen(transport);

	name += sizeof(prefix) - 1;
	return strncmp(name, transport, n) == 0 && name[n] == '.';
}

/* auto where there are such, else the first by name. */
static void choose(struct machine_log *m, struct dirent **names, int n)
{
	snprintf(m->transport, sizeof(m->transport), "auto");
	for (int i = 0; i < n; i++)
		if (is_of(names[i]->d_name, "auto"))
			return;
	snprintf(m->transport, sizeof(m->transport), "%.*s",
		 (int)strcspn(names[0]->d_name + sizeof(prefix) - 1, "."),
		 names[0]->d_name + sizeof(prefix) - 1);
}

static int feed(struct machine_log *m, const char *logs, const char *name)
{
	char *path = file_join(logs, name), *data = NULL;
	size_t len = 0;
	int rc = path ? file_read_all(path, FILE_MAX_BYTES, &data, &len) : -ENOMEM;

	if (rc == 0)
		rc = facts_begin(m->facts, name);
	if (rc == 0) {
		facts_feed(m->facts, data, len);
		facts_end(m->facts);
		m->files++;
	}
	free(data);
	free(path);
	return rc;
}

static int start(struct machine_log *m)
{
	m->facts = malloc(sizeof(*m->facts));
	if (!m->facts)
		return -ENOMEM;
	if (facts_init(m->facts)) {
		free(m->facts);
		m->facts = NULL;
		return -ENOMEM;
	}
	return 0;
}

static int read_chosen(struct machine_log *m, const char *logs, struct dirent **names, int n)
{
	int rc;

	choose(m, names, n);
	rc = start(m);
	for (int i = 0; i < n && rc == 0; i++) {
		if (!is_of(names[i]->d_name, m->transport))
			continue;
		if (m->files + m->left < FILES_MAX)
			rc = feed(m, logs, names[i]->d_name);
		else
			m->left++;
		if (rc < 0 && rc != -ENOMEM) { /* one log less */
			m->left++;
			rc = 0;
		}
	}
	if (rc == 0) {
		facts_finish(m->facts);
		findings_judge(m->facts, &m->found);
		rc = m->found.failed ? -ENOMEM : 0;
	}
	return rc;
}

int machine_log_read(struct machine_log *m, const char *dir)
{
	char *logs = file_join(dir, "logs");
	struct dirent **names = NULL;
	int n, rc = logs ? 0 : -ENOMEM;

	memset(m, 0, sizeof(*m));
	n = logs ? scandir(logs, &names, is_log, alphasort) : 0;
	if (rc == 0 && n > 0)
		rc = read_chosen(m, logs, names, n);
	for (int i = 0; i < n; i++)
		free(names[i]);
	if (n >= 0)
		free(names);
	free(logs);
	if (rc < 0)
		machine_log_fini(m);
	return rc;
}

void machine_log_fini(struct machine_log *m)
{
	if (m->facts) {
		findings_fini(&m->found);
		facts_fini(m->facts);
		free(m->facts);
	}
	memset(m, 0, sizeof(*m));
}
