/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/tcp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"

#define CHUNK (1u << 20) /* one send or recv; NCCL's socket transport uses pieces of this order */
#define SLICE_US 100000  /* a blocked thread looks at the stop flag so often */
#define SLICE_MS 20

/* ---- which address ---- */

static bool in_list(const char *list, const char *name, bool exact)
{
	while (*list) {
		size_t n = strcspn(list, ",");

		if (n > 0 && strncmp(list, name, n) == 0 && (!exact || name[n] == '\0'))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

static bool chosen(const char *choice, const char *name)
{
	bool not = *choice == '^';

	choice += not ;
	if (*choice == '=')
		return in_list(choice + 1, name, true) != not ;
	return in_list(choice, name, false) != not ;
}

static int kind_of(const char *name)
{
	static const char *const later[] = { "docker", "lo" };

	if (strncmp(name, "ib", 2) == 0)
		return 0;
	for (size_t i = 0; i < N_ELEMENTS(later); i++)
		if (strncmp(name, later[i], strlen(later[i])) == 0)
			return 2 + (int)i;
	return 1;
}

/* Smaller is better; -1 does not fit. */
static int rank_of(const struct ifaddrs *a, const char *choice)
{
	const struct sockaddr_in6 *six = (const void *)a->ifa_addr;

	if (!a->ifa_addr || !(a->ifa_flags & IFF_UP) || !(a->ifa_flags & IFF_RUNNING))
		return -1;
	if (choice && *choice && !chosen(choice, a->ifa_name))
		return -1;
	if (a->ifa_addr->sa_family == AF_INET)
		return 2 * kind_of(a->ifa_name);
	if (a->ifa_addr->sa_family != AF_INET6 || IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr))
		return -1;
	return 2 * kind_of(a->ifa_name) + 1;
}

static bool print_address(const struct sockaddr *a, char *out, size_t max)
{
	const void *raw =
	    a->sa_family == AF_INET
		? (const void *)&((const struct sockaddr_in *)(const void *)a)->sin_addr
		: (const void *)&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr;

	return inet_ntop(a->sa_family, raw, out, (socklen_t)max) != NULL;
}

int tcp_address(const char *choice, char *address, size_t address_max, char *interface,
		size_t interface_max)
{
	const struct ifaddrs *best = NULL;
	struct ifaddrs *all = NULL;
	int best_rank = 0, r = -ENOENT;

	if (getifaddrs(&all) != 0)
		return -errno;
	for (const struct ifaddrs *a = all; a; a = a->ifa_next) {
		int rank = rank_of(a, choice);

		if (rank < 0 || (best && rank >= best_rank))
			continue;
		best = a;
		best_rank = rank;
	}
	if (best && print_address(best->ifa_addr, address, address_max)) {
		snprintf(interface, interface_max, "%s", best->ifa_name);
		r = 0;
	}
	freeifaddrs(all);
	return r;
}

/* ---- sockets ---- */

union any_address {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
};

static int parse_address(const char *text, int port, union any_address *out, socklen_t *len)
{
	memset(out, 0, sizeof(*out));
	if (inet_pton(AF_INET, text, &out->four.sin_addr) == 1) {
		out->four.sin_family = AF_INET;
		out->four.sin_port = htons((uint16_t)port);
		*len = sizeof(out->four);
		return 0;
	}
	if (inet_pton(AF_INET6, text, &out->six.sin6_addr) != 1)
		return -EINVAL;
	out->six.sin6_family = AF_INET6;
	out->six.sin6_port = htons((uint16_t)port);
	*len = sizeof(out->six);
	return 0;
}

int tcp_listen(const char *address, int *port)
{
	union any_address a;
	socklen_t len = 0;
	int fd, r = parse_address(address, 0, &a, &len);

	if (r < 0)
		return r;
	fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (bind(fd, &a.any, len) != 0 || listen(fd, TCP_STREAMS_MAX) != 0 ||
	    getsockname(fd, &a.any, &len) != 0) {
		r = -errno;
		close(fd);
		return r;
	}
	*port = ntohs(a.any.sa_family == AF_INET ? a.four.sin_port : a.six.sin6_port);
	return fd;
}

/* Positive when ready; -ETIMEDOUT past the deadline. */
static int wait_ready(int fd, short events, int64_t deadline_ns)
{
	struct pollfd p = { .fd = fd, .events = events };

	for (;;) {
		int n = poll(&p, 1, clock_poll_ms(deadline_ns, SLICE_MS));

		if (n != 0 && !(n < 0 && errno == EINTR))
			return n < 0 ? -errno : n;
		if (clock_now_ns() > deadline_ns)
			return -ETIMEDOUT;
	}
}

static int connect_one(const union any_address *a, socklen_t len, int64_t deadline_ns)
{
	int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error = 0,
	    r = 0;
	socklen_t error_len = sizeof(error);

	if (fd < 0)
		return -errno;
	if (connect(fd, &a->any, len) != 0 && errno != EINPROGRESS)
		r = -errno;
	else
		r = wait_ready(fd, POLLOUT, deadline_ns);
	if (r > 0)
		r = getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &error_len) == 0 ? -error : -errno;
	if (r == 0)
		return fd;
	close(fd);
	return r;
}

static int accept_one(int listener, int64_t deadline_ns)
{
	for (;;) {
		int r = wait_ready(listener, POLLIN, deadline_ns), fd;

		if (r < 0)
			return r;
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			return fd;
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			return -errno;
	}
}

