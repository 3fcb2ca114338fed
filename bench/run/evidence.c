/* SPDX-License-Identifier: Apache-2.0 */
#include "run/evidence.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "run/coord.h"

#define CHUNK 16384
#define READ_MAX (16 << 20) /* of one call: a log that grows faster is somebody's mistake */
#define GATHER_NS (120 * CLOCK_S)

void evidence_init(struct evidence *e)
{
	memset(e, 0, sizeof(*e));
	scan_init(&e->scan);
}

void evidence_fini(struct evidence *e)
{
	scan_fini(&e->scan);
	free(e->path[0]);
	free(e->path[1]);
	free(e->links);
	memset(e, 0, sizeof(*e));
}

int evidence_open(struct evidence *e, const char *log, const char *quiet_log)
{
	evidence_fini(e);
	evidence_init(e);
	e->path[0] = strdup(log);
	e->path[1] = strdup(quiet_log);
	return e->path[0] && e->path[1] ? 0 : -ENOMEM;
}

static void read_one(struct evidence *e, int which)
{
	char chunk[CHUNK];
	int fd = e->path[which] ? open(e->path[which], O_RDONLY | O_CLOEXEC) : -1;
	int64_t before = e->offset[which];

	if (fd < 0)
		return;
	while (e->offset[which] - before < READ_MAX) {
		ssize_t n = pread(fd, chunk, sizeof(chunk), e->offset[which]);

		if (n <= 0)
			break;
		scan_feed(&e->scan, chunk, (size_t)n);
		e->offset[which] += n;
	}
	close(fd);
}

/* Grows with every new link and every new channel of one. */
static int64_t weight(const struct scan *s)
{
	int64_t sum = s->nvls + s->nvls_comm + s->symmetric + s->copy_engine + s->collnet +
		      s->failed + (s->n_cut > 0);

	for (size_t i = 0; i < s->n_links; i++)
		sum += 2 + s->links[i].channels;
	return sum;
}

int evidence_read(struct evidence *e)
{
	read_one(e, 0);
	read_one(e, 1);
	return weight(&e->scan) != e->seen;
}

static void write_links(const struct evidence *e, struct buf *b)
{
	buf_printf(b, "flags %d %d %d %d %d %d %d\n", e->scan.nvls, e->scan.symmetric,
		   e->scan.copy_engine, e->scan.collnet, e->scan.failed, (int)e->scan.n_cut,
		   e->scan.nvls_comm);
	for (size_t i = 0; i < e->scan.n_links; i++) {
		const struct scan_link *l = &e->scan.links[i];

		/* Tabs: the name of a network may hold blanks ("NET/AWS Libfabric"). */
		buf_printf(b, "link %d %d %d %d\t%s\t%s\t", l->from, l->to, l->conn, l->channels,
			   l->cls, l->variant[0] ? l->variant : "-");
		for (int k = 0; k < 4; k++)
			buf_printf(b, " %" PRIx64 " %" PRIx64, l->send_mask[k], l->recv_mask[k]);
		buf_putc(b, '\n');
	}
}

static int read_line(struct evidence *e, const char *line)
{
	struct scan_link l = { 0 };
	int nvls, symmetric, ce, collnet, failed, cut, comm;

	if (sscanf(line, "flags %d %d %d %d %d %d %d", &nvls, &symmetric, &ce, &collnet, &failed,
		   &cut, &comm) == 7) {
		e->nvls |= nvls;
		e->nvls_comm |= comm;
		e->symmetric |= symmetric;
		e->copy_engine |= ce;
		e->collnet |= collnet;
		e->failed |= failed;
		e->n_cut = cut > e->n_cut ? cut : e->n_cut;
		return 0;
	}
	if (sscanf(line,
		   "link %d %d %d %d\t%23[^\t]\t%31[^\t]\t%" SCNx64 " %" SCNx64 " %" SCNx64
		   " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64,
		   &l.from, &l.to, &l.conn, &l.channels, l.cls, l.variant, &l.send_mask[0],
		   &l.recv_mask[0], &l.send_mask[1], &l.recv_mask[1], &l.send_mask[2],
		   &l.recv_mask[2], &l.send_mask[3], &l.recv_mask[3]) != 14) {
		e->failed =
		    true; /* a link that is lost here must not be missing from a proof unseen */
		return 0;
	}
	if (strcmp(l.variant, "-") == 0)
		l.variant[0] = '\0';
	return proof_merge(&e->links, &e->n_links, &l, 1);
}

static int read_text(struct evidence *e, char *text)
{
	char *save = NULL;
	int r = 0;

	for (char *line = strtok_r(text, "\n", &save); line && r == 0;
	     line = strtok_r(NULL, "\n", &save))
		r = read_line(e, line);
	return r;
}

int evidence_gather(struct evidence *e, struct coord *c)
{
	struct buf mine = { 0 };
	char **all = NULL;
	int r;

	write_links(e, &mine);
	r = mine.failed ? -ENOMEM
			: coord_gather_text(c, buf_text(&mine), &all, clock_after_ns(GATHER_NS));
	buf_fini(&mine);
	if (r < 0)
		return r;
	free(e->links);
	e->links = NULL;
	e->n_links = 0;
	/* With hundreds of ranks reading all of it takes long: only the one who judges does. */
	for (int i = 0; i < c->size && r == 0 && c->rank == 0; i++)
		r = read_text(e, all[i]);
	coord_free_texts(all, c->size);
	e->seen = weight(&e->scan);
	return r;
}

/* Whose bytes a rank's segments hold is who sent to it. */
static int sender(const void *arg, int rank, int i)
{
	const struct op_case *c = arg;
	struct op_shape shape;
	uint64_t offset = 0;
	int from = -1;

	op_table[c->op].shape(c, rank, &shape);
	if (i < shape.segments)
		op_table[c->op].source(c, rank, i, &from, &offset);
	return from;
}

void evidence_judge(const struct evidence *e, int transport, const struct op_case *c,
		    const int *host, const char *algo, struct proof *out)
{
	unsigned flags = op_table[c->op].flags;
	bool collective = flags & OP_COLLECTIVE;
	struct scan all = e->scan;
	struct proof_need need = {
		.point_to_point = !collective,
		.a = flags & OP_PAIR ? c->a : -1,
		.b = flags & OP_PAIR ? c->b : -1,
		.both_ways = !(flags & OP_ONE_WAY),
		.sender = collective ? NULL : sender,
		.arg = c,
		.nranks = c->nranks,
		.host = host,
		.algo = algo,
	};

	all.nvls = e->nvls;
	all.nvls_comm = e->nvls_comm;
	all.symmetric = e->symmetric;
	all.copy_engine = e->copy_engine;
	all.collnet = e->collnet;
	all.failed = e->failed;
	all.n_cut = e->n_cut;
	proof_judge(e->links, e->n_links, &all, transport, &need, out);
}
