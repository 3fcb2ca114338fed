/* SPDX-License-Identifier: Apache-2.0 */
/* See pair_form.h. */
#include "report/pair_form.h"

#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "data/record.h"
#include "report/text.h"

bool pair_form_same(const struct record *a, const struct record *b)
{
	return record_compare(a, b,
			      RECORD_BIT(RECORD_PAIR) | RECORD_BIT(RECORD_BYTES) |
				  RECORD_BIT(RECORD_TIMING)) == 0;
}

/* A file may say anything: what comes from it is cleaned. */
static void add(const char *before, const char *word, char *out, size_t max)
{
	char clean[RECORD_TEXT + 1];
	size_t n = strlen(out);

	if (!word[0])
		return;
	text_clean(word, clean, sizeof(clean));
	snprintf(out + n, max - n, ", %s%s", before, clean);
}

static const char *unless(const char *word, const char *usual)
{
	return strcmp(word, usual) == 0 ? "" : word;
}

void pair_form_words(const struct record *r, char *out, size_t max)
{
	out[0] = '\0';
	add("", unless(r->variant, "plain"), out, max);
	add("", unless(r->dtype, "float"), out, max);
	add("", r->in_place == 1 ? "in place" : "", out, max);
	add("", r->algo_req, out, max);
	add("", r->proto_req, out, max);
	add("beside ", r->load, out, max);
	add("arm ", r->arm, out, max);
}
