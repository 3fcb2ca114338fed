/* SPDX-License-Identifier: Apache-2.0 */
/* Files, in a private temporary directory: contents, bounds, and what each failure is called. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

static char tmp[] = "/tmp/ncclbench-file-XXXXXX";

static const char *in_tmp(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", tmp, name);
	return path;
}

static void put(const char *name, const char *text, size_t len)
{
	FILE *f = fopen(in_tmp(name), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static int entries(const char *path)
{
	DIR *d = opendir(path);
	int n = -2; /* "." and ".." */

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static void read_whole(void **state)
{
	char *data = NULL;
	size_t len = 0;

	put("r", "one\ntwo\0x", 9);
	assert_int_equal(file_read_all(in_tmp("r"), 9, &data, &len),
			 0); /* exactly the bound fits */
	assert_int_equal(len, 9);
	assert_memory_equal(data, "one\ntwo\0x", 10);
	free(data);
	put("r", "", 0);
	assert_int_equal(file_read_all(in_tmp("r"), 0, &data, &len), 0);
	assert_int_equal(len, 0);
	assert_string_equal(data, "");
	free(data);
	/* stat says 0 bytes for it */
	assert_int_equal(file_read_all("/proc/self/status", 1 << 20, &data, &len), 0);
	assert_int_equal(strncmp(data, "Name:", 5), 0);
	assert_int_equal(strlen(data), len);
	free(data);
}

static void read_large(void **state)
{
	size_t want = 300001, len = 0;
	char *text = malloc(want), *data = NULL;

	assert_non_null(text);
	for (size_t i = 0; i < want; i++)
		text[i] = (char)(i * 7 % 251);
	put("big", text, want);
	assert_int_equal(file_read_all(in_tmp("big"), want, &data, &len), 0);
	assert_int_equal(len, want);
	assert_memory_equal(data, text, want);
	free(data);
	free(text);
}

static void read_failures(void **state)
{
	char *data = (char *)"kept";
	size_t len = 77;

	put("r", "0123456789", 10);
	assert_int_equal(file_read_all(in_tmp("r"), 9, &data, &len), -EFBIG);
	assert_int_equal(file_read_all("/dev/zero", 100000, &data, &len), -EFBIG);
	assert_int_equal(file_read_all(in_tmp("absent"), 9, &data, &len), -ENOENT);
	assert_int_equal(file_read_all(tmp, 9, &data, &len), -EISDIR);
	assert_int_equal(file_read_all("", 9, &data, &len), -ENOENT);
	assert_string_equal(data, "kept");
	assert_int_equal(len, 77);
}

static void write_to_descriptor(void **state)
{
	int fd = open(in_tmp("w"), O_RDWR | O_CREAT | O_TRUNC, 0666);
	char back[8] = "";

	assert_true(fd >= 0);
	assert_int_equal(file_write_all(fd, "abcdef", 6), 0);
	assert_int_equal(file_write_all(fd, "", 0), 0);
	assert_int_equal(pread(fd, back, sizeof(back), 0), 6);
	assert_string_equal(back, "abcdef");
	close(fd);
	assert_int_equal(file_write_all(-1, "x", 1), -EBADF);
	fd = open("/dev/full", O_WRONLY);
	if (fd >= 0) {
		assert_int_equal(file_write_all(fd, "x", 1), -ENOSPC);
		close(fd);
	}
}

