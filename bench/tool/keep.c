/* SPDX-License-Identifier: Apache-2.0 */
/* See keep.h. */
#include "tool/keep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "tool/shelf.h"

#define FILE_MAX (2048u << 20)
#define LOCK ".lock"
#define LOCK_NS (60 * CLOCK_S)
#define LOOK_AGAIN_NS (20 * CLOCK_MS)

/* TABLE: what a series is made of. logs and charts stay behind: nothing of them is compared. */
static const char *const parts[] = { "points.csv", "samples.csv", "run.json" };

static bool is_part(const char *name)
{
	for (size_t i = 0; i < N_ELEMENTS(parts); i++)
		if (strcmp(name, parts[i]) == 0)
			return true;
	return false;
}

/* Either case: not every file system tells them apart. */
bool keep_name_ok(const char *name)
{
	for (size_t i = 0; i < N_ELEMENTS(parts); i++)
		if (strcasecmp(name, parts[i]) == 0)
			return false;
	return name[0] != '\0' && name[0] != '.' && !strchr(name, '/') &&
	       strcasecmp(name, SHELF_EXPECTED) != 0;
}

/* ---- one at a time ---- */

/* Another user of the folder may have made it: to lock it needs no right to write. */
static int open_lock(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);

	if (fd < 0 && (errno == EACCES || errno == EPERM) && file_exists(path))
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

static bool no_locks_here(int error)
{
	return error == ENOSYS || error == EOPNOTSUPP || error == ENOLCK || error == EBADF;
}

int keep_lock(const char *dir)
{
	int rc = file_make_dirs(dir), fd;
	int64_t until = clock_after_ns(LOCK_NS);
	char *path = rc ? NULL : file_join(dir, LOCK);

	if (!path)
		return rc ? rc : -ENOMEM;
	fd = open_lock(path);
	rc = fd < 0 ? fd : 0;
	free(path);
	while (rc == 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		if (no_locks_here(errno)) {
			log_note("%s: this file system has no locks (%s): nothing else may change "
				 "it meanwhile",
				 dir, strerror(errno));
			break;
		}
		if (errno != EWOULDBLOCK && errno != EINTR)
			rc = -errno;
		else if (clock_now_ns() >= until)
			rc = -ETIMEDOUT;
		else
			clock_sleep_ns(LOOK_AGAIN_NS);
	}
	if (rc && fd >= 0)
		close(fd);
	return rc ? rc : fd;
}

/* ---- put ---- */

static int copy_file(const char *from, const char *to, const char *name)
{
	char *source = file_join(from, name), *target = file_join(to, name), *data = NULL;
	size_t len = 0;
	int rc = source && target ? file_read_all(source, FILE_MAX, &data, &len) : -ENOMEM;

	if (rc == 0)
		rc = file_replace(target, data, len);
	free(data);
	free(source);
	free(target);
	return rc;
}

/* A part, or what a killed process had written of it. */
static bool is_ours(const char *name)
{
	for (size_t i = 0; i < N_ELEMENTS(parts); i++) {
		size_t n = strlen(parts[i]);

		if (strncmp(name, parts[i], n) == 0 &&
		    (name[n] == '\0' || strncmp(name + n, ".tmp.", 5) == 0))
			return true;
	}
	return false;
}

/* The files of a series and the folder, as far as they are there. */
static int clear(const char *path)
{
	int rc = 0, fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (!d) {
		rc = -errno;
		if (fd >= 0)
			close(fd);
		return rc;
	}
	while ((e = readdir(d)) != NULL)
		if (is_ours(e->d_name) && unlinkat(fd, e->d_name, 0) && errno != ENOENT)
			rc = -errno;
	closedir(d);
	return rc == 0 && rmdir(path) ? -errno : rc;
}

/* dir/.NAME.WHAT.PID: what is being done there, and by whom. */
static char *hidden_name(const char *dir, const char *name, const char *what)
{
	char *last = NULL, *path;

	if (asprintf(&last, ".%s.%s.%ld", name, what, (long)getpid()) < 0)
		return NULL;
	path = file_join(dir, last);
	free(last);
	return path;
}

static int make_new(const char *path)
{
	if (mkdir(path, 0777) == 0)
		return 0;
	if (errno != EEXIST)
		return -errno;
	if (clear(path)) /* left by a killed process that had our number */
		return -ENOTEMPTY;
	return mkdir(path, 0777) ? -errno : 0;
}

int keep_put(const char *from, const char *dir, const char *name)
{
	char *to = file_join(dir, name), *tmp = hidden_name(dir, name, "adding");
	struct stat st;
	int rc = to && tmp ? 0 : -ENOMEM;

	if (rc == 0 && lstat(to, &st) == 0)
		rc = -EEXIST;
	if (rc == 0)
		rc = make_new(tmp);
	if (rc == 0) {
		for (size_t i = 0; i < N_ELEMENTS(parts) && rc == 0; i++)
			rc = copy_file(from, tmp, parts[i]);
		if (rc == 0)
			rc = file_rename(tmp, to);
		/* A rename that could not be made safe has been made all the same. */
		if (rc)
			(void)!clear(file_exists(tmp) ? tmp : to);
	}
	free(to);
	free(tmp);
	return rc;
}

/* ---- remove ---- */

/* What is in the folder besides the regular files of a series: "" nothing. Closes fd. */
static int find_stranger(int fd, char *name, size_t max)
{
	DIR *d = fdopendir(fd);
	const struct dirent *e;
	struct stat st;

	if (!d) {
		close(fd);
		return -ENOMEM;
	}
	name[0] = '\0';
	while (name[0] == '\0' && (e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (!is_part(e->d_name) || fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode))
			snprintf(name, max, "%s", e->d_name);
	}
	closedir(d);
	return 0;
}

static int take_away(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
	char *hidden = dir ? hidden_name(dir, slash ? slash + 1 : path, "removing") : NULL;
	int rc = hidden ? file_rename(path, hidden) : -ENOMEM;

	if (hidden && (rc == 0 || !file_exists(path)))
		rc = clear(hidden);
	free(hidden);
	free(dir);
	return rc;
}

int keep_removable(const char *path, char *why, size_t why_max)
{
	char name[256];
	int rc, fd;

	if (file_is_link(path)) {
		snprintf(why, why_max, "it is a symbolic link, and nothing is removed behind one");
		return 1;
	}
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	rc = fd < 0 ? -errno : find_stranger(fd, name, sizeof(name));
	if (rc)
		return rc;
	if (name[0]) {
		snprintf(why, why_max,
			 "'%.80s' in it is no regular file of a series (points.csv, samples.csv, "
			 "run.json)",
			 name);
		return 1;
	}
	return 0;
}

int keep_remove(const char *path, char *why, size_t why_max)
{
	int rc = keep_removable(path, why, why_max);

	return rc ? rc : take_away(path);
}
