/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of option_rows.h, and what stands above and below them. Parses nothing. */
#include "run/option_rows.h"

#include "base/attr.h"

/* Texts of options that several commands have in common. */
#define TEXT_TIMEOUT "longest wait for one answer of a worker (default 30s)"
#define TEXT_BACKEND "auto, nccl or ucx (default auto: NCCL where there are as many GPUs as ranks)"
#define TEXT_BIND                                                                                  \
	"CPUs of the workers: inherit, near (widen a one-core binding to the GPU's NUMA node) or " \
	"all (default near with NCCL, inherit with UCX)"
#define TEXT_MAP "GPU of each rank of a host (default 0,1,2...); or near, far, numa"
#define TEXT_SHARE_GPU                                                                             \
	"allow several ranks on one GPU: only network transports, time-sliced, for trying things " \
	"out"
#define TEXT_OUT "run directory (default results/runs/<time>-<host>); refused if not empty"
#define TEXT_JSON "print one JSON object on standard output, everything else on standard error"

const struct argp_option option_rows_sweep[] = {
	{ 0, 0, 0, 0, "What to measure", 1 },
	{ "ops", KEY_OPS, "LIST", 0,
	  "operations, comma separated, or all (default all_reduce,broadcast,sendrecv,pingpong); "
	  "ncclbench list ops",
	  0 },
	{ "transports", KEY_TRANSPORTS, "LIST", 0,
	  "transports, comma separated (default auto,p2p,shm,socket, ib with a device; cma,shm,tcp "
	  "on UCX); ncclbench list transports",
	  0 },
	{ "minbytes", 'b', "SIZE", 0,
	  "smallest size (default 8); suffixes K M G are powers of 1024", 0 },
	{ "maxbytes", 'e', "SIZE", 0, "largest size (default 1G on GPUs, by profile on UCX)", 0 },
	{ "stepfactor", 'f', "N", 0, "multiply sizes by N (default 2)", 0 },
	{ "stepbytes", 'i', "SIZE", 0, "add SIZE instead", 0 },
	{ "sizes", KEY_SIZES, "LIST", 0, "exactly these sizes instead of a range", 0 },
	{ "datatype", 'd', "LIST", 0, "element types, or all (default float)", 0 },
	{ "op", 'o', "LIST", 0, "reductions: sum prod max min avg, or all (default sum)", 0 },
	{ "place", KEY_PLACE, "WHERE", 0,
	  "out, in or both: result in another buffer or in place (default out)", 0 },
	{ "root", KEY_ROOT, "RANK", 0, "root of broadcast, reduce, gather, scatter (default 0)",
	  0 },
	{ "pair", KEY_PAIR, "I,J", 0, "ranks of pingpong, send and send_bidir (default 0,1)", 0 },
	{ "pairs", KEY_PAIRS, "HOW", 0,
	  "one-way, two-way and ping-pong for every ordered pair of ranks. all: pairs that share "
	  "nothing, as far as the topology tells, at once, held against pairs alone; alone: one "
	  "after another; together: all that have no rank in common",
	  0 },
	{ "overlap", KEY_OVERLAP, "LIST", OPTION_ARG_OPTIONAL,
	  "each point also while the GPU computes: mem (limited by memory), fma (by arithmetic; "
	  "default both). How much the two slow each other; --ops all_reduce, --timing stream by "
	  "default",
	  0 },
	{ "ranks", KEY_RANKS, "LIST", 0,
	  "the same points on communicators over the first so many ranks, ascending, for example "
	  "2,4,8; the others are idle. Says how the figures grow (--map chooses the GPUs)",
	  0 },
	{ "register", KEY_REGISTER, "LIST", 0,
	  "add rows with other memory: user, graph, symmetric (registered), memalloc", 0 },
	{ 0, 0, 0, 0, "How to measure", 2 },
	{ "timing", KEY_TIMING, "LIST", 0,
	  "graph, stream, blocking (default graph,stream; UCX: host)", 0 },
	{ "match", KEY_MATCH, "TOOL", 0,
	  "nccl-tests: measure by its method (20 launches, mean over ranks, its memory and "
	  "communicator settings), for comparing with its figures",
	  0 },
	{ "profile", KEY_PROFILE, "NAME", 0,
	  "quick, standard or gate: time spent per point and restarts (default quick)", 0 },
	{ "restarts", KEY_RESTARTS, "N", 0, "fresh workers per transport (default: the profile's)",
	  0 },
	{ "seed", KEY_SEED, "N", 0, "order of the points (default: from the clock, recorded)", 0 },
	{ "ceilings", KEY_CEILINGS, 0, 0,
	  "measure plain copies and TCP beside it, about one second (default with NCCL)", 0 },
	{ "no-ceilings", KEY_NO_CEILINGS, 0, 0, "do not", 0 },
	{ "timeout", KEY_TIMEOUT, "SEC", 0, TEXT_TIMEOUT, 0 },
	{ 0, 0, 0, 0, "Where", 3 },
	{ "backend", KEY_BACKEND, "NAME", 0, TEXT_BACKEND, 0 },
	{ "bind", KEY_BIND, "HOW", 0, TEXT_BIND, 0 },
	{ "map", KEY_MAP, "LIST", 0,
	  "GPU of each rank of a host (default 0,1,2...); or near, far: each next GPU as near to "
	  "or "
	  "as far from those before it as the PCI tree says; or numa: node by node",
	  0 },
	{ "fake-hosts", KEY_FAKE_HOSTS, "N", 0,
	  "make NCCL take the ranks of one host for N hosts, in blocks (NCCL_HOSTID): its own way "
	  "inside of a block, the network between them",
	  0 },
	{ "share-gpu", KEY_SHARE_GPU, 0, 0, TEXT_SHARE_GPU, 0 },
	{ "nccl-lib", KEY_NCCL_LIB, "PATH", 0, "measure with this libnccl.so.2", 0 },
	{ 0, 0, 0, 0, "Compare", 4 },
	{ "ab", KEY_AB, "\"NAME=VALUE...\"", 0,
	  "measure with these settings, or with --nccl-lib PATH, in turns with another --ab or, "
	  "when it is the only one, with the plain environment (\"\"); at least 10 restarts; says "
	  "what is "
	  "faster and how sure",
	  0 },
	{ "algos", KEY_ALGOS, "LIST", 0,
	  "rows for each of these algorithms beside NCCL's own choice: ring, tree, pat (--ops "
	  "all_reduce by default)",
	  0 },
	{ "protos", KEY_PROTOS, "LIST", 0,
	  "rows for each of these protocols: ll, ll128, simple; with --algos for each combination",
	  0 },
	{ "channels", KEY_CHANNELS, "LIST", 0,
	  "rows for each of these numbers of channels (SMs that NCCL takes) beside NCCL's own "
	  "choice",
	  0 },
	{ "tuned", KEY_TUNED, "RUN", 0,
	  "add rows with the settings that an `ncclbench tune` recommends: shm (tuned)", 0 },
	{ "confirm", KEY_CONFIRM, "VERDICT", 0,
	  "measure again what `ncclbench gate --json` found slower, and nothing else, with its "
	  "profile and fresh workers; then: ncclbench gate BASELINE... NEW --confirm RUN",
	  0 },
	{ 0, 0, 0, 0, "Results", 5 },
	{ "require", KEY_REQUIRE, "LIST", 0, "exit 1 unless these transports are ok and proven",
	  0 },
	{ "out", KEY_OUT, "DIR", 0, TEXT_OUT, 0 },
	{ "json", KEY_JSON, 0, 0, TEXT_JSON, 0 },
	{ "color", KEY_COLOR, "WHEN", 0, "auto, always or never", 0 },
	{ "no-charts", KEY_NO_CHARTS, 0, 0, "do not draw", 0 },
	{ "dry-run", KEY_DRY_RUN, 0, 0, "print the plan and stop", 0 },
	{ 0, 0, 0, 0, "Help", -1 },
	{ 0 },
};

