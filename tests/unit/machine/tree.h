/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small tree of files under a temporary root, in the place of /proc and /sys. Include cmocka
 * first.
 */
#pragma once

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

struct tree_file {
	const char *path, *text;
};

static inline int tree_setup(void **state)
{
	char *root = strdup("/tmp/test_tree.XXXXXX");

	*state = root;
	return root == NULL || mkdtemp(root) == NULL ? -1 : 0;
}

static inline int tree_remove_one(const char *path, const struct stat *st, int type,
				  struct FTW *ftw)
{
	return remove(path);
}

static inline int tree_teardown(void **state)
{
	nftw(*state, tree_remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(*state);
	return 0;
}

static inline void tree_parent(char *path)
{
	char *slash = strrchr(path, '/');

	*slash = '\0';
	assert_int_equal(file_make_dirs(path), 0);
	*slash = '/';
}

static inline void tree_write(const char *root, const char *path, const char *text)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", root, path);
	tree_parent(full);
	f = fopen(full, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static inline void tree_link(const char *root, const char *path, const char *target)
{
	char full[512];

	snprintf(full, sizeof(full), "%s%s", root, path);
	tree_parent(full);
	assert_int_equal(symlink(target, full), 0);
}
