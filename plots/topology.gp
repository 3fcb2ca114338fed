# SPDX-License-Identifier: Apache-2.0
# A cell per ordered pair of GPUs: its colour is the kind of path (kind[], 2 the best), its word says it, too.
load plots.'/common.gp'
unset border
unset grid
unset ytics
unset xtics
unset key
set tmargin 8
set lmargin 10
set rmargin 4
set bmargin 1
set xrange [-0.5 : n - 0.5]
set yrange [n - 0.5 : -0.5]
fill_of(k) = word('#EEEEEE #FFFFFF #009E73 #56B4E9 #56B4E9 #E69F00 #E69F00 #D55E00', k + 1)
do for [i = 0 : int(n) - 1] {
	set label 100 + i name[i + 1] at graph 0, first i right offset char -1, 0 noenhanced font ',12'
	set label 200 + i name[i + 1] at first i, graph 1 center offset char 0, 0.8 noenhanced font ',12'
	do for [j = 0 : int(n) - 1] {
		c = i * int(n) + j + 1
		k = i == j ? 1 : int(kind[c])
		set object 1000 + c rectangle from first j - 0.47, first i - 0.45 to first j + 0.47, first i + 0.45 \
			fc rgb fill_of(k) fs solid 0.45 border lc rgb '#444444'
		set label 1000 + c word[c] at first j, first i center offset char 0, 0.45 noenhanced font ',13' front
		set label 3000 + c p2p[c] at first j, first i center offset char 0, -0.75 noenhanced font ',10' front
	}
}
do for [format in formats] {
	load plots.'/terminal.gp'
	plot NaN notitle
	unset output
}
