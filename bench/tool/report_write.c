/* SPDX-License-Identifier: Apache-2.0 */
/* See report_write.h. */
#include "tool/report_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "ncclbench/exitcode.h"
#include "proc/hold.h"
#include "report/chart.h"
#include "report/fleet.h"
#include "report/fleet_chart.h"
#include "report/fleet_compare.h"
#include "report/fleet_page.h"
#include "report/machine_log.h"
#include "report/sheet.h"

#define CHARTS "charts"
#define PAGE_BYTES_MAX (64u << 20)

/* TABLE of the commands whose folders have a page of their own, which a report would replace. */
static const struct keeper {
	const char *mark;                    /* a file that only this command writes */
	const char *command, *page, *begins; /* its page, and how that begins */
} keepers[] = {
	{ "tune.json", "tune", "report.md", "# Tune\n" },
};

struct work {
	const struct report_files *w;
	struct fleet_pictures pictures;
	struct buf notes; /* of the pictures */
	struct machine_log *log;
	char *charts; /* the folder */
	int drawn;
};

static int complain(const char *dir, const char *name, int rc)
{
	log_error("report: cannot write %s%s%s: %s; -o DIR writes elsewhere", dir,
		  name[0] ? "/" : "", name, strerror(-rc));
	return rc;
}

static int write_file(const char *dir, const char *name, const char *text, size_t len)
{
	int rc = file_put(dir, name, text, len);

	return rc < 0 ? complain(dir, name, rc) : 0;
}

