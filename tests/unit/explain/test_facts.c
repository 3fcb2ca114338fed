/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of any dialect -> the right process, communicator, pair and setting; and the bounds. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "explain/page.h"

static void read_log(struct facts *f, const char *text)
{
	assert_int_equal(facts_init(f), 0);
	assert_int_equal(facts_begin(f, "log"), 0);
	facts_feed(f, text, strlen(text));
	facts_end(f);
	facts_finish(f);
}

/* Whatever a launcher puts in front of host:pid:tid. */
static const char *const prefixes[] = {
	"",
	"0: ",
	"[default1]:",
	"[rank7]: ",
	"(RayTrainWorker pid=31415, ip=10.0.0.9) ",
	"trainer-0-1  | ",
	"2024-05-06T07:08:09.123456Z stdout F ",
	"\x1b[36m",
	"\\x1b[36m",
	"^[[36m",
	"\xe2\x94\x82 ",
	"| ",
	"+ ",
	"- ",
	"> ",
	"[1,3]<stdout>:",
	"{\"log\":\"",
	"I0506 07:08:09.123456 1234 train.cc:10] ",
	"\t",
	"[2026-01-02 03:04:05] ",
	"<14>Jan  2 03:04:05 box kernel[77]: ",
	"ESC[36m(RayWorkerVllm pid=4095)ESC[0m ",
	"  | 2025-05-16T16:39:51.208-07:00",
	"> > > ",
	"```",
	"error log `",
};
static const char *const suffixes[] = { "",
					"\r",
					"\x1b[0m",
					"\\x1b[0m",
					"\\u001b[0m",
					"^[[0m",
					" \xe2\x94\x82",
					" |",
					" [repeated 7x across cluster]",
					"ESC[32m [repeated 4x across cluster]ESC[0m",
					"`",
					"\\n\",\"stream\":\"stdout\"}" };

static void any_prefix(void **state)
{
	for (size_t i = 0; i < N_ELEMENTS(prefixes); i++)
		for (size_t k = 0; k < N_ELEMENTS(suffixes); k++) {
			struct page_row *rows;
			struct buf b = { 0 };
			struct facts f;
			size_t n;

			buf_printf(&b,
				   "%sgpu-7.x:123:456 [1] NCCL INFO Channel 03/0 : 0[0] -> 1[1] "
				   "[send] via NET/IB/2/GDRDMA%s\n",
				   prefixes[i], suffixes[k]);
			buf_printf(&b,
				   "%sgpu-7.x:123:456 [1] NCCL INFO NCCL_IB_HCA set by environment "
				   "to mlx5_0:1%s\n",
				   prefixes[i], suffixes[k]);
			buf_printf(&b,
				   "%sgpu-7.x:123:456 [1] NCCL INFO NCCL_CROSS_NIC set by "
				   "environment to 1.%s\n",
				   prefixes[i], suffixes[k]);
			read_log(&f, buf_text(&b));
			assert_int_equal(f.n_procs, 1);
			assert_string_equal(f.procs[0].host, "gpu-7.x");
			assert_int_equal(f.procs[0].pid, 123);
			assert_int_equal(page_rows(&f, -1, &rows, &n), 0);
			assert_int_equal(n, 1);
			assert_string_equal(rows[0].cls, "NET/IB");
			assert_string_equal(rows[0].variant, "GDRDMA");
			assert_int_equal(rows[0].devices, 4);
			free(rows);
			assert_int_equal(f.n_settings, 2);
			assert_string_equal(f.settings[0].value, "mlx5_0:1");
			assert_string_equal(f.settings[1].value, "1");
			facts_fini(&f);
			buf_fini(&b);
		}
}

/* Names that a person or a platform took away, and times that look like host:pid:tid. */
static void hidden_names(void **state)
{
	static const struct {
		const char *prefix, *host;
		uint64_t pid;
	} cases[] = {
		{ "<host>:33:10589 [2] ", "<host>", 33 },
		{ ":22901:22916 [0] ", "", 22901 },
		{ "2024-05-11 14:10:52 ", "", 0 },
		{ "2024-05-11 14:10:52 [0] ", "", 0 },
		{ "", "", 0 },
		{ "a < b, 1 > 0:7:8 [0] ", "0", 7 },
	};

	for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
		struct buf b = { 0 };
		struct facts f;

		buf_printf(&b, "%sNCCL INFO Connected all rings\n", cases[i].prefix);
		read_log(&f, buf_text(&b));
		assert_int_equal(f.n_procs, 1);
		assert_string_equal(f.procs[0].host, cases[i].host);
		assert_int_equal(f.procs[0].pid, cases[i].pid);
		facts_fini(&f);
		buf_fini(&b);
	}
}

