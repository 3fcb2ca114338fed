/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "base/attr.h"
#include "spec/dtype.h"
#include "spec/redop.h"
#include "worker/ucx_reduce.h"

/* Integers are added and multiplied as unsigned: repeated in-place sums wrap instead of being
 * undefined, with the same bits. */
#define REDUCTION(name, type, expression)                      \
	static void name(void *dst, const void *src, size_t n) \
	{                                                      \
		type *restrict d = dst;                        \
		const type *restrict s = src;                  \
		size_t i;                                      \
                                                               \
		for (i = 0; i < n; i++)                        \
			d[i] = (expression);                   \
	}

#define ROWS(prefix, type, modular)                              \
	REDUCTION(prefix##_sum, modular, d[i] + s[i])            \
	REDUCTION(prefix##_prod, modular, d[i] * s[i])           \
	REDUCTION(prefix##_max, type, d[i] > s[i] ? d[i] : s[i]) \
	REDUCTION(prefix##_min, type, d[i] < s[i] ? d[i] : s[i])

ROWS(int32, int32_t, uint32_t)
ROWS(int64, int64_t, uint64_t)
ROWS(float32, float, float)
ROWS(float64, double, double)

#define ENTRIES(dtype, prefix)                    \
	[dtype] = { [REDOP_SUM] = prefix##_sum,   \
		    [REDOP_PROD] = prefix##_prod, \
		    [REDOP_MAX] = prefix##_max,   \
		    [REDOP_MIN] = prefix##_min }

static ucx_reduce_fn *const reductions[DTYPE_COUNT][REDOP_COUNT] = {
	ENTRIES(DTYPE_INT32, int32),
	ENTRIES(DTYPE_INT64, int64),
	ENTRIES(DTYPE_FLOAT, float32),
	ENTRIES(DTYPE_DOUBLE, float64),
};

ucx_reduce_fn *ucx_reduce_find(int dtype, int redop)
{
	if (dtype < 0 || dtype >= DTYPE_COUNT || redop < 0 || redop >= REDOP_COUNT)
		return NULL;
	return reductions[dtype][redop];
}
