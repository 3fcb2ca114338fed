/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer entry: NAME=value, then a newline and the version. Whatever is said must end and be
 * text.
 *   clang -g -O1 -std=gnu17 -D_GNU_SOURCE -fsanitize=fuzzer,address,undefined -Iinclude -Ibench \
 *     tests/fuzz/fuzz_lint.c bench/explain/variable.c bench/explain/variable_table.c \
 *     bench/base/num.c bench/base/buf.c -lm -o fuzz_lint
 *   ./fuzz_lint -max_len=512 -max_total_time=60 CORPUS
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "explain/variable.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *get(const void *arg, const char *name)
{
	const char *const *pair = arg;

	return strcmp(name, pair[0]) == 0 ? pair[1] : strlen(name) % 3 ? "1" : NULL;
}

static void check(const struct variable_note *note)
{
	if (!memchr(note->text, '\0', sizeof(note->text)) ||
	    !memchr(note->remedy, '\0', sizeof(note->remedy)) || !note->text[0] ||
	    (int)note->rule < 0 || note->rule >= RULE_COUNT)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *value, *version;
	struct variable_note note;
	const char *pair[2];
	size_t row = 0;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	version = strchr(text, '\n');
	if (version)
		*version++ = '\0';
	value = strchr(text, '=');
	if (value)
		*value++ = '\0';
	for (int logged = 0; logged < 2; logged++)
		if (variable_lint(text, value, variable_version(version ? version : ""), logged,
				  &note))
			check(&note);
	variable_explain_token(text, value ? value : "", &note);
	check(&note);
	pair[0] = text;
	pair[1] = value ? value : "";
	while (variable_lint_together(get, pair, &row, &note))
		check(&note);
	free(text);
	return 0;
}
