/* SPDX-License-Identifier: Apache-2.0 */
/* Transports: what each row puts into the environment, after the base, is what forces it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "base/attr.h"
#include "spec/transport.h"

static const char *find(const struct env_pair *list, size_t max, const char *name)
{
	for (size_t i = 0; i < max && list[i].name; i++)
		if (strcmp(list[i].name, name) == 0)
			return list[i].value;
	return NULL;
}

/* The value a worker of the row gets: base first, the row over it; NULL when not set. */
static const char *value_of(int id, const char *name)
{
	const struct transport *t = &transport_table[id];
	const char *own = find(t->set, N_ELEMENTS(t->set), name);

	if (own || !(t->flags & TRANSPORT_FORCED))
		return own;
	return find(transport_base, SIZE_MAX, name);
}

static void test_nvls_stays_off(void **state)
{
	for (int id = 0; id < TRANSPORT_COUNT; id++) {
		const struct transport *t = &transport_table[id];
		const char *own = find(t->set, N_ELEMENTS(t->set), "NCCL_NVLS_ENABLE");

		assert_null(find(t->one_host_set, N_ELEMENTS(t->one_host_set), "NCCL_NVLS_ENABLE"));
		if (id == TRANSPORT_NVLS) {
			assert_string_equal(own, "1");
			continue;
		}
		assert_null(own);
		assert_null(find(t->set, N_ELEMENTS(t->set), "NCCL_ALGO"));
		assert_false(t->flags & TRANSPORT_MULTICAST);
		if (t->flags & TRANSPORT_FORCED)
			assert_string_equal(value_of(id, "NCCL_NVLS_ENABLE"), "0");
	}
	assert_null(find(transport_debug, SIZE_MAX, "NCCL_NVLS_ENABLE"));
	assert_true(transport_table[TRANSPORT_NVLS].flags & TRANSPORT_MULTICAST);
	assert_false(transport_table[TRANSPORT_NVLS].flags & TRANSPORT_DEFAULT);
}

static void test_base(void **state)
{
	static const struct env_pair want[] = {
		{ "NCCL_NVLS_ENABLE", "0" },         { "NCCL_WIN_ENABLE", "0" },
		{ "NCCL_COLLNET_ENABLE", "0" },      { "NCCL_MNNVL_ENABLE", "0" },
		{ "NCCL_CTA_POLICY", "0" },          { "NCCL_P2P_USE_CUDA_MEMCPY", "0" },
		{ "NCCL_SHM_USE_CUDA_MEMCPY", "0" }, { "NCCL_IGNORE_DISABLED_P2P", "0" },
		{ "NCCL_RAS_ENABLE", "0" },          { "NCCL_CONF_FILE", "/dev/null" },
		{ "NCCL_NET_PLUGIN", "none" },       { "NCCL_TUNER_PLUGIN", "none" },
		{ "NCCL_GRAPH_REGISTER", "0" },
	};
	size_t n = 0;

	for (size_t i = 0; i < N_ELEMENTS(want); i++)
		assert_string_equal(find(transport_base, SIZE_MAX, want[i].name), want[i].value);
	while (transport_base[n].name)
		n++;
	assert_int_equal(n, N_ELEMENTS(want));
	assert_string_equal(find(transport_debug, SIZE_MAX, "NCCL_DEBUG"), "INFO");
	assert_string_equal(find(transport_debug, SIZE_MAX, "NCCL_DEBUG_FILE"), "/proc/self/fd/4");
	assert_null(transport_debug[3].name);
}

