/* SPDX-License-Identifier: Apache-2.0 */
/* What was found, for a person with five minutes (text) and for scripts (JSON). Text of logs stays
 * text: control bytes and broken UTF-8 are shown as \xNN. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/buf.h"
#include "explain/facts.h"
#include "explain/findings.h"

struct page_row { /* an ordered pair and the way it was connected */
	int from, to;
	char cls[24], variant[32];
	uint64_t send[2][4], recv[2][4]; /* [0] collectives or not said, [1] send/recv */
	uint64_t devices;                /* bits, of networks */
	int channels;
};

/* Rows of one communicator, or with comm < 0 of all of the largest size. 0 or -ENOMEM; free(*rows).
 */
int page_rows(const struct facts *f, int comm, struct page_row **rows, size_t *n) ATTR_MUST;
void page_clean(struct buf *b, const char *text); /* adds `text` with control bytes shown */

void page_text(const struct facts *f, const struct findings *fs, struct buf *out);
void page_json(const struct facts *f, const struct findings *fs, int exit_code, struct buf *out);
void page_rules_markdown(struct buf *out); /* the table of causes in docs/explain.md */
