/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interrupt.c - calls that a handler interrupts while they wait, and calls that none does
 *
 * Each case sends a thread a signal and, when the handler has run, lets its call come to an end. Natively the
 * thread waits already when the signal is sent, so it must be interrupted. Under heddle the signal
 * comes before the call as well: then the call waits for its end.
 *
 * case sem_wait_EINTR: ok *
 * case sem_timedwait_EINTR: ok *
 * case sem_clockwait_EINTR: ok *
 * case read_EINTR: ok *
 * case readv_EINTR: ok *
 * case recv_EINTR: ok *
 * case recvmsg_EINTR: ok *
 * case recvfrom_EINTR: ok *
 * case write_EINTR: ok *
 * case writev_EINTR: ok *
 * case send_EINTR: ok *
 * case accept_EINTR: ok *
 * case poll_EINTR: ok *
 * case ppoll_EINTR: ok *
 * case select_EINTR: ok *
 * case pselect_EINTR: ok *
 * case epoll_wait_EINTR: ok *
 * case epoll_pwait_EINTR: ok *
 * case nanosleep_EINTR: ok *
 * case clock_nanosleep_EINTR: ok *
 * case usleep_EINTR: ok *
 * case sleep_tells_what_is_left: ok *
 * case syscall_EINTR: ok *
 * case sigtimedwait_EINTR: ok *
 * case sigwaitinfo_EINTR: ok *
 * case sem_wait_is_restarted: ok *
 * case read_is_restarted: ok *
 * case accept_is_restarted: ok *
 * case poll_is_not_restarted: ok *
 * case pthread_mutex_lock_goes_on: ok *
 * case pthread_cond_wait_goes_on: ok *
 * case pthread_join_goes_on: ok *
 * case sigwait_goes_on: ok *
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "../hooks/signals.h"
#include "posix.h"

static sem_t sem;
static int fd[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool flag;
static uint32_t word;

static bool natively;
static atomic_int ran, thread_id;
static long (*call)(void);
static long result;
static int error;

static void note(int sig)
{
	assert(sig == SIGUSR1);
	atomic_fetch_add(&ran, 1);
}

static void *make_call(void *arg)
{
	if (natively)
		atomic_store(&thread_id, (int)gettid());
	errno = 0;
	result = call();
	error = errno;
	return arg;
}

/* Natively: until the thread waits in the kernel. */
static bool waits_natively(void)
{
	char path[64], state = 0;

	if (!natively)
		return false;
	while (!atomic_load(&thread_id))
		;
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread_id);
	while (state != 'S') {
		FILE *f = fopen(path, "r");

		assert(f && fscanf(f, "%*d %*s %c", &state) == 1);
		fclose(f);
	}
	return true;
}

/* True if the call must have been interrupted. release: what lets it end otherwise. */
static bool interrupt(long (*fn)(void), void (*release)(void), int flags)
{
	struct sigaction a = { .sa_handler = note, .sa_flags = flags };
	bool waits;
	pthread_t t;

	assert(sigaction(SIGUSR1, &a, NULL) == 0);
	natively = getenv("HEDDLE_TEST_NATIVELY");
	call = fn;
	t = begin(make_call, NULL);
	waits = waits_natively();
	assert(pthread_kill(t, SIGUSR1) == 0);
	while (release && !atomic_load(&ran))
		;
	if (release)
		release();
	end(t);
	return waits;
}

static void is_interrupted(long (*fn)(void), void (*release)(void), long otherwise)
{
	bool must = interrupt(fn, release, 0);

	assert((result == -1 && error == EINTR) || (!must && result == otherwise));
}

static void is_restarted(long (*fn)(void), void (*release)(void), long wanted)
{
	interrupt(fn, release, SA_RESTART);
	assert(result == wanted && atomic_load(&ran) == 1);
}

/* ---- Semaphores -------------------------------------------------------------------------------------- */

static void post(void)
{
	assert(sem_post(&sem) == 0);
}

static long wait_sem(void)
{
	return sem_wait(&sem);
}

static struct timespec later(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_sec += 1000;
	return t;
}

static long wait_sem_until(void)
{
	struct timespec t = later(CLOCK_REALTIME);

	return sem_timedwait(&sem, &t);
}

