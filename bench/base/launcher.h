/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This process's place in a parallel job, as the variables of its launcher tell it before MPI_Init
 * could. Not MPI: the size is what the launcher says, and MPI may see something else.
 */
#pragma once

#include <stdbool.h>

struct launcher {
	int rank; /* 0 without a launcher */
	int size; /* 1 without one, and where it does not say */
};

/* false: no launcher started this process. A rank that is no number is no rank. */
bool launcher_find(struct launcher *out);
