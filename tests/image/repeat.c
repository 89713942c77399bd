/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * repeat.c - what the system tells a program is the same in each execution
 *
 * Each case passes a value that it has from the system between two threads, in all four ways of
 * store buffering. Another value in another execution would be noticed.
 *
 * case random_device: ok 4
 * case random_device_by_stdio: ok 4
 * case random_numbers_of_the_kernel: ok 4
 * case processor_time: ok 4
 * case resource_usage: ok 4
 * case mapped_memory: ok 4
 * case mapped_memory_in_any_order: ok 2
 * case mapped_memory_of_the_main_thread: ok 4
 * case shared_memory: ok 4
 * case new_descriptors: ok 4
 * case the_environment: ok 4
 * case a_file_that_is_there: ok 4
 * case a_file_made_anew: ok 4
 * case a_file_that_grows: refused repeat.log
 * case a_link_that_stays: refused repeat.link
 * case a_mode_that_stays: refused repeat.mode
 * case a_temporary_file: ok 4
 * case a_growing_pipe: ok 4
 * case flags_of_what_is_open: ok 2
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"

static atomic_long x, y;

static void pass(void *arg, long value)
{
	atomic_store_explicit(arg ? &x : &y, value, memory_order_relaxed);
	(void)atomic_load_explicit(arg ? &y : &x, memory_order_relaxed);
}

static void *read_device(void *arg)
{
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	long v = 0;

	assert(fd >= 0 && read(fd, &v, sizeof(v)) == sizeof(v) && close(fd) == 0);
	pass(arg, v);
	return NULL;
}

static void random_device(void)
{
	THREADS(2, read_device);
}

static void *read_device_by_stdio(void *arg)
{
	FILE *f = fopen("/dev/random", "r");
	long v = 0;

	assert(f && fread(&v, sizeof(v), 1, f) == 1 && fclose(f) == 0);
	pass(arg, v);
	return NULL;
}

static void random_device_by_stdio(void)
{
	THREADS(2, read_device_by_stdio);
}

static void *ask_kernel(void *arg)
{
	long v = 0;

	assert(syscall(SYS_getrandom, &v, sizeof(v), 0) == sizeof(v));
	pass(arg, v);
	return NULL;
}

static void random_numbers_of_the_kernel(void)
{
	THREADS(2, ask_kernel);
}

static void *ask_times(void *arg)
{
	struct timespec t;
	struct tms tms;

	assert(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0);
	pass(arg, clock() + t.tv_nsec + times(&tms) + tms.tms_utime);
	return NULL;
}

static void processor_time(void)
{
	THREADS(2, ask_times);
}

static void *ask_usage(void *arg)
{
	struct rusage u;

	assert(getrusage(RUSAGE_SELF, &u) == 0);
	pass(arg, u.ru_utime.tv_usec + u.ru_maxrss + u.ru_minflt + u.ru_nvcsw);
	return NULL;
}

static void resource_usage(void)
{
	THREADS(2, ask_usage);
}

static char *map(int flags)
{
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, flags, -1, 0);

	assert(p != MAP_FAILED);
	return p;
}

/* The address. Whoever maps first must not matter. */
static void *map_some(void *arg)
{
	char *p = map(MAP_PRIVATE | MAP_ANONYMOUS);

	p[0] = 1;
	pass(arg, (long)p);
	return NULL;
}

static void mapped_memory(void)
{
	THREADS(2, map_some);
}

/* Who maps first changes from one execution to the next. */
static void *map_and_publish(void *arg)
{
	atomic_store(&x, (long)map(MAP_PRIVATE | MAP_ANONYMOUS));
	return arg;
}

static void mapped_memory_in_any_order(void)
{
	pthread_t t;
	long seen;

	assert(pthread_create(&t, NULL, map_and_publish, NULL) == 0);
	seen = atomic_load(&x);
	atomic_store(&y, (long)map(MAP_PRIVATE | MAP_ANONYMOUS));
	assert(pthread_join(t, NULL) == 0);
	assert(seen != atomic_load(&y));
}

static void *use_mapped(void *arg)
{
	char *p = map(MAP_PRIVATE | MAP_ANONYMOUS), *q = map(MAP_PRIVATE | MAP_ANONYMOUS);

	assert(munmap(p, 8192) == 0);
	p = mremap(q, 8192, 16384, MREMAP_MAYMOVE);
	assert(p != MAP_FAILED);
	pass(arg, (long)p);
	return NULL;
}

static void mapped_memory_of_the_main_thread(void)
{
	pthread_t t;

	map_some(NULL);
	assert(pthread_create(&t, NULL, use_mapped, (void *)1) == 0);
	use_mapped(NULL);
	assert(pthread_join(t, NULL) == 0);
}

static void *map_shared(void *arg)
{
	pass(arg, (long)map(MAP_SHARED | MAP_ANONYMOUS));
	return NULL;
}

