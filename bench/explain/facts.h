/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs of any number of ranks, in one or many files -> facts: processes, communicators, links,
 * variables, and where words with a meaning stand. Streams; memory is bounded by the number of
 * ranks and different facts, not by bytes. Judges nothing: that is findings.c's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "explain/pattern.h"
#include "explain/rule.h"
#include "ncclog/lines.h"
#include "ncclog/scan.h"

enum {
	FACTS_PROCS_MAX = 8192,
	FACTS_COMMS_MAX = 2048,
	FACTS_LINKS_MAX = 65536,
	FACTS_SETTINGS_MAX = 512,
	FACTS_HITS = 5,
	FACTS_SLOTS = 12,
	FACTS_DEVICES = 32,
	FACTS_ALGOS_MAX = 128,
	FACTS_EXCERPT = 240,
	FACTS_RANKS_MAX = 65536,
	FACTS_FILES_MAX = 65536,
};

struct fact_place {
	int file;
	uint64_t line;
}; /* line 0: nowhere */

struct fact_hit {
	struct fact_place at;
	int proc;                 /* or -1 */
	int rank;                 /* as known then, or -1 */
	bool warn;                /* an NCCL WARN, not text of the program */
	char when[20];            /* "2026-11-30 15:35:20" or "" */
	char text[FACTS_EXCERPT]; /* the record without its prefix */
};

struct fact_hits { /* of one rule, the first few */
	size_t count;
	int n;
	struct fact_hit hit[FACTS_HITS];
};

struct fact_slot {
	uint64_t ptr;
	int comm, rank, dev;
	bool complete;
};

struct fact_proc {
	char host[64];
	uint64_t pid;
	int file, rank, nranks; /* of its largest communicator, or -1 */
	char version[32], cuda[16];
	int driver; /* 12040, or 0 */
	bool booted, started, complete, connected, p2p, torn_down, failed, parallel;
	bool warned, call_failed; /* a WARN that matters; a call of the program returned an error */
	struct fact_place first, last, boot;
	char last_text[96];
	uint64_t env[FACTS_SETTINGS_MAX / 64];
	struct fact_slot slots[FACTS_SLOTS];
	int n_slots;
	struct scan_link *loose; /* seen before their communicator was named */
	size_t n_loose;
	int pending_rule; /* the last WARN: what follows may say more about it; -1: none */
	struct fact_hit pending;
	struct fact_hit trace;        /* the first "file.cc:123 -> 2" */
	struct fact_place first_link; /* among those in `loose` */
};

struct fact_comm {
	uint64_t id; /* commId, or 0 */
	int nth;     /* without an id: the how-manieth of its size in its processes */
	int nranks, nnodes, n_started, n_complete; /* -1 unknown */
	bool gone;                                 /* merged into another */
	uint64_t *started, *complete;              /* bits by rank */
	struct scan_link *links;
	size_t n_links;
	struct fact_place at;
	int first_proc;
	bool one_host; /* all its processes gave one host name */
};

struct fact_setting {
	char name[64], value[160];
	bool logged;     /* by NCCL itself; else a line of a script, a pod, a document */
	bool deprecated; /* only its name was seen, in PyTorch's words */
	int n_procs;
	struct fact_place at;
};

struct fact_device {
	char name[48], address[64], host[64];
	struct fact_place at;
};
struct fact_algo {
	char func[24], algo[16], proto[16];
	uint64_t min_bytes, max_bytes;
	size_t count;
};
struct fact_plugin {
	char text[96];
	struct fact_place at;
};

struct fact_member {
	int rank, member, of;
	struct fact_place at;
}; /* "GLOBAL_RANK: 0, MEMBER: 1/2" */

struct fact_wait {
	int rank, group; /* group: PyTorch's number of the process group, or -1 */
	uint64_t seq, numel;
	char op[24];
	struct fact_place at;
}; /* a watchdog's "Rank 1 ... SeqNum=21, OpType=ALLREDUCE, NumelIn=9" */