static void replace_is_whole(void **state)
{
	mode_t mask = umask(027);
	struct stat st;
	char *data;
	size_t len;

	assert_int_equal(mkdir(in_tmp("rep"), 0777), 0);
	assert_int_equal(file_replace(in_tmp("rep/f"), "first text", 10), 0);
	assert_int_equal(stat(in_tmp("rep/f"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	umask(mask);
	assert_int_equal(file_replace(in_tmp("rep/f"), "2nd", 3), 0);
	assert_int_equal(file_read_all(in_tmp("rep/f"), 100, &data, &len), 0);
	assert_string_equal(data, "2nd");
	free(data);
	assert_int_equal(entries(in_tmp("rep")), 1); /* no temporary file is left */
	assert_int_equal(file_replace(in_tmp("rep/empty"), "", 0), 0);
	assert_int_equal(stat(in_tmp("rep/empty"), &st), 0);
	assert_int_equal(st.st_size, 0);
}

static void replace_failures(void **state)
{
	char stale[300], *data;
	size_t len;

	assert_int_equal(file_replace(in_tmp("no/such/f"), "x", 1), -ENOENT);
	assert_int_equal(mkdir(in_tmp("rf"), 0777), 0);
	assert_int_equal(mkdir(in_tmp("rf/dir"), 0777), 0);
	assert_int_equal(file_replace(in_tmp("rf/dir"), "x", 1), -EISDIR);
	assert_int_equal(entries(in_tmp("rf")), 1);
	snprintf(stale, sizeof(stale), "%s.tmp.%ld", in_tmp("rf/f"), (long)getpid());
	assert_int_equal(file_replace(stale, "left over", 9), 0);
	assert_int_equal(file_replace(in_tmp("rf/f"), "new", 3), 0);
	assert_int_equal(file_read_all(in_tmp("rf/f"), 100, &data, &len), 0);
	assert_string_equal(data, "new");
	free(data);
	assert_int_equal(entries(in_tmp("rf")), 2);
}

/* What a worker's log may find in its place: a file, a link, a pipe; a device stays one. */
static void create_gives_way_to_nothing(void **state)
{
	static const char *const names[] = { "made", "old", "tolink", "topipe" };
	struct stat st;

	(void)state;
	put("victim", "precious", 8);
	put("old", "old text", 8);
	assert_int_equal(symlink("victim", in_tmp("tolink")), 0);
	assert_int_equal(mkfifo(in_tmp("topipe"), 0600), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int fd = file_create(in_tmp(names[i]));

		assert_true(fd >= 0);
		assert_int_equal(write(fd, "new", 3), 3);
		close(fd);
		assert_int_equal(lstat(in_tmp(names[i]), &st), 0);
		assert_true(S_ISREG(st.st_mode));
		assert_int_equal(st.st_size, 3);
	}
	assert_int_equal(stat(in_tmp("victim"), &st), 0);
	assert_int_equal(st.st_size, 8);
	assert_int_equal(mkdir(in_tmp("folder"), 0777), 0);
	assert_true(file_create(in_tmp("folder")) < 0);
	assert_int_equal(file_create(in_tmp("absent/x")), -ENOENT);
	close(file_create("/dev/null"));
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
}

static void replace_in_current_dir(void **state)
{
	char before[256];

	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(tmp), 0);
	assert_int_equal(file_replace("bare", "x", 1), 0);
	assert_int_equal(file_make_dirs("rel/a"), 0);
	assert_int_equal(chdir(before), 0);
	assert_true(file_exists(in_tmp("bare")));
	assert_true(file_exists(in_tmp("rel/a")));
}

static void dirs_are_made(void **state)
{
	bool empty = false;

	assert_int_equal(file_make_dirs(in_tmp("d/e//f/")), 0);
	assert_int_equal(file_make_dirs(in_tmp("d/e/f")), 0); /* already there */
	assert_int_equal(file_dir_empty(in_tmp("d/e/f"), &empty), 0);
	assert_true(empty);
	assert_int_equal(file_dir_empty(in_tmp("d/e"), &empty), 0);
	assert_false(empty);
	assert_int_equal(file_make_dirs("/"), 0);
	assert_int_equal(file_make_dirs(""), -ENOENT);
	put("plain", "x", 1);
	assert_int_equal(file_make_dirs(in_tmp("plain")), -ENOTDIR);
	assert_int_equal(file_make_dirs(in_tmp("plain/sub")), -ENOTDIR);
	assert_int_equal(file_make_dirs("/proc/ncclbench/x"),
			 -ENOENT); /* the kernel's word for it */
}

static void dir_empty_failures(void **state)
{
	bool empty = true;

	assert_int_equal(file_dir_empty(in_tmp("absent"), &empty), -ENOENT);
	put("plain", "x", 1);
	assert_int_equal(file_dir_empty(in_tmp("plain"), &empty), -ENOTDIR);
	assert_true(empty);
	put("d.hidden", "", 0);
	assert_int_equal(mkdir(in_tmp("h"), 0777), 0);
	put("h/.hidden", "", 0);
	assert_int_equal(file_dir_empty(in_tmp("h"), &empty), 0);
	assert_false(empty);
}

static void existence(void **state)
{
	put("here", "", 0);
	assert_true(file_exists(in_tmp("here")));
	assert_true(file_exists(tmp));
	assert_false(file_exists(in_tmp("absent")));
	assert_false(file_exists(""));
}

static void join_paths(void **state)
{
	static const struct {
		const char *dir, *name, *want;
	} rows[] = {
		{ "a", "b", "a/b" }, { "a/", "b", "a/b" },        { "/", "b", "/b" },
		{ "", "b", "b" },    { "a/b", "c.d", "a/b/c.d" },
	};

	for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
		char *path = file_join(rows[i].dir, rows[i].name);

		assert_non_null(path);
		assert_string_equal(path, rows[i].want);
		free(path);
	}
}

static void self_dir(void **state)
{
	char *dir = file_self_dir(), *path;

	assert_non_null(dir);
	assert_int_equal(dir[0], '/');
	path = file_join(dir, "test_file");
	assert_non_null(path);
	assert_true(file_exists(path));
	free(path);
	free(dir);
}

static void first_lines(void **state)
{
	char out[16] = "before", two[4];

	put("l", "GPU 0\nGPU 1\n", 12);
	file_first_line(in_tmp("l"), out, sizeof(out));
	assert_string_equal(out, "GPU 0");
	file_first_line(in_tmp("l"), two, sizeof(two));
	assert_string_equal(two, "GPU");
	put("l", "no newline", 10);
	file_first_line(in_tmp("l"), out, sizeof(out));
	assert_string_equal(out, "no newline");
	put("l", "\nsecond", 7);
	file_first_line(in_tmp("l"), out, sizeof(out));
	assert_string_equal(out, "");
	strcpy(out, "before");
	file_first_line(in_tmp("absent"), out, sizeof(out));
	assert_string_equal(out, "");
	strcpy(out, "before");
	file_first_line(tmp, out, sizeof(out));
	assert_string_equal(out, "");
	assert_int_equal(mkfifo(in_tmp("fifo"), 0666), 0);
	file_first_line(in_tmp("fifo"), out, sizeof(out)); /* does not wait for a writer */
	assert_string_equal(out, "");
	file_first_line(in_tmp("l"), NULL, 0);
}

static int make_tmp(void **state)
{
	return mkdtemp(tmp) ? 0 : -1;
}

static int remove_tmp(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", tmp);
	return system(command);
}

/* Named with root's rights, a device must still be one afterwards. A pipe stands for it here. */
static void replace_keeps_what_is_no_file(void **state)
{
	char text[8] = "";
	struct stat st;
	int fd;

	(void)state;
	assert_int_equal(mkfifo(in_tmp("pipe"), 0600), 0);
	fd = open(in_tmp("pipe"), O_RDWR | O_NONBLOCK | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(file_replace(in_tmp("pipe"), "through", 7), 0);
	assert_int_equal(read(fd, text, sizeof(text)), 7);
	assert_memory_equal(text, "through", 7);
	close(fd);
	assert_int_equal(lstat(in_tmp("pipe"), &st), 0);
	assert_true(S_ISFIFO(st.st_mode));

	put("target", "long old text", 13);
	assert_int_equal(symlink("target", in_tmp("link")), 0);
	assert_int_equal(file_replace(in_tmp("link"), "new", 3), 0);
	assert_int_equal(lstat(in_tmp("link"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(in_tmp("target"), &st), 0);
	assert_int_equal(st.st_size, 3);
}

/* In a folder that may be anybody's a link is no way out of it. */
static void put_follows_no_link(void **state)
{
	struct stat st;

	(void)state;
	put("outside", "long old text", 13);
	assert_int_equal(mkdir(in_tmp("anybody"), 0777), 0);
	assert_int_equal(symlink("../outside", in_tmp("anybody/f")), 0);
	assert_int_equal(symlink("../absent", in_tmp("anybody/g")), 0);
	assert_true(file_is_link(in_tmp("anybody/f")));
	assert_int_equal(file_put(in_tmp("anybody"), "f", "new", 3), 0);
	assert_int_equal(file_put(in_tmp("anybody"), "g", "new", 3), 0);
	assert_int_equal(file_put(in_tmp("anybody"), "h", "new", 3), 0);
	for (const char *name = "fgh"; *name; name++) {
		char path[16];

		snprintf(path, sizeof(path), "anybody/%c", *name);
		assert_false(file_is_link(in_tmp(path)));
		assert_int_equal(stat(in_tmp(path), &st), 0);
		assert_int_equal(st.st_size, 3);
	}
	assert_int_equal(stat(in_tmp("outside"), &st), 0);
	assert_int_equal(st.st_size, 13);
	assert_false(file_exists(in_tmp("absent")));
}

/* Both ends of a FIFO that nobody else opens; the pipe that has ended is only empty. */
static void nobody_at_the_other_end(void **state)
{
	char *data = NULL, path[64];
	size_t len = 1;
	int ends[2], fd;

	(void)state;
	assert_int_equal(mkfifo(in_tmp("lonely"), 0600), 0);
	assert_int_equal(file_read_all(in_tmp("lonely"), 99, &data, &len), -ENXIO);
	assert_null(data);
	assert_int_equal(file_replace(in_tmp("lonely"), "x", 1), -ENXIO);

	fd = open(in_tmp("lonely"), O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "there", 5), 5);
	assert_int_equal(file_read_all(in_tmp("lonely"), 4, &data, &len), -EFBIG);
	close(fd);

	assert_int_equal(pipe(ends), 0);
	close(ends[1]);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	assert_int_equal(file_read_all(path, 99, &data, &len), 0);
	assert_int_equal(len, 0);
	free(data);
	close(ends[0]);
}

/* As in `ncclbench import <(slow job)`. */
static void slow_writer(void **state)
{
	char *data = NULL, path[64];
	size_t len = 0;
	int ends[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		usleep(200000);
		_exit(write(ends[1], "late", 4) != 4);
	}
	close(ends[1]);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	assert_int_equal(file_read_all(path, 99, &data, &len), 0);
	assert_int_equal(len, 4);
	assert_memory_equal(data, "late", 5);
	free(data);
	close(ends[0]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_at_the_other_end),
		cmocka_unit_test(slow_writer),
		cmocka_unit_test(read_whole),
		cmocka_unit_test(read_large),
		cmocka_unit_test(read_failures),
		cmocka_unit_test(write_to_descriptor),
		cmocka_unit_test(replace_is_whole),
		cmocka_unit_test(replace_failures),
		cmocka_unit_test(replace_keeps_what_is_no_file),
		cmocka_unit_test(put_follows_no_link),
		cmocka_unit_test(create_gives_way_to_nothing),
		cmocka_unit_test(replace_in_current_dir),
		cmocka_unit_test(dirs_are_made),
		cmocka_unit_test(dir_empty_failures),
		cmocka_unit_test(existence),
		cmocka_unit_test(join_paths),
		cmocka_unit_test(self_dir),
		cmocka_unit_test(first_lines),
	};

	return cmocka_run_group_tests(tests, make_tmp, remove_tmp);
}
