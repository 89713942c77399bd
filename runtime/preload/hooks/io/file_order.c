/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * file_order.c - who of several threads reads what from a file
 *
 * What a read returns depends on the reads of the same open file before it, and on all writes to the file. Most
 * programs use a file in one thread. So nothing is done until a thread reads what another one has used in the same
 * execution: then the search starts again, and from then on (FACT_FILES_SHARED) each use of a file takes a turn,
 * which is a relaxed read-modify-write of one variable. So each order is explored, and none of them
 * synchronises anything. Where the order of two uses is given there is one, and no execution more.
 *
 * Of threads that do nothing but write no order is explored: no thread can tell the difference, and files in
 * which all threads note what they do are common.
 *
 * None is missed: an execution in which both uses are has them in some order, and whichever comes later finds the other.
 */
#include "preload/hooks/hook.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/lifecycle.h"
#include "preload/core/sys.h"
#include "preload/facts/facts.h"
#include "preload/facts/values.h"
#include "preload/hooks/io/file_order.h"

enum {
	MOST = 64,
	SAME_FILE = 0 /* KCMP_FILE of kcmp(2) */
};

/* In this execution. Of more the order is explored. */
static struct used {
	dev_t device;
	ino_t inode;
	int fd;
	uint32_t tid;
	unsigned uses;
} used[MOST];
static uint32_t nused;

static void uses_begin(void)
{
	memset(used, 0, nused * sizeof(*used));
	nused = 0;
}

AT_BEGIN(uses_begin);

static uint32_t turn; /* its address stands for all files */

static void take_turn(uint64_t pc)
{
	const struct op op = {
		.kind = OP_RMW,
		.fn = RMW_ADD,
		.order = ORDER_RLX,
		.size = sizeof(turn),
		.addr = (uintptr_t)&turn,
		.arg = { .lo = 1 },
		.pc = pc,
	};
	struct op_result res;

	operate(&op, &res);
}

/* Have the descriptors one offset? Where that is not told: perhaps. */
static bool may_be_one(int a, int b)
{
	long pid = REAL(getpid)();

	return a == b || sys6(SYS_kcmp, pid, pid, SAME_FILE, a, b, 0) <= 0;
}

/* Would the order of the two show? */
static bool show(const struct used *u, int fd, enum file_use use)
{
	if (use == FILE_WRITES)
		return u->uses & (FILE_MOVES | FILE_LOOKS);
	if (u->uses & FILE_WRITES)
		return true;
	return use == FILE_MOVES && u->uses & FILE_MOVES && may_be_one(fd, u->fd);
}

static void share(void)
{
	if (shared->config.mode == ENGINE_REPLAY)
		return;
	values_give_up();
	fact_found(FACT_FILES_SHARED);
}

static void note(const struct stat *st, int fd, enum file_use use)
{
	struct used *mine = NULL;

	for (struct used *u = used; u < used + nused; u++) {
		if (u->device != st->st_dev || u->inode != st->st_ino)
			continue;
		if (u->tid != current->tid && show(u, fd, use))
			share();
		if (u->tid == current->tid && u->fd == fd)
			mine = u;
	}
	if (!mine && nused == MOST) {
		share();
		return;
	}
	if (!mine) {
		mine = &used[nused++];
		*mine = (struct used){ st->st_dev, st->st_ino, fd, current->tid, 0 };
	}
	mine->uses |= use;
}

void file_used(int fd, enum file_use use, uint64_t pc)
{
	struct stat st;

	if (!under_engine() || sys3(SYS_fstat, fd, (long)&st, 0) || !S_ISREG(st.st_mode))
		return;
	if (current->probing)
		lifecycle_hidden();
	if (fact_in_use(FACT_FILES_SHARED))
		take_turn(pc);
	else
		note(&st, fd, use);
}