/* ---- threads ---- */

struct stream {
	struct tcp_end *end;
	int fd;
	pthread_t sender, receiver;
	bool has_sender, has_receiver;
	atomic_int_fast64_t received;
};

struct tcp_end {
	struct stream stream[TCP_STREAMS_MAX];
	int n;
	atomic_bool stop, broken; /* broken: a stream ended while it should not */
};

static void ended(struct stream *s)
{
	if (!atomic_load(&s->end->stop))
		atomic_store(&s->end->broken, true);
}

static bool again(ssize_t n)
{
	return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

static void *send_on(void *arg)
{
	struct stream *s = arg;
	char *data = calloc(1, CHUNK);

	while (data && !atomic_load(&s->end->stop)) {
		ssize_t n = send(s->fd, data, CHUNK, MSG_NOSIGNAL);

		if (n < 0 && !again(n))
			break;
	}
	ended(s);
	free(data);
	return NULL;
}

static void *receive_on(void *arg)
{
	struct stream *s = arg;
	char *data = malloc(CHUNK);

	while (data && !atomic_load(&s->end->stop)) {
		ssize_t n = recv(s->fd, data, CHUNK, 0);

		if (n > 0)
			atomic_fetch_add(&s->received, n);
		else if (!again(n))
			break;
	}
	ended(s);
	free(data);
	return NULL;
}

/* ---- one end ---- */

static int make_blocking(int fd)
{
	const struct timeval slice = { .tv_usec = SLICE_US };
	int flags = fcntl(fd, F_GETFL), on = 1;

	if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &slice, sizeof(slice)) != 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &slice, sizeof(slice)) != 0 ||
	    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0)
		return -errno;
	return 0;
}

static struct tcp_end *open_end(int n, int *error)
{
	struct tcp_end *e = n > 0 && n <= TCP_STREAMS_MAX ? calloc(1, sizeof(*e)) : NULL;

	*error = e ? 0 : n > 0 && n <= TCP_STREAMS_MAX ? -ENOMEM : -EINVAL;
	return e;
}

static int add_stream(struct tcp_end *e, int fd)
{
	if (fd < 0)
		return fd;
	e->stream[e->n].fd = fd;
	e->stream[e->n].end = e;
	e->n++; /* from here on tcp_stop closes it */
	return make_blocking(fd);
}

struct tcp_end *tcp_connect(const char *address, int port, int n, int64_t deadline_ns, int *error)
{
	struct tcp_end *e = open_end(n, error);
	union any_address a;
	socklen_t len = 0;

	if (e)
		*error = parse_address(address, port, &a, &len);
	for (int i = 0; e && i < n && *error == 0; i++)
		*error = add_stream(e, connect_one(&a, len, deadline_ns));
	if (*error == 0)
		return e;
	tcp_stop(e);
	return NULL;
}

struct tcp_end *tcp_accept(int listener, int n, int64_t deadline_ns, int *error)
{
	struct tcp_end *e = open_end(n, error);

	for (int i = 0; e && i < n && *error == 0; i++)
		*error = add_stream(e, accept_one(listener, deadline_ns));
	if (*error == 0)
		return e;
	tcp_stop(e);
	return NULL;
}

int tcp_start(struct tcp_end *e, bool sends, bool receives, const cpu_set_t *cpus,
	      size_t cpus_bytes)
{
	pthread_attr_t attr;
	int r = pthread_attr_init(&attr);

	if (r == 0 && cpus)
		r = pthread_attr_setaffinity_np(&attr, cpus_bytes, cpus);
	for (int i = 0; i < e->n && r == 0; i++) {
		struct stream *s = &e->stream[i];

		if (receives)
			r = pthread_create(&s->receiver, &attr, receive_on, s);
		s->has_receiver = receives && r == 0;
		if (r == 0 && sends) {
			r = pthread_create(&s->sender, &attr, send_on, s);
			s->has_sender = r == 0;
		}
	}
	pthread_attr_destroy(&attr);
	return -r;
}

static int64_t received(const struct tcp_end *e)
{
	int64_t sum = 0;

	for (int i = 0; i < e->n; i++)
		sum += atomic_load(&e->stream[i].received);
	return sum;
}

int64_t tcp_rate(struct tcp_end *e, int64_t warm_ns, int64_t window_ns)
{
	int64_t before, after, began, took;

	clock_sleep_ns(warm_ns);
	began = clock_now_ns();
	before = received(e);
	clock_sleep_ns(window_ns);
	took = clock_now_ns() - began;
	after = received(e);
	if (atomic_load(&e->broken))
		return -EPIPE;
	return (int64_t)((double)(after - before) * CLOCK_S / (double)(took > 0 ? took : 1));
}

void tcp_stop(struct tcp_end *e)
{
	if (!e)
		return;
	atomic_store(&e->stop, true);
	for (int i = 0; i < e->n; i++)
		shutdown(e->stream[i].fd, SHUT_RDWR); /* wakes threads that are blocked in it */
	for (int i = 0; i < e->n; i++) {
		if (e->stream[i].has_sender)
			pthread_join(e->stream[i].sender, NULL); /* bounded: SLICE_US */
		if (e->stream[i].has_receiver)
			pthread_join(e->stream[i].receiver, NULL);
		close(e->stream[i].fd);
	}
	free(e);
}
