/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * points.c - which calls are cancellation points (POSIX, 2.9.5.2), and which are none
 *
 * ways fsync: EBADF EINVAL; not EIO (of devices)
 * ways fdatasync: EBADF EINVAL; not EIO (of devices)
 * ways msync: EINVAL ENOMEM; not EBUSY (of locked memory)
 *
 * A thread that has sent itself a request ends in the first that is one, and in no other.
 *
 * case fsync_EBADF: ok 1
 * case fsync_EINVAL: ok 1
 * case fdatasync_EBADF: ok 1
 * case fdatasync_EINVAL: ok 1
 * case msync_EINVAL: ok 1
 * case msync_ENOMEM: ok 1
 * case pthread_testcancel_is_one: ok 1
 * case pthread_join_is_one: ok 1
 * case pthread_cond_wait_is_one: ok 1
 * case pthread_cond_timedwait_is_one: ok 1
 * case cnd_wait_is_one: ok 1
 * case cnd_timedwait_is_one: ok 1
 * case sem_wait_is_one: ok 1
 * case sem_timedwait_is_one: ok 1
 * case nanosleep_is_one: ok 1
 * case clock_nanosleep_is_one: ok 1
 * case sleep_is_one: ok 1
 * case usleep_is_one: ok 1
 * case thrd_sleep_is_one: ok 1
 * case read_is_one: ok 1
 * case readv_is_one: ok 1
 * case write_is_one: ok 1
 * case writev_is_one: ok 1
 * case recv_is_one: ok 1
 * case send_is_one: ok 1
 * case poll_is_one: ok 1
 * case select_is_one: ok 1
 * case open_is_one: ok 1
 * case openat_is_one: ok 1
 * case creat_is_one: ok 1
 * case close_is_one: ok 1
 * case accept_is_one: ok 1
 * case connect_is_one: ok 1
 * case recvfrom_is_one: ok 1
 * case sendto_is_one: ok 1
 * case pselect_is_one: ok 1
 * case fsync_is_one: ok 1
 * case fdatasync_is_one: ok 1
 * case msync_is_one: ok 1
 * case pread_is_one: ok 1
 * case pwrite_is_one: ok 1
 * case fcntl_lock_is_one: ok 1
 * case pause_is_one: ok 1
 * case waitpid_is_one: ok 1
 * case wait_is_one: ok 1
 * case waitid_is_one: ok 1
 * case sigsuspend_is_one: ok 1
 * case sigwait_is_one: ok 1
 * case sigwaitinfo_is_one: ok 1
 * case sigtimedwait_is_one: ok 1
 * case sem_trywait_is_none: ok 1
 * case sem_post_is_none: ok 1
 * case pthread_mutex_lock_is_none: ok 1
 * case pthread_mutex_timedlock_is_none: ok 1
 * case pthread_rwlock_wrlock_is_none: ok 1
 * case pthread_rwlock_rdlock_is_none: ok 1
 * case pthread_spin_lock_is_none: ok 1
 * case pthread_barrier_wait_is_none: ok 1
 * case pthread_cond_signal_is_none: ok 1
 * case pthread_tryjoin_np_is_none: ok 1
 * case sched_yield_is_none: ok 1
 * case pthread_setcanceltype_is_none: ok 1
 * case pipe_is_none: ok 1
 * case dup_is_none: ok 1
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "hooks/fails.h"
#include "hooks/times.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static pthread_t main_thread;
static sem_t one;
static mtx_t mtx;
static cnd_t cnd;
static int ends[2], sockets[2];
static sigset_t no_signals, usr1;
static int signal_number;

static void init(void)
{
	main_thread = pthread_self();
	assert(sem_init(&one, 0, 1) == 0);
	GIVES(0, pthread_barrier_init(&barrier, NULL, 1));
	GIVES(0, pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE));
	GIVES(thrd_success, mtx_init(&mtx, mtx_timed));
	GIVES(thrd_success, cnd_init(&cnd));
	sigaddset(&usr1, SIGUSR1);
	assert(pipe(ends) == 0);
	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
	assert(write(ends[1], "x", 1) == 1);
	assert(write(sockets[1], "x", 1) == 1);
}

static void *ends_in(void (*call)(void))
{
	void *value;
	pthread_t t;

	init();
	GIVES(0, pthread_create(&t, NULL, (void *(*)(void *))(void (*)(void))call, NULL));
	GIVES(0, pthread_join(t, &value));
	return value;
}

static void unlock(void *arg)
{
	GIVES(0, pthread_mutex_unlock(arg));
}

static void mtx_unlock_it(void *arg)
{
	GIVES(thrd_success, mtx_unlock(arg));
}