static long wait_sem_by_clock(void)
{
	struct timespec t = later(CLOCK_MONOTONIC);

	return sem_clockwait(&sem, CLOCK_MONOTONIC, &t);
}

static void sem_wait_EINTR(void)
{
	sem_init(&sem, 0, 0);
	is_interrupted(wait_sem, post, 0);
}

/* It comes to an end by itself as well, perhaps before there is a signal. */
static void timed_EINTR(long (*fn)(void), int otherwise)
{
	bool must = interrupt(fn, NULL, 0);

	assert(result == -1 && (error == EINTR || (!must && error == otherwise)));
}

static void sem_timedwait_EINTR(void)
{
	sem_init(&sem, 0, 0);
	timed_EINTR(wait_sem_until, ETIMEDOUT);
}

static void sem_clockwait_EINTR(void)
{
	sem_init(&sem, 0, 0);
	timed_EINTR(wait_sem_by_clock, ETIMEDOUT);
}

static void sem_wait_is_restarted(void)
{
	sem_init(&sem, 0, 0);
	is_restarted(wait_sem, post, 0);
}

/* ---- Descriptors ----------------------------------------------------------------------------------- */

static void put(void)
{
	assert(write(fd[1], "x", 1) == 1);
}

static char byte;
static struct iovec one_byte = { &byte, 1 };

static long read_byte(void)
{
	return read(fd[0], &byte, 1);
}

static long readv_byte(void)
{
	return readv(fd[0], &one_byte, 1);
}

static long recv_byte(void)
{
	return recv(fd[0], &byte, 1, 0);
}

static long recvfrom_byte(void)
{
	return recvfrom(fd[0], &byte, 1, 0, NULL, NULL);
}

static long recvmsg_byte(void)
{
	struct msghdr m = { .msg_iov = &one_byte, .msg_iovlen = 1 };

	return recvmsg(fd[0], &m, 0);
}

#define PIPE_EINTR(name, fn, otherwise)             \
	static void name##_EINTR(void)              \
	{                                           \
		assert(pipe(fd) == 0);              \
		is_interrupted(fn, put, otherwise); \
	}
PIPE_EINTR(read, read_byte, 1)
PIPE_EINTR(readv, readv_byte, 1)

#define SOCKET_EINTR(name, fn, release)                               \
	static void name##_EINTR(void)                                \
	{                                                             \
		assert(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0); \
		is_interrupted(fn, release, 1);                       \
	}
SOCKET_EINTR(recv, recv_byte, put)
SOCKET_EINTR(recvfrom, recvfrom_byte, put)
SOCKET_EINTR(recvmsg, recvmsg_byte, put)

static void read_is_restarted(void)
{
	assert(pipe(fd) == 0);
	is_restarted(read_byte, put, 1);
}

/* Of the smallest size, and full. */
static void fill(void)
{
	static char page[4096];

	assert(pipe(fd) == 0);
	assert(fcntl(fd[1], F_SETPIPE_SZ, 4096) == 4096);
	assert(write(fd[1], page, sizeof(page)) == sizeof(page));
}

static void empty(void)
{
	static char page[4096];

	assert(read(fd[0], page, sizeof(page)) == sizeof(page));
}

static long write_byte(void)
{
	return write(fd[1], "x", 1);
}

static long writev_byte(void)
{
	return writev(fd[1], &one_byte, 1);
}

static void write_EINTR(void)
{
	fill();
	is_interrupted(write_byte, empty, 1);
}

static void writev_EINTR(void)
{
	fill();
	is_interrupted(writev_byte, empty, 1);
}

static void drain(void)
{
	static char page[65536];

	assert(fcntl(fd[0], F_SETFL, O_NONBLOCK) == 0);
	while (recv(fd[0], page, sizeof(page), 0) > 0)
		;
}

static long send_byte(void)
{
	return send(fd[1], "x", 1, 0);
}

static void send_EINTR(void)
{
	static char page[65536];

	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
	while (send(fd[1], page, sizeof(page), MSG_DONTWAIT) > 0)
		;
	while (send(fd[1], page, 1, MSG_DONTWAIT) > 0)
		;
	is_interrupted(send_byte, drain, 1);
}

static struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "" };

static long accept_one(void)
{
	return accept(fd[0], NULL, NULL) < 0 ? -1 : 0;
}

