/* SPDX-License-Identifier: Apache-2.0 */
/* Names as CUDA gives them, and the family they must fall into. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/attr.h"
#include "doctor/hardware.h"

static void names_fall_into_families(void **state)
{
	static const struct {
		const char *name, *cc, *family;
	} cases[] = {
		{ "NVIDIA GeForce RTX 4090", "8.9", "RTX 40xx" },
		{ "NVIDIA GeForce RTX 4070 Ti SUPER", "8.9", "RTX 40xx" },
		{ "NVIDIA GeForce RTX 5090", "12.0", "RTX 50xx" },
		{ "NVIDIA GeForce RTX 3090", "8.6", "RTX 3090/3090 Ti" },
		{ "NVIDIA GeForce RTX 3080", "8.6", "RTX 30xx" },
		{ "NVIDIA H200", "9.0", "H100/H200/H800/H20 SXM" },
		{ "NVIDIA H200 NVL", "9.0", "H100 PCIe/NVL" },
		{ "NVIDIA H100 80GB HBM3", "9.0", "H100/H200/H800/H20 SXM" },
		{ "NVIDIA H100 PCIe", "9.0", "H100 PCIe/NVL" },
		{ "NVIDIA GH200 480GB", "9.0", "GH200" },
		{ "NVIDIA B200", "10.0", "B200/B300, GB200/GB300" },
		{ "NVIDIA GB200", "10.0", "B200/B300, GB200/GB300" },
		{ "NVIDIA A100-SXM4-80GB", "8.0", "A100/A800" },
		{ "NVIDIA A10", "8.6", "A40/A10/A16/A2" },
		{ "NVIDIA A10G", "8.6", "A40/A10/A16/A2" },
		{ "NVIDIA RTX A6000", "8.6", "RTX A6000 and other RTX A" },
		{ "NVIDIA RTX 6000 Ada Generation", "8.9", "RTX 6000 Ada and other RTX Ada" },
		{ "NVIDIA RTX PRO 6000 Blackwell Server Edition", "12.0", "RTX PRO Blackwell" },
		{ "NVIDIA L40S", "8.9", "L4/L40/L40S" },
		{ "NVIDIA L4", "8.9", "L4/L40/L40S" },
		{ "Tesla V100-SXM2-32GB", "7.0", "V100" },
		{ "Tesla T4", "7.5", "T4" },
		{ "Quadro RTX 6000", "7.5", "Quadro RTX" },
	};

	for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
		const struct hardware *h = hardware_find(cases[i].name, cases[i].cc);

		if (!h)
			print_message("%s\n", cases[i].name);
		assert_non_null(h);
		assert_string_equal(h->family, cases[i].family);
	}
}

static void strangers_are_unknown(void **state)
{
	assert_null(hardware_find("NVIDIA A1000 Something", ""));
	assert_null(hardware_find("Fake GPU", "9.0"));
	assert_null(hardware_find("", ""));
}

static void rows_are_complete(void **state)
{
	for (size_t i = 0; i < hardware_count; i++) {
		const struct hardware *h = &hardware_table[i];

		assert_true(h->family[0] && h->names[0] && h->nvlink[0] && h->p2p[0] &&
			    h->rdma[0] && h->cuda[0] && h->nccl[0]);
	}
	assert_false(hardware_find("NVIDIA GeForce RTX 4090", "8.9")->p2p_over_pcie);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_fall_into_families),
		cmocka_unit_test(strangers_are_unknown),
		cmocka_unit_test(rows_are_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
