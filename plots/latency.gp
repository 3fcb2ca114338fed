# SPDX-License-Identifier: Apache-2.0
# Time of one operation against message size: a curve per transport, its interval as a band.
# Columns of `data`: bytes, microseconds, lower and upper end of the interval; one block per curve.
load plots.'/common.gp'
y_label(v) = time_label(v)
end_over = 1
load plots.'/sizes.gp'
set ylabel ylabel offset char 0.5, 0 noenhanced
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
