# SPDX-License-Identifier: Apache-2.0
# Curves over message size, a panel per transport (or one for all): bandwidth, latency or a ratio, with intervals as bands.
# Columns of `data`: bytes, value, interval from, to; a block per curve.
load plots.'/fleet_common.gp'
set logscale x 2
set logscale y 10
set xrange [xmin * 0.99999 : xmax * 1.00001]
set yrange [ymin * 0.99999 : ymax * 1.00001]
do for [format in formats] {
	load plots.'/fleet_terminal.gp'
	set multiplot
	load plots.'/fleet_texts.gp'
	set xtics offset 0, 0.4 ('' xmin)
	do for [i = 1 : n_xticks] { set xtics add (xtick_text[i] xtick_at[i]) font ',11' textcolor rgb faint }
	set ytics ('' ymin)
	do for [i = 1 : n_yticks] { set ytics add (ytick_text[i] ytick_at[i]) font ',11' textcolor rgb faint }
	do for [p = 1 : n_panels] {
		set lmargin at screen page_x(panel_left[p])
		set rmargin at screen page_x(panel_right[p])
		set tmargin at screen page_y(panel_top[p])
		set bmargin at screen page_y(panel_bottom[p])
		do for [i = 1 : n_lines] {
			if (line_panel[i] == p) {
				set arrow 500 + i from xmin, line_y[i] to xmax, line_y[i] nohead lc rgb faint lw 1.4 dt 3 back
			}
		}
		plot for [i = curve_first[p] : curve_last[p]] data index i - 1 using 1:3:4 with filledcurves \
			fs transparent solid 0.2 noborder lc rgb colour(curve_style[i]) notitle, \
			for [i = curve_first[p] : curve_last[p]] data index i - 1 \
			using 1:(curve_points[i] == 1 ? $2 : NaN):3:4 with yerrorbars ps 0 lc rgb colour(curve_style[i]) notitle, \
			for [i = curve_first[p] : curve_last[p]] data index i - 1 using 1:2 with linespoints lw 1.6 ps 0.5 \
			lc rgb colour(curve_style[i]) pt shape(curve_style[i]) dt dash(curve_style[i]) pi curve_marks[i] notitle
		unset label
		unset arrow
	}
	unset multiplot
	unset output
}
