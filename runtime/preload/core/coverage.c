/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * coverage.c - gcov's counters of the runtime, which never comes to an end of its own
 *
 * A program under heddle is left by _exit(), killed, or lost with its child process, and its libc
 * is not ours to use. So nothing is written at the end: the counters are a file. The linker puts
 * them on pages of their own (coverage.ld), and all processes map these pages from the file
 * that make coverage has made; without that file they count for themselves. Counts of threads or
 * processes that meet may get lost, but not that there were some.
 *
 * With HEDDLE_COVERAGE_DUMP set, a program that is not under heddle writes what the file holds as the
 * .gcda files that gcov reads, and ends.
 */
#include "preload/core/coverage.h"

#include <gcov.h>
#include <stdlib.h>

#include "base/must.h"
#include "preload/core/sys.h"

enum {
	ROOM = 1 << 20 /* bytes, for what gcov allocates; it needs some for indirect calls only */
};

extern char coverage_counters[] __attribute__((visibility("hidden")));
extern char coverage_counters_end[] __attribute__((visibility("hidden")));
extern const struct gcov_info *const __start_heddle_gcov[] __attribute__((visibility("hidden")));
extern const struct gcov_info *const __stop_heddle_gcov[] __attribute__((visibility("hidden")));

/* Not instrumented: what counts must not count while its counters are moved. */
#define UNCOUNTED __attribute__((no_profile_instrument_function))

/* Bytes between two places that the linker names. */
UNCOUNTED static size_t between(const void *from, const void *to)
{
	return (size_t)((uintptr_t)to - (uintptr_t)from);
}

UNCOUNTED bool coverage_owns(uint64_t start)
{
	return start == (uint64_t)(uintptr_t)coverage_counters;
}

UNCOUNTED void coverage_begin(void)
{
	uint64_t *counters = (uint64_t *)coverage_counters, *file;
	size_t size = between(coverage_counters, coverage_counters_end);
	int fd = sys_open(HEDDLE_COVERAGE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return;
	must(!sys3(SYS_ftruncate, fd, (long)size, 0));
	file = sys_mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	must(!sys_failed(file));
	for (size_t i = 0; i < size / sizeof(*file); i++)
		if (counters[i])
			__atomic_fetch_add(&file[i], counters[i], __ATOMIC_RELAXED);
	must(!sys_failed(sys_mmap((uint64_t)(uintptr_t)counters, size, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_FIXED, fd)));
	sys3(SYS_munmap, (long)file, (long)size, 0);
	sys_close(fd);
}

/* ---- The files that gcov reads --------------------------------------------------------------- */

static int out;

UNCOUNTED static void open_file(const char *name, void *arg)
{
	(void)arg;
	out = (int)sys4(SYS_openat, AT_FDCWD, (long)name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	must(out >= 0);
}

UNCOUNTED static void write_file(const void *data, unsigned size, void *arg)
{
	(void)arg;
	must(sys3(SYS_write, out, (long)data, size) == (long)size);
}

UNCOUNTED static void *allocate(unsigned size, void *arg)
{
	static char room[ROOM];
	static size_t used;
	void *p = room + used;

	(void)arg;
	used += (size + 15) & ~15ul;
	must(used <= ROOM);
	return p;
}

__attribute__((constructor(102))) UNCOUNTED static void dump(void)
{
	if (!getenv("HEDDLE_COVERAGE_DUMP"))
		return;
	coverage_begin();
	for (size_t i = 0; i < between(__start_heddle_gcov, __stop_heddle_gcov) / sizeof(void *);
	     i++) {
		__gcov_info_to_gcda(__start_heddle_gcov[i], open_file, write_file, allocate, NULL);
		sys_close(out);
	}
	sys_exit_group(0);
}
