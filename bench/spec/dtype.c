/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of dtype.h. Conversions are in ncclbench/pattern.h, which kernels share. */
#include "spec/dtype.h"

#include "spec/lookup.h"

/*
 * tolerance: an average is computed by the library as the sum of x * (1/n), in the element type, of
 * which two terms are not zero. Three roundings of half a unit in the last place each are possible;
 * the value is the next power of two above. Integers are summed, then divided: exact.
 */
/* clang-format off */
const struct dtype dtype_table[DTYPE_COUNT] = {
	[DTYPE_INT8] = { .name = "int8", .alias = "char", .nccl_since = 2000, .bytes = 1 },
	[DTYPE_UINT8] = { .name = "uint8", .nccl_since = 2000, .bytes = 1 },
	[DTYPE_INT32] = { .name = "int32", .alias = "int", .nccl_since = 2000, .bytes = 4 },
	[DTYPE_UINT32] = { .name = "uint32", .nccl_since = 2000, .bytes = 4 },
	[DTYPE_INT64] = { .name = "int64", .nccl_since = 2000, .bytes = 8 },
	[DTYPE_UINT64] = { .name = "uint64", .nccl_since = 2000, .bytes = 8 },
	[DTYPE_HALF] = { .name = "half", .alias = "float16", .nccl_since = 2000, .bytes = 2,
			 .tolerance = 0x1p-9 },
	[DTYPE_FLOAT] = { .name = "float", .alias = "float32", .nccl_since = 2000, .bytes = 4,
			  .tolerance = 0x1p-21 },
	[DTYPE_DOUBLE] = { .name = "double", .alias = "float64", .nccl_since = 2000, .bytes = 8,
			   .tolerance = 0x1p-50 },
	[DTYPE_BFLOAT16] = { .name = "bfloat16", .alias = "bf16", .nccl_since = 21003, .bytes = 2,
			     .tolerance = 0x1p-6 },
	[DTYPE_FP8E4M3] = { .name = "f8e4m3", .alias = "fp8_e4m3", .nccl_since = 22400, .bytes = 1,
			    .tolerance = 0x1p-2 },
	[DTYPE_FP8E5M2] = { .name = "f8e5m2", .alias = "fp8_e5m2", .nccl_since = 22400, .bytes = 1,
			    .tolerance = 0x1p-1 },
};
/* clang-format on */

int dtype_find(const char *name)
{
	int id = LOOKUP(dtype_table, DTYPE_COUNT, struct dtype, name, name);

	return id >= 0 ? id : LOOKUP(dtype_table, DTYPE_COUNT, struct dtype, alias, name);
}
