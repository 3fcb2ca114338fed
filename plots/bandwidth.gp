# SPDX-License-Identifier: Apache-2.0
# Bus bandwidth against message size: a curve per transport, its interval as a band, peaks as dotted lines.
# Columns of `data`: bytes, GB/s, lower and upper end of the interval; one block per curve.
load plots.'/common.gp'
y_label(v) = number_label(v)
end_over = 0
load plots.'/sizes.gp'
set ylabel 'bus bandwidth (GB/s)' offset char 0.5, 0 noenhanced
do for [i = 1 : n_peaks] {
	set arrow 200 + i from xmin, peak_y[i] to xmax, peak_y[i] nohead lc rgb '#555555' lw 1.4 dt 3 back
	set label 200 + i peak_text[i] at graph peak_x[i], first peak_y[i] left offset char 0.3, 0.55 noenhanced \
		font ',10' tc rgb '#444444'
}
do for [format in formats] {
	load plots.'/terminal.gp'
	plot for [i = 1 : n] data index i - 1 using 1:3:4 with filledcurves fs transparent solid 0.18 noborder \
		lc rgb colour(style[i]) notitle, \
		for [i = 1 : n] data index i - 1 using 1:(points[i] == 1 ? $2 : NaN):3:4 with yerrorbars ps 0 \
		lc rgb colour(style[i]) notitle, \
		for [i = 1 : n] data index i - 1 using 1:2 with linespoints lw 2 lc rgb colour(style[i]) \
		pt shape(style[i]) dt dash(style[i]) title label[i] noenhanced
	unset output
}
