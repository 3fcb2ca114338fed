# SPDX-License-Identifier: Apache-2.0
# Stacked bars: how many points of each transport ended how. The words over each bar say the same in numbers.
# Columns of `data`: row, from, to, outcome (from 1, as in label[]).
load plots.'/common.gp'
stretch = 1.02
load plots.'/rows.gp'
set xlabel 'points' offset char 0, 0.3 noenhanced
outcome_colours = '#009E73 #999999 #E69F00 #D55E00 #CC79A7 #8B0000 #D55E00 #56B4E9 #BBBBBB #444444'
outcome_fills = '3 4 1 2 7 3 6 5 0 1'
do for [r = 1 : rows] {
	set label 400 + r bar_text[r] at first 0, first r - 1 - 0.28 left offset char 0.3, 0 noenhanced font ',11'
}
do for [format in formats] {
	load plots.'/terminal.gp'
	plot for [i = 1 : n] data using (0):($4 == i ? $1 : NaN):2:3:($1 - 0.08):($1 + 0.32) with boxxyerror \
		fs pattern int(word(outcome_fills, i)) lc rgb word(outcome_colours, i) lw 1.2 \
		title (seen[i] > 0 ? label[i] : '') noenhanced
	unset output
}
