/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rollback.c - each execution finds everything as it was, and ends as a process does
 *
 * case thread_locals_begin_afresh: ok 4
 * case errno_begins_afresh: ok 4
 * case the_kernel_writes_thread_locals: ok 1
 * case output_buffers_begin_afresh: ok 4
 * case libraries_begin_afresh: ok 4
 * case libraries_written_late_begin_afresh: ok 4
 * case threads_made_late_stay: ok 10
 * case handlers_of_exit_run: bug assertion at bug: fail
 * case handlers_of_on_exit_run: bug assertion
 * case destructors_run: bug assertion at bug: fail
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <search.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <syslog.h>
#include <unistd.h>

#include "cases.h"

static atomic_int x, y;
static _Thread_local int used;
static _Thread_local char bytes[4];
static int elf = -1;
static int armed;

/* Two threads with four executions: who is first on x, and on y. */
static void branch(void)
{
	atomic_fetch_add_explicit(&x, 1, memory_order_acq_rel);
	atomic_fetch_add_explicit(&y, 1, memory_order_relaxed);
}

static void *use_thread_local(void *arg)
{
	assert(used++ == 0);
	branch();
	assert(used++ == 1);
	return arg;
}

static void thread_locals_begin_afresh(void)
{
	THREADS(2, use_thread_local);
	assert(used == 0);
}

static void *use_errno(void *arg)
{
	assert(errno == 0);
	branch();
	errno = 5;
	return arg;
}

static void errno_begins_afresh(void)
{
	THREADS(2, use_errno);
}

static void *read_into_thread_local(void *arg)
{
	assert(lseek(elf, 0, SEEK_SET) == 0);
	assert(read(elf, bytes, sizeof(bytes)) == sizeof(bytes));
	assert(!memcmp(bytes, "\177ELF", sizeof(bytes)));
	return arg;
}

static void the_kernel_writes_thread_locals(void)
{
	elf = open("/proc/self/exe", O_RDONLY);
	THREADS(1, read_into_thread_local);
}

static void *print(void *arg)
{
	branch();
	printf("thread %ld\n", (long)arg);
	return arg;
}

static void output_buffers_begin_afresh(void)
{
	THREADS(2, print);
}

/* Variables of libc's own, one with a value from the start and one without: as nobody left them. */
static void use_library(void)
{
	assert(setlogmask(LOG_MASK(LOG_ERR)) == 0xff);
	assert(hcreate(8));
}

static void *use_library_once(void *arg)
{
	if (!arg)
		use_library();
	branch();
	return arg;
}

static void libraries_begin_afresh(void)
{
	THREADS(2, use_library_once);
}

static void *store_both(void *arg)
{
	atomic_store_explicit(&x, 1, memory_order_release);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	return arg;
}

/* Not in the first execution, in which x is 0 still. */
static void libraries_written_late_begin_afresh(void)
{
	pthread_t t;
	int seen;

	pthread_create(&t, NULL, store_both, NULL);
	seen = atomic_load_explicit(&x, memory_order_relaxed);
	seen += atomic_load_explicit(&y, memory_order_relaxed);
	if (seen)
		use_library();
	pthread_join(t, NULL);
}

/* libc notes a thread in memory of its own, which other threads of other executions see. */
static void threads_made_late_stay(void)
{
	pthread_t first, second;

	pthread_create(&first, NULL, store_both, NULL);
	if (atomic_load_explicit(&x, memory_order_acquire)) {
		pthread_create(&second, NULL, use_errno, NULL);
		atomic_load_explicit(&y, memory_order_relaxed);
		pthread_join(second, NULL);
	}
	assert(atomic_load_explicit(&y, memory_order_relaxed) < 3);
	pthread_join(first, NULL);
}

static void fail(void)
{
	assert(!armed); /* bug: fail */
}

static void fail_later(int status, void *arg)
{
	(void)status;
	(void)arg;
	assert(!armed); /* bug: handlers_of_on_exit_run */
}

static void handlers_of_exit_run(void)
{
	armed = 1;
	atexit(fail);
	THREADS(1, use_errno);
}

static void handlers_of_on_exit_run(void)
{
	armed = 1;
	on_exit(fail_later, NULL);
	THREADS(1, use_errno);
}

__attribute__((destructor)) static void end(void)
{
	if (armed == 2)
		fail();
}

static void destructors_run(void)
{
	armed = 2;
	THREADS(1, use_errno);
}

CASES(CASE(thread_locals_begin_afresh), CASE(errno_begins_afresh),
      CASE(the_kernel_writes_thread_locals), CASE(output_buffers_begin_afresh),
      CASE(libraries_begin_afresh), CASE(libraries_written_late_begin_afresh),
      CASE(threads_made_late_stay), CASE(handlers_of_exit_run), CASE(handlers_of_on_exit_run),
      CASE(destructors_run))
