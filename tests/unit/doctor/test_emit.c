/* SPDX-License-Identifier: Apache-2.0 */
/* Which settings are recommended, and how each format writes them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "doctor/emit.h"

static const char *trees;
static struct doctor d;
static char root[4096];

static void plan(const char *name, const struct measured *m, struct plan_of_settings *p)
{
	struct doctor_request q = { .root = root, .copies = true };

	snprintf(root, sizeof(root), "%s/%s", trees, name);
	assert_int_equal(doctor_gather(&q, &d), 0);
	settings_plan(&d, m, p);
}

static const char *value(const struct plan_of_settings *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->list[i].name, name) == 0)
			return p->list[i].value;
	return NULL;
}

static void nothing_that_changes_nothing(void **state)
{
	struct plan_of_settings p;

	plan("rtx4090x2", NULL, &p); /* CUDA refuses P2P: neither variable would act */
	assert_null(value(&p, "NCCL_P2P_DISABLE"));
	assert_null(value(&p, "NCCL_P2P_LEVEL"));
	assert_string_equal(value(&p, "NCCL_SOCKET_IFNAME"),
			    "=enp5s0"); /* a bridge would be taken, too */
	plan("no-gpu", NULL, &p);
	assert_int_equal(p.n, 0);
	assert_int_equal(p.ranks, 1);
}

static void failing_p2p_is_switched_off(void **state)
{
	struct plan_of_settings p;

	plan("iommu-acs", NULL, &p);
	assert_string_equal(value(&p, "NCCL_P2P_DISABLE"), "1");
	assert_null(value(&p, "NCCL_P2P_LEVEL"));
}

static void proven_but_far(void **state)
{
	struct plan_of_settings p;

	plan("docker-64m", NULL, &p);
	assert_string_equal(value(&p, "NCCL_P2P_LEVEL"), "SYS");
}

static void a_run_decides(void **state)
{
	struct measured m = { .there = true,
			      .run = "r",
			      .auto_gbps = 10,
			      .p2p_gbps = 10.5,
			      .shm_gbps = 9,
			      .auto_used = "SHM/direct" };
	struct plan_of_settings p;

	plan("docker-64m", &m, &p); /* 5 % is not worth a variable */
	assert_null(value(&p, "NCCL_P2P_LEVEL"));
	m.p2p_gbps = 20;
	plan("docker-64m", &m, &p);
	assert_string_equal(value(&p, "NCCL_P2P_LEVEL"), "SYS");
	m = (struct measured){ .there = true,
			       .run = "r",
			       .auto_gbps = 5,
			       .p2p_gbps = 5,
			       .shm_gbps = 9,
			       .auto_used = "P2P/CUMEM" };
	plan("h200x2", &m, &p);
	assert_string_equal(value(&p, "NCCL_P2P_DISABLE"), "1");
	m.shm_gbps = NAN;
	plan("h200x2", &m, &p);
	assert_null(value(&p, "NCCL_P2P_DISABLE"));
	assert_string_equal(value(&p, "NCCL_NVLS_ENABLE"), "0"); /* the user's veto stays */
}

static void formats(void **state)
{
	static const struct {
		const char *format, *words;
	} cases[] = {
		{ "env", "export NCCL_P2P_DISABLE=1\n" },
		{ "python", "os.environ[\"NCCL_P2P_DISABLE\"] = \"1\"  # " },
		{ "accelerate",
		  "accelerate launch --multi_gpu --num_machines 1 --num_processes 2 train.py\n" },
		{ "torchrun", "torchrun --standalone --nproc_per_node=2 train.py\n" },
		{ "docker", "docker run --rm --gpus all --shm-size=1g -e NCCL_P2P_DISABLE=1 IMAGE "
			    "COMMAND\n" },
		{ "k8s", "    - name: NCCL_P2P_DISABLE  # P2P from GPU 0 to GPU 1 fails" },
		{ "slurm", "#SBATCH --gpus-per-node=2\n" },
	};
	struct plan_of_settings p;

	plan("iommu-acs", NULL, &p);
	assert_int_equal(emit_count, sizeof(cases) / sizeof(cases[0]));
	for (size_t i = 0; i < emit_count; i++) {
		struct buf b = { 0 };

		emit_find(cases[i].format)->write(&p, &b);
		if (!strstr(buf_text(&b), cases[i].words))
			print_message("%s:\n%s", cases[i].format, buf_text(&b));
		assert_non_null(strstr(buf_text(&b), cases[i].words));
		buf_fini(&b);
	}
	assert_null(emit_find("yaml"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_that_changes_nothing),
		cmocka_unit_test(failing_p2p_is_switched_off),
		cmocka_unit_test(proven_but_far),
		cmocka_unit_test(a_run_decides),
		cmocka_unit_test(formats),
	};

	trees = argc > 1 ? argv[1] : "tests/golden/sysfs";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