const char option_doc_sweep[] =
    "Measure NCCL's transports between the GPUs of a job, prove which one was really used, check "
    "the data, write CSV, a table and charts. On a machine without GPUs the same through UCX on "
    "host memory."
    "\vExamples:\n"
    "  mpirun -np 2 ncclbench --sweep\n"
    "  mpirun -np 2 ncclbench sweep --ops all --profile standard\n"
    "  mpirun -np 2 ncclbench sweep --transports p2p,shm -b 1M -e 1G --require p2p\n"
    "  mpirun -np 8 ncclbench sweep --ranks 2,4,8 --ops all_reduce\n\n"
    "Exit status: 0 measured (N/A and skipped included); 1 a --require'd transport is not ok and "
    "proven; 2 usage; 5 a point was corrupt, hung, crashed or failed; 130 interrupted.";

const struct argp_option option_rows_health[] = {
	{ "timeout", KEY_TIMEOUT, "SEC", 0,
	  "the verdict is there by then, whatever hangs (default 8s)", 0 },
	{ "backend", KEY_BACKEND, "NAME", 0,
	  "auto, nccl or ucx (default auto: NCCL where there is a GPU or its driver; name nccl on "
	  "a "
	  "GPU node, so that a lost driver is not taken for a machine without GPUs)",
	  0 },
	{ "require", KEY_REQUIRE, "LIST", 0,
	  "exit 1 unless every operation is proven to have used one of these transports", 0 },
	{ "nccl-lib", KEY_NCCL_LIB, "PATH", 0, "check with this libnccl.so.2", 0 },
	{ "map", KEY_MAP, "LIST", 0, TEXT_MAP, 0 },
	{ "share-gpu", KEY_SHARE_GPU, 0, 0,
	  "allow several ranks on one GPU: by the socket transport, for trying things out", 0 },
	{ "bind", KEY_BIND, "HOW", 0, TEXT_BIND, 0 },
	{ "keep", KEY_KEEP, "DIR", 0,
	  "write the workers' logs there and keep them (default: a temporary folder, kept only on "
	  "failure)",
	  0 },
	{ "json", KEY_JSON, 0, 0, TEXT_JSON, 0 },
	{ 0, 0, 0, 0, "Help", -1 },
	{ 0 },
};

