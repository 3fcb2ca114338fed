/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each diagnosis: a log that has it, and one that looks like it and has not. A row of the table of
 * rules without an example here fails.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "explain/findings.h"
#include "explain/rule.h"

#define A "node1:11:21 [0] NCCL INFO "
#define B "node1:12:22 [1] NCCL INFO "
#define C "node2:11:21 [0] NCCL INFO " /* another host */
#define W "\nnode1:11:21 [0] misc/file.cc:71 NCCL WARN "
#define WC "\nnode2:11:21 [0] misc/file.cc:71 NCCL WARN "
#define SHM_W "\nnode1:11:21 [0] transport/shm.cc:590 NCCL WARN "
#define P2P_W "\nnode1:11:21 [0] transport/p2p.cc:275 NCCL WARN "
#define START(p, rank, n)                                                \
	p "ncclCommInitRank comm 0x" #rank "a rank " #rank " nranks " #n \
	  " cudaDev 0 busId 60 commId 0x77 - Init START\n"
#define DONE(p, rank, n)                                                 \
	p "ncclCommInitRank comm 0x" #rank "a rank " #rank " nranks " #n \
	  " cudaDev 0 busId 60 commId 0x77 - Init COMPLETE\n"
#define NODES(p, rank, n, nodes)                                          \
	p "comm 0x" #rank "a rank " #rank " nRanks " #n " nNodes " #nodes \
	  " localRanks 1 localRank 0 MNNVL 0\n"
#define PAIR_UP        \
	START(A, 0, 2) \
	START(B, 1, 2) NODES(A, 0, 2, 1) NODES(B, 1, 2, 1) DONE(A, 0, 2) DONE(B, 1, 2)
#define HOSTS_UP       \
	START(A, 0, 2) \
	START(C, 1, 2) NODES(A, 0, 2, 2) NODES(C, 1, 2, 2) DONE(A, 0, 2) DONE(C, 1, 2)
#define VIA(p, text) p "Channel 00/0 : 0[0] -> 1[1] " text "\n"
#define BOTH_HOSTS(net) \
	HOSTS_UP A "Bootstrap: Using " net "\n" C "Bootstrap: Using eth0:10.0.0.2<0>\n"