static void connect_one(void)
{
	assert(connect(fd[1], (struct sockaddr *)&name, sizeof(name)) == 0);
}

static void listen_at(void)
{
	snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "heddle-%d", (int)getpid());
	fd[0] = socket(AF_UNIX, SOCK_STREAM, 0);
	fd[1] = socket(AF_UNIX, SOCK_STREAM, 0);
	assert(bind(fd[0], (struct sockaddr *)&name, sizeof(name)) == 0 && listen(fd[0], 1) == 0);
}

static void accept_EINTR(void)
{
	listen_at();
	is_interrupted(accept_one, connect_one, 0);
}

static void accept_is_restarted(void)
{
	listen_at();
	is_restarted(accept_one, connect_one, 0);
}

/* ---- Waiting for descriptors: never restarted ---------------------------------------------------- */

static long poll_it(void)
{
	struct pollfd p = { .fd = fd[0], .events = POLLIN };

	return poll(&p, 1, -1);
}

static long ppoll_it(void)
{
	struct pollfd p = { .fd = fd[0], .events = POLLIN };
	sigset_t none = only(0);

	mask(SIG_BLOCK, SIGUSR1);
	return ppoll(&p, 1, NULL, &none);
}

static long select_it(void)
{
	fd_set in;

	FD_ZERO(&in);
	FD_SET(fd[0], &in);
	return select(fd[0] + 1, &in, NULL, NULL, NULL);
}

static long pselect_it(void)
{
	sigset_t none = only(0);
	fd_set in;

	FD_ZERO(&in);
	FD_SET(fd[0], &in);
	mask(SIG_BLOCK, SIGUSR1);
	return pselect(fd[0] + 1, &in, NULL, NULL, NULL, &none);
}

static int watch(void)
{
	struct epoll_event e = { .events = EPOLLIN };
	int set = epoll_create1(0);

	assert(epoll_ctl(set, EPOLL_CTL_ADD, fd[0], &e) == 0);
	return set;
}

static long epoll_it(void)
{
	struct epoll_event e;

	return epoll_wait(watch(), &e, 1, -1);
}

static long epoll_it_with_mask(void)
{
	sigset_t none = only(0);
	struct epoll_event e;

	mask(SIG_BLOCK, SIGUSR1);
	return epoll_pwait(watch(), &e, 1, -1, &none);
}

PIPE_EINTR(poll, poll_it, 1)
PIPE_EINTR(select, select_it, 1)
PIPE_EINTR(epoll_wait, epoll_it, 1)

/* The signal is blocked but for the call: it is never lost, so there is no release. */
#define MASKED_EINTR(name, fn)                          \
	static void name##_EINTR(void)                  \
	{                                               \
		assert(pipe(fd) == 0);                  \
		mask(SIG_BLOCK, SIGUSR1);               \
		interrupt(fn, NULL, SA_RESTART);        \
		assert(result == -1 && error == EINTR); \
	}
MASKED_EINTR(ppoll, ppoll_it)
MASKED_EINTR(pselect, pselect_it)
MASKED_EINTR(epoll_pwait, epoll_it_with_mask)

static void poll_is_not_restarted(void)
{
	bool must;

	assert(pipe(fd) == 0);
	must = interrupt(poll_it, put, SA_RESTART);
	assert((result == -1 && error == EINTR) || (!must && result == 1));
}

/* ---- Sleeping ------------------------------------------------------------------------------------- */

static const struct timespec long_time = { .tv_sec = 1000 };

static long sleep_ns(void)
{
	struct timespec left = { 0 };
	int status = nanosleep(&long_time, &left);

	assert(!status || (left.tv_sec > 0 && left.tv_sec <= 1000));
	return status;
}

static long sleep_by_clock(void)
{
	errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &long_time, NULL);
	return errno ? -1 : 0;
}

static long sleep_us(void)
{
	return usleep(999999999);
}

static long sleep_s(void)
{
	return sleep(1000);
}

static void nanosleep_EINTR(void)
{
	is_interrupted(sleep_ns, NULL, 0);
}

static void clock_nanosleep_EINTR(void)
{
	is_interrupted(sleep_by_clock, NULL, 0);
}

