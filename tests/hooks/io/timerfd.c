/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timerfd.c - timers that a descriptor tells of
 *
 * ways timerfd_settime: EINVAL EBADF EFAULT; not ECANCELED (nobody sets the clock)
 * ways timerfd_gettime: EINVAL EBADF EFAULT
 *
 * case alone_read: ok 1
 * case alone_poll: ok 2
 * case rings_before_a_sleep_ends: ok 3
 * case rings_before_a_sleep_ends --backend=fork: ok 3
 * case rings_before_a_poll_ends: ok 5
 * case rings_after_a_poll_ends: ok 7
 * case rings_before_a_select_ends: ok 5
 * case epoll_tells: ok 1
 * case epoll_tells_before_it_ends: ok 5
 * case stopped_in_time: ok 6
 * case set_anew: ok 16
 * case of_the_past: ok 3
 * case counts: ok 46
 * case ticks: ok 10
 * case ticks -j 2: ok 10
 * case never_set: bug deadlock
 * case in_a_thread: ok 1
 * case set_by_a_thread: ok 1
 * case taken_once: ok 6
 * case duplicated: ok 2
 * case closed: ok 6
 * case may_come_too_late: bug assertion
 * case asked_again_and_again: ok 9
 * case of_a_child: ok 1
 * case set_before_a_fork: refused fork() after it set a timer that tells a descriptor
 * case set_before_a_program: refused system() after it set a timer that tells a descriptor
 * case from_before_a_fork: refused that it has from before fork()
 * case beside_an_eventfd: ok 2
 * case timerfd_settime_EINVAL: ok 1
 * case timerfd_settime_EBADF: ok 1
 * case timerfd_settime_EFAULT: ok 1
 * case timerfd_gettime_EINVAL: ok 1
 * case timerfd_gettime_EBADF: ok 1
 * case timerfd_gettime_EFAULT: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hooks/fails.h"
#include "hooks/threads.h"

enum {
	MS = 1000000,
	SHORT_MS = 20
};

static int fd, other;
static int64_t start;
static atomic_int x;

static int64_t now(void)
{
	struct timespec t;

	assert(clock_gettime(CLOCK_MONOTONIC, &t) == 0);
	return (int64_t)t.tv_sec * 1000 * MS + t.tv_nsec;
}

static void sleep_ms(int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * MS };

	assert(nanosleep(&t, NULL) == 0);
}

static struct itimerspec after(int ms, int again_ms)
{
	return (struct itimerspec){ { again_ms / 1000, again_ms % 1000 * MS },
				    { ms / 1000, ms % 1000 * MS } };
}

static void make(int flags)
{
	fd = timerfd_create(CLOCK_MONOTONIC, flags);
	assert(fd >= 0);
}

static void set(int ms, int again_ms)
{
	struct itimerspec value = after(ms, again_ms);

	start = now();
	assert(timerfd_settime(fd, 0, &value, NULL) == 0);
}

static uint64_t take(void)
{
	uint64_t n;

	assert(read(fd, &n, sizeof(n)) == sizeof(n));
	return n;
}

static void is_late(void)
{
	assert(now() - start >= SHORT_MS * MS);
}

static void has_none(void)
{
	uint64_t n;

	FAILS(EAGAIN, read(fd, &n, sizeof(n)));
}

static bool has_some(void)
{
	uint64_t n;

	return read(fd, &n, sizeof(n)) == sizeof(n);
}

/* ---- Alone: it makes a thread ---- */

static void alone_read(void)
{
	make(0);
	set(SHORT_MS, 0);
	assert(take() == 1);
	is_late();
}

static void alone_poll(void)
{
	struct pollfd p;

	make(TFD_NONBLOCK);
	set(SHORT_MS, 0);
	p = (struct pollfd){ .fd = fd, .events = POLLIN | POLLOUT };
	assert(poll(&p, 1, -1) == 1 && p.revents == POLLIN);
	is_late();
	assert(take() == 1);
	has_none();
}

/* Who sleeps beyond it finds that it has rung. */
static void rings_before_a_sleep_ends(void)
{
	make(TFD_NONBLOCK);
	set(SHORT_MS, 0);
	sleep_ms(3 * SHORT_MS);
	assert(take() == 1);
	has_none();
}

static void rings_before_a_poll_ends(void)
{
	struct pollfd p;

	make(TFD_NONBLOCK);
	set(SHORT_MS, 0);
	p = (struct pollfd){ .fd = fd, .events = POLLIN };
	assert(poll(&p, 1, 60000) == 1 && p.revents == POLLIN);
	is_late();
}

static void rings_after_a_poll_ends(void)
{
	struct pollfd p;
	int found;

	make(0);
	set(500, 0);
	p = (struct pollfd){ .fd = fd, .events = POLLIN };
	found = poll(&p, 1, SHORT_MS);
	assert(found == 0 || now() - start >= 500ll * MS);
	is_late();
}

