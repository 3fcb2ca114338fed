/* SPDX-License-Identifier: Apache-2.0 */
/* Runs read from disk side by side: names, how a user points at one, what is refused and how. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "report/fleet.h"

static char root[64];

static void put(const char *run, const char *name, const char *text)
{
	char *dir = file_join(root, run), *path = file_join(dir, name);

	assert_int_equal(file_make_dirs(dir), 0);
	assert_int_equal(file_replace(path, text, strlen(text)), 0);
	free(path);
	free(dir);
}

#define HEAD "# ncclbench points schema 1\nbackend,transport,op,bytes,timing,outcome,time_us\n"
#define ROW "nccl,p2p,all_reduce,8,graph,ok,5\n"

static int setup(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/fleet.XXXXXX");
	assert_non_null(mkdtemp(root));
	put("a", "points.csv", HEAD ROW);
	put("a", "run.json", "{\"hosts\": 1, \"ranks\": [{\"host\": \"node7\"}]}");
	put("b", "points.csv", HEAD ROW);
	put("b", "run.json", "{\"hosts\": 2, \"ranks\": [{\"host\": \"node7\"}]}");
	put("c", "points.csv", HEAD ROW);
	put("c", "run.json", "{\"complete\": false, \"ranks\": [{\"host\": \"other\"}]}");
	put("bare", "points.csv",
	    HEAD ROW "nccl,p2p,all_reduce,16,graph,ok,5\n"
		     "nccl,p2p,all_red");
	put("empty", "points.csv", HEAD);
	put("bad", "points.csv", HEAD "nccl,p2p,all_reduce,8,graph,good,5\n");
	put("badmeta", "points.csv", HEAD ROW);
	put("badmeta", "run.json", "{\"hosts\": 1,");
	put("list", "points.csv", HEAD ROW);
	put("list", "run.json", "[1]");
	return 0;
}

static int teardown(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command) != 0;
}

static char paths[4][100];
static struct fleet f;
static char why[400];

static int load(const char *a, const char *b, const char *c)
{
	const char *const names[] = { a, b, c };
	const char *list[3];
	size_t n = 0;

	for (; n < 3 && names[n]; n++) {
		snprintf(paths[n], sizeof(paths[n]), "%s/%s", root, names[n]);
		list[n] = paths[n];
	}
	return fleet_load(&f, list, n, why, sizeof(why));
}

static void test_names(void **state)
{
	(void)state;
	assert_int_equal(load("a", "b", "c/"), 0);
	assert_string_equal(f.machine[0].name, "node7 a"); /* two of that host */
	assert_string_equal(f.machine[1].name, "node7 b");
	assert_string_equal(f.machine[2].name, "other");
	assert_true(isnan(f.machine[0].price) && isnan(f.machine[0].power));
	assert_true(f.machine[0].run.view.one_host);
	assert_false(f.machine[1].run.view.one_host);
	fleet_name(&f, 0, "other");
	assert_string_equal(f.machine[0].name, "other (2)");
	fleet_name(&f, 1, "x\033[2Jy\xff");
	assert_string_equal(f.machine[1].name, "x?[2Jy?");
	fleet_name(&f, 1, "");
	assert_string_equal(f.machine[1].name, "unknown machine");
	fleet_fini(&f);
	assert_int_equal(load("bare", NULL, NULL), 0);
	assert_string_equal(f.machine[0].name, "bare");
	fleet_fini(&f);
}

/* Long names stay told apart, and are not cut within a character. */
static void test_long_names(void **state)
{
	char name[200];

	(void)state;
	assert_int_equal(load("a", "c", NULL), 0);
	for (size_t i = 0; i < sizeof(name) - 1; i += 2)
		memcpy(name + i, "\xc3\xa9", 2);
	name[198] = '\0';
	fleet_name(&f, 0, name);
	fleet_name(&f, 1, name);
	assert_true(strlen(f.machine[0].name) < FLEET_NAME);
	assert_string_not_equal(f.machine[0].name, f.machine[1].name);
	assert_non_null(strstr(f.machine[1].name, "\xa9 (2)"));
	fleet_fini(&f);
}

static void test_find(void **state)
{
	const char *rest = NULL;
	char word[200];

	(void)state;
	assert_int_equal(load("a", "b", "c/"), 0);
	assert_int_equal(fleet_find(&f, "b=My name=x", &rest), 1);
	assert_string_equal(rest, "My name=x");
	snprintf(word, sizeof(word), "%s/c=12", root);
	assert_int_equal(fleet_find(&f, word, &rest), 2);
	assert_string_equal(rest, "12");
	snprintf(word, sizeof(word), "%s/a///=12", root);
	assert_int_equal(fleet_find(&f, word, &rest), 0);
	assert_int_equal(fleet_find(&f, "a", &rest), 0);
	assert_string_equal(rest, "");
	assert_int_equal(fleet_find(&f, "ab=1", &rest), 3);
	assert_int_equal(fleet_find(&f, "", &rest), 3);
	assert_int_equal(fleet_find(&f, "=1", &rest), 3);
	fleet_fini(&f);
}

static void test_notes(void **state)
{
	(void)state;
	assert_int_equal(load("bare", NULL, NULL), 0);
	assert_int_equal(f.machine[0].run.view.n_rows, 2);
	assert_int_equal(f.machine[0].run.view.n_notes, 2);
	assert_string_equal(
	    f.machine[0].run.view.notes[0],
	    "points.csv: line 5, the last one, is cut short and was left out (power lost "
	    "while it was written?)");
	assert_non_null(strstr(f.machine[0].run.view.notes[1], "no run.json"));
	fleet_fini(&f);
	assert_int_equal(load("c", NULL, NULL), 0);
	assert_non_null(strstr(f.machine[0].run.view.notes[0], "did not come to its end"));
	fleet_fini(&f);
	assert_int_equal(load("empty", NULL, NULL), 0);
	assert_int_equal(f.machine[0].run.view.n_rows, 0);
	fleet_fini(&f);
}

static void refused(const char *run, int code, const char *says)
{
	assert_int_equal(load("a", run, NULL), code);
	if (!strstr(why, says))
		fail_msg("'%s' does not say '%s'", why, says);
	assert_null(f.machine);
}

static void test_refused(void **state)
{
	const char *empty[] = { "" };

	(void)state;
	refused("bad", -EBADMSG, "/bad/points.csv: line 3: unknown outcome 'good'");
	refused("badmeta", -EBADMSG, "/badmeta/run.json, line 1 column");
	refused("list", -EBADMSG, "/list/run.json: not an object");
	refused("absent", -ENOENT, "/absent/points.csv: No such file");
	assert_int_equal(fleet_load(&f, empty, 1, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "the name of the run is empty: name a run directory");
	assert_int_equal(fleet_load(&f, empty, 0, why, sizeof(why)), -EINVAL);
	assert_int_equal(fleet_load(&f, empty, FLEET_MACHINES_MAX + 1, why, sizeof(why)), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),   cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_find),    cmocka_unit_test(test_notes),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
