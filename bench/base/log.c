/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line to standard error. A line is one write(2) of at most PIPE_BUF bytes: ranks share a pipe
 * to the launcher, and only such writes do not mix. No levels, no files, no time stamps.
 */
#include "base/log.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/visible.h"

#define CUT "..."

static struct {
	char program[32];
	int rank;
	bool speaks;
} self = { .program = "ncclbench", .rank = -1, .speaks = true };

struct line {
	char text[PIPE_BUF];
	size_t len;
};

void log_setup(const char *program, int rank, bool speaks)
{
	snprintf(self.program, sizeof(self.program), "%s", program);
	self.rank = rank;
	self.speaks = speaks;
}

/* Adds `text` with control bytes shown; leaves room for CUT and the newline. */
static void add_visible(struct line *l, const char *text)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *p = (const unsigned char *)text;
	const size_t room = sizeof(l->text) - sizeof(CUT);

	while (*p) {
		size_t n = visible_char((const char *)p), need = n ? n : 4;

		if (need > room - l->len) {
			memcpy(l->text + l->len, CUT, strlen(CUT));
			l->len += strlen(CUT);
			return;
		}
		if (n) {
			memcpy(l->text + l->len, p, n);
		} else {
			memcpy(l->text + l->len, "\\x", 2);
			l->text[l->len + 2] = hex[*p >> 4];
			l->text[l->len + 3] = hex[*p & 15];
		}
		l->len += need;
		p += n ? n : 1;
	}
}

static void say(const char *fmt, va_list args) ATTR_PRINTF(1, 0);
static void say(const char *fmt, va_list args)
{
	int errno_before = errno;
	char text[PIPE_BUF], head[64];
	struct line l = { .len = 0 };
	ssize_t n;

	vsnprintf(text, sizeof(text), fmt, args);
	snprintf(head, sizeof(head), "%s: ", self.program);
	add_visible(&l, head);
	if (!self.speaks && self.rank >= 0) {
		snprintf(head, sizeof(head), "rank %d: ", self.rank);
		add_visible(&l, head);
	}
	add_visible(&l, text);
	l.text[l.len++] = '\n';
	do
		n = write(STDERR_FILENO, l.text, l.len);
	while (n < 0 && errno == EINTR);
	errno = errno_before;
}

void log_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
}

void log_note(const char *fmt, ...)
{
	va_list args;

	if (!self.speaks)
		return;
	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
}

void log_lines(const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n)
			log_note("%.*s", (int)n, text);
		text += n + (text[n] == '\n');
	}
}
