/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The conversation between a supervisor (ncclbench-run) and its worker.
 *
 * One SOCK_SEQPACKET socket pair per worker. The worker finds its end at descriptor
 * NB_CHANNEL_FD and, for its library's log, a writable file at NB_LOG_FD (the supervisor sets
 * NCCL_DEBUG_FILE=/proc/self/fd/4: a path that no hostile directory name can break). One packet
 * is one message: a verb and `key=value` pairs separated by one space; bytes of a value outside
 * [A-Za-z0-9_.,:;/+@()<>#*-] are written %XX. At most NB_MESSAGE_MAX bytes, no terminating NUL.
 *
 *   worker -> supervisor   HELLO version= backend= pid= ...facts    (first, unasked)
 *   supervisor -> worker   ID
 *   worker -> supervisor   IDENT blob=<hex>                         (NCCL: rank 0 only is asked)
 *   supervisor -> worker   PEER rank= blob=<hex>                    (one per known blob; no reply)
 *   supervisor -> worker   DEVICE device=                           (not always; no reply: it makes
 *                                                                    its context ahead of JOIN)
 *   supervisor -> worker   JOIN rank= nranks= device=
 *   worker -> supervisor   JOINED context_us= init_us= ...facts
 * and then per point
 *   supervisor -> worker   PREPARE op= dtype= redop= inplace= root= a= b= bytes= timing= variant=
 *   worker -> supervisor   READY device_bytes=
 *   supervisor -> worker   RUN mode=single|measure batches= ops= replays= warmup=
 *   worker -> supervisor   DONE ns=<t0>,<t1>,...  first_us=         (elapsed ns of each batch)
 *   supervisor -> worker   CHECK
 *   worker -> supervisor   CHECKED wrong= checked= first= got= want= poisoned=
 * and, at any time after HELLO,
 *   supervisor -> worker   CEILING name= device= peer= bytes= copies= samples=
 *   worker -> supervisor   CEILED ns=<s0>,<s1>,...                  (elapsed ns of a sample)
 * and at the end
 *   supervisor -> worker   BYE
 *   worker -> supervisor   GONE teardown_us=                        (then it exits 0)
 *
 * BYE may carry destroy=0: the communicator is not torn down first where the process can just exit
 * (teardown_us is -1 then).
 *
 * Instead of the awaited answer a worker may send, at any phase,
 *   FAIL kind=unavailable|oom|skipped|corrupt|error code= text=   it stays alive unless fatal=1 is
 *                                                         given: it exits, a new one is needed
 *   NOTE key=value...                                     facts; the supervisor waits on
 *
 * A supervisor treats any other verb, an unknown key's absence, or garbage as outcome `error`
 * (phase = the one awaited). Closing the socket means: exit now.
 *
 * DONE may carry used= proof=yes|no|unknown proof_detail= channels= peers= (UCX: what
 * the library says carried this rank's data; NCCL's proof is its log).
 *
 * op, dtype, redop, timing and variant are names of the spec tables; inplace and poisoned are 0
 * or 1. HELLO also carries blob_from_all=0|1; facts of a worker without devices are devices=0
 * reason=<text>.
 *
 * PREPARE may carry quiet=1: from now on the library's per-operation log lines (NCCL: TUNING) must
 * stop; the worker re-opens its library's log at NB_QUIET_LOG_FD without them (ncclResetDebugInit)
 * where it can.
 *
 * PREPARE may carry load=mem|fma (spec/load.h): computation that keeps the GPU busy beside each
 * batch of this case. RUN then carries cover_us=, for how long it is queued, and DONE load_slow=
 * (thousandths of its time alone; left out where too little of it lay within the batches to tell)
 * and uncovered= (batches that it did not outlast: not valid).
 * PREPARE may carry pairs=N: so many pairs are measured at once, each worker is told its own as a=
 * and b= (a rank of none: another's).
 *
 * JOINED, DONE of mode=measure (at most about every 50 ms) and GONE may carry the state of the GPU:
 * sm_mhz= mem_mhz= power_mw= temp_c= throttle=<hex of NVML's reasons>; JOINED and GONE also
 * ecc_corrected= ecc_uncorrected= pcie_replays=. HELLO may carry gpu<i>.procs=<pid name MiB; ...>:
 * who uses that GPU before this worker does. What is not known is left out.
 *
 * CEILING measures a copy without the library (name: spec/ceiling.h), on `device`, towards `peer`
 * where it needs another (-1: none); a sample is `copies` copies. JOIN is not needed for it.
 *
 * mode=single runs two operations: the first connects and is first_us= by the host's clock, the
 * second is ns=. With once=1 (a supervisor's word, equal on all ranks, for long operations of a
 * kind that ran before) the first is the only one and ns=, too. CHECK compares what one operation
 * made of freshly filled buffers: that of mode=single where it came directly before, else it fills
 * them and runs one. mode=measure runs `batches` batches, each an in-stream barrier, start mark,
 * `replays` times `ops` operations, stop mark. DONE ns= holds stop - start of each batch: the time
 * of replays*ops operations.
 */
#pragma once

#define NB_PROTOCOL_VERSION 2
#define NB_CHANNEL_FD 3
#define NB_LOG_FD 4
#define NB_QUIET_LOG_FD 5
#define NB_MESSAGE_MAX 131072 /* bytes; below Linux' default wmem_max of 212992 */