#define P "n:1:1 [0] NCCL INFO "
#define Q "n:2:2 [1] NCCL INFO "

static void rccl_version(void **state)
{
	static const struct {
		const char *log, *version;
	} cases[] = {
		{ "RCCL version 2.18.3+hip5.5 develop:6ecf771+\n" P "Connected all rings\n",
		  "2.18.3" },
		{ "> RCCL version : 2.21.5-main:a29a210+\n> HIP version  : 6.2.41134-\n",
		  "2.21.5" },
		{ P "RCCL version : 2.30.4-HEAD:2b22ab0\nHIP version  : 7.14\n", "2.30.4" },
	};
	struct facts f;

	for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
		read_log(&f, cases[i].log);
		assert_true(f.rccl);
		assert_string_equal(f.procs[0].version, cases[i].version);
		facts_fini(&f);
	}
	read_log(&f, "the RCCL version is not known\n");
	assert_false(f.rccl);
	assert_int_equal(f.n_procs, 0);
	facts_fini(&f);
}

/* 2.3 says its interfaces and cards in words of its own. */
static void words_of_2_3(void **state)
{
	struct facts f;

	read_log(&f, P "NET : Using interface ib0:192.0.2.2<0>\n" P
		       "NET/IB : Using interface ib0 for sideband communication\n" P
		       "NET/IB: [0] mlx5_0:1/IB [1] mlx5_1:1/RoCE \n" P
		       "Using internal Network IB\n" P "NET/Socket : 1 interfaces found\n");
	assert_int_equal(f.n_boots, 1);
	assert_string_equal(f.boots[0].name, "ib0");
	assert_string_equal(f.boots[0].address, "192.0.2.2");
	assert_int_equal(f.n_hcas, 2);
	assert_string_equal(f.hcas[1].name, "mlx5_1");
	assert_string_equal(f.hcas[1].address, "1/RoCE");
	assert_string_equal(f.network, "IB");
	facts_fini(&f);
	/* a list that was cut names no interface */
	read_log(&f, P "NET/Socket : Using [0]eth0:192.0.2.2<0> [1]et");
	assert_int_equal(f.n_sockets, 1);
	facts_fini(&f);
}

/* Two communicators with an id: links go to the newest one that the rank fits in. */
static void communicators(void **state)
{
	struct facts f;

	read_log(&f, P
		 "ncclCommInitRank comm 0xa rank 0 nranks 4 cudaDev 0 busId 60 commId 0x1 - Init "
		 "START\n" P "ncclCommInitRank comm 0xa rank 0 nranks 4 cudaDev 0 busId 60 commId "
		 "0x1 - Init COMPLETE\n" P "Channel 00/0 : 0[0] -> 1[1] via P2P/IPC\n" P
		 "ncclCommSplit comm 0xb rank 1 nranks 2 cudaDev 0 busId 60 parent 0xa color 0 key "
		 "0 commId 0x2 - Init START\n" P
		 "ncclCommSplit comm 0xb rank 1 nranks 2 cudaDev 0 busId 60 parent 0xa color 0 key "
		 "0 commId 0x2 - Init COMPLETE\n" P "Channel 00/0 : 1[0] -> 0[1] via SHM/direct\n" P
		 "Channel 00/0 : 0[0] -> 3[1] via P2P/CUMEM\n");
	assert_int_equal(f.n_comms, 2);
	assert_int_equal(f.comms[0].nranks, 4);
	assert_int_equal(f.comms[0].n_links, 2);
	assert_int_equal(f.comms[1].nranks, 2);
	assert_int_equal(f.comms[1].n_links, 1);
	assert_int_equal(f.procs[0].nranks, 4);
	assert_int_equal(f.procs[0].rank, 0);
	facts_fini(&f);
}

