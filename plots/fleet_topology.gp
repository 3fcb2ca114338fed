# SPDX-License-Identifier: Apache-2.0
# A matrix of GPUs per machine: filled where one can read the other's memory directly, empty where it cannot.
# Columns of `data`: left, top, right, bottom of a cell (pixels), kind (0 itself, 1 unknown, 2 yes, 3 no).
load plots.'/fleet_common.gp'
unset border
unset grid
unset tics
cell_colour(k) = k == 2 ? colour(3) : k == 3 ? colour(2) : rule
cell_fill(k) = int(word('4 0 3 0', int(k) + 1))
cell_density(k) = k == 2 ? 0.25 : 1
set lmargin at screen 0
set rmargin at screen 1
set tmargin at screen 1
set bmargin at screen 0
set xrange [0 : width]
set yrange [height : 0]
do for [format in formats] {
	load plots.'/fleet_terminal.gp'
	load plots.'/fleet_texts.gp'
	plot for [k = 0 : 3] data using ($5 == k && k != 2 ? $1 : NaN):2:1:3:2:4 with boxxyerror \
		fs pattern cell_fill(k) border lc rgb cell_colour(k) lc rgb cell_colour(k) lw 1.5 notitle, \
		data using ($5 == 2 ? $1 : NaN):2:1:3:2:4 with boxxyerror \
		fs transparent solid cell_density(2) border lc rgb cell_colour(2) lc rgb cell_colour(2) lw 1.5 notitle
	unset output
}
