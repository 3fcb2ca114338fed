/* SPDX-License-Identifier: Apache-2.0 */
/* TABLE of local reductions in plain C, for host memory. Not tuned beyond what compilers vectorize.
 */
#pragma once

#include <stddef.h>

/* dst[i] = dst[i] op src[i] for n elements; the two do not overlap. */
typedef void ucx_reduce_fn(void *dst, const void *src, size_t n);

/* dtype_id and redop_id; NULL when there is no such row. */
ucx_reduce_fn *ucx_reduce_find(int dtype, int redop);