static void shared_memory(void)
{
	THREADS(2, map_shared);
}

static void *make_descriptor(void *arg)
{
	int fd = dup(1);

	assert(fd > 0);
	pass(arg, arg ? fd : 0);
	return NULL;
}

static void new_descriptors(void)
{
	THREADS(2, make_descriptor);
}

static void *ask_environment(void *arg)
{
	const char *home = getenv("HOME");

	pass(arg, home ? home[0] + (long)strlen(home) : 0);
	return NULL;
}

static void the_environment(void)
{
	setenv("HOME", "somewhere", 1);
	THREADS(2, ask_environment);
}

static void *read_first(void *arg)
{
	FILE *f = fopen("repeat.there", "r");
	int c;

	assert(f);
	c = fgetc(f);
	fclose(f);
	pass(arg, c);
	return NULL;
}

static void a_file_that_is_there(void)
{
	FILE *f = fopen("repeat.there", "w");

	assert(f && fputc('t', f) == 't' && fclose(f) == 0);
	THREADS(2, read_first);
}

static void *make_file(void *arg)
{
	const char *name = arg ? "repeat.one" : "repeat.two";
	FILE *f = fopen(name, "w+");

	assert(f && fputc('t', f) == 't' && fflush(f) == 0);
	rewind(f);
	pass(arg, fgetc(f));
	fclose(f);
	return NULL;
}

static void a_file_made_anew(void)
{
	THREADS(2, make_file);
}

static void *append(void *arg)
{
	struct stat st;
	int fd = open(arg ? "repeat.log1" : "repeat.log0", O_WRONLY | O_CREAT | O_APPEND, 0600);

	assert(fd >= 0 && write(fd, "x", 1) == 1 && fstat(fd, &st) == 0 && close(fd) == 0);
	pass(arg, st.st_size);
	return NULL;
}

static void a_file_that_grows(void)
{
	unlink("repeat.log0");
	unlink("repeat.log1");
	THREADS(2, append);
}

static void *use_temporary(void *arg)
{
	char name[] = "repeat.XXXXXX";
	int fd = mkstemp(name);

	assert(fd >= 0 && unlink(name) == 0 && close(fd) == 0);
	pass(arg, name[7]);
	return NULL;
}

static void a_temporary_file(void)
{
	THREADS(2, use_temporary);
}

static int channel[2];

static void *write_one(void *arg)
{
	assert(write(channel[1], "x", 1) == 1);
	pass(arg, 1);
	return NULL;
}

static void a_growing_pipe(void)
{
	assert(pipe2(channel, O_NONBLOCK) == 0);
	THREADS(1, write_one);
	{
		char b[100];

		pass(NULL, read(channel[0], b, sizeof(b)));
	}
	THREADS(2, ask_environment);
}

static void *make_link(void *arg)
{
	pass(arg, symlink(".", "repeat.link") == 0);
	return NULL;
}

static void a_link_that_stays(void)
{
	unlink("repeat.link");
	THREADS(2, make_link);
}

static void *set_mode(void *arg)
{
	struct stat s = { .st_mode = 0 };

	assert(arg || stat("repeat.mode", &s) == 0);
	assert(arg || chmod("repeat.mode", (s.st_mode & 0777) ^ 0100) == 0);
	pass(arg, s.st_mode & 0100);
	return NULL;
}

static void a_mode_that_stays(void)
{
	int fd = open("repeat.mode", O_RDWR | O_CREAT, 0600);

	assert(fd >= 0 && close(fd) == 0);
	THREADS(2, set_mode);
}

/* They are not of the descriptor, so those of an execution would be there in the next. */
static void *let_nobody_wait(void *arg)
{
	atomic_fetch_add(&x, 1);
	assert(!(fcntl(channel[0], F_GETFL) & O_NONBLOCK));
	assert(fcntl(channel[0], F_SETFL, O_NONBLOCK) == 0);
	return arg;
}

static void flags_of_what_is_open(void)
{
	pthread_t t;

	assert(pipe(channel) == 0);
	assert(pthread_create(&t, NULL, let_nobody_wait, NULL) == 0);
	atomic_fetch_add(&x, 1);
	assert(pthread_join(t, NULL) == 0);
	assert(fcntl(channel[0], F_GETFL) & O_NONBLOCK);
}

CASES(CASE(random_device), CASE(random_device_by_stdio), CASE(random_numbers_of_the_kernel),
      CASE(processor_time), CASE(resource_usage), CASE(mapped_memory),
      CASE(mapped_memory_in_any_order), CASE(mapped_memory_of_the_main_thread), CASE(shared_memory),
      CASE(new_descriptors), CASE(the_environment), CASE(a_file_that_is_there),
      CASE(a_file_made_anew), CASE(a_file_that_grows), CASE(a_link_that_stays),
      CASE(a_mode_that_stays), CASE(a_temporary_file), CASE(a_growing_pipe),
      CASE(flags_of_what_is_open))
