/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names.c - calls that libc has by several names, and those of -D_FORTIFY_SOURCE
 *
 * Headers call some of them, and libraries that were compiled otherwise.
 *
 * case a_pipe: ok 1
 * case with_checks: ok 1
 * case from_a_socket: ok 1
 * case polled: ok 3
 * case at_some_place: ok 2
 * case too_little_room: bug crash at __read_chk(end[0], arg
 * case too_little_room_from_a_socket: bug crash at __recvfrom_chk(end[0], arg
 * case written_meanwhile: bug data-race at __pwrite64(file
 * case a_large_file: bug data-race at pwrite64(file, text, 2
 * case read_meanwhile: bug data-race at __read_chk(end[0], text
 * case copied_meanwhile: bug data-race at __strdup(text
 * case sleeps: ok 1
 * case yields: ok 1
 * case keys: ok 1
 * case characters: bug deadlock at RUN(prints_with_lock
 * case a_fork: refused fork() after it created a thread
 * case reads_by_itself: refused aio_read()
 */
#define _GNU_SOURCE
#include <aio.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"

ssize_t __read(int fd, void *buf, size_t n);
ssize_t __write(int fd, const void *buf, size_t n);
int __close(int fd);
int __pipe(int end[2]);
int __poll(struct pollfd *p, nfds_t n, int timeout);
ssize_t __pwrite64(int fd, const void *buf, size_t n, off64_t at);
ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
ssize_t __pread_chk(int fd, void *buf, size_t n, off_t at, size_t room);
ssize_t __recv_chk(int fd, void *buf, size_t n, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *buf, size_t n, size_t room, int flags, struct sockaddr *from,
		       socklen_t *size);
int __poll_chk(struct pollfd *p, nfds_t n, int timeout, size_t room);
int __ppoll_chk(struct pollfd *p, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
		size_t room);
char *__strdup(const char *s);
int __nanosleep(const struct timespec *time, struct timespec *left);
int __clock_gettime(clockid_t id, struct timespec *now);
int __sched_yield(void);
int __pthread_key_create(pthread_key_t *key, void (*fn)(void *));
pid_t __fork(void);
int _IO_putc(int c, FILE *f);

static int end[2], file;
static char text[8] = "abc";
static atomic_int flag;

static void *writes(void *arg)
{
	assert(__write(end[1], "abc", 3) == 3);
	return arg;
}

static void *reads(void *arg)
{
	char got[8];

	assert(__read(end[0], got, sizeof(got)) == 3 && !memcmp(got, "abc", 3));
	return arg;
}

static void a_pipe(void)
{
	assert(__pipe(end) == 0);
	RUN(writes, reads);
	assert(__close(end[1]) == 0 && __close(end[0]) == 0);
}

static void *reads_with_check(void *arg)
{
	char got[8];

	assert(__read_chk(end[0], got, 3, sizeof(got)) == 3 && !memcmp(got, "abc", 3));
	return arg;
}

static void with_checks(void)
{
	assert(pipe(end) == 0);
	RUN(writes, reads_with_check);
}

static void *receives(void *arg)
{
	char got[8];
	socklen_t size = 0;

	assert(__recv_chk(end[0], got, 2, sizeof(got), MSG_PEEK) == 2 && !memcmp(got, "ab", 2));
	assert(__recvfrom_chk(end[0], got, 1, sizeof(got), 0, NULL, &size) == 1 && got[0] == 'a');
	assert(__recv_chk(end[0], got, sizeof(got), sizeof(got), 0) == 2);
	return arg;
}

static void from_a_socket(void)
{
	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, end) == 0);
	RUN(writes, receives);
}

/* Before it is written to or after, twice. */
static void *polls(void *arg)
{
	struct pollfd p = { .fd = end[0], .events = POLLIN };
	struct timespec none = { 0 };
	int ready = __ppoll_chk(&p, 1, &none, NULL, sizeof(p));

	assert(ready == 0 || ready == 1);
	assert(__poll_chk(&p, 1, -1, sizeof(p)) == 1 && __poll(&p, 1, -1) == 1);
	return arg;
}

static void polled(void)
{
	assert(pipe(end) == 0);
	RUN(writes, polls);
}

static void opens(void)
{
	char name[] = "/tmp/heddle-names-XXXXXX";

	file = mkstemp(name);
	assert(file >= 0 && unlink(name) == 0);
}

static void *writes_there(void *arg)
{
	assert(pwrite64(file, "xyz", 3, 0) == 3);
	return arg;
}

static void *reads_there(void *arg)
{
	char got[8];
	ssize_t n = __pread_chk(file, got, 3, 0, sizeof(got));

	assert(n == 0 || (n == 3 && !memcmp(got, "xyz", 3)));
	return arg;
}

static void at_some_place(void)
{
	opens();
	RUN(writes_there, reads_there);
}

static size_t much = 9;

static void *reads_too_much(void *arg)
{
	return (void *)__read_chk(end[0], arg, much, 8);
}

static void too_little_room(void)
{
	pthread_t t;

	assert(pipe(end) == 0);
	pthread_create(&t, NULL, reads_too_much, malloc(16));
	writes(NULL);
	pthread_join(t, NULL);
}

static void *receives_too_much(void *arg)
{
	return (void *)__recvfrom_chk(end[0], arg, much, 8, 0, NULL, NULL);
}

static void too_little_room_from_a_socket(void)
{
	pthread_t t;

	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, end) == 0);
	pthread_create(&t, NULL, receives_too_much, malloc(16));
	writes(NULL);
	pthread_join(t, NULL);
}

static void *changes(void *arg)
{
	text[1] = 'x';
	return arg;
}

static void *writes_text(void *arg)
{
	__pwrite64(file, text, 3, 0);
	return arg;
}

static void written_meanwhile(void)
{
	opens();
	RUN(changes, writes_text);
}

static void *writes_text_to_a_large_file(void *arg)
{
	pwrite64(file, text, 2, 0);
	return arg;
}

static void a_large_file(void)
{
	opens();
	RUN(changes, writes_text_to_a_large_file);
}

static void *reads_text(void *arg)
{
	__read_chk(end[0], text, 3, sizeof(text));
	return arg;
}

static void read_meanwhile(void)
{
	assert(pipe(end) == 0 && write(end[1], "abc", 3) == 3);
	RUN(changes, reads_text);
}

static void *copies_text(void *arg)
{
	free(__strdup(text));
	return arg;
}

static void copied_meanwhile(void)
{
	RUN(changes, copies_text);
}

static void *sleeps_long(void *arg)
{
	struct timespec long_time = { .tv_sec = 10000 }, now;

	assert(__nanosleep(&long_time, NULL) == 0);
	assert(__clock_gettime(CLOCK_MONOTONIC, &now) == 0 && now.tv_sec >= 10000);
	return arg;
}

static void sleeps(void)
{
	if (!getenv("HEDDLE_TEST_NATIVELY"))
		RUN(sleeps_long);
}

static void *waits(void *arg)
{
	while (!atomic_load(&flag))
		__sched_yield();
	return arg;
}

static void *sets(void *arg)
{
	atomic_store(&flag, 1);
	return arg;
}

static void yields(void)
{
	RUN(waits, sets);
}

static void destroys(void *value)
{
	atomic_fetch_add((atomic_int *)value, 1);
}

static pthread_key_t key;

static void *has_a_value(void *arg)
{
	assert(pthread_setspecific(key, &flag) == 0);
	return arg;
}

static void keys(void)
{
	assert(__pthread_key_create(&key, destroys) == 0);
	RUN(has_a_value);
	assert(atomic_load(&flag) == 1);
}

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *prints_with_lock(void *arg)
{
	pthread_mutex_lock(&m);
	_IO_putc('x', stdout);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *locks_the_stream(void *arg)
{
	flockfile(stdout);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	funlockfile(stdout);
	return arg;
}

static void characters(void)
{
	RUN(prints_with_lock, locks_the_stream);
}

static void *forks(void *arg)
{
	__fork();
	return arg;
}

static void a_fork(void)
{
	RUN(forks);
}

static void reads_by_itself(void)
{
	struct aiocb64 block = { .aio_fildes = 0 };

	RUN(sets);
	aio_read64(&block);
}

CASES(CASE(a_pipe), CASE(with_checks), CASE(from_a_socket), CASE(polled), CASE(at_some_place),
      CASE(too_little_room), CASE(too_little_room_from_a_socket), CASE(written_meanwhile),
      CASE(a_large_file), CASE(read_meanwhile), CASE(copied_meanwhile), CASE(sleeps), CASE(yields),
      CASE(keys), CASE(characters), CASE(a_fork), CASE(reads_by_itself))
