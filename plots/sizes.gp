# SPDX-License-Identifier: Apache-2.0
# Axes of pictures over message size: x by powers of 2 from xmin to xmax (bytes), y by powers of 10 from
# ymin to ymax, both ends given by the driver. y_label(v) names a tick.
set logscale x 2
set logscale y 10
# a hair wider: gnuplot drops a tick that rounding puts beyond the end
set xrange [xmin * 0.99999 : xmax * 1.00001]
set yrange [ymin * 0.99999 : ymax * 1.00001]
octaves = log(xmax / xmin) / log(2.)
xstep = octaves > 20 ? 3 : octaves > 10 ? 2 : 1
# From the first size on when that is a power of two, else from the power of two above it.
xfirst = log(xmin) / log(2.)
xfirst = abs(xfirst - floor(xfirst + 0.5)) < 1e-9 ? floor(xfirst + 0.5) : ceil(xfirst)
set xtics ('' xmin)
do for [k = 0 : int(floor((log(xmax) / log(2.) - xfirst) / xstep + 1e-9))] {
	set xtics add (size_label(2.**(xfirst + k * xstep)) 2.**(xfirst + k * xstep))
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
set xlabel 'message size' offset char 0, 0.3 noenhanced
set lmargin 11
set rmargin 12
set key samplen 3.2

# The last value of each curve, behind its end; with end_over above it where other, rising curves go on. The driver has
# moved those apart that would overlap.
do for [i = 1 : n] {
	if (!end_over || end_x[i] >= xmax || points[i] == 1) {
		set label 100 + i end_text[i] at end_x[i], end_y[i] left offset char 0.8, 0 noenhanced \
			font ',11' tc rgb colour(style[i])
	} else {
		set label 100 + i end_text[i] at end_x[i], end_y[i] center offset char 0, 0.9 noenhanced \
			font ',11' tc rgb colour(style[i])
	}
}