static const struct example {
	enum rule_id rule;
	const char *has, *has_not;
	const char *words; /* that the finding's text holds */
} examples[] = {
/* clang-format off */
#define EX(rule, ...) { RULE_##rule, __VA_ARGS__ }
	EX(SHM_TOO_SMALL, W "Error: failed to extend /dev/shm/nccl-03v824 to 4194660 bytes, error: No space left on device (28)\n",
	   "OSError: [Errno 28] No space left on device: '/data/checkpoint.pt'\n", "/dev/shm"),
	EX(SHM_TOO_SMALL, W "Call to posix_fallocate failed : No space left on device\n", "posix_fallocate is slow\n"),
	EX(SHM_TOO_SMALL, "RuntimeError: DataLoader worker (pid 99) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory.\n",
	   "bus errors are rare in trams\n"),
	EX(SHM_NOT_SHARED, W "Error while attaching to shared memory segment /dev/shm/nccl-AbCdEf (size 9637888), error: No such file or directory (2)\n",
	   A "SHM: attached to segment /dev/shm/nccl-AbCdEf\n"),
	EX(SHM_CUMEM_MIXED, W "Error while attaching to shared memory segment /dev/shm/nccl- (size 0), error: No such file or directory (2)\n",
	   W "Error while attaching to shared memory segment /dev/shm/nccl-AbCdEf (size 9637888), error: No such file or directory (2)\n"),
	EX(SHM_NOT_WRITABLE, W "Error: failed to create shared memory file /dev/shm/nccl-XXXXXX, error Permission denied (13)\n",
	   "PermissionError: [Errno 13] Permission denied: '/root/x'\n"),
	EX(SHM_MAP, W "Error: Could not map /dev/shm/nccl-A1 size 1000, error: Cannot allocate memory (12)\n", "could not map names to numbers\n"),
	EX(SHM_TOO_SMALL, W "Error while creating shared memory segment /dev/shm/nccl-AbCdEf (size 5967872)\n",
	   W "Error while creating shared memory segment /dev/shm/nccl-AbCdEf (size 5967872), error: Permission denied (13)\n"),
	EX(SHM_NOT_WRITABLE, W "Error while creating shared memory segment /dev/shm/nccl-AbCdEf (size 4096), error: Read-only file system (30)\n",
	   W "Error: failed to extend /dev/shm/nccl-AbCdEf to 4100 bytes\n" W "Error while creating shared memory segment /dev/shm/nccl-AbCdEf (size 4096)\n"),
	EX(SHM_CUMEM_MIXED, W "Call to open failed: No such file or directory\n" W "Error while attaching to shared memory segment /dev/shm/nccl- (size 192814336), error: No such file or directory (2)\n",
	   W "Error while attaching to shared memory segment /dev/shm/nccl-A1b2C3 (size 192814336), error: No such file or directory (2)\n"),
	EX(SHM_NOT_SHARED, W "Call to open failed: No such file or directory\n" W "Error while attaching to shared memory segment /dev/shm/nccl-A1b2C3 (size 4096), error: No such file or directory (2)\n",
	   W "Call to open failed: No such file or directory\n" W "Error while attaching to shared memory segment /dev/shm/nccl- (size 4096), error: No such file or directory (2)\n"),
	EX(SHM_REGISTER, "node1:11:21 [0] include/shm.h:42 NCCL WARN Cuda failure 'invalid argument'\n", SHM_W "Cuda failure 217 'peer access is not supported between these two devices'\n"),
	EX(SHM_REGISTER, "node1:11:21 [0] misc/shmutils.cc:103 NCCL WARN Cuda failure 'invalid argument'\n" W "Error while creating shared memory segment /dev/shm/nccl-NzwJ7O (size 9637888)\n",
	   W "Error while creating shared memory segment /dev/shm/nccl-NzwJ7O (size 9637888)\n"),
	EX(SHM_TOO_SMALL, W "Call to posix_fallocate failed : No space left on device\n" W "Error while creating shared memory segment nccl-shm-recv-1 (size 9637888)\n",
	   "node1:11:21 [0] misc/shmutils.cc:103 NCCL WARN Cuda failure 'invalid argument'\n" W "Error while creating shared memory segment /dev/shm/nccl-NzwJ7O (size 9637888)\n"),
	EX(SHM_REGISTER, W "Cuda failure 1 'invalid argument'\n" A "transport/shm.cc:187 -> 1\n", W "Cuda failure 1 'invalid argument'\n" A "transport/net.cc:187 -> 1\n"),
	EX(SHM_REMOVED, W "unlink shared memory /dev/shm/nccl-d5rTd0 failed, error: No such file or directory (2)\n", "unlink shared files\n"),
	EX(CUMEM_HOST_FALLBACK, A "cuMem host allocations do not appear to be working; falling back to a /dev/shm/ based implementation.\n",
	   A "MMAP allocated shareable host buffer /dev/shm/nccl-A size 4096\n"),
	EX(NO_INTERFACE, W "Bootstrap : no socket interface found\n", A "Bootstrap: Using eth0:10.0.0.1<0>\n"),
	EX(NO_INTERFACE, A "NCCL_SOCKET_IFNAME set by environment to nope0\n" W "NET/Socket : no interface found\n",
	   A "NCCL_SOCKET_IFNAME set by environment to nope0\n", "NCCL_SOCKET_IFNAME=nope0"),
	EX(INTERFACE_LOOPBACK, BOTH_HOSTS("lo:127.0.0.1<0>"), PAIR_UP A "Bootstrap: Using lo:127.0.0.1<0>\n"),
	EX(NO_INTERFACE, A "NCCL_SOCKET_IFNAME set by environment to eth7\n" W "ncclSocketInit: connecting to address  with family 59936 is neither AF_INET(2) nor AF_INET6(10)\n",
	   A "NCCL_SOCKET_IFNAME set by environment to eth7\n" A "Bootstrap: Using eth7:10.0.0.1<0>\n" W "ncclSocketInit: connecting to address  with family 1 is neither AF_INET(2) nor AF_INET6(10)\n", "eth7"),
	EX(NO_INTERFACE, W "no device found matching =eth7, verify NCCL_OOB_NET_IFNAME\n", A "NCCL_OOB_NET_IFNAME set by environment to eth7\n"),
	EX(INTERFACE_LOOPBACK, A "NET/Socket : Using [0]lo:127.0.0.1<0> [1]eth0:10.0.0.1<0>\n", A "NET/Socket : Using [0]lo:127.0.0.1<0>\n", "beside eth0"),
	EX(INTERFACE_BRIDGE, BOTH_HOSTS("ip6tnl0:fe80::1%ip6tnl0<0>"), BOTH_HOSTS("veth0:10.0.0.1<0>"), "ip6tnl0"),
	EX(INTERFACE_BRIDGE, BOTH_HOSTS("vethe9ac691:fe80::1%vethe9ac691<0>"), BOTH_HOSTS("eth0:172.17.80.63<0>"), "vethe9ac691"),
	EX(INTERFACE_BRIDGE, BOTH_HOSTS("eth0:172.17.0.2<0>"), PAIR_UP A "Bootstrap: Using eth0:172.17.0.2<0>\n"),
	EX(INTERFACE_BRIDGE, BOTH_HOSTS("docker0:172.17.0.1<0>"), BOTH_HOSTS("eth0:172.18.5.1<0>"), "docker0"),
	EX(INTERFACE_MANY, HOSTS_UP A "NET/Socket : Using [0]eth0:10.0.0.1<0> [1]eth1:10.1.0.1<0>\n",
	   PAIR_UP A "NET/Socket : Using [0]eth0:10.0.0.1<0> [1]eth1:10.1.0.1<0>\n"),
	EX(INTERFACES_DIFFER, BOTH_HOSTS("ib0:192.168.1.1<0>"), BOTH_HOSTS("eth0:10.0.9.1<0>")),
	EX(CONNECT_REFUSED, W "Call to connect to 10.0.0.2<41000> failed : Connection refused\n",
	   A "socketPollConnect: connect to 10.0.0.2<41000> returned Connection refused, retrying (1/34) after sleep for 100 msec\n"),
	EX(CONNECT_REFUSED, W "socketStartConnect: Connect to 10.0.0.2<41000> failed : Software caused connection abort\n",
	   W "Call to recv from 10.0.0.2<41000> failed : Software caused connection abort\n"),
	EX(CONNECT_REFUSED, W "socketPollConnect: exceeded retries (20000)\n", W "socketPollConnect: exceeded timeouts (3)\n"),
	EX(CONNECT_TIMEOUT, W "socketPollConnect: exceeded timeouts (3)\n", W "socketPollConnect: exceeded retries (20000)\n"),
	EX(NO_ROUTE, A "socketPollConnect: connect returned No route to host, retrying (33/34) after sleep for 3300 msec\n" A "socketPollConnect: connect returned No route to host, retrying (34/34) after sleep for 3400 msec\n",
	   A "socketPollConnect: connect returned No route to host, retrying (33/34) after sleep for 3300 msec\n"),
	EX(NO_ROUTE, W "Net : Connect to 192.168.122.1<41000> failed : No route to host\n", "ping: no route to host\n"),
	EX(CONNECT_TIMEOUT, W "Connect to fe80::a8e5:4dff:fe0e:8a5d%23<44743> failed : Connection timed out\n", A "Bootstrap : Using ib0:fe80::1%ib0<0>\n", "link-local"),
	EX(CONNECT_TIMEOUT, W "Call to connect to 10.0.0.2<41000> failed : Connection timed out\n", "ssh: Connection timed out\n"),
	EX(CONNECT_TIMEOUT, W "socketPollConnect: connect to 10.0.0.2<41000> returned Connection timed out, exceeded error retry count after 35 attempts\n",
	   A "Init timings - ncclCommInitRank: rank 0 nranks 2 total 0.49\n"),
	EX(CONNECT_RETRY, A "socketPollConnect: connect to 10.0.0.2<41000> returned Connection refused, retrying (1/34) after sleep for 100 msec\n",
	   A "Bootstrap timings total 0.01\n"),
	EX(PEER_GONE, W "socketProgress: Connection closed by remote peer node2<45678>\n", A "Connected to proxy localRank 0 -> connection 0x7f\n"),
	EX(PEER_GONE, W "socketTryAccept: Accept failed: Bad file descriptor\n", "close failed: bad file descriptor\n"),
	EX(PROXY_FAILED, W "Proxy Call to rank 1 failed (Connect)\n", A "Proxy call to rank 1 done\n"),
	EX(BOOT_TRUNCATED, W "Message truncated : received 1024 bytes instead of 256\n",
	   W "NET/Socket : peer 10.0.0.2<1> message truncated : receiving 1048576 bytes instead of 524288\n"),
	EX(SOCKET_FAMILY, W "ncclSocketInit: connecting to address  with family 1 is neither AF_INET(2) nor AF_INET6(10)\n",
	   A "NCCL_SOCKET_FAMILY set by environment to AF_INET\n"),
	EX(FAMILY_MIXED, W "Net : Socket creation failed : Address family not supported by protocol\n", W "Net : Socket creation failed : Too many open files\n"),
	EX(SOCKET_TYPES, W "socketFinalizeAccept: wrong type 4 != 3\n", W "socketFinalizeAccept: wrong type 1 != 3\n"),
	EX(SOCKET_TYPES, W "socketFinalizeAccept from 10.0.0.2<41000>: wrong type 3 != 4\n", A "socketFinalizeAccept: wrong magic 1 != 3\n"),
	EX(BOOT_TRUNCATED, W "socketFinalizeAccept: wrong type 1 != 3\n", W "socketFinalizeAccept: wrong type 4 != 3\n"),
	EX(BOOT_TRUNCATED, W "Bootstrap Root : mismatch in rank count from procs 8 : 16\n", A "Bootstrap Root : 8 ranks\n"),
	EX(BOOT_TWICE, W "Bootstrap Root : rank 1 of 8 ranks has already checked in\n", A "rank 1 of 8 ranks checked in\n"),
	EX(NO_PORT, W "Call to bind failed: Address already in use\n", W "UDS: Binding to socket /tmp/nccl-socket-2-e6 failed : Address already in use (98)\n"),
	EX(UDS_TAKEN, W "UDS: Binding to socket /tmp/nccl-socket-2-e6 failed : Address already in use (98)\n", W "Call to bind failed: Address already in use\n"),
	EX(PROXY_FAILED, W "[Proxy Service 3] Failed to execute operation Connect from rank 3, retcode 2\n", A "[Proxy Service] Device 0 CPU core 3\n"),
	EX(PROXY_FAILED, W "Socket recv failed while polling for opId=0x7f\n", W "socketProgress: Connection closed by remote peer node2<45678>\n"),
	EX(TOO_MANY_THREADS, W "Call to pthread_create failed: Resource temporarily unavailable\n", "libgomp: Thread creation failed: Resource temporarily unavailable\n"),
	EX(TOO_MANY_FILES, W "Call to socket failed : Too many open files\n", "too many files to open at once\n"),
	EX(NET_NONE, W "Failed to initialize any NET plugin\n", A "Failed to initialize NET plugin IB\n"),
	EX(NET_NONE, W "Error: network IB not found.\n", A "NET/IB : No device found.\n"),
	EX(IB_NO_DEVICE, HOSTS_UP A "NCCL_IB_HCA set by environment to mlx5_0\n" A "NET/IB : No device found.\n" VIA(A, "[send] via NET/Socket/0"),
	   PAIR_UP A "NET/IB : No device found.\n" VIA(A, "via P2P/CUMEM")),
	EX(IB_DISABLED, HOSTS_UP A "NCCL_IB_DISABLE set by environment to 1.\n" VIA(A, "[send] via NET/Socket/0"),
	   PAIR_UP A "NCCL_IB_DISABLE set by environment to 1.\n" VIA(A, "via P2P/CUMEM")),
	EX(GDR_OFF, HOSTS_UP VIA(A, "[send] via NET/IB/0"), HOSTS_UP VIA(A, "[send] via NET/IB/0/GDRDMA")),
	EX(GDR_OFF, HOSTS_UP A "NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'\n", HOSTS_UP A "NET/Socket : GPU Direct RDMA Disabled for HCA 0 'eth0'\n"),
	EX(IB_RETRY, W "NET/IB: Got completion from peer 10.0.0.2<45678> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_SEND(0)\n",
	   W "NET/IB: Got completion from peer 10.0.0.2<45678> with status=IBV_WC_WR_FLUSH_ERR(5) opcode=IBV_WC_SEND(0)\n"),
	EX(GDR_OFF, HOSTS_UP A "GPU Direct RDMA Disabled for GPU 18000 / HCA 0 (distance 5 > 4)\n", HOSTS_UP A "GPU Direct RDMA Enabled for GPU 18000 / HCA 0 (distance 4 <= 4), read 0\n"),
	EX(IB_NO_DEVICE, A "NET/IB : No device found.\n" A "NET/Socket : Using [0]eth0:10.0.0.1<0>\n" C "NET/IB : No device found.\n" C "NET/Socket : Using [0]eth0:10.0.0.2<0>\n",
	   A "NET/IB : Using [0]mlx5_0:1/IB ; OOB eth0:10.0.0.1<0>\n" A "NET/Socket : Using [0]eth0:10.0.0.1<0>\n" C "Bootstrap : Using [0]eth0:10.0.0.2<0>\n"),
	EX(IB_RETRY, W "NET/IB : Got completion with error 12, opcode 1, len 0, vendor err 129\n", A "NET/IB : Using [0]mlx5_0:1/RoCE ; OOB eth0:10.0.0.1<0>\n"),
	EX(IB_LENGTH, W "NET/IB: Got completion from peer 10.0.0.2<4> with status=IBV_WC_LOC_LEN_ERR(1) opcode=0\n", W "something with error 1, maybe\n"),
	EX(IB_PROTECTION, W "NET/IB: Got completion from peer 10.0.0.2<4> with status=IBV_WC_LOC_PROT_ERR(4) opcode=0\n",
	   W "NET/IB: Got completion from peer 10.0.0.2<4> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=0\n"),
	EX(IB_FLUSHED, W "NET/IB: Got completion from peer 10.0.0.2<4> with status=IBV_WC_WR_FLUSH_ERR(5) opcode=0\n",
	   W "NET/IB: Got completion from peer 10.0.0.2<4> with status=IBV_WC_REM_INV_REQ_ERR(9) opcode=0\n"),
	EX(IB_FLUSHED, W "NET/IB : Got completion from peer 10.0.0.2<4> with error 5, opcode 0, len 0, vendor err 249\n",
	   W "NET/IB : Got completion from peer 10.0.0.2<4> with error 12, opcode 5, len 5, vendor err 129\n"),
	EX(IB_MIXED, W "NET/IB : Attempted to connect incompatible devices: [0]mlx5_0:1/IB and [0]mlx5_2:1/RoCE. Try selecting NICs of only one link type using NCCL_IB_HCA\n",
	   A "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_2:1/RoCE [RO]; OOB eth0:10.0.0.1<0>\n"),
	EX(LIBFABRIC, W "NET/OFI Couldn't open AV. RC: -22, ERROR: Invalid argument\n", A "NET/OFI Selected Provider is efa\n"),
	EX(LIBFABRIC, W "NET/OFI Request completed with error. RC: 21. Error: unknown error\n", W "NET/OFI Only EFA provider is supported\n"),
	EX(IB_REQUEST, W "NET/IB: Got completion from peer 10.0.0.2<4> with status=IBV_WC_REM_INV_REQ_ERR(9) opcode=0\n", W "NET/IB: Got completion from peer 10.0.0.2<4> with status=IBV_WC_MW_BIND_ERR(6) opcode=0\n"),
	EX(IB_REQUEST, W "NET/IB : Got completion from peer 10.0.0.2<4> with status=9 opcode=0 len=0\n", W "NET/IB : Got completion from peer 10.0.0.2<4> with status=6 opcode=9 len=0\n"),
	EX(IB_STATUS, W "NET/IB: Got completion from peer 10.0.0.2<4> with status=IBV_WC_MW_BIND_ERR(6) opcode=0\n", A "NET/IB: completion queue of 128\n"),
	EX(IB_GID, W "Call to ibv_modify_qp failed with error No such device errno 19\n", A "NET/IB: using GID index 3\n"),
	EX(IB_MEMLOCK, W "Call to ibv_create_cq failed with error Cannot allocate memory errno 12\n", "OSError: Cannot allocate memory\n"),
	EX(IB_PORT_EVENT, W "NET/IB : mlx5_0:1 Got async event : port error\n", W "NET/IB : mlx5_0:1 Got async event : client reregistration\n"),
	EX(NET_SIZES, W "NET/Socket : peer 10.0.0.2<1> message truncated : receiving 1048576 bytes instead of 524288\n",
	   W "Message truncated : received 1024 bytes instead of 256\n"),
	EX(NET_SIZES, W "NET/IB : req 0/1 tag 0 peer 10.0.0.2<58683> collective mismatch error, local size 496640 remote size 65536\n", "collective mismatch of tastes\n"),
	EX(IB_MEMLOCK, W "Call to ibv_create_cq failed\n", W "Call to ibv_create_cq failed with error No such device errno 19\n"),
	EX(IB_MEMLOCK, W "NET/OFI Unable to register memory (type = 1) for device 0. RC: 12, Error: Cannot allocate memory\n", W "NET/OFI Unable to register memory (type = 1) for device 0. RC: 14, Error: Bad address\n"),
	EX(P2P_OFF_ENV, PAIR_UP A "NCCL_P2P_DISABLE set by environment to 1\n" VIA(A, "via SHM/direct/direct"),
	   PAIR_UP A "NCCL_P2P_DISABLE set by environment to 0\n" VIA(A, "via SHM/direct/direct"), "NCCL_P2P_DISABLE=1"),
	EX(P2P_OFF_ENV, PAIR_UP A "NCCL_P2P_LEVEL set by environment to LOC\n" VIA(A, "via SHM/direct/direct"),
	   HOSTS_UP A "NCCL_P2P_DISABLE set by environment to 1\n" VIA(A, "[send] via NET/Socket/0")),
	EX(P2P_REFUSED, A "P2P is disabled between connected GPUs 1 and 0. You can repress this message with NCCL_IGNORE_DISABLED_P2P=1.\n",
	   A "Check P2P Type isAllDirectP2p 1 directMode 0\n", "P2P"),
	EX(P2P_REFUSED, A "Could not enable P2P between dev 0(=1000) and dev 1(=2000)\n", A "P2P Chunksize set to 131072\n"),
	EX(P2P_217, P2P_W "Cuda failure 217 'peer access is not supported between these two devices'\n",
	   SHM_W "Cuda failure 217 'peer access is not supported between these two devices'\n"),
	EX(P2P_217, W "failed to peer with device 1(=2000): 217 peer access is not supported between these two devices\n", A "peering with device 1\n"),
	EX(SHM_217, SHM_W "Cuda failure 217 'peer access is not supported between these two devices'\n",
	   P2P_W "Cuda failure 217 'peer access is not supported between these two devices'\n"),
	EX(SHM_217, W "Cuda failure 217 'peer access is not supported between these two devices'\n" A "transport/shm.cc:533 -> 1\n",
	   W "Cuda failure 217 'peer access is not supported between these two devices'\n" A "transport/p2p.cc:533 -> 1\n"),
	EX(ANY_217, W "Cuda failure 217 'peer access is not supported between these two devices'\n",
	   W "Cuda failure 217 'peer access is not supported between these two devices'\n" A "transport/p2p.cc:533 -> 1\n"),
	EX(IPC_OPEN, W "failed to open CUDA IPC handle : 217 invalid argument\n", A "opened CUDA IPC handle\n"),
	EX(IPC_OPEN, "node1:11:21 [0] /build/hipify/src/transport/p2p.cc:239 NCCL WARN hipIpcGetMemHandle failed : invalid argument\n", A "hipIpcGetMemHandle is fine\n"),
	EX(MAPPING_FAILED, W "Cuda failure 1 'invalid argument'\n" A "transport/p2p.cc:219 -> 1\n", W "Cuda failure 1 'invalid argument'\n" A "transport/net_ib/p2p.cc:219 -> 1\n"),
	EX(MAPPING_FAILED, W "Cuda failure 'mapping of buffer object failed'\n", A "mapping of buffers done\n"),
	EX(TOO_MANY_PEERS, W "Cuda failure 711 'peer mapping resources exhausted'\n", W "Cuda failure 205 'mapping of buffer object failed'\n"),
	EX(P2P_NVLINK, W "P2P is disabled between NVLINK connected GPUs 1 and 0. This should not be the case given their connectivity\n",
	   A "P2P is disabled between connected GPUs 1 and 0.\n"),
	EX(FABRIC_MANAGER, W "Cuda failure 'system not yet initialized'\n", "the system is not initialized yet\n"),
	EX(NVLINK_ERROR, "[ 12.3] NVRM: Xid (PCI:0000:06:00): 74, pid=1, NVLink: fatal error detected on link 2\n", "[ 12.3] NVRM: Xid (PCI:0000:06:00): 13, pid=1\n"),
	EX(GPU_LOST, "NVRM: Xid (PCI:0000:06:00): 79, pid=1, GPU has fallen off the bus.\n", "we took the bus\n"),
	EX(GPU_XID, "NVRM: Xid (PCI:0000:06:00): 31, pid=1, MMU Fault\n", "Xid numbers are listed in the manual\n"),
	EX(GPU_ECC, W "Cuda failure 'uncorrectable ECC error encountered'\n", "ECC errors: 0\n"),
	EX(IOMMU_FAULT, "AMD-Vi: Event logged [IO_PAGE_FAULT device=41:00.0 domain=0x0 address=0x0 flags=0x20]\n", "DMAR: IOMMU enabled\nDMAR: default domain type: Translated\n"),
	EX(IOMMU_PT, W "Missing \"iommu=pt\" from kernel command line which can lead to system instablity or hang!\n", "BOOT_IMAGE=/vmlinuz iommu=pt quiet\n"),
	EX(P2P_HANG, START(A, 0, 2) START(B, 1, 2) VIA(A, "via P2P/IPC") B "Channel 00/0 : 1[1] -> 0[0] via P2P/IPC\n",
	   PAIR_UP VIA(A, "via P2P/IPC") A "Connected all rings\n"),
	EX(P2P_HANG, PAIR_UP VIA(A, "via P2P/IPC") A "Connected all rings\n" "[E ProcessGroupNCCL.cpp:828] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2, OpType=ALLREDUCE) ran for 600081 milliseconds\n",
	   PAIR_UP VIA(A, "via SHM/direct/direct") "[E ProcessGroupNCCL.cpp:828] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2, OpType=ALLREDUCE)\n"),
	EX(P2P_HANG, "# nThread 1 nGpus 1 minBytes 8 maxBytes 8\n" PAIR_UP VIA(A, "via P2P/CUMEM") A "Connected all rings\n",
	   "# nThread 1 nGpus 1 minBytes 8 maxBytes 8\n" PAIR_UP VIA(A, "via P2P/CUMEM") "           8             2     float     sum      -1     9.1    0.00\n"),
	EX(IB_PROTECTION, W "NET/IB : Got completion from peer 7.6.13.83<36315> with status=10 opcode=1 len=0 vendor err 136 (Recv)\n",
	   W "NET/IB : Got completion from peer 7.6.13.83<36315> with status=12 opcode=1 len=0 vendor err 129 (Send)\n"),
	EX(WSL, "Linux box 5.15.90.1-microsoft-standard-WSL2 #1 SMP x86_64\n", "wslay is a library\n"),
	EX(LEGACY_IPC, A "Legacy IPC not supported\n", A "Using legacy launch\n"),
	EX(VGPU, "#  Rank  0 Group  0 Pid   2377 on  vm device  0 [0000:00:06] GRID A100-20C\n", "nvgpuctl ready; gridDim=3\n"),
	EX(ACCELERATE_4000, "NotImplementedError: Using RTX 4000 series doesn't support faster communication broadband via P2P or IB. Please set `NCCL_P2P_DISABLE=\"1\"` and `NCCL_IB_DISABLE=\"1\" or use `accelerate launch` which will do this automatically.\n",
	   "RTX 4000 series is supported\n"),
	EX(ACCELERATE_OFF, "Using RTX 3090 or 4000 series which doesn't support faster communication speedups. Ensuring P2P and IB communications are disabled.\n",
	   "faster communication is nice\n"),
	EX(DUPLICATE_GPU, W "Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 60\n", "duplicate rows detected\n"),
	EX(DUPLICATE_GPU, W "Multiple Ranks are using the same GPU/Partition. Set NCCL_MULTI_RANK_GPU_ENABLE=1 to enable this configuration.\n", "several ranks use one node\n"),
	EX(DUPLICATE_GPU, "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1691, invalid usage\nLast error:\nDuplicate GPU detected : rank 1 and rank 0 both on CUDA device 1000\n", "Last error:\n"),
	EX(HIDDEN_GPU, W "Cuda failure 101 'invalid device ordinal'\n", P2P_W "Cuda failure 101 'invalid device ordinal'\n"),
	EX(HIDDEN_GPU, "RuntimeError: CUDA error: invalid device ordinal\n", "invalid ordinal number\n"),
	EX(NO_GPU, "RuntimeError: ProcessGroupNCCL is only supported with GPUs, no GPUs found!\n", "GPUs found: 2\n"),
	EX(NVML_HIDDEN, W "nvmlDeviceGetHandleByPciBusId() failed: Not Found\n", W "nvmlDeviceGetHandleByIndex(3) failed: Unknown Error\n"),
	/* the words of the last WARN, in the text of an exception */
	EX(NVML_HIDDEN, "[rank3]: Last error:\n[rank3]: nvmlDeviceGetHandleByPciBusId() failed: Not Found\n", "Last error:\nnone\nnvmlDeviceGetHandleByPciBusId() failed: Not Found\n"),
	EX(NO_ROUTE, "XlaRuntimeError: INTERNAL: NCCL operation ncclCommInitRank failed: unhandled system error. Last NCCL warning(error) log entry (may be unrelated) 'Net : Connect to 10.0.0.2<1> failed: No route to host'.\n",
	   "XlaRuntimeError: INTERNAL: no route to host\n"),
	EX(NVML_FAILED, W "nvmlInit() failed: Driver/library version mismatch\n", W "nvmlDeviceGetHandleByPciBusId() failed: Not Found\n"),
	EX(TOPOLOGY, W "Could not find real path of /sys/class/pci_bus/0000:21/../../0000:21:00.0\n", A "Could not find real path of /sys/class/net/eth0/device\n"),
	EX(TOPOLOGY, "Last error:\nAttribute arch of node cpu not found\n", "KeyError: attribute colour of node 7 not found\n"),
	EX(TOPOLOGY, "node1:11:21 [0] graph/paths.cc:119 NCCL WARN Failed to find reverse path from remNode 0/200000 nlinks 3 to node 0/700000\n", W "Could not find libnccl-net.so\n"),
	EX(DEVICE_UNSET, "[W ProcessGroupNCCL.cpp:1856] [PG 0 Rank 0]  using GPU 0 to perform barrier as devices used by this process are currently unknown. This can potentially cause a hang\n",
	   "using GPU 0\n"),
	EX(OOM_GPU, W "Cuda failure 2 'out of memory'\n", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"),
	EX(OOM_GPU, W "Failed to CUDA calloc 4194304 bytes\n", W "Failed to CUDA host alloc 4194304 bytes\n"),
	EX(OOM_TORCH, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 23.65 GiB total capacity)\n", "we are out of coffee\n"),
	EX(HOST_ALLOC, W "Failed to malloc 4194304 bytes\n", "Failed to malloc in step 3\n"),
	EX(HOST_ALLOC, W "Failed to CUDA host alloc 4194304 bytes\n", W "Failed to CUDA malloc 4194304 bytes\n"),
	EX(OOM_KILLED, "  exitcode  : -9 (pid: 1234)\n", "  exitcode  : 1 (pid: 1234)\n"),
	EX(OOM_KILLED, "mpirun noticed that process rank 1 with PID 0 on node node1 exited on signal 9 (Killed).\n", "exited on signal 15 (Terminated)\n"),
	EX(VERSION_MISMATCH, W "Mismatched NCCL version detected : rank 1 version 22809 rank 0 version 22703\n", A "NCCL version 2.28.9+cuda13.0\n" B "NCCL version 2.28.9+cuda13.0\n"),
	EX(VERSION_MISMATCH, A "NCCL version 2.28.9+cuda13.0\n" B "NCCL version 2.27.3+cuda12.9\n", A "NCCL version 2.28.9+cuda13.0\n", "2.27.3"),
	EX(VERSION_MISMATCH, "NCCL version 2.18.3+cuda12.1\nNCCL version 2.20.5+cuda12.4\n", "NCCL version 2.18.3+cuda12.1\nNCCL version 2.18.3+cuda12.1\n"),
	EX(BUILDS_DIFFER, A "cudaDriverVersion 12040\n" A "NCCL version 2.21.5+cuda12.4\n" C "cudaDriverVersion 12020\n" C "NCCL version 2.21.5+cuda12.4\n",
	   A "cudaDriverVersion 12040\n" A "NCCL version 2.21.5+cuda12.4\n" C "cudaDriverVersion 12040\n" C "NCCL version 2.21.5+cuda12.4\n"),
	EX(DRIVER_OLD, W "Cuda failure 35 'CUDA driver version is insufficient for CUDA runtime version'\n", A "cudaDriverVersion 12040\n"),
	EX(DRIVER_COMPAT, W "Cuda failure 804 'forward compatibility was attempted on non supported HW'\n", "forward compatibility is fine\n"),
	EX(DRIVER_MAYBE_OLD, A "cudaDriverVersion 12040\n" A "NCCL version 2.28.9+cuda13.0\n", A "cudaDriverVersion 12040\n" A "NCCL version 2.27.3+cuda12.9\n"),
	EX(NO_KERNEL_IMAGE, W "Cuda failure 'no kernel image is available for execution on the device'\n", "the kernel image was unpacked\n"),
	EX(NAMED_SYMBOL, W "Cuda failure 500 'named symbol not found'\n", "symbol not found: x\n"),
	EX(SMEM_SM120, W "cudaArch 1200 ncclMaxSharedMem 82240 exceeds device/fn maxSharedMem 79856\n", A "cudaArch 1200 maxSharedMem 101376\n"),
	EX(LIBNCCL_MIX, "ImportError: libtorch_cuda.so: undefined symbol: ncclCommRegister\n", "undefined symbol: cudaFoo\n"),
	EX(NVLS_FAILED, W "Failed to bind NVLink SHARP (NVLS) Multicast memory of size 2097152 : CUDA error 401 'the operation cannot be performed in the present state'\n",
	   A "NVLS multicast support is available on dev 0 (NVLS_NCHANNELS 16)\n"),
	EX(NVLS_FAILED, W "Cuda failure 801 'operation not supported'\n" A "transport/nvls.cc:254 -> 1\n", W "Cuda failure 801 'operation not supported'\n"),
	EX(IMEX, W "MNNVL (cliqueSize 2) is available but not working on this system. Check the IMEX channel configuration (/dev/nvidia-caps-imex-channels).\n",
	   A "MNNVL busId 0x60 fabric UUID 0.0 cliqueId 0x0 state 3 healthMask 0x0\n"),
	EX(IMEX, P2P_W "Cuda failure 101 'invalid device ordinal'\n", W "Cuda failure 101 'invalid device ordinal'\n"),
	EX(IMEX, W "Cuda failure 101 'invalid device ordinal'\n" A "transport/p2p.cc:345 -> 1\n", W "Cuda failure 101 'invalid device ordinal'\n" A "init.cc:345 -> 1\n"),
	EX(IMEX, "Error: no IMEX channel device\n", "a Timex watch, a maximex\n"),
	EX(CUDA_801, W "Cuda failure 801 'operation not supported'\n", "OSError: operation not supported\n"),
	EX(CUDA_800, W "Cuda failure 800 'operation not permitted'\n", "PermissionError: operation not permitted\n"),
	EX(ILLEGAL_ACCESS, W "Cuda failure 700 'an illegal memory access was encountered'\n", "illegal move\n"),
	EX(CUDA_INIT, W "Cuda failure 'initialization error'\n", "initialization error of the tokenizer\n"),
	EX(CUDA_ERROR, W "Cuda failure 999 'unknown error'\n", W "Cuda failure 2 'out of memory'\n"),
	EX(ALGO_TOKEN, W "Unrecognized element token \"simple\" when parsing \"simple\"\n", A "NCCL_ALGO set by environment to ring\n", "Simple is a protocol"),
	EX(ALGO_TOKEN, "export NCCL_ALGO=simple\n", "export NCCL_ALGO=Tree,ring\n", "NCCL_PROTO=Simple"),
	EX(ALGO_TOKEN, "export NCCL_PROTO=ring\n", "export NCCL_PROTO=^LL128\n", "NCCL_ALGO=Ring"),
	EX(ALGO_NONE, W "Error : no algorithm/protocol available for function AllGather with datatype ncclFloat32.\n", A "AllGather: 8 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..1}\n"),
	EX(NO_TRANSPORT, W "No transport found for rank 0[60] -> rank 1[70]\n", "no public transport found\n"),
	EX(ENV_UNKNOWN, "env:\n  NCCL_INIT_TIMEOUT: 180\n", "NCCL_DEBUG: INFO\n", "does not exist"),
	EX(ENV_UNKNOWN, "export NCCL_P2P_NET_DISABLE=1\n", "if [ $NCCL_P2P_NET_DISABLE = 1 ]; then\n", "NCCL_NET_DISABLE_INTRA"),
	EX(ENV_UNKNOWN, "mpirun -x NCCL_SOKET_IFNAME=eth0 ./a\n", "mpirun -x NCCL_SOCKET_IFNAME=eth0 ./a\n", "NCCL_SOCKET_IFNAME"),
	EX(ENV_FOREIGN, "export NCCL_ASYNC_ERROR_HANDLING=1\n", "export TORCH_NCCL_ASYNC_ERROR_HANDLING=1\n", "TORCH_NCCL_ASYNC_ERROR_HANDLING"),
	EX(ENV_FOREIGN, "Warning: Environment variable NCCL_BLOCKING_WAIT is deprecated; use TORCH_NCCL_BLOCKING_WAIT instead\n",
	   "[I ProcessGroupNCCL.cpp:500] [Rank 0] ProcessGroupNCCL initialization options: NCCL_ASYNC_ERROR_HANDLING: 1, NCCL_BLOCKING_WAIT: 0\n"),
	EX(ENV_VALUE, "NCCL_SHM_DISABLE=true python x.py\n", "NCCL_SHM_DISABLE=1 python x.py\n", "does nothing"),
	EX(ENV_VALUE, "        - name: NCCL_NVLS_ENABLE\n          value: \"true\"\n", "        - name: NCCL_NVLS_ENABLE\n          value: \"0\"\n", "disables"),
	EX(ENV_VALUE, "NCCL_DEBUG=loud\n", "NCCL_DEBUG=INFO\xe5\x90\x8e prose that goes on\n"),
	EX(ENV_VALUE, "os.environ['NCCL_P2P_LEVEL'] = 'nvl'\n", "os.environ['NCCL_P2P_LEVEL'] = 'NVL'\n", "capital"),
	EX(ENV_VALUE, "ENV NCCL_BUFFSIZE=4M\n", "ENV NCCL_BUFFSIZE=4194304\n", "read as 4"),
	EX(ENV_VALUE, "export NCCL_SOCKET_IFNAME=192.168.1.10\n", "export NCCL_SOCKET_IFNAME=^docker0,lo\n", "names of interfaces"),
	EX(ENV_REMOVED, "NCCL version 2.28.9+cuda13.0\nexport NCCL_TREE_THRESHOLD=0\n", "NCCL version 2.28.9+cuda13.0\nexport NCCL_BUFFSIZE=0\n"),
	EX(ENV_TOO_NEW, "NCCL version 2.14.3+cuda11.7\nexport NCCL_NVLS_ENABLE=0\n", "NCCL version 2.18.3+cuda12.1\nexport NCCL_NVLS_ENABLE=0\n"),
	EX(ENV_CONFLICT, A "NCCL_P2P_DISABLE set by environment to 1\n" A "NCCL_SHM_DISABLE set by environment to 1.\n",
	   A "NCCL_P2P_DISABLE set by environment to 1\n" A "NCCL_SHM_DISABLE set by environment to 0.\n"),
	EX(ENV_DIFFERS, PAIR_UP A "NCCL_BUFFSIZE set by environment to 1048576.\n" B "NCCL_BUFFSIZE set by environment to 2097152.\n",
	   PAIR_UP A "NCCL_HOSTID set by environment to a\n" B "NCCL_HOSTID set by environment to b\n", "NCCL_BUFFSIZE"),
	EX(SPLIT_HOST, START(A, 0, 2) START(B, 1, 2) NODES(A, 0, 2, 2) NODES(B, 1, 2, 2) DONE(A, 0, 2) DONE(B, 1, 2), HOSTS_UP),
	EX(TORCH_BARE, "RuntimeError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1275, internal error - please report this issue to the NCCL developers\n",
	   "nccl tests passed\n"),
	EX(TORCH_CUDA, "RuntimeError: NCCL error in: ../torch/lib/c10d/ProcessGroupNCCL.cpp:1275, unhandled cuda error, NCCL version 2.14.3\n",
	   "unhandled exception\n"),
	EX(TORCH_SYSTEM, "torch.distributed.DistBackendError: NCCL error in: ../ProcessGroupNCCL.cpp:1691, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.20.5\n",
	   "system error log is empty\n"),
	EX(TORCH_USAGE, "torch.distributed.DistBackendError: NCCL error in: ../ProcessGroupNCCL.cpp:1691, invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.20.5\n",
	   "usage: train.py\n"),
	EX(TORCH_REMOTE, "RuntimeError: NCCL communicator was aborted on rank 1. Original reason for failure was: NCCL error: remote process exited or there was a network error, NCCL version 2.14.3\n",
	   "remote process exited normally\n"),
	EX(TORCH_WATCHDOG, "[rank0]:[E ProcessGroupNCCL.cpp:563] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=42, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600081 milliseconds\n"
	   "[rank1]:[E ProcessGroupNCCL.cpp:563] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=41, OpType=ALLGATHER, Timeout(ms)=600000) ran for 600081 milliseconds\n",
	   "watchdog: BUG: soft lockup\n", "rank 1 is behind"),
	EX(TORCH_WATCHDOG_STUCK, "[F ProcessGroupNCCL.cpp:1236] [PG 0 Rank 0] [PG 0 Rank 0] ProcessGroupNCCL's watchdog got stuck for 600 seconds without making progress\n",
	   "the dog got stuck\n"),
	EX(TORCH_MISMATCH, "RuntimeError: Detected mismatch between collectives on ranks. Rank 0 is running collective: ALLREDUCE\n", "mismatch of shapes\n"),
	EX(TORCH_MISMATCH, W "Mismatched collective detected, please check your collective calls at and around rank 39.\n", A "collective calls: 39\n"),
	EX(TORCH_MISMATCH, "[rank1]:[E ProcessGroupNCCL.cpp:475] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=13807, OpType=ALLREDUCE, NumelIn=11274112, Timeout(ms)=1800000)\n" "[rank7]:[E ProcessGroupNCCL.cpp:475] [Rank 7] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=13807, OpType=ALLREDUCE, NumelIn=10942336, Timeout(ms)=1800000)\n", "[rank1]:[E ProcessGroupNCCL.cpp:475] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=13807, OpType=ALLREDUCE, NumelIn=11274112, Timeout(ms)=1800000)\n" "[rank7]:[E ProcessGroupNCCL.cpp:475] [Rank 7] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=13806, OpType=ALLREDUCE, NumelIn=10942336, Timeout(ms)=1800000)\n", "rank 7 in ALLREDUCE of 10942336"),
	EX(TORCH_MISMATCH, "[rank0]:[E ProcessGroupNCCL.cpp:475] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=ALLREDUCE, NumelIn=8, Timeout(ms)=1800000)\n" "[rank1]:[E ProcessGroupNCCL.cpp:475] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=BROADCAST, NumelIn=8, Timeout(ms)=1800000)\n", "[rank0]:[E ProcessGroupNCCL.cpp:475] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=ALLTOALL_BASE, NumelIn=8, Timeout(ms)=1800000)\n" "[rank1]:[E ProcessGroupNCCL.cpp:475] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=ALLTOALL_BASE, NumelIn=9, Timeout(ms)=1800000)\n", "rank 1 in BROADCAST"),
	EX(RAS, "#0-0 (fa93daea854b060b) MISMATCH\n  Communicator ranks have different AllGather operation counts\n  30 ranks have launched up to operation 640\n", "ranks have different ideas\n"),
	EX(RAS, "INCOMPLETE\n  Missing communicator data from 2 job processes\n", "missing data from 2 users\n"),
	EX(RANK_MISSING, "torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 1/2 clients joined.\n", "2 clients served\n"),
	EX(RANK_MISSING, START(A, 0, 4) START(B, 1, 4) START(C, 3, 4), START(A, 0, 2) START(B, 1, 2), "never seen: rank 2"),
	EX(RANK_MISSING, "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/3\nInitializing distributed: GLOBAL_RANK: 2, MEMBER: 3/3\n",
	   "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/2\nInitializing distributed: GLOBAL_RANK: 1, MEMBER: 2/2\n", "rank 1"),
	EX(STORE_TIMEOUT, "torch.distributed.DistBackendError: [1] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d key-value store by key '0', but store->get('0') got error: Socket Timeout\n",
	   "the store got an error\n"),
	EX(MASTER_UNREACHABLE, "torch.distributed.DistNetworkError: The client socket has timed out after 60s while trying to connect to (10.0.0.1, 29500).\n",
	   "[W socket.cpp:601] [c10d] The client socket has failed to connect to [localhost]:29500 (errno: 111 - Connection refused).\n"),
	EX(PORT_BUSY, "[E socket.cpp:435] [c10d] The server socket has failed to listen on any local network address.\n", "listening on port 29500\n"),
	EX(PG_START, "DEBUG parallel_state.py:845] world_size=2 rank=0 local_rank=0 distributed_init_method=tcp://127.0.0.1:39423 backend=nccl\n" A "Bootstrap : Using eth0:10.0.0.1<0>\n",
	   "DEBUG parallel_state.py:845] world_size=2 rank=0 distributed_init_method=tcp://127.0.0.1:39423 backend=nccl\n" PAIR_UP),
	EX(PG_START, "initializing ddp: GLOBAL_RANK: 0, MEMBER: 1/1\nAll DDP processes registered. Starting ddp with 1 processes\n----\n", "All DDP processes registered. Starting ddp with 1 processes\nstep 1 loss 2.0\n"),
	EX(PG_START, "epoch 0\nInitializing process group with backend nccl\n", "Initializing process group with backend nccl\nstep 1 loss 2.0\n"),
	EX(PG_START, "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/1\n----\ndistributed_backend=nccl\nAll distributed processes registered. Starting with 1 processes\n----\n\n",
	   "All distributed processes registered. Starting with 1 processes\n" PAIR_UP),
	EX(PG_START, "Initializing process group\n" A "Bootstrap : Using eth0:10.0.0.1<0>\n" A "NET/IB : No device found.\n", A "Bootstrap : Using eth0:10.0.0.1<0>\n"),
	EX(INIT_UNFINISHED, START(A, 0, 2) START(B, 1, 2), PAIR_UP),
	EX(INIT_UNFINISHED, START(A, 3, 8), START(A, 3, 8) DONE(A, 3, 8), "only rank 3 of 8"),
	/* one rank's log, or Ray's, does not show that others are missing; a WARN tells more */
	EX(RANK_MISSING, "initializing ddp: GLOBAL_RANK: 1, MEMBER: 2/2\n", "initializing ddp: GLOBAL_RANK: 1, MEMBER: 2/2\nAll DDP processes registered. Starting ddp with 2 processes\n"),
	EX(PG_START, "initializing ddp: GLOBAL_RANK: 1, MEMBER: 2/2\nAll DDP processes registered. Starting ddp with 2 processes\n", "initializing ddp: GLOBAL_RANK: 1, MEMBER: 2/2\nepoch 1\n"),
	EX(RANK_MISSING, START(A, 0, 4) START(B, 1, 4), START(A, 0, 4)),
	EX(RANK_MISSING, START(A, 0, 4) START(B, 1, 4), START(A, 0, 4) START(B, 1, 4) A "NVLS is off [repeated 2x across cluster]\n"),
	EX(RANK_MISSING, START(A, 0, 4) START(B, 1, 4), START(A, 0, 4) START(B, 1, 4) W "Cuda failure 2 'out of memory'\n"),
	EX(SINGLE_RANK_JOBS, START(A, 0, 1) DONE(A, 0, 1) B "ncclCommInitRank comm 0x9a rank 0 nranks 1 cudaDev 0 busId 60 commId 0x78 - Init COMPLETE\n",
	   START(A, 0, 1) DONE(A, 0, 1)),
	EX(SINGLE_RANK_JOBS, "#  Rank  0 Group  0 Pid   2377 on         vm device  0 [0x06] NVIDIA H200\n#  Rank  0 Group  0 Pid   2378 on         vm device  0 [0x06] NVIDIA H200\n",
	   "#  Rank  0 Group  0 Pid   2377 on         vm device  0 [0x06] NVIDIA H200\n#  Rank  1 Group  0 Pid   2378 on         vm device  1 [0x07] NVIDIA H200\n"),
	EX(NO_NCCL, "RuntimeError: Distributed package doesn't have NCCL built in\n", "NCCL is built in\n"),
	EX(COMM_BUSY, W "Attempt to use communicator before the previous operation returned ncclSuccess\n", A "Using non-blocking communicator\n"),
	EX(WRONG_CALL, "Last error:\nBroadcast : sendbuff (nil) is not a valid pointer\n", "None is not a valid choice\n"),
	EX(WRONG_CALL, W "comm 0x55ec10690820 has already been destroyed\n", A "ncclCommDestroy comm 0x55ec10690820 rank 0 nranks 2 - Destroy COMPLETE\n"),
	EX(WRONG_CALL, W "AllReduce : invalid root 9 (root should be in the 0..8 range)\n", A "invalid root is not used\n"),
	EX(SILENT_FAILURE, A "misc/socket.cc:564 -> 2\n" A "bootstrap.cc:270 -> 2\n" A "group.cc:64 -> 2 [Async thread]\n", A "include/net.h:19 -> 2\n" A "init.cc:270 -> 2\n", "misc/socket.cc:564 -> 2"),
	EX(SILENT_FAILURE, A "bootstrap.cc:270 -> 2\n" A "group.cc:64 -> 2 [Async thread]\n", W "Cuda failure 2 'out of memory'\n" A "init.cc:270 -> 1\n" A "group.cc:64 -> 1 [Async thread]\n"),
	EX(SILENT_FAILURE, A "bootstrap.cc:270 -> 2\n" A "group.cc:64 -> 2 [Async thread]\n", W "Proxy Call to rank 1 failed (Connect)\n" A "init.cc:730 -> 2\n" A "group.cc:58 -> 2 [Async thread]\n"),
	EX(SILENT_FAILURE, A "bootstrap.cc:270 -> 2\n" A "group.cc:64 -> 2 [Async thread]\n", A "bootstrap.cc:270 -> 7\n" A "group.cc:64 -> 7 [Async thread]\n"),
	EX(SILENT_FAILURE, A "misc/socket.cc:567 -> 2\n" A "transport/net_socket.cc:336 -> 2\n" A "proxy.cc:1306 -> 2\n" W "[Proxy Service 11] Failed to execute operation Connect from rank 11, retcode 2\n",
	   W "socketProgress: Connection closed by remote peer node2<53735>\n" A "misc/socket.cc:749 -> 6\n" A "proxy.cc:1306 -> 6\n", "misc/socket.cc:567"),
	/* a part of NCCL, by its file or its first words, where no row knows the words */
#define FROM(place, text) "\nnode1:11:21 [0] " place " NCCL WARN " text "\n"
	EX(IB_TROUBLE, FROM("transport/net_ib.cc:330", "NET/IB : Cannot frobnicate the HCA"), A "NET/IB : Cannot frobnicate the HCA\n", "frobnicate"),
	EX(IB_TROUBLE, W "Call to ibv_open_device failed\n", FROM("misc/ibvwrap.cc:9", "Call to ibv_reg_mr failed")),
	EX(IB_TROUBLE, "Last error:\nNET/IB : Cannot frobnicate the HCA\n", "NET/IB : Cannot frobnicate the HCA\n"),
	EX(SOCKET_TROUBLE, FROM("misc/socket.cc:448", "unexpected state 7 of the moon"), FROM("graph/topo.cc:448", "unexpected state 7 of the moon"), "moon"),
	EX(SOCKET_TROUBLE, "INTERNAL: NCCL operation ncclCommInitRank failed: unhandled system error. Last NCCL warning(error) log entry (may be unrelated) 'socketNewWord: went wrong'.\n",
	   "INTERNAL: NCCL operation ncclCommInitRank failed: unhandled system error. 'socketNewWord: went wrong'.\n"),
	EX(PROXY_FAILED, FROM("proxy.cc:372", "append out of order"), FROM("enqueue.cc:372", "append out of order")),
	EX(UDS_FAILED, FROM("misc/ipcsocket.cc:150", "UDS: Sending data over socket /tmp/x failed : Connection refused by nobody (1)"), FROM("misc/ipcsocket.cc:50", "UDS: Binding to socket /tmp/x failed")),
	EX(SHM_TROUBLE, FROM("transport/shm.cc:298", "Ignoring SHM locality, must be 1"), FROM("transport/p2p.cc:298", "Ignoring locality, must be 1")),
	EX(TOPOLOGY, FROM("graph/rings.cc:51", "ring 7 does not loop back"), FROM("os/linux.cc:51", "ring 7 does not loop back")),
	EX(GIN, FROM("gin/gin_host.cc:98", "no context left"), FROM("plugin/net.cc:98", "no context left")),
	EX(PLUGIN, FROM("plugin/net.cc:98", "no context left"), FROM("gin/gin_host.cc:98", "no context left")),
	EX(COLLNET, FROM("transport.cc:464", "Cannot initialize CollNet, using point-to-point network instead"), A "CollNet 00/0 : 1 [send] via COLLNET/SHARP/0\n"),
	EX(COLLNET, "[host:1:9 - context.c:415] ERROR sharp_get_local_data failed\n", "ERROR sharper knives needed\n"),
	EX(GDRCOPY, FROM("misc/gdrwrap.cc:148", "gdr_pin_buffer(addr 1, size 2) failed: 22"), A "NET: Using GDRCOPY\n"),
	EX(TCPX, "[0] tcpxResult_t tcpxCommProgress(tcpxComm*):1231 NCCL WARN 0xa:0xb, nic 0, eth1, rx rx ctrl timeout cnt 7, nanos 8\n", W "rx rx ctrl timeout cnt 7\n"),
	EX(LIBFABRIC, FROM("nccl_net_ofi_create_plugin:208", "Unable to do it"), FROM("init.cc:208", "Unable to do it")),
	EX(LIBFABRIC, "WARN: Function: ofi_init Line: 459: NET/OFI Couldn't open a door. RC: -22, ERROR: Invalid argument\n", "INFO: Function: ofi_init Line: 686: NET/OFI Selected Provider is efa\n"),
	EX(MISUSE, FROM("dev_runtime.cc:881", "Window address must be suitably aligned."), FROM("net_ib.cc:881", "address must be suitably aligned.")),
	EX(MISUSE, FROM("allocator.cc:229", "Allocation failed. No suitable space found"), FROM("include/alloc.h:229", "Allocation failed")),
	EX(SETTING, FROM("transport/net_socket.cc:353", "NET/Socket : NCCL_SOCKET_NTHREADS is greater than the maximum allowed, setting to 16"),
	   FROM("init.cc:9", "Cannot use NCCL_GIN_CONNECTION_FULL"), "NCCL_SOCKET_NTHREADS"),
	EX(NO_TRANSPORT, FROM("transport.cc:34", "No transport found !"), FROM("transport.cc:34", "No road found !")),
	EX(SYSTEM_CALL, FROM("include/checks.h:63", "Call to gettimeofday failed : Bad address"), FROM("init.cc:63", "calls to gettimeofday are slow")),
	EX(HOST_ALLOC, FROM("include/checks.h:262", "Allocation failed"), A "Allocation failed\n"),
	EX(CUDA_DRIVER, FROM("misc/cudawrap.cc:292", "CUDA some PFN functions not found in the library"), A "CUDA some PFN functions not found in the library\n"),
	EX(CUDA_DRIVER, W "Cuda failure 'CUDA driver is a stub library'\n", W "Cuda failure 'unknown error'\n"),
	EX(NVML_FAILED, FROM("misc/nvmlwrap.cc:157", "reported more devices (99) than it has"), FROM("misc/utils.cc:157", "reported more devices (99) than it has")),
	EX(LIBNCCL_MIX, W "NCCL library is too old. This application was compiled with NCCL version 2.29.2, but is running with NCCL library version 2.28.3\n", W "This application was compiled with love\n"),
	EX(SILENT_FAILURE, A "graph/paths.cc:297 -> 3\n" A "group.cc:73 -> 3 [Async thread]\n", A "graph/paths.cc:297 -> 0\n" A "group.cc:73 -> 0 [Async thread]\n", "how this machine is wired"),
	/* addresses that lead nowhere */
	EX(INTERFACE_LINKLOCAL, W "socketStartConnect: Connect to 169.254.20.10<43369> failed : Software caused connection abort\n", W "socketStartConnect: Connect to 169.25.20.10<43369> failed : Software caused connection abort\n"),
	EX(CONNECT_TIMEOUT, W "socketPollConnect poll() returned 1, no POLLOUT events\n", A "socketPollConnect poll() returned 1, no POLLOUT events\n"),
	/* the program's own */
	EX(DEVICE_ASSERT, W "Cuda failure 710 'device-side assert triggered'\n", "no assert was triggered\n"),
	EX(DEVICE_ASSERT, "RuntimeError: CUDA error: device-side assert triggered\n", "RuntimeError: CUDA error: invalid configuration argument\n"),
	EX(LAUNCH_TIMEOUT, "[E ProcessGroupNCCL.cpp:915] [Rank 1] NCCL watchdog thread terminated with exception: CUDA error: the launch timed out and was terminated\n", "the launch of the rocket was terminated\n"),
	EX(KERNEL_FAILED, "RuntimeError: CUDA error: unspecified launch failure\n", "unspecified failure at launch\n"),
	EX(CUDA_PROGRAM, "RuntimeError: CUDA error: invalid configuration argument\n", "CUDA errors: 0\n", "invalid configuration"),
	EX(CUDA_ERROR, W "HIP failure 1 'invalid argument'\n", W "HIP failure 2 'out of memory'\n"),
	EX(OOM_GPU, W "HIP failure 2 'out of memory'\n", W "HIP failure 1 'invalid argument'\n"),
	EX(CRASHED, "[node1:1272768:0:1277192] Caught signal 11 (Segmentation fault: address not mapped to object at address 0x8)\n", "[node1:1:0] Caught signal 15 (Terminated)\n"),
	EX(WORKER_DIED, "(raylet) A worker died or was killed while executing a task by an unexpected system error.\n", "(raylet) A worker started while executing a task.\n"),
	EX(MASTER_RETRY, "[W socket.cpp:601] [c10d] The client socket has failed to connect to [node0]:22456 (errno: 22 - Invalid argument).\n", "[I socket.cpp:787] [c10d] The client socket has connected to [node0]:22456.\n"),
	EX(GLOO, "RuntimeError: Gloo connectFullMesh failed with [../third_party/gloo/gloo/transport/tcp/pair.cc:144] no error\n", "[Gloo] Rank 0 is connected to 1 peer ranks.\n"),
	EX(LAUNCHER, "ORTE was unable to reliably start one or more daemons.\n", "ORTE started all daemons.\n"),
	EX(LAUNCHER, "There are not enough slots available in the system to satisfy the 16\n", "There are enough slots available\n"),
	EX(RANKS_STALLED, "W /tmp/stall_inspector.cc:105] One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for remainder of ranks for more than 60 seconds.\n",
	   "All tensors were submitted to be reduced by all ranks.\n"),
	EX(NCCL_NOT_LOADED, "NCCL operation ncclGetUniqueId(&id) failed: Unable to load NCCL library. Multi-GPU collectives will not work.\n", A "NET/Plugin : Plugin load (libnccl-net.so) returned 2 : libnccl-net.so: cannot open shared object file: No such file or directory\n"),
	EX(P2P_FRAMEWORK, "[TensorRT-LLM][WARNING] Device 2 peer access Device 5 is not available.\n", "[TensorRT-LLM][INFO] Device 2 peer access Device 5 is available.\n"),
	EX(TEARDOWN, W "Cuda failure 'driver shutting down'\n", W "Cuda failure 'driver is gone shopping'\n"),
	EX(IB_PROVIDER, "libibverbs: Warning: no userspace device-specific driver found for /sys/class/infiniband_verbs/uverbs0\n", "libibverbs: driver found for uverbs0\n"),
	EX(REMOTE_ALLOC, "bootstrap.cc:279 NCCL WARN [Rem Allocator] Allocation failed (segment 0, fd 130)\n", "bootstrap.cc:279 NCCL WARN Rem sleep failed\n"),
	EX(WORKER_DIED, "ERROR 10-30 13:46:27 multiproc_worker_utils.py:120] Worker VllmWorkerProcess pid 6855 died, exit code: -15\n", "Worker pid 6855 exit code: 0\n"),
	EX(NCCL_NOT_LOADED, "No OpKernel was registered to support Op 'NcclAllReduce' used by node\n", "No OpKernel was registered to support Op 'Conv' used by node\n"),
	EX(GIN, FROM("transport/net_ib/gin.cc:42", "peermem missing"), FROM("ib_plugin.c:42", "peermem missing")),
	/* a class of error alone makes the WARN before it the cause */
	EX(SETTING, "node1:11:21 [0] nccl_ofi_tuner_init:270 NCCL WARN NET/OFI The tuner cannot be loaded with NCCL_ALGO\nRuntimeError: NCCL Error 4: invalid argument\n",
	   "RuntimeError: NCCL Error 4: invalid argument\n", "NCCL_ALGO"),
#undef FROM
	EX(NCCL_WARN, W "Something that nobody has seen yet\n", A "Something that nobody has seen yet\n"),
	EX(BENIGN_WARN, W "Missing \"HSA_FORCE_FINE_GRAIN_PCIE=1\" from environment which can lead to low RCCL performance, system instablity or hang!\n", W "Missing file\n"),
	EX(BENIGN_WARN, W "Failed to open libibverbs.so[.1]\n", A "Failed to open libibverbs.so[.1]\n"),
	EX(RAY_DEDUP, "(W pid=9) " A "Connected all rings [repeated 7x across cluster]\n", "the word was repeated three times\n"),
	EX(LOG_CUT, NULL, PAIR_UP),
	EX(NO_NCCL_LINES, "step 1\n", PAIR_UP),
	EX(UCX_LOG, NULL, "step 1\n"),
#undef EX
};
/* clang-format on */

static void read_log(struct facts *f, struct findings *fs, const char *text)
{
	assert_int_equal(facts_init(f), 0);
	assert_int_equal(facts_begin(f, "log"), 0);
	facts_feed(f, text, strlen(text));
	facts_end(f);
	facts_finish(f);
	findings_judge(f, fs);
}

static const struct finding *find_in(const char *text, enum rule_id rule, struct facts *f,
				     struct findings *fs)
{
	read_log(f, fs, text);
	return findings_find(fs, rule);
}

/* Of one file nobody can say whether only one rank's log was given; of two, one rank did not begin.
 */
static void one_rank_of_two_logs(void **state)
{
	static const char *const texts[] = { START(A, 0, 2), "" };

	for (size_t n = 1; n <= 2; n++) {
		struct findings fs = { 0 };
		const struct finding *found;
		struct facts f;

		assert_int_equal(facts_init(&f), 0);
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(facts_begin(&f, i ? "rank1.log" : "rank0.log"), 0);
			facts_feed(&f, texts[i], strlen(texts[i]));
			facts_end(&f);
		}
		facts_finish(&f);
		findings_judge(&f, &fs);
		found = findings_find(&fs, RULE_RANK_MISSING);
		assert_int_equal(found != NULL, n == 2);
		if (found)
			assert_non_null(strstr(buf_text(&found->text), "never seen: rank 1"));
		findings_fini(&fs);
		facts_fini(&f);
	}
}

