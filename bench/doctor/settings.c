/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables that NCCL or its relatives read, from the environment and from NCCL's files. NCCL takes
 * NCCL_CONF_FILE or else ~/.nccl.conf, then /etc/nccl.conf; what is set already is never replaced.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "doctor/doctor.h"
#include "explain/variable.h"
#include "machine/root.h"

enum { CONF_MAX = 1 << 20 };

static bool matters(const char *name)
{
	return strncmp(name, "NCCL_", 5) == 0 || strncmp(name, "TORCH_NCCL_", 11) == 0 ||
	       strcmp(name, "CUDA_VISIBLE_DEVICES") == 0 ||
	       strcmp(name, "CUDA_LAUNCH_BLOCKING") == 0;
}

static void add(struct doctor *d, const char *line, size_t len, const char *from)
{
	struct doctor_setting *s = &d->setting[d->n_settings];
	const char *eq = memchr(line, '=', len);
	size_t n = eq ? (size_t)(eq - line) : 0;

	if (!eq || n == 0)
		return;
	if (d->n_settings == DOCTOR_SETTINGS_MAX) {
		d->settings_cut = true;
		return;
	}
	snprintf(s->name, sizeof(s->name), "%.*s", (int)(n < 63 ? n : 63), line);
	if (n > 63 || !matters(s->name) || doctor_setting(d, s->name))
		return;
	snprintf(s->value, sizeof(s->value), "%.*s", (int)(len - n - 1 < 255 ? len - n - 1 : 255),
		 eq + 1);
	snprintf(s->from, sizeof(s->from), "%s", from);
	root_clean(s->name);
	root_clean(s->value);
	d->n_settings++;
}

const char *doctor_setting(const void *arg, const char *name)
{
	const struct doctor *d = arg;

	for (int i = 0; i < d->n_settings; i++)
		if (strcmp(d->setting[i].name, name) == 0)
			return d->setting[i].value;
	return NULL;
}

static void add_file(struct doctor *d, const char *rest)
{
	char path[PATH_MAX], *text = NULL;
	size_t len;

	root_path(d->root, rest, path);
	if (!path[0] || file_read_all(path, CONF_MAX, &text, &len) != 0)
		return;
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "\n");

		if (*p != '#')
			add(d, p, n, rest);
		p += n + (p[n] == '\n');
	}
	free(text);
}

void doctor_read_settings(struct doctor *d, char *const *environment)
{
	const char *file, *home = NULL;
	char conf[PATH_MAX];

	for (char *const *e = environment; e && *e; e++) {
		add(d, *e, strlen(*e), "environment");
		if (strncmp(*e, "HOME=", 5) == 0)
			home = *e + 5;
	}
	file = doctor_setting(d, "NCCL_CONF_FILE");
	if (file && file[0]) {
		snprintf(conf, sizeof(conf), "%s", file);
		add_file(d, conf);
	} else if (home && home[0]) {
		snprintf(conf, sizeof(conf), "%.3000s/.nccl.conf", home);
		add_file(d, conf);
	}
	add_file(d, "/etc/nccl.conf");
}
