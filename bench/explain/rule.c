/* SPDX-License-Identifier: Apache-2.0 */
/* TABLE of what can be found in a log: cause, why it matters, what to do. Which words mean it:
 * pattern.c. */
#include "explain/rule.h"

#include <string.h>

const char *const severity_names[3] = { "info", "warning", "error" };

/* clang-format off */
const struct rule rule_table[RULE_COUNT] = {
	[RULE_SHM_TOO_SMALL] = { "shm-too-small", SEVERITY_ERROR, "certain",
		.cause = "/dev/shm is full or too small for NCCL's buffers",
		.why = "Ranks of one host that do not use P2P talk through /dev/shm, some 9 MB per channel and direction; Docker gives 64 MB unless told otherwise.",
		.remedy = "docker run --shm-size=1g ...        # or --ipc=host; compose: shm_size: 1gb\n"
			"# Kubernetes: an emptyDir volume with medium: Memory mounted on /dev/shm\n"
			"mount -o remount,size=8G /dev/shm   # on a plain host\n"
			"rm -f /dev/shm/nccl-*               # left over from killed jobs, when no job runs" },
	[RULE_SHM_NOT_SHARED] = { "shm-not-shared", SEVERITY_ERROR, "likely",
		.cause = "the ranks do not see the same /dev/shm",
		.why = "One rank made a segment there, the other could not open it: they run in containers or namespaces of their own.",
		.remedy = "docker run --ipc=host ...           # the same for every rank, or --ipc=container:NAME\n"
			"NCCL_SHM_DISABLE=1                  # otherwise: sockets or IB between them, slower" },
	[RULE_SHM_CUMEM_MIXED] = { "shm-cumem-mixed", SEVERITY_ERROR, "likely",
		.cause = "one rank uses CUDA host memory for SHM and the other a file in /dev/shm",
		.why = "NCCL tries CUDA's host allocation per rank; where only some ranks can, the others are handed a name that does not exist.",
		.remedy = "export NCCL_CUMEM_HOST_ENABLE=0     # on all ranks" },
	[RULE_SHM_NOT_WRITABLE] = { "shm-not-writable", SEVERITY_ERROR, "certain",
		.cause = "/dev/shm cannot be written",
		.why = "It is not mounted, is read-only, or belongs to another user.",
		.remedy = "mount -t tmpfs -o size=8G,mode=1777 tmpfs /dev/shm" },
	[RULE_SHM_MAP] = { "shm-map", SEVERITY_ERROR, "likely",
		.cause = "a shared memory segment could not be mapped",
		.why = "The process or its cgroup is at its limit of memory.",
		.remedy = "ulimit -v unlimited\n"
			"free -g; df -h /dev/shm             # and the memory limit of the container" },
	[RULE_SHM_REGISTER] = { "shm-register", SEVERITY_ERROR, "likely",
		.cause = "CUDA could not take a shared memory segment",
		.why = "SHM needs host memory that CUDA can pin and map for the GPU: a locked-memory limit, a virtual machine, WSL or mixed CUDA libraries refuse it.",
		.remedy = "ulimit -l; df -h /dev/shm\n"
			"export NCCL_CUMEM_HOST_ENABLE=0     # NCCL >= 2.24: a file in /dev/shm instead\n"
			"export NCCL_SHM_DISABLE=1           # a test: sockets or IB between these GPUs, slower" },
	[RULE_SHM_REMOVED] = { "shm-removed", SEVERITY_WARNING, "likely",
		.cause = "somebody removed NCCL's shared memory segments while the job ran",
		.why = "systemd removes the IPC objects of a user who has logged out.",
		.remedy = "# /etc/systemd/logind.conf: RemoveIPC=no, then\n"
			"systemctl restart systemd-logind" },
	[RULE_SHM_TROUBLE] = { "shm-trouble", SEVERITY_WARNING, "possible",
		.cause = "shared memory between ranks of a host made trouble",
		.why = "The line comes from NCCL's SHM transport; room, rights, or containers that do not share /dev/shm are the usual reasons.",
		.remedy = "df -h /dev/shm; ls -l /dev/shm      # room, and owned by whom?\n"
			"export NCCL_SHM_DISABLE=1           # a test: sockets or IB inside the host instead, slower" },
	[RULE_CUMEM_HOST_FALLBACK] = { "cumem-host-fallback", SEVERITY_INFO, "certain",
		.cause = "CUDA host memory does not work here; NCCL uses /dev/shm instead",
		.why = "Usual in containers that may not set NUMA policies. It works, but /dev/shm must then be large enough.",
		.remedy = "docker run --cap-add SYS_NICE --shm-size=1g ..." },
	[RULE_NO_INTERFACE] = { "no-interface", SEVERITY_ERROR, "certain",
		.cause = "no network interface is left for NCCL to use",
		.why = "NCCL_SOCKET_IFNAME matches nothing on this host, or no interface is up. NCCL needs one to start, even for GPUs with NVLink.",
		.remedy = "ip -br addr                         # names as they are on EVERY host\n"
			"export NCCL_SOCKET_IFNAME=eth0      # a prefix; =eth0 exact; ^docker,lo excludes; or unset it" },
	[RULE_INTERFACE_LOOPBACK] = { "interface-loopback", SEVERITY_ERROR, "likely",
		.cause = "ranks on several hosts use the loopback interface",
		.why = "127.0.0.1 is the own host everywhere: the ranks can never find each other.",
		.remedy = "ip -br addr\n"
			"export NCCL_SOCKET_IFNAME=eth0      # the interface that reaches the other hosts\n"
			"# and see that /etc/hosts does not give the host's own name 127.0.1.1" },
	[RULE_INTERFACE_LINKLOCAL] = { "interface-link-local", SEVERITY_ERROR, "likely",
		.cause = "a rank gave an address that exists on its own host or cable only (link-local)",
		.why = "NCCL took the first interface that is up, and that one carries a 169.254 or fe80 address: a Kubernetes node's DNS cache, a BMC, a port without DHCP. Other hosts cannot reach it, or reach themselves.",
		.remedy = "ip -br addr                         # on every host: which interface has the address the hosts share?\n"
			"export NCCL_SOCKET_IFNAME=bond0     # that one, on all ranks; or exclude: NCCL_SOCKET_IFNAME=^lo,docker,nodelocaldns" },
	[RULE_INTERFACE_BRIDGE] = { "interface-bridge", SEVERITY_WARNING, "likely",
		.cause = "NCCL talks through a bridge or tunnel interface",
		.why = "Addresses of docker0, virbr0, tunnels and their like are the same on each host or lead nowhere else.",
		.remedy = "export NCCL_SOCKET_IFNAME=^docker,br-,virbr,veth,tun,ip6tnl,lo\n"
			"docker run --network=host ...       # for containers on several hosts" },
	[RULE_INTERFACE_MANY] = { "interface-many", SEVERITY_INFO, "possible",
		.cause = "NCCL uses several network interfaces at once",
		.why = "Good when each of them reaches all hosts; otherwise connections over the wrong one time out or crawl.",
		.remedy = "export NCCL_SOCKET_IFNAME==eth0     # exactly this one, if only it reaches the other hosts" },
	[RULE_INTERFACES_DIFFER] = { "interfaces-differ", SEVERITY_INFO, "possible",
		.cause = "ranks use addresses of different networks",
		.why = "Some hosts chose another interface than the others; if those networks do not route to each other, connecting fails.",
		.remedy = "export NCCL_SOCKET_IFNAME=eth0      # one that exists on all hosts, in one network" },
	[RULE_CONNECT_REFUSED] = { "connect-refused", SEVERITY_ERROR, "likely",
		.cause = "a connection between ranks was refused",
		.why = "Nobody listens there: the other rank has died, or a firewall or a wrong interface is in the way. If that rank has an error of its own, that is the cause.",
		.remedy = "nc -vz PEER PORT                    # from this host, while the job waits\n"
			"export NCCL_SOCKET_IFNAME=eth0      # the interface that reaches the peer\n"
			"# open all TCP ports between the hosts: NCCL picks free ones" },
	[RULE_NO_ROUTE] = { "no-route", SEVERITY_ERROR, "likely",
		.cause = "there is no route to another rank's address",
		.why = "The address belongs to an interface that this host cannot reach, or a firewall rejects it.",
		.remedy = "ip route get PEER\n"
			"export NCCL_SOCKET_IFNAME=eth0      # an interface that all hosts share\n"
			"# firewalld and iptables answer like this too: allow all TCP ports between the hosts" },
	[RULE_CONNECT_TIMEOUT] = { "connect-timeout", SEVERITY_ERROR, "likely",
		.cause = "a connection between ranks timed out",
		.why = "Packets get lost on the way: a firewall that drops them, or an address that leads nowhere from here.",
		.remedy = "ip route get PEER; nc -vz -w 5 PEER PORT\n"
			"export NCCL_SOCKET_IFNAME=eth0      # the interface that reaches the peer" },
	[RULE_CONNECT_RETRY] = { "connect-retry", SEVERITY_INFO, "possible",
		.cause = "connecting needed retries",
		.why = "The peer was not ready yet or could not be reached at once. Harmless when initialisation finished later.",
		.remedy = "export NCCL_SOCKET_IFNAME=eth0      # if it does not go on: the interface that reaches the peer" },
	[RULE_PEER_GONE] = { "peer-gone", SEVERITY_ERROR, "likely",
		.cause = "another rank closed the connection: it failed first",
		.why = "This message is a consequence. The cause is in the log of the rank that went away: its first WARN, an exception, or the kernel's out-of-memory killer.",
		.remedy = "# collect the logs of all ranks and explain them together:\n"
			"ncclbench explain rank*.log\n"
			"dmesg -T | grep -i -e oom -e killed -e xid" },
	[RULE_BOOT_TRUNCATED] = { "bootstrap-mismatch", SEVERITY_ERROR, "likely",
		.cause = "ranks that do not belong together met in the bootstrap",
		.why = "The message had another size than expected: different NCCL builds on the ranks, or two jobs on one address and port.",
		.remedy = "python3 -c 'import torch; print(torch.cuda.nccl.version())'   # on every host\n"
			"# give each job its own master port; no NCCL_COMM_ID shared by two jobs" },
	[RULE_SOCKET_FAMILY] = { "socket-family", SEVERITY_ERROR, "certain",
		.cause = "NCCL tried to connect to an empty address",
		.why = "Known fault of send/recv over sockets inside one host when P2P and SHM are both switched off.",
		.remedy = "unset NCCL_P2P_DISABLE NCCL_SHM_DISABLE\n"
			"export NCCL_HOSTID=rank$RANK        # instead, when sockets are wanted: a distinct value per rank" },
	[RULE_FAMILY_MIXED] = { "address-family", SEVERITY_ERROR, "likely",
		.cause = "a rank was given an address of a family that it does not have (IPv4, IPv6, or none)",
		.why = "Some hosts chose an IPv6 interface and others IPv4, or a host found no interface and gave an empty address.",
		.remedy = "ip -br addr                         # on all hosts\n"
			"export NCCL_SOCKET_FAMILY=AF_INET   # IPv4 everywhere\n"
			"export NCCL_SOCKET_IFNAME=eth0" },
	[RULE_SOCKET_TYPES] = { "networks-differ", SEVERITY_ERROR, "certain",
		.cause = "ranks do not use the same network: one connects over InfiniBand, the other over sockets",
		.why = "Each host chooses its network alone: NCCL_IB_DISABLE, NCCL_NET or NCCL_IB_HCA differ between the hosts, or one has no working RDMA device.",
		.remedy = "export NCCL_DEBUG=INFO              # on all ranks: compare their lines \"Using network\"\n"
			"mpirun -x NCCL_IB_DISABLE=1 ...     # the same on every host; or make RDMA work on all" },
	[RULE_BOOT_TWICE] = { "rank-twice", SEVERITY_ERROR, "certain",
		.cause = "two processes claim to be the same rank",
		.why = "Two launchers (srun and torchrun, or one per GPU instead of one per host) started the program, or two jobs share one address and port.",
		.remedy = "echo $RANK $WORLD_SIZE $SLURM_PROCID $SLURM_NTASKS   # in every process: each rank once\n"
			"# one launcher only: with torchrun --ntasks-per-node=1; with srun ntasks-per-node = GPUs and no torchrun" },
	[RULE_NO_PORT] = { "no-port", SEVERITY_ERROR, "likely",
		.cause = "no TCP port could be bound",
		.why = "All ports of the local range are in use (very many ranks, NCCL_PXN_DISABLE=1), or NCCL_COMM_ID names a port that is taken.",
		.remedy = "sysctl net.ipv4.ip_local_port_range; ss -s\n"
			"sysctl -w net.ipv4.ip_local_port_range=\"10000 65535\"\n"
			"unset NCCL_PXN_DISABLE NCCL_COMM_ID" },
	[RULE_UDS_TAKEN] = { "local-socket-taken", SEVERITY_ERROR, "likely",
		.cause = "the name of a local (Unix) socket of NCCL is taken",
		.why = "NCCL before 2.20.5 gave two communicators of one process the same name when it split one; a killed job may have left the file.",
		.remedy = "pip install -U nvidia-nccl-cu12     # NCCL >= 2.20.5\n"
			"rm -f /tmp/nccl-socket-*            # when no job runs" },
	[RULE_UDS_FAILED] = { "local-socket-failed", SEVERITY_WARNING, "likely",
		.cause = "ranks of one host could not hand each other a file descriptor over a local (Unix) socket",
		.why = "cuMem memory is shared that way. The names live in the network namespace, so containers with a network of their own do not see each other; or the other rank is gone.",
		.remedy = "docker run --network=host ...       # all ranks of a host in one network (or one container)\n"
			"export NCCL_CUMEM_ENABLE=0          # or classic CUDA IPC instead" },
	[RULE_SOCKET_TROUBLE] = { "socket-trouble", SEVERITY_WARNING, "possible",
		.cause = "a TCP connection between ranks made trouble",
		.why = "It could not be made or did not last: a firewall that drops packets, an interface the peer cannot reach, or a peer that has died.",
		.remedy = "export NCCL_SOCKET_IFNAME=eth0      # the interface that reaches the other hosts\n"
			"nc -vz PEER PORT; ip route get PEER # all TCP ports must be open between the hosts\n"
			"ncclbench explain rank*.log         # did another rank fail first?" },
	[RULE_PROXY_FAILED] = { "proxy-failed", SEVERITY_ERROR, "possible",
		.cause = "NCCL's proxy thread could not do what it was asked to",
		.why = "This line only passes on an error: the cause is in an earlier WARN, or on the rank at the other end.",
		.remedy = "ncclbench explain rank*.log         # the logs of all ranks together" },
	[RULE_TOO_MANY_FILES] = { "too-many-files", SEVERITY_ERROR, "certain",
		.cause = "the process ran out of file descriptors",
		.why = "NCCL opens sockets and files per peer and channel.",
		.remedy = "ulimit -n 65536                     # before the job, on every host\n"
			"docker run --ulimit nofile=65536 ..." },
	[RULE_TOO_MANY_THREADS] = { "too-many-threads", SEVERITY_ERROR, "likely",
		.cause = "the process may not start another thread",
		.why = "The limit of processes (ulimit -u) or of the container's cgroup (pids) is reached; NCCL starts several threads per communicator.",
		.remedy = "ulimit -u; cat /sys/fs/cgroup/pids.max\n"
			"docker run --pids-limit=-1 ..." },
	[RULE_NET_NONE] = { "net-unavailable", SEVERITY_ERROR, "certain",
		.cause = "the network that was asked for does not exist here",
		.why = "NCCL_NET names a network without a device or plugin on this host; NCCL does not fall back to another one then.",
		.remedy = "unset NCCL_NET                      # or\n"
			"export NCCL_NET=Socket\n"
			"ibv_devinfo                         # is there an RDMA device at all, and in the container?" },
	[RULE_IB_NO_DEVICE] = { "ib-no-device", SEVERITY_WARNING, "likely",
		.cause = "InfiniBand or RoCE was wanted, but sockets are used between hosts",
		.why = "NCCL found no RDMA device, so all traffic between hosts goes over TCP.",
		.remedy = "ls /sys/class/infiniband; ibv_devinfo\n"
			"docker run --device=/dev/infiniband --cap-add IPC_LOCK ...\n"
			"unset NCCL_IB_HCA                   # its pattern may match nothing" },
	[RULE_IB_DISABLED] = { "ib-disabled", SEVERITY_WARNING, "certain",
		.cause = "NCCL_IB_DISABLE switches InfiniBand and RoCE off between hosts",
		.why = "All traffic between hosts goes over TCP sockets.",
		.remedy = "unset NCCL_IB_DISABLE               # in scripts, ~/.nccl.conf and /etc/nccl.conf" },
	[RULE_GDR_OFF] = { "gdr-off", SEVERITY_WARNING, "likely",
		.cause = "the network does not read and write GPU memory directly (no GPUDirect RDMA)",
		.why = "Each message takes a detour through host memory.",
		.remedy = "lsmod | grep -e nvidia_peermem      # modprobe nvidia-peermem, or DMA-BUF with the open kernel modules\n"
			"nvidia-smi topo -m                  # how far is the network card?\n"
			"export NCCL_NET_GDR_LEVEL=PHB       # if it is beyond PXB and the host can do it" },
	[RULE_IB_RETRY] = { "ib-retry-exceeded", SEVERITY_ERROR, "likely",
		.cause = "InfiniBand/RoCE gave up: the other side did not answer (status 12)",
		.why = "A wrong GID index on RoCE, a bad link, congestion without flow control, or a peer that died.",
		.remedy = "show_gids; ibv_devinfo -v | grep GID\n"
			"export NCCL_IB_GID_INDEX=3          # RoCE v2: the index of the v2 address, the same kind on all hosts\n"
			"export NCCL_IB_TIMEOUT=22           # only if the fabric is slow to recover" },
	[RULE_IB_LENGTH] = { "ib-length", SEVERITY_ERROR, "likely",
		.cause = "the two sides of a transfer do not agree on its size (status 1)",
		.why = "Ranks called the collective with different sizes, types or settings.",
		.remedy = "# compare count, type and NCCL_ variables on all ranks; NCCL >= 2.29:\n"
			"export NCCL_CHECK_MODE=DEBUG_GLOBAL" },
	[RULE_IB_PROTECTION] = { "ib-protection", SEVERITY_ERROR, "likely",
		.cause = "the network card was not allowed to access GPU memory",
		.why = "PCIe access control (ACS) or the IOMMU redirects peer traffic, so GPUDirect RDMA breaks.",
		.remedy = "export NCCL_NET_GDR_LEVEL=LOC       # now: without GPUDirect\n"
			"# for good: switch ACS off on the bridges above GPUs and cards, iommu=pt or off" },
	[RULE_IB_REQUEST] = { "ib-bad-request", SEVERITY_ERROR, "possible",
		.cause = "a network card refused a transfer as invalid (status 2, 8 or 9)",
		.why = "One side asked for something the other cannot do: NCCL or its network plugin and the cards' driver or firmware do not go together, or differ between the hosts.",
		.remedy = "ofed_info -s; ibv_devinfo | grep fw_ver   # the same on all hosts?\n"
			"export NCCL_NET_PLUGIN=none         # or the other way round: NCCL's own InfiniBand code or the plugin's\n"
			"export NCCL_IB_PCI_RELAXED_ORDERING=0 NCCL_NET_GDR_LEVEL=LOC   # a test: without GPUDirect" },
	[RULE_IB_FLUSHED] = { "ib-flushed", SEVERITY_ERROR, "possible",
		.cause = "an InfiniBand/RoCE connection went down under a transfer (status 5, flushed)",
		.why = "Work that was still queued is returned like this after something else failed: an earlier completion error, a peer that died, a link that went down.",
		.remedy = "ncclbench explain rank*.log         # which rank failed first?\n"
			"ibstat; dmesg -T | grep -i mlx5" },
	[RULE_IB_STATUS] = { "ib-error", SEVERITY_ERROR, "likely",
		.cause = "an InfiniBand/RoCE transfer failed",
		.why = "The status in the line, or the name of the call and its errno, tell how.",
		.remedy = "ibstat; dmesg -T | grep -i mlx5     # state of the link\n"
			"export NCCL_IB_GID_INDEX=3          # RoCE v2" },
	[RULE_IB_TROUBLE] = { "ib-trouble", SEVERITY_WARNING, "possible",
		.cause = "NCCL's InfiniBand/RoCE layer reported trouble",
		.why = "A device that cannot be opened or used, a limit, or a connection that broke; the words of the line tell which.",
		.remedy = "ibv_devinfo; ls -l /dev/infiniband  # in the same container: are the ports active?\n"
			"ulimit -l                           # unlimited?\n"
			"export NCCL_IB_HCA=mlx5_0           # only devices that carry traffic\n"
			"export NCCL_IB_DISABLE=1            # a test: sockets instead" },
	[RULE_GIN] = { "gin-rma", SEVERITY_WARNING, "possible",
		.cause = "the one-sided network of NCCL (GIN, RMA) is not usable or was used wrongly",
		.why = "Device-initiated and one-sided operations need NICs, drivers and settings that ordinary collectives do not; those are not affected.",
		.remedy = "export NCCL_GIN_ENABLE=0            # if the program can do without\n"
			"ibv_devinfo; lsmod | grep -e nvidia_peermem -e gdrdrv" },
	[RULE_COLLNET] = { "collnet", SEVERITY_WARNING, "likely",
		.cause = "reduction in the switches (CollNet, SHARP) cannot be used",
		.why = "The plugin or the fabric manager's aggregation service does not answer or does not fit; NCCL does the work itself, only slower, where it can.",
		.remedy = "export NCCL_COLLNET_ENABLE=0        # silence and safety\n"
			"# to use it: sharp_am on the subnet manager, and the SHARP plugin that fits this NCCL" },
	[RULE_GDRCOPY] = { "gdrcopy", SEVERITY_WARNING, "likely",
		.cause = "GDRCopy was asked for and does not work",
		.why = "Its library and its kernel module gdrdrv must both be there and fit; NCCL does not need it.",
		.remedy = "unset NCCL_GDRCOPY_ENABLE\n"
			"lsmod | grep gdrdrv; ls -l /dev/gdrdrv   # to use it" },
	[RULE_IB_MIXED] = { "ib-roce-mixed", SEVERITY_ERROR, "certain",
		.cause = "InfiniBand and RoCE cards were to be joined with each other",
		.why = "The hosts list their cards in another order or have both kinds; NCCL joins card N with card N.",
		.remedy = "ibv_devinfo | grep -e hca_id -e link_layer   # on all hosts\n"
			"export NCCL_IB_HCA=mlx5_0,mlx5_1    # cards of one kind only" },
	[RULE_IB_PROVIDER] = { "ib-provider-missing", SEVERITY_WARNING, "likely",
		.cause = "libibverbs has no driver for this network card in this container or installation",
		.why = "The kernel shows the card, but its user-space part (libmlx5 and its like) is not installed, so RDMA cannot be used.",
		.remedy = "apt-get install ibverbs-providers    # rdma-core; in the container's image\n"
			"ibv_devinfo" },
	[RULE_LIBFABRIC] = { "libfabric", SEVERITY_ERROR, "possible",
		.cause = "the Libfabric (EFA) network plugin reported an error",
		.why = "The plugin, libfabric, the EFA driver and the security group must fit each other; the words are the plugin's.",
		.remedy = "fi_info -p efa; ls /dev/infiniband  # in the same container: docker run --device /dev/infiniband/uverbs0 ...\n"
			"# AWS: the security group must allow all traffic from and to itself; take aws-ofi-nccl of the EFA installer\n"
			"export FI_LOG_LEVEL=warn            # libfabric's own words" },
	[RULE_TCPX] = { "gpudirect-tcpx", SEVERITY_WARNING, "likely",
		.cause = "Google's GPUDirect-TCPX/TCPXO plugin waits for or lost its peer",
		.why = "The other end does not answer: its process is late or has died, its receive daemon (tcpgpudmarxd) is not running, or packets between the NICs are dropped.",
		.remedy = "# every node: is the receive daemon's container up, same release as the plugin, its socket mounted?\n"
			"ncclbench explain rank*.log         # is another rank late, or did it fail first?\n"
			"export NCCL_NET=Socket              # a test: plain TCP, without the plugin's variables" },
	[RULE_PLUGIN] = { "plugin-trouble", SEVERITY_WARNING, "possible",
		.cause = "a plugin of NCCL (network, tuner, profiler) reported trouble",
		.why = "The words are the plugin's, or NCCL's about it: it must fit this NCCL's version and this machine.",
		.remedy = "export NCCL_NET_PLUGIN=none NCCL_TUNER_PLUGIN=none NCCL_PROFILER_PLUGIN=none   # a test without\n"
			"ldconfig -p | grep libnccl-; echo $LD_LIBRARY_PATH" },
	[RULE_IB_GID] = { "ib-gid", SEVERITY_ERROR, "likely",
		.cause = "the RDMA connection could not be set up: wrong GID or unreachable peer",
		.why = "On RoCE the GID index chooses address and version; both ends need one that reaches the other.",
		.remedy = "show_gids                           # on all hosts\n"
			"export NCCL_IB_GID_INDEX=3          # or unset it: NCCL >= 2.21 finds it\n"
			"export NCCL_CROSS_NIC=0             # when card N reaches only card N of other hosts (rails)\n"
			"ib_write_bw -d mlx5_0 -x 3 PEER     # do these two cards reach each other at all?" },
	[RULE_IB_MEMLOCK] = { "memlock", SEVERITY_ERROR, "likely",
		.cause = "memory could not be locked for RDMA",
		.why = "The limit of locked memory (ulimit -l) is too small; a service manager or Slurm may set its own.",
		.remedy = "ulimit -l unlimited                 # limits.conf: * soft/hard memlock unlimited\n"
			"docker run --ulimit memlock=-1 --cap-add IPC_LOCK ...\n"
			"# systemd units, slurmd too: LimitMEMLOCK=infinity" },
	[RULE_IB_PORT_EVENT] = { "ib-port-event", SEVERITY_WARNING, "likely",
		.cause = "an RDMA port reported a fault while the job ran",
		.why = "A link went down or changed; transfers over it fail or stop.",
		.remedy = "ibstat; ibdiagnet; dmesg -T | grep -i mlx5" },
	[RULE_NET_SIZES] = { "sizes-differ", SEVERITY_ERROR, "likely",
		.cause = "ranks disagree about the size of a message",
		.why = "They called the operation with different counts or types, in another order, or with different NCCL settings.",
		.remedy = "# print count and type before the call on every rank; compare NCCL_ALGO, NCCL_PROTO and NCCL_ sizes\n"
			"export TORCH_DISTRIBUTED_DEBUG=DETAIL   # PyTorch checks sizes and order" },
	[RULE_P2P_OFF_ENV] = { "p2p-off-by-environment", SEVERITY_WARNING, "certain",
		.cause = "P2P is switched off by a variable",
		.why = "GPUs of one host then talk through host memory (SHM) or sockets although they might reach each other directly. Often a workaround that was forgotten.",
		.remedy = "unset NCCL_P2P_DISABLE NCCL_P2P_LEVEL   # in scripts, ~/.nccl.conf and /etc/nccl.conf\n"
			"nvidia-smi topo -p2p rw             # can these GPUs do it?" },
	[RULE_P2P_REFUSED] = { "p2p-refused", SEVERITY_INFO, "certain",
		.cause = "the driver says these GPUs cannot use P2P; NCCL uses SHM (host memory) instead",
		.why = "It is not TCP: SHM stays inside the host. Normal for GeForce cards from the RTX 40 on and for GPUs in some virtual machines.",
		.remedy = "nvidia-smi topo -p2p rw             # OK or the reason\n"
			"# nothing to set: NCCL_P2P_DISABLE=1 changes nothing here" },
	[RULE_P2P_FRAMEWORK] = { "p2p-missing-for-framework", SEVERITY_INFO, "certain",
		.cause = "the framework found GPUs that cannot use P2P with each other",
		.why = "Its own kernels between GPUs (custom all-reduce) need P2P; NCCL does not, and uses SHM there.",
		.remedy = "nvidia-smi topo -p2p rw             # which pairs, and the reason\n"
			"# vLLM: --disable-custom-all-reduce; TensorRT-LLM <= 0.12: --use_custom_all_reduce disable" },
	[RULE_P2P_217] = { "p2p-claimed-but-fails", SEVERITY_ERROR, "likely",
		.cause = "the driver claimed P2P, then refused it",
		.why = "The check said yes, enabling peer access said no: a driver fault or a modified driver.",
		.remedy = "export NCCL_P2P_DISABLE=1           # now\n"
			"# then another driver release, and nvidia-smi topo -p2p rw" },
	[RULE_SHM_217] = { "shm-217", SEVERITY_ERROR, "certain",
		.cause = "CUDA host memory cannot be shared between GPUs without P2P",
		.why = "NCCL >= 2.24 takes CUDA host memory for SHM; drivers before 13.0 refuse it when the GPUs have no P2P.",
		.remedy = "export NCCL_CUMEM_HOST_ENABLE=0     # on all ranks: back to /dev/shm (mind its size)" },
	[RULE_ANY_217] = { "peer-access-217", SEVERITY_ERROR, "likely",
		.cause = "CUDA refuses peer access between two GPUs",
		.why = "The log does not show which part of NCCL asked: SHM on CUDA host memory (transport/shm.cc) or P2P (transport/p2p.cc).",
		.remedy = "export NCCL_CUMEM_HOST_ENABLE=0     # first try: right when shm.cc asked\n"
			"export NCCL_P2P_DISABLE=1           # when p2p.cc asked" },
	[RULE_IPC_OPEN] = { "ipc-open", SEVERITY_ERROR, "likely",
		.cause = "a GPU memory handle could not be made for another rank, or not be opened by it",
		.why = "P2P between processes needs one IPC and PID namespace and a driver that shares memory between these GPUs.",
		.remedy = "docker run --ipc=host --pid=host ...\n"
			"export NCCL_P2P_DISABLE=1           # otherwise" },
	[RULE_MAPPING_FAILED] = { "mapping-failed", SEVERITY_ERROR, "likely",
		.cause = "CUDA could not map another GPU's memory",
		.why = "P2P or IPC memory could not be mapped: BAR space, IOMMU or the container.",
		.remedy = "export NCCL_P2P_DISABLE=1           # or\n"
			"export NCCL_CUMEM_ENABLE=0" },
	[RULE_TOO_MANY_PEERS] = { "too-many-peers", SEVERITY_ERROR, "certain",
		.cause = "a GPU is asked for P2P with more peers than CUDA allows",
		.why = "Over PCIe a GPU can have peer access to eight others at once; more than nine GPUs in one process exceed that.",
		.remedy = "export NCCL_P2P_LEVEL=PXB           # peers of one PCIe switch only\n"
			"# or one process per GPU, or at most nine GPUs each; nccl-tests: -g 1 under mpirun" },
	[RULE_P2P_NVLINK] = { "nvlink-p2p-broken", SEVERITY_ERROR, "certain",
		.cause = "GPUs joined by NVLink report that P2P does not work",
		.why = "This is a fault of the machine: fabric manager, a broken link or bridge, or a GPU that needs a reset.",
		.remedy = "systemctl status nvidia-fabricmanager; nvidia-smi nvlink -s; nvidia-smi topo -p2p rw\n"
			"systemctl restart nvidia-fabricmanager\n"
			"export NCCL_IGNORE_DISABLED_P2P=1   # to go on without P2P meanwhile" },
	[RULE_FABRIC_MANAGER] = { "fabric-manager", SEVERITY_ERROR, "likely",
		.cause = "the NVSwitch fabric is not initialised",
		.why = "On machines with NVSwitch CUDA does not start before nvidia-fabricmanager has set up the links; its version must equal the driver's.",
		.remedy = "systemctl status nvidia-fabricmanager; nvidia-smi -q | grep -A3 Fabric\n"
			"systemctl restart nvidia-fabricmanager" },
	[RULE_NVLINK_ERROR] = { "nvlink-error", SEVERITY_ERROR, "likely",
		.cause = "an NVLink failed",
		.why = "The hardware reported an uncorrectable link error (Xid 74).",
		.remedy = "nvidia-smi nvlink -e; dmesg -T | grep -i xid\n"
			"# reset the GPU or replace it; NCCL_P2P_DISABLE=1 keeps off NVLink meanwhile" },
	[RULE_GPU_LOST] = { "gpu-lost", SEVERITY_ERROR, "certain",
		.cause = "a GPU has fallen off the bus or must be reset",
		.why = "The driver cannot reach it any more; nothing in NCCL's settings helps.",
		.remedy = "dmesg -T | grep -i xid; nvidia-smi\n"
			"# reset or reboot, check power and seating" },
	[RULE_GPU_XID] = { "gpu-xid", SEVERITY_WARNING, "likely",
		.cause = "the driver reported a GPU fault (Xid)",
		.why = "A fault of the GPU, its memory or the program on it, at about the time of the NCCL error.",
		.remedy = "dmesg -T | grep -i xid; nvidia-smi -q | grep -i -A8 ecc" },
	[RULE_GPU_ECC] = { "gpu-ecc", SEVERITY_ERROR, "certain",
		.cause = "a GPU has an uncorrectable memory error",
		.why = "The GPU's memory is damaged; the job cannot go on with it.",
		.remedy = "nvidia-smi -q | grep -i -A8 ecc\n"
			"nvidia-smi --gpu-reset -i N         # then run diagnostics (dcgmi diag -r 3)" },
	[RULE_IOMMU_FAULT] = { "iommu-fault", SEVERITY_ERROR, "likely",
		.cause = "the IOMMU or ACS breaks traffic between PCIe devices",
		.why = "Peer transfers through the host bridge are translated or rejected: they hang or deliver wrong data.",
		.remedy = "export NCCL_P2P_DISABLE=1           # now\n"
			"# for good: iommu=pt or off on the kernel's command line, ACS off on the bridges above the GPUs" },
	[RULE_IOMMU_PT] = { "iommu-pt", SEVERITY_INFO, "certain",
		.cause = "NCCL recommends iommu=pt on the kernel's command line",
		.why = "With full translation P2P over PCIe can be slow or hang.",
		.remedy = "# /etc/default/grub: GRUB_CMDLINE_LINUX=\"... iommu=pt\", update-grub, reboot" },
	[RULE_P2P_HANG] = { "p2p-hang-suspect", SEVERITY_WARNING, "possible",
		.cause = "silence after P2P was connected: P2P may not deliver data",
		.why = "IOMMU or ACS on the path, or a driver that claims P2P it cannot do, make P2P hang without any message.",
		.remedy = "export NCCL_P2P_DISABLE=1           # does it run then? P2P is the culprit\n"
			"dmesg -T | grep -i -e iommu -e 'io_page_fault' -e dmar\n"
			"lspci -vvv | grep -i acsctl         # SrcValid+ on bridges above GPUs: switch it off" },
	[RULE_WSL] = { "wsl", SEVERITY_INFO, "likely",
		.cause = "this runs in WSL",
		.why = "GPU P2P and legacy CUDA IPC do not exist there; NCCL uses SHM.",
		.remedy = "# leave NCCL_CUMEM_ENABLE unset, or set it to 1; nothing makes P2P available in WSL" },
	[RULE_LEGACY_IPC] = { "legacy-ipc", SEVERITY_INFO, "likely",
		.cause = "CUDA IPC is not available here (usual in WSL and on some vGPUs)",
		.why = "With NCCL_CUMEM_ENABLE=0 P2P needs it, so P2P is off.",
		.remedy = "unset NCCL_CUMEM_ENABLE             # lets NCCL share memory the newer way" },
	[RULE_VGPU] = { "vgpu", SEVERITY_INFO, "likely",
		.cause = "these are virtual GPUs (vGPU)",
		.why = "A vGPU has P2P only in some profiles and often no unified memory or CUDA IPC.",
		.remedy = "nvidia-smi vgpu -q; nvidia-smi topo -p2p rw\n"
			"export NCCL_CUMEM_ENABLE=0          # if memory cannot be shared" },
	[RULE_ACCELERATE_4000] = { "accelerate-rtx-4000", SEVERITY_ERROR, "certain",
		.cause = "accelerate refuses to start with P2P or IB on GeForce RTX 40 cards (without them NCCL uses SHM inside a host, not TCP)",
		.why = "It only wants two variables set. Inside one host NCCL then uses SHM (host memory), not TCP: no training falls back to sockets by that.",
		.remedy = "export NCCL_P2P_DISABLE=1 NCCL_IB_DISABLE=1   # before python, or use `accelerate launch`, which sets them" },
	[RULE_ACCELERATE_OFF] = { "accelerate-p2p-off", SEVERITY_INFO, "certain",
		.cause = "accelerate switched P2P and IB off for this GeForce card",
		.why = "Inside one host NCCL uses SHM (host memory) then, not TCP; such cards have no P2P to lose, except with a modified driver.",
		.remedy = "# nothing to do; with P2P that works: export NCCL_P2P_DISABLE=0 before the launch" },
	[RULE_DUPLICATE_GPU] = { "duplicate-gpu", SEVERITY_ERROR, "certain",
		.cause = "two ranks use the same GPU",
		.why = "Each rank of a communicator needs a GPU of its own; the ranks did not choose theirs by local rank, or too few GPUs are visible.",
		.remedy = "echo $CUDA_VISIBLE_DEVICES; nvidia-smi -L   # as many as ranks per host\n"
			"# PyTorch, first of all:  torch.cuda.set_device(int(os.environ['LOCAL_RANK']))" },
	[RULE_HIDDEN_GPU] = { "hidden-gpu", SEVERITY_ERROR, "likely",
		.cause = "a rank asks for a GPU that it cannot see",
		.why = "Its local rank is beyond the visible GPUs: CUDA_VISIBLE_DEVICES, the container or the scheduler hides some, or there are more ranks than GPUs.",
		.remedy = "echo $CUDA_VISIBLE_DEVICES; nvidia-smi -L\n"
			"torchrun --nproc_per_node=N ...     # at most the GPUs of the host\n"
			"docker run --gpus all ...; srun --gpus-per-node=N ..." },
	[RULE_NO_GPU] = { "no-gpu", SEVERITY_ERROR, "certain",
		.cause = "there is no usable GPU in this process",
		.why = "NCCL needs one. The driver, the container runtime or CUDA_VISIBLE_DEVICES hides them.",
		.remedy = "nvidia-smi; echo \"$CUDA_VISIBLE_DEVICES\"\n"
			"docker run --gpus all ..." },
	[RULE_NVML_HIDDEN] = { "gpu-hidden-from-nvml", SEVERITY_WARNING, "likely",
		.cause = "NVML does not see a GPU that another rank uses",
		.why = "Each process or container was given its own GPU only (cgroups, a GPU per Slurm task, one container per GPU), so NCCL cannot see how the GPUs are joined: no P2P between them, and old versions stop here.",
		.remedy = "srun --gpus-per-node=N --gpu-bind=none ...   # all ranks of a host see all its GPUs, each picks its own\n"
			"docker run --gpus all ...           # one container for all ranks of a host\n"
			"nvidia-smi -L                       # in every rank: the same list?" },
	[RULE_NVML_FAILED] = { "nvml-failed", SEVERITY_WARNING, "likely",
		.cause = "the driver's management library (NVML) failed",
		.why = "The driver was updated without a reboot, a GPU is in a bad state, or the container lost its devices.",
		.remedy = "nvidia-smi                          # in the same container; \"version mismatch\": reboot or reload the driver\n"
			"docker restart CONTAINER            # after a systemctl daemon-reload on the host" },
	[RULE_TOPOLOGY] = { "topology", SEVERITY_WARNING, "likely",
		.cause = "NCCL could not make sense of how this machine is wired",
		.why = "/sys or the topology file does not describe the PCI devices and links completely: a virtual machine, WSL with an old NCCL, a container, a broken link, or a file of another machine.",
		.remedy = "unset NCCL_TOPO_FILE NCCL_GRAPH_FILE   # if set; also in /etc/nccl.conf and ~/.nccl.conf\n"
			"nvidia-smi topo -m                  # AMD: rocm-smi --showtopo; every link there?\n"
			"ls -l /sys/class/pci_bus            # empty in WSL: NCCL >= 2.11" },
	[RULE_DEVICE_UNSET] = { "device-unset", SEVERITY_INFO, "possible",
		.cause = "PyTorch guessed the GPU of a rank",
		.why = "If the guess is wrong, two ranks share a GPU or the job hangs.",
		.remedy = "torch.cuda.set_device(local_rank)   # and init_process_group(..., device_id=torch.device('cuda', local_rank))" },
	[RULE_OOM_GPU] = { "gpu-out-of-memory", SEVERITY_ERROR, "certain",
		.cause = "GPU memory is exhausted",
		.why = "NCCL could not get its buffers. Whatever else fills the GPU (model, another process, a dead job) is the cause; NCCL only met it.",
		.remedy = "nvidia-smi                          # who holds the memory? dead processes?\n"
			"export NCCL_BUFFSIZE=1048576 NCCL_MAX_NCHANNELS=4   # NCCL itself needs less then\n"
			"# smaller batch, or shard more" },
	[RULE_REMOTE_ALLOC] = { "remote-allocation", SEVERITY_ERROR, "likely",
		.cause = "GPU memory that another rank asked for could not be had; most likely it is exhausted",
		.why = "NCCL allocates on behalf of other ranks and says only that this failed, not why. Too little free memory is the usual reason; a CUDA failure beside it, or the asking rank's death, would be another.",
		.remedy = "nvidia-smi                          # is the memory of that rank's GPU full?\n"
			"export NCCL_DEBUG=INFO              # if not: the lines around it, of all ranks, name the call that failed" },
	[RULE_OOM_TORCH] = { "framework-out-of-memory", SEVERITY_ERROR, "certain",
		.cause = "a rank ran out of GPU memory; NCCL errors elsewhere follow from it",
		.why = "The rank died or left the collective, the others then report closed connections or timeouts.",
		.remedy = "# smaller batch, activation checkpointing, more sharding, on all ranks\n"
			"export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True" },
	[RULE_HOST_ALLOC] = { "host-allocation", SEVERITY_ERROR, "likely",
		.cause = "host memory could not be allocated or pinned",
		.why = "The host, its cgroup or the limit of locked memory has none left.",
		.remedy = "free -g; ulimit -l; cat /sys/fs/cgroup/memory.max\n"
			"docker run --ulimit memlock=-1 --memory 0 ..." },
	[RULE_OOM_KILLED] = { "killed-out-of-memory", SEVERITY_ERROR, "likely",
		.cause = "a process was killed, probably by the kernel for lack of memory",
		.why = "Signal 9 is what the out-of-memory killer and container limits send; other ranks then report closed connections.",
		.remedy = "dmesg -T | grep -i -e oom -e 'killed process'\n"
			"# fewer data loader workers, more memory for the job or container" },
	[RULE_WORKER_DIED] = { "worker-died", SEVERITY_ERROR, "likely",
		.cause = "a worker process of the job died",
		.why = "Killed for lack of host memory, crashed, or stopped; what other ranks say of the network after that follows from it.",
		.remedy = "dmesg -T | grep -i -e oom -e 'killed process' -e segfault   # on the worker's host\n"
			"ls -t /tmp/ray/session_latest/logs/*.err | head   # Ray: the dead worker's last words\n"
			"ncclbench explain rank*.log" },
	[RULE_VERSION_MISMATCH] = { "version-mismatch", SEVERITY_ERROR, "certain",
		.cause = "the ranks run different NCCL versions",
		.why = "NCCL does not talk to another version.",
		.remedy = "python3 -c 'import torch; print(torch.cuda.nccl.version())'   # on every host\n"
			"ldconfig -p | grep libnccl; echo $LD_LIBRARY_PATH; echo $LD_PRELOAD" },
	[RULE_BUILDS_DIFFER] = { "builds-differ", SEVERITY_WARNING, "likely",
		.cause = "the ranks run different NCCL builds or drivers",
		.why = "Same version, other CUDA; or other drivers on the hosts. It may work, and is the first suspect when it does not.",
		.remedy = "nvidia-smi --query-gpu=driver_version --format=csv   # on every host\n"
			"# use one container image everywhere" },
	[RULE_DRIVER_OLD] = { "driver-too-old", SEVERITY_ERROR, "certain",
		.cause = "the GPU driver is too old for the CUDA that NCCL or the framework was built with",
		.why = "A library for CUDA 13 needs a driver of series 580 or later, one for CUDA 12 at least 525.",
		.remedy = "nvidia-smi                          # driver, and the newest CUDA it can serve\n"
			"# newer driver, or a build for an older CUDA: pip install torch --index-url https://download.pytorch.org/whl/cu126" },
	[RULE_DRIVER_COMPAT] = { "driver-compat", SEVERITY_ERROR, "likely",
		.cause = "CUDA forward compatibility is in the way",
		.why = "A compat libcuda.so in the container was loaded on a GPU or driver it does not support.",
		.remedy = "ldconfig -p | grep libcuda.so       # drop /usr/local/cuda/compat from LD_LIBRARY_PATH" },
	[RULE_DRIVER_MAYBE_OLD] = { "driver-maybe-old", SEVERITY_WARNING, "possible",
		.cause = "the driver's CUDA is older than the one NCCL was built for",
		.why = "Another major version does not run without a compat library.",
		.remedy = "nvidia-smi                          # newer driver, or a libnccl for this CUDA" },
	[RULE_NO_KERNEL_IMAGE] = { "no-kernel-image", SEVERITY_ERROR, "certain",
		.cause = "libnccl or the framework has no code for this GPU",
		.why = "The GPU is newer (or much older) than the library.",
		.remedy = "python3 -c 'import torch; print(torch.cuda.get_arch_list(), torch.cuda.nccl.version())'\n"
			"# RTX 50 (sm_120) needs a build for CUDA 12.8 and NCCL >= 2.26; old GPUs an older build" },
	[RULE_NAMED_SYMBOL] = { "named-symbol-not-found", SEVERITY_ERROR, "likely",
		.cause = "CUDA did not find NCCL's kernels (named symbol not found)",
		.why = "libnccl has no code for this GPU, or two CUDA or NCCL libraries are mixed in one process.",
		.remedy = "ldd $(python3 -c 'import torch; print(torch.__file__.replace(\"__init__.py\", \"lib/libtorch_cuda.so\"))') | grep -e nccl -e cudart\n"
			"env | grep -e LD_PRELOAD -e LD_LIBRARY_PATH   # a second libnccl?" },
	[RULE_SMEM_SM120] = { "shared-memory-size", SEVERITY_ERROR, "certain",
		.cause = "NCCL's kernels want more shared memory than this GPU has",
		.why = "NCCL 2.25 on GPUs of compute capability 12.0 (RTX 50); fixed in 2.26.",
		.remedy = "pip install -U nvidia-nccl-cu12     # NCCL >= 2.26" },
	[RULE_LIBNCCL_MIX] = { "libnccl-mismatch", SEVERITY_ERROR, "certain",
		.cause = "the program was built for a newer libnccl than the one that was loaded",
		.why = "A function is missing in it: another libnccl comes first on the library path.",
		.remedy = "ldconfig -p | grep libnccl; echo $LD_LIBRARY_PATH $LD_PRELOAD\n"
			"unset LD_LIBRARY_PATH               # lets PyTorch find its own" },
	[RULE_NVLS_FAILED] = { "nvls-failed", SEVERITY_ERROR, "likely",
		.cause = "NVLink multicast (NVLS) could not be set up",
		.why = "Fabric manager, virtual machine or container does not give multicast memory.",
		.remedy = "export NCCL_NVLS_ENABLE=0           # now\n"
			"systemctl status nvidia-fabricmanager; nvidia-smi -q | grep -A3 Fabric" },
	[RULE_IMEX] = { "imex", SEVERITY_ERROR, "likely",
		.cause = "NVLink between hosts (MNNVL) is there but does not work: IMEX",
		.why = "The IMEX service and its channel devices are needed to share memory between the hosts of an NVLink domain.",
		.remedy = "export NCCL_MNNVL_ENABLE=0          # now: the network instead\n"
			"systemctl status nvidia-imex; ls /dev/nvidia-caps-imex-channels" },
	[RULE_CUDA_801] = { "cuda-not-supported", SEVERITY_ERROR, "likely",
		.cause = "CUDA says a feature is not supported here",
		.why = "Multicast, fabric handles or cuMem do not exist in this container, virtual machine or driver.",
		.remedy = "export NCCL_NVLS_ENABLE=0\n"
			"export NCCL_CUMEM_ENABLE=0          # if that was not enough" },
	[RULE_CUDA_800] = { "cuda-not-permitted", SEVERITY_ERROR, "likely",
		.cause = "CUDA says an operation is not permitted here",
		.why = "Missing rights in the container: IMEX channels or capabilities.",
		.remedy = "export NCCL_MNNVL_ENABLE=0\n"
			"export NCCL_CUMEM_ENABLE=0          # if that was not enough" },
	[RULE_ILLEGAL_ACCESS] = { "illegal-memory-access", SEVERITY_ERROR, "possible",
		.cause = "a GPU accessed memory that is not its own",
		.why = "Mostly a fault of the program (a freed or too small buffer); CUDA reports it at the next call, which may be NCCL's. Sometimes P2P that does not work.",
		.remedy = "export CUDA_LAUNCH_BLOCKING=1       # which kernel is it?\n"
			"export NCCL_P2P_DISABLE=1           # does it vanish? then P2P (IOMMU, driver)\n"
			"compute-sanitizer python train.py" },
	[RULE_CUDA_INIT] = { "cuda-initialization", SEVERITY_ERROR, "likely",
		.cause = "CUDA could not be initialised in this process",
		.why = "Mostly the process was forked after CUDA had been used, or the driver and its devices are not ready in the container.",
		.remedy = "# Python: torch.multiprocessing.set_start_method('spawn')\n"
			"nvidia-smi; ls -l /dev/nvidia*      # in the same container" },
	[RULE_CUDA_ERROR] = { "cuda-error", SEVERITY_ERROR, "possible",
		.cause = "a CUDA call failed inside NCCL",
		.why = "The words of the line are CUDA's. An earlier error of the program on this GPU shows up here too.",
		.remedy = "nvidia-smi; dmesg -T | grep -i xid\n"
			"export CUDA_LAUNCH_BLOCKING=1       # whose error is it?" },
	[RULE_CUDA_DRIVER] = { "cuda-driver-functions", SEVERITY_WARNING, "likely",
		.cause = "NCCL did not find functions of the CUDA driver that it needs",
		.why = "The driver is older than this NCCL's CUDA, or the libcuda.so that was loaded is a stub or another driver's.",
		.remedy = "nvidia-smi; ldconfig -p | grep libcuda.so\n"
			"echo $LD_LIBRARY_PATH               # no .../stubs, no compat of another driver" },
	[RULE_TEARDOWN] = { "error-at-exit", SEVERITY_WARNING, "likely",
		.cause = "the process was ending while NCCL still worked",
		.why = "CUDA or the communicator was being taken down: after an earlier error, or because the program ends without waiting for NCCL and destroying its communicators.",
		.remedy = "# an earlier error of any rank is the cause; without one:\n"
			"# torch.distributed.destroy_process_group() before the end; C: ncclCommDestroy, and join threads that call NCCL" },
	[RULE_DEVICE_ASSERT] = { "device-assert", SEVERITY_ERROR, "certain",
		.cause = "a check (assert) in one of the program's GPU kernels failed",
		.why = "Mostly an index out of range (a label, a token id, an embedding). NCCL only shares the GPU; after this every CUDA call fails.",
		.remedy = "export CUDA_LAUNCH_BLOCKING=1       # run again: the Python line is the right one then\n"
			"# the line \"Assertion ... failed\" above names the check; on the CPU the same step gives a readable error" },
	[RULE_LAUNCH_TIMEOUT] = { "kernel-time-limit", SEVERITY_ERROR, "likely",
		.cause = "the driver stopped a GPU kernel that ran too long",
		.why = "A GPU that drives a display has a time limit of some seconds for one kernel; an NCCL kernel that waits for a rank (or for P2P that does not work) exceeds it.",
		.remedy = "nvidia-smi -q | grep -i 'display active'   # use other GPUs, or stop the desktop there\n"
			"export NCCL_P2P_DISABLE=1           # a test: if it runs then, NCCL's kernel hung in P2P" },
	[RULE_KERNEL_FAILED] = { "gpu-kernel-failed", SEVERITY_ERROR, "likely",
		.cause = "a GPU kernel died",
		.why = "Mostly a fault of one of the program's kernels (bad pointer, misaligned or freed memory), sometimes of the GPU; CUDA reports it at the next call, which may be NCCL's.",
		.remedy = "export CUDA_LAUNCH_BLOCKING=1       # which kernel is it?\n"
			"compute-sanitizer python train.py\n"
			"dmesg -T | grep -i xid              # Xid 13, 31: the program; 48, 63, 79, 94, 95: the GPU" },
	[RULE_CUDA_PROGRAM] = { "cuda-error-in-program", SEVERITY_ERROR, "possible",
		.cause = "a CUDA call of the program failed",
		.why = "The words of the line are CUDA's; NCCL's own errors on this GPU follow from it.",
		.remedy = "export CUDA_LAUNCH_BLOCKING=1       # which call is it?\n"
			"nvidia-smi; dmesg -T | grep -i xid" },
	[RULE_CRASHED] = { "process-crashed", SEVERITY_ERROR, "likely",
		.cause = "a process crashed (segmentation fault)",
		.why = "A fault in native code: the program, a library of another version, or a plugin. Other ranks then report closed connections.",
		.remedy = "# the stack below the line names the library\n"
			"export NCCL_NET_PLUGIN=none         # a test: is it a plugin?\n"
			"ldconfig -p | grep libnccl; python3 -c 'import torch; print(torch.cuda.nccl.version())'   # two of them?" },
	[RULE_ALGO_TOKEN] = { "algo-proto-word", SEVERITY_ERROR, "certain",
		.cause = "NCCL_ALGO or NCCL_PROTO holds a word that it does not know",
		.why = "NCCL >= 2.24 refuses to start with this; older ones ignore it and may be left without an algorithm.",
		.remedy = "unset NCCL_ALGO NCCL_PROTO" },
	[RULE_ALGO_NONE] = { "algo-none", SEVERITY_ERROR, "certain",
		.cause = "no algorithm and protocol is left for an operation",
		.why = "NCCL_ALGO and NCCL_PROTO exclude everything that could carry it.",
		.remedy = "unset NCCL_ALGO NCCL_PROTO          # or allow ring: NCCL_ALGO=Ring,Tree" },
	[RULE_NO_TRANSPORT] = { "no-transport", SEVERITY_ERROR, "certain",
		.cause = "no transport is left between two ranks",
		.why = "P2P, SHM and the network are all switched off or impossible between them.",
		.remedy = "unset NCCL_P2P_DISABLE NCCL_SHM_DISABLE NCCL_NET_DISABLE_INTRA" },
	[RULE_ENV_UNKNOWN] = { "env-unknown", SEVERITY_WARNING, "certain",
		.cause = "a variable that NCCL does not know",
		.why = "NCCL ignores unknown names without a word.",
		.remedy = "" },
	[RULE_ENV_FOREIGN] = { "env-not-nccl", SEVERITY_WARNING, "certain",
		.cause = "a variable that is not NCCL's",
		.why = "Another program reads it, or did under its old name.",
		.remedy = "" },
	[RULE_ENV_VALUE] = { "env-value", SEVERITY_WARNING, "certain",
		.cause = "a value that does not do what it says",
		.why = "NCCL reads most variables as whole numbers; text becomes 0 without a word.",
		.remedy = "" },
	[RULE_ENV_REMOVED] = { "env-removed", SEVERITY_WARNING, "certain",
		.cause = "a variable that this NCCL no longer reads",
		.why = "It does nothing.",
		.remedy = "" },
	[RULE_ENV_TOO_NEW] = { "env-too-new", SEVERITY_WARNING, "certain",
		.cause = "a variable that this NCCL does not read yet",
		.why = "It does nothing.",
		.remedy = "" },
	[RULE_ENV_CONFLICT] = { "env-conflict", SEVERITY_WARNING, "certain",
		.cause = "variables that contradict each other",
		.why = "One of them undoes the other.",
		.remedy = "" },
	[RULE_ENV_DIFFERS] = { "env-differs", SEVERITY_WARNING, "likely",
		.cause = "ranks have different NCCL settings",
		.why = "Ranks that disagree about algorithms, sizes or transports hang or fail.",
		.remedy = "# pass the variable to all ranks: mpirun -x NAME, srun --export=ALL, the same container environment" },
	[RULE_SPLIT_HOST] = { "isolated-containers", SEVERITY_WARNING, "likely",
		.cause = "ranks of one host do not see that they share it",
		.why = "Their /dev/shm differ (containers of their own) or they were hidden from each other, so neither P2P nor SHM is possible and they talk over the network inside the host.",
		.remedy = "docker run --ipc=host --pid=host ...   # all ranks of a host in one container is simplest\n"
			"unset NCCL_HOSTID" },
	[RULE_TORCH_BARE] = { "nccl-error", SEVERITY_ERROR, "possible",
		.cause = "an NCCL error is reported without its cause",
		.why = "The text is only the class of the error. The cause is the first NCCL WARN of the rank that failed first, and nothing of it is in this log.",
		.remedy = "export NCCL_DEBUG=INFO              # run again, then\n"
			"ncclbench explain all-ranks.log" },
	[RULE_TORCH_CUDA] = { "unhandled-cuda-error", SEVERITY_ERROR, "possible",
		.cause = "a CUDA call failed inside NCCL; this log does not say which",
		.why = "Often: GPU out of memory, two ranks on one GPU, a hidden GPU, a libnccl without code for this GPU, or a driver that claims P2P.",
		.remedy = "export NCCL_DEBUG=INFO              # run again: the first WARN names the call\n"
			"nvidia-smi                          # memory, and one process per GPU?\n"
			"export NCCL_P2P_DISABLE=1           # a test: if it runs then, P2P is broken" },
	[RULE_TORCH_SYSTEM] = { "unhandled-system-error", SEVERITY_ERROR, "possible",
		.cause = "a system call failed inside NCCL; this log does not say which",
		.why = "Often: /dev/shm too small, a wrong network interface, a peer that died.",
		.remedy = "export NCCL_DEBUG=INFO              # run again: the first WARN names the call\n"
			"df -h /dev/shm; ip -br addr" },
	[RULE_TORCH_USAGE] = { "invalid-usage", SEVERITY_ERROR, "possible",
		.cause = "NCCL was called in a way that it refuses",
		.why = "Often: two ranks on one GPU, different NCCL versions on the ranks, or a bad NCCL_ALGO, NCCL_PROTO or NCCL_NET.",
		.remedy = "export NCCL_DEBUG=INFO              # run again: the first WARN says what it refuses\n"
			"echo $CUDA_VISIBLE_DEVICES; env | grep NCCL" },
	[RULE_TORCH_REMOTE] = { "remote-error", SEVERITY_ERROR, "likely",
		.cause = "another rank died or the network broke",
		.why = "This rank only noticed. The cause is in the log of the rank that went first.",
		.remedy = "ncclbench explain rank*.log         # the logs of all ranks together\n"
			"dmesg -T | grep -i -e oom -e xid" },
	[RULE_TORCH_WATCHDOG] = { "torch-watchdog-timeout", SEVERITY_ERROR, "likely",
		.cause = "an operation did not finish in time: a rank did not take part, or the transport hangs",
		.why = "PyTorch's watchdog stops the job. Either some rank is elsewhere (data, evaluation, an exception, out of memory) or bytes do not arrive.",
		.remedy = "export TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1   # who waits where\n"
			"export NCCL_DEBUG=INFO NCCL_P2P_DISABLE=1   # a test: does it run without P2P?\n"
			"py-spy dump --pid PID               # on the rank that is behind" },
	[RULE_TORCH_WATCHDOG_STUCK] = { "torch-heartbeat", SEVERITY_ERROR, "possible",
		.cause = "PyTorch's NCCL watchdog itself got stuck",
		.why = "A CUDA or NCCL call did not return: mostly a hang in the driver or a lock held by another thread.",
		.remedy = "py-spy dump --native --pid PID\n"
			"export TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC=1800   # only if it is known to be slow" },
	[RULE_TORCH_MISMATCH] = { "collective-mismatch", SEVERITY_ERROR, "certain",
		.cause = "ranks called different collectives or sizes",
		.why = "The program takes different ways on the ranks.",
		.remedy = "export TORCH_DISTRIBUTED_DEBUG=DETAIL" },
	[RULE_RAS] = { "ras-mismatch", SEVERITY_ERROR, "certain",
		.cause = "NCCL's RAS found ranks that differ from the others",
		.why = "Ranks that launched fewer operations than the others are elsewhere in the program or wait in an earlier one; a process without data has died or hangs.",
		.remedy = "# the few ranks that RAS lists are the ones to look at\n"
			"py-spy dump --native --pid PID      # on their nodes" },
	[RULE_RANK_MISSING] = { "rank-missing", SEVERITY_ERROR, "likely",
		.cause = "a rank never arrived",
		.why = "The others wait for it until their time is over.",
		.remedy = "# look at the log of the missing rank: did it start, on which host, with which RANK and WORLD_SIZE?\n"
			"ncclbench explain rank*.log         # all logs together" },
	[RULE_STORE_TIMEOUT] = { "store-timeout", SEVERITY_ERROR, "likely",
		.cause = "a rank waited in vain for another one at start",
		.why = "The rank it waits for did not start, failed before, or does not reach the master's address.",
		.remedy = "echo $MASTER_ADDR $MASTER_PORT; nc -vz $MASTER_ADDR $MASTER_PORT   # on every host\n"
			"# look at the log of rank 0 first" },
	[RULE_MASTER_UNREACHABLE] = { "master-unreachable", SEVERITY_ERROR, "likely",
		.cause = "the master of the job could not be reached",
		.why = "MASTER_ADDR or MASTER_PORT is wrong, rank 0 is not up, or a firewall is in the way. NCCL has not even started.",
		.remedy = "echo $MASTER_ADDR $MASTER_PORT\n"
			"getent hosts $MASTER_ADDR; nc -vz $MASTER_ADDR $MASTER_PORT" },
	[RULE_MASTER_RETRY] = { "master-connect-retry", SEVERITY_WARNING, "possible",
		.cause = "PyTorch could not connect to the master of the job yet",
		.why = "It tries each address the name has, again and again. Harmless where the job goes on; where it stops here, the name, the port or a firewall is wrong, or rank 0 is not up.",
		.remedy = "echo $MASTER_ADDR $MASTER_PORT; getent hosts $MASTER_ADDR   # an address that all hosts reach?\n"
			"nc -vz $MASTER_ADDR $MASTER_PORT    # while rank 0 runs" },
	[RULE_GLOO] = { "gloo-connect", SEVERITY_ERROR, "likely",
		.cause = "Gloo, PyTorch's CPU backend, could not connect the ranks",
		.why = "Frameworks use it beside NCCL. It takes the address of the host's name unless told the interface; 127.0.1.1 in /etc/hosts or a wrong interface breaks it.",
		.remedy = "export GLOO_SOCKET_IFNAME=eth0      # the interface that reaches the other hosts; TP_SOCKET_IFNAME too\n"
			"getent hosts $(hostname)            # not 127.0.1.1" },
	[RULE_LAUNCHER] = { "launcher-failed", SEVERITY_ERROR, "likely",
		.cause = "the launcher could not start the ranks",
		.why = "NCCL has not even begun: ssh, slots, or the launcher's daemon on another host failed.",
		.remedy = "ssh HOST hostname                   # without a password, to every host?\n"
			"mpirun -np N --host a:8,b:8 hostname   # without NCCL first" },
	[RULE_RANKS_STALLED] = { "ranks-stalled", SEVERITY_ERROR, "likely",
		.cause = "some ranks do not take part in an operation that the others wait for",
		.why = "They are elsewhere in the program, slower, stuck in an earlier operation, or dead.",
		.remedy = "# the line names the ranks or the operation: look at those ranks' logs first\n"
			"py-spy dump --native --pid PID      # on a missing rank\n"
			"ncclbench explain rank*.log         # all ranks together" },
	[RULE_PORT_BUSY] = { "master-port-busy", SEVERITY_ERROR, "certain",
		.cause = "the master port is taken",
		.why = "Another job, or the rest of a killed one, listens there.",
		.remedy = "ss -ltnp | grep :29500              # who?\n"
			"torchrun --master-port 29501 ...    # or --rdzv-endpoint=localhost:0" },
	[RULE_PG_START] = { "stops-at-process-group", SEVERITY_ERROR, "likely",
		.cause = "the log ends where the process group is started",
		.why = "The ranks wait for each other before NCCL says anything: a rank is missing, the master's address is wrong, or the first NCCL connection hangs.",
		.remedy = "export NCCL_DEBUG=INFO TORCH_CPP_LOG_LEVEL=INFO   # run again\n"
			"echo $MASTER_ADDR $MASTER_PORT $RANK $WORLD_SIZE  # on every host\n"
			"export NCCL_SOCKET_IFNAME=eth0      # if NCCL lines follow, then silence\n"
			"export NCCL_P2P_DISABLE=1           # a test: does it start then? P2P (IOMMU/ACS, driver) is broken" },
	[RULE_INIT_UNFINISHED] = { "init-unfinished", SEVERITY_WARNING, "possible",
		.cause = "the log ends before the communicator was ready",
		.why = "Either it was cut there, or the ranks hang in initialisation: one is missing, or addresses or P2P do not work.",
		.remedy = "ncclbench explain rank*.log         # all ranks together: who is missing?\n"
			"export NCCL_SOCKET_IFNAME=eth0\n"
			"export NCCL_P2P_DISABLE=1           # a test: IOMMU/ACS or a driver that only claims P2P" },
	[RULE_SINGLE_RANK_JOBS] = { "single-rank-jobs", SEVERITY_ERROR, "certain",
		.cause = "the launcher started several jobs of one rank each",
		.why = "Every process believes it is alone: the program was built without MPI, uses another MPI than mpirun, or RANK and WORLD_SIZE are not set.",
		.remedy = "ldd ./program | grep libmpi; which mpirun   # the same MPI?\n"
			"make MPI=1                          # nccl-tests\n"
			"torchrun --nproc_per_node=N train.py" },
	[RULE_NO_NCCL] = { "torch-without-nccl", SEVERITY_ERROR, "certain",
		.cause = "this PyTorch was built without NCCL",
		.why = "Builds for Windows, macOS and CPU have none.",
		.remedy = "python3 -c 'import torch; print(torch.__version__, torch.distributed.is_nccl_available())'\n"
			"# a CUDA build on Linux, or backend=\"gloo\"" },
	[RULE_NCCL_NOT_LOADED] = { "nccl-not-loaded", SEVERITY_ERROR, "certain",
		.cause = "libnccl could not be loaded",
		.why = "The framework is built for NCCL, but the library is not on its path.",
		.remedy = "ldconfig -p | grep libnccl; echo $LD_LIBRARY_PATH\n"
			"pip install nvidia-nccl-cu12        # for the CUDA of the framework; JAX: pip install -U \"jax[cuda12]\"" },
	[RULE_COMM_BUSY] = { "communicator-busy", SEVERITY_ERROR, "certain",
		.cause = "a communicator was used before its last call had finished",
		.why = "With non-blocking communicators the program must wait for ncclSuccess first.",
		.remedy = "# poll ncclCommGetAsyncError until it is not ncclInProgress" },
	[RULE_WRONG_CALL] = { "wrong-call", SEVERITY_ERROR, "certain",
		.cause = "the program gave NCCL an argument that cannot be right",
		.why = "A null pointer, a destroyed communicator, memory of another GPU, a root or type out of range: the fault is in the program, not in the transport.",
		.remedy = "# look at the call that the line names; TORCH_DISTRIBUTED_DEBUG=DETAIL names PyTorch's\n"
			"export NCCL_CHECK_POINTERS=1        # finds pointers of another GPU" },
	[RULE_MISUSE] = { "call-refused", SEVERITY_WARNING, "likely",
		.cause = "NCCL refused or could not carry out a call of the program",
		.why = "The line comes from NCCL's checks of calls, communicators and buffers: an argument, an order of calls or a feature this communicator does not have. The transport is not to blame.",
		.remedy = "# look at the call that the words name; TORCH_DISTRIBUTED_DEBUG=DETAIL names PyTorch's\n"
			"python3 -c 'import torch; print(torch.cuda.nccl.version())'   # the NCCL that the framework was built for?" },
	[RULE_SETTING] = { "setting-objected", SEVERITY_WARNING, "likely",
		.cause = "NCCL objects to a setting",
		.why = "The line names the variable: its value is unknown, out of range, or does not go with this machine or communicator.",
		.remedy = "env | grep NCCL_; cat /etc/nccl.conf ~/.nccl.conf\n"
			"# unset the variable that the line names, or give it a value of the documentation" },
	[RULE_SYSTEM_CALL] = { "system-call", SEVERITY_WARNING, "possible",
		.cause = "a system call failed inside NCCL",
		.why = "The line names the call and the kernel's reason.",
		.remedy = "ulimit -a; df -h /dev/shm; free -g  # files, locked memory, room, memory\n"
			"dmesg -T | tail" },
	[RULE_SILENT_FAILURE] = { "failed-without-warning", SEVERITY_ERROR, "possible",
		.cause = "NCCL returned an error without a WARN",
		.why = "The first line of the chain names the file: socket.cc is a connection that could not be made or broke, shm.cc shared memory, p2p.cc GPU memory.",
		.remedy = "export NCCL_DEBUG=INFO              # with the lines before it, and of all ranks\n"
			"ncclbench explain rank*.log" },
	[RULE_NCCL_WARN] = { "nccl-warning", SEVERITY_WARNING, "possible",
		.cause = "NCCL printed a warning that has no row here",
		.why = "Read its words; it may be the cause of what follows.",
		.remedy = "export NCCL_DEBUG=INFO              # if the log holds warnings only" },
	[RULE_BENIGN_WARN] = { "harmless-warning", SEVERITY_INFO, "likely",
		.cause = "a warning that does no harm",
		.why = "NCCL looked for something optional and goes on without it.",
		.remedy = "# nothing to do" },
	[RULE_RAY_DEDUP] = { "ray-repeated", SEVERITY_INFO, "certain",
		.cause = "Ray left out repeated lines",
		.why = "Lines of other workers are missing, so some pairs of ranks cannot be judged.",
		.remedy = "export RAY_DEDUP_LOGS=0" },
	[RULE_LOG_CUT] = { "log-incomplete", SEVERITY_INFO, "certain",
		.cause = "part of the log could not be read",
		.why = "Lines were too long, or there was more than is kept.",
		.remedy = "# explain the files one by one, or only their beginnings and ends" },
	[RULE_NO_NCCL_LINES] = { "no-nccl-lines", SEVERITY_INFO, "certain",
		.cause = "there is no NCCL output in this log",
		.why = "NCCL says nothing unless it is asked to.",
		.remedy = "export NCCL_DEBUG=INFO              # before the job, on all ranks" },
	[RULE_UCX_LOG] = { "ucx-log", SEVERITY_INFO, "certain",
		.cause = "these are the logs of a run over UCX, in which NCCL takes no part",
		.why = "What is known here are NCCL's words and those around it; NCCL_ variables change nothing in such a run.",
		.remedy = "export UCX_LOG_LEVEL=info           # run again: UCX names its version and the UCX_ variables it took" },
};
/* clang-format on */

int rule_find(const char *id)
{
	for (int i = 0; i < RULE_COUNT; i++)
		if (strcmp(rule_table[i].id, id) == 0)
			return i;
	return -1;
}