struct fact_file {
	char *name;
	uint64_t n_lines;
	struct fact_place
	    pg_start; /* where a process group was announced with nothing but quiet after */
	char pg_text[120];
	bool pg_quiet, torn, nccl;
};

struct facts {
	struct fact_file *files;
	size_t n_files;
	struct fact_proc *procs;
	size_t n_procs, cap_procs;
	struct fact_comm *comms;
	size_t n_comms, cap_comms;
	struct fact_setting *settings;
	size_t n_settings;
	struct fact_hits hits[RULE_COUNT];
	struct fact_device sockets[FACTS_DEVICES], hcas[FACTS_DEVICES], boots[FACTS_DEVICES];
	int n_sockets, n_hcas, n_boots;
	struct fact_algo algos[FACTS_ALGOS_MAX];
	int n_algos;
	struct fact_plugin plugins[8];
	int n_plugins;
	struct fact_place ib_none, tests_header[2]; /* header: nccl-tests' first device lines */
	uint64_t tests_pid[2];
	int n_tests_rank0;
	bool tests_other_rank, tests_done;
	struct fact_place tests_start; /* its header, and no row of its table yet */
	struct fact_member members[64];
	int n_members;
	bool all_registered; /* "All distributed processes registered": nobody is missing */
	struct fact_wait waits[256];
	int n_waits;
	char said_version[32]; /* by PyTorch, in an error */
	char other_version[32];
	struct fact_place other_version_at; /* without a prefix to tell processes by */
	char network[48];                   /* "Using network X": assigned, not proven used */
	bool nvls, collnet, symmetric, copy_engine;
	bool rccl;
	size_t n_records, n_warns, n_links, n_cut;
	uint64_t bytes;
	bool failed; /* out of memory: incomplete */
	/* working state */
	struct matcher *matcher;
	struct lines lines;
	int *table;
	size_t cap_table; /* hash of processes */
	int last_proc;
	uint64_t line_of_proc;
	char last_key[96];
	size_t last_key_len;
	int last_key_proc;
	char k8s_name[64];
	uint64_t k8s_line;
	uint64_t quote_line; /* where the words of NCCL's last WARN follow "Last error:" */
};

int facts_init(struct facts *f) ATTR_MUST; /* 0 or -ENOMEM */
void facts_fini(struct facts *f);
int facts_begin(struct facts *f, const char *name) ATTR_MUST; /* the next file; "-" is a name */
void facts_feed(struct facts *f, const char *data, size_t len);
void facts_end(struct facts *f);    /* of the file */
void facts_finish(struct facts *f); /* of all files */

/* Settings as the log has them; NULL when not there. Logged ones first. */
const struct fact_setting *facts_setting(const struct facts *f, const char *name);
bool facts_is(const struct facts *f, const char *name,
	      const char *value); /* logged with that value */
/* The class and variant of a link in JSON's words: the device number is split off (-1: none). */
void facts_variant(const struct scan_link *l, char *out, size_t max, int *device);
bool facts_bit(const uint64_t *bits, int i);
/* NCCL's own bits between facts.c and its helpers: */
void facts_hit(struct facts *f, enum rule_id rule, const struct fact_hit *h);
void facts_text_line(struct facts *f,
		     const struct log_record *r); /* text.c: not NCCL's own lines */
void facts_record(struct facts *f, struct fact_proc *p, const struct log_record *r); /* records.c */
/* The version of RCCL, on a line without a mark; `v` begins with it. */
void facts_rccl(struct facts *f, const struct log_record *r, struct span v);
void facts_comm_line(struct facts *f, struct fact_proc *p, const struct log_record *r,
		     struct span t); /* comms.c */
void facts_link(struct facts *f, struct fact_proc *p, const struct log_record *r, struct span t);
void facts_flush_links(struct facts *f, struct fact_proc *p);
void facts_add_setting(struct facts *f, struct fact_proc *p, const char *name, const char *value,
		       bool logged, bool deprecated, uint64_t line);
void facts_fill_hit(const struct facts *f, const struct log_record *r, struct span text,
		    struct fact_hit *h);
