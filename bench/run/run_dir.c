/* SPDX-License-Identifier: Apache-2.0 */
/* See run_dir.h. */
#include "run/run_dir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "ncclbench/exitcode.h"
#include "run/given.h"
#include "run/run.h"

static int create_store(struct run *r)
{
	char host[256] = "";
	const char *named = r->options.resume ? r->options.resume : r->options.out;
	char *dir = named ? strdup(named) : NULL;
	int rc;

	store_init(&r->campaign.store);
	facts_get(&r->launch.facts, 0, "host", host, sizeof(host));
	if (!dir && !named)
		dir = store_default_dir(host);
	if (!dir)
		return -ENOMEM;
	rc = r->options.resume ? store_reopen(&r->campaign.store, dir)
			       : store_create(&r->campaign.store, dir);
	if (rc < 0 && r->options.resume)
		log_error("--resume: %s is no run directory of ncclbench that can be written: %s",
			  dir, strerror(-rc));
	else if (rc == -ENOTEMPTY)
		log_error("--out %s is not empty; earlier results are never overwritten: name a "
			  "new folder",
			  dir);
	else if (rc < 0)
		log_error("cannot create the run directory %s: %s; choose another place with --out",
			  dir, strerror(-rc));
	r->campaign.have_store = rc == 0;
	snprintf(r->campaign.dir, sizeof(r->campaign.dir), "%s", dir);
	free(dir);
	return rc < 0 ? GIVEN_STOP(NB_EXIT_USAGE) : 0;
}

/* Ranks on other hosts may not see rank 0's folder: their logs then stay in a temporary one, which
 * is named. */
static void choose_log_dir(struct run *r, const char *shared)
{
	char points[4200], template[] = "/tmp/ncclbench-logs-XXXXXX";

	snprintf(r->log_dir, sizeof(r->log_dir), "%s/logs", shared);
	snprintf(points, sizeof(points), "%s/points.csv", shared);
	if (access(r->log_dir, W_OK) == 0 && access(points, F_OK) == 0)
		return;
	if (mkdtemp(template)) {
		snprintf(r->log_dir, sizeof(r->log_dir), "%s", template);
		log_error("rank %d does not see the run directory; its workers' logs go to %s on "
			  "its own host",
			  r->coord.rank, r->log_dir);
	}
}

int run_dir_open(struct run *r)
{
	char *path = NULL;
	int code = r->coord.rank == 0 ? create_store(r) : 0;

	code = given_code(&r->coord, code);
	if (code != 0)
		return code;
	if (r->coord.rank == 0)
		path = realpath(r->campaign.store.dir, NULL);
	if (r->coord.rank == 0 && !path)
		return -errno;
	code = coord_bcast_text(&r->coord, &path, clock_after_ns(GIVEN_ROUND_NS));
	if (code == 0)
		choose_log_dir(r, path);
	free(path);
	return code;
}
