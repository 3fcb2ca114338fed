/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host facts from written trees: a full one, a bare one, a hostile one; and the live host for
 * sanity.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/statvfs.h>

#include "base/attr.h"
#include "machine/host.h"
#include "tree.h"

static const struct tree_file server[] = {
	{ "/proc/sys/kernel/hostname", "gpu-node7.cluster.example\n" },
	{ "/proc/sys/kernel/osrelease", "5.15.0-1066-generic\n" },
	{ "/proc/sys/kernel/random/boot_id", "b\n" },
	{ "/etc/machine-id", "a\n" },
	{ "/etc/os-release",
	  "NAME=\"Ubuntu\"\nVERSION_ID=\"22.04\"\nPRETTY_NAME=\"Ubuntu 22.04.4 LTS\"\n" },
	{ "/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 143\n"
			   "model name\t: Intel(R) Xeon(R) Platinum 8480C\n\n"
			   "processor\t: 1\nmodel name\t: another\n" },
	{ "/proc/meminfo", "MemTotal:       2113389708 kB\nMemFree:        1000 kB\n"
			   "MemAvailable:   2090000000 kB\n" },
	{ "/sys/devices/system/cpu/online", "0-55,112-167,200\n" },
	{ "/sys/class/infiniband/mlx5_1/node_type", "1: CA\n" },
	{ "/sys/class/infiniband/mlx5_0/node_type", "1: CA\n" },
	{ "/sys/class/infiniband/mlx5_10/node_type", "1: CA\n" },
	{ "/proc/driver/nvidia/gpus/0000:34:00.0/information", "Model: x\n" },
	{ "/proc/driver/nvidia/gpus/0000:48:00.0/information", "Model: x\n" },
	{ "/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  "
					 "570.124.06  Release Build  (buildmeister)\n"
					 "GCC version:  gcc version 11.4.0\n" },
	{ "/dev/shm/x", "" },
};

static void test_server(void **state)
{
	const char *root = *state;
	struct host_facts f;
	struct statvfs fs;

	for (size_t i = 0; i < N_ELEMENTS(server); i++)
		tree_write(root, server[i].path, server[i].text);
	host_read(root, &f);
	assert_string_equal(f.name, "gpu-node7");
	assert_string_equal(f.id, "af63dc4c8601ec8c");   /* FNV-1a's published value of "a" */
	assert_string_equal(f.boot, "af63df4c8601f1a5"); /* and of "b" */
	assert_string_equal(f.kernel, "5.15.0-1066-generic");
	assert_string_equal(f.os, "Ubuntu 22.04.4 LTS");
	assert_string_equal(f.cpu, "Intel(R) Xeon(R) Platinum 8480C");
	assert_int_equal(f.cpus_online, 56 + 56 + 1);
	assert_true(f.mem_bytes == 2113389708 * INT64_C(1024));
	assert_true(f.mem_free_bytes == 2090000000 * INT64_C(1024));
	assert_int_equal(statvfs(root, &fs), 0);
	assert_true(f.shm_bytes == (int64_t)(fs.f_blocks * fs.f_frsize));
	assert_true(f.shm_free_bytes > 0 && f.shm_free_bytes <= f.shm_bytes);
	assert_int_equal(f.ib_devices, 3);
	assert_string_equal(f.ib_names, "mlx5_0 mlx5_1 mlx5_10");
	assert_int_equal(f.gpus_proc, 2);
	assert_string_equal(f.driver, "570.124.06");
}

static void test_nothing_there(void **state)
{
	struct host_facts f;

	host_read(*state, &f);
	assert_string_equal(f.name, "unknown");
	assert_string_equal(f.id, "");
	assert_string_equal(f.boot, "");
	assert_string_equal(f.kernel, "");
	assert_string_equal(f.os, "");
	assert_string_equal(f.cpu, "");
	assert_int_equal(f.cpus_online, -1);
	assert_true(f.mem_bytes == -1 && f.mem_free_bytes == -1);
	assert_true(f.shm_bytes == -1 && f.shm_free_bytes == -1);
	assert_int_equal(f.ib_devices, 0);
	assert_string_equal(f.ib_names, "");
	assert_int_equal(f.gpus_proc, 0);
	assert_string_equal(f.driver, "");
}

