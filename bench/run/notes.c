/* SPDX-License-Identifier: Apache-2.0 */
/* See notes.h. */
#include "run/notes.h"

#include <stdio.h>
#include <string.h>

static void put(struct notes *s, const char *text)
{
	char *to = s->text[s->n];

	if (snprintf(to, NOTE_LENGTH, "%s", text) >= NOTE_LENGTH)
		memcpy(to + NOTE_LENGTH - 4, "...", 4);
	s->list[s->n++] = to;
}

void notes_add(struct notes *s, const char *text)
{
	if (!text[0])
		return;
	s->total++;
	if (s->n < NOTES_SHOWN)
		put(s, text);
}

void notes_close(struct notes *s)
{
	size_t more = s->total - s->n;
	char text[120];

	if (more == 0)
		return;
	snprintf(text, sizeof(text),
		 "%zu more note%s not shown; run.json has the facts of every rank", more,
		 more == 1 ? " is" : "s are");
	put(s, text);
}
