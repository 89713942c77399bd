/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * service.c - services of libc and the kernel: refused by name, at any time
 *
 * ways aio_fsync: ; not EAGAIN EBADF EINVAL (refused)
 * ways aio_read: ; not EAGAIN EBADF EINVAL EOVERFLOW (refused)
 * ways aio_write: ; not EAGAIN EBADF EFBIG EINVAL (refused)
 * ways lio_listio: ; not EAGAIN EINVAL EINTR EIO (refused)
 * ways getaddrinfo_a: ; not EAI_AGAIN EAI_MEMORY (refused)
 * ways mq_open: ; not EACCES EEXIST EINVAL ENAMETOOLONG ENOENT (refused)
 * ways msgget: ; not EACCES EEXIST ENOENT ENOSPC (refused)
 * ways timerfd_settime: ; not EBADF EFAULT EINVAL ECANCELED (refused)
 * ways semget: ; not EACCES EEXIST EINVAL ENOENT ENOSPC (refused)
 *
 * case aio_fsync_refused: refused calls aio_fsync()
 * case aio_read_refused: refused calls aio_read()
 * case aio_write_refused: refused calls aio_write()
 * case lio_listio_refused: refused calls lio_listio()
 * case getaddrinfo_a_refused: refused calls getaddrinfo_a()
 * case mq_open_refused: refused calls mq_open()
 * case msgget_refused: refused calls msgget()
 * case semget_refused: refused calls semget()
 * case timerfd_settime_refused: refused calls timerfd_settime()
 * case timerfd_settime_that_stops: ok 1
 */
#define _GNU_SOURCE
#include <aio.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "hooks/fails.h"

static struct aiocb block = { .aio_fildes = -1 };
static const struct itimerspec soon = { { 0, 0 }, { 1, 0 } };

/* The answer is no longer asked for: the run has ended. */
#define REFUSED(name, call)                       \
	static void *name##_in_thread(void *arg_) \
	{                                         \
		return (call) ? NULL : arg_;      \
	}                                         \
	static void name##_refused(void)          \
	{                                         \
		THREADS(1, name##_in_thread);     \
	}

REFUSED(aio_fsync, aio_fsync(O_SYNC, &block))
REFUSED(aio_read, aio_read(&block))
REFUSED(aio_write, aio_write(&block))
REFUSED(lio_listio, lio_listio(LIO_WAIT, NULL, 0, NULL))
REFUSED(getaddrinfo_a, getaddrinfo_a(GAI_WAIT, NULL, 0, NULL))
REFUSED(mq_open, mq_open("/no-such-queue", O_RDONLY))
REFUSED(msgget, msgget(IPC_PRIVATE, 0))
REFUSED(semget, semget(IPC_PRIVATE, 1, 0))
REFUSED(timerfd_settime, timerfd_settime(timerfd_create(CLOCK_MONOTONIC, 0), 0, &soon, NULL))

IN_EACH(timerfd_settime_that_stops)
{
	const struct itimerspec off = { { 0, 0 }, { 0, 0 } };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);

	assert(timerfd_settime(fd, 0, &off, NULL) == 0 && close(fd) == 0);
	return arg;
}

CASES(CASE(aio_fsync_refused), CASE(aio_read_refused), CASE(aio_write_refused),
      CASE(lio_listio_refused), CASE(getaddrinfo_a_refused), CASE(mq_open_refused),
      CASE(msgget_refused), CASE(semget_refused), CASE(timerfd_settime_refused),
      CASE(timerfd_settime_that_stops))
