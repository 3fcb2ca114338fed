/* SPDX-License-Identifier: Apache-2.0 */
/* See figure_svg.h. One pass over the tags; the text between them is gnuplot's, escaped already. */
#include "report/figure_svg.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "report/text.h"

enum element_act { KEEP, DROP_TAG, DROP_ALL };

/* TABLE: what gnuplot's pictures are made of. title, desc and filter say and do nothing here. */
static const struct {
	const char *name;
	enum element_act act;
} elements[] = {
	{ "g", KEEP },        { "path", KEEP },       { "rect", KEEP },    { "circle", KEEP },
	{ "use", KEEP },      { "defs", KEEP },       { "pattern", KEEP }, { "polygon", KEEP },
	{ "text", KEEP },     { "tspan", KEEP },      { "svg", DROP_TAG }, { "title", DROP_ALL },
	{ "desc", DROP_ALL }, { "filter", DROP_ALL },
};

/* TABLE: colours of plots/fleet_common.gp and what a page calls them. */
static const struct {
	unsigned rgb;
	const char *css;
} colours[] = {
	{ 0x1a1a1a, "currentColor" },
	{ 0x565656, "var(--chart-faint,#565656)" },
	{ 0xd9d9d9, "var(--chart-rule,#d9d9d9)" },
	{ 0x0072b2, "var(--chart-1,#0072b2)" },
	{ 0xd55e00, "var(--chart-2,#d55e00)" },
	{ 0x009e73, "var(--chart-3,#009e73)" },
	{ 0xb5548a, "var(--chart-4,#b5548a)" },
	{ 0x000000, "var(--chart-5,currentColor)" },
	{ 0xa66f00, "var(--chart-6,#a66f00)" },
	{ 0x2e8fc7, "var(--chart-7,#2e8fc7)" },
	{ 0x7a6a00, "var(--chart-8,#7a6a00)" },
	{ 0x666666, "var(--chart-9,#666666)" },
};

struct figure {
	const char *p, *end; /* what is left of the input */
	const char *name;
	struct buf *out;
	char size[64]; /* the viewBox */
};

void figure_escape(struct buf *b, const char *text)
{
	static const char special[] = "&<>\"'";

	while (*text != '\0') {
		size_t n = strcspn(text, special);

		buf_add(b, text, n);
		text += n;
		if (*text != '\0')
			buf_printf(b, "&#%d;", *text++);
	}
}

static bool starts(const struct figure *f, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(f->end - f->p) >= n && memcmp(f->p, word, n) == 0;
}

/* Past the next `word`; false when there is none. */
static bool skip_past(struct figure *f, const char *word)
{
	const char *at = memmem(f->p, (size_t)(f->end - f->p), word, strlen(word));

	if (at == NULL)
		return false;
	f->p = at + strlen(word);
	return true;
}

static int element_find(const char *name, size_t len)
{
	for (size_t i = 0; i < N_ELEMENTS(elements); i++)
		if (strlen(elements[i].name) == len && memcmp(elements[i].name, name, len) == 0)
			return (int)i;
	return -1;
}

static const char *colour_find(unsigned rgb)
{
	for (size_t i = 0; i < N_ELEMENTS(colours); i++)
		if (colours[i].rgb == rgb)
			return colours[i].css;
	return NULL;
}

/* "rgb( 68,  68,  68)": how gnuplot writes any colour. */
static size_t put_colour(struct buf *out, const char *p)
{
	unsigned r, g, b;
	int len = 0;
	const char *css;

	if (strncmp(p, "rgb(", 4) != 0) /* sscanf looks for the end of all that follows */
		return 0;
	if (sscanf(p, "rgb(%3u ,%3u ,%3u )%n", &r, &g, &b, &len) != 3 || len == 0)
		return 0;
	css = colour_find((r & 255) << 16 | (g & 255) << 8 | (b & 255));
	if (css != NULL)
		buf_puts(out, css);
	else
		buf_printf(out, "#%02x%02x%02x", r & 255, g & 255, b & 255);
	return (size_t)len;
}

/* TABLE: words inside a tag that become others. %s: the picture's name. */
static const struct {
	const char *from, *to;
} words[] = {
	{ " id='", " id='%s-" },
	{ " id=\"", " id=\"%s-" },
	{ "xlink:href='#", "href='#%s-" },
	{ "url(#", "url(#%s-" },
	{ "\"black\"", "\"currentColor\"" },
	{ "'black'", "'currentColor'" },
	{ " font-family=\"sans-serif:Bold\"", " font-weight=\"600\"" },
	{ " font-family=\"sans-serif\"", "" }, /* the whole picture's */
};

/* A word of the table or a colour at p: writes what replaces it, returns its length. */
static size_t put_word(struct figure *f, const char *p)
{
	for (size_t i = 0; i < N_ELEMENTS(words); i++) {
		const char *mark = strstr(words[i].to, "%s");

		if (strncmp(p, words[i].from, strlen(words[i].from)) != 0)
			continue;
		if (mark == NULL) {
			buf_puts(f->out, words[i].to);
			return strlen(words[i].from);
		}
		buf_add(f->out, words[i].to, (size_t)(mark - words[i].to));
		buf_puts(f->out, f->name);
		buf_puts(f->out, mark + 2);
		return strlen(words[i].from);
	}
	return put_colour(f->out, p);
}

