/* SPDX-License-Identifier: Apache-2.0 */
/* See fleet_draw.h. */
#include "report/fleet_draw.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "report/fleet.h"
#include "report/script.h"
#include "report/text.h"
#include "report/view.h"

#define ELLIPSIS "\342\200\246"

void draw_text(struct draw_texts *t, double x, double y, enum draw_align align, enum draw_tone tone,
	       const char *text)
{
	if (t->n == DRAW_TEXTS || text[0] == '\0')
		return;
	t->list[t->n].x = x;
	t->list[t->n].y = y;
	t->list[t->n].align = align;
	t->list[t->n].tone = tone;
	text_clean(text, t->list[t->n].text, sizeof(t->list[0].text));
	t->n++;
}

/* Of the widest font a browser is likely to take for sans-serif; one per tone from 1. */
static const double character_px[] = { 7.2, 7.2, 6.6, 8.0, 9.4 };

double draw_text_width(const char *text, enum draw_tone tone)
{
	return text_width(text) * character_px[tone];
}

/* Byte offset of the character with that number. */
static size_t offset_of(const char *text, int character)
{
	size_t i = 0;

	for (int n = -1; text[i] != '\0'; i++) {
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
		if (n == character)
			break;
	}
	return i;
}

void draw_fit(const char *text, double pixels, enum draw_tone tone, char *out, size_t max)
{
	char clean[512];
	int room = (int)(pixels / character_px[tone]), width, tail;
	size_t cut, rest;

	text_clean(text, clean, sizeof(clean));
	width = text_width(clean);
	room = room > 4 ? room : 4;
	if (width <= room) {
		text_clean(clean, out, max);
		return;
	}
	/* the end of a host's name tells more than its middle, the start most */
	tail = (room - 1) / 2;
	cut = offset_of(clean, room - 1 - tail);
	rest = offset_of(clean, width - tail);
	snprintf(out, max, "%.*s" ELLIPSIS "%s", (int)cut, clean, clean + rest);
}

void draw_cut(const char *text, double pixels, enum draw_tone tone, char *out, size_t max)
{
	char clean[512];
	int room = (int)(pixels / character_px[tone]);

	text_clean(text, clean, sizeof(clean));
	room = room > 4 ? room : 4;
	if (text_width(clean) <= room)
		text_clean(clean, out, max);
	else
		snprintf(out, max, "%.*s" ELLIPSIS, (int)text_line(clean, room - 1), clean);
}

void draw_machine(const struct fleet *f, size_t machine, double pixels, char *out, size_t max)
{
	char number[16] = "";
	size_t n;

	if (f->n > 1)
		snprintf(number, sizeof(number), "%zu: ", machine + 1);
	n = strlen(number);
	if (n >= max)
		return;
	memcpy(out, number, n + 1);
	draw_fit(f->machine[machine].name, pixels - (double)n * character_px[DRAW_PLAIN],
		 DRAW_PLAIN, out + n, max - n);
}

void draw_key(struct draw_keys *k, enum draw_key kind, int colour, int fill, const char *text)
{
	if (k->n == DRAW_KEYS)
		return;
	k->list[k->n].kind = kind;
	k->list[k->n].colour = colour;
	k->list[k->n].fill = fill;
	text_clean(text, k->list[k->n].text, sizeof(k->list[0].text));
	k->n++;
}

double draw_keys(const struct draw_keys *k, double y, struct draw_texts *t, struct buf *vars)
{
	static const char *const arrays[] = { "key_x", "key_y", "key_kind", "key_style",
					      "key_fill" };
	double widest = 40;
	size_t columns;

	for (size_t i = 0; i < k->n; i++)
		widest = fmax(widest, draw_text_width(k->list[i].text, DRAW_PLAIN));
	columns = (size_t)((DRAW_WIDTH - 20) / (widest + 64));
	columns = columns > 1 ? columns : 1;
	buf_printf(vars, "n_keys = %zu\n", k->n);
	for (size_t i = 0; i < N_ELEMENTS(arrays); i++)
		script_array(vars, arrays[i], k->n);
	for (size_t i = 0; i < k->n; i++) {
		double x = 12 + (double)(i % columns) * (widest + 64);
		double at = y + 8 + (double)(i / columns) * (DRAW_LINE + 3);

		script_item_number(vars, "key_x", i, x);
		script_item_number(vars, "key_y", i, at);
		buf_printf(vars, "key_kind[%zu] = %d\nkey_style[%zu] = %d\nkey_fill[%zu] = %d\n",
			   i + 1, k->list[i].kind, i + 1, k->list[i].colour, i + 1,
			   k->list[i].fill);
		draw_text(t, x + (k->list[i].kind == DRAW_KEY_LINE ? 42 : 34), at, DRAW_LEFT,
			  DRAW_PLAIN, k->list[i].text);
	}
	return y + (double)((k->n + columns - 1) / columns) * (DRAW_LINE + 3);
}

