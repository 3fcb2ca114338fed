/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer entry: any bytes are a log. The first byte says how the rest is cut into pieces; the
 * result must be that of the whole. Not part of the build; by hand, with the real logs as the seed
 * corpus:
 *   clang -g -O1 -std=gnu17 -D_GNU_SOURCE -fsanitize=fuzzer,address,undefined -Iinclude -Ibench
 * tests/fuzz/fuzz_scan.c \ bench/ncclog/scan.c bench/ncclog/link.c bench/ncclog/proof.c
 * bench/spec/transport.c -o fuzz_scan
 *   ./fuzz_scan -max_len=65536 -max_total_time=60 CORPUS tests/golden/nccl-logs
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ncclog/proof.h"
#include "ncclog/scan.h"
#include "spec/transport.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void feed(struct scan *s, const uint8_t *data, size_t size, size_t step)
{
	scan_init(s);
	for (size_t i = 0; i < size; i += step)
		scan_feed(s, (const char *)data + i, size - i < step ? size - i : step);
	scan_end(s);
}

static void must(int holds)
{
	if (!holds)
		abort();
}

static void compare(const struct scan *a, const struct scan *b)
{
	must(a->n_links == b->n_links && a->n_tunings == b->n_tunings && a->n_warns == b->n_warns &&
	     a->n_cut == b->n_cut);
	must(a->nranks == b->nranks && a->n_nodes == b->n_nodes && a->nvls == b->nvls &&
	     a->collnet == b->collnet);
	must(!a->n_links || memcmp(a->links, b->links, a->n_links * sizeof(*a->links)) == 0);
	must(strcmp(a->version, b->version) == 0 && strcmp(a->first_warn, b->first_warn) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct proof_need need = { .a = -1, .b = -1 };
	struct scan whole, parts;
	struct proof p;
	size_t step;

	if (size < 1)
		return 0;
	step = (size_t)data[0] + 1;
	feed(&whole, data + 1, size - 1, size);
	feed(&parts, data + 1, size - 1, step);
	compare(&whole, &parts);
	need.nranks = whole.nranks > 64 ? 64 : whole.nranks;
	for (int t = 0; t < TRANSPORT_COUNT; t++)
		proof_judge(whole.links, whole.n_links, &whole, t, &need, &p);
	scan_fini(&whole);
	scan_fini(&parts);
	return 0;
}
