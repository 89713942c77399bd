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
 * Likewise of names: whether there is a file of that name depends on who made or removed it. Each path is an object of its own,
 * by its text: two paths of one file are taken for two.
 *
 * What an execution leaves on the disk the next one finds. Where the order shows, each has to begin with the same: else who
 * comes first finds what nobody of this execution made, and the program is refused.
 *
 * Of threads that do nothing but write no order is explored: no thread can tell the difference, and files in
 * which all threads note what they do are common.
 *
 * None is missed: an execution in which both uses are has them in some order, and whichever comes later finds the other. If
 * that happened before it, the order is given.
 */
#include "preload/hooks/hook.h"

#include <limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define XXH_INLINE_ALL 1
#include <xxhash.h>

#include "preload/core/lasting.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/core/sys.h"
#include "preload/facts/facts.h"
#include "preload/facts/values.h"
#include "preload/hooks/io/file_order.h"

enum {
	MOST = 1024,
	SAME_FILE = 0, /* KCMP_FILE of kcmp(2) */
	NO_FILE = -1
};

/* In this execution. Of more the order is explored. */
static struct used {
	dev_t device;
	ino_t inode;
	int fd;
	uint32_t tid;
	uint32_t at; /* the thread's own entry of its clock at the last use */
	unsigned uses;
} used[MOST];
static uint32_t nused;

static void uses_begin(void)
{
	memset(used, 0, nused * sizeof(*used));
	nused = 0;
}

AT_BEGIN(uses_begin);

static uint32_t turn_at_files; /* its address stands for all files */

static void take_turn(uint64_t pc)
{
	const struct op op = {
		.kind = OP_RMW,
		.fn = RMW_ADD,
		.order = ORDER_RLX,
		.size = sizeof(turn_at_files),
		.addr = (uintptr_t)&turn_at_files,
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

/* Would the order of the two show, and is it not given? */
static bool show(const struct used *u, int fd, unsigned uses)
{
	const unsigned reads = FILE_MOVES | FILE_LOOKS;

	if (u->tid == current->tid || current->clock[u->tid] > u->at)
		return false;
	if ((uses & FILE_WRITES && u->uses & reads) || (uses & reads && u->uses & FILE_WRITES))
		return true;
	return uses & u->uses & FILE_MOVES && may_be_one(fd, u->fd);
}

static void share(void)
{
	if (shared->config.mode == ENGINE_REPLAY)
		return;
	values_give_up("files are used");
	fact_learn(FACT_FILES_SHARED); /* at its end: what it made it may also remove */
}

static void note(const struct stat *st, int fd, unsigned uses)
{
	struct used *mine = NULL;

	for (struct used *u = used; u < used + nused; u++) {
		if (u->device != st->st_dev || u->inode != st->st_ino)
			continue;
		if (show(u, fd, uses))
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
		*mine = (struct used){ st->st_dev, st->st_ino, fd, current->tid, 0, 0 };
	}
	mine->uses |= uses;
	mine->at = current->clock[current->tid];
}

static void used_as(const struct stat *st, int fd, unsigned uses, uint64_t pc)
{
	if (current->probing)
		lifecycle_hidden();
	if (fact_in_use(FACT_FILES_SHARED))
		take_turn(pc);
	else
		note(st, fd, uses);
}

void file_used(int fd, enum file_use use, uint64_t pc)
{
	struct stat st;

	if (!under_engine() || sys3(SYS_fstat, fd, (long)&st, 0) || !S_ISREG(st.st_mode))
		return;
	used_as(&st, fd, use, pc);
}

/* Names have what no file has. False: this is none. */
static bool name_of(const char *path, struct stat *st)
{
	char copy[PATH_MAX] = "";

	copy_safely(copy, path, sizeof(copy));
	if (!*copy || !memchr(copy, 0, sizeof(copy)))
		return false;
	*st = (struct stat){ .st_dev = (dev_t)-1, .st_ino = XXH3_64bits(copy, strlen(copy)) };
	return true;
}

/* Names that threads have looked for before anybody of the same execution had made or removed them: what they found, first of all. */
struct found {
	uint32_t n;
	struct {
		ino_t name;
		bool there;
	} name[MOST];
};
static LASTING(struct found, found);

static void look_for_left(const char *path, const struct stat *st)
{
	struct stat now;
	bool there = !sys3(SYS_lstat, (long)path, (long)&now, 0);

	for (uint32_t i = 0; i < found->n; i++)
		if (found->name[i].name == st->st_ino) {
			if (found->name[i].there != there && fact_in_use(FACT_FILES_SHARED))
				refuse("an execution of the program has ",
				       there ? "left " : "removed ", path,
				       ", which the next one looks for, and which thread makes or "
				       "removes it is explored: let each execution undo that, or "
				       "make it anew",
				       NULL);
			return;
		}
	if (found->n < MOST) {
		found->name[found->n].name = st->st_ino;
		found->name[found->n++].there = there;
	}
}

static ino_t names[MOST]; /* that were used in this execution */
static uint32_t nnames;

static void names_begin(void)
{
	memset(names, 0, nnames * sizeof(*names));
	nnames = 0;
}

AT_BEGIN(names_begin);

/* True: nobody of this execution has used the name. */
static bool is_first(ino_t name)
{
	for (uint32_t i = 0; i < nnames; i++)
		if (names[i] == name)
			return false;
	if (nnames < MOST)
		names[nnames++] = name;
	return true;
}

void path_used(const char *path, bool looks, bool follows, uint64_t pc)
{
	struct stat st;

	if (!under_engine() || !name_of(path, &st))
		return;
	used_as(&st, NO_FILE, looks ? FILE_LOOKS : 0, pc);
	if (is_first(st.st_ino) && looks)
		look_for_left(path, &st);
	if (follows && !fact_in_use(FACT_FILES_SHARED) &&
	    !sys3(SYS_stat, (long)path, (long)&st, 0) && S_ISREG(st.st_mode))
		note(&st, NO_FILE, FILE_LOOKS);
}

void path_changed(const char *path)
{
	struct stat st;

	if (!under_engine() || fact_in_use(FACT_FILES_SHARED) || !name_of(path, &st))
		return;
	note(&st, NO_FILE, FILE_WRITES);
}
