/* SPDX-License-Identifier: Apache-2.0 */
/* See shelf.h. */
#include "tool/shelf.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/log.h"
#include "ncclbench/exitcode.h"
#include "tool/cmd.h"

#define EXPECTED_MAX (4u << 20)

/* Not NB_EXIT_BROKEN, which says that a transport delivered wrong data. */
int shelf_no_memory(const char *what)
{
	log_error("%.*s: out of memory: nothing was judged or changed; name fewer series, or "
		  "smaller ones, or raise the limit",
		  CMD_WORD_MAX, what);
	return NB_EXIT_USAGE;
}

void shelf_fini(struct shelf *s)
{
	for (size_t i = 0; i < s->n; i++)
		series_fini(&s->series[i]);
	free(s->series);
	expect_fini(&s->expected);
	pool_fini(&s->pool);
	*s = (struct shelf){ 0 };
}

void shelf_free_names(char **names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_run(const char *dir, const char *name)
{
	char *run = file_join(dir, name), *points = run ? file_join(run, "points.csv") : NULL;
	bool yes = points && file_exists(points);

	free(points);
	free(run);
	return yes;
}

int shelf_names(const char *dir, char ***names, size_t *n)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char **list = NULL;
	size_t count = 0;

	if (!d)
		return -errno;
	while ((e = readdir(d)) != NULL) {
		char **grown;

		if (e->d_name[0] == '.' || !is_run(dir, e->d_name))
			continue;
		grown = reallocarray(list, count + 1, sizeof(*grown));
		list = grown ? grown : list;
		if (!grown || !(list[count] = strdup(e->d_name))) {
			shelf_free_names(list, count);
			closedir(d);
			return -ENOMEM;
		}
		count++;
	}
	closedir(d);
	if (count > 0)
		qsort(list, count, sizeof(*list), by_name);
	*names = list;
	*n = count;
	return 0;
}

static int add_one(struct shelf *s, const char *path)
{
	struct series *grown;
	char why[800];
	int rc;

	grown = reallocarray(s->series, s->n + 1, sizeof(*grown));
	if (!grown)
		return shelf_no_memory(path);
	s->series = grown;
	rc = series_read(&s->pool, path, &s->series[s->n], why, sizeof(why));
	if (rc) {
		if (rc == -ENOMEM)
			return shelf_no_memory(path);
		log_error("%s", why);
		return NB_EXIT_USAGE;
	}
	s->n++;
	return 0;
}

static int add_folder(struct shelf *s, const char *dir)
{
	char **names = NULL, *expected;
	size_t n = 0;
	int rc = shelf_names(dir, &names, &n);

	if (rc || n == 0) {
		log_error("%.*s: %s", CMD_WORD_MAX, dir,
			  rc ? strerror(-rc)
			     : "neither a run (points.csv) nor a folder of runs; `ncclbench "
			       "baseline add RUN` keeps one to compare with");
		return NB_EXIT_USAGE;
	}
	for (size_t i = 0; i < n && rc == 0; i++) {
		char *path = file_join(dir, names[i]);

		rc = path ? add_one(s, path) : shelf_no_memory(dir);
		free(path);
	}
	shelf_free_names(names, n);
	expected = rc == 0 ? file_join(dir, SHELF_EXPECTED) : NULL;
	if (expected)
		rc = shelf_expect(s, expected, 0);
	free(expected);
	return rc;
}

int shelf_add(struct shelf *s, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode) && !is_run(path, "."))
		return add_folder(s, path);
	return add_one(s, path);
}

int shelf_expect(struct shelf *s, const char *path, int must)
{
	char *data = NULL, why[400] = "";
	size_t len = 0;
	struct expectations e = { 0 };
	int rc = file_read_all(path, EXPECTED_MAX, &data, &len);

	if (rc == -ENOENT && !must)
		return 0;
	if (rc == 0)
		rc = expect_parse(data, len, &e, why, sizeof(why));
	free(data);
	if (rc) {
		log_error("%.200s: %s", path, why[0] ? why : file_why(rc));
		return NB_EXIT_USAGE;
	}
	expect_fini(&s->expected);
	s->expected = e;
	return 0;
}

/* Insertion: stable, and there are few. */
void shelf_sort(struct shelf *s)
{
	for (size_t i = 1; i < s->n; i++) {
		struct series one = s->series[i];
		size_t k = i;

		for (; k > 0 && strcmp(s->series[k - 1].facts.started, one.facts.started) > 0; k--)
			s->series[k] = s->series[k - 1];
		s->series[k] = one;
	}
}
