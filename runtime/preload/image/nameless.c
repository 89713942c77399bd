/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nameless.c - open files that were unlinked are put back
 *
 * A test framework keeps what its tests report in a temporary file, which it has removed from its
 * folder at once (tmpfile(), memfd_create()), and reads it back to its end. Such a file belongs to the
 * program as its memory does: nobody else can get at it. So what it holds at the root point is kept,
 * and is there again when the next execution begins, with either back end.
 * (Offsets: hook_file.c.) Files with names are left alone: what the program does to them is meant for
 * others.
 *
 * Cost: nothing where there is no such file; else a system call or two for each at each execution,
 * and its size. Caller: hook_file.c.
 */
#include <string.h>
#include <sys/stat.h>

#include "preload/core/context.h"
#include "preload/core/own.h"
#include "preload/core/sys.h"
#include "preload/fiber/fiber.h"
#include "preload/image/nameless.h"

enum {
	MAX_FILES = 16,
	MAX_SIZE = 64 << 20,
	AT_ONCE = 64 << 10
};

struct nameless {
	int fd;
	uint64_t size;
	char *copy; /* NULL: too large; then only its size is put back */
};

static struct nameless file[MAX_FILES];
static unsigned nfiles;

void nameless_forget(void)
{
	nfiles = 0; /* what was kept stays mapped: this happens once */
}

void nameless_keep(int fd, uint64_t size)
{
	struct nameless *f = &file[nfiles];
	long flags = sys3(SYS_fcntl, fd, F_GETFL, 0);
	uint64_t have = 0;

	if (nfiles == MAX_FILES || flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return;
	*f = (struct nameless){ .fd = fd, .size = size };
	if (size && size <= MAX_SIZE) {
		f->copy = map_own(size);
		while (have < size) {
			long n = sys4(SYS_pread64, fd, (long)(f->copy + have), (long)(size - have),
				      (long)have);

			if (n <= 0)
				return; /* it cannot be read back: the program cannot, either */
			have += (uint64_t)n;
		}
	}
	nfiles++;
}

static void put_back(const struct nameless *f)
{
	static char now[AT_ONCE];

	for (uint64_t at = 0; at < f->size; at += AT_ONCE) {
		uint64_t n = f->size - at < AT_ONCE ? f->size - at : AT_ONCE;

		if (sys4(SYS_pread64, f->fd, (long)now, (long)n, (long)at) == (long)n &&
		    !memcmp(now, f->copy + at, n))
			continue;
		sys4(SYS_pwrite64, f->fd, (long)(f->copy + at), (long)n, (long)at);
	}
}

void nameless_reset(void)
{
	struct stat st;

	for (unsigned i = 0; i < nfiles; i++) {
		const struct nameless *f = &file[i];

		if (sys3(SYS_fstat, f->fd, (long)&st, 0))
			continue;
		if ((uint64_t)st.st_size != f->size)
			sys3(SYS_ftruncate, f->fd, (long)f->size, 0);
		if (f->copy)
			put_back(f);
	}
}