const char option_doc_health[] =
    "Do the ranks of this job connect and exchange right data, in this environment, and over which "
    "transport? One all_reduce and one sendrecv, small and large, each checked. Ends in seconds, "
    "also when something hangs, "
    "and says who is behind."
    "\vExamples:\n"
    "  mpirun -np 2 ncclbench health\n"
    "  mpirun -np 8 ncclbench health --backend nccl --require p2p --json\n\n"
    "Exit status: 0 healthy; 1 a --require'd transport was not proven; 2 usage; 5 not healthy; 130 "
    "interrupted.";

const struct argp_option option_rows_tune[] = {
	{ 0, 0, 0, 0, "What to search", 1 },
	{ "budget", KEY_BUDGET, "SEC", 0,
	  "time for measuring, all transports together (default 120s)", 0 },
	{ "objective", KEY_OBJECTIVE, "WHAT", 0,
	  "bandwidth (sizes above 64 KiB), latency (up to it) or model:NAME, the messages of a "
	  "model's training (default bandwidth)",
	  0 },
	{ "transports", KEY_TRANSPORTS, "LIST", 0,
	  "transports, comma separated (default p2p,shm,socket, ib with a device; cma,shm,tcp on "
	  "UCX)",
	  0 },
	{ "ops", KEY_OPS, "LIST", 0, "operations, comma separated (default all_reduce)", 0 },
	{ "sizes", KEY_SIZES, "LIST", 0,
	  "sizes: those of the objective, and others to watch (default 8,64M; UCX 8,4M)", 0 },
	{ "only", KEY_ONLY, "LIST", 0, "try these variables only; ncclbench list tunables", 0 },
	{ 0, 0, 0, 0, "How to measure", 2 },
	{ "timing", KEY_TIMING, "NAME", 0, "graph, stream or blocking (default graph; UCX: host)",
	  0 },
	{ "profile", KEY_PROFILE, "NAME", 0,
	  "quick, standard or gate: time spent per point (default quick)", 0 },
	{ "timeout", KEY_TIMEOUT, "SEC", 0, TEXT_TIMEOUT, 0 },
	{ 0, 0, 0, 0, "Where", 3 },
	{ "backend", KEY_BACKEND, "NAME", 0, TEXT_BACKEND, 0 },
	{ "bind", KEY_BIND, "HOW", 0, TEXT_BIND, 0 },
	{ "map", KEY_MAP, "LIST", 0, TEXT_MAP, 0 },
	{ "share-gpu", KEY_SHARE_GPU, 0, 0, TEXT_SHARE_GPU, 0 },
	{ "nccl-lib", KEY_NCCL_LIB, "PATH", 0, "tune for this libnccl.so.2", 0 },
	{ 0, 0, 0, 0, "Results", 4 },
	{ "emit", KEY_EMIT, "FORM", 0,
	  "add what to paste: env, python, accelerate, torchrun, docker, k8s or slurm", 0 },
	{ "out", KEY_OUT, "DIR", 0, TEXT_OUT, 0 },
	{ "resume", KEY_RESUME, "DIR", 0,
	  "go on with an interrupted tune: the same options, and its run directory", 0 },
	{ "json", KEY_JSON, 0, 0, TEXT_JSON, 0 },
	{ "dry-run", KEY_DRY_RUN, 0, 0, "print what would be tried and stop", 0 },
	{ 0, 0, 0, 0, "Help", -1 },
	{ 0 },
};

const char option_doc_tune[] =
    "Search the settings that make this machine's transports faster, and prove the gain: fresh "
    "workers for each setting, in turns with the defaults, data checked; the best one again, "
    "against the defaults there and back. What hangs, crashes or corrupts is told and never "
    "recommended. NCCL_NVLS_ENABLE=0 of the environment holds for all that is tried."
    "\vExamples:\n"
    "  mpirun -np 2 ncclbench tune\n"
    "  mpirun -np 2 ncclbench tune --transports socket --budget 60 --emit torchrun\n"
    "  mpirun -np 8 ncclbench tune --objective model:llama3-8b --out results/tune\n\n"
    "Exit status: 0 searched, whatever was found; 2 usage; 5 the defaults themselves hung, "
    "crashed, failed or gave wrong data; 130 interrupted (--resume goes on).";

_Static_assert(N_ELEMENTS(option_rows_sweep) <= OPTION_ROWS_MAX, "one row too many");
_Static_assert(N_ELEMENTS(option_rows_health) <= OPTION_ROWS_MAX, "one row too many");
_Static_assert(N_ELEMENTS(option_rows_tune) <= OPTION_ROWS_MAX, "one row too many");
