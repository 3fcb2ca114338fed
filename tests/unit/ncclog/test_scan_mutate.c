/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real logs, damaged by a fixed seed: bytes changed, pieces dropped, doubled and swapped, cut into
 * random pieces. Nothing is expected of the result but that it is the same in pieces as in one, and
 * that its texts and masks are within bounds; the sanitizers watch the rest. Usage:
 * test_scan_mutate FOLDER. Longer runs: tests/fuzz/fuzz_scan.c.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "ncclog/proof.h"
#include "ncclog/scan.h"
#include "spec/transport.h"

enum { ROUNDS = 40, LOG_BYTES_MAX = 64 * 1024 };

static const char *folder;
static uint64_t seed = 20261130;

static size_t below(size_t n) /* SplitMix64 */
{
	uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return n ? (size_t)((z ^ (z >> 31)) % n) : 0;
}

static void change_byte(char *d, size_t len)
{
	static const char favourites[] = "\n\r\0 /[]:->0129aN\xff\x1b";

	d[below(len)] = below(2) ? favourites[below(sizeof(favourites))] : (char)below(256);
}

static void move_piece(char *d, size_t len)
{
	size_t n = below(200), from = below(len - n), to = below(len - n);

	memmove(d + to, d + from, n);
}

static void mutate(char *d, size_t len)
{
	for (size_t i = 1 + below(200); i > 0; i--) {
		if (below(4))
			change_byte(d, len);
		else
			move_piece(d, len);
	}
}

static void check_bounds(const struct scan *s)
{
	assert_false(s->failed);
	assert_true(strlen(s->version) < sizeof(s->version) &&
		    strlen(s->first_warn) < sizeof(s->first_warn));
	assert_true(strlen(s->p2p_refused) < sizeof(s->p2p_refused) &&
		    strlen(s->warn_place) < sizeof(s->warn_place));
	for (size_t i = 0; i < s->n_links; i++) {
		assert_true(s->links[i].from >= 0 && s->links[i].to >= 0 && s->links[i].conn >= -1);
		assert_in_range(s->links[i].channels, 1, 256);
		assert_true(s->links[i].cls[0] && s->links[i].variant[0]);
		assert_non_null(memchr(s->links[i].variant, '\0', sizeof(s->links[i].variant)));
		assert_non_null(memchr(s->links[i].cls, '\0', sizeof(s->links[i].cls)));
	}
}

static void judge_all(const struct scan *s)
{
	struct proof_need need = { .a = -1, .b = -1, .nranks = s->nranks > 64 ? 64 : s->nranks };
	struct proof p;

	for (int t = 0; t < TRANSPORT_COUNT; t++) {
		proof_judge(s->links, s->n_links, s, t, &need, &p);
		assert_true(strlen(p.used) < sizeof(p.used) && strlen(p.detail) < sizeof(p.detail));
	}
}

static void scan_pieces(struct scan *s, const char *data, size_t len, size_t longest)
{
	scan_init(s);
	while (len > 0) {
		size_t n = 1 + below(longest);

		if (n > len)
			n = len;
		scan_feed(s, data, n);
		data += n;
		len -= n;
	}
	scan_end(s);
}

static void assert_same(const struct scan *a, const struct scan *b)
{
	assert_int_equal(a->n_links, b->n_links);
	assert_int_equal(a->n_tunings, b->n_tunings);
	assert_int_equal(a->n_warns, b->n_warns);
	assert_int_equal(a->n_cut, b->n_cut);
	assert_int_equal(a->nranks, b->nranks);
	assert_int_equal(a->n_nodes, b->n_nodes);
	assert_string_equal(a->version, b->version);
	assert_string_equal(a->first_warn, b->first_warn);
	assert_string_equal(a->warn_place, b->warn_place);
	assert_int_equal(a->nvls, b->nvls);
	if (a->n_links)
		assert_memory_equal(a->links, b->links, a->n_links * sizeof(*a->links));
	for (size_t i = 0; i < a->n_tunings; i++) {
		assert_string_equal(a->tunings[i].func, b->tunings[i].func);
		assert_string_equal(a->tunings[i].algo, b->tunings[i].algo);
		assert_string_equal(a->tunings[i].proto, b->tunings[i].proto);
		assert_true(a->tunings[i].bytes == b->tunings[i].bytes &&
			    a->tunings[i].channels == b->tunings[i].channels);
	}
}

/* Exactly as long as the text, so that a read behind it is seen. */
static void try_text(const char *text, size_t len)
{
	struct scan whole, parts;
	char *exact = malloc(len);

	assert_non_null(exact);
	memcpy(exact, text, len);
	scan_init(&whole);
	scan_feed(&whole, exact, len);
	scan_end(&whole);
	scan_pieces(&parts, exact, len, 1 + below(300));
	check_bounds(&whole);
	assert_same(&whole, &parts);
	judge_all(&whole);
	scan_fini(&whole);
	scan_fini(&parts);
	free(exact);
}

static void damaged_logs(void **state)
{
	static const char *const names[] = { "recipe-p2p-ce",
					     "recipe-shm",
					     "recipe-socket-hostid",
					     "socket-eight-ranks-two-gpus",
					     "recipe-none",
					     "duplicate-gpu",
					     "shm" };

	for (size_t i = 0; i < N_ELEMENTS(names); i++) {
		char path[4096], *log, *copy;
		size_t len;

		snprintf(path, sizeof(path), "%s/%s.log", folder, names[i]);
		assert_int_equal(file_read_all(path, LOG_BYTES_MAX, &log, &len), 0);
		copy = malloc(len);
		assert_non_null(copy);
		for (int round = 0; round < ROUNDS; round++) {
			memcpy(copy, log, len);
			mutate(copy, len);
			try_text(copy, len - below(300));
		}
		free(copy);
		free(log);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(damaged_logs) };

	if (argc != 2) {
		fprintf(stderr, "usage: test_scan_mutate FOLDER\n");
		return 2;
	}
	folder = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
