/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * path_at.c - calls that change the file system, in some folder
 *
 * What is left out is said in path.c. Who is first is explored: name_order.c.
 *
 * case all_do_it: ok 1
 *
 * ways mkdirat: EBADF EEXIST ENOENT; not ENOTDIR (path.c)
 * ways unlinkat: EBADF EINVAL ENOENT; not EISDIR ENOTDIR ENOTEMPTY (path.c)
 * ways renameat: EBADF ENOENT; not EEXIST EINVAL EISDIR ENOTDIR ENOTEMPTY (of rename())
 * ways renameat2: EEXIST EINVAL; not EBADF ENOENT EISDIR ENOTDIR ENOTEMPTY (as above)
 * ways linkat: EBADF EEXIST EINVAL ENOENT; not ENOTDIR (path.c)
 * ways symlinkat: EBADF EEXIST ENOENT; not ENOTDIR (path.c)
 * ways mkfifoat: EBADF EEXIST ENOENT; not ENOTDIR (path.c)
 * ways faccessat: EBADF EINVAL ENOENT; not ENOTDIR (path.c)
 *
 * case mkdirat_EBADF: ok 1
 * case mkdirat_EEXIST: ok 1
 * case mkdirat_ENOENT: ok 1
 * case unlinkat_EBADF: ok 1
 * case unlinkat_EINVAL: ok 1
 * case unlinkat_ENOENT: ok 1
 * case renameat_EBADF: ok 1
 * case renameat_ENOENT: ok 1
 * case renameat2_EEXIST: ok 1
 * case renameat2_EINVAL: ok 1
 * case linkat_EBADF: ok 1
 * case linkat_EEXIST: ok 1
 * case linkat_EINVAL: ok 1
 * case linkat_ENOENT: ok 1
 * case symlinkat_EBADF: ok 1
 * case symlinkat_EEXIST: ok 1
 * case symlinkat_ENOENT: ok 1
 * case mkfifoat_EBADF: ok 1
 * case mkfifoat_EEXIST: ok 1
 * case mkfifoat_ENOENT: ok 1
 * case faccessat_EBADF: ok 1
 * case faccessat_EINVAL: ok 1
 * case faccessat_ENOENT: ok 1
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hooks/fails.h"

#define HERE  AT_FDCWD
#define NAME  "path_at.name"
#define OTHER "path_at.other"

static void *does_all(void *arg)
{
	assert(mkdirat(HERE, NAME, 0700) == 0);
	assert(symlinkat(".", HERE, NAME "/a") == 0 && mkfifoat(HERE, NAME "/b", 0600) == 0);
	assert(linkat(HERE, NAME "/b", HERE, NAME "/c", 0) == 0);
	assert(renameat2(HERE, NAME "/c", HERE, NAME "/d", RENAME_NOREPLACE) == 0);
	assert(faccessat(HERE, NAME "/d", R_OK | W_OK, 0) == 0);
	assert(!unlink(NAME "/a") && !unlink(NAME "/b") && !unlink(NAME "/d"));
	assert(unlinkat(HERE, NAME, AT_REMOVEDIR) == 0);
	return arg;
}

static void all_do_it(void)
{
	IN_TURN(does_all);
}

/* ---- Ways to fail ----------------------------------------------------------------------------- */

EACH_FAILS(mkdirat_EBADF, EBADF, mkdirat(-1, NAME, 0700))
EACH_FAILS(mkdirat_EEXIST, EEXIST, mkdirat(HERE, ".", 0700))
EACH_FAILS(mkdirat_ENOENT, ENOENT, mkdirat(HERE, "no/such", 0700))
EACH_FAILS(unlinkat_EBADF, EBADF, unlinkat(-1, NAME, 0))
EACH_FAILS(unlinkat_EINVAL, EINVAL, unlinkat(HERE, NAME, 1 << 30))
EACH_FAILS(unlinkat_ENOENT, ENOENT, unlinkat(HERE, "no/such", 0))
EACH_FAILS(renameat_EBADF, EBADF, renameat(-1, NAME, HERE, OTHER))
EACH_FAILS(renameat_ENOENT, ENOENT, renameat(HERE, "no/such", HERE, OTHER))
EACH_FAILS(renameat2_EEXIST, EEXIST, renameat2(HERE, "/tmp", HERE, "/", RENAME_NOREPLACE))
EACH_FAILS(renameat2_EINVAL, EINVAL, renameat2(HERE, NAME, HERE, OTHER, 1u << 31))
EACH_FAILS(linkat_EBADF, EBADF, linkat(-1, NAME, HERE, OTHER, 0))
EACH_FAILS(linkat_EEXIST, EEXIST, linkat(HERE, "program", HERE, ".", 0))
EACH_FAILS(linkat_EINVAL, EINVAL, linkat(HERE, NAME, HERE, OTHER, 1 << 30))
EACH_FAILS(linkat_ENOENT, ENOENT, linkat(HERE, "no/such", HERE, OTHER, 0))
EACH_FAILS(symlinkat_EBADF, EBADF, symlinkat("a", -1, NAME))
EACH_FAILS(symlinkat_EEXIST, EEXIST, symlinkat("a", HERE, "."))
EACH_FAILS(symlinkat_ENOENT, ENOENT, symlinkat("a", HERE, "no/such"))
EACH_FAILS(mkfifoat_EBADF, EBADF, mkfifoat(-1, NAME, 0600))
EACH_FAILS(mkfifoat_EEXIST, EEXIST, mkfifoat(HERE, ".", 0600))
EACH_FAILS(mkfifoat_ENOENT, ENOENT, mkfifoat(HERE, "no/such", 0600))
EACH_FAILS(faccessat_EBADF, EBADF, faccessat(-1, NAME, F_OK, 0))
EACH_FAILS(faccessat_EINVAL, EINVAL, faccessat(HERE, NAME, 1 << 20, 0))
EACH_FAILS(faccessat_ENOENT, ENOENT, faccessat(HERE, "no/such", F_OK, 0))

CASES(CASE(all_do_it), CASE(mkdirat_EBADF), CASE(mkdirat_EEXIST), CASE(mkdirat_ENOENT),
      CASE(unlinkat_EBADF), CASE(unlinkat_EINVAL), CASE(unlinkat_ENOENT), CASE(renameat_EBADF),
      CASE(renameat_ENOENT), CASE(renameat2_EEXIST), CASE(renameat2_EINVAL), CASE(linkat_EBADF),
      CASE(linkat_EEXIST), CASE(linkat_EINVAL), CASE(linkat_ENOENT), CASE(symlinkat_EBADF),
      CASE(symlinkat_EEXIST), CASE(symlinkat_ENOENT), CASE(mkfifoat_EBADF), CASE(mkfifoat_EEXIST),
      CASE(mkfifoat_ENOENT), CASE(faccessat_EBADF), CASE(faccessat_EINVAL), CASE(faccessat_ENOENT))
