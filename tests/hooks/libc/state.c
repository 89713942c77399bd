/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * state.c - what the kernel keeps for the process: how it is changed, and not for another execution
 *
 * ways chdir: ENAMETOOLONG ENOENT ENOTDIR; not EACCES (of who may not) ELOOP (of links)
 * ways fchdir: EBADF ENOTDIR; not EACCES (as above)
 * ways nice: ; not EPERM (of who may not)
 * ways setrlimit: EINVAL; not EPERM (as above)
 * ways setrlimit64: EINVAL; not EPERM (as above)
 * never fails: umask
 *
 * case chdir_ENAMETOOLONG: ok 1
 * case chdir_ENOENT: ok 1
 * case chdir_ENOTDIR: ok 1
 * case fchdir_EBADF: ok 1
 * case fchdir_ENOTDIR: ok 1
 * case setrlimit_EINVAL: ok 1
 * case setrlimit64_EINVAL: ok 1
 * case chdir_is_undone: ok 2
 * case fchdir_is_undone: ok 2
 * case umask_is_undone: ok 2
 * case nice_is_undone: ok 2
 * case setpriority_is_undone: ok 2
 * case setrlimit_is_undone: ok 2
 * case prlimit_is_undone: ok 2
 * case sched_setscheduler_is_undone: ok 2
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hooks/fails.h"

static void *go_nowhere(void *arg)
{
	static char longest[PATH_MAX + 1];

	memset(longest, 'x', sizeof(longest) - 1);
	FAILS(ENAMETOOLONG, chdir(longest));
	longest[NAME_MAX + 1] = '\0';
	FAILS(ENAMETOOLONG, chdir(longest));
	return arg;
}

static void chdir_ENAMETOOLONG(void)
{
	go_nowhere(NULL);
	THREADS(1, go_nowhere);
}

static void *go_where_nothing_is(void *arg)
{
	FAILS(ENOENT, chdir(""));
	FAILS(ENOENT, chdir("/nothing/is/there"));
	return arg;
}

static void chdir_ENOENT(void)
{
	BOTH(go_where_nothing_is);
}

static void *go_to_a_file(void *arg)
{
	FAILS(ENOTDIR, chdir("/dev/null"));
	FAILS(ENOTDIR, chdir("/dev/null/more"));
	return arg;
}

static void chdir_ENOTDIR(void)
{
	BOTH(go_to_a_file);
}

static void *go_to_no_descriptor(void *arg)
{
	FAILS(EBADF, fchdir(-1));
	return arg;
}

static void fchdir_EBADF(void)
{
	BOTH(go_to_no_descriptor);
}

static int null;

static void *go_to_a_descriptor(void *arg)
{
	FAILS(ENOTDIR, fchdir(null));
	return arg;
}

static void fchdir_ENOTDIR(void)
{
	null = open("/dev/null", O_RDONLY);
	assert(null >= 0);
	BOTH(go_to_a_descriptor);
}

static void *limit_wrongly(void *arg)
{
	struct rlimit limit = { .rlim_cur = 2, .rlim_max = 1 };

	FAILS(EINVAL, setrlimit(RLIMIT_CORE, &limit));
	limit.rlim_cur = 1;
	FAILS(EINVAL, setrlimit((__rlimit_resource_t)77, &limit));
	return arg;
}

static void setrlimit_EINVAL(void)
{
	BOTH(limit_wrongly);
}

static void *limit64_wrongly(void *arg)
{
	struct rlimit64 limit = { .rlim_cur = 2, .rlim_max = 1 };

	FAILS(EINVAL, setrlimit64(RLIMIT_CORE, &limit));
	return arg;
}

static void setrlimit64_EINVAL(void)
{
	BOTH(limit64_wrongly);
}

/* ---- The next execution finds it as it was ----------------------------------------------- */

static int order;

static void *meet(void *arg)
{
	__atomic_exchange_n(&order, 1, __ATOMIC_RELAXED);
	return arg;
}

/* Of two executions. */
static void meet_first(void)
{
	THREADS(2, meet);
}

static char there[PATH_MAX];

static const char *where(void)
{
	return getcwd(there, sizeof(there)) ? there : "";
}

static void chdir_is_undone(void)
{
	meet_first();
	assert(strcmp(where(), "/") != 0);
	assert(chdir("/") == 0);
	assert(!strcmp(where(), "/"));
}

static void fchdir_is_undone(void)
{
	int root = open("/", O_RDONLY | O_DIRECTORY);

	assert(root >= 0);
	meet_first();
	assert(strcmp(where(), "/") != 0);
	assert(fchdir(root) == 0);
	assert(!strcmp(where(), "/"));
}

static void umask_is_undone(void)
{
	umask(022);
	meet_first();
	assert(umask(077) == 022);
	assert(umask(0) == 077);
}

static void nice_is_undone(void)
{
	int before = getpriority(PRIO_PROCESS, 0);

	meet_first();
	assert(getpriority(PRIO_PROCESS, 0) == before);
	if (before < 19)
		assert(nice(1) == before + 1);
}

static void setpriority_is_undone(void)
{
	int before = getpriority(PRIO_PROCESS, 0);

	meet_first();
	assert(getpriority(PRIO_PROCESS, 0) == before);
	assert(setpriority(PRIO_PROCESS, 0, 19) == 0);
	assert(getpriority(PRIO_PROCESS, 0) == 19);
}

static void setrlimit_is_undone(void)
{
	struct rlimit before, now;

	assert(getrlimit(RLIMIT_NOFILE, &before) == 0);
	meet_first();
	assert(getrlimit(RLIMIT_NOFILE, &now) == 0);
	assert(now.rlim_cur == before.rlim_cur);
	now.rlim_cur--;
	assert(setrlimit(RLIMIT_NOFILE, &now) == 0);
}

static void prlimit_is_undone(void)
{
	struct rlimit before, now;

	assert(prlimit(0, RLIMIT_NOFILE, NULL, &before) == 0);
	meet_first();
	now = before;
	now.rlim_cur--;
	assert(prlimit(0, RLIMIT_NOFILE, &now, &now) == 0);
	assert(now.rlim_cur == before.rlim_cur);
}

static void sched_setscheduler_is_undone(void)
{
	struct sched_param param = { .sched_priority = 0 };

	meet_first();
	assert(sched_getscheduler(0) == SCHED_OTHER);
	assert(sched_setscheduler(0, SCHED_BATCH, &param) == 0);
	assert(sched_getscheduler(0) == SCHED_BATCH);
}

CASES(CASE(chdir_ENAMETOOLONG), CASE(chdir_ENOENT), CASE(chdir_ENOTDIR), CASE(fchdir_EBADF),
      CASE(fchdir_ENOTDIR), CASE(setrlimit_EINVAL), CASE(setrlimit64_EINVAL), CASE(chdir_is_undone),
      CASE(fchdir_is_undone), CASE(umask_is_undone), CASE(nice_is_undone),
      CASE(setpriority_is_undone), CASE(setrlimit_is_undone), CASE(prlimit_is_undone),
      CASE(sched_setscheduler_is_undone))