static void each_rule_has_examples(void **state)
{
	for (int rule = 0; rule < RULE_COUNT; rule++) {
		bool seen = false;

		for (size_t i = 0; i < N_ELEMENTS(examples); i++)
			seen |= examples[i].rule == (enum rule_id)rule && examples[i].has_not;
		if (!seen)
			fail_msg("rule %s has no example", rule_table[rule].id);
	}
}

static void examples_hold(void **state)
{
	int wrong = 0;

	for (size_t i = 0; i < N_ELEMENTS(examples); i++) {
		const struct example *e = &examples[i];
		const struct finding *g;
		struct findings fs;
		struct facts f;

		if (e->has) {
			g = find_in(e->has, e->rule, &f, &fs);
			if (!g)
				wrong++, print_message("missing %s in: %s\n",
						       rule_table[e->rule].id, e->has);
			else if (e->words && !strstr(buf_text(&g->text), e->words))
				wrong++, print_message("%s says: %s\n", rule_table[e->rule].id,
						       buf_text(&g->text));
			else if (!g->n_evidence && e->rule != RULE_NO_NCCL_LINES)
				wrong++,
				    print_message("%s shows no line\n", rule_table[e->rule].id);
			findings_fini(&fs);
			facts_fini(&f);
		}
		if (find_in(e->has_not, e->rule, &f, &fs))
			wrong++,
			    print_message("false %s in: %s\n", rule_table[e->rule].id, e->has_not);
		findings_fini(&fs);
		facts_fini(&f);
	}
	assert_int_equal(wrong, 0);
}

