/* SPDX-License-Identifier: Apache-2.0 */
/* explain FILE... | RUN | -: what a log of NCCL says, what went wrong, what to set. Reads; changes
 * nothing. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "base/output.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/page.h"
#include "ncclbench/exitcode.h"
#include "tool/cmd.h"

enum { CHUNK = 256 * 1024, PATH_SHOWN = 300 };

struct options {
	bool json;
	int fail_on;           /* a severity, or -1 */
	const char *transport; /* whose logs of a sweep's folder are read; NULL: auto's where there
				  are any */
};

static void print_help(void)
{
	printf(
	    "usage: ncclbench explain [--json] [--fail-on error|warning] FILE... | RUN | -\n\n"
	    "Reads what NCCL printed (NCCL_DEBUG=INFO), from any number of ranks, with whatever "
	    "a launcher put in\n"
	    "front of the lines, and the messages of PyTorch, accelerate, launchers and the "
	    "kernel between them; also\n"
	    "pasted scripts and YAML that set NCCL_ variables. Says what went wrong, what shows "
	    "it, and what to set.\n\n"
	    "  FILE         a log; give those of all ranks together. - is standard input\n"
	    "  RUN          a folder with logs/*.log (a run of ncclbench), or with *.log; of a "
	    "sweep the "
	    "logs of auto,\n"
	    "               which ran in your environment, not those of the transports it forced\n"
	    "  --transport T  the logs of that transport of a sweep instead\n"
	    "  --json       one object for scripts\n"
	    "  --fail-on W  exit status 1 when there is a finding of that severity or worse\n\n"
	    "Examples:\n"
	    "  NCCL_DEBUG=INFO torchrun --nproc_per_node=2 train.py 2>&1 | tee job.log; "
	    "ncclbench explain job.log\n"
	    "  kubectl logs trainer-0 | ncclbench explain -\n"
	    "  ncclbench explain --json --fail-on error rank*.log\n\n"
	    "Exit status: 0 the input was read, whatever it says; 1 by --fail-on; 2 it could "
	    "not be read.\n"
	    "`ncclbench list rules` names everything it can find.\n");
}

static int feed(struct facts *f, int fd, const char *name)
{
	static char chunk[CHUNK];
	ssize_t n;
	bool fifo = file_is_fifo(fd);
	int err = facts_begin(f, name);

	if (err)
		return err;
	while ((n = file_read_patiently(fd, chunk, sizeof(chunk), fifo)) > 0) {
		facts_feed(f, chunk, (size_t)n);
		fifo = false;
	}
	facts_end(f);
	return (int)n;
}

static int read_file(struct facts *f, const char *path)
{
	struct stat st;
	int fd, err;

	if (strcmp(path, "-") == 0)
		return feed(f, STDIN_FILENO, "-");
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	/* /dev/zero, /dev/full and their like never end; /dev/null does. Pipes and terminals may
	 * take their time. */
	if (fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && major(st.st_rdev) == 1 &&
	    minor(st.st_rdev) != 3)
		err = -EFBIG;
	else
		err = feed(f, fd, path);
	close(fd);
	return err;
}

static int is_log(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 4 && strcmp(e->d_name + n - 4, ".log") == 0;
}

static bool is_of(const char *name, const char *transport)
{
	size_t n = strlen(transport);

	return strncmp(name, "nccl-", 5) == 0 && strncmp(name + 5, transport, n) == 0 &&
	       name[5 + n] == '.';
}

/* Of a run that compares environments: "auto@A", the first arm's; else "auto". */
static void users_own(struct dirent *const *names, int n, char *out, size_t max)
{
	static const char first_arm[] = "nccl-auto@";

	snprintf(out, max, "auto");
	for (int i = 0; i < n; i++)
		if (strncmp(names[i]->d_name, first_arm, sizeof(first_arm) - 1) == 0) {
			snprintf(out, max, "%.*s", (int)strcspn(names[i]->d_name + 5, "."),
				 names[i]->d_name + 5);
			return;
		}
}

/* A sweep sets other variables for each transport: read together they would contradict each other,
 * and none but auto's are the user's. Returns how many names are left. */
static int keep_one_transport(struct dirent **names, int n, const char *wanted)
{
	char own[64];
	const char *transport = wanted ? wanted : own;
	int kept = 0, found = 0;

	users_own(names, n, own, sizeof(own));
	for (int i = 0; i < n; i++)
		found += is_of(names[i]->d_name, transport);
	if (found == 0 && !wanted)
		return n;
	for (int i = 0; i < n; i++) {
		if (is_of(names[i]->d_name, transport))
			names[kept++] = names[i];
		else
			free(names[i]);
	}
	if (kept > 0 && kept < n)
		log_note(
		    "explain: the logs of transport %.*s; --transport NAME reads another one's",
		    CMD_WORD_MAX, transport);
	return kept;
}

/* A pipe that the user names may take its time; one among the logs of a folder is no log. */
static int read_log(struct facts *f, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		return read_file(f, path);
	log_note("explain: %.*s was left out: no regular file", PATH_SHOWN, path);
	return 0;
}

