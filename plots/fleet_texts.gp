# SPDX-License-Identifier: Apache-2.0
# Texts and the key of the report's pictures, at the places that the driver gives: it knows what would overlap.
do for [i = 1 : n_texts] {
	if (text_align[i] == 0) {
		set label i words[i] at screen page_x(text_x[i]), screen page_y(text_y[i]) left noenhanced \
			font text_font(text_tone[i]) tc rgb text_ink(text_tone[i])
	}
	if (text_align[i] == 1) {
		set label i words[i] at screen page_x(text_x[i]), screen page_y(text_y[i]) center noenhanced \
			font text_font(text_tone[i]) tc rgb text_ink(text_tone[i])
	}
	if (text_align[i] == 2) {
		set label i words[i] at screen page_x(text_x[i]), screen page_y(text_y[i]) right noenhanced \
			font text_font(text_tone[i]) tc rgb text_ink(text_tone[i])
	}
}
do for [i = 1 : n_keys] {
	if (key_kind[i] == 1) {
		set arrow i from screen page_x(key_x[i]), screen page_y(key_y[i]) \
			to screen page_x(key_x[i] + 34), screen page_y(key_y[i]) nohead \
			lc rgb colour(key_style[i]) lw 2 dt dash(key_style[i])
		set label 1000 + i '' at screen page_x(key_x[i] + 17), screen page_y(key_y[i]) \
			point pt shape(key_style[i]) ps 0.75 lc rgb colour(key_style[i])
	}
	if (key_kind[i] == 2) {
		set object i rectangle from screen page_x(key_x[i]), screen page_y(key_y[i] + 6) \
			to screen page_x(key_x[i] + 26), screen page_y(key_y[i] - 6) \
			fc rgb colour(key_style[i]) fs solid 1 border lc rgb colour(key_style[i])
	}
	if (key_kind[i] == 2 && key_fill[i] != 3) {
		set object i rectangle fs pattern int(key_fill[i]) border lc rgb colour(key_style[i])
	}
}
