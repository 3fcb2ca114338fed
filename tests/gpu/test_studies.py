#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of the studies, on figures worked out by hand and on kept runs. Needs no GPU."""
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import ceilings  # noqa: E402
import parity  # noqa: E402
import repeat  # noqa: E402
import runs  # noqa: E402

KEPT = os.path.join(HERE, "..", "golden", "gate", "h200x2")
SAMPLE = os.path.join(HERE, "..", "..", "results", "sample", "2xh200")
NVBANDWIDTH = os.path.join(HERE, "..", "golden", "import", "nvbandwidth.json")
FOREIGN = os.path.join(HERE, "..", "golden", "import", "h200x2-v2.19.txt")


class Studies(unittest.TestCase):
    def test_spread_is_range_over_median(self):
        self.assertAlmostEqual(repeat.spread([10.0, 10.5, 11.0]), 100 * 1.0 / 10.5)
        self.assertEqual(repeat.spread([7.0, 7.0]), 0)

    def test_limits_depend_on_transport_and_size(self):
        self.assertEqual(repeat.limit("p2p", 8), 3.5)
        self.assertEqual(repeat.limit("p2p", 1 << 20), 1.5)
        self.assertEqual(repeat.limit("shm", 256 << 20), 2.5)
        self.assertEqual(repeat.limit("socket", 8), 15.0)
        self.assertIsNone(repeat.limit("auto", 8))

    def test_sizes_as_people_write_them(self):
        self.assertEqual([runs.size(n) for n in (8, 1 << 10, 12 << 20, 1 << 30, 1000)], ["8", "1K", "12M", "1G", "1000"])

    def test_geometric_mean(self):
        self.assertAlmostEqual(parity.geometric([2.0, 8.0]), 4.0)

    def test_nccl_tests_out_of_place_times(self):
        with open(FOREIGN) as f:
            found = runs.nccl_tests_times(f.read())
        self.assertTrue(found)
        self.assertTrue(all(us > 0 for us in found.values()))
        self.assertEqual(runs.nccl_tests_times(
            "#  size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
            "           8             2     float     sum      -1     7.21    0.00    0.00      0     6.90    0.00    0.00      0\n"
            "# Out of bounds values : 0 OK\n"), {8: 7.21})

    def test_kept_gate_runs_stay_within_their_limits(self):
        found = {}
        for run in ("a1", "a2", "honest"):
            path = os.path.join(KEPT, run)
            repeat.collect(found, "ncclbench gate", runs.times(path, "graph"))
        # 899.57 us is the median of the three; the range was worked out from the three rows by hand.
        us = sorted(found[("ncclbench gate", "p2p", "all_reduce", 256 << 20)])
        self.assertEqual(len(us), 3)
        self.assertAlmostEqual(us[1], 899.57, places=2)
        self.assertLess(repeat.spread(us), 1.5)
        self.assertEqual([k for k, v in found.items() if repeat.limit(k[1], k[3]) and repeat.spread(v) > repeat.limit(k[1], k[3])],
                         [])

    def test_nvbandwidth_one_direction(self):
        with open(NVBANDWIDTH) as f:
            self.assertEqual(ceilings.theirs(f.read()),
                             {"host_to_device_memcpy_ce": 55.4, "device_to_device_memcpy_write_ce": 396.4})
        both = {"name": "device_to_device_bidirectional_memcpy_read_ce",
                "bandwidth_matrix": [["N/A", "390"], ["391", "N/A"], ["N/A", "388"], ["392", "N/A"], ["N/A", "778"], ["783", "N/A"]]}
        self.assertEqual(ceilings.one_way(both), 389)
        self.assertIsNone(ceilings.one_way({"name": "device_to_device_memcpy_read_ce", "bandwidth_matrix": [["N/A"]]}))
        self.assertIsNone(ceilings.one_way({"name": "device_local_copy"}))

    def test_every_measured_row_of_a_kept_sweep_has_its_test(self):
        found = ceilings.ours(runs.meta(SAMPLE))
        self.assertAlmostEqual(found["pinned host to GPU"], 55.32433751)
        named = {name for name, _ in ceilings.ROWS}
        self.assertEqual({k for k in found if not k.startswith(("TCP", "host memory"))}, named)
        rows = ceilings.table([found, found], [{"host_to_device_memcpy_ce": 50.0}, {"host_to_device_memcpy_ce": 60.0}])
        self.assertEqual([r[0] for r in rows], ["pinned host to GPU"])
        self.assertAlmostEqual(rows[0][3], 55.32433751 / 55)

    def test_a_program_that_fails_is_named(self):
        with self.assertRaisesRegex(runs.Failed, "false"):
            runs.command(["false"])
        with tempfile.TemporaryDirectory() as d, self.assertRaises(OSError):
            runs.rows(d)


if __name__ == "__main__":
    unittest.main()
