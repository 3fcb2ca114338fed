/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded machines (tests/golden/sysfs): what is read, and what is judged. Their truth is written
 * here by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/attr.h"
#include "doctor/check.h"
#include "doctor/groups.h"

static const char *trees;
static struct doctor d;
static char root[4096];

static void gather(const char *name)
{
	struct doctor_request q = { .root = root, .copies = true };

	snprintf(root, sizeof(root), "%s/%s", trees, name);
	assert_int_equal(doctor_gather(&q, &d), 0);
}

static void path_is(int i, int j, const char *want)
{
	char text[16];

	doctor_path(&d, i, j, text, sizeof(text));
	assert_string_equal(text, want);
}

/* The level of the first verdict of that check that holds the words; LEVEL_COUNT: none does. */
static enum level says(const char *check, const char *words)
{
	struct judgements v;
	enum level level = LEVEL_COUNT;

	check_all(&d, NULL, &v);
	for (size_t i = 0; i < v.n && level == LEVEL_COUNT; i++)
		if (strcmp(v.list[i].check->id, check) == 0 && strstr(v.list[i].seen, words))
			level = v.list[i].level;
	judgements_fini(&v);
	return level;
}

static void rtx4090(void **state)
{
	gather("rtx4090x2");
	assert_int_equal(d.n_gpus, 2);
	path_is(0, 1, "PHB");
	path_is(0, 0, "X");
	assert_int_equal(d.pair[0][1].fact, P2P_REFUSED);
	assert_int_equal(says("p2p-claimed", "not TCP"), LEVEL_INFO);
	assert_int_equal(says("p2p-fact", "nothing to prove"), LEVEL_INFO);
	assert_int_equal(says("environment", "Simple is a protocol"), LEVEL_ERROR);
	assert_int_equal(says("environment", "NCCL_SHM_DISABLE=true"), LEVEL_WARNING);
	assert_int_equal(says("environment", "NCCL_INIT_TIMEOUT does not exist"), LEVEL_WARNING);
	assert_int_equal(says("environment", "PyTorch's variable"), LEVEL_WARNING);
	assert_int_equal(says("environment", "NCCL_P2P_DISABLE=1 changes nothing here"),
			 LEVEL_INFO);
	assert_int_equal(says("interfaces", "br-1f2e3d4c5b6a,enp5s0"), LEVEL_WARNING);
	assert_int_equal(says("shm", "64000 MiB"),
			 LEVEL_OK); /* tmpfs without a size: half of 131072000 KiB */
}

static void h200(void **state)
{
	const struct doctor_lib *lib = NULL;

	gather("h200x2");
	path_is(0, 1, "NV18");
	assert_int_equal(d.pair[0][1].path, PATH_PIX);
	assert_int_equal(d.pair[0][1].fact, P2P_OK);
	assert_true(d.pair[1][0].gbps == 366);
	assert_int_equal(says("p2p-fact", "2 of 2"), LEVEL_OK);
	assert_int_equal(doctor_nccl_version(&d, &lib), 22105); /* PyTorch's goes first */
	assert_string_equal(lib->where, "pytorch");
	assert_string_equal(d.torch, "2.5.1+cu124");
	assert_int_equal(says("nccl", "programs load NCCL 2.28.3"), LEVEL_INFO);
	assert_int_equal(says("environment", "veto"), LEVEL_INFO);
	assert_int_equal(says("config-files", "/etc/nccl.conf sets NCCL_IB_HCA=mlx5_0"),
			 LEVEL_INFO);
	assert_int_equal(says("interfaces", "ibp1s0"), LEVEL_OK); /* ib* first */
	assert_int_equal(says("rdma", "mlx5_0 (InfiniBand"), LEVEL_OK);
}

static void iommu_and_acs(void **state)
{
	gather("iommu-acs");
	path_is(0, 1, "PIX");
	assert_int_equal(d.n_bridges, 4);
	assert_int_equal(d.bridge[0].redirects, ANSWER_YES);
	assert_int_equal(d.bridge[0].control, 0x1d);
	assert_string_equal(d.gpu[0].iommu, "DMA-FQ");
	assert_int_equal(says("acs", "4 bridges"), LEVEL_WARNING);
	assert_int_equal(says("iommu", "translates"), LEVEL_WARNING);
	assert_int_equal(says("p2p-fact", "GPU 0 to GPU 1 hangs"), LEVEL_ERROR);
	assert_int_equal(says("p2p-fact", "GPU 1 to GPU 0 gives wrong data"), LEVEL_ERROR);
}

static void docker(void **state)
{
	struct group g[DOCTOR_GPUS_MAX];

	gather("docker-64m");
	assert_int_equal(d.host.shm_bytes, 67108864);
	assert_string_equal(d.container, "Docker");
	assert_int_equal(says("shm", "64 MiB free of 64"), LEVEL_ERROR);
	assert_int_equal(says("interfaces", "NCCL_SOCKET_IFNAME=nope0 matches no interface"),
			 LEVEL_ERROR);
	path_is(0, 1, "PHB");
	path_is(0, 2, "SYS");
	assert_int_equal(groups_find(&d, g), 1);
	assert_int_equal(g[0].n, 4);
	for (int i = 0; i < 2; i++) /* without proof the NUMA nodes decide: two groups */
		for (int j = 2; j < 4; j++)
			d.pair[i][j].fact = d.pair[j][i].fact = P2P_HANG;
	assert_int_equal(groups_find(&d, g), 2);
	assert_int_equal(g[1].gpu[0], 2);
}