static void test_forced_values(void **state)
{
	static const struct {
		int id;
		const char *name, *value;
	} want[] = {
		{ TRANSPORT_P2P, "NCCL_P2P_DISABLE", "0" },
		{ TRANSPORT_P2P, "NCCL_P2P_LEVEL", "SYS" },
		{ TRANSPORT_P2P, "NCCL_SHM_DISABLE", "1" },
		{ TRANSPORT_P2P, "NCCL_NET_DISABLE_INTRA", "1" },
		{ TRANSPORT_P2P, "NCCL_P2P_USE_CUDA_MEMCPY", "0" },
		{ TRANSPORT_P2P_IPC, "NCCL_CUMEM_ENABLE", "0" },
		{ TRANSPORT_P2P_IPC, "NCCL_SHM_DISABLE", "1" },
		{ TRANSPORT_P2P_CE, "NCCL_P2P_USE_CUDA_MEMCPY", "1" },
		{ TRANSPORT_P2P_CE, "NCCL_PROTO", "Simple" },
		{ TRANSPORT_P2P_CE, "NCCL_NET_DISABLE_INTRA", "1" },
		{ TRANSPORT_SHM, "NCCL_P2P_DISABLE", "1" },
		{ TRANSPORT_SHM, "NCCL_SHM_DISABLE", "0" },
		{ TRANSPORT_SHM, "NCCL_NET_DISABLE_INTRA", "1" },
		{ TRANSPORT_SHM, "NCCL_SHM_USE_CUDA_MEMCPY", "0" },
		{ TRANSPORT_SOCKET, "NCCL_NET", "Socket" },
		{ TRANSPORT_SOCKET, "NCCL_IB_DISABLE", "1" },
		{ TRANSPORT_SOCKET, "NCCL_NET_DISABLE_INTRA", "0" },
		{ TRANSPORT_SOCKET, "NCCL_P2P_DISABLE", "" },
		{ TRANSPORT_SOCKET, "NCCL_SHM_DISABLE", "" },
		{ TRANSPORT_SOCKET, "NCCL_MNNVL_ENABLE", "0" },
		{ TRANSPORT_IB, "NCCL_NET", "IB" },
		{ TRANSPORT_IB, "NCCL_IB_DISABLE", "0" },
		{ TRANSPORT_IB_NOGDR, "NCCL_NET", "IB" },
		{ TRANSPORT_IB_NOGDR, "NCCL_NET_GDR_LEVEL", "LOC" },
		{ TRANSPORT_NVLS, "NCCL_ALGO", "NVLS" },
		{ TRANSPORT_NVLS, "NCCL_WIN_ENABLE", "0" },
		{ TRANSPORT_UCX_CMA, "UCX_TLS", "cma,posix" },
		{ TRANSPORT_UCX_CMA, "UCX_RNDV_THRESH", "0" },
		{ TRANSPORT_UCX_SHM, "UCX_TLS", "posix" },
		{ TRANSPORT_UCX_TCP, "UCX_TLS", "tcp" },
	};

	for (size_t i = 0; i < N_ELEMENTS(want); i++) {
		const char *got = value_of(want[i].id, want[i].name);

		if (!got || strcmp(got, want[i].value))
			fail_msg("%s: %s=%s", transport_table[want[i].id].name, want[i].name,
				 got ? got : "(absent)");
	}
	assert_null(transport_table[TRANSPORT_AUTO].set[0].name);
	assert_null(value_of(TRANSPORT_AUTO, "NCCL_GRAPH_REGISTER"));
}

/* Of P2P, SHM and the network inside a host, a forced row leaves one. */
static void test_others_blocked(void **state)
{
	for (int id = 0; id < TRANSPORT_COUNT; id++) {
		const struct transport *t = &transport_table[id];
		const char *host =
		    find(t->one_host_set, N_ELEMENTS(t->one_host_set), "NCCL_HOSTID");

		if (!(t->flags & TRANSPORT_FORCED) || id == TRANSPORT_NVLS)
			continue;
		if (t->flags & TRANSPORT_NETWORK) {
			assert_non_null(strstr(host, "%r")); /* differs by rank */
			assert_string_equal(value_of(id, "NCCL_NET_DISABLE_INTRA"), "0");
			assert_true(t->flags & TRANSPORT_SHARES_GPU);
			continue;
		}
		assert_null(host);
		assert_string_equal(value_of(id, "NCCL_NET_DISABLE_INTRA"), "1");
		assert_true(t->flags & TRANSPORT_ONE_HOST);
		assert_int_equal(strcmp(value_of(id, "NCCL_P2P_DISABLE"), "1") == 0,
				 strcmp(value_of(id, "NCCL_SHM_DISABLE"), "0") == 0);
	}
}

