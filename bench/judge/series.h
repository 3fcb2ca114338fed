/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One measured series: the points of a run with the logarithm of each restart's median time, sorted
 * by key. Reads a run directory (points.csv, samples.csv, run.json) or a bare points.csv. Judges
 * nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "data/record.h"
#include "judge/facts.h"

struct pool;

#define SERIES_RESTARTS_MAX 4096

struct point {          /* words are numbers of the pool */
	uint32_t group; /* every key column but bytes */
	uint32_t used, algo, proto, detail;
	uint64_t bytes;
	int outcome;                   /* enum outcome_id */
	float channels, ops_per_batch; /* NaN unknown */
	float peak_pct; /* as the row says: of algbw where the network reduces (NVLS), else of busbw
			 */
	double log_time; /* of the row; with its interval; NaN without a time */
	double log_lo, log_hi;
	double restarts, samples; /* as the row says; NaN unknown */
	size_t line;
	/* Restarts: logarithm of the median batch, ascending in the restart's number. */
	double *m;
	uint16_t *r;
	size_t n_m;
};

struct series {
	char *path; /* as the user named it */
	struct point *points;
	size_t n;
	double *m; /* storage of all points' m and r */
	uint16_t *r;
	bool bare;                /* no samples.csv: rows have medians and intervals only */
	size_t n_lost, lost_line; /* batches of points without a row, and where the first is */
	struct run_facts facts;
};

void series_fini(struct series *s);
/* `path`: a run directory or a file. 0; -EBADMSG, -ENOENT ...: `why` says file, line and reason. */
int series_read(struct pool *pool, const char *path, struct series *out, char *why,
		size_t why_max) ATTR_MUST;
/* The same from memory: `samples` and `json` may be NULL. `why` starts with the name of the file.
 */
int series_parse(struct pool *pool, const char *points, size_t points_len, const char *samples,
		 size_t samples_len, const char *json, size_t json_len, struct series *out,
		 char *why, size_t why_max) ATTR_MUST;

/* The key columns but bytes, in the order of points.csv, joined by SERIES_SEPARATOR. */
#define SERIES_SEPARATOR '\x1f'
#define SERIES_KEY_MAX 512
void series_group_text(const struct record *key, char *out, size_t max);
/* The field of a group's text: "" when there is none of that name. */
void series_group_field(const char *group, const char *column, char *out, size_t max);
/* The group's text with another value in that field. */
void series_group_with(const char *group, const char *column, const char *value, char *out,
		       size_t max);
int series_order(const struct point *a, const struct point *b); /* by key: <0, 0, >0 */
