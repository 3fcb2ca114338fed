/* SPDX-License-Identifier: Apache-2.0 */
/* See pairs.h. */
#include "base/pairs.h"

#include <stdio.h>
#include <string.h>

bool pairs_get(const char *text, const char *key, char *out, size_t max)
{
	size_t n = strlen(key);

	while (text && *text) {
		const char *end = strchrnul(text, '\n');

		if (strncmp(text, key, n) == 0 && text[n] == '=') {
			snprintf(out, max, "%.*s", (int)(end - text - (ptrdiff_t)n - 1),
				 text + n + 1);
			return true;
		}
		text = *end ? end + 1 : end;
	}
	return false;
}