static void rings_before_a_select_ends(void)
{
	struct timeval t = { 60, 0 };
	fd_set set_;

	make(0);
	set(SHORT_MS, 0);
	FD_ZERO(&set_);
	FD_SET(fd, &set_);
	assert(select(fd + 1, &set_, NULL, NULL, &t) == 1 && FD_ISSET(fd, &set_));
	is_late();
}

static int watch(void)
{
	struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };
	int set_ = epoll_create1(0);

	assert(set_ >= 0 && epoll_ctl(set_, EPOLL_CTL_ADD, fd, &e) == 0);
	return set_;
}

static void epoll_tells(void)
{
	struct epoll_event e;
	int set_;

	make(0);
	set_ = watch();
	set(SHORT_MS, 0);
	assert(epoll_wait(set_, &e, 1, -1) == 1 && e.events == EPOLLIN && e.data.fd == fd);
	is_late();
	assert(take() == 1 && epoll_wait(set_, &e, 1, 0) == 0);
}

static void epoll_tells_before_it_ends(void)
{
	struct epoll_event e;
	int set_;

	make(0);
	set_ = watch();
	set(SHORT_MS, 0);
	assert(epoll_wait(set_, &e, 1, 60000) == 1 && e.data.fd == fd);
	is_late();
}

/* ---- What it does ---- */

static void stopped_in_time(void)
{
	struct itimerspec left;

	make(TFD_NONBLOCK);
	set(60000, 0);
	assert(timerfd_gettime(fd, &left) == 0 && left.it_value.tv_sec <= 60);
	assert(left.it_value.tv_sec >= 58 || now() - start >= 60000ll * MS); /* it was slow */
	set(0, 0);
	assert(timerfd_gettime(fd, &left) == 0 && !left.it_value.tv_sec && !left.it_value.tv_nsec);
	sleep_ms(2 * SHORT_MS);
	has_none();
}

/* To set it anew takes back what it has told. */
static void set_anew(void)
{
	make(TFD_NONBLOCK);
	set(SHORT_MS, 0);
	sleep_ms(2 * SHORT_MS);
	set(60000, 0);
	if (has_some())
		assert(now() - start >= 60000ll * MS);
}

static void of_the_past(void)
{
	struct itimerspec value = { { 0, 0 }, { 0, 1 } };

	make(TFD_NONBLOCK);
	assert(timerfd_settime(fd, TFD_TIMER_ABSTIME, &value, NULL) == 0);
	sleep_ms(SHORT_MS);
	assert(take() == 1);
}

/* How often it has, in all. */
static void counts(void)
{
	uint64_t n;

	make(TFD_NONBLOCK);
	set(SHORT_MS, SHORT_MS);
	sleep_ms(5 * SHORT_MS + SHORT_MS / 2);
	n = take();
	assert(n >= 5 && n <= (uint64_t)((now() - start) / (SHORT_MS * MS)));
	set(0, 0);
}

static void *ticks_twice(void *arg)
{
	uint64_t n = 0;

	while (n < 2)
		n += take();
	assert(now() - start >= 2 * SHORT_MS * MS);
	return arg;
}

static void ticks(void)
{
	make(0);
	set(SHORT_MS, SHORT_MS);
	THREADS(1, ticks_twice);
	set(0, 0);
}

/* Nobody will ever add to it. */
static void never_set(void)
{
	make(0);
	THREADS(1, ticks_twice); /* bug: never_set */
}

static void *waits(void *arg)
{
	assert(take() == 1);
	is_late();
	atomic_store(&x, 1);
	return arg;
}

static void in_a_thread(void)
{
	make(0);
	set(SHORT_MS, 0);
	THREADS(1, waits);
	assert(x == 1);
}

static void *sets(void *arg)
{
	set(SHORT_MS, 0);
	return arg;
}

static void set_by_a_thread(void)
{
	make(0);
	THREADS(1, sets);
	assert(take() == 1);
	is_late();
}

/* One of two threads takes it. */
static void *tries(void *arg)
{
	uint64_t n;

	if (read(fd, &n, sizeof(n)) == sizeof(n))
		atomic_fetch_add(&x, 1);
	else
		assert(errno == EAGAIN);
	return arg;
}

static void taken_once(void)
{
	make(TFD_NONBLOCK);
	set(SHORT_MS, 0);
	sleep_ms(2 * SHORT_MS);
	THREADS(2, tries);
	assert(x == 1);
}

static void duplicated(void)
{
	make(0);
	other = dup(fd);
	assert(other >= 0);
	set(SHORT_MS, 0);
	assert(close(fd) == 0);
	fd = other;
	assert(take() == 1);
}

