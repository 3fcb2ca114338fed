# SPDX-License-Identifier: Apache-2.0
# Bars in rows, one or two panels side by side; the parts of a bar lie one behind the other.
# Columns of `data`: panel from 1, middle of the row and half its thickness (pixels), from, to, style.
load plots.'/fleet_common.gp'
set grid noytics xtics
set border 2 lw 1 lc rgb faint
unset ytics
do for [format in formats] {
	load plots.'/fleet_terminal.gp'
	set multiplot
	load plots.'/fleet_texts.gp'
	do for [p = 1 : n_panels] {
		set lmargin at screen page_x(panel_left[p])
		set rmargin at screen page_x(panel_right[p])
		set tmargin at screen page_y(panel_top[p])
		set bmargin at screen page_y(panel_bottom[p])
		set xrange [0 : panel_xmax[p]]
		set yrange [panel_bottom[p] : panel_top[p]]
		set xtics offset 0, 0.4 ('' 0)
		do for [i = 1 : n_xticks] {
			if (xtick_panel[i] == p) { set xtics add (xtick_text[i] xtick_at[i]) font ',11' textcolor rgb faint }
		}
		# A solid fill is no pattern: in a PDF of the page each pattern becomes a picture of its own.
		plot for [s = 1 : n_styles] data using ($1 == p && $6 == s && style_fill[s] == 3 ? $4 : NaN):2:4:5:($2 - $3):($2 + $3) \
			with boxxyerror fs solid 1 border lc rgb colour(style_colour[s]) \
			lc rgb colour(style_colour[s]) lw 1 notitle, \
			for [s = 1 : n_styles] data using ($1 == p && $6 == s && style_fill[s] != 3 ? $4 : NaN):2:4:5:($2 - $3):($2 + $3) \
			with boxxyerror fs pattern int(style_fill[s]) border lc rgb colour(style_colour[s]) \
			lc rgb colour(style_colour[s]) lw 1 notitle
		unset label
		unset arrow
		unset object
	}
	unset multiplot
	unset output
}
