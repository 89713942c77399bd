/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_sem_open.c - named POSIX semaphores
 *
 * They are the program's own: a name is there from the sem_open() that creates it to the end of
 * the execution, or to sem_unlink(); what other processes have under such names is not seen, and
 * nothing is left behind. That is what makes every execution begin alike.
 *
 * The table of names is restored with the program. Opening, closing and unlinking change it under
 * a lock that the engine knows, so that who comes first is explored. The place of a semaphore
 * depends on its name and on those that are there: addresses differ between executions only where
 * names collide.
 */
/*
 * intercepts: Semaphores
 *
 * explored sem_open sem_close sem_unlink - names are the program's own, from sem_open() to
 *	the end of the execution
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/core/refuse.h"
#include "preload/core/sys.h"
#include "preload/hooks/sync/sem.h"

enum {
	NAMES = 64
};

struct named {
	sem_t sem;
	uint32_t opened;         /* how often, and not closed */
	mode_t mode;             /* who may read and write it, */
	uid_t user;              /* whose it is, */
	gid_t group;             /* and of whom */
	bool used;               /* is the entry taken? */
	char name[NAME_MAX - 3]; /* "" when unlinked; glibc puts "sem." before it */
};

/* Not by base/table.h: names are taken out, and all places may be taken. */
static HEDDLE_IMAGE_SELDOM struct named names[NAMES] = { { .used = false } };
static HEDDLE_IMAGE int names_lock = 0;

static void lock(uint64_t pc)
{
	if (under_engine())
		object_op(OP_LOCK, &names_lock, pc);
}

static void unlock(uint64_t pc)
{
	if (under_engine())
		object_op(OP_UNLOCK, &names_lock, pc);
}

/* The name without its slashes; NULL and errno if it is none. */
static const char *bare(const char *name, int if_wrong)
{
	while (*name == '/')
		name++;
	if (!*name || strchr(name, '/')) {
		errno = if_wrong;
		return NULL;
	}
	if (strlen(name) >= sizeof(names[0].name)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	return name;
}

static unsigned first_place(const char *name)
{
	unsigned hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return hash % NAMES;
}

static struct named *find(const char *name)
{
	for (unsigned i = 0; i < NAMES; i++) {
		struct named *n = &names[(first_place(name) + i) % NAMES];

		if (n->used && !strcmp(n->name, name))
			return n;
	}
	return NULL;
}

static struct named *find_free(const char *name)
{
	for (unsigned i = 0; i < NAMES; i++) {
		struct named *n = &names[(first_place(name) + i) % NAMES];

		if (!n->used)
			return n;
	}
	return NULL;
}

static mode_t unmasked(mode_t mode)
{
	mode_t mask = (mode_t)sys3(SYS_umask, 0, 0, 0);

	sys3(SYS_umask, mask, 0, 0);
	return mode & ~mask;
}

/* As for a file: glibc opens one to read and write. */
static bool forbids(const struct named *n)
{
	const mode_t both = S_IROTH | S_IWOTH;
	uid_t user = geteuid();
	mode_t mode = n->mode;

	if (user == n->user)
		mode >>= 6;
	else if (group_member(n->group))
		mode >>= 3;
	return user && (mode & both) != both;
}

/* In /dev/shm everybody may remove his own files only. */
static bool keeps(const struct named *n)
{
	uid_t user = geteuid();

	return user && user != n->user;
}

/* Under the lock: the entry, opened; NULL and an error. */
static struct named *open_it(const char *name, int flags, mode_t mode, unsigned count, uint64_t pc,
			     int *error)
{
	struct named *n = find(name);

	*error = 0;
	if (n && (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		*error = EEXIST;
	else if (!n && !(flags & O_CREAT))
		*error = ENOENT;
	else if (!n && count > SEM_VALUE_MAX)
		*error = EINVAL;
	else if (n && forbids(n))
		*error = EACCES;
	if (*error)
		return NULL;
	if (!n) {
		n = find_free(name);
		if (!n)
			refuse("more than 64 named semaphores at a time are not supported: close and unlink those that are not used",
			       NULL);
		n->used = true;
		n->opened = 0;
		n->mode = unmasked(mode);
		n->user = geteuid();
		n->group = getegid();
		strcpy(n->name, name);
		sem_begin(&n->sem, count, pc);
	}
	n->opened++;
	return n;
}

static void free_if_unused(struct named *n)
{
	if (!n->opened && !n->name[0])
		n->used = false;
}

/* ---- The hooks -------------------------------------------------------------------------- */

HEDDLE_HOOK sem_t *sem_open(const char *name, int flags, ...)
{
	uint64_t pc = CALLER();
	struct named *n;
	mode_t mode = 0;
	unsigned count = 0;
	int error;
	va_list ap;

	if (flags & O_CREAT) {
		va_start(ap, flags);
		mode = va_arg(ap, mode_t);
		count = va_arg(ap, unsigned);
		va_end(ap);
	}
	kin_refuses("opens a named semaphore", "let threads of one process use it");
	if (!shared)
		return REAL(sem_open)(name, flags, mode, count);
	kin_shares(names, sizeof(names));
	name = bare(name, EINVAL);
	if (!name)
		return SEM_FAILED;
	lock(pc);
	n = open_it(name, flags, mode, count, pc, &error);
	unlock(pc);
	if (n)
		return &n->sem;
	errno = error;
	return SEM_FAILED;
}

HEDDLE_HOOK int sem_close(sem_t *s)
{
	uint64_t pc = CALLER();
	struct named *n = (struct named *)s;
	bool open;

	if (!shared)
		return REAL(sem_close)(s);
	lock(pc);
	open = n >= names && n < names + NAMES && n->used && n->opened;
	if (open) {
		n->opened--;
		free_if_unused(n);
	}
	unlock(pc);
	if (open)
		return 0;
	errno = EINVAL;
	return -1;
}

HEDDLE_HOOK int sem_unlink(const char *name)
{
	uint64_t pc = CALLER();
	struct named *n;
	int error;

	if (!shared)
		return REAL(sem_unlink)(name);
	name = bare(name, ENOENT);
	if (!name)
		return -1;
	lock(pc);
	n = find(name);
	error = !n ? ENOENT : keeps(n) ? EACCES : 0;
	if (!error) {
		n->name[0] = 0;
		free_if_unused(n);
	}
	unlock(pc);
	if (!error)
		return 0;
	errno = error;
	return -1;
}