/* As a file a picture needs a ground of its own: it may be shown on any. */
static void as_file(struct buf *b, const struct fleet_picture *q)
{
	const char *svg = buf_text(&q->svg), *root = strstr(svg, "<svg");

	if (!root)
		return;
	buf_puts(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg");
	if (!strstr(svg, "xmlns=\"http://www.w3.org/2000/svg\""))
		buf_puts(b, " xmlns=\"http://www.w3.org/2000/svg\"");
	buf_puts(b, " style=\"background:#fff;color:#1b1f23\"");
	buf_puts(b, root + 4);
}

static int keep_picture(struct work *k, const struct fleet_picture *q)
{
	char name[96], file[112];
	struct buf b = { 0 };
	int rc;

	if (!q->svg.len)
		return 0;
	fleet_page_picture_name(q->chart->id, q->op, name, sizeof(name));
	snprintf(file, sizeof(file), "%s.svg", name);
	as_file(&b, q);
	rc = b.failed ? -ENOMEM : write_file(k->charts, file, buf_text(&b), b.len);
	buf_fini(&b);
	k->drawn += rc == 0;
	return rc;
}

/* The pictures of the page, and of one run also those that a sweep draws. A run may be anybody's:
 * its folder must not lead elsewhere. */
static int draw(struct work *k)
{
	const struct report_files *w = k->w;
	struct buf own = { 0 };
	int rc, n;

	if (file_is_link(k->charts)) {
		log_error("report: %s is a symbolic link, which is not followed; -o DIR writes "
			  "elsewhere, --no-charts draws nothing",
			  k->charts);
		return -ELOOP;
	}
	rc = file_make_dirs(k->charts);
	if (rc < 0)
		return complain(k->charts, "", rc);
	n = w->f->n == 1 ? chart_draw_all(&w->f->machine[0].run.view, k->charts, &own) : 0;
	rc = hold_interrupted() ? -EINTR : fleet_pictures_draw(w->f, &k->pictures, &k->notes);
	if (hold_interrupted()) {
		buf_fini(&own);
		return -EINTR;
	}
	log_lines(buf_text(own.len ? &own : &k->notes));
	buf_fini(&own);
	if (rc == -ENOENT || rc == -ENOTDIR) /* the notes say why; the tables remain */
		return 0;
	if (rc < 0) {
		log_error("report: the pictures could not be drawn: %s", strerror(-rc));
		return 0;
	}
	k->drawn += n > 0 ? n : 0;
	for (size_t i = 0; i < k->pictures.n && rc == 0; i++)
		rc = keep_picture(k, &k->pictures.list[i]);
	return rc;
}

static int read_logs(struct work *k)
{
	const struct fleet *f = k->w->f;
	int rc = 0;

	k->log = calloc(f->n, sizeof(*k->log));
	if (!k->log)
		return -ENOMEM;
	for (size_t i = 0; i < f->n && rc == 0; i++)
		rc = machine_log_read(&k->log[i], f->machine[i].path);
	if (rc < 0)
		log_error("report: cannot read the logs: %s", strerror(-rc));
	return rc;
}

static int write_form(struct work *k, const struct sheet_form *form)
{
	struct fleet_page page = {
		.f = k->w->f,
		.c = k->w->c,
		.pictures = k->w->charts ? &k->pictures : NULL,
		.picture_notes =
		    k->w->charts ? buf_text(&k->notes) : "Pictures were not asked for.",
		.log = k->log,
		.charts = CHARTS,
	};
	struct sheet s = { .form = form, .css = fleet_chart_css };
	int rc;

	fleet_page_write(&s, &page);
	if (s.out.failed)
		log_error("report: out of memory");
	rc =
	    s.out.failed ? -ENOMEM : write_file(k->w->dir, form->file, buf_text(&s.out), s.out.len);
	buf_fini(&s.out);
	return rc;
}

/* An end by a signal waits until gnuplot and its temporary folder are gone. */
static int draw_and_write(struct work *k)
{
	struct hold hold;
	int rc = 0;

	hold_signals(&hold);
	if (k->w->charts) {
		rc = draw(k);
		(void)rmdir(k->charts); /* only when nothing came into it */
	}
	for (size_t i = 0; i < sheet_forms_n && rc == 0; i++)
		rc = hold_interrupted() ? -EINTR : write_form(k, sheet_forms[i]);
	hold_release(&hold);
	return rc;
}

static int write_all(struct work *k)
{
	int rc = file_make_dirs(k->w->dir);

	if (rc < 0)
		return complain(k->w->dir, "", rc);
	rc = read_logs(k);
	if (rc == 0)
		rc = draw_and_write(k);
	if (rc == 0)
		log_note("report.html, report.md and %d pictures in %s", k->drawn, k->w->dir);
	return rc;
}

static bool has_file(const char *dir, const char *name)
{
	char *path = file_join(dir, name);
	bool there = path && file_exists(path);

	free(path);
	return there;
}

static bool begins_with(const char *dir, const char *name, const char *words)
{
	char *path = file_join(dir, name), *text = NULL;
	size_t len = 0;
	bool does = path && file_read_all(path, PAGE_BYTES_MAX, &text, &len) == 0 &&
		    strncmp(text, words, strlen(words)) == 0;

	free(text);
	free(path);
	return does;
}

int report_write_may(const char *dir)
{
	for (size_t i = 0; i < N_ELEMENTS(keepers); i++) {
		const struct keeper *k = &keepers[i];

		if (!has_file(dir, k->mark) || !begins_with(dir, k->page, k->begins))
			continue;
		log_error(
		    "report: %s is a run of %s, and %s there is its answer, which a page would "
		    "replace: read it (cat %s/%s), or write a page elsewhere with -o DIR",
		    dir, k->command, k->page, dir, k->page);
		return NB_EXIT_USAGE;
	}
	return NB_EXIT_OK;
}

int report_write(const struct report_files *w)
{
	struct work k = { .w = w, .charts = file_join(w->dir, CHARTS) };
	int rc = k.charts ? write_all(&k) : -ENOMEM;

	for (size_t i = 0; k.log && i < w->f->n; i++)
		machine_log_fini(&k.log[i]);
	free(k.log);
	fleet_pictures_fini(&k.pictures);
	buf_fini(&k.notes);
	free(k.charts);
	return rc;
}
