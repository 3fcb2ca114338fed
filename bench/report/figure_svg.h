/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A picture by gnuplot made fit to stand inside a page: no prolog, ids of its own, colours by the
 * page's custom properties, a name for who cannot see it. Lets through only the few elements that
 * gnuplot draws with; anything else is refused, so that nothing foreign reaches a page this way.
 */
#pragma once

#include <stddef.h>

#include "base/attr.h"

struct buf;

/* `name` makes the ids unique (letters, digits, _), `alt` is plain text. 0; -EBADMSG for what is no
 * whole picture of gnuplot's; -ENOMEM. */
int figure_svg(const char *svg, size_t len, const char *name, const char *alt,
	       struct buf *out) ATTR_MUST;
/* Plain text as it stands in HTML or XML, between tags or in double quotes. */
void figure_escape(struct buf *b, const char *text);