static void rows_are_complete(void **state)
{
	for (int i = 0; i < RULE_COUNT; i++) {
		const struct rule *r = &rule_table[i];

		assert_true(r->id && r->id[0] && r->cause && r->cause[0] && r->why && r->why[0] &&
			    r->remedy && r->confidence);
		assert_int_equal(rule_find(r->id), i);
	}
	assert_int_equal(rule_find("no-such-cause"), -1);
}

/* What a process complains of after its first error, and what only passes on an error of others. */
static void what_follows_is_no_cause(void **state)
{
	static const struct {
		const char *log;
		enum rule_id cause, follows;
	} cases[] = {
		{ W "Cuda failure 'out of memory'\n" W "Cuda failure 'invalid resource handle'\n",
		  RULE_OOM_GPU, RULE_CUDA_ERROR },
		{ W
		  "[Proxy Service 0] Failed to execute operation Connect from rank 0, retcode 2\n" W
		  "Net : Connect to 10.0.0.2<41000> failed : No route to host\n",
		  RULE_NO_ROUTE, RULE_PROXY_FAILED },
		{ W "NET/IB : Got completion from peer 10.0.0.2<4> with error 5, opcode 0\n" WC
		    "NET/IB : Got completion from peer 10.0.0.1<4> with error 12, opcode 0\n",
		  RULE_IB_RETRY, RULE_IB_FLUSHED },
		{ "NCCL error in: NCCLUtils.cpp:77, internal error\nLast error:\n"
		  "Attribute arch of node cpu not found\n",
		  RULE_TOPOLOGY, RULE_TORCH_BARE },
		{ A "Call to connect returned Connection refused, retrying\n" W
		    "Net : Connect to 10.0.0.2<41000> failed : Connection refused\n",
		  RULE_CONNECT_REFUSED, RULE_CONNECT_RETRY },
	};

	for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
		const struct finding *g;
		struct findings fs;
		struct facts f;

		read_log(&f, &fs, cases[i].log);
		assert_int_equal(fs.list[0].rule, cases[i].cause);
		assert_int_equal(fs.list[0].severity, SEVERITY_ERROR);
		g = findings_find(&fs, cases[i].follows);
		assert_non_null(g);
		assert_int_equal(g->severity, SEVERITY_INFO);
		assert_true(g->consequence);
		findings_fini(&fs);
		facts_fini(&f);
	}
	/* alone, or of another process, a CUDA error stays one */
	{
		struct findings fs;
		struct facts f;

		read_log(&f, &fs,
			 W "Cuda failure 'out of memory'\n" WC
			   "Cuda failure 'invalid resource handle'\n");
		assert_int_equal(findings_find(&fs, RULE_CUDA_ERROR)->severity, SEVERITY_ERROR);
		findings_fini(&fs);
		facts_fini(&f);
	}
}

