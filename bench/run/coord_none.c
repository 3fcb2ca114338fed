/* SPDX-License-Identifier: Apache-2.0 */
/* Built without MPI: one rank only. */
#include "run/coord.h"

int coord_open(struct coord *c)
{
	return coord_solo_open(c);
}