void draw_page(const struct draw_texts *t, double height, struct buf *vars)
{
	static const char *const arrays[] = { "words", "text_x", "text_y", "text_align",
					      "text_tone" };

	buf_printf(vars, "width = %d\nheight = %.0f\nn_texts = %zu\n", DRAW_WIDTH, ceil(height),
		   t->n);
	for (size_t i = 0; i < N_ELEMENTS(arrays); i++)
		script_array(vars, arrays[i], t->n);
	for (size_t i = 0; i < t->n; i++) {
		script_item_text(vars, "words", i, t->list[i].text);
		script_item_number(vars, "text_x", i, t->list[i].x);
		script_item_number(vars, "text_y", i, t->list[i].y);
		buf_printf(vars, "text_align[%zu] = %d\ntext_tone[%zu] = %d\n", i + 1,
			   t->list[i].align, i + 1, t->list[i].tone);
	}
}

double draw_nice(double v, bool up)
{
	static const double steps[] = { 1, 2, 5, 10 };
	double power = pow(10, floor(log10(v)));

	if (up) {
		for (size_t i = 0; i < N_ELEMENTS(steps); i++)
			if (steps[i] * power >= v * 0.9999)
				return steps[i] * power;
		return 10 * power;
	}
	for (size_t i = N_ELEMENTS(steps); i-- > 0;)
		if (steps[i] * power <= v * 1.0001)
			return steps[i] * power;
	return power;
}

void draw_linear_ticks(struct draw_ticks *t, double max, size_t wanted)
{
	double step = draw_nice(max / (double)wanted, true);

	if (step > max) /* besides 0 there is one at least */
		step = draw_nice(max, false);
	t->n = 0;
	for (size_t i = 0; i < DRAW_TICKS && (double)i * step <= max * 1.0001; i++) {
		t->at[i] = (double)i * step;
		snprintf(t->text[i], sizeof(t->text[0]), "%.6g", t->at[i]);
		t->n++;
	}
}

void draw_ticks_write(const struct draw_ticks *t, const char *name, struct buf *vars)
{
	char array[32];

	buf_printf(vars, "n_%ss = %zu\n", name, t->n);
	snprintf(array, sizeof(array), "%s_at", name);
	script_array(vars, array, t->n);
	for (size_t i = 0; i < t->n; i++)
		script_item_number(vars, array, i, t->at[i]);
	snprintf(array, sizeof(array), "%s_text", name);
	script_array(vars, array, t->n);
	for (size_t i = 0; i < t->n; i++)
		script_item_text(vars, array, i, t->text[i]);
}

/* Upwards from the lowest, then back down from the top. */
void draw_spread(double *place, size_t n, double gap, double length)
{
	double ceiling = length;

	for (size_t i = 1; i < n; i++)
		place[i] = fmax(place[i], place[i - 1] + gap);
	for (size_t i = n; i-- > 0; ceiling = place[i] - gap)
		place[i] = i + 1 == n ? fmin(place[i], length) : fmin(place[i], ceiling);
}

static bool several_backends(const struct fleet *f)
{
	const char *first = NULL;

	for (size_t i = 0; i < f->n; i++) {
		const struct view *v = &f->machine[i].run.view;

		if (v->n_rows == 0)
			continue;
		if (first != NULL && strcmp(first, v->rows[0].backend) != 0)
			return true;
		first = v->rows[0].backend;
	}
	return false;
}

void draw_transport(const struct fleet *f, const struct view *v, const char *transport, char *out,
		    size_t max)
{
	const char *backend = v->n_rows > 0 ? v->rows[0].backend : "";
	char clean[96];

	text_clean(view_transport_label(v, backend, transport), clean, sizeof(clean));
	if (several_backends(f))
		snprintf(out, max, "%s: %s", backend, clean);
	else
		snprintf(out, max, "%s", clean);
}

void draw_say(struct fleet_drawing *d, const char *fmt, ...)
{
	size_t used = strlen(d->alt);
	char text[FLEET_CHART_ALT];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	text_clean(text, d->alt + used, sizeof(d->alt) - used);
}
