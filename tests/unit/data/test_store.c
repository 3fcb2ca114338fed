/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The run directory: what is refused, what a full disk leaves behind, and that appending is cheap.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "data/store.h"

struct place {
	char root[64];
	char dir[96]; /* does not exist yet */
};

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static int setup(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return -1;
	snprintf(p->root, sizeof(p->root), "/tmp/test_store.XXXXXX");
	if (mkdtemp(p->root) == NULL)
		return -1;
	snprintf(p->dir, sizeof(p->dir), "%s/a/run", p->root);
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct place *p = *state;

	nftw(p->root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(p);
	return 0;
}

static struct record example(void)
{
	struct record r;

	record_init(&r);
	record_set(r.op, sizeof(r.op), "all_reduce");
	record_set(r.detail, sizeof(r.detail), "a text, with a comma");
	r.ranks = 2;
	r.bytes = 8;
	r.time_us = 5.75;
	return r;
}

static char *slurp(const char *dir, const char *name, size_t *len)
{
	char *path = file_join(dir, name), *text = NULL;

	assert_non_null(path);
	assert_int_equal(file_read_all(path, 64u << 20, &text, len), 0);
	free(path);
	return text;
}

/* The file must be whole rows only; returns how many. */
static size_t whole_rows(const char *dir)
{
	struct record *rows = NULL;
	char why[128];
	size_t len, n = 0;
	char *text = slurp(dir, "points.csv", &len);

	assert_int_equal(text[len - 1], '\n');
	assert_int_equal(record_read_all(text, len, &rows, &n, why, sizeof(why)), 0);
	free(rows);
	free(text);
	return n;
}

static void test_create_and_append(void **state)
{
	const struct place *p = *state;
	struct sample samples[3] = { { .batch = 0 }, { .batch = 1 }, { .batch = 2 } };
	struct record r = example();
	struct store s;
	struct stat st;
	char path[160];
	size_t len, lines = 0;
	char *text;

	store_init(&s);
	assert_int_equal(store_create(&s, p->dir), 0);
	assert_int_equal(store_point(&s, &r), 0);
	assert_int_equal(store_samples(&s, &r, samples, 3), 0);
	assert_int_equal(store_samples(&s, &r, NULL, 0), 0);
	assert_int_equal(store_sync(&s), 0);
	assert_int_equal(store_text(&s, "run.json", "{}\n", 3), 0);
	assert_int_equal(store_text(&s, "run.json", "{1}\n", 4), 0);
	assert_int_equal(store_close(&s), 0);
	assert_int_equal(store_close(&s), 0);
	assert_int_equal(whole_rows(p->dir), 1);
	text = slurp(p->dir, "run.json", &len);
	assert_string_equal(text, "{1}\n");
	free(text);
	text = slurp(p->dir, "samples.csv", &len);
	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	assert_int_equal(lines, 2 + 3);
	free(text);
	snprintf(path, sizeof(path), "%s/logs", p->dir);
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	snprintf(path, sizeof(path), "%s/charts", p->dir); /* whoever draws makes it */
	assert_int_equal(stat(path, &st), -1);
}

static void test_empty_directory_is_taken(void **state)
{
	const struct place *p = *state;
	struct store s;

	store_init(&s);
	assert_int_equal(store_create(&s, p->root), 0);
	assert_int_equal(store_close(&s), 0);
	assert_int_equal(store_create(&s, p->root), -ENOTEMPTY); /* its own output counts */
	assert_string_equal(s.failed, "");
	assert_int_equal(store_close(&s), 0);
}

static void test_reopen(void **state)
{
	struct place *p = *state;
	struct record r = example();
	struct store s;
	char *path, *text;
	size_t len;

	store_init(&s);
	assert_int_equal(store_reopen(&s, p->dir), -ENOENT);
	assert_null(s.dir);
	assert_int_equal(store_create(&s, p->dir), 0);
	assert_int_equal(store_point(&s, &r), 0);
	assert_int_equal(store_close(&s), 0);
	store_init(&s);
	assert_int_equal(store_reopen(&s, p->dir), 0);
	r.bytes = 16;
	assert_int_equal(store_point(&s, &r), 0);
	assert_int_equal(store_close(&s), 0);
	path = file_join(p->dir, "points.csv");
	assert_int_equal(file_read_all(path, 1 << 20, &text, &len), 0);
	/* schema, header, two rows */
	for (len = 0; strchr(text, '\n'); len++)
		*strchr(text, '\n') = ' ';
	assert_int_equal(len, 4);
	free(text);
	free(path);
}

static void test_refused_places(void **state)
{
	const struct place *p = *state;
	char file[128], below[160];
	struct store s;

	store_init(&s);
	snprintf(file, sizeof(file), "%s/file", p->root);
	assert_int_equal(file_replace(file, "x", 1), 0);
	snprintf(below, sizeof(below), "%s/file/run", p->root);
	assert_int_equal(store_create(&s, file), -ENOTDIR);
	assert_int_equal(store_create(&s, below), -ENOTDIR);
	assert_int_equal(store_create(&s, p->root), -ENOTEMPTY);
	assert_int_equal(store_create(&s, ""), -ENOENT);
	assert_true(store_create(&s, "/proc/self/no_such_place/run") < 0);
	assert_int_equal(store_point(&s, &(struct record){ 0 }), -EBADF);
	assert_int_equal(store_text(&s, "run.json", "", 0), -EBADF);
	assert_int_equal(store_close(&s), 0);
}

/*
 * A row that hits the limit of the file's size is cut off again; the next, after room was made, is
 * fine.
 */
static void test_write_fails_in_the_middle(void **state)
{
	const struct place *p = *state;
	struct rlimit old, limit;
	struct record r = example();
	struct store s;
	struct stat st;
	size_t kept = 0;
	int rc = 0;

	store_init(&s);
	assert_int_equal(store_create(&s, p->dir), 0);
	assert_int_equal(fstat(s.points_fd, &st), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = (rlim_t)st.st_size + 250; /* two rows and a bit */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (int i = 0; i < 10 && rc == 0; i++) {
		rc = store_point(&s, &r);
		kept += rc == 0;
	}
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(rc, -EFBIG);
	assert_string_equal(s.failed, "points.csv");
	assert_in_range(kept, 1, 9);
	assert_int_equal(whole_rows(p->dir), kept);
	assert_int_equal(store_point(&s, &r), 0);
	assert_int_equal(whole_rows(p->dir), kept + 1);
	assert_int_equal(store_close(&s), 0);
}

/*
 * In a child with its own mounts: 0 good, 77 not allowed to mount, else the number of the failed
 * step.
 */
static int full_disk_child(const struct place *p)
{
	struct record r = example();
	struct sample many[2000] = { { 0 } };
	struct store s;
	char run[128], readonly[128];
	struct stat st;
	off_t size;
	int rc = 0;

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", p->root, "tmpfs", 0, "size=64k"))
		return 77;
	snprintf(run, sizeof(run), "%s/run", p->root);
	store_init(&s);
	if (store_create(&s, run))
		return 1;
	for (int i = 0; i < 10000 && rc == 0; i++)
		rc = store_point(&s, &r);
	if (rc != -ENOSPC || strcmp(s.failed, "points.csv") != 0)
		return 2;
	if (fstat(s.samples_fd, &st))
		return 3;
	size = st.st_size;
	if (store_samples(&s, &r, many, 2000) != -ENOSPC || fstat(s.samples_fd, &st) ||
	    st.st_size != size)
		return 4;
	if (store_text(&s, "run.json", (const char *)many, sizeof(many)) != -ENOSPC)
		return 5;
	if (store_close(&s))
		return 6;
	whole_rows(run); /* an assertion in it ends the child with another code */
	snprintf(readonly, sizeof(readonly), "%s/run/logs", p->root);
	if (mount(NULL, p->root, NULL, MS_REMOUNT | MS_RDONLY, "size=64k"))
		return 77;
	return store_create(&s, readonly) == -EROFS ? 0 : 7;
}

static void test_full_and_read_only_disk(void **state)
{
	pid_t child = fork();
	int status = 0;

	assert_true(child >= 0);
	if (child == 0)
		_exit(full_disk_child(*state));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("no mounts allowed here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

/*
 * /dev/full as points.csv: nothing can be cut off there, and the first error is the one reported.
 */
static void test_device_full(void **state)
{
	struct record r = example();
	struct store s;

	store_init(&s);
	s.points_fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	if (s.points_fd < 0)
		skip();
	assert_int_equal(store_point(&s, &r), -ENOSPC);
	assert_int_equal(store_close(&s), 0);
}

static void test_many_appends(void **state)
{
	const struct place *p = *state;
	struct record r = example();
	struct store s;
	int64_t start, took;

	store_init(&s);
	assert_int_equal(store_create(&s, p->dir), 0);
	start = clock_now_ns();
	for (int i = 0; i < 10000; i++)
		assert_int_equal(store_point(&s, &r), 0);
	took = clock_now_ns() - start;
	assert_int_equal(store_close(&s), 0);
	assert_int_equal(whole_rows(p->dir), 10000);
	print_message("10000 rows in %.0f ms\n", (double)took / 1e6);
}

static void test_default_dir(void **state)
{
	const struct place *p = *state;
	char *first, *second, *strange;

	assert_int_equal(chdir(p->root), 0);
	first = store_default_dir("node-1.example");
	assert_non_null(first);
	assert_int_equal(strncmp(first, "results/runs/2", 14), 0);
	assert_non_null(strstr(first, "Z-node-1.example"));
	assert_int_equal(file_make_dirs(first), 0);
	second = store_default_dir("node-1.example");
	assert_non_null(second);
	assert_string_not_equal(first, second); /* the same second or not */
	strange = store_default_dir("../a b\n\033$(x)");
	assert_non_null(strstr(strange, "Z-..-a-b----x-"));
	free(strange);
	strange = store_default_dir("");
	assert_non_null(strstr(strange, "Z-host"));
	free(strange);
	free(first);
	free(second);
	assert_int_equal(chdir("/"), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_create_and_append),
		TEST(test_empty_directory_is_taken),
		TEST(test_reopen),
		TEST(test_refused_places),
		TEST(test_write_fails_in_the_middle),
		TEST(test_full_and_read_only_disk),
		TEST(test_device_full),
		TEST(test_many_appends),
		TEST(test_default_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
