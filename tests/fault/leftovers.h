/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a test must not leave behind: descriptors, children, grandchildren. This process becomes the
 * parent of orphans below it, so that a worker's child whose worker is gone shows up here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Once, before the first child. */
int leftovers_watch(void);
int leftovers_descriptors(void); /* open ones */
/* Reaps what is dead and waits up to 2 s for the rest to die: the number of processes that still
 * live, named in `what`. Call while nothing is running: it takes any child's status. */
int leftovers_processes(char *what, size_t max);
/* rm -r of a test's own folder: 0 or negative errno. */
int leftovers_remove(const char *dir);
