/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a training step costs over each measured transport: messages of a model under a scheme of
 * parallelism, their time from the measured curves by log-log interpolation (never a fitted line),
 * and bounds for how much of it hides behind computing. The model and its limits: docs/estimate.md.
 * Reads no files.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

struct buf;
struct record;

/* ---- the model of training ---- */

struct estimate_model {
	char name[32];
	double parameters, layers, hidden, sequence;
	double value_bytes;    /* of a weight or an activation that travels */
	double gradient_bytes; /* of a gradient that DDP reduces */
	const char *source;
};

extern const struct estimate_model estimate_models[];
extern const size_t estimate_n_models;

int estimate_model_find(const char *name); /* -1 */
/* {"name", "parameters", "layers", "hidden", "sequence", "value_bytes", "gradient_bytes"}; the last
 * three may be absent. 0 or -EBADMSG with a line in `why`. */
int estimate_model_parse(const char *json, size_t len, struct estimate_model *out, char *why,
			 size_t why_max) ATTR_MUST;

enum estimate_phase { STEP_FORWARD, STEP_BACKWARD, STEP_CRITICAL, STEP_PHASES };
extern const char *const estimate_phase_names[STEP_PHASES];

#define ESTIMATE_MESSAGES_MAX 8

struct estimate_message {    /* equal operations of a micro-batch, or of a step when `once` */
	const char *what;    /* "gradient bucket" */
	const char *op;      /* spec/op.h */
	double count, bytes; /* bytes: as in points.csv */
	enum estimate_phase phase;
	double tail; /* of them, how many nothing can hide */
	bool once;   /* per step, whatever the number of micro-batches */
};

struct estimate_scheme {
	const char *name, *help;
	/* Fills messages; returns how many. `gpus` >= 2. */
	size_t (*messages)(const struct estimate_model *m, int gpus, double tokens,
			   struct estimate_message *out);
	bool splits_compute; /* the GPUs share one replica's computing */
};

extern const struct estimate_scheme estimate_schemes[];
extern const size_t estimate_n_schemes;
int estimate_scheme_find(const char *name); /* -1 */

/* Dense 16-bit TFLOP/s by data sheet, by a word of the GPU's name; NaN unknown. `source`, may be
 * NULL: which row. */
double estimate_datasheet_tflops(const char *gpu, const char **source);

struct estimate_request {
	const struct estimate_model *model;
	const struct estimate_scheme *scheme;
	int gpus;
	double tokens;  /* per GPU and micro-batch; tp: per group */
	int accumulate; /* micro-batches per step, >= 1 */
	double flops;   /* per GPU and second that computing really reaches: TFLOP/s x mfu x 1e12 */
	double compute_seconds;        /* of a micro-batch, given instead; NaN */
	double overlap_lo, overlap_hi; /* fraction of the communication that can hide, which does */
};

/* ---- measured curves ---- */

struct curve_point {
	double log_bytes, log_us;
};

struct estimate_curve {
	struct curve_point *p; /* ascending, strictly */
	size_t n;
	int ranks;
};

enum { CURVE_MEASURED, CURVE_BELOW = 1, CURVE_ABOVE = 2 };

void estimate_curve_fini(struct estimate_curve *c);
/* Rows with outcome ok of one operation, transport and timing; of the number of ranks that is
 * wanted (0: any), if it has at least half the points of the one that has most, else of that. 0
 * also when there are none; -ENOMEM. */
int estimate_curve_build(const struct record *rows, size_t n, const char *backend,
			 const char *transport, const char *op, const char *timing, int ranks,
			 struct estimate_curve *out) ATTR_MUST;
/* Time in us; *outside: CURVE_*. Below the smallest size its time, above the largest its bandwidth.
 */
double estimate_curve_us(const struct estimate_curve *c, double bytes, int *outside);
/* Relative error of each inner point, from 1 MiB on where there are such, from its neighbours. NaN
 * for fewer than 3 points. */
void estimate_curve_leave_one_out(const struct estimate_curve *c, double *rms, double *max);

/* ---- the result for one transport ---- */

struct estimate_cost { /* of one message */
	double us;
	int outside;
	bool half_of_all_reduce; /* the run has no curve of the operation */
	bool other_ranks;        /* measured with another number of ranks: taken over at equal bus
				    bandwidth */
	bool missing;
};

struct estimate_row {
	const char *run, *backend, *transport, *label, *timing;
	int ranks; /* of the curve */
	bool loopback;
	size_t n;
	struct estimate_cost cost[ESTIMATE_MESSAGES_MAX];
	double seconds[STEP_PHASES]; /* communication of a step */
	double tail, small;       /* seconds: what nothing hides; what the same number of smallest
				     messages would take */
	double compute;           /* seconds of a step */
	double lo, hi;            /* step: most and least hidden */
	double break_even_tokens; /* NaN where nothing hides */
	double rms;               /* leave-one-out error of the all_reduce curve */
	bool complete, extrapolated, assumed, other_ranks;
};

/* Fills all but run and label. 0; -ENOMEM. `complete` false: a curve is missing and no figure is
 * given. */
int estimate_row_compute(const struct estimate_request *q, const struct record *rows, size_t n,
			 const char *backend, const char *transport,
			 struct estimate_row *out) ATTR_MUST;
double estimate_compute_seconds(const struct estimate_request *q); /* of one micro-batch */
/* "the volume of all_reduce", "the number of operations", "computing". */
const char *estimate_dominates(const struct estimate_row *r, const struct estimate_message *m);

/* Against the fastest complete row that is not loopback (NULL: none). */
const struct estimate_row *estimate_best(const struct estimate_row *rows, size_t n);
void estimate_text(struct buf *out, const struct estimate_request *q,
		   const struct estimate_row *rows, size_t n);
/* Heap text or NULL. */
char *estimate_json(const struct estimate_request *q, const struct estimate_row *rows,
		    size_t n) ATTR_MUST;
