/* SPDX-License-Identifier: Apache-2.0 */
/* See gnuplot.h. */
#include "report/gnuplot.h"

#include <unistd.h>

#include "base/env.h"

/* The shell changes the folder, so that drivers can name files without a path; no name of ours is
 * in its script. timeout ends a gnuplot that hangs after we were killed: nobody else would. */
static char script[] = "cd -- \"$0\" || exit 1\n"
		       "if command -v timeout >/dev/null; then\n"
		       "\texec timeout -s KILL 90 gnuplot -d \"$@\"\n"
		       "fi\n"
		       "exec gnuplot -d \"$@\"";

void gnuplot_words(char *argv[GNUPLOT_WORDS], char *dir)
{
	static char shell[] = "sh", dash_c[] = "-c";

	argv[0] = shell;
	argv[1] = dash_c;
	argv[2] = script;
	argv[3] = dir;
}

int gnuplot_env(struct env *env)
{
	int rc = env_inherit(env, environ);

	(void)env_drop_prefix(env, "GNUPLOT");
	(void)env_drop(env, "GNUTERM");
	return rc != 0 ? rc : env_set(env, "LC_ALL", "C.UTF-8");
}
