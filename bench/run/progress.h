/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What rank 0 shows while a sweep runs: one line that is redrawn on a terminal, a plain line every
 * now and then elsewhere. Open MPI gives ranks a pty even when the user writes to a file, so a
 * terminal counts only when it has a width.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	bool terminal;
	int width;
	int64_t start_ns, next_ns;
	bool drawn;
	const char *unit; /* of done and total: points */
};

bool progress_is_terminal(int fd, int *width);
void progress_init(struct progress *p, bool json);
/* What is being measured, and how far: done of total points. */
void progress_show(struct progress *p, const char *what, size_t done, size_t total);
void progress_clear(struct progress *p);
