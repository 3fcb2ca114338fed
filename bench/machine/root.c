/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See root.h. Nothing here fails: what cannot be read is an empty text, and its owner calls it
 * unknown.
 */
#include "machine/root.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/visible.h"

void root_path(const char *root, const char *rest, char out[PATH_MAX])
{
	int n = snprintf(out, PATH_MAX, "%s%s", root ? root : "", rest);

	if (n < 0 || n >= PATH_MAX) /* a cut path could name another file */
		out[0] = '\0';
}

void root_clean(char *text)
{
	visible_copy(text, text, strlen(text) + 1);
}

char *root_trim(char *text)
{
	size_t n;

	while (isspace((unsigned char)*text))
		text++;
	n = strlen(text);
	while (n > 0 && isspace((unsigned char)text[n - 1]))
		text[--n] = '\0';
	return text;
}

void root_line(const char *root, const char *rest, char *out, size_t max)
{
	char path[PATH_MAX], line[512];

	root_path(root, rest, path);
	file_first_line(path, line, sizeof(line));
	snprintf(out, max, "%s", root_trim(line));
	root_clean(out);
}
