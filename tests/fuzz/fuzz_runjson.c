/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer entry: any bytes are a run.json. What is accepted has every text bounded and printable.
 * Not part of the build; by hand:
 *   clang -g -O1 -std=gnu17 -D_GNU_SOURCE -fsanitize=fuzzer,address,undefined -Iinclude -Ibench
 * tests/fuzz/fuzz_runjson.c \ bench/judge/facts.c -ljansson -o fuzz_runjson
 *   ./fuzz_runjson -max_len=65536 -max_total_time=60 CORPUS results/sample
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "judge/facts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must_be_text(const char *s, size_t max)
{
	size_t n = strnlen(s, max);

	if (n == max)
		abort();
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] < 0x20 || s[i] == 0x7f)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct run_facts f = { 0 };
	char why[100] = "", *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	if (facts_parse(text, size, &f, why, sizeof(why)) != 0)
		must_be_text(why, sizeof(why));
	for (int i = 0; i < FACT_COUNT; i++)
		must_be_text(f.value[i], sizeof(f.value[i]));
	must_be_text(f.boot, sizeof(f.boot));
	must_be_text(f.started, sizeof(f.started));
	free(text);
	return 0;
}
