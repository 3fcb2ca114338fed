/* SPDX-License-Identifier: Apache-2.0 */
/* Line rate, NCCL's model, and percent of peak by algorithm. Figures by hand: NVML's 26562 MB/s a
 * link; NCCL's graph/topo.h. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/record.h"
#include "run/facts.h"
#include "run/peak.h"
#include "spec/transport.h"

static void near(double got, double want)
{
	if (!(fabs(got - want) < 0.001))
		fail_msg("%g, must be %g", got, want);
}

static void model_of_links(void **state)
{
	static const struct {
		const char *cc;
		double gbps;
		int most;
	} rows[] = {
		{ "6.0", 18, 4 },  { "7.0", 20, 6 },    { "7.5", 20, 6 },     { "8.0", 20, 12 },
		{ "8.6", 12, 12 }, { "9.0", 20.6, 18 }, { "10.0", 40.1, 18 }, { "10.3", 40.1, 18 },
		{ "5.2", 0, 0 },   { "", 0, 0 },        { "nine", 0, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int most = 0;

		near(peak_model_per_link(rows[i].cc, &most), rows[i].gbps);
		assert_int_equal(most, rows[i].most);
	}
}

static void model_of_pcie(void **state)
{
	near(peak_model_pcie(1, 16), 3);
	near(peak_model_pcie(3, 16), 12);
	near(peak_model_pcie(4, 8), 12);
	near(peak_model_pcie(5, 16), 48);
	near(peak_model_pcie(6, 16), 96);
	assert_true(isnan(peak_model_pcie(0, 16)));
	assert_true(isnan(peak_model_pcie(7, 16)));
	assert_true(isnan(peak_model_pcie(5, -1)));
}

#define H200                                                                                    \
	"device=0\ngpu0.cc=9.0\ngpu0.nvlinks=18\ngpu0.nvlink_mbps=26562\ngpu0.pci_gen=5\ngpu0." \
	"pci_width=16\n"
#define HALF                                                                                    \
	"device=0\ngpu0.cc=9.0\ngpu0.nvlinks=12\ngpu0.nvlink_mbps=26562\ngpu0.pci_gen=5\ngpu0." \
	"pci_width=8\n"
#define NONE "device=0\ngpu0.cc=8.9\ngpu0.nvlinks=0\ngpu0.pci_gen=4\ngpu0.pci_width=16\n"

static size_t other(const char *a, const char *b, struct view_peak *out)
{
	char *texts[] = { (char *)a, (char *)b };
	struct facts f = { .text = texts, .n = 2 };

	return peak_other(&f, 2, out);
}

static void rows_beside_the_specification(void **state)
{
	struct view_peak p[PEAK_MAX];

	assert_int_equal(other(H200, H200, p), 3);
	assert_string_equal(p[0].name, "NVLink 18 x 26.562 GB/s (line rate)");
	near(p[0].gbps, 478.116);
	assert_string_equal(p[1].name, "NVLink 18 x 20.6 GB/s (NCCL model)");
	near(p[1].gbps, 370.8);
	assert_string_equal(p[2].name, "PCIe 5.0 x16 (NCCL model)");
	near(p[2].gbps, 48);
	for (int i = 0; i < 3; i++) {
		assert_string_equal(p[i].transport, ""); /* nothing is held against them */
		assert_int_equal(p[i].kind, i == 0 ? VIEW_PEAK_LINE_RATE : VIEW_PEAK_MODEL);
		assert_non_null(p[i].how);
	}
	assert_int_equal(other(H200, HALF, p), 3);
	near(p[0].gbps, 318.744); /* 12 x 26.562 */
	near(p[1].gbps, 247.2);
	near(p[2].gbps, 24);
	assert_int_equal(other(H200, NONE, p), 1);
	near(p[0].gbps, 24);
	assert_int_equal(other(H200, "device=0\n", p), 0);
}

static void percent_by_algorithm(void **state)
{
	const struct view_peak p[] = {
		{ .name = "a", .transport = "p2p", .gbps = 450 },
		{ .name = "b", .transport = "", .gbps = 480, .kind = VIEW_PEAK_LINE_RATE },
		{ .name = "c", .transport = "socket", .gbps = 5, .kind = VIEW_PEAK_MEASURED },
	};
	struct record r;

	record_init(&r);
	r.busbw_gbps = 360;
	r.algbw_gbps = 240;
	near(peak_percent(p, 3, TRANSPORT_P2P, &r), 80);
	record_set(r.algo, sizeof(r.algo), "RING");
	near(peak_percent(p, 3, TRANSPORT_P2P, &r), 80);
	record_set(r.algo, sizeof(r.algo), "NVLS");
	near(peak_percent(p, 3, TRANSPORT_NVLS, &r), 50);
	record_set(r.algo, sizeof(r.algo), "NVLSTree");
	near(peak_percent(p, 3, TRANSPORT_AUTO, &r), 50);
	record_set(r.algo, sizeof(r.algo), "COLLNET_DIRECT");
	near(peak_percent(p, 3, TRANSPORT_IB, &r), 50);
	assert_true(isnan(peak_percent(p, 1, TRANSPORT_NVLS, &r))); /* no line rate is known */
	r.algo[0] = '\0';
	r.busbw_gbps = 4;
	near(peak_percent(p, 3, TRANSPORT_SOCKET, &r), 80);
	assert_true(isnan(peak_percent(p, 2, TRANSPORT_SOCKET, &r)));
	assert_true(isnan(peak_percent(p, 3, TRANSPORT_AUTO, &r)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(model_of_links),
		cmocka_unit_test(model_of_pcie),
		cmocka_unit_test(rows_beside_the_specification),
		cmocka_unit_test(percent_by_algorithm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
