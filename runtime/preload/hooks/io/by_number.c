/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * by_number.c - system calls about pipes and the like that are made by number, and have no hook then (hook_syscall.c)
 *
 * The kernel's pipes hold what the engine says. A call that it does not hear of changes that, and a wait for it would be one
 * for ever.
 */
#include <sys/syscall.h>

#include "preload/core/active.h"
#include "preload/core/refuse.h"
#include "preload/hooks/io/channel.h"

enum {
	EPOLL_PWAIT2_CALL = 441 /* of Linux 5.11 */
};

/* Those whose first argument is the descriptor that they are about. */
static bool is_about_its_first(long number)
{
	static const long those[] = {
		SYS_readv,    SYS_writev,   SYS_preadv2, SYS_pwritev2, SYS_sendto, SYS_recvfrom,
		SYS_sendmsg,  SYS_recvmsg,  SYS_splice,  SYS_tee,      SYS_accept, SYS_accept4,
		SYS_sendmmsg, SYS_recvmmsg, SYS_connect, SYS_vmsplice, SYS_bind,   SYS_listen,
		SYS_shutdown, SYS_sendfile, SYS_ioctl,   SYS_dup3,     SYS_fcntl,
	};

	for (unsigned i = 0; i < sizeof(those) / sizeof(those[0]); i++)
		if (those[i] == number)
			return true;
	return false;
}

/* Where others have another descriptor; -1: nowhere. */
static int other_of(long number, const long a[6])
{
	if (number == SYS_splice)
		return (int)a[2];
	return number == SYS_tee || number == SYS_sendfile ? (int)a[1] : -1;
}

void channel_by_number(long number, const long a[6])
{
	switch (number) {
	case SYS_select:
	case SYS_pselect6:
	case SYS_ppoll:
	case SYS_epoll_ctl:
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case EPOLL_PWAIT2_CALL:
		refuse("the program waits for descriptors by syscall(): use the functions of libc",
		       NULL);
	default:
		if (is_about_its_first(number) &&
		    (channel_has((int)a[0]) || channel_has(other_of(number, a))))
			refuse("the program uses a pipe or the like by syscall(): use the functions of libc",
			       NULL);
	}
}
