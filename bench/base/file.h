/* SPDX-License-Identifier: Apache-2.0 */
/* Files: 0 or a negative errno. Nothing here prints; the caller says what it was doing. A FIFO
 * whose other end nobody takes within seconds is -ENXIO. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attr.h"

/* What a negative errno of these says of a file: strerror's words, or more where they tell nothing.
 */
const char *file_why(int rc);
int file_read_all(const char *path, size_t max, char **data, size_t *len) ATTR_MUST; /* NUL added */
/* The next bytes of a descriptor that does not block; 0 at the end, negative errno. A FIFO that
 * nobody has opened for writing ends in -ENXIO while `nobody_yet` (nothing was read before), a
 * writer that says nothing for 15 minutes in -ETIMEDOUT. */
ssize_t file_read_patiently(int fd, char *to, size_t room, bool nobody_yet) ATTR_MUST;
bool file_is_fifo(int fd); /* one with a name */
/* An empty file to write to, or a negative errno: what is there, a link or a pipe too, gives way;
 * only a device stays and is opened. */
int file_create(const char *path) ATTR_MUST;
int file_write_all(int fd, const void *data, size_t len) ATTR_MUST; /* whole or error */
/* tmp, fsync, rename; devices, pipes and links are written to in place */
int file_replace(const char *path, const void *data, size_t len) ATTR_MUST;
/* dir/name of a folder that may be anybody's: as file_replace, but a symbolic link gives way to the
 * file, so that nothing outside of the folder is written. */
int file_put(const char *dir, const char *name, const void *data, size_t len) ATTR_MUST;
int file_rename(const char *from, const char *to) ATTR_MUST; /* safe on disk; within one folder */
int file_make_dirs(const char *path) ATTR_MUST;              /* like mkdir -p */
bool file_exists(const char *path);
bool file_is_link(const char *path);                         /* a symbolic one */
bool file_is_dir(const char *path);                          /* or a link to one */
int file_dir_empty(const char *path, bool *empty) ATTR_MUST; /* -ENOENT when absent */
/* dir + "/" + name; heap string or NULL. */
char *file_join(const char *dir, const char *name) ATTR_MUST;
/* Directory of the running executable (from /proc/self/exe); heap string or NULL. */
char *file_self_dir(void) ATTR_MUST;
/* First line of a small file without its newline ("" on any failure): sysfs and /proc. */
void file_first_line(const char *path, char *out, size_t max);
