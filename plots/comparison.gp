# SPDX-License-Identifier: Apache-2.0
# Bars: bus bandwidth of each transport at one size per operation; a transport without figures has its reason instead.
# Columns of `data`: row, operation (from 1), GB/s.
load plots.'/common.gp'
stretch = 1.18
load plots.'/rows.gp'
set key maxcols 1
set xlabel 'bus bandwidth (GB/s)' offset char 0, 0.3 noenhanced
thick = 0.76 / n
middle(row, op) = row - 0.38 + (op - 0.5) * thick
half = thick * 0.42
do for [r = 1 : rows] {
	set label 400 + r reason[r] at first 0, first r - 1 left offset char 1, 0 noenhanced \
		font ',10.5' tc rgb '#555555'
}
do for [b = 1 : bars] {
	set label 500 + b bar_text[b] at first bar_x[b], first middle(bar_row[b], bar_op[b]) left \
		offset char 0.8, 0 noenhanced font ',11'
}
do for [p = 1 : n_peaks] {
	set arrow 600 + p from first peak_gbps[p], first peak_row[p] - 0.42 to first peak_gbps[p], first peak_row[p] + 0.42 \
		nohead lc rgb '#444444' lw 2 dt 3
}
do for [format in formats] {
	load plots.'/terminal.gp'
	plot for [i = 1 : n] data using (0):($2 == i ? middle($1, $2) : NaN):(0):3:(middle($1, $2) - half):(middle($1, $2) + half) \
		with boxxyerror fs pattern fill(i) lc rgb colour(i) lw 1.5 title label[i] noenhanced, \
		for [p = 1 : n_peaks > 0] NaN with lines lc rgb '#444444' lw 2 dt 3 title peak_title noenhanced
	unset output
}
