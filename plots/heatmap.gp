# SPDX-License-Identifier: Apache-2.0
# A cell per row and column: shade[] is 0 (pale) to 1 (dark), below 0 empty; word[] and note[] stand in it. By the eye of a
# reader who sees no colours the darkness says the same.
load plots.'/common.gp'
unset border
unset grid
unset ytics
unset xtics
unset key
set tmargin 9
set lmargin left_room
set rmargin 3
set bmargin 2
set xrange [-0.5 : cols - 0.5]
set yrange [rows - 0.5 : -0.5]
mix(s, a, b) = int(a + s * (b - a))
fill_of(s) = sprintf('#%02X%02X%02X', mix(s, 247, 8), mix(s, 251, 81), mix(s, 255, 156))
ink_of(s) = s > 0.55 ? '#FFFFFF' : '#000000'
set label 905 col_title at graph 0.5, graph 1 center offset char 0, 2.2 noenhanced font ',11' tc rgb '#444444'
do for [j = 0 : int(cols) - 1] {
	set label 200 + j col_name[j + 1] at first j, graph 1 center offset char 0, 0.8 noenhanced font ',11'
}
# Words are as small as the longest one needs to stay within its cell; at 10 points a letter is at most 7.6 pixels wide.
longest = 1
do for [c = 1 : int(rows) * int(cols)] { longest = strlen(word[c]) > longest ? strlen(word[c]) : longest }
cell_px = 0.92 * (930. - 7. * left_room) / cols
word_size = 10. * cell_px / (7.6 * longest)
word_size = word_size > 11 ? 11 : word_size < 5 ? 5 : word_size
note_size = word_size < 9 ? word_size : 9
do for [i = 0 : int(rows) - 1] {
	set label 10000 + i row_name[i + 1] at graph 0, first i right offset char -1, 0 noenhanced font ',11'
	do for [j = 0 : int(cols) - 1] {
		c = i * int(cols) + j + 1
		if (shade[c] >= 0) {
			set object 20000 + c rectangle from first j - 0.48, first i - 0.46 to first j + 0.48, first i + 0.46 \
				fc rgb fill_of(shade[c]) fs solid 1.0 border lc rgb '#888888'
			set label 40000 + c word[c] at first j, first i center offset char 0, 0.45 noenhanced font sprintf(',%.1f', word_size) tc rgb ink_of(shade[c]) front
			set label 60000 + c note[c] at first j, first i center offset char 0, -0.6 noenhanced font sprintf(',%.1f', note_size) tc rgb ink_of(shade[c]) front
		}
	}
}
do for [format in formats] {
	load plots.'/terminal.gp'
	plot NaN notitle
	unset output
}
