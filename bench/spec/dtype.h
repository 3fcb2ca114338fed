/* SPDX-License-Identifier: Apache-2.0 */
/* TABLE of element types: NCCL's names, NCCL's numbers (nccl.h, ncclDataType_t, 2.14 to 2.30). */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum dtype_id { /* values equal ncclDataType_t */
		DTYPE_INT8,
		DTYPE_UINT8,
		DTYPE_INT32,
		DTYPE_UINT32,
		DTYPE_INT64,
		DTYPE_UINT64,
		DTYPE_HALF,
		DTYPE_FLOAT,
		DTYPE_DOUBLE,
		DTYPE_BFLOAT16,
		DTYPE_FP8E4M3,
		DTYPE_FP8E5M2,
		DTYPE_COUNT,
};

struct dtype {
	const char *name; /* nccl-tests' spelling: int8 uint8 int32 ... half float double bfloat16
			     f8e4m3 f8e5m2 */
	const char *alias;     /* float32 float16 float64 bf16 fp8_e4m3 ..., or NULL */
	int nccl_since;        /* NCCL_VERSION_CODE that brought it: bf16 21003, fp8 22400 */
	uint32_t bytes;
	double tolerance;      /* allowed relative error of an averaged value; 0: exact */
};

extern const struct dtype dtype_table[DTYPE_COUNT];
int dtype_find(const char *name); /* name or alias; -1 */