/* "no problem found" of a log that ends at the start says so. */
static void verdict_of_a_start(void **state)
{
	static const struct {
		const char *log, *words;
		bool has;
	} cases[] = {
		{ A "Bootstrap : Using eth0:10.0.0.1<0>\n", "not ready yet", true },
		{ A "Bootstrap : Using eth0:10.0.0.1<0>\n" PAIR_UP, "not ready yet", false },
		{ "NCCL version 2.18.3+cuda12.1\nstep 1\n", "not ready yet", false },
	};

	for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
		struct buf verdict = { 0 };
		struct findings fs;
		struct facts f;

		read_log(&f, &fs, cases[i].log);
		findings_verdict(&f, &fs, &verdict);
		assert_int_equal(strstr(buf_text(&verdict), cases[i].words) != NULL, cases[i].has);
		buf_fini(&verdict);
		findings_fini(&fs);
		facts_fini(&f);
	}
}

/* The first WARN of the first failing rank is the cause; what others say about their peers follows.
 */
static void cause_before_consequence(void **state)
{
	static const char log[] =
	    "[2026-11-30 10:00:05] node2:11:21 [0] misc/socket.cc:71 NCCL WARN socketProgress: "
	    "Connection closed by remote peer node1<45678>\n"
	    "[2026-11-30 10:00:01] node1:11:21 [0] include/alloc.h:228 NCCL WARN Cuda failure 2 "
	    "'out of memory'\n"
	    "RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:1275, unhandled cuda error\n";
	struct findings fs;
	struct facts f;

	read_log(&f, &fs, log);
	assert_true(fs.n >= 3);
	assert_int_equal(fs.list[0].rule, RULE_OOM_GPU);
	assert_int_equal(fs.list[0].evidence[0].at.line, 2);
	assert_int_equal(findings_find(&fs, RULE_PEER_GONE)->severity, SEVERITY_INFO);
	assert_true(findings_find(&fs, RULE_PEER_GONE)->consequence);
	assert_int_equal(findings_find(&fs, RULE_TORCH_CUDA)->severity, SEVERITY_INFO);
	findings_fini(&fs);
	facts_fini(&f);
	/* alone it is all there is to go by */
	read_log(&f, &fs, W "socketProgress: Connection closed by remote peer node1<45678>\n");
	assert_int_equal(fs.list[0].rule, RULE_PEER_GONE);
	assert_int_equal(fs.list[0].severity, SEVERITY_ERROR);
	findings_fini(&fs);
	facts_fini(&f);
}

