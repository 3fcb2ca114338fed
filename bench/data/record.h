/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One point's result and the TABLE of CSV columns that describes it (points.csv and samples.csv).
 * The derived columns (algbw, busbw) are computed when written, in one place.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

#define RECORD_SCHEMA 2     /* 2: arm */
#define RECORD_RUN_SCHEMA 1 /* of run.json */
#define RECORD_TEXT 64
#define RECORD_DETAIL 512

struct record { /* every text is NUL-terminated; an absent number is NaN, absent text "" */
	/* key */
	char backend[16], transport[24], variant[16], op[24], dtype[16], redop[8];
	int in_place, root, ranks;
	char map[RECORD_TEXT]; /* "0:gpu0 1:gpu1", "" default */
	char pair[16];         /* "0-1" for OP_PAIR operations, "" else */
	char algo_req[24], proto_req[24], load[24];
	uint64_t bytes;
	char timing[16];
	/* metrics and status */
	char
	    used[RECORD_TEXT]; /* "P2P/CUMEM", "SHM/direct", "NET/Socket", "cma (control: posix)" */
	char proof[8];         /* yes no unknown */
	char outcome[16], phase[12];
	char detail[RECORD_DETAIL];
	double time_us, ci_lo_us, ci_hi_us, p5_us, p95_us, p99_us, min_us, max_us;
	double algbw_gbps, busbw_gbps, peak_pct;
	char algo[24], proto[24];
	double channels, wrong; /* NaN when not known */
	double ops_per_batch, samples, restarts;
	char stop[16];         /* precision | budget */
	char arm[RECORD_TEXT]; /* key: "" unless the run compares environments */
	double load_slowdown;  /* NaN without a load */
};

struct sample { /* samples.csv: the key of its record plus these */
	int restart, batch;
	double ops_per_batch, max_us, mean_us, min_us;
	int slowest_rank;
	char flags[RECORD_TEXT];
};

enum column_type { COLUMN_TEXT, COLUMN_INT, COLUMN_U64, COLUMN_DOUBLE };
enum column_role { COLUMN_KEY, COLUMN_METRIC, COLUMN_STATUS };

struct column {
	const char *name;
	int type;
	size_t offset, size; /* in struct record; size: bytes of a text member */
	int role;
	int since;        /* schema version */
	const char *unit; /* "us" "GB/s" "bytes" "%" "" */
	const char *help;
};

extern const struct column record_columns[];
extern const size_t record_n_columns;
extern const struct column sample_columns[]; /* offsets in struct sample; role METRIC */
extern const size_t sample_n_columns;

void record_init(struct record *r); /* absent everything */
void record_set(char *member, size_t size,
		const char *text);    /* bounded copy, control bytes become spaces */
void record_derive(struct record *r); /* algbw, busbw from bytes, time, op, ranks */
struct buf;
void record_header(struct buf *b, int samples); /* comment line with the schema, then names */
void record_write(struct buf *b, const struct record *r); /* one CSV line */
void sample_write(struct buf *b, const struct record *key, const struct sample *s);
/* Reads a points.csv held in memory: unknown columns are ignored, missing ones stay absent. 0;
 * -EBADMSG with `why` naming line and column. */
int record_read_all(const char *data, size_t len, struct record **rows, size_t *n, char *why,
		    size_t why_max) ATTR_MUST;

/* Row by row, in file order, nothing kept: for files of any length, and for samples.csv. */
struct record_stream {
	/* `s` is NULL for points.csv; `r` holds only the key for samples.csv. Non-zero ends reading
	 * and is returned. */
	int (*row)(void *arg, const struct record *r, const struct sample *s, size_t line);
	void *arg;
	/* Columns that must be there, ends with NULL; then a newer schema is refused too. NULL:
	 * takes what it knows. */
	const char *const *required;
	int samples;      /* 1: a samples.csv */
	size_t max_rows;  /* 0: any number */
	int may_be_empty; /* no row after the header is no fault */
	int known_only;   /* a newer schema is refused: its rows may have keys that this one has not
			   */
};
/* As record_read_all. */
int record_read_stream(const char *data, size_t len, const struct record_stream *to, char *why,
		       size_t why_max) ATTR_MUST;
/*
 * As record_read_all, of a points.csv as a run may have left it: a last line without its newline
 * that is no whole row (power was lost while it was written) is left out and `note` names it, no
 * row at all is no fault, and an outcome must be one of outcome_table's. A newer schema is refused.
 * Of rows with one key, which no run writes, the first stays and `note` names the others. `note` is
 * "" when all is there.
 */
int record_read_run(const char *data, size_t len, struct record **rows, size_t *n, char *note,
		    size_t note_max, char *why, size_t why_max) ATTR_MUST;
int record_same_key(const struct record *a, const struct record *b);

/* The key columns, in the order of the table. */
enum record_key {
	RECORD_BACKEND,
	RECORD_TRANSPORT,
	RECORD_VARIANT,
	RECORD_OP,
	RECORD_DTYPE,
	RECORD_REDOP,
	RECORD_IN_PLACE,
	RECORD_ROOT,
	RECORD_RANKS,
	RECORD_MAP,
	RECORD_PAIR,
	RECORD_ALGO_REQ,
	RECORD_PROTO_REQ,
	RECORD_LOAD,
	RECORD_BYTES,
	RECORD_TIMING,
	RECORD_ARM,
	RECORD_KEYS
};
#define RECORD_BIT(key) (1u << (key))
/* Order by the key columns, in the order of the table, without those of `ignored` (RECORD_BITs); 0:
 * all others are equal. */
int record_compare(const struct record *a, const struct record *b, unsigned ignored);
const struct column *record_key_column(enum record_key key);
/* "" when absent. */
void record_key_text(const struct record *r, enum record_key key, char *out, size_t max);
