/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * file_order.c - who of several threads reads what from a file
 *
 * case two_read_from_one_place: ok 2
 * case the_first_reads_first: bug assertion at the first byte
 * case two_read_from_a_duplicate: ok 2
 * case two_read_from_one_file_opened_twice: ok 1
 * case one_reads_behind_the_other: ok 1
 * case one_goes_elsewhere: ok 2
 * case one_asks_for_the_place: ok 2
 * case one_writes_and_one_looks: ok 2
 * case one_cuts_and_one_looks: ok 2
 * case two_look: ok 1
 * case two_write: ok 1
 * case to_read_first_orders_nothing: bug data-race at by who reads last
 *
 * ways lseek: EBADF EINVAL ESPIPE; not EOVERFLOW ENXIO (of the file system)
 * ways lseek64: EBADF; not EINVAL ESPIPE EOVERFLOW ENXIO (as above)
 *
 * case lseek_EBADF: ok 1
 * case lseek_EINVAL: ok 1
 * case lseek_ESPIPE: ok 1
 * case lseek64_EBADF: ok 1
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "hooks/fails.h"

static int fd, other;

/* It has no name, so that it is the same for each execution. */
static void make_file(void)
{
	char name[] = "/tmp/heddle-file-XXXXXX";

	fd = mkstemp(name);
	assert(fd >= 0 && write(fd, "ab", 2) == 2 && lseek(fd, 0, SEEK_SET) == 0);
	other = open(name, O_RDWR);
	assert(other >= 0 && unlink(name) == 0);
}

static char read_one(int from)
{
	char c = 0;

	assert(read(from, &c, 1) == 1);
	return c;
}

static void *read_from_fd(void *arg)
{
	struct iovec v;
	char c = 0;

	if (!arg)
		return (void *)(long)read_one(fd);
	v = (struct iovec){ &c, 1 };
	assert(readv(fd, &v, 1) == 1);
	return (void *)(long)c;
}

static void *read_from_other(void *arg)
{
	(void)arg;
	return (void *)(long)read_one(other);
}

static void *go_to_the_second(void *arg)
{
	(void)arg;
	assert(lseek(fd, 1, SEEK_SET) == 1);
	return NULL;
}

static void *ask_for_the_place(void *arg)
{
	(void)arg;
	return (void *)lseek64(fd, 0, SEEK_CUR);
}

static void *look(void *arg)
{
	char c = 0;

	(void)arg;
	assert(pread(other, &c, 1, 1) >= 0);
	return (void *)(long)c;
}

static void *write_z(void *arg)
{
	(void)arg;
	assert(pwrite(fd, "z", 1, 1) == 1);
	return NULL;
}

static void *write_on(void *arg)
{
	(void)arg;
	assert(write(fd, "y", 1) == 1);
	return NULL;
}

static void *cut(void *arg)
{
	(void)arg;
	assert(ftruncate(fd, 1) == 0);
	return NULL;
}

static long both(void *(*first)(void *), void *(*second)(void *))
{
	pthread_t a, b;
	void *one, *two;

	make_file();
	assert(pthread_create(&a, NULL, first, NULL) == 0);
	assert(pthread_create(&b, NULL, second, &fd) == 0);
	assert(pthread_join(a, &one) == 0 && pthread_join(b, &two) == 0);
	return (long)one * 256 + (long)two;
}

static void two_read_from_one_place(void)
{
	long got = both(read_from_fd, read_from_fd);

	assert(got == 'a' * 256 + 'b' || got == 'b' * 256 + 'a');
}

static void the_first_reads_first(void)
{
	assert(both(read_from_fd, read_from_fd) / 256 == 'a'); /* the first byte */
}

static void *read_from_a_duplicate(void *arg)
{
	int copy = dup(fd);
	char c = read_one(copy);

	(void)arg;
	assert(close(copy) == 0);
	return (void *)(long)c;
}

static void two_read_from_a_duplicate(void)
{
	both(read_from_fd, read_from_a_duplicate);
}

static void two_read_from_one_file_opened_twice(void)
{
	assert(both(read_from_fd, read_from_other) == 'a' * 256 + 'a');
}

static void one_reads_behind_the_other(void)
{
	make_file();
	THREADS(1, read_from_fd);
	assert(read_one(fd) == 'b');
}

static void one_goes_elsewhere(void)
{
	long got = both(read_from_fd, go_to_the_second) / 256;

	assert(got == 'a' || got == 'b');
}

static void one_asks_for_the_place(void)
{
	long got = both(read_from_fd, ask_for_the_place) % 256;

	assert(got == 0 || got == 1);
}

static void one_writes_and_one_looks(void)
{
	long got = both(look, write_z) / 256;

	assert(got == 'b' || got == 'z');
}

static void one_cuts_and_one_looks(void)
{
	long got = both(look, cut) / 256;

	assert(got == 'b' || got == 0);
}

static void two_look(void)
{
	both(look, look);
}

/* Nobody can tell the difference. */
static void two_write(void)
{
	both(write_on, write_on);
}

static int data;

/* The other one, which comes second in the first execution, sets it before it reads. */
static void *read_and_set(void *arg)
{
	if (arg)
		data = 1;
	if (read_one(fd) == 'b' && !arg)
		data = 2; /* by who reads last */
	return NULL;
}

static void to_read_first_orders_nothing(void)
{
	both(read_and_set, read_and_set);
}

IN_EACH(lseek_EBADF)
{
	FAILS(EBADF, lseek(-1, 0, SEEK_CUR));
	return arg;
}

IN_EACH(lseek_EINVAL)
{
	FAILS(EINVAL, lseek(0, 0, 99));
	return arg;
}

IN_EACH(lseek_ESPIPE)
{
	int ends[2];

	assert(pipe(ends) == 0);
	FAILS(ESPIPE, lseek(ends[0], 0, SEEK_CUR));
	assert(close(ends[0]) == 0 && close(ends[1]) == 0);
	return arg;
}

IN_EACH(lseek64_EBADF)
{
	FAILS(EBADF, lseek64(-1, 0, SEEK_CUR));
	return arg;
}

CASES(CASE(two_read_from_one_place), CASE(the_first_reads_first), CASE(two_read_from_a_duplicate),
      CASE(two_read_from_one_file_opened_twice), CASE(one_reads_behind_the_other),
      CASE(one_goes_elsewhere), CASE(one_asks_for_the_place), CASE(one_writes_and_one_looks),
      CASE(one_cuts_and_one_looks), CASE(two_look), CASE(two_write),
      CASE(to_read_first_orders_nothing), CASE(lseek_EBADF), CASE(lseek_EINVAL), CASE(lseek_ESPIPE),
      CASE(lseek64_EBADF))
