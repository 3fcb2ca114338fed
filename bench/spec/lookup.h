/* SPDX-License-Identifier: Apache-2.0 */
/* Private to spec: find a row of any table by the text its rows keep at one offset. No hashing. */
#pragma once

#include <stddef.h>
#include <string.h>

static inline int lookup(const void *table, size_t rows, size_t row_size, size_t offset,
			 const char *word)
{
	const char *at = (const char *)table + offset;

	for (size_t i = 0; word && i < rows; i++, at += row_size) {
		const char *name;

		memcpy(&name, at, sizeof(name));
		if (name && strcmp(name, word) == 0)
			return (int)i;
	}
	return -1;
}

#define LOOKUP(table, rows, type, member, word) \
	lookup(table, rows, sizeof(type), offsetof(type, member), word)
