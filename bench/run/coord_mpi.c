/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Agreement over MPI. Only non-blocking calls, tested with sleeps in between: a blocked
 * MPI_Allreduce burns a core (1.97 s of CPU in 2 s of waiting with Open MPI 4.1), and the workers
 * need it. Never sees CUDA memory.
 */
#include "run/coord.h"

#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "ncclbench/exitcode.h"

#define TAG_ALARM 7
#define POLL_FIRST_NS 20000
#define POLL_MAX_NS 1000000
#define SPIN_NS 30000 /* before the first sleep: rounds usually meet within it */

struct priv {
	MPI_Comm comm, alarm_comm;
	int64_t *alarm_text;      /* one buffer per alarm sent, alive until close */
	MPI_Request *alarm_requests;
	size_t n_alarms;
	int64_t latest_alarm;
};

static int to_errno(int mpi_code)
{
	int class = MPI_ERR_OTHER;
	char text[MPI_MAX_ERROR_STRING];
	int len = 0;

	if (mpi_code == MPI_SUCCESS)
		return 0;
	MPI_Error_class(mpi_code, &class);
	MPI_Error_string(mpi_code, text, &len);
	log_error("MPI failed between the supervisors: %.*s (class %d)", len, text, class);
	return -EIO;
}

/* Wait for one request without spinning: the workers are measuring on the other cores. */
static int finish(MPI_Request *request, int64_t deadline_ns)
{
	int64_t start = clock_now_ns(), sleep_ns = POLL_FIRST_NS;

	for (;;) {
		int done = 0;
		int r = to_errno(MPI_Test(request, &done, MPI_STATUS_IGNORE));
		int64_t now = clock_now_ns();

		if (r < 0 || done)
			return r;
		if (now > deadline_ns)
			return -ETIMEDOUT;
		if (now - start < SPIN_NS)
			continue;
		clock_sleep_ns(sleep_ns);
		sleep_ns = sleep_ns * 3 / 2 > POLL_MAX_NS ? POLL_MAX_NS : sleep_ns * 3 / 2;
	}
}

static int mpi_max(struct coord *c, int64_t *v, int n, int64_t deadline_ns)
{
	struct priv *p = c->priv;
	MPI_Request request;
	int r =
	    to_errno(MPI_Iallreduce(MPI_IN_PLACE, v, n, MPI_INT64_T, MPI_MAX, p->comm, &request));

	return r < 0 ? r : finish(&request, deadline_ns);
}

static int mpi_bcast(struct coord *c, void *data, size_t len, int root, int64_t deadline_ns)
{
	struct priv *p = c->priv;
	MPI_Request request;
	int r;

	if (len > INT_MAX)
		return -EMSGSIZE;
	r = to_errno(MPI_Ibcast(data, (int)len, MPI_BYTE, root, p->comm, &request));
	return r < 0 ? r : finish(&request, deadline_ns);
}

static int mpi_allgather(struct coord *c, const void *mine, size_t len, void *all,
			 int64_t deadline_ns)
{
	struct priv *p = c->priv;
	MPI_Request request;
	int r;

	if (len > INT_MAX)
		return -EMSGSIZE;
	r = to_errno(
	    MPI_Iallgather(mine, (int)len, MPI_BYTE, all, (int)len, MPI_BYTE, p->comm, &request));
	return r < 0 ? r : finish(&request, deadline_ns);
}

static void mpi_alarm(struct coord *c, int64_t round)
{
	struct priv *p = c->priv;
	size_t total = p->n_alarms + (size_t)c->size;
	MPI_Request *requests = realloc(p->alarm_requests, total * sizeof(*requests));

	if (!requests)
		return; /* the others then wait for their own deadline */
	p->alarm_requests = requests;
	for (int i = 0; i < c->size; i++) {
		int64_t *text = i == c->rank ? NULL : malloc(sizeof(*text));

		if (!text)
			continue;
		*text = round;
		if (MPI_Isend(text, 1, MPI_INT64_T, i, TAG_ALARM, p->alarm_comm,
			      &requests[p->n_alarms]) == MPI_SUCCESS)
			p->n_alarms++; /* `text` stays allocated: the send may still read it */
	}
}

