/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */
/*
 * libFuzzer entry: any bytes are a verdict of the gate, as sweep --confirm reads it. What is
 * refused has its reason as text; what is accepted reads the same from its extract, and becomes a
 * plan of its suspects alone or is refused with a reason. To search, after a build of the rooms
 * with CC=clang meson setup build-fuzz -Dc_args=-fsanitize=fuzzer-no-link -Dcuda=disabled \
 *     -Dmpi=none -Db_sanitize=address,undefined -Db_lundef=false && ninja -C build-fuzz
 *   clang -g -O1 -std=gnu17 -D_GNU_SOURCE -Iinclude -Ibench -fsanitize=fuzzer,address,undefined \
 *     tests/fuzz/fuzz_verdict.c -Wl,--start-group $(find build-fuzz/bench -name "*.a") \
 *     -Wl,--end-group -lhwloc -ljansson -lm -o fuzz_verdict
 *   ./fuzz_verdict -max_len=16384 -max_total_time=60 CORPUS tests/fuzz/corpus/verdict
 */
/* clang-format on */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "run/confirm.h"
#include "spec/plan.h"

#define PLANNED_MOST 64 /* suspects: a plan is their product before it is cut */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
	if (!holds)
		abort();
}

static void must_say(const char *why, size_t max)
{
	size_t n = strnlen(why, max);

	must(n > 0 && n < max);
	for (size_t i = 0; i < n; i++)
		must((unsigned char)why[i] >= 0x20 && why[i] != 0x7f);
}

/* The other ranks get the extract: they must come to the same plan. */
static void reads_the_same(const struct confirm *c, const char *json, size_t len)
{
	char *part = confirm_extract(json, len), why[400] = "";
	struct confirm again = { 0 };

	must(part != NULL);
	must(confirm_parse(part, strlen(part), &again, why, sizeof(why)) == 0);
	must(again.n == c->n && again.backend == c->backend && again.ranks == c->ranks);
	must(again.profile == c->profile && again.restarts == c->restarts);
	for (size_t i = 0; i < c->n; i++)
		must(record_same_key(&again.suspects[i], &c->suspects[i]));
	confirm_fini(&again);
	free(part);
}

static void becomes_a_plan(const struct confirm *c)
{
	struct plan_request q = { .backend = c->backend, .nranks = 3, .b = 1 };
	struct plan p = { 0 };
	uint64_t *sizes = NULL;
	char why[400] = "";
	int rc = confirm_request(c, &q, &sizes, why, sizeof(why));

	if (rc == 0)
		rc = plan_build(&q, &p, why, sizeof(why));
	if (rc == 0)
		rc = confirm_plan(c, "", &p, why, sizeof(why));
	must(rc == 0 || rc == -EINVAL);
	if (rc == 0)
		must(p.n_points == c->n);
	else
		must_say(why, sizeof(why));
	plan_fini(&p);
	free(sizes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct confirm c = { 0 };
	char why[400] = "", *text = malloc(size ? size : 1); /* its own block */
	int rc;

	must(text != NULL);
	memcpy(text, data, size);
	rc = confirm_parse(text, size, &c, why, sizeof(why));
	if (rc == 0) {
		reads_the_same(&c, text, size);
		if (c.n && c.n <= PLANNED_MOST)
			becomes_a_plan(&c);
	} else {
		must(rc == -EBADMSG && !c.suspects);
		must_say(why, sizeof(why));
	}
	confirm_fini(&c);
	free(text);
	return 0;
}
