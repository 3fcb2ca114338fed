/* SPDX-License-Identifier: Apache-2.0 */
/* doctor: facts of this machine and a verdict per check. Changes nothing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "base/output.h"
#include "doctor/check.h"
#include "doctor/emit.h"
#include "doctor/headroom.h"
#include "doctor/page.h"
#include "ncclbench/exitcode.h"
#include "report/topology.h"
#include "tool/cmd.h"
#include "tool/words.h"

struct choice {
	bool json, quiet, copies;
	const char *emit, *from, *root, *charts;
	const struct emit_format *format;
	struct headroom room;
	bool shard, unshard;
};

static void help(void)
{
	printf("usage: ncclbench doctor [options]\n\n"
	       "Facts of this machine and a verdict per check, worst first, each with what to do. "
	       "Changes nothing.\n\n"
	       "  --no-copies      do not try P2P in fact (it takes a few seconds and 32 MiB per "
	       "GPU)\n"
	       "  --shard SIZE --unshard SIZE [--free SIZE]\n"
	       "                   does an FSDP step fit: what a GPU keeps, and the largest unit "
	       "gathered whole, in what is\n"
	       "                   free (--free stands in for a GPU that is not here). GB is 10^9, "
	       "GiB 2^30\n"
	       "  --emit FORMAT    settings to paste, and nothing else:");
	for (size_t i = 0; i < emit_count; i++)
		printf(" %s", emit_formats[i].name);
	printf("\n"
	       "  --from RUN       with --emit: decided by the figures of a run directory\n"
	       "  --charts DIR     draw the topology (DIR/topology.svg)\n"
	       "  --root DIR       a recorded machine: files below DIR/proc and DIR/sys, "
	       "DIR/environ, DIR/probe.txt, DIR/p2p.txt\n"
	       "  --quiet          leave out what is ok\n"
	       "  --json           one object for scripts\n\n"
	       "Examples:\n"
	       "  ncclbench doctor\n"
	       "  ncclbench doctor --shard 21.48GB --unshard 4.17GB\n"
	       "  eval \"$(ncclbench doctor --emit env)\"\n\n"
	       "Exit status: 0 no error, 1 a check says error, 2 usage. `ncclbench list checks` "
	       "names all checks.\n");
}

static int take_size(const char *text, uint64_t *out)
{
	return headroom_parse(text, out) == 0
		   ? NB_EXIT_OK
		   : words_refuse("doctor", "size", text,
				  "is not a number with B, MB, GB (10^9) or MiB, GiB (2^30)");
}

static int take_shard(struct choice *c, const char *v)
{
	c->shard = true;
	return take_size(v, &c->room.shard);
}
static int take_unshard(struct choice *c, const char *v)
{
	c->unshard = true;
	return take_size(v, &c->room.unshard);
}
static int take_free(struct choice *c, const char *v)
{
	c->room.has_free = true;
	return take_size(v, &c->room.free);
}
static int take_from(struct choice *c, const char *v)
{
	c->from = v;
	return NB_EXIT_OK;
}
static int take_root(struct choice *c, const char *v)
{
	c->root = v;
	return NB_EXIT_OK;
}
static int take_charts(struct choice *c, const char *v)
{
	c->charts = v;
	return NB_EXIT_OK;
}
static int take_json(struct choice *c, const char *v)
{
	c->json = true;
	return NB_EXIT_OK;
}
static int take_quiet(struct choice *c, const char *v)
{
	c->quiet = true;
	return NB_EXIT_OK;
}
static int take_no_copies(struct choice *c, const char *v)
{
	c->copies = false;
	return NB_EXIT_OK;
}

static int take_emit(struct choice *c, const char *v)
{
	c->emit = v;
	c->format = emit_find(v);
	return c->format ? NB_EXIT_OK
			 : words_refuse(
			       "doctor", "--emit", v,
			       "is none of env, python, accelerate, torchrun, docker, k8s, slurm");
}

static const struct option_row {
	const char *name;
	bool value;
	int (*take)(struct choice *c, const char *value);
} options[] = {
	{ "--help", false, NULL },        { "--json", false, take_json },
	{ "--quiet", false, take_quiet }, { "--no-copies", false, take_no_copies },
	{ "--shard", true, take_shard },  { "--unshard", true, take_unshard },
	{ "--free", true, take_free },    { "--emit", true, take_emit },
	{ "--from", true, take_from },    { "--charts", true, take_charts },
	{ "--root", true, take_root },
};

static const struct option_row *find_option(const char *word)
{
	size_t n = strcspn(word, "=");

	for (size_t i = 1; i < N_ELEMENTS(options); i++)
		if (strlen(options[i].name) == n && strncmp(options[i].name, word, n) == 0 &&
		    (options[i].value || !word[n]))
			return &options[i];
	return NULL;
}

static int usage(const char *text)
{
	log_error("doctor: %s; ncclbench doctor --help says more", text);
	return NB_EXIT_USAGE;
}

static int judge_choice(const struct choice *c)
{
	if (c->shard != c->unshard)
		return usage("--shard and --unshard go together");
	if (c->room.has_free && !c->shard)
		return usage(
		    "--free stands in for a GPU's free memory, with --shard and --unshard");
	if (c->from && !c->emit)
		return usage("--from is for --emit");
	if (c->emit && c->json)
		return usage("--emit prints lines to paste, not JSON");
	if (c->root && !c->root[0])
		return usage("--root wants a folder");
	return NB_EXIT_OK;
}

static int parse(int argc, char **argv, struct choice *c)
{
	*c = (struct choice){ .copies = true };
	for (int i = 1; i < argc; i++) {
		const struct option_row *o = find_option(argv[i]);
		const char *eq = strchr(argv[i], '='), *value = NULL;
		int r;

		if (!o)
			return words_unknown("doctor", argv[i], &options[0].name,
					     sizeof(options[0]), N_ELEMENTS(options));
		if (o->value) {
			value = eq ? eq + 1 : i + 1 < argc ? argv[++i] : NULL;
			if (!value)
				return words_refuse("doctor", "option", o->name, "wants a value");
		}
		r = o->take(c, value);
		if (r)
			return r;
	}
	c->room.asked = c->shard;
	return judge_choice(c);
}

static int print_all(const struct buf *b)
{
	return output_put(b) < 0 ? NB_EXIT_BROKEN : NB_EXIT_OK;
}

static int emit(const struct choice *c, const struct doctor *d)
{
	struct plan_of_settings p;
	struct measured m;
	struct buf out = { 0 };
	char why[512];
	int code;

	if (c->from && measured_read(c->from, &m, why, sizeof(why)) != 0) {
		log_error("doctor: --from: %s", why);
		return NB_EXIT_USAGE;
	}
	settings_plan(d, c->from ? &m : NULL, &p);
	c->format->write(&p, &out);
	code = print_all(&out);
	buf_fini(&out);
	return code;
}

static void draw(const struct choice *c, const struct doctor *d)
{
	char why[256];
	int n = topology_draw(d, c->charts, why, sizeof(why));

	if (n == 0)
		log_note("doctor: no picture: fewer than two GPUs");
	else if (n < 0)
		log_note("doctor: no picture: %s",
			 n == -ENOENT ? "gnuplot is not there (Debian: gnuplot-nox)"
			 : why[0]     ? why
				      : strerror(-n));
}

static int examine(const struct choice *c, const struct doctor *d)
{
	struct judgements v;
	struct buf out = { 0 };
	int code, wrote;

	check_all(d, &c->room, &v);
	code = doctor_exit_code(&v);
	if (c->json)
		doctor_json(d, &v, code, &out);
	else
		doctor_text(d, &v, c->quiet, &out);
	out.failed = out.failed || v.failed;
	wrote = print_all(&out);
	if (c->charts)
		draw(c, d);
	judgements_fini(&v);
	buf_fini(&out);
	return wrote ? wrote : code;
}

static int doctor(int argc, char **argv)
{
	static struct doctor d; /* 100 KiB */
	struct doctor_request q = { 0 };
	struct choice c;
	char *dir = NULL, *worker = NULL;
	int r;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return help(), NB_EXIT_OK;
	r = parse(argc, argv, &c);
	if (r)
		return r;
	if (c.root && !file_is_dir(c.root))
		return words_refuse("doctor", "--root", c.root,
				    file_exists(c.root) ? "is no folder" : "is not there");
	dir = file_self_dir();
	worker = dir ? file_join(dir, "ncclbench-worker-nccl") : NULL;
	q = (struct doctor_request){ .root = c.root, .worker = worker, .copies = c.copies };
	if (doctor_gather(&q, &d)) {
		log_error("doctor: out of memory");
		r = NB_EXIT_BROKEN;
	} else {
		r = c.emit ? emit(&c, &d) : examine(&c, &d);
	}
	free(worker);
	free(dir);
	return r;
}

const struct cmd cmd_doctor = { "doctor", "examine this machine: what is wrong, what to set",
				doctor, false };
