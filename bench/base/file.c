/* SPDX-License-Identifier: Apache-2.0 */
/* Files. Not a stream layer: whole files in, whole files out, nothing buffered in between. */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/clock.h"

#define READ_FIRST 4096
#define OTHER_END_NS                                                                \
	(5 * CLOCK_S) /* who reads or writes the other end of a FIFO may come later \
		       */
#define LOOK_AGAIN_MS 20
#define SILENT_MS (15 * 60 * 1000) /* a writer that has opened a pipe and says nothing */

const char *file_why(int rc)
{
	if (rc == -ENXIO) /* "No such device or address" */
		return "nobody came to the other end of this FIFO for 5 seconds; start that "
		       "program, or name a file";
	return rc == -EFBIG ? "too large" : strerror(-rc);
}

static ssize_t read_some(int fd, char *to, size_t room)
{
	ssize_t n;

	do
		n = read(fd, to, room);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* A pipe has no name: whoever made it holds, or held, its other end. */
bool file_is_fifo(int fd)
{
	struct stat st;
	struct statfs fs;

	return !fstat(fd, &st) && S_ISFIFO(st.st_mode) && !fstatfs(fd, &fs) &&
	       fs.f_type != PIPEFS_MAGIC;
}

/* Of a descriptor that does not block: opening a FIFO that nobody writes would hold us for ever.
 * Whoever does write may take some time; that is -EAGAIN. Before the first byte an end may also be
 * that nobody came yet. */
ssize_t file_read_patiently(int fd, char *to, size_t room, bool nobody_yet)
{
	int64_t until = clock_after_ns(OTHER_END_NS);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	ssize_t n;

	for (;;) {
		n = read_some(fd, to, room);
		if (n == -EAGAIN && !poll(&p, 1, SILENT_MS))
			return -ETIMEDOUT;
		if (n == -EAGAIN)
			continue;
		if (n || !nobody_yet)
			return n;
		if (poll(&p, 1, clock_poll_ms(until, LOOK_AGAIN_MS)) > 0)
			nobody_yet = false; /* came, and may have left again */
		else if (clock_now_ns() >= until)
			return -ENXIO;
	}
}

/* The size in stat is no guide: /proc says 0, pipes have none, logs grow while they are read. */
static int read_fd(int fd, size_t max, char **data, size_t *len)
{
	size_t cap = 0, used = 0;
	char *text = NULL;
	bool fifo = file_is_fifo(fd);
	ssize_t n;

	for (;;) {
		if (used + 1 >= cap) {
			char *more = realloc(text, cap = cap ? cap * 2 : READ_FIRST);

			n = -ENOMEM;
			if (!more)
				break;
			text = more;
		}
		n = file_read_patiently(fd, text + used, cap - used - 1, fifo && !used);
		if (n <= 0)
			break;
		used += (size_t)n;
		n = -EFBIG;
		if (used > max)
			break;
	}
	if (n < 0) {
		free(text);
		return (int)n;
	}
	text[used] = '\0';
	*data = text;
	*len = used;
	return 0;
}

int file_read_all(const char *path, size_t max, char **data, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int rc;

	if (fd < 0)
		return -errno;
	rc = read_fd(fd, max, data, len);
	close(fd);
	return rc;
}

int file_create(const char *path)
{
	struct stat st;
	bool device = !lstat(path, &st) && S_ISCHR(st.st_mode);
	int fd;

	if (!device && unlink(path) && errno != ENOENT)
		return -errno;
	fd = open(path,
		  O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | (device ? 0 : O_CREAT | O_EXCL),
		  0644);
	return fd < 0 ? -errno : fd;
}

int file_write_all(int fd, const void *data, size_t len)
{
	const char *from = data;

	while (len) {
		ssize_t n = write(fd, from, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		from += n;
		len -= (size_t)n;
	}
	return 0;
}

/* A rename is safe on disk only when its directory is. Not every file system can sync one. */
static int sync_parent(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
	int rc = 0, fd;

	if (!dir)
		return -ENOMEM;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	if (fd < 0) /* writable but not readable: renamed all the same */
		return errno == EACCES ? 0 : -errno;
	if (fsync(fd) && errno != EINVAL && errno != ENOTSUP)
		rc = -errno;
	close(fd);
	return rc;
}

static int write_new(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	int rc;

	if (fd < 0)
		return -errno;
	rc = file_write_all(fd, data, len);
	if (!rc && fsync(fd) && errno != EINVAL && errno != ENOTSUP)
		rc = -errno;
	if (close(fd) && !rc)
		rc = -errno;
	if (rc)
		unlink(path);
	return rc;
}

/* A device, a pipe or a link: root's rename over /dev/null would take it from the whole machine. */
static bool must_stay(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* A FIFO that nobody reads: -ENXIO. */
static int open_over(const char *path)
{
	int64_t until = clock_after_ns(OTHER_END_NS);
	int fd;

	do {
		fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		if (fd >= 0 || errno != ENXIO)
			break;
		clock_sleep_ns(LOOK_AGAIN_MS * CLOCK_MS);
		errno = ENXIO;
	} while (clock_now_ns() < until);
	return fd < 0 ? -errno : fd;
}

static int write_over(const char *path, const void *data, size_t len)
{
	int fd = open_over(path);
	int rc;

	if (fd < 0)
		return fd;
	rc = fcntl(fd, F_SETFL, 0) ? -errno : file_write_all(fd, data, len);
	if (close(fd) && !rc)
		rc = -errno;
	return rc;
}

static int write_beside(const char *path, const void *data, size_t len)
{
	char *tmp = NULL;
	int rc;

	if (asprintf(&tmp, "%s.tmp.%ld", path, (long)getpid()) < 0)
		return -ENOMEM;
	rc = write_new(tmp, data, len);
	if (rc == -EEXIST && !unlink(tmp)) /* left by a killed process that had our number */
		rc = write_new(tmp, data, len);
	if (!rc && rename(tmp, path)) {
		rc = -errno;
		unlink(tmp);
	}
	free(tmp);
	return rc ? rc : sync_parent(path);
}

int file_replace(const char *path, const void *data, size_t len)
{
	return must_stay(path) ? write_over(path, data, len) : write_beside(path, data, len);
}

int file_put(const char *dir, const char *name, const void *data, size_t len)
{
	char *path = file_join(dir, name);
	int rc = !path                ? -ENOMEM
		 : file_is_link(path) ? write_beside(path, data, len)
				      : file_replace(path, data, len);

	free(path);
	return rc;
}

int file_rename(const char *from, const char *to)
{
	return rename(from, to) ? -errno : sync_parent(to);
}

bool file_is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int make_dir(const char *path)
{
	int rc = mkdir(path, 0777) ? -errno : 0;

	/* Not only after EEXIST: automounters and read-only parents answer otherwise. */
	if (!rc || file_is_dir(path))
		return 0;
	return rc == -EEXIST ? -ENOTDIR : rc;
}

int file_make_dirs(const char *path)
{
	char *copy;
	int rc = 0;

	if (!path[0])
		return -ENOENT;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	for (char *p = copy + 1; !rc && *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		rc = make_dir(copy);
		*p = '/';
	}
	if (!rc)
		rc = make_dir(copy);
	free(copy);
	return rc;
}

bool file_exists(const char *path)
{
	struct stat st;

	return !stat(path, &st);
}

bool file_is_link(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

int file_dir_empty(const char *path, bool *empty)
{
	DIR *dir = opendir(path);
	const struct dirent *e;
	int rc;

	if (!dir)
		return -errno;
	do {
		errno = 0;
		e = readdir(dir);
	} while (e && (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")));
	rc = e ? 0 : -errno;
	closedir(dir);
	if (!rc)
		*empty = !e;
	return rc;
}

char *file_join(const char *dir, const char *name)
{
	size_t n = strlen(dir);
	char *path = NULL;

	if (asprintf(&path, "%s%s%s", dir, n && dir[n - 1] != '/' ? "/" : "", name) < 0)
		return NULL;
	return path;
}

char *file_self_dir(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (n <= 0)
		return NULL;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return NULL;
	slash[slash == path] = '\0';
	return strdup(path);
}

void file_first_line(const char *path, char *out, size_t max)
{
	/* O_NONBLOCK: a FIFO in the place of a sysfs file must not stop us. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t n = 0;
	size_t used = 0;

	if (max) {
		while (fd >= 0 && used + 1 < max) {
			n = read_some(fd, out + used, max - used - 1);
			if (n <= 0)
				break;
			used += (size_t)n;
		}
		out[n < 0 ? 0 : used] = '\0';
		out[strcspn(out, "\n")] = '\0';
	}
	if (fd >= 0)
		close(fd);
}