static void test_other_spellings(void **state)
{
	const char *root = *state;
	struct host_facts f;

	tree_write(root, "/etc/machine-id", "uninitialized\n");
	tree_write(root, "/var/lib/dbus/machine-id", "foobar\n");
	tree_write(root, "/usr/lib/os-release", "PRETTY_NAME='Debian GNU/Linux 12 (bookworm)'\n");
	tree_write(root, "/proc/cpuinfo",
		   "processor\t: 0\nBogoMIPS\t: 2000.00\nCPU implementer\t: 0x41\n"
		   "CPU part\t: 0xd4f\n");
	tree_write(root, "/proc/driver/nvidia/version",
		   "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 "
		   "01:15:15 UTC 2023\n");
	host_read(root, &f);
	assert_string_equal(f.id, "85944171f73967e8"); /* FNV-1a's published value of "foobar" */
	assert_string_equal(f.os, "Debian GNU/Linux 12 (bookworm)");
	assert_string_equal(f.cpu, "Arm implementer 0x41 part 0xd4f");
	assert_string_equal(f.driver, "535.104.05");
	tree_write(root, "/proc/driver/nvidia/version", "something else\n");
	tree_write(root, "/sys/module/nvidia/version", "550.54.15\n");
	host_read(root, &f);
	assert_string_equal(f.driver, "550.54.15");
}

static void test_hostile(void **state)
{
	static const char *const lists[] = { "0-", "3-1", "-4", "a", "0-99999999999", "1,,x", "" };
	const char *root = *state;
	char line[9000];
	struct host_facts f;

	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	tree_write(root, "/proc/sys/kernel/hostname", "evil\033[2Jname\n");
	tree_write(root, "/proc/sys/kernel/osrelease", line);
	tree_write(root, "/proc/meminfo",
		   "MemTotal: 99999999999999999999 kB\nMemAvailable: -5 kB\n");
	tree_write(root, "/proc/cpuinfo", line);
	tree_write(root, "/etc/os-release", "PRETTY_NAME=\"\n");
	host_read(root, &f);
	assert_string_equal(f.name, "evil?[2Jname");
	assert_true(strlen(f.kernel) == sizeof(f.kernel) - 1);
	assert_true(f.mem_bytes == -1 && f.mem_free_bytes == -1);
	assert_string_equal(f.cpu, "");
	assert_string_equal(f.os, "\"");
	for (size_t i = 0; i < N_ELEMENTS(lists); i++) {
		tree_write(root, "/sys/devices/system/cpu/online", lists[i]);
		host_read(root, &f);
		assert_int_equal(f.cpus_online, -1);
	}
}

/* More names than the text holds: counted all, written whole, cut between names. */
static void test_many_devices(void **state)
{
	const char *root = *state;
	char path[96];
	struct host_facts f;

	for (int i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), "/sys/class/infiniband/mlx5_%03d/x", i);
		tree_write(root, path, "");
	}
	host_read(root, &f);
	assert_int_equal(f.ib_devices, 100);
	/* 9 bytes each with its blank: 28 fit into 255 */
	assert_int_equal(strlen(f.ib_names), 28 * 9 - 1);
	assert_string_equal(f.ib_names + strlen(f.ib_names) - 8, "mlx5_027");
}

static void test_live(void **state)
{
	struct host_facts f;
	int allowed = host_cpus_allowed();

	host_read("", &f);
	assert_true(f.name[0] != '\0');
	assert_true(f.mem_bytes == -1 || f.mem_bytes > 1 << 20);
	assert_true(allowed >= 1);
	assert_true(allowed <= sysconf(_SC_NPROCESSORS_CONF));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_server),  TEST(test_nothing_there), TEST(test_other_spellings),
		TEST(test_hostile), TEST(test_many_devices),  cmocka_unit_test(test_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