/* Held by who waits for a condition, when it is cancelled. */
static void wait_for_c(const struct timespec *until)
{
	GIVES(0, pthread_mutex_lock(&m));
	pthread_cleanup_push(unlock, &m);
	if (until)
		pthread_cond_timedwait(&c, &m, until);
	else
		pthread_cond_wait(&c, &m);
	pthread_cleanup_pop(1);
}

static void wait_for_cnd(const struct timespec *until)
{
	GIVES(thrd_success, mtx_lock(&mtx));
	pthread_cleanup_push(mtx_unlock_it, &mtx);
	if (until)
		cnd_timedwait(&cnd, &mtx, until);
	else
		cnd_wait(&cnd, &mtx);
	pthread_cleanup_pop(1);
}

#define CALLS(name, body)                                 \
	static void do_##name(void)                       \
	{                                                 \
		GIVES(0, pthread_cancel(pthread_self())); \
		body;                                     \
	}

#define POINT(name, body)                                       \
	CALLS(name, body)                                       \
	static void name##_is_one(void)                         \
	{                                                       \
		assert(ends_in(do_##name) == PTHREAD_CANCELED); \
	}

/* Not even a request that has been waiting is looked at. */
#define NO_POINT(name, body)                                                              \
	CALLS(name, body; GIVES(0, pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL)); \
	      pthread_exit(&one))                                                         \
	static void name##_is_none(void)                                                  \
	{                                                                                 \
		assert(ends_in(do_##name) == &one);                                       \
	}

static char byte;
static struct iovec part = { .iov_base = &byte, .iov_len = 1 };
static struct pollfd ready = { .events = POLLIN };

/* ---- Threads and their objects ----------------------------------------------------------- */

POINT(pthread_testcancel, pthread_testcancel())
POINT(pthread_join, pthread_join(main_thread, NULL))
POINT(pthread_cond_wait, wait_for_c(NULL))
POINT(pthread_cond_timedwait, wait_for_c(&never))
POINT(cnd_wait, wait_for_cnd(NULL))
POINT(cnd_timedwait, wait_for_cnd(&never))
POINT(sem_wait, sem_wait(&one))
POINT(sem_timedwait, sem_timedwait(&one, &never))
NO_POINT(sem_trywait, sem_trywait(&one))
NO_POINT(sem_post, sem_post(&one))
NO_POINT(pthread_mutex_lock, pthread_mutex_lock(&m); pthread_mutex_unlock(&m))
NO_POINT(pthread_mutex_timedlock, pthread_mutex_timedlock(&m, &never); pthread_mutex_unlock(&m))
NO_POINT(pthread_rwlock_wrlock, pthread_rwlock_wrlock(&rw); pthread_rwlock_unlock(&rw))
NO_POINT(pthread_rwlock_rdlock, pthread_rwlock_rdlock(&rw); pthread_rwlock_unlock(&rw))
NO_POINT(pthread_spin_lock, pthread_spin_lock(&spin); pthread_spin_unlock(&spin))
NO_POINT(pthread_barrier_wait, pthread_barrier_wait(&barrier))
NO_POINT(pthread_cond_signal, pthread_cond_signal(&c); pthread_cond_broadcast(&c))
NO_POINT(pthread_tryjoin_np, pthread_tryjoin_np(main_thread, NULL))
NO_POINT(sched_yield, sched_yield())
NO_POINT(pthread_setcanceltype, pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL))

/* ---- Time -------------------------------------------------------------------------------- */

POINT(nanosleep, nanosleep(&past, NULL))
POINT(clock_nanosleep, clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, NULL))
POINT(sleep, sleep(1))
POINT(usleep, usleep(1))
POINT(thrd_sleep, thrd_sleep(&past, NULL))

/* ---- Descriptors ------------------------------------------------------------------------- */

POINT(read, read(ends[0], &byte, 1))
POINT(readv, readv(ends[0], &part, 1))
POINT(write, write(ends[1], &byte, 1))
POINT(writev, writev(ends[1], &part, 1))
POINT(recv, recv(sockets[0], &byte, 1, 0))
POINT(send, send(sockets[0], &byte, 1, 0))
POINT(poll, ready.fd = ends[0]; poll(&ready, 1, 0))
POINT(select, select(0, NULL, NULL, NULL, &(struct timeval){ .tv_sec = 0 }))
POINT(open, open("/dev/null", O_RDONLY))
POINT(openat, openat(AT_FDCWD, "/dev/null", O_RDONLY))
POINT(creat, creat("/dev/null", 0600))
POINT(close, close(ends[0]))
POINT(accept, accept(-1, NULL, NULL))
POINT(connect, connect(-1, NULL, 0))
POINT(recvfrom, recvfrom(sockets[0], &byte, 1, 0, NULL, NULL))
POINT(sendto, sendto(sockets[0], &byte, 1, 0, NULL, 0))
POINT(pselect, pselect(0, NULL, NULL, NULL, &(struct timespec){ .tv_sec = 0 }, NULL))
POINT(fsync, fsync(ends[0]))
POINT(fdatasync, fdatasync(ends[0]))
POINT(msync, msync(NULL, 0, MS_SYNC))
POINT(pread, pread(ends[0], &byte, 1, 0))
POINT(pwrite, pwrite(ends[0], &byte, 1, 0))
POINT(fcntl_lock, fcntl(ends[0], F_SETLKW, NULL))
NO_POINT(pipe, pipe(ends))
NO_POINT(dup, dup(ends[0]))

/* ---- Signals, processes ------------------------------------------------------------------ */

POINT(pause, pause())
POINT(waitpid, waitpid(-1, NULL, WNOHANG))
POINT(wait, wait(NULL))
POINT(waitid, waitid(P_ALL, 0, NULL, WEXITED | WNOHANG))
POINT(sigsuspend, sigsuspend(&no_signals))
POINT(sigwait, sigwait(&usr1, &signal_number))
POINT(sigwaitinfo, sigwaitinfo(&usr1, NULL))
POINT(sigtimedwait, sigtimedwait(&usr1, NULL, &past))

/* ---- How the calls fail that are nothing else to heddle ---------------------------------- */

static void fsync_EBADF(void)
{
	FAILS(EBADF, fsync(-1));
}

static void fsync_EINVAL(void)
{
	assert(pipe(ends) == 0);
	FAILS(EINVAL, fsync(ends[0]));
}

static void fdatasync_EBADF(void)
{
	FAILS(EBADF, fdatasync(-1));
}

static void fdatasync_EINVAL(void)
{
	assert(pipe(ends) == 0);
	FAILS(EINVAL, fdatasync(ends[0]));
}

static char page[4096] __attribute__((aligned(4096)));

static void *sync_wrongly(void *arg)
{
	FAILS(EINVAL, msync(page + 1, sizeof(page), MS_SYNC));
	FAILS(EINVAL, msync(page, sizeof(page), MS_SYNC | MS_ASYNC));
	assert(msync(page, sizeof(page), MS_SYNC) == 0);
	return arg;
}

static void msync_EINVAL(void)
{
	BOTH(sync_wrongly);
}

static void *sync_no_memory(void *arg)
{
	FAILS(ENOMEM, msync(NULL, sizeof(page), MS_SYNC));
	return arg;
}

static void msync_ENOMEM(void)
{
	BOTH(sync_no_memory);
}

CASES(CASE(fsync_EBADF), CASE(fsync_EINVAL), CASE(fdatasync_EBADF), CASE(fdatasync_EINVAL),
      CASE(msync_EINVAL), CASE(msync_ENOMEM), CASE(pthread_testcancel_is_one),
      CASE(pthread_join_is_one), CASE(pthread_cond_wait_is_one),
      CASE(pthread_cond_timedwait_is_one), CASE(cnd_wait_is_one), CASE(cnd_timedwait_is_one),
      CASE(sem_wait_is_one), CASE(sem_timedwait_is_one), CASE(nanosleep_is_one),
      CASE(clock_nanosleep_is_one), CASE(sleep_is_one), CASE(usleep_is_one),
      CASE(thrd_sleep_is_one), CASE(read_is_one), CASE(readv_is_one), CASE(write_is_one),
      CASE(writev_is_one), CASE(recv_is_one), CASE(send_is_one), CASE(poll_is_one),
      CASE(select_is_one), CASE(open_is_one), CASE(openat_is_one), CASE(creat_is_one),
      CASE(close_is_one), CASE(accept_is_one), CASE(connect_is_one), CASE(recvfrom_is_one),
      CASE(sendto_is_one), CASE(pselect_is_one), CASE(fsync_is_one), CASE(fdatasync_is_one),
      CASE(msync_is_one), CASE(pread_is_one), CASE(pwrite_is_one), CASE(fcntl_lock_is_one),
      CASE(pause_is_one), CASE(waitpid_is_one), CASE(wait_is_one), CASE(waitid_is_one),
      CASE(sigsuspend_is_one), CASE(sigwait_is_one), CASE(sigwaitinfo_is_one),
      CASE(sigtimedwait_is_one), CASE(sem_trywait_is_none), CASE(sem_post_is_none),
      CASE(pthread_mutex_lock_is_none), CASE(pthread_mutex_timedlock_is_none),
      CASE(pthread_rwlock_wrlock_is_none), CASE(pthread_rwlock_rdlock_is_none),
      CASE(pthread_spin_lock_is_none), CASE(pthread_barrier_wait_is_none),
      CASE(pthread_cond_signal_is_none), CASE(pthread_tryjoin_np_is_none),
      CASE(sched_yield_is_none), CASE(pthread_setcanceltype_is_none), CASE(pipe_is_none),
      CASE(dup_is_none))
