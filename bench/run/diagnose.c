/* SPDX-License-Identifier: Apache-2.0 */
#include "run/diagnose.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/page.h"

static int feed(struct facts *f, const char *log)
{
	size_t n = strcspn(log, "\n");
	char *name = strndup(log, n);
	int r = name ? facts_begin(f, name) : -1;

	if (r == 0) {
		log += n + (log[n] == '\n');
		facts_feed(f, log, strlen(log));
		facts_end(f);
	}
	free(name);
	return r;
}

/* By way of the page for scripts, so that both say the same in the same form. */
static json_t *judge(const struct facts *f)
{
	struct findings fs;
	struct buf page = { 0 };
	json_t *all = NULL, *list;

	findings_judge(f, &fs);
	page_json(f, &fs, 0, &page);
	if (!fs.failed && !page.failed)
		all = json_loadb(buf_text(&page), page.len, 0, NULL);
	list = json_incref(json_object_get(all, "findings"));
	json_decref(all);
	findings_fini(&fs);
	buf_fini(&page);
	return list;
}

json_t *diagnose_logs(char *const *logs, int n)
{
	struct facts f;
	json_t *list = NULL;
	int r = facts_init(&f);

	if (r < 0)
		return NULL;
	for (int i = 0; i < n && r == 0; i++)
		if (logs[i][0])
			r = feed(&f, logs[i]);
	if (r == 0) {
		facts_finish(&f);
		list = judge(&f);
	}
	facts_fini(&f);
	return list;
}
