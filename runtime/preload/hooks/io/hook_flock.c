/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_flock.c - locks of files
 *
 * Those of fcntl() and lockf() are the process's, so threads never wait for one another; those of flock(), and F_OFD_SETLK
 * of fcntl(), are of an open file, of which each thread may have its own. The kernel keeps them all.
 *
 * While a thread performs no operation between it and the unlock, nobody can find the file locked, since fibers are
 * switched in operations only. Then it makes no difference who comes first, and the calls are made as they are. Where it
 * does perform one, and another thread locks the same file, who finds what is not explored, and the program is
 * refused. So it is where a call would have to wait, which would hold up all threads.
 */
/*
 * intercepts: Files and descriptors
 *
 * refused flock - where a thread would have to wait, or does more than to use files while it has the lock, and another thread
 *	locks the file as well: use a mutex. Likewise fcntl() with F_OFD_SETLK. Otherwise it is made as it is
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "engine/run/repeat.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/core/sys.h"
#include "preload/facts/values.h"
#include "preload/hooks/io/flock.h"

enum {
	MOST = 64
};

/* In this execution: threads that have locked a file. */
static struct locked {
	dev_t device;
	ino_t inode;
	uint32_t tid;
	bool has;      /* it has the lock */
	bool operated; /* it performed operations while it had it, or found it taken */
	uint32_t done; /* how many when it got it */
} locked[MOST];
static uint32_t nlocked;

static void locks_begin(void)
{
	memset(locked, 0, nlocked * sizeof(*locked));
	nlocked = 0;
}

AT_BEGIN(locks_begin);

static struct locked *entry(const struct stat *st)
{
	for (struct locked *l = locked; l < locked + nlocked; l++)
		if (l->device == st->st_dev && l->inode == st->st_ino && l->tid == current->tid)
			return l;
	if (nlocked == MOST)
		refuse("threads of the program lock more than 64 files: lock fewer of them", NULL);
	locked[nlocked] = (struct locked){ st->st_dev, st->st_ino, current->tid, false, false, 0 };
	return &locked[nlocked++];
}

/* Somebody else has, in this execution, and it could show. */
static bool shows(const struct locked *mine)
{
	for (const struct locked *l = locked; l < locked + nlocked; l++)
		if (l != mine && l->device == mine->device && l->inode == mine->inode &&
		    (l->has || l->operated || mine->operated))
			return true;
	return false;
}

static heddle_noreturn void refuse_order(const char *call)
{
	refuse("several threads of the program lock one file by ", call,
	       " and do more than to use files meanwhile, and what that orders is not explored: "
	       "let a mutex keep the threads apart",
	       NULL);
}

static heddle_noreturn void refuse_wait(const char *call)
{
	refuse("a thread of the program would wait in ", call,
	       " for a lock of a file, which is not explored: let a mutex keep the threads apart",
	       NULL);
}

static bool is_taken(int result)
{
	return result && (errno == EAGAIN || errno == EACCES);
}

void flock_must_not_wait(int result, const char *call)
{
	if (is_taken(result))
		refuse_wait(call);
}

void flock_done(int fd, bool locks, int result, const char *call)
{
	int error = errno;
	uint32_t done = engine_done(engine, current->tid);
	struct stat st;
	struct locked *mine;

	if ((result && !is_taken(result)) || sys3(SYS_fstat, fd, (long)&st, 0))
		return;
	values_give_up("files are used");
	note_hidden_state();
	mine = entry(&st);
	/* What it gives back without having taken it is from before there were threads. */
	mine->operated |= result || (mine->has ? done != mine->done : !locks);
	if (!result)
		mine->has = locks;
	mine->done = done;
	if (shows(mine))
		refuse_order(call);
	errno = error;
}

HEDDLE_HOOK int flock(int fd, int operation)
{
	int result;

	if (!under_engine())
		return REAL(flock)(fd, operation);
	result = REAL(flock)(fd, operation | LOCK_NB);
	if (!(operation & LOCK_NB))
		flock_must_not_wait(result, "flock()");
	flock_done(fd, !(operation & LOCK_UN), result, "flock()");
	return result;
}
