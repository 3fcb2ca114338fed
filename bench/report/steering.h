/* SPDX-License-Identifier: Apache-2.0 */
/* What the user's own NCCL variables cost NCCL's own choice of transport. One line; looks for no
 * variable itself. */
#pragma once

struct buf;
struct view;

/* `variables` as "A=1 B=2"; adds nothing where it is empty or auto was not measured. */
void steering_say(const struct view *v, const char *variables, struct buf *out);
