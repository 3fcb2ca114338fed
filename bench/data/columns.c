/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TABLE of the columns of points.csv and samples.csv. A column is one row here: writing, reading,
 * keys and the README all follow it. Texts go into a Markdown table: no vertical bar in them.
 */
#include <stddef.h>

#include "data/record.h"

/* One row, one column: no formatter could wrap it better. */
/* clang-format off */
#define COLUMN_SINCE(schema, parent, member, csv_name, kind, what, unit_text, text) \
	{ \
		.name = csv_name, .type = COLUMN_##kind, \
		.offset = offsetof(struct parent, member), \
		.size = sizeof(((struct parent *)0)->member), \
		.role = COLUMN_##what, .since = schema, .unit = unit_text, .help = text, \
	}
#define COLUMN(...) COLUMN_SINCE(1, __VA_ARGS__)
#define KEY(member, kind, unit, help) COLUMN(record, member, #member, kind, KEY, unit, help)
#define METRIC(member, unit, help) COLUMN(record, member, #member, DOUBLE, METRIC, unit, help)
#define STATUS(member, kind, unit, help) COLUMN(record, member, #member, kind, STATUS, unit, help)
#define SAMPLE(member, kind, unit, help) COLUMN(sample, member, #member, kind, METRIC, unit, help)

