/* SPDX-License-Identifier: Apache-2.0 */
#include "run/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#define REDRAW_NS (100 * CLOCK_MS)
#define PLAIN_NS (10 * CLOCK_S)

bool progress_is_terminal(int fd, int *width)
{
	struct winsize size = { 0 };

	*width = 0;
	if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return false;
	*width = size.ws_col;
	return true;
}

void progress_init(struct progress *p, bool json)
{
	memset(p, 0, sizeof(*p));
	p->unit = "points";
	p->terminal = progress_is_terminal(STDOUT_FILENO, &p->width) && !json;
	p->start_ns = clock_now_ns();
	p->next_ns = p->start_ns + (p->terminal ? 0 : PLAIN_NS);
}

static void time_left(const struct progress *p, size_t done, size_t total, char *out, size_t max)
{
	double spent = (double)(clock_now_ns() - p->start_ns) / CLOCK_S;

	out[0] = '\0';
	if (done >= 10 && done < total && spent > 1)
		snprintf(out, max, ", about %.0f s left",
			 spent / (double)done * (double)(total - done));
}

void progress_show(struct progress *p, const char *what, size_t done, size_t total)
{
	char line[256], left[48];
	int64_t now = clock_now_ns();

	if (!p || now < p->next_ns)
		return;
	p->next_ns = now + (p->terminal ? REDRAW_NS : PLAIN_NS);
	time_left(p, done, total, left, sizeof(left));
	snprintf(line, sizeof(line), "%zu of %zu %s%s  %s", done, total, p->unit, left, what);
	if (!p->terminal) {
		log_note("%s", line);
		return;
	}
	printf("\r%-*.*s", p->width - 1, p->width - 1, line);
	fflush(stdout);
	p->drawn = true;
}

void progress_clear(struct progress *p)
{
	if (!p || !p->drawn)
		return;
	printf("\r%*s\r", p->width - 1, "");
	fflush(stdout);
	p->drawn = false;
}
