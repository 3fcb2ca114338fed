/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer entry: any bytes are a points.csv, or (first byte odd) a samples.csv beside a good
 * points.csv, or an expected.csv. What is accepted must be judged against itself without a fault.
 * Not part of the build; by hand:
 *   clang -g -O1 -std=gnu17 -D_GNU_SOURCE -fsanitize=fuzzer,address,undefined -Iinclude -Ibench
 * -Itests/unit/judge \ tests/fuzz/fuzz_csv.c bench/judge/[a-z]*.c bench/data/[a-z]*.c
 * bench/base/[a-z]*.c bench/spec/[a-z]*.c -ljansson -lm -o fuzz_csv
 *   ./fuzz_csv -max_len=65536 -max_total_time=60 CORPUS
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "judge/expect.h"
#include "judge/judge.h"
#include "rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
	if (!holds)
		abort();
}

/* A series against itself is never slower; a bare one of few restarts may be undecided. */
static void judge_itself(const struct pool *pool, const struct series *s)
{
	const struct series *base[] = { s };
	struct judge_options o;
	struct judgement j;

	judge_defaults(&o);
	must(judge_run(pool, base, 1, s, NULL, &o, &j) == 0);
	must(j.exit_code != 1 && j.exit_code != 2);
	judge_fini(&j);
}

static void as_points(const char *text, size_t n)
{
	struct pool pool = { 0 };
	struct series s;
	char why[300] = "";
	int rc = series_parse(&pool, text, n, NULL, 0, NULL, 0, &s, why, sizeof(why));

	if (rc == 0) {
		judge_itself(&pool, &s);
		series_fini(&s);
	} else {
		must(strncmp(why, "points.csv: ", 12) == 0 && why[12]);
	}
	pool_fini(&pool);
}

static void as_samples(const char *text, size_t n)
{
	struct pool pool = { 0 };
	struct text_run t;
	struct series s;
	char why[300] = "";

	run_start(&t, "b", "2.28");
	run_row(&t, "p2p", 8, 10);
	if (series_parse(&pool, t.points.data, t.points.len, text, n, NULL, 0, &s, why,
			 sizeof(why)) == 0) {
		judge_itself(&pool, &s);
		series_fini(&s);
	} else {
		must(strncmp(why, "samples.csv: ", 13) == 0 && why[13]);
	}
	run_fini(&t);
	pool_fini(&pool);
}

static void as_expectations(const char *text, size_t n)
{
	struct expectations e;
	char why[200];

	if (expect_parse(text, n, &e, why, sizeof(why)) == 0)
		expect_fini(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const readers[])(const char *, size_t) = { as_points, as_samples,
								 as_expectations };
	char *text;

	if (size < 1)
		return 0;
	text = malloc(size); /* its own block: reading past the end is seen */
	must(text != NULL);
	memcpy(text, data + 1, size - 1);
	readers[data[0] % (sizeof(readers) / sizeof(readers[0]))](text, size - 1);
	free(text);
	return 0;
}