const struct column record_columns[] = {
	KEY(backend, TEXT, "",
	    "Library that moved the data: nccl (GPU memory) or ucx (host memory)."),
	KEY(transport, TEXT, "",
	    "Transport that was asked for, as in --transports; auto is the library's own choice. "
	    "What really carried the data is in used."),
	KEY(variant, TEXT, "",
	    "How the buffers were made and registered: plain (cudaMalloc, not at all), memalloc "
	    "(ncclMemAlloc), user, graph or symmetric."),
	KEY(op, TEXT, "", "Operation: all_reduce, broadcast, sendrecv, pingpong ... (list ops)."),
	KEY(dtype, TEXT, "",
	    "Element type, named as in nccl-tests: float, half, bfloat16, int8 ..."),
	KEY(redop, TEXT, "",
	    "Reduction: sum, prod, max, min or avg; none for an operation that only copies."),
	COLUMN(record, in_place, "inplace", INT, KEY, "",
	       "1 if the result overwrites the input buffer, 0 if the buffers are separate."),
	KEY(root, INT, "rank",
	    "Root of a rooted operation (broadcast, reduce, gather, scatter); without meaning "
	    "for others."),
	KEY(ranks, INT, "", "Number of ranks in the communicator."),
	KEY(map, TEXT, "",
	    "Which device each rank used, as rank:device pairs; empty means rank i on device i."),
	KEY(pair, TEXT, "",
	    "The two ranks of a point-to-point operation, as 0-1; empty when all ranks take "
	    "part."),
	KEY(algo_req, TEXT, "", "Algorithm that was asked for; empty: NCCL chose."),
	KEY(proto_req, TEXT, "", "Protocol that was asked for; empty: NCCL chose."),
	KEY(load, TEXT, "",
	    "Computation that kept the GPU busy during the measurement; empty: idle "
	    "otherwise."),
	KEY(bytes, U64, "bytes",
	    "Size of the operation, as in nccl-tests: the message, or for all_gather, "
	    "reduce_scatter, alltoall, gather and scatter the sum over all ranks. Rounded down "
	    "to whole elements for every rank."),
	KEY(timing, TEXT, "",
	    "How time was taken: graph (captured once and replayed: device time), stream "
	    "(launched by the host one after another), blocking (one operation, then wait), host "
	    "(UCX: host clock)."),
	STATUS(used, TEXT, "",
	       "Transport that the library's own log shows for the channels between the ranks, "
	       "such as P2P/CUMEM, SHM/direct or NET/Socket; empty when the log shows none."),
	STATUS(proof, TEXT, "",
	       "yes: the log proves that every pair used the requested transport; no: it shows "
	       "another one; unknown: it shows nothing. A number without proof is only a number."),
	STATUS(outcome, TEXT, "",
	       "What became of the point: ok, unavailable, unproven, corrupt, hang, crash, "
	       "error, out-of-memory, skipped or aborted. Figures are valid for ok; with "
	       "unproven they are of another transport."),
	STATUS(phase, TEXT, "",
	       "Step at which an outcome other than ok happened: start, hello, id, join, "
	       "prepare, run, check, bye."),
	STATUS(detail, TEXT, "",
	       "Reason in words: the library's error, the signal, why it was skipped."),
	METRIC(time_us, "us",
	       "Time of one operation: the median over restarts of each restart's median batch; "
	       "a batch's value is that of its slowest rank. For pingpong half a round trip."),
	METRIC(ci_lo_us, "us",
	       "Lower end of the 95 % interval of the median, by order statistics: of the "
	       "restarts' medians when there are at least 6 of them, else of all batches. It "
	       "tells how well this run knows its own median, not how far another run may be."),
	METRIC(ci_hi_us, "us", "Upper end of the 95 % interval of the median; see ci_lo_us."),
	METRIC(p5_us, "us",
	       "5th percentile of the batches: 5 % of them were faster per operation."),
	METRIC(p95_us, "us",
	       "95th percentile of the batches: 5 % of them were slower per operation."),
	METRIC(p99_us, "us",
	       "99th percentile of the batches: 1 % of them were slower per operation."),
	METRIC(min_us, "us", "Fastest batch, per operation."),
	METRIC(max_us, "us", "Slowest batch, per operation."),
	METRIC(algbw_gbps, "GB/s",
	       "Algorithm bandwidth: bytes / time_us, in 10^9 bytes per second."),
	METRIC(busbw_gbps, "GB/s",
	       "Bus bandwidth: algbw_gbps times the operation's factor (all_reduce 2(n-1)/n, "
	       "all_gather (n-1)/n, broadcast 1 ...), which makes it comparable with the "
	       "bandwidth of a link in one direction."),
	METRIC(peak_pct, "%",
	       "busbw_gbps as a percentage of the transport's peak in one direction: p2p of "
	       "NVLink or PCIe, shm of PCIe, socket of measured TCP (run.json, peaks); where the "
	       "network reduces (NVLS, CollNet) algbw_gbps as a percentage of the line rate; empty "
	       "when the peak is not known."),
	STATUS(algo, TEXT, "",
	       "Algorithm that NCCL logged for this size: RING, TREE ...; empty: not logged."),
	STATUS(proto, TEXT, "",
	       "Protocol that NCCL logged for this size: LL, LL128, SIMPLE; empty: not logged."),
	STATUS(channels, DOUBLE, "channels",
	       "Channels (parallel connections) that NCCL logged for this size, else for the "
	       "pair; empty: not logged."),
	STATUS(wrong, DOUBLE, "elements",
	       "Elements whose value was wrong when the result was checked outside the clock, "
	       "over all ranks; 0 is right, empty means not checked."),
	STATUS(ops_per_batch, DOUBLE, "operations",
	       "Operations timed together in one batch. Figures of small sizes depend on it: "
	       "compare equal values only."),
	STATUS(samples, DOUBLE, "batches", "Batches behind the figures, over all restarts."),
	STATUS(restarts, DOUBLE, "workers",
	       "Fresh worker processes behind the figures: the replicates of a comparison."),
	STATUS(stop, TEXT, "",
	       "Why measuring ended: precision (the interval of the median was tight enough), "
	       "budget (time was spent), fixed (the number of batches was given)."),
	COLUMN_SINCE(2, record, arm, "arm", TEXT, KEY, "",
		     "Which of the environments that one run compares (sweep --ab): run.json, arms, says "
		     "what each sets; empty when there is one."),
	COLUMN_SINCE(2, record, load_slowdown, "load_slowdown", DOUBLE, METRIC, "",
		     "How many times as long the computation of column load took while the operation "
		     "ran as alone, on the rank where it was slowed most; empty without load, and "
		     "where batches are too short to tell."),
};
const size_t record_n_columns = N_ELEMENTS(record_columns);

const struct column sample_columns[] = {
	SAMPLE(restart, INT, "", "Which fresh worker measured it, counted from 0."),
	SAMPLE(batch, INT, "", "Number of the batch within its restart and point, counted from 0."),
	SAMPLE(ops_per_batch, DOUBLE, "operations", "Operations timed together in this batch."),
	SAMPLE(max_us, DOUBLE, "us",
	       "Time of one operation on the slowest rank: batch time / operations. This is the "
	       "batch's value."),
	SAMPLE(mean_us, DOUBLE, "us",
	       "Mean over ranks of the time of one operation in this batch."),
	SAMPLE(min_us, DOUBLE, "us", "Time of one operation on the fastest rank."),
	SAMPLE(slowest_rank, INT, "rank", "The rank that max_us is of; -1 when not known."),
	SAMPLE(flags, TEXT, "", "Words on what was unusual about the batch; empty: nothing."),
};
const size_t sample_n_columns = N_ELEMENTS(sample_columns);
