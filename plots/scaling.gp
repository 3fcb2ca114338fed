# SPDX-License-Identifier: Apache-2.0
# A figure against the number of ranks or channels: a curve per transport, its interval as a band. Ticks only where something was measured.
# Columns of `data`: number, figure, lower and upper end of the interval; one block per curve.
load plots.'/common.gp'
y_label(v) = is_time ? time_label(v) : number_label(v)
set logscale x 2
set logscale y 10
# as in sizes.gp: gnuplot drops a tick that rounding puts beyond the end
set xrange [xmin * 0.97 : xmax * 1.03]
set yrange [ymin * 0.99999 : ymax * 1.00001]
set xtics ('' xmin)
do for [i = 1 : ticks] {
	set xtics add (sprintf('%g', tick[i]) tick[i])
}
decades = log10(ymax / ymin)
set ytics ('' ymin)
do for [k = int(floor(log10(ymin) + 1e-9)) : int(floor(log10(ymax) + 1e-9))] {
	set ytics add (y_label(10.**k) 10.**k)
	if (decades <= 3.) {
		set ytics add (y_label(2 * 10.**k) 2 * 10.**k)
		set ytics add (y_label(5 * 10.**k) 5 * 10.**k)
	}
}
if (!exists('xlabel')) xlabel = 'ranks'
set xlabel xlabel offset char 0, 0.3 noenhanced
set ylabel ylabel offset char 0.5, 0 noenhanced
set lmargin 11
set rmargin 12
set key samplen 3.2
do for [i = 1 : n] {
	set label 100 + i end_text[i] at end_x[i], end_y[i] left offset char 0.8, 0 noenhanced \
		font ',11' tc rgb colour(style[i])
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