/* Before 2.18.3: no id, links first; the second communicator of a size is another one. */
static void communicators_without_id(void **state)
{
	struct facts f;

	read_log(&f, P "Channel 00 : 0[1000] -> 1[2000] via P2P/IPC\n" Q
		       "Channel 00 : 1[2000] -> 0[1000] via P2P/IPC\n" P
		       "comm 0x10 rank 0 nranks 2 cudaDev 0 busId 1000 - Init COMPLETE\n" Q
		       "comm 0x20 rank 1 nranks 2 cudaDev 1 busId 2000 - Init COMPLETE\n" P
		       "comm 0x11 rank 0 nranks 2 cudaDev 0 busId 1000 - Init COMPLETE\n" Q
		       "comm 0x21 rank 1 nranks 2 cudaDev 1 busId 2000 - Init COMPLETE\n");
	assert_int_equal(f.n_comms, 2);
	assert_int_equal(f.comms[0].n_links, 2);
	assert_int_equal(f.comms[0].n_complete, 2);
	assert_int_equal(f.comms[1].n_complete, 2);
	facts_fini(&f);
	/* one process, a thread per GPU */
	read_log(&f, P "comm 0x10 rank 0 nranks 2 cudaDev 0 busId 1000 - Init COMPLETE\n" P
		       "comm 0x20 rank 1 nranks 2 cudaDev 1 busId 2000 - Init COMPLETE\n");
	assert_int_equal(f.n_comms, 1);
	assert_int_equal(f.comms[0].n_complete, 2);
	facts_fini(&f);
}

static void cut_words_prove_nothing(void **state)
{
	static const char *const cut[] = { "P2P/",       "P2P/CUM",       "P2P/I",       "P2P/dir",
					   "P2P/direct", "SHM/",          "SHM/dir",     "NET/",
					   "NET/Socket", "NET/IB/0/GDRD", "P2P/CUMEM/re" };

	for (size_t i = 0; i < N_ELEMENTS(cut); i++)
		for (int how = 0; how < 2; how++) {
			struct buf b = { 0 };
			struct facts f;

			buf_printf(&b, P "Channel 00/0 : 0[0] -> 1[1] via %s%s", cut[i],
				   how ? Q "Connected all rings\n" : "\n");
			read_log(&f, buf_text(&b));
			if (f.n_links)
				fail_msg("taken for whole: %s", buf_text(&b));
			facts_fini(&f);
			buf_fini(&b);
		}
}

static const struct {
	const char *line, *name, *value;
} assignments[] = {
	{ "export NCCL_ALGO=Ring", "NCCL_ALGO", "Ring" },
	{ "NCCL_ALGO=Ring NCCL_PROTO=LL ./a", "NCCL_ALGO", "Ring" },
	{ "  NCCL_DEBUG: INFO", "NCCL_DEBUG", "INFO" },
	{ "  NCCL_DEBUG: \"INFO\"  # comment", "NCCL_DEBUG", "INFO" },
	{ "os.environ[\"NCCL_DEBUG\"] = \"INFO\"", "NCCL_DEBUG", "INFO" },
	{ "os.environ.setdefault('NCCL_DEBUG', 'INFO')", "NCCL_DEBUG", "INFO" },
	{ "ENV NCCL_DEBUG=INFO", "NCCL_DEBUG", "INFO" },
	{ "mpirun -x NCCL_DEBUG=INFO -np 2 a", "NCCL_DEBUG", "INFO" },
	{ "{\"NCCL_DEBUG\": \"INFO\", \"x\": 1}", "NCCL_DEBUG", "INFO" },
	{ "docker run -e NCCL_IB_HCA==mlx5_0:1 img", "NCCL_IB_HCA", "=mlx5_0:1" },
	{ "+export NCCL_DEBUG='INFO'", "NCCL_DEBUG", "INFO" },
	{ "# export NCCL_ALGO=Ring", NULL, NULL },
	{ "echo $NCCL_ALGO", NULL, NULL },
	{ "if [ \"${NCCL_ALGO}\" = x ]", NULL, NULL },
	{ "MY_NCCL_ALGO=1", NULL, NULL },
	{ "unset NCCL_ALGO", NULL, NULL },
	{ "NCCL_ALGO: chooses what NCCL does with it", NULL, NULL },
	{ "if NCCL_X == 1:", NULL, NULL },
};

