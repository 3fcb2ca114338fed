# SPDX-License-Identifier: Apache-2.0
# Opens out.svg or out.png, as `format` says. Loaded once per format. Sizes differ because a point of text is a pixel in
# gnuplot's SVG and 4/3 pixel in its PNG.
if (format eq 'svg') {
	set terminal svg size 1000,height dynamic noenhanced font 'sans-serif,12' fontscale 1.3 name out background '#FFFFFF'
	set pointsize 0.65
} else {
	set terminal pngcairo size 1000,height noenhanced font 'DejaVu Sans,12' background '#FFFFFF'
	set pointsize 0.95
}
set output out.'.'.format
