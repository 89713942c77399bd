/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * user.c - whose the process is: how it is changed, and not for another execution
 *
 * ways setuid: EINVAL; not EAGAIN EPERM (of who may not)
 * ways setgid: EINVAL; not EPERM (as above)
 * ways seteuid: EINVAL; not EPERM (as above)
 * ways setegid: EINVAL; not EPERM (as above)
 * ways setreuid: ; not EAGAIN EINVAL EPERM (as above)
 * ways setregid: ; not EINVAL EPERM (as above)
 * ways setresuid: ; not EAGAIN EINVAL EPERM (as above)
 * ways setresgid: ; not EINVAL EPERM (as above)
 * ways setgroups: ; not EFAULT EINVAL ENOMEM EPERM (as above)
 * ways initgroups: ; not ENOMEM EPERM (as above)
 *
 * case setuid_EINVAL: ok 1
 * case setgid_EINVAL: ok 1
 * case seteuid_EINVAL: ok 1
 * case setegid_EINVAL: ok 1
 * case to_itself: ok 1
 * case setgid_of_a_thread: ok 1
 * case users_are_undone: ok 2
 * case groups_are_undone: ok 2
 * case initgroups_of_threads: refused initgroups
 */
#define _GNU_SOURCE
#include <grp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "hooks/fails.h"

#define NOBODY 65534

EACH_FAILS(setuid_EINVAL, EINVAL, setuid((uid_t)-1))
EACH_FAILS(setgid_EINVAL, EINVAL, setgid((gid_t)-1))
EACH_FAILS(seteuid_EINVAL, EINVAL, seteuid((uid_t)-1))
EACH_FAILS(setegid_EINVAL, EINVAL, setegid((gid_t)-1))

/* Everybody may do that. */
IN_EACH(to_itself)
{
	uid_t user = getuid();
	gid_t group = getgid();

	assert(setgid(group) == 0 && setegid(group) == 0);
	assert(setregid(group, group) == 0 && setresgid(group, group, (gid_t)-1) == 0);
	assert(setuid(user) == 0 && seteuid(user) == 0);
	assert(setreuid(user, user) == 0 && setresuid(user, user, (uid_t)-1) == 0);
	return arg;
}

/* ---- While another thread is there ----------------------------------------------------------- */

static atomic_int order;

static void *meet(void *arg)
{
	atomic_exchange(&order, 1);
	return arg;
}

static void setgid_of_a_thread(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, meet, NULL) == 0);
	assert(setgid(getgid()) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static void users_are_undone(void)
{
	bool may = geteuid() == 0;
	uid_t user, real, saved;

	THREADS(2, meet);
	assert((geteuid() == 0) == may);
	if (!may)
		return;
	assert(setresuid((uid_t)-1, NOBODY, 0) == 0 && geteuid() == NOBODY);
	assert(setuid(0) == 0 && seteuid(NOBODY) == 0 && geteuid() == NOBODY);
	assert(getresuid(&real, &user, &saved) == 0 && saved == 0);
	assert(setreuid(NOBODY, 0) == 0 && setuid(NOBODY) == 0);
	assert(getuid() == NOBODY && geteuid() == NOBODY);
	assert(setuid(0) == -1);
}

static void groups_are_undone(void)
{
	bool may = geteuid() == 0;
	gid_t before = getegid(), other = NOBODY, first;

	THREADS(2, meet);
	assert(getegid() == before);
	if (!may)
		return;
	assert(setgroups(1, &other) == 0);
	assert(getgroups(1, &first) == 1 && first == NOBODY);
	assert(setegid(NOBODY) == 0 && setregid(NOBODY, NOBODY) == 0 && getgid() == NOBODY);
}

static void *init(void *arg)
{
	initgroups("root", 0);
	return arg;
}

static void initgroups_of_threads(void)
{
	THREADS(1, init);
}

CASES(CASE(setuid_EINVAL), CASE(setgid_EINVAL), CASE(seteuid_EINVAL), CASE(setegid_EINVAL),
      CASE(to_itself), CASE(setgid_of_a_thread), CASE(users_are_undone), CASE(groups_are_undone),
      CASE(initgroups_of_threads))