static int64_t mpi_alarmed(struct coord *c)
{
	struct priv *p = c->priv;

	for (;;) {
		MPI_Status status;
		int there = 0;
		int64_t round = -1;

		if (MPI_Iprobe(MPI_ANY_SOURCE, TAG_ALARM, p->alarm_comm, &there, &status) !=
			MPI_SUCCESS ||
		    !there)
			return p->latest_alarm;
		MPI_Recv(&round, 1, MPI_INT64_T, status.MPI_SOURCE, TAG_ALARM, p->alarm_comm,
			 MPI_STATUS_IGNORE);
		if (round > p->latest_alarm)
			p->latest_alarm = round;
	}
}

static void mpi_abort(struct coord *c, int code)
{
	MPI_Abort(MPI_COMM_WORLD, code);
}

static void mpi_close(struct coord *c)
{
	struct priv *p = c->priv;
	int64_t one = 1;

	/* Everybody has sent what it will send; take it in, so that MPI_Finalize has nothing to
	 * wait for. */
	if (mpi_max(c, &one, 1, clock_after_ns(30 * CLOCK_S)) != 0)
		MPI_Abort(
		    MPI_COMM_WORLD,
		    NB_EXIT_BROKEN); /* a rank is gone: MPI_Finalize would wait for it for ever */
	mpi_alarmed(c);
	for (size_t i = 0; i < p->n_alarms; i++) {
		int done = 0;

		MPI_Test(&p->alarm_requests[i], &done, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	free(p->alarm_requests);
	free(p);
	c->priv = NULL;
}

static const struct coord_ops mpi_ops = {
	.max = mpi_max,
	.bcast = mpi_bcast,
	.allgather = mpi_allgather,
	.alarm = mpi_alarm,
	.alarmed = mpi_alarmed,
	.abort = mpi_abort,
	.close = mpi_close,
};

/* Cheaper start: without these Open MPI tries psm, ofi and UCX for 200 ms. The user's own choice
 * stays. */
static void prefer_plain_transports(void)
{
	setenv("OMPI_MCA_pml", "ob1", 0);
	setenv("OMPI_MCA_btl", "self,vader,tcp", 0);
	setenv("OMPI_MCA_mtl", "^psm,psm2,ofi", 0);
	setenv("OMPI_MCA_mca_base_component_show_load_errors", "0", 0);
}

static int learn_hosts(struct coord *c, struct priv *p)
{
	MPI_Comm host;
	int first;
	int r = to_errno(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, c->rank,
					     MPI_INFO_NULL, &host));

	if (r < 0)
		return r;
	MPI_Comm_rank(host, &c->host_rank);
	MPI_Comm_size(host, &c->host_size);
	first = c->host_rank == 0;
	MPI_Allreduce(&first, &c->n_hosts, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Comm_free(&host);
	return 0;
}

int coord_open(struct coord *c)
{
	struct priv *p = calloc(1, sizeof(*p));
	int level, r;

	if (!p)
		return -ENOMEM;
	p->latest_alarm = -1;
	prefer_plain_transports();
	/* The TCP ceiling has threads of its own, which never call MPI. */
	r = to_errno(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level));
	if (r < 0) {
		free(p);
		return r;
	}
	*c = (struct coord){ .ops = &mpi_ops, .priv = p };
	MPI_Comm_rank(MPI_COMM_WORLD, &c->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &c->size);
	MPI_Comm_dup(MPI_COMM_WORLD, &p->comm);
	MPI_Comm_dup(MPI_COMM_WORLD, &p->alarm_comm);
	MPI_Comm_set_errhandler(p->comm, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(p->alarm_comm, MPI_ERRORS_RETURN);
	return learn_hosts(c, p);
}
