/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the script of fake_lib.h. A script with a mistake ends the process: a test must not pass by
 * it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_lib.h"

#define SYMBOLS_MAX 128

static struct {
	char name[48];
	long calls;
} counted[SYMBOLS_MAX];

static long count(const char *symbol)
{
	int i;

	for (i = 0; i < SYMBOLS_MAX && counted[i].name[0]; i++)
		if (strcmp(counted[i].name, symbol) == 0)
			return ++counted[i].calls;
	if (i == SYMBOLS_MAX)
		abort();
	(void)snprintf(counted[i].name, sizeof(counted[i].name), "%s", symbol);
	return counted[i].calls = 1;
}

static int obey(const char *result)
{
	static const struct {
		const char *word;
		int value;
	} words[] = { { "corrupt", FAKE_CORRUPT }, { "lost", FAKE_LOST } };
	char *end;
	long code;
	size_t i;

	if (strncmp(result, "hang", 4) == 0)
		for (;;)
			pause();
	if (strncmp(result, "crash", 5) == 0) {
		(void)signal(SIGSEGV, SIG_DFL);
		(void)raise(SIGSEGV);
	}
	for (i = 0; i < 2; i++)
		if (strncmp(result, words[i].word, strlen(words[i].word)) == 0)
			return words[i].value;
	code = strtol(result, &end, 10);
	if (end == result || (*end && *end != ','))
		abort();
	return (int)code;
}

/* The text after "name" in the entry that begins with it, or NULL. */
static const char *entry(const char *from, const char *name, char after)
{
	size_t len = strlen(name);

	for (; from && *from; from = strchr(from, ','), from = from ? from + 1 : NULL)
		if (strncmp(from, name, len) == 0 && from[len] == after)
			return from + len + 1;
	return NULL;
}

int fake_call(const char *symbol)
{
	const char *p = getenv("NCCLBENCH_TEST_FAKE_LIB");
	long n = count(symbol), when;
	char *end;

	while ((p = entry(p, symbol, '@'))) {
		when = *p == '*' ? n : strtol(p, &end, 10);
		p = strchr(p, ':');
		if (!p)
			abort();
		if (when == n)
			return obey(p + 1);
		p = strchr(p, ',');
		p = p ? p + 1 : NULL;
	}
	return 0;
}

long long fake_number(const char *name, long long otherwise)
{
	const char *p = entry(getenv("NCCLBENCH_TEST_FAKE_LIB"), name, ':');

	return p ? strtoll(p, NULL, 10) : otherwise;
}
