# SPDX-License-Identifier: Apache-2.0
# The look of the report's pictures: colours, texts, key. Loads nothing of a run but variables (plots/README.md) and
# draws only what stands beside the axes. Places are pixels from the top left corner.
reset
set encoding utf8
if (!exists('formats')) formats = 'svg'
page_x(x) = x / real(width)
page_y(y) = 1 - y / real(height)

# A page replaces exactly these by its own, light or dark (bench/report/figure_svg.c holds the same list).
ink = '#1A1A1A'
faint = '#565656'
rule = '#D9D9D9'
colours = '#0072B2 #D55E00 #009E73 #B5548A #000000 #A66F00 #2E8FC7 #7A6A00 #666666'
shapes = '7 5 9 13 2 11 4 6 8'
dashes = '1 2 4 5 3 1 2 4 5'
colour(i) = word(colours, (i - 1) % 9 + 1)
shape(i) = int(word(shapes, (i - 1) % 9 + 1))
dash(i) = int(word(dashes, (i - 1) % 9 + 1))

set border 3 lw 1 lc rgb faint
set grid lc rgb rule lw 1 lt 1
set tics nomirror out scale 0.5
unset key
set format x ''
set format y ''

# Tone 1 is plain, 2 faint and smaller, 3 a heading, 4 the title.
text_font(tone) = word('sans-serif,12 sans-serif,11 sans-serif:Bold,12 sans-serif:Bold,14', int(tone))
text_ink(tone) = tone == 2 ? faint : ink
