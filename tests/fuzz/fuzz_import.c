/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */
/*
 * libFuzzer entry: the first byte chooses the reader, the rest is a file of it; what was read must
 * be writable. Not part of the build; by hand, with tests/golden/import as the seed corpus (a byte
 * in front of each):
 *   clang -g -O1 -std=gnu17 -D_GNU_SOURCE -DNCCLBENCH_VERSION='""' -Iinclude -Ibench \
 *     -fsanitize=fuzzer,address,undefined tests/fuzz/fuzz_import.c bench/import/[a-z]*.c \
 *     bench/data/record.c bench/data/columns.c bench/data/csv.c bench/data/stats.c \
 *     bench/data/store.c bench/ncclog/[a-z]*.c bench/spec/[a-z]*.c bench/base/[a-z]*.c \
 *     -ljansson -lm -o fuzz_import
 *   ./fuzz_import -max_len=65536 -max_total_time=60 CORPUS
 */
/* clang-format on */
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "import/format.h"
#include "import/result.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct import_request r = { .format = NULL };
	struct imported im = { 0 };
	struct buf text = { 0 };

	if (size < 1)
		return 0;
	if (data[0] % (import_n_formats + 1) < import_n_formats)
		r.format = import_formats[data[0] % (import_n_formats + 1)].name;
	if (import_read(&im, &r, "all_reduce.txt", (const char *)data + 1, size - 1) == 0) {
		import_tables_text(&im, &text);
		free(import_tables_json(&im, "run"));
		free(import_run_json(&im, "import"));
	}
	buf_fini(&text);
	imported_fini(&im);
	return 0;
}
