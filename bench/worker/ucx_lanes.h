/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What UCX prints about an endpoint -> the transport that carries a message of a given size.
 * Pure text in, facts out: it knows no UCX call, so it is tested with printed texts of several
 * versions.
 *
 * ucp_ep_print_info is the only public way up to UCX 1.13 (Debian 12), whose ucp_ep_query has no
 * transport field. Two forms exist: up to 1.15 lanes with their uses and one line of thresholds
 * ("tag_send: 0..<egr/short>..93..<rndv>..(inf)"); since 1.16 lanes and a table that names the
 * transport of each range of sizes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"

struct ucx_lanes {
	char all[128];    /* every lane of the endpoint: "posix/memory,cma/memory" */
	char data[64];    /* transports of the message's bytes: "cma", "posix,cma"; "" when the text
			     does not say */
	char control[64]; /* other transports the message needs (headers, acknowledgements); "" none
			   */
	char how[64];     /* the library's words: "rndv", "eager short" */
	int n_data;       /* lanes that carry the bytes; 0 when not known */
};

/* 0, or -EBADMSG when the text holds no lane. */
int ucx_lanes_parse(const char *text, uint64_t bytes, struct ucx_lanes *out) ATTR_MUST;
/* First transport that a UCX_TLS value asks for ("self" does not count): "cma"; "" when the value
 * is NULL, empty, "all" or a list of exclusions: nothing in particular is wanted. */
void ucx_lanes_wanted(const char *ucx_tls, char *out, unsigned max);
/* Is every transport of the list `data` ("cma", "posix,cma") the wanted one, or one of the wanted
 * family
 * ("rc" means rc_verbs and rc_mlx5)? */
bool ucx_lanes_match(const char *data, const char *wanted);
/* Is `name` in the comma-separated list? */
bool ucx_lanes_has(const char *list, const char *name);
