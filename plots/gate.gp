# SPDX-License-Identifier: Apache-2.0
# A new run against the baseline, over message size: percent of the baseline's median time, slower is up.
# Columns of `data`: bytes, new median, its fastest and slowest restart, baseline from, to, limit.
load plots.'/common.gp'
do for [i = 1 : int(n_says)] {
	set label 910 + i says[i] at screen 0.012, screen 1 - (27. + 21. * i) / height left noenhanced font ',10.5' tc rgb '#444444'
}
set label 903 sub2 at screen 0.012, screen 1 - (48. + 21. * n_says) / height left noenhanced font ',10.5' tc rgb '#444444'
set label 904 caption at screen 0.012, screen 1 - (69. + 21. * n_says) / height left noenhanced font ',10.5' tc rgb '#444444'
set tmargin 5. + 1.3 * n_says
y_label(v) = sprintf('%+g', v)
set logscale x 2
set xrange [xmin : xmax]
set yrange [-ymax : ymax]
octaves = log(xmax / xmin) / log(2.)
xstep = octaves > 20 ? 3 : octaves > 10 ? 2 : 1
set xtics ('' xmin)
do for [k = int(ceil(log(xmin) / log(2.))) : int(floor(log(xmax) / log(2.))) : xstep] {
	set xtics add (size_label(2.**k) 2.**k)
}
set format y '%+g'
set xlabel 'message size' offset char 0, 0.3 noenhanced
set ylabel 'time against the baseline (%), slower is up' offset char 0.5, 0 noenhanced
set lmargin 11
set xzeroaxis lc rgb '#444444' lw 1.2
do for [format in formats] {
	load plots.'/terminal.gp'
	plot data using 1:5:6 with filledcurves fs transparent solid 0.25 noborder lc rgb colour(9) title 'baseline', \
		data using 1:5:6 with lines lc rgb colour(9) notitle, \
		data using 1:7 with steps lc rgb colour(2) lw 1.6 dt 2 title 'limit', \
		data using 1:2:3:4 with yerrorbars lc rgb colour(1) pt shape(1) lw 1.4 title 'new run', \
		data using 1:2 with lines lc rgb colour(1) lw 2 notitle
	unset output
}