/* gnuplot has neither in any attribute: links to elsewhere and handlers. */
static bool is_harmless(const char *tag)
{
	const char *p;

	for (p = tag; (p = strstr(p, "href=")) != NULL; p += 5)
		if ((p[5] != '\'' && p[5] != '"') || p[6] != '#')
			return false;
	for (p = tag; (p = strstr(p, "url(")) != NULL; p += 4)
		if (p[4] != '#')
			return false;
	return strstr(tag, " on") == NULL && strchr(tag + 1, '<') == NULL;
}

static int put_tag(struct figure *f, const char *tag)
{
	if (!is_harmless(tag))
		return -EBADMSG;
	while (*tag != '\0') {
		size_t n = put_word(f, tag);

		if (n == 0) {
			/* line breaks inside tags, and runs of blanks, only make a page longer */
			bool blank = *tag == '\n' || *tag == '\t' || *tag == ' ';

			if (!blank || (tag[1] != ' ' && tag[1] != '\n' && tag[1] != '\t'))
				buf_putc(f->out, blank ? ' ' : *tag);
			n = 1;
		}
		tag += n;
	}
	return 0;
}

static void note_size(struct figure *f, const char *tag)
{
	double x, y, w, h;
	const char *at = strstr(tag, "viewBox=\"");

	if (at != NULL && f->size[0] == '\0' &&
	    sscanf(at + 9, "%lf %lf %lf %lf", &x, &y, &w, &h) == 4)
		snprintf(f->size, sizeof(f->size), "%g %g %g %g", x, y, w, h);
}

/* An opening <g> that closes again at once draws nothing; gnuplot writes hundreds of them. */
static bool skip_empty_group(struct figure *f, const char *tag)
{
	const char *p = f->p;

	if (strncmp(tag, "<g ", 3) != 0)
		return false;
	while (p < f->end && strchr(" \t\r\n", *p) != NULL)
		p++;
	if ((size_t)(f->end - p) < 4 || memcmp(p, "</g>", 4) != 0)
		return false;
	f->p = p + 4;
	return true;
}

static int take_element(struct figure *f, const char *tag)
{
	const char *name = tag + 1 + (tag[1] == '/');
	int id = element_find(name, strcspn(name, " \t\r\n/>"));
	char close[24];

	if (id < 0)
		return -EBADMSG;
	if (elements[id].act == DROP_TAG) {
		note_size(f, tag);
		return 0;
	}
	if (elements[id].act == DROP_ALL) {
		snprintf(close, sizeof(close), "</%s>", elements[id].name);
		return tag[1] == '/' || skip_past(f, close) ? 0 : -EBADMSG;
	}
	/* the canvas: gnuplot's background, even when there is none */
	if (strncmp(tag, "<rect x=\"0\" y=\"0\" width=\"", 25) == 0 || skip_empty_group(f, tag))
		return 0;
	return put_tag(f, tag);
}

static int take_tag(struct figure *f)
{
	const char *start = f->p;
	char *tag;
	int rc;

	if (starts(f, "<?") || starts(f, "<!DOCTYPE"))
		return skip_past(f, ">") ? 0 : -EBADMSG;
	if (starts(f, "<!--"))
		return skip_past(f, "-->") ? 0 : -EBADMSG;
	if (!skip_past(f, ">"))
		return -EBADMSG;
	tag = strndup(start, (size_t)(f->p - start));
	if (tag == NULL)
		return -ENOMEM;
	rc = take_element(f, tag);
	free(tag);
	return rc;
}

/* Blanks between tags are dropped; a text keeps its own. */
static void put_text(struct figure *f, const char *text, size_t len)
{
	size_t blank = 0;

	while (blank < len && strchr(" \t\r\n", text[blank]) != NULL)
		blank++;
	if (blank < len)
		buf_add(f->out, text, len);
}

int figure_svg(const char *svg, size_t len, const char *name, const char *alt, struct buf *out)
{
	struct buf body = { 0 };
	struct figure f = { .p = svg, .end = svg + len, .name = name, .out = &body };
	int rc = memchr(svg, '\0', len) != NULL ? -EBADMSG : 0;

	while (rc == 0 && f.p < f.end) {
		const char *at = memchr(f.p, '<', (size_t)(f.end - f.p));
		size_t n = (size_t)((at != NULL ? at : f.end) - f.p);

		put_text(&f, f.p, n);
		f.p += n;
		rc = at != NULL ? take_tag(&f) : 0;
	}
	if (rc == 0 && (f.size[0] == '\0' || memmem(svg, len, "</svg>", 6) == NULL))
		rc = -EBADMSG;
	if (rc == 0) {
		buf_printf(out,
			   "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" "
			   "viewBox=\"%s\" width=\"100%%\" font-family=\"sans-serif\" role=\"img\" "
			   "aria-label=\"",
			   f.size);
		figure_escape(out, alt);
		buf_puts(out, "\">");
		buf_add(out, buf_text(&body), body.len);
		buf_puts(out, "</svg>\n");
		rc = body.failed || out->failed ? -ENOMEM : 0;
	}
	buf_fini(&body);
	return rc;
}
