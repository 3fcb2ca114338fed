/* SPDX-License-Identifier: Apache-2.0 */
#include "leftovers.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "slack.h"

#define PATIENCE_NS SLACK_NS

int leftovers_watch(void)
{
	return prctl(PR_SET_CHILD_SUBREAPER, 1) ? -errno : 0;
}

int leftovers_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = -3; /* ".", "..", and the one of this look */

	if (!d)
		return -1;
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static bool is_our_child(const char *pid)
{
	char path[64], line[512] = "";
	FILE *f;
	const char *end;
	int parent = -1;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	end = strrchr(line, ')'); /* the name before it may hold anything */
	return end && sscanf(end + 1, " %*c %d", &parent) == 1 && parent == (int)getpid();
}

static int name_children(char *what, size_t max)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	size_t used = 0;
	int n = 0;

	what[0] = '\0';
	while (d && (e = readdir(d))) {
		if (atoi(e->d_name) <= 0 || !is_our_child(e->d_name))
			continue;
		n++;
		if (used + 24 < max)
			used += (size_t)snprintf(what + used, max - used, "%s%.20s",
						 used ? " " : "", e->d_name);
	}
	if (d)
		closedir(d);
	return n;
}

int leftovers_processes(char *what, size_t max)
{
	int64_t deadline = clock_after_ns(PATIENCE_NS);
	pid_t pid;

	for (;;) {
		pid = waitpid(-1, NULL, WNOHANG);
		if (pid < 0 && errno == ECHILD)
			return 0;
		if (pid == 0 && clock_now_ns() > deadline)
			return name_children(what, max);
		if (pid == 0)
			clock_sleep_ns(2 * CLOCK_MS);
	}
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *at)
{
	return remove(path) ? -errno : 0;
}

int leftovers_remove(const char *dir)
{
	return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
