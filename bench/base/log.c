/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line to standard error. A line is one write(2) of at most PIPE_BUF bytes: ranks share a pipe
 * to the launcher, and only such writes do not mix. No levels, no files, no time stamps.
 */
#include "base/log.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* Length of the printable character at `p`; 0 when its first byte must be escaped: C0, DEL, C1
 * (also as U+0080..U+009F, which terminals obey) and whatever is not UTF-8. */
static size_t printable(const unsigned char *p)
{
	static const struct {
		unsigned char mask, lead;
	} leads[] = { { 0x80, 0x00 }, { 0xe0, 0xc0 }, { 0xf0, 0xe0 }, { 0xf8, 0xf0 } };
	static const uint32_t least[] = { 0x20, 0xa0, 0x800, 0x10000 };
	size_t more = 0;
	uint32_t code;

	while (more < N_ELEMENTS(leads) && (p[0] & leads[more].mask) != leads[more].lead)
		more++;
	if (more == N_ELEMENTS(leads))
		return 0;
	code = p[0] & (unsigned char)~leads[more].mask;
	for (size_t i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80) /* the NUL ends here too */
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	if (code < least[more] || code == 0x7f || code > 0x10ffff ||
	    (code >= 0xd800 && code < 0xe000))
		return 0;
	return more + 1;
}

/* Adds `text` with control bytes shown; leaves room for CUT and the newline. */
static void add_visible(struct line *l, const char *text)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *p = (const unsigned char *)text;
	const size_t room = sizeof(l->text) - sizeof(CUT);

	while (*p) {
		size_t n = printable(p), need = n ? n : 4;

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
