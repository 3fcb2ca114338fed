/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile files: the golden ones with bytes changed, lines doubled, pieces cut out. Only that
 * nothing crashes and all that was read can be written. The seeds are fixed: a failure comes back.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "import/format.h"
#include "import/result.h"

enum { ROUNDS = 60, FILE_BYTES_MAX = 1 << 20 };

static const char *folder;

static const char *const names[] = {
	"v1.0-all_reduce.txt",    "v2.0-broadcast.txt", "v2.19-per-iteration-timestamps.txt",
	"log-in-the-middle.txt",  "v2.17-json1.json",   "v2.19-json2.json",
	"nvbandwidth.txt",        "nvbandwidth.json",   "osu-bw.txt",
	"osu-nccl-allreduce.txt",
};

static uint32_t next(uint32_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 17;
	*s ^= *s << 5;
	return *s;
}

static const char bytes[] = "0123456789 \n#.:-{}[]\",\\NaeInf/A\xff\r";

static size_t mutate(char *p, size_t len, uint32_t *s)
{
	size_t n = 1 + next(s) % 12;

	for (size_t i = 0; i < n && len > 4; i++) {
		size_t at = next(s) % len, more = 1 + next(s) % 40;

		switch (next(s) % 3) {
		case 0:
			p[at] = bytes[next(s) % sizeof(bytes)];
			break;
		case 1: /* cut out */
			more = more < len - at ? more : len - at;
			memmove(p + at, p + at + more, len - at - more);
			len -= more;
			break;
		default: /* double */
			more = more < len - at ? more : len - at;
			memmove(p + at + more, p + at, len - at);
			len += more;
			break;
		}
	}
	return len;
}

static void read_it(const char *name, const char *data, size_t len, const char *format)
{
	struct import_request r = { .format = format };
	struct imported im = { 0 };
	struct buf text = { 0 };
	char *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	memcpy(copy, data, len);
	assert_true(import_read(&im, &r, name, copy, len) >= 0);
	import_tables_text(&im, &text);
	free(import_tables_json(&im, NULL));
	free(import_run_json(&im, "import"));
	buf_fini(&text);
	free(copy);
	imported_fini(&im);
}

static void survives(void **state)
{
	uint32_t seed = 20261130;

	(void)state;
	for (size_t i = 0; i < N_ELEMENTS(names); i++) {
		char *path = file_join(folder, names[i]), *data = NULL, *work;
		size_t len = 0;

		assert_non_null(path);
		assert_int_equal(file_read_all(path, FILE_BYTES_MAX, &data, &len), 0);
		work = malloc(len + 4096);
		assert_non_null(work);
		for (int k = 0; k < ROUNDS; k++) {
			memcpy(work, data, len);
			read_it(names[i], work, mutate(work, len, &seed), NULL);
		}
		for (size_t k = 0; k < import_n_formats; k++) /* the wrong reader */
			read_it(names[i], data, len, import_formats[k].name);
		free(work);
		free(data);
		free(path);
	}
}

static void nothing(void **state)
{
	static const char zeros[64];

	(void)state;
	for (size_t k = 0; k < import_n_formats; k++) {
		read_it("empty", "", 0, import_formats[k].name);
		read_it("zeros", zeros, sizeof(zeros), import_formats[k].name);
		read_it("open", "{\"results\":[[[[", 15, import_formats[k].name);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(survives), cmocka_unit_test(nothing) };

	folder = argc > 1 ? argv[1] : ".";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
