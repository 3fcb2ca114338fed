/* SPDX-License-Identifier: Apache-2.0 */
/* See hold.h. */
#include "proc/hold.h"

#include <stddef.h>

#include "base/attr.h"

static const int ending[] = { SIGINT, SIGTERM, SIGHUP };

void hold_signals(struct hold *h)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < N_ELEMENTS(ending); i++)
		sigaddset(&set, ending[i]);
	(void)sigprocmask(SIG_BLOCK, &set, &h->before);
}

void hold_release(const struct hold *h)
{
	(void)sigprocmask(SIG_SETMASK, &h->before, NULL);
}

bool hold_interrupted(void)
{
	sigset_t set;

	if (sigpending(&set))
		return false;
	for (size_t i = 0; i < N_ELEMENTS(ending); i++)
		if (sigismember(&set, ending[i]) == 1)
			return true;
	return false;
}
