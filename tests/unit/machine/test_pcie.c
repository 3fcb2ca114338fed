/* SPDX-License-Identifier: Apache-2.0 */
/* PCIe limits of card and slot in trees with sysfs' links, and the rates of the generations. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/attr.h"
#include "machine/host.h"
#include "tree.h"

#define PORT "/sys/devices/pci0000:30/0000:30:01.0"
#define CARD PORT "/0000:34:00.0"
#define LINK "/sys/bus/pci/devices/0000:34:00.0"
#define TARGET "../../../devices/pci0000:30/0000:30:01.0/0000:34:00.0"

struct link {
	const char *card_speed, *card_width, *port_speed, *port_width; /* NULL: no such file */
	int gen, width;
};

static void put(const char *root, const char *path, const char *text)
{
	char full[512];

	snprintf(full, sizeof(full), "%s%s", root, path);
	unlink(full);
	if (text != NULL)
		tree_write(root, path, text);
}

static void test_lower_of_card_and_slot(void **state)
{
	static const struct link want[] = {
		{ "32.0 GT/s PCIe\n", "16\n", "32.0 GT/s PCIe\n", "16\n", 5, 16 },
		{ "32.0 GT/s PCIe\n", "16\n", "16.0 GT/s PCIe\n", "16\n", 4, 16 },
		{ "16.0 GT/s PCIe\n", "16\n", "64.0 GT/s PCIe\n", "8\n", 4, 8 },
		{ "8 GT/s\n", "8\n", "8.0 GT/s PCIe\n", "16\n", 3, 8 }, /* older kernels */
		{ "5.0 GT/s PCIe\n", "4\n", "2.5 GT/s PCIe\n", "1\n", 1, 1 },
		{ "32.0 GT/s PCIe\n", "16\n", "Unknown\n", "255\n", 5, 16 },
		{ "Unknown\n", "0\n", "16.0 GT/s PCIe\n", "8\n", 4, 8 },
		{ "32.0 GT/s PCIe\n", "16\n", NULL, NULL, 5, 16 },
		{ "Unknown\n", "x\n", NULL, NULL, -1, -1 },
		{ "7.0 GT/s PCIe\n", "-1\n", " GT/s\n", "", -1, -1 },
		{ NULL, NULL, NULL, NULL, -1, -1 },
	};
	const char *root = *state;

	tree_write(root, CARD "/vendor", "0x10de\n");
	tree_link(root, LINK, TARGET);
	for (size_t i = 0; i < N_ELEMENTS(want); i++) {
		int gen = 77, width = 77;

		put(root, CARD "/max_link_speed", want[i].card_speed);
		put(root, CARD "/max_link_width", want[i].card_width);
		put(root, PORT "/max_link_speed", want[i].port_speed);
		put(root, PORT "/max_link_width", want[i].port_width);
		host_pcie(root, "0000:34:00.0", &gen, &width);
		assert_int_equal(gen, want[i].gen);
		assert_int_equal(width, want[i].width);
	}
}

static void test_bus_ids(void **state)
{
	static const struct {
		const char *text;
		int node;
	} ids[] = {
		{ "0000:34:00.0", 1 },
		{ "00000000:34:00.0", 1 }, /* NVML */
		{ "34:00.0", 1 },          /* lspci */
		{ "0000:AB:1F.7", 0 },     /* CUDA: upper case */
		{ "0000:ab:1f.7", 0 },
		{ "00010000:E1:00.0", 3 }, /* a domain of more than 16 bits, as VMD has */
		{ "0000:35:00.0", -1 },    /* not there */
		{ "0000:34:00.8", -1 },
		{ "0000:34:20.0", -1 },
		{ "0000:34:00", -1 },
		{ "0000:34:00.0 ", -1 },
		{ "000000000:34:00.0", -1 },
		{ "1:2:3:4.0", -1 },
		{ "../../../etc/passwd", -1 },
		{ ":", -1 },
		{ "", -1 },
		{ NULL, -1 },
	};
	const char *root = *state;

	tree_write(root, LINK "/numa_node", "1\n");
	tree_write(root, "/sys/bus/pci/devices/0000:ab:1f.7/numa_node", "0\n");
	tree_write(root, "/sys/bus/pci/devices/10000:e1:00.0/numa_node", "3\n");
	for (size_t i = 0; i < N_ELEMENTS(ids); i++)
		assert_int_equal(host_pci_node(root, ids[i].text), ids[i].node);
}

static void test_node_unknown(void **state)
{
	const char *root = *state;

	tree_write(root, LINK "/numa_node", "-1\n");
	assert_int_equal(host_pci_node(root, "0000:34:00.0"), -1);
	put(root, LINK "/numa_node", "none\n");
	assert_int_equal(host_pci_node(root, "0000:34:00.0"), -1);
	put(root, LINK "/numa_node", NULL);
	assert_int_equal(host_pci_node(root, "0000:34:00.0"), -1);
}

static void test_unknown_device(void **state)
{
	int gen = 5, width = 16;

	host_pcie(*state, "0000:34:00.0", &gen, &width);
	assert_int_equal(gen, -1);
	assert_int_equal(width, -1);
	gen = width = 5;
	host_pcie(*state, NULL, &gen, &width);
	assert_int_equal(gen, -1);
	assert_int_equal(width, -1);
}

/* GT/s x lanes x payload share / 8 bits */
static void test_rates(void **state)
{
	static const struct {
		int gen, width;
		double gbps;
	} want[] = {
		{ 1, 1, 0.25 }, /* 2.5 x 0.8 / 8 */
		{ 1, 16, 4 },       { 2, 16, 8 },
		{ 3, 16, 15.7538 }, /* 8 x 16 x 128/130 / 8 */
		{ 4, 16, 31.5077 }, { 4, 8, 15.7538 },
		{ 5, 16, 63.0154 }, { 6, 16, 121 }, /* 64 x 16 x 242/256 / 8 */
	};

	for (size_t i = 0; i < N_ELEMENTS(want); i++)
		assert_true(fabs(host_pcie_gbps(want[i].gen, want[i].width) - want[i].gbps) < 1e-4);
	assert_true(isnan(host_pcie_gbps(-1, 16)));
	assert_true(isnan(host_pcie_gbps(0, 16)));
	assert_true(isnan(host_pcie_gbps(7, 16)));
	assert_true(isnan(host_pcie_gbps(5, -1)));
	assert_true(isnan(host_pcie_gbps(5, 33)));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_lower_of_card_and_slot), TEST(test_bus_ids),
		TEST(test_node_unknown),           TEST(test_unknown_device),
		cmocka_unit_test(test_rates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
