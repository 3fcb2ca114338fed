/* SPDX-License-Identifier: Apache-2.0 */
/* What health says: lines for a person, one object for scripts. Rank 0 only. */
#pragma once

#include "base/buf.h"

struct campaign;
struct finish;
struct health;
struct launch;

struct health_verdict {
	int exit_code;
	struct buf text;   /* "healthy: ..." or "NOT healthy: ..." */
	struct buf behind; /* which ranks failed and which only waited; "" when there is no such
			      difference */
	char used[64], proof[8];
};

void health_judge(const struct health *h, const struct campaign *k, const struct finish *f,
		  struct health_verdict *v);
void health_page_text(const struct health *h, const struct campaign *k, const struct finish *f,
		      const struct health_verdict *v, struct buf *out);
/* Heap text or NULL. */
char *health_page_json(const struct health *h, const struct campaign *k, const struct finish *f,
		       const struct health_verdict *v);
