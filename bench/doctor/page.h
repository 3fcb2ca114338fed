/* SPDX-License-Identifier: Apache-2.0 */
/* What doctor found: for a person, and for scripts. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "doctor/check.h"

/* `quiet`: verdicts of "ok" are only counted. */
void doctor_text(const struct doctor *d, const struct judgements *v, bool quiet, struct buf *out);
void doctor_json(const struct doctor *d, const struct judgements *v, int exit_code,
		 struct buf *out);
void doctor_matrix(const struct doctor *d, struct buf *out);
/* 1 when something is an error, else 0. */
int doctor_exit_code(const struct judgements *v);
