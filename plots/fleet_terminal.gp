# SPDX-License-Identifier: Apache-2.0
# Opens out.svg, or out.png for who asks for it by hand (-e "formats = 'svg png'").
if (format eq 'svg') {
	set terminal svg size width,height dynamic noenhanced font 'sans-serif,12' name out
} else {
	set terminal pngcairo size width,height noenhanced font 'DejaVu Sans,9' background '#FFFFFF'
}
set output out.'.'.format
