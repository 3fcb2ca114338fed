/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of a fleet as a document: TABLE of its sections. Writes into a sheet, whatever its
 * form is; reads no file, draws nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct fleet;
struct fleet_compare;
struct fleet_pictures;
struct machine_log;
struct sheet;

struct fleet_page {
	const struct fleet *f;
	const struct fleet_compare *c;
	const struct fleet_pictures *pictures; /* NULL: not drawn */
	const char *picture_notes;             /* why not, or what failed; may be NULL */
	const struct machine_log *log;         /* one a machine; NULL: logs were not read */
	const char *charts; /* folder of the pictures beside the document, "charts"; NULL none */
};

struct fleet_section {
	const char *id, *title;
	const char *charts[4];                      /* ids of fleet_charts, shown at its end */
	size_t machines_least;                      /* left out with fewer */
	bool (*wanted)(const struct fleet_page *p); /* left out when false; NULL: always there */
	void (*write)(struct sheet *s, const struct fleet_page *p);
};

extern const struct fleet_section fleet_sections[];
extern const size_t fleet_sections_n;

void fleet_page_write(struct sheet *s, const struct fleet_page *p);
/* Only what a terminal has room for: the sentences and the comparison. */
void fleet_page_summary(struct sheet *s, const struct fleet_page *p);
/* "report_bandwidth_all_reduce": name of a picture's file without its ending. */
void fleet_page_picture_name(const char *id, const char *op, char *out, size_t max);

/* The writers, by file. */
void fleet_write_answer(struct sheet *s, const struct fleet_page *p);     /* fleet_answer.c */
void fleet_write_comparison(struct sheet *s, const struct fleet_page *p); /* fleet_tables.c */
void fleet_write_ratio(struct sheet *s, const struct fleet_page *p);
void fleet_write_bandwidth(struct sheet *s, const struct fleet_page *p);
void fleet_write_latency(struct sheet *s, const struct fleet_page *p);
void fleet_write_scaling(struct sheet *s, const struct fleet_page *p); /* fleet_scaling.c */
bool fleet_has_scaling(const struct fleet_page *p);
void fleet_write_overlap(struct sheet *s, const struct fleet_page *p); /* fleet_overlap.c */
bool fleet_has_overlap(const struct fleet_page *p);
void fleet_write_ceilings(struct sheet *s, const struct fleet_page *p);
void fleet_write_communicator(struct sheet *s, const struct fleet_page *p);
void fleet_write_topology(struct sheet *s, const struct fleet_page *p);
void fleet_write_outcomes(struct sheet *s, const struct fleet_page *p); /* fleet_about.c */
void fleet_write_findings(struct sheet *s, const struct fleet_page *p);
void fleet_write_environment(struct sheet *s, const struct fleet_page *p);
void fleet_write_measured(struct sheet *s, const struct fleet_page *p);
void fleet_write_assumed(struct sheet *s, const struct fleet_page *p);
