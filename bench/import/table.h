/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a reader of another tool's output fills in: tables of rows, each with an out-of-place and an
 * in-place half. Numbers as printed, with the precision they were printed with; nothing is judged
 * here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/buf.h"

#define IMPORT_ROWS_MAX (1u << 18) /* of one import: more is refused */
#define IMPORT_TABLES_MAX 4096u
#define IMPORT_TEXT 64

struct import_number {
	double v;    /* NaN: absent, N/A or nan; may be infinite */
	double half; /* half a unit in the last printed place: what rounding may have changed */
};

struct import_half {
	bool present;
	bool no_time; /* a time column that is not the time of the operation (nccl-tests -C) */
	struct import_number time, algbw, busbw; /* us, GB/s */
	double wrong, max_error;                 /* NaN: not told */
	double min_us, max_us, p95_us, p99_us;
	/* by check.c */
	bool contradicts, corrupt;
	char said[96];                          /* how it contradicts itself */
	double time_us, algbw_gbps, busbw_gbps; /* recomputed; NaN when nothing can be said */
};

struct import_row {
	uint64_t bytes, count;
	char dtype[16], redop[16];
	int root; /* -1 none */
	char pair[16], variant[16];
	size_t line;                /* in the file, from 1; 0 unknown */
	struct import_half half[2]; /* out of place, in place */
};

struct import_device {
	int rank, group, device;
	char host[IMPORT_TEXT], name[IMPORT_TEXT];
};

struct import_table {
	const char *tool;             /* "nccl-tests" ..., static */
	char version[24];             /* of the tool; "" unknown */
	char nccl_version[24];        /* NCCL's version; "" unknown */
	char op[IMPORT_TEXT];         /* as the tool names it: "all_reduce" */
	const char *op_from;          /* what told the operation, static; NULL: nothing did */
	const char *backend, *timing; /* words of points.csv, static */
	char method[160];             /* id: what else must be equal before figures are compared */
	char transport[24];           /* "auto" unless the file or the user says more */
	char settings[256];           /* NCCL_ variables the file shows, sorted: "NCCL_P2P_DISABLE=1
					 NCCL_SHM_DISABLE=1" */
	char heading[IMPORT_TEXT];    /* a line such as "##### p2p" in front of it */
	char unit[8];                 /* of the first column of figures, as printed */
	double unit_us;               /* what one of it is, in us */
	bool unit_guessed, in_place, latency; /* latency: the tool's figure is a time alone */
	bool bytes_assumed;
	int ranks; /* 0 unknown */
	bool ranks_inferred;
	double avg_busbw;                 /* as printed; NaN absent */
	double out_of_bounds;             /* as printed; NaN absent */
	bool failed;                      /* the tool stopped in it with an error */
	bool out_of_bounds_failed, ended; /* ended: its footer is there */
	double ops_per_batch;             /* NaN unknown */
	char used[64], proof[8];          /* by the library's log, if it stands in the file */
	struct import_device *devices;
	size_t n_devices;
	struct import_row *rows;
	size_t n_rows, cap_rows;
	size_t n_empty, n_cut,
	    n_na; /* dropped: size 0; rows that stop in the middle; figures N/A */
	size_t n_errors, n_contradict;
	size_t line; /* of its header */
	size_t file; /* index */
};

struct import_file {
	char *name;
	const char *format; /* of the format table; NULL: none fits */
	size_t n_tables;
};

struct imported {
	struct import_file *files;
	size_t n_files;
	struct import_table *tables;
	size_t n_tables, cap_tables;
	size_t n_rows;
	struct buf notes;       /* a line each: what a reader has to know */
	struct buf failures;    /* a line each: errors the tools printed */
	struct buf environment; /* NAME=value lines, only what may be recorded */
	bool failed;            /* out of memory or too much: the result is incomplete */
};

void imported_fini(struct imported *im);
/* The current file (the last of files) gets it. NULL: failed is set. Valid until the next call. */
struct import_table *imported_table(struct imported *im);
struct import_row *imported_row(struct imported *im, struct import_table *t);
int imported_file(struct imported *im, const char *name) ATTR_MUST; /* -ENOMEM */
const char *imported_name(const struct imported *im);               /* of the current file */
void imported_note(struct imported *im, const char *fmt, ...) ATTR_PRINTF(2, 3);
void imported_failure(struct imported *im, const char *text, size_t len);
/* Adds "NAME=value" when the name may be recorded. */
void imported_environment(struct imported *im, const char *pair, size_t len);
/* -ENOMEM. The list starts as NULL and 0, grows by this only and is freed with free(). */
int import_append_device(struct import_device **list, size_t *n,
			 const struct import_device *d) ATTR_MUST;

/* A printed number with its precision; N/A, nan: NaN; inf stays. False: not a number at all. */
bool import_number(const char *text, size_t len, struct import_number *out);
void import_half_init(struct import_half *h);
/* Bounded copy of a piece of a line: control bytes and what is not ASCII become '?'. */
void import_copy(char *out, size_t max, const char *text, size_t len);