/* Its logs in logs/ (a run's folder) or beside each other; positive: none there. */
static int read_folder(struct facts *f, const char *dir, bool run, const char *transport)
{
	char *logs = run ? file_join(dir, "logs") : strdup(dir);
	struct dirent **names;
	int n, err = 0;

	if (!logs)
		return -ENOMEM;
	n = scandir(logs, &names, is_log, alphasort);
	if (n > 0)
		n = keep_one_transport(names, n, transport);
	for (int i = 0; i < n; i++) {
		char *path = err ? NULL : file_join(logs, names[i]->d_name);

		if (path)
			err = read_log(f, path);
		else if (!err)
			err = -ENOMEM;
		free(path);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	free(logs);
	return err ? err : n <= 0;
}

static int read_input(struct facts *f, const char *path, const char *transport)
{
	struct stat st;
	int err;

	if (strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		err = read_folder(f, path, true, transport);
		if (err > 0)
			err = read_folder(f, path, false, transport);
		if (err > 0) {
			log_error("explain: %.*s holds no logs/*.log and no *.log%s%.*s",
				  PATH_SHOWN, path, transport ? " of transport " : "", CMD_WORD_MAX,
				  transport ? transport : "");
			return NB_EXIT_USAGE;
		}
	} else {
		err = read_file(f, path);
	}
	if (!err)
		return NB_EXIT_OK;
	log_error("explain: cannot read %.*s: %s", PATH_SHOWN, path,
		  err == -ENXIO       ? "it is a pipe and nobody writes to it; give a file"
		  : err == -ETIMEDOUT ? "it is a pipe whose writer says nothing; give a file"
		  : err == -EFBIG     ? "it never ends; give a file"
				      : strerror(-err));
	return NB_EXIT_USAGE;
}

static int exit_code(const struct options *o, const struct findings *fs)
{
	for (size_t i = 0; o->fail_on >= 0 && i < fs->n; i++)
		if ((int)fs->list[i].severity >= o->fail_on)
			return 1;
	return NB_EXIT_OK;
}

static int print_page(const struct facts *f, const struct options *o)
{
	struct findings fs;
	struct buf out = { 0 };
	int code;

	findings_judge(f, &fs);
	code = exit_code(o, &fs);
	if (o->json)
		page_json(f, &fs, code, &out);
	else
		page_text(f, &fs, &out);
	if (out.failed || fs.failed) {
		log_error("explain: out of memory");
		code = NB_EXIT_BROKEN;
	} else if (output_put(&out) < 0) {
		code = NB_EXIT_BROKEN;
	}
	findings_fini(&fs);
	buf_fini(&out);
	return code;
}

static int severity_word(const char *word)
{
	for (int i = 0; word && i < 3; i++)
		if (strcmp(word, severity_names[i]) == 0)
			return i;
	return -1;
}

/* Takes options out of argv; returns how many inputs are left in it, or -1 after saying why. */
static int parse(int argc, char **argv, struct options *o)
{
	int n = 0;
	bool words = true;

	for (int i = 1; i < argc; i++) {
		const char *a = argv[i], *value = NULL;

		if (!words || a[0] != '-' || !a[1]) {
			argv[n++] = argv[i];
		} else if (strcmp(a, "--") == 0) {
			words = false;
		} else if (strcmp(a, "--json") == 0) {
			o->json = true;
		} else if (strncmp(a, "--transport=", 12) == 0 && a[12]) {
			o->transport = a + 12;
		} else if (strcmp(a, "--transport") == 0 && i + 1 < argc && argv[i + 1][0]) {
			o->transport = argv[++i];
		} else if (strncmp(a, "--fail-on", 9) == 0 && (a[9] == '=' || !a[9])) {
			value = a[9] ? a + 10 : i + 1 < argc ? argv[++i] : NULL;
			o->fail_on = severity_word(value);
			if (o->fail_on < 0) {
				log_error("explain: --fail-on wants error or warning, not '%.*s'",
					  CMD_WORD_MAX, value ? value : "nothing");
				return -1;
			}
		} else if (strcmp(a, "--transport") == 0 || strcmp(a, "--transport=") == 0) {
			log_error("explain: --transport wants the name of a transport; ncclbench "
				  "list transports names them");
			return -1;
		} else {
			log_error(
			    "explain: unknown option '%.*s'; ncclbench explain --help lists all",
			    CMD_WORD_MAX, a);
			return -1;
		}
	}
	return n;
}

static int explain(int argc, char **argv)
{
	struct options o = { .fail_on = -1 };
	struct facts f;
	int n, code = NB_EXIT_OK;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			print_help();
			return NB_EXIT_OK;
		}
	n = parse(argc, argv, &o);
	if (n < 1) {
		if (n == 0)
			log_error("explain: which log? ncclbench explain FILE... | RUN | - "
				  "(standard input)");
		return NB_EXIT_USAGE;
	}
	if (facts_init(&f)) {
		log_error("explain: out of memory");
		return NB_EXIT_BROKEN;
	}
	for (int i = 0; i < n && code == NB_EXIT_OK; i++)
		code = read_input(&f, argv[i], o.transport);
	if (code == NB_EXIT_OK) {
		facts_finish(&f);
		code = print_page(&f, &o);
	}
	facts_fini(&f);
	return code;
}

const struct cmd cmd_explain = { "explain", "say what went wrong in a log of NCCL, and what to set",
				 explain };
