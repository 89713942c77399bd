/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pointers.c - calls that heddle stands in front of, with pointers that lead nowhere (pointers.test)
 *
 *	pointers
 *		does all rows of the table natively, each with all pointers, in processes of their own. A line
 *		for each: CALL ARGUMENT POINTER crash, or what the call answered and its errno, or hang
 *	pointers thread|main CALL ARGUMENT POINTER crash|RESULT ERRNO
 *		does one of these, in a thread or before there is one; aborts if the call answers, and
 *		with anything else
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

/* ---- What calls are made with ----------------------------------------------------------- */

static pthread_mutex_t m, held;
static pthread_rwlock_t rw;
static pthread_cond_t c;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_t thread;
static sem_t sem, none;
static mtx_t mtx;
static cnd_t cnd;
static int pipes[2], pair[2], event, poller, listener, unnamed, null, zeros, file;
static sigset_t signals;
static timer_t timer;
static const struct timespec past;
static struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "pointers.socket" };
static socklen_t name_size = sizeof(name);
static cpu_set_t cpus;
static FILE *input, *output;
static char buf[64] = "12 words";
static wchar_t wide[64] = L"12 words";
static int number = 1, zero;
static long large = 1;
static struct tm tm = { .tm_mday = 1 };
static atomic_int word;

static void nothing(void)
{
}

static void *returns(void *arg)
{
	return arg;
}

static int returns_c11(void *arg)
{
	return arg != NULL;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void ready_locks(void)
{
	pthread_mutex_init(&m, NULL);
	pthread_mutex_init(&held, NULL);
	pthread_mutex_lock(&held);
	pthread_rwlock_init(&rw, NULL);
	pthread_rwlock_rdlock(&rw);
	pthread_cond_init(&c, NULL);
	sem_init(&sem, 0, 1);
	sem_init(&none, 0, 0);
	mtx_init(&mtx, mtx_timed);
	cnd_init(&cnd);
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
}

static void ready_descriptors(void)
{
	struct epoll_event e = { .events = EPOLLIN };

	assert(pipe(pipes) == 0 && write(pipes[1], buf, 8) == 8);
	event = eventfd(1, 0);
	poller = epoll_create1(0);
	assert(epoll_ctl(poller, EPOLL_CTL_ADD, pipes[0], &e) == 0);
	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && write(pair[1], buf, 8) == 8);
	listener = unnamed = socket(AF_UNIX, SOCK_STREAM, 0);
	null = open("/dev/null", O_RDWR);
	zeros = open("/dev/zero", O_RDWR);
	file = null;
	input = fopen("/dev/zero", "r");
	output = fopen("/dev/null", "w");
	assert(null >= 0 && zeros >= 0 && input && output);
}

static void made(void)
{
	assert(pthread_create(&thread, NULL, returns, NULL) == 0);
}

static void pending(void)
{
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	raise(SIGUSR1);
}

static fd_set *bits_of(int fd)
{
	static fd_set set;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	return &set;
}

#define LOCKED     pthread_mutex_lock(&m)
#define LOCKED_C11 mtx_lock(&mtx)
#define MADE(call) (made(), (call))
#define PENDING    pending()
#define BITS(fd)   bits_of(fd)
#define VECTOR     ((struct iovec){ p, 4 })

/* ---- The table ---------------------------------------------------------------------------- */

struct row {
	const char *call, *argument;
	long (*does)(void *p);
};

#define ROW(call, argument, ...)                        \
	static long call##_with_bad_##argument(void *p) \
	{                                               \
		return (long)(__VA_ARGS__);             \
	}
#include "hooks/pointers_table.h"
#undef ROW

#define ROW(call, argument, ...) { #call, #argument, call##_with_bad_##argument },
static const struct row rows[] = {
#include "hooks/pointers_table.h"
};

enum {
	N_ROWS = sizeof(rows) / sizeof(rows[0]),
	AREA = 1 << 16
};

static const char *const pointers[] = { "null", "field", "unmapped", "wild", "constant" };
enum {
	N_POINTERS = sizeof(pointers) / sizeof(pointers[0])
};

/* Nobody maps anything down here, the first page apart. */
#define UNMAPPED 0x60000000

static void *pointer(const char *what)
{
	uintptr_t at = 0;

	if (!strcmp(what, "field"))
		at = 64;
	else if (!strcmp(what, "unmapped"))
		at = UNMAPPED;
	else if (!strcmp(what, "wild"))
		at = 0xdead000000000000;
	else if (!strcmp(what, "constant"))
		at = (uintptr_t)mmap(NULL, AREA, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert(at != (uintptr_t)MAP_FAILED);
	__asm__ volatile("" : "+r"(at));
	return (void *)at;
}

static const struct row *row;
static void *bad;
static long result;
static int error;

static void *does(void *arg)
{
	errno = 0;
	result = row->does(bad);
	error = result == -1 ? errno : 0;
	return arg;
}

/* ---- Natively: all of them ---------------------------------------------------------------- */

static void answers(void)
{
	int out = dup(1);
	pthread_t t;

	alarm(1);
	close(1);
	close(2); /* libc has words of its own for some */
	ready_locks();
	ready_descriptors();
	pthread_create(&t, NULL, does, NULL);
	pthread_join(t, NULL);
	dprintf(out, "%ld %d\n", result, error);
	_exit(0);
}

static int all(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	for (size_t i = 0; i < N_ROWS; i++) {
		for (size_t j = 0; j < N_POINTERS; j++) {
			int status;

			row = &rows[i];
			bad = pointer(pointers[j]);
			printf("%s %s %s ", row->call, row->argument, pointers[j]);
			if (fork() == 0)
				answers();
			wait(&status);
			if (WIFSIGNALED(status))
				printf("%s\n", WTERMSIG(status) == SIGALRM ? "hang" : "crash");
		}
	}
	return 0;
}

/* ---- One of them ---------------------------------------------------------------------------- */

static void *idle(void *arg)
{
	return arg;
}

int main(int argc, char **argv)
{
	bool threaded;
	pthread_t t;

	if (argc < 6)
		return all();
	threaded = !strcmp(argv[1], "thread");
	for (size_t i = 0; i < N_ROWS; i++)
		if (!strcmp(rows[i].call, argv[2]) && !strcmp(rows[i].argument, argv[3]))
			row = &rows[i];
	assert(row);
	bad = pointer(argv[4]);
	ready_locks();
	ready_descriptors();
	if (!threaded)
		does(NULL);
	assert(pthread_create(&t, NULL, threaded ? does : idle, NULL) == 0);
	assert(pthread_join(t, NULL) == 0);
	if (!strcmp(argv[5], "crash") || result != atol(argv[5]) || error != atoi(argv[6])) {
		fprintf(stderr, "gives %ld with errno %d, not %s\n", result, error, argv[5]);
		abort();
	}
	return 0;
}
