/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast plain TCP is between two ends, with some streams: the ceiling of every network transport
 * that uses sockets. Two processes hold one end each; how they find each other and keep step is the
 * caller's business. Every call ends by its deadline.
 */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

#define TCP_STREAMS_MAX 64
#define TCP_ADDRESS_MAX 80 /* "10.0.0.1" or an IPv6 address, and room for a port */

/*
 * The address NCCL would take: interfaces named ib... first, then any but docker... and lo, then
 * docker..., then lo; within a kind the first that is up, IPv4 before IPv6 (not link-local).
 * `choice` is of NCCL_SOCKET_IFNAME's form: name prefixes, or "=" and exact names, or "^" and
 * prefixes to leave out; NULL or "" for none. -ENOENT when no interface fits.
 */
int tcp_address(const char *choice, char *address, size_t address_max, char *interface,
		size_t interface_max) ATTR_MUST;

/* Listens on a free port of that address; the descriptor or negative errno. */
int tcp_listen(const char *address, int *port) ATTR_MUST;

struct tcp_end; /* one process' end of all streams, with its threads */

/* `n` streams to or from the other end; both ends call with the same n. NULL with *error set to a
 * negative errno. */
struct tcp_end *tcp_connect(const char *address, int port, int n, int64_t deadline_ns,
			    int *error) ATTR_MUST;
struct tcp_end *tcp_accept(int listener, int n, int64_t deadline_ns, int *error) ATTR_MUST;

/* Starts the threads: one per stream and direction, on `cpus` (NULL: where this process may run).
 */
int tcp_start(struct tcp_end *e, bool sends, bool receives, const cpu_set_t *cpus,
	      size_t cpus_bytes) ATTR_MUST;
/* Bytes per second received during `window_ns`, after `warm_ns`; negative errno when a stream ended
 * before. */
int64_t tcp_rate(struct tcp_end *e, int64_t warm_ns, int64_t window_ns) ATTR_MUST;
/* Stops and frees; when both ends have their figure. Accepts NULL. */
void tcp_stop(struct tcp_end *e);
