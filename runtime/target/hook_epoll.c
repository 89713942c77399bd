/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_epoll.c - epoll, level-triggered
 *
 * What an epoll descriptor watches is kept here: a set of the kernel's would be shared by all
 * executions. To wait is to poll (hook_poll.c). Changes of the set and looks at it are in one order.
 * A set that another thread changes while one waits in it is refused: it would have to be woken.
 */
/*
 * intercepts: Pipes, eventfds and socket pairs
 *
 * explored epoll_wait epoll_pwait epoll_pwait2 - as poll()
 * explored epoll_create epoll_create1 epoll_ctl - level-triggered; refused where a thread
 *	changes a set in which another one waits
 */
#include "target/hook.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#include "target/cancel.h"
#include "target/channel.h"
#include "target/driver.h"
#include "target/entry.h"
#include "target/hooks.h"
#include "target/sent.h"
#include "target/sys.h"

enum {
	MAX_SETS = 8,
	MAX_WATCHED = 24
};

struct watched {
	int fd;
	uint32_t events;
	epoll_data_t data;
};

struct set {
	int fd; /* plus 1; 0: not in use */
	uint32_t n, waiting;
	struct watched watched[MAX_WATCHED];
};

static HEDDLE_IMAGE_SELDOM struct set sets[MAX_SETS] = { 0 };

static int fail(int error)
{
	errno = error;
	return -1;
}

static struct set *set_of(int fd)
{
	for (int i = 0; fd >= 0 && i < MAX_SETS; i++)
		if (sets[i].fd == fd + 1)
			return &sets[i];
	return NULL;
}

bool epoll_is(int fd)
{
	return set_of(fd) != NULL;
}

void epoll_closed(int fd)
{
	struct set *s = set_of(fd);

	if (s)
		s->fd = 0;
	for (int i = 0; i < MAX_SETS; i++) /* as the kernel does when the last is closed */
		for (uint32_t k = 0; sets[i].fd && k < sets[i].n; k++)
			if (sets[i].watched[k].fd == fd)
				sets[i].watched[k--] = sets[i].watched[--sets[i].n];
}

static int created(int fd)
{
	if (!shared || fd < 0)
		return fd;
	for (int i = 0; i < MAX_SETS; i++)
		if (!sets[i].fd) {
			sets[i] = (struct set){ .fd = fd + 1 };
			return fd;
		}
	refuse("the program has more epoll descriptors than heddle can follow (8)", NULL);
}

HEDDLE_HOOK int epoll_create1(int flags)
{
	if (under_engine())
		needs_fork("makes an epoll descriptor");
	return created(REAL(epoll_create1)(flags));
}

HEDDLE_HOOK int epoll_create(int size)
{
	if (under_engine())
		needs_fork("makes an epoll descriptor");
	return created(REAL(epoll_create)(size));
}

/* ---- What is watched ----------------------------------------------------------------------------- */

static void in_order(struct set *s, uint64_t pc)
{
	struct op op = { .kind = OP_COUNT_CLOSE, .addr = (uintptr_t)s, .pc = pc };
	struct op_result res;

	if (under_engine())
		operate(&op, &res);
}

static uint32_t find(const struct set *s, int fd)
{
	uint32_t i = 0;

	while (i < s->n && s->watched[i].fd != fd)
		i++;
	return i;
}

/* Does it watch the other one, or one that does? No set ever watches itself. */
static bool leads_to(const struct set *s, const struct set *other)
{
	for (uint32_t i = 0; s && s != other && i < s->n; i++)
		if (leads_to(set_of(s->watched[i].fd), other))
			return true;
	return s == other;
}

/* Why the kernel would not do it; 0 if it would. */
static int error_of(const struct set *s, int op, int fd, const struct epoll_event *event)
{
	bool there = find(s, fd) < s->n;
	struct stat st;

	if (op != EPOLL_CTL_DEL && !memory_readable(event, sizeof(*event)))
		return EFAULT;
	if (sys3(SYS_fstat, fd, (long)&st, 0))
		return EBADF;
	if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return EPERM;
	if (fd == s->fd - 1)
		return EINVAL;
	switch (op) {
	case EPOLL_CTL_ADD:
		return leads_to(set_of(fd), s) ? ELOOP : there ? EEXIST : 0;
	case EPOLL_CTL_MOD:
	case EPOLL_CTL_DEL:
		return there ? 0 : ENOENT;
	default:
		return EINVAL;
	}
}

