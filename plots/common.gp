# SPDX-License-Identifier: Apache-2.0
# The look of every picture: colours, shapes, ticks, title. Draws nothing itself. plots/README.md lists
# the variables that a driver sets. Texts of a run are only ever printed with `noenhanced`.
reset
set encoding utf8

# Okabe and Ito's colours. Shape and dash differ too: a copy in black and white still reads.
colours = '#0072B2 #D55E00 #009E73 #CC79A7 #000000 #E69F00 #56B4E9 #8C7A00 #666666'
shapes = '7 5 9 13 2 11 4 6 8'
dashes = '1 2 4 5 3'
colour(i) = word(colours, (i - 1) % 9 + 1)
shape(i) = int(word(shapes, (i - 1) % 9 + 1))
dash(i) = int(word(dashes, (i - 1) % 5 + 1))

# SVG always; PNG where this gnuplot can.
formats = 'svg'.(strstrt(GPVAL_TERMINALS, 'pngcairo') ? ' png' : '')

set border 3 lw 1.2 lc rgb '#444444'
set grid lc rgb '#DDDDDD' lw 1 lt 1
set tics nomirror out scale 0.6
# Under the picture, where it hides nothing.
set key outside below center horizontal Left reverse noenhanced width 1 height 0.6 font ',11'

# Title and the lines under it: what was measured, on which machine, with which versions.
set tmargin 6.3
set label 901 title at screen 0.012, screen 1 - 23. / height left noenhanced font ',15'
set label 902 sub1 at screen 0.012, screen 1 - 48. / height left noenhanced font ',10.5' tc rgb '#444444'
set label 903 sub2 at screen 0.012, screen 1 - 69. / height left noenhanced font ',10.5' tc rgb '#444444'
set label 904 caption at screen 0.012, screen 1 - 90. / height left noenhanced font ',10.5' tc rgb '#444444'

size_label(v) = v < 1024. ? sprintf('%.4g B', v) : v < 1048576. ? sprintf('%.4g KiB', v / 1024.) \
	: v < 1073741824. ? sprintf('%.4g MiB', v / 1048576.) : sprintf('%.4g GiB', v / 1073741824.)
time_label(v) = v < 1e3 ? sprintf('%.4g µs', v) : v < 1e6 ? sprintf('%.4g ms', v / 1e3) : sprintf('%.4g s', v / 1e6)
number_label(v) = sprintf('%g', v)