/* With the last descriptor the timer goes. */
static void closed(void)
{
	make(0);
	set(SHORT_MS, SHORT_MS);
	assert(close(fd) == 0);
	sleep_ms(2 * SHORT_MS);
	make(TFD_NONBLOCK);
	has_none();
}

static void may_come_too_late(void)
{
	make(TFD_NONBLOCK);
	set(SHORT_MS, 0);
	THREADS(1, tries);
	assert(x == 0 || now() - start >= SHORT_MS * MS);
	assert(x == 1); /* bug: may_come_too_late */
}

static void asked_again_and_again(void)
{
	make(TFD_NONBLOCK);
	set(SHORT_MS, 0);
	while (!has_some())
		sleep_ms(SHORT_MS / 2);
	is_late();
	has_none();
}

static void set_and_take(void)
{
	set(SHORT_MS, 0);
	assert(take() == 1);
	is_late();
}

static void fork_with(bool own)
{
	int status = -1;

	make(0);
	if (!fork()) {
		if (own)
			make(0);
		set_and_take();
		_exit(0);
	}
	assert(wait(&status) > 0 && status == 0);
	set_and_take();
}

static void of_a_child(void)
{
	fork_with(true);
}

static void from_before_a_fork(void)
{
	fork_with(false);
}

static void set_before_a_fork(void)
{
	make(0);
	set(60000, 0);
	if (!fork())
		_exit(0);
	assert(wait(NULL) > 0);
}

static void set_before_a_program(void)
{
	make(0);
	set(60000, 0);
	assert(system("true") == 0);
}

static void beside_an_eventfd(void)
{
	struct pollfd p[2];
	int event = eventfd(0, 0);

	make(0);
	set(SHORT_MS, 0);
	p[0] = (struct pollfd){ .fd = fd, .events = POLLIN };
	p[1] = (struct pollfd){ .fd = event, .events = POLLIN };
	assert(poll(p, 2, -1) == 1 && p[0].revents == POLLIN && !p[1].revents);
}

/* ---- How it fails ---- */

IN_EACH(timerfd_settime_EINVAL)
{
	struct itimerspec value = after(SHORT_MS, 0), odd = value;

	make(0);
	odd.it_value.tv_nsec = 1000 * MS;
	FAILS(EINVAL, timerfd_settime(fd, 0, &odd, NULL));
	FAILS(EINVAL, timerfd_settime(fd, 0x100, &value, NULL));
	FAILS(EINVAL, timerfd_settime(1, 0, &value, NULL));
	FAILS(EINVAL, write(fd, &value, sizeof(uint64_t)));
	FAILS(EINVAL, read(fd, &value, 4));
	close(fd);
	return arg;
}

IN_EACH(timerfd_settime_EBADF)
{
	struct itimerspec value = after(SHORT_MS, 0);

	FAILS(EBADF, timerfd_settime(-1, 0, &value, NULL));
	FAILS(EBADF, timerfd_settime(200, 0, &value, NULL));
	return arg;
}

IN_EACH(timerfd_settime_EFAULT)
{
	struct itimerspec *volatile wild = (struct itimerspec *)8;

	make(0);
	FAILS(EFAULT, timerfd_settime(fd, 0, wild, NULL));
	close(fd);
	return arg;
}

IN_EACH(timerfd_gettime_EINVAL)
{
	struct itimerspec left;

	FAILS(EINVAL, timerfd_gettime(1, &left));
	return arg;
}

EACH_FAILS(timerfd_gettime_EBADF, EBADF,
	   timerfd_gettime(-1, &(struct itimerspec){ { 0, 0 }, { 0, 0 } }))

IN_EACH(timerfd_gettime_EFAULT)
{
	struct itimerspec *volatile wild = (struct itimerspec *)8;

	make(0);
	FAILS(EFAULT, timerfd_gettime(fd, wild));
	close(fd);
	return arg;
}

CASES(CASE(alone_read), CASE(alone_poll), CASE(rings_before_a_sleep_ends),
      CASE(rings_before_a_poll_ends), CASE(rings_after_a_poll_ends),
      CASE(rings_before_a_select_ends), CASE(epoll_tells), CASE(epoll_tells_before_it_ends),
      CASE(stopped_in_time), CASE(set_anew), CASE(of_the_past), CASE(counts), CASE(ticks),
      CASE(never_set), CASE(in_a_thread), CASE(set_by_a_thread), CASE(taken_once), CASE(duplicated),
      CASE(closed), CASE(may_come_too_late), CASE(asked_again_and_again), CASE(of_a_child),
      CASE(set_before_a_fork), CASE(set_before_a_program), CASE(from_before_a_fork),
      CASE(beside_an_eventfd), CASE(timerfd_settime_EINVAL), CASE(timerfd_settime_EBADF),
      CASE(timerfd_settime_EFAULT), CASE(timerfd_gettime_EINVAL), CASE(timerfd_gettime_EBADF),
      CASE(timerfd_gettime_EFAULT))
