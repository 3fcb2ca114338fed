/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run directory on disk. Every row is one write; a write that fails is taken back, so that the
 * file always ends with a whole row. Not a database: rows are never changed or read again here.
 */
#include "data/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"

#define POINTS "points.csv"
#define SAMPLES "samples.csv"

#define LOGS "logs"

void store_init(struct store *s)
{
	*s = (struct store){ .points_fd = -1, .samples_fd = -1 };
}

static int fail(struct store *s, const char *what, int rc)
{
	if (rc < 0)
		s->failed = what;
	return rc;
}

/* Appends all of b or nothing. */
static int append(int fd, const struct buf *b)
{
	struct stat before;
	int rc;

	if (b->failed)
		return -ENOMEM;
	if (fd < 0)
		return -EBADF;
	if (fstat(fd, &before))
		return -errno;
	rc = file_write_all(fd, b->data, b->len);
	if (rc < 0 && ftruncate(fd, before.st_size)) {
		/*
		 * The reader refuses the half row by line and column; the first error is the one to
		 * report.
		 */
	}
	return rc;
}

static int open_csv(const char *dir, const char *name, int samples, int *fd)
{
	char *path = file_join(dir, name);
	struct buf header = { 0 };
	int rc = -ENOMEM;

	if (path == NULL)
		return rc;
	*fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
	rc = *fd < 0 ? -errno : 0;
	free(path);
	if (rc)
		return rc;
	record_header(&header, samples);
	rc = append(*fd, &header);
	buf_fini(&header);
	return rc;
}

static int make_subdir(const char *dir, const char *name)
{
	char *path = file_join(dir, name);
	int rc;

	if (path == NULL)
		return -ENOMEM;
	rc = mkdir(path, 0777) ? -errno : 0;
	free(path);
	return rc;
}

/* Absent directories are made; whatever is there already must be an empty directory. */
static int claim_dir(const char *dir)
{
	bool empty = false;
	int rc;

	if (dir[0] == '\0')
		return -ENOENT;
	rc = file_dir_empty(dir, &empty);
	if (rc == -ENOENT)
		return file_make_dirs(dir);
	if (rc < 0)
		return rc;
	return empty ? 0 : -ENOTEMPTY;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/*
 * Takes back what a failed store_create made, so that a second try does not find a used directory.
 */
static void undo_create(struct store *s)
{
	static const char *const files[] = { POINTS, SAMPLES };
	int dir = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; dir >= 0 && i < N_ELEMENTS(files); i++)
		unlinkat(dir, files[i], 0);
	if (dir >= 0) {
		unlinkat(dir, LOGS, AT_REMOVEDIR);
		close(dir);
	}
}

static int fill_dir(struct store *s)
{
	int rc = fail(s, LOGS, make_subdir(s->dir, LOGS));

	if (rc)
		return rc;
	rc = fail(s, POINTS, open_csv(s->dir, POINTS, 0, &s->points_fd));
	if (rc)
		return rc;
	return fail(s, SAMPLES, open_csv(s->dir, SAMPLES, 1, &s->samples_fd));
}

int store_create(struct store *s, const char *dir)
{
	int rc = fail(s, "", claim_dir(dir));

	if (rc)
		return rc;
	s->dir = strdup(dir);
	if (s->dir == NULL)
		return fail(s, "", -ENOMEM);
	rc = fill_dir(s);
	if (rc == 0)
		return 0;
	/* EEXIST: another run took the directory since we looked; nothing in it is ours. */
	if (rc == -EEXIST)
		rc = -ENOTEMPTY;
	else
		undo_create(s);
	close_fd(&s->points_fd);
	close_fd(&s->samples_fd);
	free(s->dir);
	s->dir = NULL;
	return rc;
}

static int reopen_csv(const char *dir, const char *name, int *fd)
{
	char *path = file_join(dir, name);

	*fd = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
	free(path);
	return path == NULL ? -ENOMEM : *fd < 0 ? -errno : 0;
}

int store_reopen(struct store *s, const char *dir)
{
	int rc = fail(s, POINTS, reopen_csv(dir, POINTS, &s->points_fd));

	if (rc == 0)
		rc = fail(s, SAMPLES, reopen_csv(dir, SAMPLES, &s->samples_fd));
	if (rc == 0) {
		s->dir = strdup(dir);
		rc = s->dir ? 0 : -ENOMEM;
	}
	if (rc) {
		close_fd(&s->points_fd);
		close_fd(&s->samples_fd);
	}
	return rc;
}

int store_point(struct store *s, const struct record *r)
{
	struct buf line = { 0 };
	int rc;

	record_write(&line, r);
	rc = append(s->points_fd, &line);
	buf_fini(&line);
	return fail(s, POINTS, rc);
}

int store_samples(struct store *s, const struct record *key, const struct sample *v, size_t n)
{
	struct buf lines = { 0 };
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		sample_write(&lines, key, &v[i]);
	if (n > 0)
		rc = append(s->samples_fd, &lines);
	buf_fini(&lines);
	return fail(s, SAMPLES, rc);
}

static int sync_fd(int fd)
{
	/* EINVAL: a file system without fdatasync; there is nothing more we could do on it. */
	if (fd < 0 || fdatasync(fd) == 0 || errno == EINVAL)
		return 0;
	return -errno;
}

int store_sync(struct store *s)
{
	int points = fail(s, POINTS, sync_fd(s->points_fd));
	int samples = sync_fd(s->samples_fd);

	return points ? points : fail(s, SAMPLES, samples);
}

int store_text(struct store *s, const char *name, const char *text, size_t len)
{
	return fail(s, name, s->dir ? file_put(s->dir, name, text, len) : -EBADF);
}

static int close_checked(int *fd)
{
	int rc = *fd >= 0 && close(*fd) ? -errno : 0;

	*fd = -1;
	return rc;
}

int store_close(struct store *s)
{
	int rc = store_sync(s);
	int points = close_checked(&s->points_fd);
	int samples = close_checked(&s->samples_fd);

	if (rc == 0)
		rc = fail(s, POINTS, points);
	if (rc == 0)
		rc = fail(s, SAMPLES, samples);
	free(s->dir);
	s->dir = NULL;
	return rc;
}

static void clean_host(const char *host, char *out, size_t max)
{
	static const char good[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
	size_t n = 0;

	for (; host != NULL && host[n] != '\0' && n + 1 < max; n++)
		out[n] = strchr(good, host[n]) ? host[n] : '-';
	out[n] = '\0';
	if (n == 0)
		snprintf(out, max, "host");
}

char *store_default_dir(const char *host)
{
	char name[64], when[32], path[160];

	clean_host(host, name, sizeof(name));
	clock_utc(1, when, sizeof(when));
	snprintf(path, sizeof(path), "results/runs/%s-%s", when, name);
	/* Two runs within a second: the later one gets a number rather than a refusal. */
	for (int i = 2; i < 100 && file_exists(path); i++)
		snprintf(path, sizeof(path), "results/runs/%s-%s-%d", when, name, i);
	return strdup(path);
}