/* Room is there, but not for this user. */
static void a_shm_that_cannot_be_written(void **state)
{
	gather("h200x2");
	assert_int_equal(d.shm_error, 0);
	assert_int_equal(says("shm", "MiB, "), LEVEL_OK);
	d.shm_error = EACCES;
	assert_int_equal(says("shm", "this user cannot make a file in /dev/shm: Permission denied"),
			 LEVEL_WARNING);
	gather("docker-64m"); /* here SHM is what NCCL would take */
	d.host.shm_bytes = d.host.shm_free_bytes = INT64_C(1) << 40;
	assert_int_equal(says("shm", "MiB, "), LEVEL_OK);
	d.shm_error = EROFS;
	assert_int_equal(says("shm", "cannot make a file in /dev/shm: Read-only file system"),
			 LEVEL_ERROR);
}

static void a_folder_is_tried_and_left_as_it_was(void **state)
{
	char dir[] = "/tmp/test_machines.XXXXXX";
	uid_t me = geteuid();

	assert_non_null(mkdtemp(dir));
	assert_int_equal(doctor_try_files(dir), 0);
	assert_int_equal(chmod(dir, 0500), 0);
	if (me == 0) /* to whom no folder is closed */
		assert_int_equal(seteuid(65534), 0);
	assert_int_equal(doctor_try_files(dir), -EACCES);
	assert_int_equal(seteuid(me), 0);
	assert_int_equal(rmdir(dir), 0); /* empty */
	assert_int_equal(doctor_try_files(dir), -ENOENT);
}

static void a_recorded_shm_may_be_read_only(void **state)
{
	char dir[] = "/tmp/test_machines.XXXXXX", path[64];
	struct doctor_request q = { .root = dir };
	FILE *f;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/proc", dir);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/proc/self", dir);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/proc/self/mountinfo", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("30 28 0:25 / /dev/shm ro,nosuid - tmpfs tmpfs rw,size=4g\n", f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(doctor_gather(&q, &d), 0);
	assert_int_equal(d.host.shm_bytes, INT64_C(4) << 30);
	assert_int_equal(d.shm_error, EROFS);
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/proc/self", dir);
	assert_int_equal(rmdir(path), 0);
	snprintf(path, sizeof(path), "%s/proc", dir);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(dir), 0);
}

static void no_gpu(void **state)
{
	gather("no-gpu");
	assert_int_equal(d.n_gpus, 0);
	assert_int_equal(says("gpus", "CUDA was not asked"), LEVEL_UNKNOWN);
	assert_int_equal(says("driver", "no NVIDIA driver"), LEVEL_INFO);
}

static void nothing_at_all(void **state)
{
	struct doctor_request q = { .root = "/proc/nonexistent/root" };

	assert_int_equal(doctor_gather(&q, &d), 0);
	assert_int_equal(d.memlock, -1);
	assert_int_equal(says("memlock", "not known"), LEVEL_UNKNOWN);
}

static void hostile_lines(void **state)
{
	memset(&d, 0, sizeof(d));
	d.root = "";
	doctor_parse_probe(&d,
			   "devices=99999\ngpu0.bus=\x1b[2J\ngpu1.mem_total=-5\np2p.0.1=maybe\n");
	assert_int_equal(d.n_gpus, DOCTOR_GPUS_MAX);
	assert_string_equal(d.gpu[0].bus, "?[2J");
	assert_int_equal(d.gpu[1].mem_total, -1);
	assert_int_equal(d.pair[0][1].cuda, ANSWER_UNKNOWN);
	doctor_parse_copies(&d, "p2p_fact.0.1=okay 5\np2p_fact.1.0=ok nan\nlinks.0.1=-3\n");
	assert_int_equal(d.pair[0][1].fact, P2P_UNTRIED);
	assert_int_equal(d.pair[1][0].fact, P2P_OK);
	assert_true(d.pair[1][0].gbps == 0);
}

static void visible_devices_are_renumbered(void **state)
{
	struct group g = { .gpu = { 0, 2 }, .n = 2 };
	struct buf b = { 0 };

	memset(&d, 0, sizeof(d));
	d.n_gpus = 3;
	d.gpu[2].index = 2;
	group_visible(&d, &g, &b);
	assert_string_equal(buf_text(&b), "0,2");
	buf_clear(&b);
	strcpy(d.setting[0].name, "CUDA_VISIBLE_DEVICES");
	strcpy(d.setting[0].value, "5,6,GPU-7");
	d.n_settings = 1;
	group_visible(&d, &g, &b);
	assert_string_equal(buf_text(&b), "5,GPU-7");
	buf_fini(&b);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rtx4090),
		cmocka_unit_test(h200),
		cmocka_unit_test(iommu_and_acs),
		cmocka_unit_test(docker),
		cmocka_unit_test(no_gpu),
		cmocka_unit_test(nothing_at_all),
		cmocka_unit_test(a_shm_that_cannot_be_written),
		cmocka_unit_test(a_folder_is_tried_and_left_as_it_was),
		cmocka_unit_test(a_recorded_shm_may_be_read_only),
		cmocka_unit_test(hostile_lines),
		cmocka_unit_test(visible_devices_are_renumbered),
	};

	trees = argc > 1 ? argv[1] : "tests/golden/sysfs";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
