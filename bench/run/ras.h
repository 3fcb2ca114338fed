/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks NCCL's RAS service (2.24 and newer, a thread in every NCCL process, by default at
 * localhost:28028) what it knows about its communicators. Optional: silence is an answer. Only this
 * host is asked, and never longer than the deadline.
 */
#pragma once

#include <stdint.h>

struct buf;
struct env;

/* The port at which workers with that environment answer on this host; 0: they do not (switched
 * off, or another address). */
int ras_port(const struct env *e);
/* Adds the lines under RAS's headings Errors and Warnings, or nothing. */
void ras_ask(int port, int64_t deadline_ns, struct buf *out);
