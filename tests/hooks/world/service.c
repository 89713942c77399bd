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
#include <unistd.h>

#include "hooks/fails.h"

static struct aiocb block = { .aio_fildes = -1 };

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

CASES(CASE(aio_fsync_refused), CASE(aio_read_refused), CASE(aio_write_refused),
      CASE(lio_listio_refused), CASE(getaddrinfo_a_refused), CASE(mq_open_refused),
      CASE(msgget_refused), CASE(semget_refused))
