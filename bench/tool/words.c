/* SPDX-License-Identifier: Apache-2.0 */
/* See words.h. */
#include "tool/words.h"

#include <string.h>

#include "base/log.h"
#include "base/num.h"
#include "ncclbench/exitcode.h"
#include "tool/cmd.h"

#define NAMES_MAX 64

int words_refuse(const char *command, const char *what, const char *word, const char *reason)
{
	log_error("%s: %s '%.*s' %s", command, what, CMD_WORD_MAX, word, reason);
	return NB_EXIT_USAGE;
}

int words_unknown(const char *command, const char *word, const char *const *names, size_t stride,
		  size_t n)
{
	const char *list[NAMES_MAX], *near;

	for (size_t i = 0; i < n && i < NAMES_MAX; i++)
		memcpy(&list[i], (const char *)names + i * stride, sizeof(list[i]));
	near = num_nearest(word, list, n < NAMES_MAX ? n : NAMES_MAX);
	log_error("%s: unknown option '%.*s'%s%s; ncclbench %s --help lists all", command,
		  CMD_WORD_MAX, word, near ? "; did you mean " : "", near ? near : "", command);
	return NB_EXIT_USAGE;
}