static void test_table_complete(void **state)
{
	for (int id = 0; id < TRANSPORT_COUNT; id++) {
		const struct transport *t = &transport_table[id];

		assert_non_null(t->name);
		assert_non_null(t->help);
		assert_in_range(t->backend, 0, BACKEND_COUNT - 1);
		assert_int_equal(t->backend, id < TRANSPORT_UCX_CMA ? BACKEND_NCCL : BACKEND_UCX);
		assert_int_equal(t->proof_class == NULL, id == TRANSPORT_AUTO);
		assert_null(t->set[N_ELEMENTS(t->set) - 1].name); /* the end mark fits */
		assert_null(t->one_host_set[N_ELEMENTS(t->one_host_set) - 1].name);
		for (size_t i = 0; t->set[i].name; i++)
			assert_non_null(t->set[i].value);
		assert_true(strlen(t->name) < 24);
		assert_int_equal(transport_find(t->backend, t->name),
				 id); /* unique within the backend */
	}
	assert_int_equal(transport_find(BACKEND_NCCL, "shm"), TRANSPORT_SHM);
	assert_int_equal(transport_find(BACKEND_UCX, "shm"), TRANSPORT_UCX_SHM);
	assert_int_equal(transport_find(BACKEND_UCX, "p2p"), -1);
	assert_int_equal(transport_find(BACKEND_NCCL, NULL), -1);
	assert_int_equal(backend_find("nccl"), BACKEND_NCCL);
	assert_int_equal(backend_find("ucx"), BACKEND_UCX);
	assert_int_equal(backend_find("mpi"), -1);
}

static void test_flags_and_proof(void **state)
{
	const unsigned defaults = 1 << TRANSPORT_AUTO | 1 << TRANSPORT_P2P | 1 << TRANSPORT_SHM |
				  1 << TRANSPORT_SOCKET | 1 << TRANSPORT_IB |
				  1 << TRANSPORT_UCX_CMA | 1 << TRANSPORT_UCX_SHM |
				  1 << TRANSPORT_UCX_TCP;

	for (int id = 0; id < TRANSPORT_COUNT; id++)
		assert_int_equal((transport_table[id].flags & TRANSPORT_DEFAULT) != 0,
				 defaults >> id & 1);
	assert_int_equal(transport_table[TRANSPORT_AUTO].flags, TRANSPORT_DEFAULT);
	assert_true(transport_table[TRANSPORT_P2P_CE].flags & TRANSPORT_STREAM_ONLY);
	assert_true(transport_table[TRANSPORT_IB].flags & TRANSPORT_NEEDS_IB);
	assert_string_equal(transport_table[TRANSPORT_P2P].proof_class, "P2P");
	assert_string_equal(transport_table[TRANSPORT_P2P_IPC].proof_variant, "IPC");
	assert_string_equal(transport_table[TRANSPORT_P2P_CE].proof_variant, "CE");
	assert_string_equal(transport_table[TRANSPORT_SHM].proof_class, "SHM");
	assert_string_equal(transport_table[TRANSPORT_SOCKET].proof_class, "NET/Socket");
	assert_string_equal(transport_table[TRANSPORT_IB_NOGDR].proof_counter, "GDRDMA");
	assert_string_equal(transport_table[TRANSPORT_NVLS].proof_class, "NVLS");
	assert_int_equal(transport_table[TRANSPORT_SHM].peak, PEAK_PCIE);
	assert_int_equal(transport_table[TRANSPORT_SOCKET].peak, PEAK_TCP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nvls_stays_off), cmocka_unit_test(test_base),
		cmocka_unit_test(test_forced_values),  cmocka_unit_test(test_others_blocked),
		cmocka_unit_test(test_table_complete), cmocka_unit_test(test_flags_and_proof),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