static void healthy_is_quiet(void **state)
{
	static const char *const logs[] = {
		"Waiting in store based barrier to initialize process group for rank: 0, key: k "
		"(world_size=2, worker_count=1, timeout=0:30:00)\n" PAIR_UP,
		"NCCL error handling is on\nNCCL_DEBUG=INFO\n" PAIR_UP,
		PAIR_UP VIA(A, "via P2P/CUMEM") B "Channel 00/0 : 1[1] -> 0[0] via P2P/CUMEM\n" A
						  "Connected all rings\n",
		PAIR_UP VIA(A, "via P2P/CUMEM"),
		START(A, 0, 2) VIA(A, "via P2P/CUMEM") DONE(A, 0, 2),
		VIA(A, "via SHM/direct/direct"),
		"NCCL version 2.18.3+cuda12.1\nstep 1\n",
		HOSTS_UP VIA(A, "[send] via NET/IB/0/GDRDMA") A
		"Bootstrap : Using eth0:10.0.0.1<0>\n" C "Bootstrap : Using eth0:10.0.0.2<0>\n",
		A "P2P is disabled between connected GPUs 1 and 0. You can repress this message "
		  "with NCCL_IGNORE_DISABLED_P2P=1.\n" PAIR_UP,
	};

	for (size_t i = 0; i < N_ELEMENTS(logs); i++) {
		struct findings fs;
		struct facts f;

		read_log(&f, &fs, logs[i]);
		if (fs.n && fs.list[0].severity != SEVERITY_INFO)
			fail_msg("%s in: %s", rule_table[fs.list[0].rule].id, logs[i]);
		findings_fini(&fs);
		facts_fini(&f);
	}
}

static void too_long_is_said(void **state)
{
	static char line[100 * 1024];
	struct findings fs;
	struct facts f;

	memset(line, 'x', sizeof(line) - 2);
	line[sizeof(line) - 2] = '\n';
	read_log(&f, &fs, line);
	assert_non_null(findings_find(&fs, RULE_LOG_CUT));
	findings_fini(&fs);
	facts_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_complete),
		cmocka_unit_test(each_rule_has_examples),
		cmocka_unit_test(one_rank_of_two_logs),
		cmocka_unit_test(examples_hold),
		cmocka_unit_test(cause_before_consequence),
		cmocka_unit_test(healthy_is_quiet),
		cmocka_unit_test(too_long_is_said),
		cmocka_unit_test(what_follows_is_no_cause),
		cmocka_unit_test(verdict_of_a_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
