/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filled.c - calls that fill memory with what they are asked
 *
 * case all_of_them: ok 1
 * case of_stat: bug data-race at RACE(of_stat,
 * case of_fstatat: bug data-race at RACE(of_fstatat,
 * case of_fstat: bug data-race at RACE(of_fstat,
 * case of_readlink: bug data-race at RACE(of_readlink,
 * case of_getcwd: bug data-race at RACE(of_getcwd,
 * case of_realpath: bug data-race at RACE(of_realpath,
 * case of_a_path: bug data-race at RACE(of_a_path,
 * case of_gethostname: bug data-race at RACE(of_gethostname,
 * case of_uname: bug data-race at RACE(of_uname,
 * case of_strerror_r: bug data-race at RACE(of_strerror_r,
 * case of_xpg_strerror_r: bug data-race at RACE(of_xpg_strerror_r,
 * case of_swab: bug data-race at RACE(of_swab,
 * case into_swab: bug data-race at RACE(into_swab,
 * case behind_what_they_tell: ok 1
 * case nothing_where_they_fail: ok 1
 *
 * ways fstat: EBADF
 * ways fstat64: EBADF
 * ways fstatat: EBADF ENOENT
 * ways fstatat64: ENOENT; not EBADF (as above)
 * ways getcwd: EINVAL ERANGE
 * ways realpath: EINVAL ENOENT
 * ways gethostname: ENAMETOOLONG
 * never fails: uname strerror_r __xpg_strerror_r swab
 *
 * case fstat_EBADF: ok 1
 * case fstat64_EBADF: ok 1
 * case fstatat_EBADF: ok 1
 * case fstatat_ENOENT: ok 1
 * case fstatat64_ENOENT: ok 1
 * case getcwd_EINVAL: ok 1
 * case getcwd_ERANGE: ok 1
 * case realpath_EINVAL: ok 1
 * case realpath_ENOENT: ok 1
 * case gethostname_ENAMETOOLONG: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "hooks/fails.h"

int __xpg_strerror_r(int error, char *to, size_t size);

static char text[PATH_MAX];
static struct stat st;
static struct stat64 st64;
static struct utsname names;

static void *asks(void *arg)
{
	static char other[PATH_MAX];
	const char *told;

	assert(stat("/", &st) == 0 && S_ISDIR(st.st_mode));
	assert(stat64("/", &st64) == 0 && st64.st_ino == st.st_ino);
	assert(fstatat(AT_FDCWD, "/", &st, 0) == 0 && st64.st_ino == st.st_ino);
	assert(fstatat64(AT_FDCWD, "/", &st64, 0) == 0 && st64.st_ino == st.st_ino);
	assert(fstat(0, &st) == 0 && fstat64(0, &st64) == 0 && st.st_ino == st64.st_ino);
	assert(readlink("/proc/self/exe", text, sizeof(text)) > 0 && *text == '/');
	assert(getcwd(text, sizeof(text)) == text && *text == '/');
	assert(realpath(".", other) == other && !strcmp(text, other));
	assert(gethostname(text, sizeof(text)) == 0 && uname(&names) == 0);
	assert(!strcmp(text, names.nodename));
	told = strerror_r(ENOENT, text, sizeof(text));
	assert(!strcmp(told, strerror(ENOENT)));
	assert(__xpg_strerror_r(ENOENT, text, sizeof(text)) == 0 && !strcmp(text, told));
	told = strerror_r(100000, text, sizeof(text));
	assert(told == text && strstr(text, "100000"));
	swab("abcde", text, 5);
	assert(!memcmp(text, "badc", 4));
	return arg;
}

static void all_of_them(void)
{
	IN_TURN(asks);
}

#define RACE(name, call, meanwhile)                 \
	static void *name##_asks(void *arg)         \
	{                                           \
		(void)!call;                        \
		return arg;                         \
	}                                           \
	static void *name##_meanwhile(void *arg)    \
	{                                           \
		meanwhile;                          \
		return arg;                         \
	}                                           \
	static void name(void)                      \
	{                                           \
		RUN(name##_asks, name##_meanwhile); \
	}

RACE(of_stat, stat("/", &st), st.st_size = 1)
RACE(of_fstatat, fstatat(AT_FDCWD, "/", &st, 0), st.st_size = 1)
RACE(of_fstat, fstat(0, &st), st.st_size = 1)
RACE(of_readlink, readlink("/proc/self/exe", text, 100), text[0] = 1)
RACE(of_getcwd, getcwd(text, sizeof(text)), text[0] = 1)
RACE(of_realpath, realpath("/", text), text[1] = 1)
RACE(of_a_path, realpath(text, NULL), text[0] = 1)
RACE(of_gethostname, gethostname(text, sizeof(text)), text[0] = 1)
RACE(of_uname, uname(&names), names.release[0] = 1)
RACE(of_strerror_r, strerror_r(100000, text, 100), text[0] = 1)
RACE(of_xpg_strerror_r, __xpg_strerror_r(ENOENT, text, 100), text[0] = 1)
RACE(of_swab, (swab(text, names.nodename, 4), 0), text[3] = 1)
RACE(into_swab, (swab("abcd", text, 4), 0), text[3] = 1)

static void *asks_for_short_ones(void *arg)
{
	assert(realpath("/", text) == text);
	assert(readlink("/proc/self/exe", text, 100) > 0);
	return arg;
}

static void *uses_the_end(void *arg)
{
	text[sizeof(text) - 1] = 1;
	return arg;
}

static void behind_what_they_tell(void)
{
	RUN(asks_for_short_ones, uses_the_end);
}

static void *fails(void *arg)
{
	assert(fstat(-1, &st) && stat("/no such file", &st) && !getcwd(text, 1));
	return arg;
}

static void *uses_all(void *arg)
{
	st.st_size = 1;
	text[0] = 1;
	return arg;
}

static void nothing_where_they_fail(void)
{
	RUN(fails, uses_all);
}

/* ---- Ways to fail ----------------------------------------------------------------------------- */

EACH_FAILS(fstat_EBADF, EBADF, fstat(-1, &st))
EACH_FAILS(fstat64_EBADF, EBADF, fstat64(-1, &st64))
EACH_FAILS(fstatat_EBADF, EBADF, fstatat(-1, "a", &st, 0))
EACH_FAILS(fstatat_ENOENT, ENOENT, fstatat(AT_FDCWD, "/no such file", &st, 0))
EACH_FAILS(fstatat64_ENOENT, ENOENT, fstatat64(AT_FDCWD, "/no such file", &st64, 0))
EACH_NONE(getcwd_EINVAL, EINVAL, getcwd(text, 0))
EACH_NONE(getcwd_ERANGE, ERANGE, getcwd(text, 1))
EACH_NONE(realpath_EINVAL, EINVAL, realpath(keep_(NULL), text))
EACH_NONE(realpath_ENOENT, ENOENT, realpath("/no such file", text))
EACH_FAILS(gethostname_ENAMETOOLONG, ENAMETOOLONG, gethostname(text, 1))

CASES(CASE(all_of_them), CASE(of_stat), CASE(of_fstatat), CASE(of_fstat), CASE(of_readlink),
      CASE(of_getcwd), CASE(of_realpath), CASE(of_a_path), CASE(of_gethostname), CASE(of_uname),
      CASE(of_strerror_r), CASE(of_xpg_strerror_r), CASE(of_swab), CASE(into_swab),
      CASE(behind_what_they_tell), CASE(nothing_where_they_fail), CASE(fstat_EBADF),
      CASE(fstat64_EBADF), CASE(fstatat_EBADF), CASE(fstatat_ENOENT), CASE(fstatat64_ENOENT),
      CASE(getcwd_EINVAL), CASE(getcwd_ERANGE), CASE(realpath_EINVAL), CASE(realpath_ENOENT),
      CASE(gethostname_ENAMETOOLONG))