static void pasted_settings(void **state)
{
	for (size_t i = 0; i < N_ELEMENTS(assignments); i++) {
		struct facts f;

		read_log(&f, assignments[i].line);
		if (!assignments[i].name && f.n_settings)
			fail_msg("taken for a setting: %s", assignments[i].line);
		if (assignments[i].name) {
			if (!f.n_settings)
				fail_msg("not seen: %s", assignments[i].line);
			assert_string_equal(f.settings[0].name, assignments[i].name);
			assert_string_equal(f.settings[0].value, assignments[i].value);
			assert_false(f.settings[0].logged);
		}
		facts_fini(&f);
	}
}

static void clean_text(void **state)
{
	struct buf b = { 0 };

	page_clean(&b, "a\x1b[2J\xc3\xa9\xff\x7f\xc2\x9b\xe2\x80\xae\n");
	assert_string_equal(buf_text(&b),
			    "a\\x1b[2J\xc3\xa9\\xff\\x7f\\xc2\\x9b\\xe2\\x80\\xae\\x0a");
	buf_fini(&b);
}

/* 20 000 processes, as many communicators, links, settings: bounded, and said so. */
static void hostile_counts_are_bounded(void **state)
{
	struct buf b = { 0 };
	struct facts f;

	for (int i = 0; i < 10000; i++)
		buf_printf(
		    &b,
		    "h:%d:1 [0] NCCL INFO comm 0x%x rank 0 nranks %d cudaDev 0 busId 0 - Init "
		    "COMPLETE\n"
		    "h:%d:1 [0] NCCL INFO NCCL_V%d set by environment to %d.\nexport NCCL_W%d=1\n",
		    i, i, i + 1, i, i, i, i);
	read_log(&f, buf_text(&b));
	assert_true(f.n_procs <= FACTS_PROCS_MAX && f.n_comms <= FACTS_COMMS_MAX &&
		    f.n_settings <= FACTS_SETTINGS_MAX);
	assert_true(f.n_cut > 0);
	assert_false(f.failed);
	facts_fini(&f);
	buf_fini(&b);
}

static double seconds_for(const struct buf *b)
{
	struct timespec t0, t1;
	struct facts f;

	assert_int_equal(facts_init(&f), 0);
	assert_int_equal(facts_begin(&f, "log"), 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t0);
	facts_feed(&f, b->data, b->len);
	facts_end(&f);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t1);
	facts_fini(&f);
	return (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec);
}

/* meson test --benchmark. Aim: 200 MB/s of one core, as processor time; a tenth is asked. */
static void fast_enough(void **state)
{
	struct buf links = { 0 }, prose = { 0 };

	for (int i = 0; i < 40000; i++) {
		buf_printf(&links,
			   "node-17:%d:%d [%d] NCCL INFO Channel %02d/0 : %d[%d] -> %d[%d] via "
			   "P2P/CUMEM/read\n",
			   612 + i % 8, 900 + i % 8, i % 8, i % 32, i % 8, i % 8, (i + 1) % 8,
			   (i + 1) % 8);
		buf_printf(
		    &prose,
		    "[rank%d] step %d loss 2.%06d grad_norm 0.%d tokens/s 41211.2 memory 71.2GiB\n",
		    i % 8, i, i, i % 7);
	}
	print_message("links %.0f MB/s, other text %.0f MB/s\n",
		      (double)links.len / seconds_for(&links) / 1e6,
		      (double)prose.len / seconds_for(&prose) / 1e6);
	assert_true((double)links.len / seconds_for(&links) > 20e6);
	assert_true((double)prose.len / seconds_for(&prose) > 20e6);
	buf_fini(&links);
	buf_fini(&prose);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_prefix),
		cmocka_unit_test(hidden_names),
		cmocka_unit_test(rccl_version),
		cmocka_unit_test(words_of_2_3),
		cmocka_unit_test(communicators),
		cmocka_unit_test(communicators_without_id),
		cmocka_unit_test(cut_words_prove_nothing),
		cmocka_unit_test(pasted_settings),
		cmocka_unit_test(clean_text),
		cmocka_unit_test(hostile_counts_are_bounded),
	};
	const struct CMUnitTest benchmarks[] = { cmocka_unit_test(fast_enough) };

	if (argc > 1)
		return cmocka_run_group_tests(benchmarks, NULL, NULL);

	return cmocka_run_group_tests(tests, NULL, NULL);
}