static void change(struct set *s, int op, int fd, const struct epoll_event *event)
{
	uint32_t i = find(s, fd);

	if (op == EPOLL_CTL_DEL) {
		if (i < s->n)
			s->watched[i] = s->watched[--s->n];
		return;
	}
	if (event->events & (EPOLLET | EPOLLONESHOT | EPOLLEXCLUSIVE))
		NOT_YET("EPOLLET, EPOLLONESHOT or EPOLLEXCLUSIVE",
			"watch for levels, and remove descriptors with EPOLL_CTL_DEL");
	if (i == MAX_WATCHED)
		refuse("the program watches more descriptors than heddle can follow (24)", NULL);
	if (i == s->n)
		s->n++;
	s->watched[i] = (struct watched){ fd, event->events, event->data };
}

static int change_under_engine(struct set *s, int op, int fd, const struct epoll_event *event,
			       uint64_t pc)
{
	int error;

	in_order(s, pc);
	error = error_of(s, op, fd, event);
	if (error)
		return fail(error);
	if (s->waiting)
		refuse("the program changes what an epoll descriptor watches while a thread "
		       "waits for it, which is not supported yet",
		       NULL);
	change(s, op, fd, event);
	return 0;
}

HEDDLE_HOOK int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
	struct set *s = shared ? set_of(epfd) : NULL;
	int status;

	if (s && under_engine())
		return change_under_engine(s, op, fd, event, CALLER());
	status = REAL(epoll_ctl)(epfd, op, fd, event);
	if (s && !status)
		change(s, op, fd, event);
	return status;
}

/* ---- Waiting ---------------------------------------------------------------------------------------- */

static int report(const struct pollfd *p, const struct watched *w, uint32_t n,
		  struct epoll_event *out, int most)
{
	int found = 0;

	for (uint32_t i = 0; i < n && found < most; i++) {
		if (!p[i].revents || (p[i].revents & POLLNVAL))
			continue;
		if (!memory_writable(&out[found], sizeof(*out)))
			return found ? found : fail(EFAULT);
		out[found].events = (uint32_t)p[i].revents;
		out[found++].data = w[i].data;
	}
	return found;
}

static int wait_under_engine(struct set *s, struct epoll_event *out, int most,
			     const struct timespec *until, uint64_t pc)
{
	struct watched watched[MAX_WATCHED];
	struct pollfd p[MAX_WATCHED];
	int found;
	uint32_t n;

	cancellation_point(pc);
	if (most <= 0 || (size_t)most > INT_MAX / sizeof(*out))
		return fail(EINVAL);
	in_order(s, pc);
	n = s->n;
	for (uint32_t i = 0; i < n; i++) {
		watched[i] = s->watched[i];
		p[i] = (struct pollfd){ .fd = watched[i].fd, .events = (short)watched[i].events };
	}
	s->waiting++;
	found = poll_under_engine(p, n, until, pc);
	s->waiting--;
	if (poll_answer(found, pc) < 0)
		return -1;
	return report(p, watched, n, out, most);
}

static int epoll_ms(int epfd, struct epoll_event *out, int most, int timeout, uint64_t pc)
{
	struct timespec t = { .tv_sec = timeout / 1000, .tv_nsec = timeout % 1000 * 1000000l };
	struct set *s = set_of(epfd);

	if (!s) /* the kernel says why not */
		return REAL(epoll_wait)(epfd, out, most, 0);
	return wait_under_engine(s, out, most, timeout < 0 ? NULL : &t, pc);
}

ENTERED static int hook_epoll_wait(int epfd, struct epoll_event *out, int most, int timeout)
{
	if (!under_engine())
		return REAL(epoll_wait)(epfd, out, most, timeout);
	return epoll_ms(epfd, out, most, timeout, ENTRY_CALLER());
}
HOOK_ENTRY(epoll_wait, hook_epoll_wait);

static int swapped_back(int found)
{
	sent_swap_back();
	return found;
}

ENTERED static int hook_epoll_pwait(int epfd, struct epoll_event *out, int most, int timeout,
				    const sigset_t *mask)
{
	if (!under_engine())
		return REAL(epoll_pwait)(epfd, out, most, timeout, mask);
	sent_swap(mask);
	return swapped_back(epoll_ms(epfd, out, most, timeout, ENTRY_CALLER()));
}
HOOK_ENTRY(epoll_pwait, hook_epoll_pwait);

ENTERED static int hook_epoll_pwait2(int epfd, struct epoll_event *out, int most,
				     const struct timespec *timeout, const sigset_t *mask)
{
	const struct timespec none = { 0, 0 };
	struct set *s = set_of(epfd);

	if (!under_engine())
		return REAL(epoll_pwait2)(epfd, out, most, timeout, mask);
	if (timeout && !time_valid(timeout))
		return fail(EINVAL);
	if (!s)
		return REAL(epoll_pwait2)(epfd, out, most, &none, NULL);
	sent_swap(mask);
	return swapped_back(wait_under_engine(s, out, most, timeout, ENTRY_CALLER()));
}
HOOK_ENTRY(epoll_pwait2, hook_epoll_pwait2);
