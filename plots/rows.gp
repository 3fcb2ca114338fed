# SPDX-License-Identifier: Apache-2.0
# Axes of pictures with a row per transport: names at the left, row 0 at the top, x from 0 to xmax.
set xrange [0 : xmax * stretch]
set yrange [rows - 0.5 : -0.5]
unset ytics
set grid noytics xtics
set lmargin name_width
set rmargin 3
set key samplen 2.5
do for [r = 1 : rows] {
	set label 300 + r name[r] at graph 0, first r - 1 right offset char -0.8, 0 noenhanced font ',12'
}

# Fills differ in pattern as well as in colour.
fills = '3 6 1 7 2 4 5 1 0 2'
fill(i) = int(word(fills, (i - 1) % 10 + 1))
