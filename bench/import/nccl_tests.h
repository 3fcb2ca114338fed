/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What nccl-tests says about itself, in text and in JSON alike: version, options, method. Private
 * to the room.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "import/line.h"

struct import_table;

#define NCCL_SETTINGS_MAX 24
#define NCCL_SETTING_LEN 64

/* Options of the tool that change what is measured; -1: not told. */
enum nccl_option {
	OPTION_WARMUP,
	OPTION_ITERS,
	OPTION_AGG,
	OPTION_GRAPH,
	OPTION_AVERAGE,
	OPTION_BLOCKING,
	OPTION_CPUTIME,
	OPTION_REGISTER,
	OPTION_DEVICE_API,
	OPTION_UNALIGN,
	OPTION_PER_ITER,
	OPTION_COUNT,
};

struct nccl_about {
	char op[64];
	const char *op_from; /* static, or NULL */
	char version[24], nccl_version[24];
	long option[OPTION_COUNT];
	bool starting;   /* 2.16.7 and later say "Collective test starting" */
	bool configured; /* the line of options was seen */
	bool old_error;  /* the layout before 2.13 */
	char heading[64];
	char setting[NCCL_SETTINGS_MAX][NCCL_SETTING_LEN]; /* sorted */
	size_t n_settings;
};

/* "NCCL_P2P_DISABLE=1": steers what is measured; what only prints is left out. */
void nccl_about_setting(struct nccl_about *a, struct piece name, struct piece value);

void nccl_about_init(struct nccl_about *a);
/* A word that names the program: ".../all_reduce_perf". False: it does not. */
bool nccl_about_program(struct nccl_about *a, struct piece word, const char *from);
/* Words after the program's. */
void nccl_about_arguments(struct nccl_about *a, const struct piece *words, size_t n);
/* 22803 -> "2.28.3", 2408 -> "2.4.8". */
void nccl_version_text(long code, char *out, size_t max);
/* Fills version, library, op, timing, method, ops_per_batch of a table. */
void nccl_about_table(const struct nccl_about *a, struct import_table *t);