static void usleep_EINTR(void)
{
	is_interrupted(sleep_us, NULL, 0);
}

static void sleep_tells_what_is_left(void)
{
	bool must = interrupt(sleep_s, NULL, 0);

	assert(must ? result > 0 : result >= 0 && result <= 1000);
}

/* ---- Others ---------------------------------------------------------------------------------------- */

static long wait_word(void)
{
	return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL);
}

static void wake_word(void)
{
	__atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
}

static void syscall_EINTR(void)
{
	bool must = interrupt(wait_word, wake_word, 0);

	assert((result == -1 && error == EINTR) ||
	       (!must && (result == 0 || (result == -1 && error == EAGAIN))));
}

static void send_the_other(void)
{
	assert(kill(getpid(), SIGUSR2) == 0);
}

static long wait_for_the_other(void)
{
	sigset_t set = only(SIGUSR2);

	return sigwaitinfo(&set, NULL);
}

static long wait_for_the_other_until(void)
{
	sigset_t set = only(SIGUSR2);

	return sigtimedwait(&set, NULL, &long_time);
}

static long sigwait_for_the_other(void)
{
	sigset_t set = only(SIGUSR2);
	int sig;

	assert(sigwait(&set, &sig) == 0);
	return sig;
}

static void sigwaitinfo_EINTR(void)
{
	mask(SIG_BLOCK, SIGUSR2);
	is_interrupted(wait_for_the_other, send_the_other, SIGUSR2);
}

static void sigtimedwait_EINTR(void)
{
	mask(SIG_BLOCK, SIGUSR2);
	timed_EINTR(wait_for_the_other_until, EAGAIN);
}

static void sigwait_goes_on(void)
{
	mask(SIG_BLOCK, SIGUSR2);
	interrupt(sigwait_for_the_other, send_the_other, 0);
	assert(result == SIGUSR2);
}

static void unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

static long lock_it(void)
{
	int status = pthread_mutex_lock(&mutex);

	pthread_mutex_unlock(&mutex);
	return status;
}

static void pthread_mutex_lock_goes_on(void)
{
	pthread_mutex_lock(&mutex);
	interrupt(lock_it, unlock, 0);
	assert(result == 0);
}

static long wait_for_flag(void)
{
	int status = 0;

	pthread_mutex_lock(&mutex);
	while (!flag && !status)
		status = pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	return status;
}

static void set_flag(void)
{
	pthread_mutex_lock(&mutex);
	flag = true;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
}

static void pthread_cond_wait_goes_on(void)
{
	interrupt(wait_for_flag, set_flag, 0);
	assert(result == 0);
}

static void *wait_in_another(void *arg)
{
	assert(sem_wait(&sem) == 0);
	return arg;
}

static pthread_t another;

static long join_it(void)
{
	return pthread_join(another, NULL);
}

static void pthread_join_goes_on(void)
{
	sem_init(&sem, 0, 0);
	another = begin(wait_in_another, NULL);
	interrupt(join_it, post, 0);
	assert(result == 0);
}

CASES(CASE(sem_wait_EINTR), CASE(sem_timedwait_EINTR), CASE(sem_clockwait_EINTR), CASE(read_EINTR),
      CASE(readv_EINTR), CASE(recv_EINTR), CASE(recvmsg_EINTR), CASE(recvfrom_EINTR),
      CASE(write_EINTR), CASE(writev_EINTR), CASE(send_EINTR), CASE(accept_EINTR), CASE(poll_EINTR),
      CASE(ppoll_EINTR), CASE(select_EINTR), CASE(pselect_EINTR), CASE(epoll_wait_EINTR),
      CASE(epoll_pwait_EINTR), CASE(nanosleep_EINTR), CASE(clock_nanosleep_EINTR),
      CASE(usleep_EINTR), CASE(sleep_tells_what_is_left), CASE(syscall_EINTR),
      CASE(sigtimedwait_EINTR), CASE(sigwaitinfo_EINTR), CASE(sem_wait_is_restarted),
      CASE(read_is_restarted), CASE(accept_is_restarted), CASE(poll_is_not_restarted),
      CASE(pthread_mutex_lock_goes_on), CASE(pthread_cond_wait_goes_on), CASE(pthread_join_goes_on),
      CASE(sigwait_goes_on))
