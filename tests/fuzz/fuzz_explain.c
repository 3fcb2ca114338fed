/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer entry: any bytes are a log. The first byte says how the rest is cut into pieces; pages
 * must be those of the whole, and hold no control bytes. Not part of the build; by hand:
 *   clang -g -O1 -std=gnu17 -D_GNU_SOURCE -fsanitize=fuzzer,address,undefined -Iinclude -Ibench \
 *     tests/fuzz/fuzz_explain.c bench/explain/[a-z]*.c bench/ncclog/[a-z]*.c bench/spec/transport.c
 * \ bench/base/buf.c bench/base/num.c -lm -o fuzz_explain
 *   ./fuzz_explain -max_len=65536 -max_total_time=60 CORPUS tests/golden/explain
 * tests/golden/nccl-logs
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "explain/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
	if (!holds)
		abort();
}

static void read_log(const uint8_t *data, size_t size, size_t step, struct buf *text,
		     struct buf *json)
{
	struct findings fs;
	struct facts f;

	must(facts_init(&f) == 0);
	must(facts_begin(&f, "log") == 0);
	for (size_t i = 0; i < size; i += step)
		facts_feed(&f, (const char *)data + i, size - i < step ? size - i : step);
	facts_end(&f);
	facts_finish(&f);
	findings_judge(&f, &fs);
	page_text(&f, &fs, text);
	page_json(&f, &fs, 0, json);
	findings_fini(&fs);
	facts_fini(&f);
}

static void no_control_bytes(const struct buf *b)
{
	for (size_t i = 0; i < b->len; i++)
		must(((unsigned char)b->data[i] >= 0x20 && b->data[i] != 0x7f) ||
		     b->data[i] == '\n');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf text = { 0 }, json = { 0 }, text2 = { 0 }, json2 = { 0 };

	if (size < 2)
		return 0;
	read_log(data + 1, size - 1, size, &text, &json);
	read_log(data + 1, size - 1, (size_t)data[0] + 1, &text2, &json2);
	must(strcmp(buf_text(&text), buf_text(&text2)) == 0 &&
	     strcmp(buf_text(&json), buf_text(&json2)) == 0);
	no_control_bytes(&text);
	no_control_bytes(&json);
	buf_fini(&text);
	buf_fini(&json);
	buf_fini(&text2);
	buf_fini(&json2);
	return 0;
}
