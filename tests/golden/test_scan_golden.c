/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real NCCL logs -> what the scanner makes of them, compared with NAME.expect beside NAME.log.
 * UPDATE=1 in the environment rewrites the expectations: read the difference before you keep it.
 * INDEX.tsv was written by hand when the logs were taken and is never rewritten: its columns `via`
 * and `first warning` must agree as well. Usage: test_scan_golden FOLDER
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "ncclog/scan.h"

enum { LOG_BYTES_MAX = 4 << 20 };

static int failures;

static void fail(const char *name, const char *what, const char *detail)
{
	fprintf(stderr, "%s: %s%s%s\n", name, what, detail ? ": " : "", detail ? detail : "");
	failures++;
}

static void dump(const struct scan *s, struct buf *b)
{
	buf_printf(b, "version %s\nnranks %d\nnnodes %d\n", s->version, s->nranks, s->n_nodes);
	buf_printf(b, "flags%s%s%s%s%s\n", s->nvls ? " nvls" : "",
		   s->nvls_comm ? " nvls-set-up" : "", s->symmetric ? " symmetric" : "",
		   s->copy_engine ? " copy_engine" : "", s->collnet ? " collnet" : "");
	buf_printf(b, "warns %d\nfirst_warn %s\nwarn_place %s\n", s->n_warns, s->first_warn,
		   s->warn_place);
	buf_printf(b, "p2p_refused %s\ncut %zu\n", s->p2p_refused, s->n_cut);
	buf_printf(b, "links %zu\n", s->n_links);
	for (size_t i = 0; i < s->n_links; i++) {
		const struct scan_link *l = &s->links[i];

		buf_printf(b, "\t%d -> %d conn %d via %s/%s channels %d\n", l->from, l->to, l->conn,
			   l->cls, l->variant, l->channels);
	}
	buf_printf(b, "tunings %zu\n", s->n_tunings);
	for (size_t i = 0; i < s->n_tunings; i++) {
		const struct scan_tuning *t = &s->tunings[i];

		buf_printf(b, "\t%s %llu %s %s channels %d\n", t->func,
			   (unsigned long long)t->bytes, t->algo, t->proto, t->channels);
	}
}

static char *path_of(const char *dir, const char *name, const char *suffix)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s/%s%s", dir, name, suffix);
	return buf_take(&b);
}

static char *read_text(const char *dir, const char *name, const char *suffix, size_t *len)
{
	char *path = path_of(dir, name, suffix), *data = NULL;
	int err = path ? file_read_all(path, LOG_BYTES_MAX, &data, len) : -ENOMEM;

	if (err)
		fail(name, suffix, strerror(-err));
	free(path);
	return err ? NULL : data;
}

/* `step` bytes at a time: where a log is cut must not matter. */
static void scan_text(const char *data, size_t len, size_t step, struct scan *s)
{
	scan_init(s);
	for (size_t i = 0; i < len; i += step)
		scan_feed(s, data + i, len - i < step ? len - i : step);
	scan_end(s);
}

/* "NET/Socket" stands for any device of it, "SHM/direct/direct" for both sides. */
static int is_via(const struct scan_link *l, const char *via)
{
	size_t n = strlen(l->cls), v = strlen(l->variant);

	if (strncmp(via, l->cls, n) != 0)
		return 0;
	via += n;
	if (*via == '\0')
		return l->variant[strspn(l->variant, "0123456789")] == '\0';
	if (*via != '/' || strncmp(++via, l->variant, v) != 0)
		return 0;
	via += v;
	return *via == '\0' || (*via == '/' && strcmp(via + 1, l->variant) == 0);
}

/* Each item of the column has a link, and each link has its item. */
static void check_via(const char *name, char *column, const struct scan *s)
{
	size_t explained = 0;

	for (char *save = NULL, *via = strtok_r(column, ";", &save); via;
	     via = strtok_r(NULL, ";", &save)) {
		size_t hits = 0;

		for (size_t i = 0; i < s->n_links; i++)
			hits += (size_t)is_via(&s->links[i], via);
		if (hits == 0)
			fail(name, "INDEX.tsv names a transport that was not found", via);
		explained += hits;
	}
	if (explained != s->n_links)
		fail(name, "links that INDEX.tsv does not name", NULL);
}

/* name TAB environment TAB via TAB first warning */
static void check_index(const char *name, const char *index, const struct scan *s)
{
	size_t n = strlen(name);

	for (const char *line = index; *line;) {
		size_t len = strcspn(line, "\n");

		if (len > n && strncmp(line, name, n) == 0 && line[n] == '\t') {
			char *copy = strndup(line, len), *via, *warn;

			via = copy ? strchr(copy + n + 1, '\t') : NULL;
			warn = via ? strchr(via + 1, '\t') : NULL;
			if (!warn) {
				fail(name, "bad row in INDEX.tsv", NULL);
			} else {
				*warn++ = '\0';
				if (strcmp(warn, s->first_warn) != 0)
					fail(name, "first warning differs from INDEX.tsv",
					     s->first_warn);
				check_via(name, via + 1, s);
			}
			free(copy);
			return;
		}
		line += len + (line[len] == '\n');
	}
	fail(name, "no row in INDEX.tsv", NULL);
}

static void check_expected(const char *dir, const char *name, const struct buf *got)
{
	char *path = path_of(dir, name, ".expect"), *want;
	size_t len;

	if (getenv("UPDATE")) {
		if (!path || file_replace(path, got->data, got->len))
			fail(name, "cannot write the expectation", NULL);
	} else {
		want = read_text(dir, name, ".expect", &len);
		if (want && strcmp(want, buf_text(got)) != 0)
			fail(name, "differs from its .expect; got", buf_text(got));
		free(want);
	}
	free(path);
}

static void check_log(const char *dir, const char *name, const char *index)
{
	static const size_t steps[] = { 1, 7, 4096 };
	struct buf whole = { 0 };
	struct scan s;
	size_t len;
	char *log = read_text(dir, name, ".log", &len);

	if (!log)
		return;
	scan_text(log, len, len + 1, &s);
	dump(&s, &whole);
	check_expected(dir, name, &whole);
	check_index(name, index, &s);
	scan_fini(&s);
	for (size_t i = 0; i < N_ELEMENTS(steps); i++) {
		struct buf parts = { 0 };

		scan_text(log, len, steps[i], &s);
		dump(&s, &parts);
		if (strcmp(buf_text(&whole), buf_text(&parts)) != 0)
			fail(name, "differs when fed in parts; got", buf_text(&parts));
		scan_fini(&s);
		buf_fini(&parts);
	}
	buf_fini(&whole);
	free(log);
}

static int is_log(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 4 && strcmp(e->d_name + n - 4, ".log") == 0;
}

int main(int argc, char **argv)
{
	struct dirent **logs;
	char *index;
	size_t len;
	int n;

	if (argc != 2) {
		fprintf(stderr, "usage: test_scan_golden FOLDER\n");
		return 2;
	}
	index = read_text(argv[1], "INDEX", ".tsv", &len);
	n = index ? scandir(argv[1], &logs, is_log, alphasort) : -1;
	if (n <= 0) {
		fprintf(stderr, "%s: no logs or no INDEX.tsv\n", argv[1]);
		free(index);
		return 1;
	}
	for (int i = 0; i < n; i++) {
		logs[i]->d_name[strlen(logs[i]->d_name) - 4] = '\0';
		check_log(argv[1], logs[i]->d_name, index);
		free(logs[i]);
	}
	free(logs);
	free(index);
	printf("%d logs, %d failures\n", n, failures);
	return failures ? 1 : 0;
}
