/* SPDX-License-Identifier: Apache-2.0 */
/* Lines on standard error, read back through a packet socket: one packet is one write(2). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"

static int ours = -1, real_stderr = -1;
static char got[3 * PIPE_BUF];

/* What one write brought, or "" when there was none. */
static const char *line(void)
{
	ssize_t n = recv(ours, got, sizeof(got) - 1, MSG_DONTWAIT);

	got[n > 0 ? n : 0] = '\0';
	return got;
}

static void plain_line(void **state)
{
	log_setup("ncclbench", -1, true);
	log_error("cannot open %s: %s", "x.csv", "No such file");
	assert_string_equal(line(), "ncclbench: cannot open x.csv: No such file\n");
	log_note("%d%%", 50);
	assert_string_equal(line(), "ncclbench: 50%\n");
	log_note("%s", "");
	assert_string_equal(line(), "ncclbench: \n");
	assert_string_equal(line(), "");
}

static void who_speaks(void **state)
{
	log_setup("ncclbench-run", 3, false);
	log_note("not heard");
	assert_string_equal(line(), "");
	log_error("heard");
	assert_string_equal(line(), "ncclbench-run: rank 3: heard\n");
	log_setup("ncclbench-run", 0, true);
	log_error("heard");
	assert_string_equal(line(), "ncclbench-run: heard\n");
	log_setup("a-program-name-that-is-much-too-long-to-be-one", 0, true);
	log_error("x");
	assert_string_equal(line(), "a-program-name-that-is-much-too: x\n");
}

static void control_bytes_are_shown(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "a\nb", "a\\x0ab" },
		{ "\x1b[31mred", "\\x1b[31mred" },
		{ "tab\tcr\r", "tab\\x09cr\\x0d" },
		{ "\x7f", "\\x7f" },
		{ "5.75 \xc2\xb5s", "5.75 \xc2\xb5s" }, /* micro sign stays */
		{ "\xe2\x82\xac \xf0\x9f\x8c\x8d", "\xe2\x82\xac \xf0\x9f\x8c\x8d" },
		{ "\xc2\x9b"
		  "31m",
		  "\\xc2\\x9b31m" }, /* CSI as U+009B */
		{ "\x9b"
		  "31m",
		  "\\x9b31m" },               /* CSI as a byte */
		{ "\xc0\x8a", "\\xc0\\x8a" }, /* overlong newline */
		{ "\xe0\x80\x8a", "\\xe0\\x80\\x8a" },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },          /* surrogate */
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" }, /* above U+10FFFF */
		{ "cut \xe2\x82", "cut \\xe2\\x82" },
		{ "\xff\xfe", "\\xff\\xfe" },
	};
	char want[128];

	log_setup("p", 0, true);
	for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
		log_error("%s", rows[i].text);
		strcpy(want, "p: ");
		strcat(want, rows[i].want);
		strcat(want, "\n");
		assert_string_equal(line(), want);
	}
}

/* A line never exceeds what a pipe takes in one piece, and says when it was cut. */
static void long_lines_are_cut(void **state)
{
	char *text = malloc(20001);
	size_t len;

	assert_non_null(text);
	memset(text, 'x', 20000);
	text[20000] = '\0';
	log_setup("p", 0, true);
	log_error("%s", text);
	len = strlen(line());
	assert_in_range(len, PIPE_BUF - 8, PIPE_BUF);
	assert_string_equal(got + len - 5, "x...\n");
	memset(text, '\n', 20000);
	log_error("%s", text);
	len = strlen(line());
	assert_in_range(len, PIPE_BUF - 8, PIPE_BUF);
	assert_string_equal(got + len - 8, "\\x0a...\n"); /* no half escape */
	assert_string_equal(line(), "");
	free(text);
}

static void errno_survives(void **state)
{
	log_setup("p", 0, true);
	errno = ENOSPC;
	log_error("write: %m");
	assert_int_equal(errno, ENOSPC);
	assert_string_equal(line(), "p: write: No space left on device\n");
}

static int redirect(void **state)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -1;
	ours = fds[0];
	real_stderr = dup(STDERR_FILENO);
	dup2(fds[1], STDERR_FILENO);
	close(fds[1]);
	return 0;
}

static int restore(void **state)
{
	dup2(real_stderr, STDERR_FILENO);
	close(real_stderr);
	close(ours);
	return 0;
}

/* Per test: what cmocka itself says must reach the terminal. */
#define ON_SOCKET(f) cmocka_unit_test_setup_teardown(f, redirect, restore)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_SOCKET(plain_line),
		ON_SOCKET(who_speaks),
		ON_SOCKET(control_bytes_are_shown),
		ON_SOCKET(long_lines_are_cut),
		ON_SOCKET(errno_survives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
