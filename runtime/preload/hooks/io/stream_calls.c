/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream_calls.c - what streams of stdio do with their descriptors
 *
 * libc's functions come to read(), write() and close() of their own, which no hook sees. But each stream has a table of
 * functions, and all streams of files have the same two tables (_IO_file_jumps and, for wide characters,
 * _IO_wfile_jumps; libc checks that a stream's table is one of its own, not what stands there). So four entries of them
 * become ours: a stream of a pipe or socket of the program's is then an end of a channel as any descriptor is, and
 * whoever writes out its buffer, or fills it, is where libc looks for requests of cancellation. (glibc 2.36: fopen()
 * with "c" asks for no such look, nor is there one in close().)
 *
 * An operation here is one within the lock of the stream: stream_held().
 *
 * When a thread that can be cancelled writes depends on how standard output is buffered, which libc finds out by
 * asking what it is. So that is to it the same in a search, where it is discarded, and in a replay at a terminal: a file.
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/code/imports.h"
#include "preload/core/active.h"
#include "preload/core/lifecycle.h"
#include "preload/core/sys.h"
#include "preload/facts/needs.h"
#include "preload/facts/values.h"
#include "preload/hooks/io/channel.h"
#include "preload/hooks/io/streams.h"
#include "preload/hooks/libc/stream.h"
#include "preload/hooks/thread/cancel.h"
#include "preload/hooks/thread/exit.h"
#include "preload/image/snapshot.h"

/* In _flags and _flags2, as in glibc. */
enum {
	ERROR_SEEN = 0x20,
	NOT_CANCELLED = 2
};

/* Entries of a table (struct _IO_jump_t). */
enum {
	ENTRY_READ = 14,
	ENTRY_WRITE = 15,
	ENTRY_CLOSE = 17,
	ENTRY_STAT = 18,
	ENTRIES = 21
};

enum {
	BUFFER = 4096
};

static ssize_t (*libc_read)(FILE *f, void *to, ssize_t n);
static ssize_t (*libc_write)(FILE *f, const void *from, ssize_t n);
static int (*libc_close)(FILE *f);
static int (*libc_stat)(FILE *f, void *st);

bool streams_seen;

/* The program ends, and what it printed is to be shown. */
static bool ending;

static void calls_begin(void)
{
	ending = false;
}

AT_BEGIN(calls_begin);

/* ---- Where it is ---------------------------------------------------------------------------------- */

/* In which call of the program's, or at which place of libc where no hook knows of that. */
static uint64_t place(uint64_t within)
{
	const struct stream_call *c = stream_call();

	return c ? c->pc : within;
}

/* As read() and write() begin. */
static void cancelled_here(FILE *f, uint64_t pc)
{
	const struct stream_call *c = stream_call();

	if (f->_flags2 & NOT_CANCELLED || !cancel_location() || (c && c->looked))
		return;
	stream_held(f);
	if (cancel_requested(pc))
		cancel_act();
}

/* What is no file, and leads out of the program, must not let all others wait. */
static void outside(int fd, short events)
{
	const struct stream_call *c = stream_call();
	char name[32];
	struct text t = text_in(name, sizeof(name));
	struct stat st;

	if (sys3(SYS_fstat, fd, (long)&st, 0) || S_ISREG(st.st_mode))
		return;
	if (fd > 2)
		needs_fork(events & POLLIN ? "reads from a descriptor" : "writes to a descriptor");
	text_str(&t, c ? c->name : "a stream");
	if (c)
		text_str(&t, "()");
	must_not_wait(fd, events, name);
}

/* ---- Instead of libc's ---------------------------------------------------------------------------- */

static ssize_t reads_some(FILE *f, void *to, ssize_t n)
{
	uint64_t pc = place(CALLER());
	struct iovec v = { to, (size_t)n };

	if (!under_engine())
		return libc_read(f, to, n);
	cancelled_here(f, pc);
	if (channel_has(f->_fileno)) {
		stream_held(f);
		values_give_up("streams are used");
		return channel_read(f->_fileno, &v, 1, READ_INTO_STREAM, pc);
	}
	snapshot_expect((uintptr_t)to, (size_t)n);
	outside(f->_fileno, POLLIN);
	return libc_read(f, to, n);
}

/* All of it, as libc does, unless there is an error. */
static ssize_t add_all(FILE *f, const char *from, ssize_t n, uint64_t pc)
{
	ssize_t done = 0, got;

	while (done < n) {
		if (done)
			cancelled_here(f, pc);
		got = channel_write_stream(f->_fileno, from + done, (size_t)(n - done), pc);
		if (got < 0) {
			f->_flags |= ERROR_SEEN;
			break;
		}
		done += got;
	}
	return done;
}

static ssize_t writes_all(FILE *f, const void *from, ssize_t n)
{
	uint64_t pc = place(CALLER());

	if (!under_engine() || n <= 0)
		return libc_write(f, from, n);
	if (ending)
		return channel_has(f->_fileno) ? n : libc_write(f, from, n);
	cancelled_here(f, pc);
	if (channel_has(f->_fileno)) {
		stream_held(f);
		values_give_up("streams are used");
		return add_all(f, from, n, pc);
	}
	if (f->_fileno != 1 && f->_fileno != 2)
		outside(f->_fileno, POLLOUT);
	return libc_write(f, from, n);
}

static int closes(FILE *f)
{
	int result;

	if (!under_engine())
		return libc_close(f);
	if (channel_has(f->_fileno))
		stream_held(f);
	descriptor_forget(f->_fileno, place(CALLER()));
	result = libc_close(f);
	stream_gone();
	return result;
}

static int looks(FILE *f, void *st)
{
	int result = libc_stat(f, st);
	struct stat *what = st;

	if (result || !shared || (f->_fileno != 1 && f->_fileno != 2) ||
	    !program_imports("pthread_cancel"))
		return result;
	if (S_ISCHR(what->st_mode))
		what->st_mode = S_IFREG;
	what->st_blksize = BUFFER;
	return 0;
}

/* ---- The tables ----------------------------------------------------------------------------------- */

static const struct {
	unsigned entry;
	const char *name; /* of libc's function */
	void *ours, *theirs;
} entries[] = {
	{ ENTRY_READ, "_IO_file_read", reads_some, &libc_read },
	{ ENTRY_WRITE, "_IO_file_write", writes_all, &libc_write },
	{ ENTRY_CLOSE, "_IO_file_close", closes, &libc_close },
	{ ENTRY_STAT, "_IO_file_stat", looks, &libc_stat },
};

/* For characters, and for wide ones. */
static void **tables[2];

#define EACH_ENTRY(i) for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)

/* Is it one as we know them? */
static bool is_table(void *const *table)
{
	EACH_ENTRY(i)
	{
		void *theirs = real_find(entries[i].name, NULL);

		if (!table || !theirs || table[entries[i].entry] != theirs)
			return false;
		memcpy(entries[i].theirs, &theirs, sizeof(theirs));
	}
	return true;
}

/* libc has them in memory that is read-only from the start. */
static bool put(void **table)
{
	uintptr_t page = (uintptr_t)table & -4096ul;
	size_t size = (uintptr_t)(table + ENTRIES) - page;

	if (sys3(SYS_mprotect, (long)page, (long)size, PROT_READ | PROT_WRITE))
		return false;
	EACH_ENTRY(i) table[entries[i].entry] = entries[i].ours;
	sys3(SYS_mprotect, (long)page, (long)size, PROT_READ);
	return true;
}

/* A libc whose tables look otherwise is left as it is, and streams of pipes are refused (hook_file.c). */
static void tables_wake(void)
{
	tables[0] = real_find("_IO_file_jumps", NULL);
	tables[1] = real_find("_IO_wfile_jumps", NULL);
	streams_seen =
		is_table(tables[0]) && is_table(tables[1]) && put(tables[0]) && put(tables[1]);
}

AT_WAKING(tables_wake);

static void show_all(void)
{
	ending = true;
	stream_flush_at_exit();
}

/* Its table stands behind it (struct _IO_FILE_plus). */
static bool is_of_file(const FILE *f)
{
	const void *table;

	memcpy(&table, f + 1, sizeof(table));
	return table == tables[0] || table == tables[1];
}

static void calls_root(void)
{
	stream_is_of_file = is_of_file;
	stream_leads_to_channel = channel_has;
	show_streams = show_all;
}

AT_ROOT(calls_root);
