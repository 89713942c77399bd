/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_service.c - what libc or the kernel does beside the program's threads
 *
 * Asynchronous input and output and notifications work by threads that libc starts behind
 * heddle's back, or by signals; message queues and System V semaphores block in the kernel. What
 * these do is no schedule that heddle knows of, so they are refused by name where they begin,
 * rather than found out as a hang or a divergence later.
 */
/*
 * intercepts: Services of libc and the kernel
 *
 * refused aio_read aio_read64 aio_write aio_write64 aio_fsync aio_fsync64 lio_listio lio_listio64 - read and write in a thread of the
 *	program
 * refused getaddrinfo_a - use getaddrinfo()
 * refused mq_open msgget - use a pipe, or a mutex and a condition variable
 * refused semget - use sem_init()
 */
#include "preload/hooks/hook.h"

#include <aio.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/msg.h>
#include <sys/sem.h>

#include "preload/core/active.h"
#include "preload/core/refuse.h"

static void refuse_service(const char *call, const char *cure)
{
	if (init_active())
		refuse("the program calls ", call, ", which heddle cannot explore: ", cure, NULL);
}

#define SERVICE(type, name, params, args, cure)   \
	HEDDLE_HOOK type name params              \
	{                                         \
		refuse_service(#name "()", cure); \
		return REAL(name) args;           \
	}

#define BY_THREAD "read and write with read() and write() in a thread of the program"
SERVICE(int, aio_read, (struct aiocb * block), (block), BY_THREAD)
SERVICE(int, aio_write, (struct aiocb * block), (block), BY_THREAD)
SERVICE(int, aio_fsync, (int operation, struct aiocb *block), (operation, block), BY_THREAD)
SERVICE(int, lio_listio,
	(int mode, struct aiocb *const list[restrict], int n, struct sigevent *restrict event),
	(mode, list, n, event), BY_THREAD)
SERVICE(int, getaddrinfo_a,
	(int mode, struct gaicb *list[restrict], int n, struct sigevent *restrict event),
	(mode, list, n, event), "look names up with getaddrinfo()")

#define IN_KERNEL \
	"let threads exchange messages through a pipe or by a mutex and a condition variable"
SERVICE(int, msgget, (key_t key, int flags), (key, flags), IN_KERNEL)
SERVICE(int, semget, (key_t key, int n, int flags), (key, n, flags),
	"use sem_init() and sem_wait() between threads")

/* mode and attributes are there only with O_CREAT */
HEDDLE_HOOK mqd_t mq_open(const char *name, int flags, ...)
{
	struct mq_attr *attr = NULL;
	mode_t mode = 0;
	va_list ap;

	refuse_service("mq_open()", IN_KERNEL);
	va_start(ap, flags);
	if (flags & O_CREAT) {
		mode = va_arg(ap, mode_t);
		attr = va_arg(ap, struct mq_attr *);
	}
	va_end(ap);
	return REAL(mq_open)(name, flags, mode, attr);
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(aio_read64, aio_read);
ALSO_CALLED(aio_write64, aio_write);
ALSO_CALLED(aio_fsync64, aio_fsync);
ALSO_CALLED(lio_listio64, lio_listio);
