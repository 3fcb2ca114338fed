/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main() for a fuzz target without libFuzzer: every file of the corpus as it is, cut short, and
 * with a fixed number of changes from a fixed seed, so that every run is the same. It learns
 * nothing from what it sees and finds less than libFuzzer; it needs no clang and ends.
 * usage: fuzz_X [-first N] [-changes N] FILE|FOLDER...
 * -first N: bytes 0..N-1, each tried in front
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MOST (64u << 10) /* of a file: the rest is left out */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t state = 88172645463325252ULL;

static uint64_t next_random(void) /* xorshift64 */
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static size_t below(size_t n)
{
	return n ? (size_t)(next_random() % n) : 0;
}

/* ---- changes: of n bytes in a block of n + 16, to the new n ---- */

static size_t flip(uint8_t *s, size_t n)
{
	s[below(n)] ^= (uint8_t)(1u << below(8));
	return n;
}

static size_t put_odd_byte(uint8_t *s, size_t n)
{
	static const uint8_t odd[] = "\0\n\r\t\"\\{}[],:-0919eE.\x7f\xff\xc3\x1b";

	s[below(n)] = odd[below(sizeof(odd) - 1)];
	return n;
}

static size_t drop_bytes(uint8_t *s, size_t n)
{
	size_t at = below(n), count = 1 + below(n - at < 40 ? n - at : 40);

	memmove(s + at, s + at + count, n - at - count);
	return n - count;
}

static size_t repeat_bytes(uint8_t *s, size_t n)
{
	size_t at = below(n), count = 1 + below(n - at < 16 ? n - at : 16);

	memmove(s + at + count, s + at, n - at);
	return n + count;
}

static size_t write_a_number(uint8_t *s, size_t n)
{
	static const char *const words[] = { "-1",      "2147483648", "18446744073709551616",
					     "1e999",   "null",       "true",
					     "99999999" };
	const char *word = words[below(sizeof(words) / sizeof(words[0]))];
	size_t at = below(n), len = strlen(word);

	for (size_t i = at; i < n && (s[at] < '0' || s[at] > '9'); i++)
		at = i;
	memcpy(s + at, word, n - at < len ? n - at : len);
	return n;
}

static size_t cut_off(uint8_t *s, size_t n)
{
	(void)s;
	return below(n);
}

static size_t (*const changes[])(uint8_t *, size_t) = { flip,         put_odd_byte,   drop_bytes,
							repeat_bytes, write_a_number, cut_off };

/* A block of exactly n bytes, so that a sanitizer sees a read beyond it. */
static void feed(const uint8_t *data, size_t n)
{
	uint8_t *exact = malloc(n ? n : 1);

	if (!exact)
		abort();
	memcpy(exact, data, n);
	LLVMFuzzerTestOneInput(exact, n);
	free(exact);
}

static void feed_changed(const uint8_t *data, size_t n, long times)
{
	uint8_t *s = malloc(n + 16 * 4);

	if (!s)
		abort();
	for (long t = 0; t < times; t++) {
		size_t now = n, steps = 1 + below(3);

		memcpy(s, data, n);
		for (size_t i = 0; i < steps && now; i++)
			now = changes[below(sizeof(changes) / sizeof(changes[0]))](s, now);
		feed(s, now);
	}
	free(s);
}

/* With `first` a byte stands in front: room is left for it. */
static void replay(uint8_t *block, size_t n, long first, long times)
{
	for (long b = 0; b < (first ? first : 1); b++) {
		const uint8_t *from = first ? block : block + 1;
		size_t len = first ? n + 1 : n;

		block[0] = (uint8_t)b;
		feed(from, len);
		feed_changed(from, len, times);
	}
}

static int replay_file(const char *path, long first, long times)
{
	uint8_t *block = malloc(FILE_MOST + 1);
	FILE *f = block ? fopen(path, "rb") : NULL;

	if (!f) {
		perror(path);
		free(block);
		return -1;
	}
	replay(block, fread(block + 1, 1, FILE_MOST, f), first, times);
	fclose(f);
	free(block);
	return 1;
}

static int is_seen(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* A file, or the files of a folder by name; how many, -1 when one cannot be read. */
static int replay_path(const char *path, long first, long times)
{
	struct dirent **list;
	int n = scandir(path, &list, is_seen, alphasort), read = 0;

	if (n < 0)
		return replay_file(path, first, times);
	for (int i = 0; i < n; i++) {
		char inside[4096];

		snprintf(inside, sizeof(inside), "%s/%s", path, list[i]->d_name);
		if (read >= 0)
			read = replay_file(inside, first, times) < 0 ? -1 : read + 1;
		free(list[i]);
	}
	free(list);
	return read;
}

int main(int argc, char **argv)
{
	long first = 0, times = 200;
	int files = 0, n;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-first") == 0 && i + 1 < argc) {
			first = strtol(argv[++i], NULL, 10);
		} else if (strcmp(argv[i], "-changes") == 0 && i + 1 < argc) {
			times = strtol(argv[++i], NULL, 10);
		} else {
			n = replay_path(argv[i], first, times);
			if (n < 0)
				return 2;
			files += n;
		}
	}
	printf("%d files, each with %ld changes\n", files, times);
	return files ? 0 : 2;
}
