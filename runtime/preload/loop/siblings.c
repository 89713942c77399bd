/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * siblings.c - workers that the first one makes, where each would have addresses of its own
 *
 * Subtrees name locations by address, so all workers need the same ones. Mostly randomisation is turned
 * off for them. Where that is not allowed (containers, by their default filter of system calls),
 * the controller starts the first worker only, and that makes the others at the root point: a fork has its
 * parent's addresses. CLONE_PARENT makes them children of the controller, who watches all
 * workers alike.
 *
 * Each shares memory of its own with the controller. The first worker maps all of these when it begins, so
 * that no descriptor is left when the program starts; a sibling moves its one to where the
 * runtime looks for it.
 *
 * A fork shares what processes that were started one by one would not: files with their
 * offsets, which are opened anew; and pipes, sockets and shared memory, which cannot be had twice. A
 * program that has any of these at the root point is searched by the first worker alone.
 *
 * Kernel threads that lend their TLS do not exist in a sibling. As with the fork back end their memory is
 * all that is needed of them.
 */
#define _GNU_SOURCE 1
#include "preload/loop/siblings.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>

#include "preload/core/lasting.h"
#include "preload/core/reset.h"
#include "preload/core/sole.h"
#include "preload/core/sys.h"
#include "preload/fiber/fiber.h"
#include "preload/image/snapshot.h"
#include "preload/loop/driver.h"
#include "preload/loop/steal.h"

#define SIBLINGS_ADDR 0x220000000000ul

enum {
	DESCRIPTORS = 1024,
	LOOKS = 1000, /* for the birth of one, */
	LOOK_NS = 100000,
};

_Static_assert(EXCHANGE_MAX_WORKERS *SHARED_SIZE <= 0x80000000000ul, "own_address() knows of it");

static uint64_t memory_at(uint32_t i)
{
	return SIBLINGS_ADDR + i * SHARED_SIZE;
}

static void unmap(uint32_t from, uint32_t to)
{
	if (from < to)
		sys3(SYS_munmap, (long)memory_at(from), (long)((to - from) * SHARED_SIZE), 0);
}

/* ---- Descriptors --------------------------------------------------------------------------------- */

/* What the process began with, by descriptor; 0: nothing. Each worker would have that from the controller. */
static uint64_t inherited[DESCRIPTORS];
KEPT(inherited);

/* Which are open. */
static void look_for_open(struct pollfd *open)
{
	for (int fd = 0; fd < DESCRIPTORS; fd++)
		open[fd] = (struct pollfd){ .fd = fd };
	/* Fails where fewer are allowed: then all may be. */
	sys3(SYS_poll, (long)open, DESCRIPTORS, 0);
}

/* Is it open, and not what each worker would share with the others anyway? Then *st is set. */
static bool is_own(const struct pollfd *open, int fd, struct stat *st)
{
	if (open[fd].revents & POLLNVAL || sys3(SYS_fstat, fd, (long)st, 0))
		return false;
	return !fd || inherited[fd] != st->st_ino;
}

static void note_inherited(void)
{
	static struct pollfd open[DESCRIPTORS];
	struct stat st;

	look_for_open(open);
	for (int fd = 0; fd < DESCRIPTORS; fd++)
		if (is_own(open, fd, &st))
			inherited[fd] = st.st_ino;
}

/* Could a process of its own have all that is open? */
static bool can_be_had_twice(const struct pollfd *open)
{
	struct stat st;

	for (int fd = 0; fd < DESCRIPTORS; fd++)
		if (is_own(open, fd, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) &&
		    !S_ISCHR(st.st_mode))
			return false;
	return !shared_maps_any();
}

