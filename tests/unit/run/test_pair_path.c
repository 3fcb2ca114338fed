/* SPDX-License-Identifier: Apache-2.0 */
/* Which pairs may be measured at once, on machines drawn by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/facts.h"
#include "run/pair_path.h"
#include "spec/transport.h"

/*
 * Host x: switch 0 1, switch 2 3, both below one host bridge; switch 4 5 at the other socket. Ranks
 * 6 and 7 are the first two GPUs of host y.
 */
#define PATHS                                                                                  \
	"path.0.1=PIX\npath.2.3=PIX\npath.0.2=PHB\npath.0.3=PHB\npath.1.2=PHB\npath.1.3=PHB\n" \
	"path.0.4=SYS\npath.0.5=SYS\npath.1.4=SYS\npath.1.5=SYS\npath.2.4=SYS\npath.2.5=SYS\n" \
	"path.3.4=SYS\npath.3.5=SYS\npath.4.5=PIX\n"

enum { RANKS = 8 };

static char text[RANKS][1024];
static char *texts[RANKS];
static const struct facts facts = { .text = texts, .n = RANKS };

static void machine(const char *more)
{
	for (int i = 0; i < RANKS; i++) {
		snprintf(text[i], sizeof(text[i]), "device=%d\nhost=%s\nboot=%s\n" PATHS "%s",
			 i % 6, i < 6 ? "x" : "y", i < 6 ? "1" : "2", more);
		texts[i] = text[i];
	}
}

static bool apart(int transport, bool steered, bool one_place, int a, int b, int c, int d)
{
	struct pair_paths p;
	bool yes, back;

	assert_int_equal(pair_paths_build(&facts, transport, RANKS, steered, one_place, &p), 0);
	yes = pair_paths_apart(&p, a, b, c, d);
	back = pair_paths_apart(&p, d, c, b, a);
	pair_paths_fini(&p);
	assert_int_equal(yes, back);
	return yes;
}

#define APART(t, ...) apart(TRANSPORT_##t, false, false, __VA_ARGS__)

static void below_switches(void **state)
{
	machine("");
	assert_true(APART(P2P, 0, 1, 2, 3)); /* each below its own switch */
	assert_true(APART(P2P, 0, 1, 4, 5));
	assert_false(APART(P2P, 0, 2, 1, 3)); /* both through the host bridge */
	assert_true(APART(P2P, 0, 2, 4, 5));
	assert_false(APART(P2P, 0, 4, 1, 5)); /* both between the sockets */
	assert_false(APART(P2P, 0, 4, 2, 3)); /* conservative: the socket's links */
	assert_true(APART(P2P_CE, 0, 1, 2, 3));
}

static void through_memory(void **state)
{
	machine("");
	assert_false(APART(SHM, 0, 1, 2, 3)); /* one socket's memory */
	assert_true(APART(SHM, 0, 1, 4, 5));
	assert_false(APART(SHM, 0, 4, 2, 3));
	assert_false(APART(SOCKET, 0, 1, 4, 5)); /* cards are anywhere */
	assert_true(APART(SOCKET, 0, 1, 6, 7));  /* another host's */
	assert_false(APART(SOCKET, 0, 6, 1, 7));
	assert_false(APART(UCX_CMA, 0, 1, 4, 5));
	assert_true(APART(UCX_CMA, 0, 1, 6, 7));
	assert_false(APART(AUTO, 0, 1, 2, 3));
	assert_true(APART(AUTO, 0, 1, 4, 5));
	assert_false(apart(TRANSPORT_AUTO, true, false, 0, 1, 4, 5));
	assert_false(APART(NVLS, 0, 1, 4, 5));
}

static void over_nvlink(void **state)
{
	machine("gpu0.nvlinks=18\ngpu1.nvlinks=18\ngpu2.nvlinks=18\ngpu3.nvlinks=12\n");
	assert_true(APART(P2P, 0, 2, 1, 3));
	assert_true(APART(AUTO, 0, 2, 1, 3));
	assert_true(APART(P2P, 0, 2, 1, 4)); /* the other one by PCIe */
	assert_false(APART(SHM, 0, 2, 1, 3));
	assert_false(apart(TRANSPORT_AUTO, true, false, 0, 2, 1, 3));
	assert_false(apart(TRANSPORT_P2P, false, true, 0, 2, 1, 3)); /* GPUs may be shared */
}

static void unknown(void **state)
{
	machine("");
	*strstr(text[0], "path.0.1") = '#';
	assert_false(APART(P2P, 0, 1, 2, 3));
	assert_false(APART(P2P, 0, 1, 4, 5));
	strcpy(strstr(text[2], "path.2.3=PIX"), "path.2.3=hop\n");
	assert_false(APART(P2P, 2, 3, 4, 5));
}

/* Between four sockets all ways are SYS: two pairs may cross. */
static void ways_of_one_length(void **state)
{
	machine("");
	for (int i = 0; i < RANKS; i++)
		for (char *at = text[i]; (at = strstr(at, "=P")); at += 4)
			memcpy(at, "=SYS", 4);
	assert_false(APART(P2P, 0, 1, 2, 3));
	assert_false(APART(SHM, 0, 1, 2, 3));
	assert_true(APART(P2P, 0, 1, 6, 7));
}

static void class_of(int backend, int a, int b, char class[PAIR_CLASS_TEXT])
{
	struct pair_rank *ranks = NULL;

	assert_int_equal(pair_ranks_build(&facts, RANKS, &ranks), 0);
	pair_class(&facts, ranks, backend, a, b, class);
	free(ranks);
}

static void classes(void **state)
{
	static const struct {
		int a, b;
		const char *class;
	} want[] = { { 0, 1, "PIX" }, { 1, 0, "PIX" },       { 0, 3, "PHB" },
		     { 5, 2, "SYS" }, { 0, 6, "two hosts" }, { 6, 7, "PIX" } };
	char class[PAIR_CLASS_TEXT];

	machine("");
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		class_of(BACKEND_NCCL, want[i].a, want[i].b, class);
		assert_string_equal(class, want[i].class);
	}
	class_of(BACKEND_UCX, 0, 1, class);
	assert_string_equal(class, "one host");
	class_of(BACKEND_UCX, 1, 7, class);
	assert_string_equal(class, "two hosts");
	*strstr(text[0], "path.0.1") = '#';
	class_of(BACKEND_NCCL, 0, 1, class);
	assert_string_equal(class, "");
	machine("gpu0.nvlinks=18\ngpu1.nvlinks=18\ngpu3.nvlinks=12\n");
	class_of(BACKEND_NCCL, 0, 1, class);
	assert_string_equal(class, "NV18");
	class_of(BACKEND_NCCL, 3, 1, class);
	assert_string_equal(class, "NV12");
	class_of(BACKEND_NCCL, 0, 2, class);
	assert_string_equal(class, "PHB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(below_switches),     cmocka_unit_test(through_memory),
		cmocka_unit_test(over_nvlink),        cmocka_unit_test(unknown),
		cmocka_unit_test(ways_of_one_length), cmocka_unit_test(classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
