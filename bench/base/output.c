/* SPDX-License-Identifier: Apache-2.0 */
/* See output.h. */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "ncclbench/exitcode.h"

static bool told;

static void tell(int e)
{
	if (!told)
		log_error("cannot write standard output: %s; make room or send it elsewhere",
			  e ? strerror(e) : "a part of it was refused");
	told = true;
}

/* argp ends the program by itself after --help, so this cannot be main's last line. */
static void at_exit(void)
{
	bool failed = ferror(stdout) != 0;

	errno = 0;
	if ((fclose(stdout) != 0 || failed) && !told) {
		tell(errno);
		_exit(NB_EXIT_BROKEN);
	}
}

void output_guard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
	if (atexit(at_exit) != 0)
		_exit(NB_EXIT_BROKEN);
}

int output_put(const struct buf *b)
{
	int e = 0;

	errno = 0;
	if (b->failed)
		e = ENOMEM;
	else if (fwrite(buf_text(b), 1, b->len, stdout) != b->len || fflush(stdout) != 0)
		e = errno ? errno : EIO;
	if (e)
		tell(e);
	return -e;
}