static void open_anew(int fd)
{
	long flags = sys3(SYS_fcntl, fd, F_GETFL, 0), cloexec = sys3(SYS_fcntl, fd, F_GETFD, 0);
	long offset = sys3(SYS_lseek, fd, 0, SEEK_CUR);
	char path[64];
	struct text t = text_in(path, sizeof(path));
	int new;

	text_str(&t, "/proc/self/fd/");
	text_int(&t, fd);
	new = sys_open(path, (int)flags & ~(O_CREAT | O_EXCL | O_TRUNC));
	if (new < 0)
		return;
	sys3(SYS_lseek, new, offset, SEEK_SET);
	sys3(SYS_dup3, new, fd, cloexec & FD_CLOEXEC ? O_CLOEXEC : 0);
	sys_close(new);
}

static void open_all_anew(const struct pollfd *open)
{
	struct stat st;

	for (int fd = 0; fd < DESCRIPTORS; fd++)
		if (is_own(open, fd, &st) && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
			open_anew(fd);
}

/* ---- The beginning ------------------------------------------------------------------------------ */

void siblings_map(struct exchange *x)
{
	for (uint32_t i = 1; x->siblings && i < x->workers; i++) {
		void *p = sys_mmap(memory_at(i), SHARED_SIZE, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE,
				   (int)x->worker[i].memory);

		must(!sys_failed(p) && (uint64_t)(uintptr_t)p == memory_at(i));
		sys_close((int)x->worker[i].memory);
	}
	if (x->siblings)
		note_inherited();
}

/* ---- Becoming one -------------------------------------------------------------------------------- */

/* What the runtime has told of the program so far holds for this process, too. */
static void take_over(struct shared *mine)
{
	mine->nmodules = shared->nmodules;
	memcpy(mine->modules, shared->modules, sizeof(mine->modules));
	memcpy(mine->foreign, shared->foreign, sizeof(mine->foreign));
	memcpy(mine->note, shared->note, sizeof(mine->note));
	atomic_store(&mine->uninstrumented, atomic_load(&shared->uninstrumented));
	atomic_store(&mine->roots, atomic_load(&shared->roots));
	atomic_store(&mine->phase, atomic_load(&shared->phase));
}

static void become(struct exchange *x, uint32_t i, long controller, const struct pollfd *open)
{
	long moved;

	sys4(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
	sole_begin();
	sys3(SYS_setpgid, 0, 0, 0);
	if (sys3(SYS_getppid, 0, 0, 0) != controller)
		sys_exit_group(1);
	take_over((struct shared *)memory_at(i));
	moved = sys6(SYS_mremap, (long)memory_at(i), (long)SHARED_SIZE, (long)SHARED_SIZE,
		     MREMAP_MAYMOVE | MREMAP_FIXED, (long)SHARED_ADDR, 0);
	must(moved == (long)SHARED_ADDR);
	unmap(1, i);
	unmap(i + 1, x->workers);
	lasting_part();
	open_all_anew(open);
	steal_become(i);
	/* release: whoever looks for the process finds it in its group */
	atomic_store_explicit(&x->worker[i].pid, (uint32_t)sys3(SYS_getpid, 0, 0, 0),
			      memory_order_release);
}

/* The controller must know of it before this process can end. */
static void wait_for_birth(struct worker *w)
{
	const struct timespec ts = { .tv_nsec = LOOK_NS };

	for (int i = 0; i < LOOKS && !atomic_load_explicit(&w->pid, memory_order_acquire); i++)
		sys3(SYS_nanosleep, (long)&ts, 0, 0);
}

void siblings_make(struct exchange *x)
{
	static struct pollfd open[DESCRIPTORS];
	long controller = sys3(SYS_getppid, 0, 0, 0), child = 0;
	bool possible;

	if (!x || !x->siblings || !steal_is_first())
		return;
	look_for_open(open);
	possible = can_be_had_twice(open);
	for (uint32_t i = 1; i < x->workers; i++) {
		if (possible)
			child = sys4(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0);
		if (possible && !child) {
			become(x, i, controller, open);
			return;
		}
		if (possible && child > 0)
			wait_for_birth(&x->worker[i]);
		else
			atomic_store(&x->worker[i].elsewhere, 1);
	}
	unmap(1, x->workers);
}
