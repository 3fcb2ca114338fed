/* SPDX-License-Identifier: Apache-2.0 */
/* See headroom.h. */
#include "doctor/headroom.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/num.h"

static const struct {
	const char *word;
	double bytes;
} units[] = {
	{ "B", 1 },           { "kB", 1e3 },           { "MB", 1e6 },
	{ "GB", 1e9 },        { "TB", 1e12 },          { "KiB", 1024.0 },
	{ "MiB", 1048576.0 }, { "GiB", 1073741824.0 }, { "TiB", 1099511627776.0 },
};

int headroom_parse(const char *text, uint64_t *bytes)
{
	size_t n = strspn(text, "0123456789.");
	const char *unit = text + n + strspn(text + n, " ");
	char number[40];
	double v;

	if (n == 0 || n >= sizeof(number))
		return -EINVAL;
	snprintf(number, sizeof(number), "%.*s", (int)n, text);
	if (num_parse_double(number, &v) != 0)
		return -EINVAL;
	for (size_t i = 0; i < N_ELEMENTS(units); i++)
		if (strcasecmp(units[i].word, unit) == 0 && v * units[i].bytes < 9e18) {
			*bytes = (uint64_t)(v * units[i].bytes + 0.5);
			return 0;
		}
	return -EINVAL;
}
