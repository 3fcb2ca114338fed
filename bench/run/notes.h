/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines below a run's table. Not a log: a job of hundreds of ranks has hundreds of remarks, so
 * the first ones are kept, and how many more there were is told, never silently left out.
 */
#pragma once

#include <stddef.h>

#define NOTES_SHOWN 16
#define NOTE_LENGTH 400

struct notes {
	char text[NOTES_SHOWN + 1][NOTE_LENGTH]; /* the last one tells of what is not here */
	const char *list[NOTES_SHOWN + 1];       /* for struct view; n of them */
	size_t n, total;
};

/* "" is no note. A note that is too long ends with "...". */
void notes_add(struct notes *s, const char *text);
/* After the last note: adds the line about those that are not shown, if there are any. */
void notes_close(struct notes *s);
