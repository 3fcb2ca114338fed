/* SPDX-License-Identifier: Apache-2.0 */
/* Specified peaks from facts. NVLink: NVIDIA's data sheets; PCIe: GT/s x lanes / 8 x encoding. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/facts.h"
#include "run/peak.h"
#include "spec/transport.h"

static char rank0[300], rank1[300];
static char *texts[2] = { rank0, rank1 };
static const struct facts two = { .text = texts, .n = 2 };
static struct view_peak peaks[PEAK_MAX];

static size_t peaks_of(const char *a, const char *b)
{
	snprintf(rank0, sizeof(rank0), "device=0\n%s", a);
	snprintf(rank1, sizeof(rank1), "device=0\n%s", b);
	return peak_spec(&two, 2, peaks);
}

static void near(double got, double want)
{
	if (!(fabs(got - want) < 0.1))
		fail_msg("%g, must be %g", got, want);
}

static void nvlink_per_link(void **state)
{
	static const struct {
		const char *cc;
		double gbps;
	} rows[] = {
		{ "6.0", 20 },  { "7.0", 25 }, { "8.0", 25 }, { "8.6", 14.0625 }, { "9.0", 25 },
		{ "10.0", 50 }, { "12.0", 0 }, { "5.2", 0 },  { "", 0 },          { "x", 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		near(peak_nvlink_per_link(rows[i].cc), rows[i].gbps);
}

#define H200 "gpu0.cc=9.0\ngpu0.nvlinks=18\ngpu0.pci_gen=5\ngpu0.pci_width=16\n"
#define A100 "gpu0.cc=8.0\ngpu0.nvlinks=12\ngpu0.pci_gen=4\ngpu0.pci_width=16\n"
#define RTX "gpu0.cc=8.9\ngpu0.nvlinks=0\ngpu0.pci_gen=4\ngpu0.pci_width=8\n"

static void two_alike(void **state)
{
	assert_int_equal(peaks_of(H200, H200), 2);
	assert_string_equal(peaks[0].name, "NVLink 18 x 25 GB/s (spec)");
	assert_string_equal(peaks[0].transport, "p2p");
	near(peaks[0].gbps, 450);
	assert_string_equal(peaks[1].name, "PCIe 5.0 x16 (spec)");
	assert_string_equal(peaks[1].transport, "shm");
	near(peaks[1].gbps, 63.0);
}

static void the_slower_one_counts(void **state)
{
	assert_int_equal(peaks_of(H200, A100), 2);
	near(peaks[0].gbps, 300); /* 12 x 25 */
	assert_string_equal(peaks[0].name, "NVLink 12 x 25 GB/s (spec)");
	near(peaks[1].gbps, 31.5);
	assert_string_equal(peaks[1].name, "PCIe 4.0 x16 (spec)");
	assert_int_equal(peaks_of(A100, H200), 2);
	near(peaks[0].gbps, 300);
}

static void without_nvlink(void **state)
{
	assert_int_equal(peaks_of(RTX, RTX), 1);
	assert_string_equal(peaks[0].transport, "shm");
	near(peaks[0].gbps, 15.75);
	/* One of two has no link: there is none between them. */
	assert_int_equal(peaks_of(H200, RTX), 1);
	near(peaks[0].gbps, 15.75);
}

static void what_is_not_known_has_no_peak(void **state)
{
	assert_int_equal(peaks_of("", ""), 0);
	assert_int_equal(peaks_of(H200, ""), 0);
	assert_int_equal(
	    peaks_of("gpu0.cc=9.0\ngpu0.nvlinks=18\n", "gpu0.cc=9.0\ngpu0.nvlinks=18\n"), 1);
	assert_int_equal(peaks_of("gpu0.cc=99.0\ngpu0.nvlinks=18\n", H200), 0);
	assert_int_equal(peaks_of("gpu0.nvlinks=many\ngpu0.pci_gen=-1\ngpu0.pci_width=16\n", H200),
			 0);
}

static void which_peak_a_transport_is_held_against(void **state)
{
	struct view_peak all[] = {
		{ .name = "a", .transport = "p2p", .gbps = 450 },
		{ .name = "b", .transport = "shm", .gbps = 63 },
		{ .name = "c", .transport = "tcp", .gbps = 5 },
	};

	near(peak_of(all, 3, TRANSPORT_P2P), 450);
	near(peak_of(all, 3, TRANSPORT_P2P_IPC), 450);
	near(peak_of(all, 3, TRANSPORT_SHM), 63);
	near(peak_of(all, 3, TRANSPORT_SOCKET), 5);
	near(peak_of(all, 3, TRANSPORT_UCX_TCP), 5);
	assert_true(isnan(peak_of(all, 3, TRANSPORT_AUTO)));
	assert_true(isnan(peak_of(all, 3, TRANSPORT_NVLS)));
	assert_true(isnan(peak_of(all, 3, TRANSPORT_UCX_CMA)));
	/* Without NVLink, p2p goes over PCIe. */
	near(peak_of(all + 1, 2, TRANSPORT_P2P), 63);
	assert_true(isnan(peak_of(all, 1, TRANSPORT_SHM)));
	assert_true(isnan(peak_of(NULL, 0, TRANSPORT_P2P)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nvlink_per_link),
		cmocka_unit_test(two_alike),
		cmocka_unit_test(the_slower_one_counts),
		cmocka_unit_test(without_nvlink),
		cmocka_unit_test(what_is_not_known_has_no_peak),
		cmocka_unit_test(which_peak_a_transport_is_held_against),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
