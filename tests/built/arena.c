/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arena.c - a program that has mapped a large piece of memory before its first thread
 *
 * What its threads do there stands in no call, and heddle does not look at pages that were not
 * written to. Each case is named on the command line.
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	SIZE = 1 << 20,
	PAGE = 4096,
	ROUNDS = 20,
};

typedef void *body(void *);

static char *arena;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int file;

static volatile int *word(int page)
{
	return (volatile int *)(arena + page * PAGE);
}

static void with_thread(body *f, void (*here)(void))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, f, NULL))
		abort();
	here();
	pthread_join(thread, NULL);
}

static void locks(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

/* ---- Loops ------------------------------------------------------------------------------------ */

static void *nothing(void *arg)
{
	return arg;
}

static void *sets(void *arg)
{
	*word(7) = 1;
	return arg;
}

static void waits(void)
{
	while (!*word(7))
		sched_yield();
}

/* A page that is untouched, or written to and put back, is the same. */
static void puts_back(void)
{
	while (!*word(7)) {
		*word(9) = 1;
		*word(9) = 0;
		sched_yield();
	}
}

/* One page is what another one was. */
static void moves(void)
{
	int at = 20;

	while (!*word(7) && at < 20 + ROUNDS) {
		*word(at++) = 0;
		*word(at) = 1;
		sched_yield();
	}
}

/* In each of two executions. */
static void *only_locks(void *arg)
{
	locks();
	return arg;
}

static void counts(void)
{
	locks();
	while (!*word(7) && *word(11) < ROUNDS) {
		++*word(11);
		sched_yield();
	}
	assert(*word(7) || *word(11) == ROUNDS);
}

/* The same with tries of a mutex, and what they leave there is put back. */
static void tries_in_vain(void)
{
	while (pthread_mutex_trylock(&mutex)) {
		++*word(11);
		--*word(11);
	}
	pthread_mutex_unlock(&mutex);
}

static void *keeps(void *arg)
{
	pthread_mutex_lock(&mutex);
	return arg;
}

static void case_waits(void)
{
	with_thread(sets, waits);
}

static void case_never(void)
{
	with_thread(nothing, puts_back);
}

static void case_moves(void)
{
	with_thread(nothing, moves);
}

static void case_counts(void)
{
	with_thread(only_locks, counts);
}

static void case_in_vain(void)
{
	with_thread(keeps, tries_in_vain);
}

/* ---- The kernel writes ------------------------------------------------------------------------ */

static void is_read(ssize_t n, const char *at)
{
	assert(n == 4 && !memcmp(at, "data", 4));
	memset(arena + 100 * PAGE, 0, SIZE - 100 * PAGE);
}

static void *reads(void *arg)
{
	char *at = arena + 100 * PAGE;
	struct iovec v[] = { { at, 2 }, { at + 2, 2 } };

	assert(*at == 0);
	is_read(read(file, at, 4), at);
	lseek(file, 0, SEEK_SET);
	is_read(readv(file, v, 2), at);
	is_read(pread(file, at, 4, 0), at);
	is_read(pread(file, at + 10 * PAGE - 2, 4, 0), at + 10 * PAGE - 2);
	return arg;
}

static void *calls(void *arg)
{
	char *at = arena + 100 * PAGE;

	is_read(syscall(SYS_pread64, file, at, 4ul, 0ul), at);
	return arg;
}

static void *receives(void *arg)
{
	char *at = arena + 100 * PAGE;
	struct iovec v = { at, 4 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, fd))
		abort();
	for (int i = 0; i < 3; i++)
		assert(send(fd[1], "data", 4, 0) == 4);
	is_read(recv(fd[0], at, 4, 0), at);
	is_read(recvfrom(fd[0], at, 4, 0, NULL, NULL), at);
	is_read(recvmsg(fd[0], &m, 0), at);
	close(fd[0]);
	close(fd[1]);
	return arg;
}

/* A page is emptied without a fault. */
static void *empties(void *arg)
{
	assert(*word(50) == 1 && *word(51) == 2);
	*word(51) = 3;
	madvise(arena + 50 * PAGE, 2 * PAGE, MADV_DONTNEED);
	assert(!*word(50) && !*word(51));
	return arg;
}

/* Memory is what it was when each execution begins. */
static void *locks_too(void *arg)
{
	locks();
	return empties(arg);
}

/* Page by page upwards, and some of it twice. */
static void *fills(void *arg)
{
	locks();
	for (int page = 60; page < 250; page++) {
		assert(!*word(page));
		*word(page) = page;
		*word(page - page % 7) += 1;
	}
	return arg;
}

static void case_fills(void)
{
	with_thread(fills, locks);
	assert(*word(249) == 249 && *word(245) == 249 + 1);
}

static void case_reads(void)
{
	with_thread(reads, locks);
}

static void case_calls(void)
{
	with_thread(calls, locks);
}

static void case_receives(void)
{
	with_thread(receives, locks);
}

static void case_fresh(void)
{
	*word(50) = 1;
	*word(51) = 2;
	with_thread(locks_too, locks);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "waits", case_waits },   { "never", case_never },       { "moves", case_moves },
	{ "counts", case_counts }, { "in_vain", case_in_vain },   { "reads", case_reads },
	{ "calls", case_calls },   { "receives", case_receives }, { "fresh", case_fresh },
	{ "fills", case_fills },
};

static void prepare(void)
{
	char name[] = "arena.XXXXXX";

	arena = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	file = mkstemp(name);
	if (arena == MAP_FAILED || file < 0 || write(file, "data", 4) != 4)
		abort();
	unlink(name);
	lseek(file, 0, SEEK_SET);
}

int main(int argc, char **argv)
{
	prepare();
	for (size_t i = 0; argc == 2 && i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			return 0;
		}
	fprintf(stderr, "there is no case '%s'\n", argc > 1 ? argv[1] : "");
	return 2;
}
