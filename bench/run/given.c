/* SPDX-License-Identifier: Apache-2.0 */
/* See given.h. */
#include "run/given.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "ncclbench/exitcode.h"
#include "run/arm.h"
#include "run/confirm.h"
#include "run/coord.h"
#include "run/options.h"
#include "run/tuned.h"

int given_code(struct coord *c, int code)
{
	int rc = c->ops->bcast(c, &code, sizeof(code), 0, clock_after_ns(GIVEN_ROUND_NS));

	return rc < 0 ? rc : code;
}

/* ---- --confirm ---- */

int given_refuse_verdict(const struct coord *c, const struct options *o, const char *why)
{
	if (c->rank == 0)
		log_error("--confirm: %.300s: %s", o->confirm, why);
	return GIVEN_STOP(NB_EXIT_USAGE);
}

/* `part`: what the others need, or NULL. */
static int load_verdict(const struct coord *c, const struct options *o, struct confirm *out,
			char **part)
{
	char *data = NULL, why[400] = "";
	size_t len = 0;
	int rc = file_read_all(o->confirm, CONFIRM_FILE_MAX, &data, &len);

	if (rc < 0) {
		rc = given_refuse_verdict(
		    c, o, rc == -EFBIG ? "is too large for a verdict" : strerror(-rc));
	} else {
		rc = confirm_parse(data, len, out, why, sizeof(why));
		if (rc == -EBADMSG)
			rc = given_refuse_verdict(c, o, why);
	}
	if (rc == 0) {
		*part = confirm_extract(data, len);
		rc = *part ? 0 : -ENOMEM;
	}
	free(data);
	return rc;
}

static int nothing_to_confirm(const struct coord *c, const struct options *o)
{
	if (c->rank == 0)
		log_note("%.300s has no suspects: nothing was slower, nothing is measured",
			 o->confirm);
	if (c->rank == 0 && o->json)
		printf("{\"schema\":1,\"command\":\"sweep\",\"verdict\":\"ok\",\"exit_code\":0,"
		       "\"suspects\":0}\n");
	return GIVEN_STOP(NB_EXIT_OK);
}

int given_verdict(struct coord *c, struct options *o, struct confirm *out)
{
	char *part = NULL, why[400] = "";
	int rc = c->rank == 0 ? load_verdict(c, o, out, &part) : 0;

	rc = given_code(c, rc);
	if (rc == 0)
		rc = coord_bcast_text(c, &part, clock_after_ns(GIVEN_ROUND_NS));
	if (rc == 0 && c->rank > 0)
		rc = confirm_parse(part, strlen(part), out, why, sizeof(why));
	free(part);
	if (rc == 0 && out->n == 0)
		return nothing_to_confirm(c, o);
	if (rc == 0 && o->backend >= 0 && o->backend != out->backend)
		return given_refuse_verdict(c, o,
					    "was judged on another backend; leave --backend out");
	if (rc == 0)
		o->backend = out->backend;
	return rc;
}

/* ---- --tuned ---- */

/* `rc`: what tuned_read or tuned_arms returned. */
static int judge_tuned(const struct coord *c, int rc, const char *why)
{
	if (rc == -EINVAL && c->rank == 0)
		log_error("--tuned: %s", why);
	return rc == -EINVAL ? GIVEN_STOP(NB_EXIT_USAGE) : rc;
}

int given_tuned(struct coord *c, struct options *o)
{
	char *text = NULL, why[400] = "";
	int rc = c->rank == 0 ? tuned_read(o->tuned, &text, why, sizeof(why)) : 0;

	rc = given_code(c, judge_tuned(c, rc, why));
	if (rc == 0)
		rc = coord_bcast_text(c, &text, clock_after_ns(GIVEN_ROUND_NS));
	if (rc == 0)
		rc = judge_tuned(
		    c, tuned_arms(o->tuned, text, &o->arms, &o->n_arms, why, sizeof(why)), why);
	free(text);
	o->plan.n_arms = rc == 0 ? (int)o->n_arms : 0;
	return rc;
}
