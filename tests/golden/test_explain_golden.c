/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs -> the pages of explain, as text and as JSON, compared with NAME.txt and NAME.json.
 * UPDATE=1 in the environment rewrites them: read the difference before you keep it.
 * Usage: test_explain_golden LOGS EXPECTED [LOGS EXPECTED]...
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "explain/page.h"

enum { LOG_BYTES_MAX = 4 << 20 };

static int failures;

static void fail(const char *name, const char *what, const char *detail)
{
	fprintf(stderr, "%s: %s%s%s\n", name, what, detail ? ": " : "", detail ? detail : "");
	failures++;
}

static char *path_of(const char *dir, const char *name, const char *suffix)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s/%s%s", dir, name, suffix);
	return buf_take(&b);
}

/* `step` bytes at a time: where a log is cut must not matter. */
static void explain_text(const char *name, const char *data, size_t len, size_t step,
			 struct buf *text, struct buf *json)
{
	struct findings fs;
	struct facts f;
	struct buf shown = { 0 };

	buf_printf(&shown, "%s.log", name);
	if (facts_init(&f) || facts_begin(&f, buf_text(&shown)))
		exit(1);
	for (size_t i = 0; i < len; i += step)
		facts_feed(&f, data + i, len - i < step ? len - i : step);
	facts_end(&f);
	facts_finish(&f);
	findings_judge(&f, &fs);
	page_text(&f, &fs, text);
	page_json(&f, &fs, 0, json);
	if (text->failed || json->failed)
		fail(name, "out of memory", NULL);
	findings_fini(&fs);
	facts_fini(&f);
	buf_fini(&shown);
}

static void check(const char *dir, const char *name, const char *suffix, const struct buf *got)
{
	char *path = path_of(dir, name, suffix), *want = NULL;
	size_t len;

	if (getenv("UPDATE")) {
		if (!path || file_make_dirs(dir) || file_replace(path, got->data, got->len))
			fail(name, "cannot write", suffix);
	} else if (!path || file_read_all(path, LOG_BYTES_MAX, &want, &len)) {
		fail(name, "there is no", suffix);
	} else if (strcmp(want, buf_text(got)) != 0) {
		fail(name, "differs; got", buf_text(got));
	}
	free(want);
	free(path);
}

static void check_log(const char *logs, const char *expected, const char *name)
{
	static const size_t steps[] = { 1, 7, 4096 };
	struct buf text = { 0 }, json = { 0 };
	char *path = path_of(logs, name, ".log"), *log = NULL;
	size_t len;

	if (!path || file_read_all(path, LOG_BYTES_MAX, &log, &len)) {
		fail(name, "cannot read", path);
		free(path);
		return;
	}
	explain_text(name, log, len, len + 1, &text, &json);
	check(expected, name, ".txt", &text);
	check(expected, name, ".json", &json);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct buf t = { 0 }, j = { 0 };

		explain_text(name, log, len, steps[i], &t, &j);
		if (strcmp(buf_text(&t), buf_text(&text)) != 0 ||
		    strcmp(buf_text(&j), buf_text(&json)) != 0)
			fail(name, "differs when fed in parts", buf_text(&t));
		buf_fini(&t);
		buf_fini(&j);
	}
	buf_fini(&text);
	buf_fini(&json);
	free(log);
	free(path);
}

static int is_log(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 4 && strcmp(e->d_name + n - 4, ".log") == 0;
}

static void check_folder(const char *logs, const char *expected)
{
	struct dirent **names;
	int n = scandir(logs, &names, is_log, alphasort);

	if (n <= 0) {
		fail(logs, "no logs", NULL);
		return;
	}
	for (int i = 0; i < n; i++) {
		names[i]->d_name[strlen(names[i]->d_name) - 4] = '\0';
		check_log(logs, expected, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	printf("%s: %d logs\n", logs, n);
}

int main(int argc, char **argv)
{
	if (argc < 3 || argc % 2 == 0) {
		fprintf(stderr, "usage: test_explain_golden LOGS EXPECTED [LOGS EXPECTED]...\n");
		return 2;
	}
	for (int i = 1; i + 1 < argc; i += 2)
		check_folder(argv[i], argv[i + 1]);
	return failures ? 1 : 0;
}
