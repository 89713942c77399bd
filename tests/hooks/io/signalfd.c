/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signalfd.c - signals that are read from a descriptor
 *
 * The calls themselves and their errors: channel.c.
 *
 * case by_sigwait: ok 2
 * case by_read: ok 2
 * case by_read -j 2: ok 2
 * case never_sent: bug deadlock
 * case taken_by_another: bug deadlock
 * case never_waits: ok 2
 * case polled: ok 2
 * case polled_for_a_time: ok 4
 * case polled_in_vain: bug deadlock
 * case selected: ok 2
 * case by_epoll: ok 1
 * case by_edge: ok 1
 * case polled_and_taken_by_another: ok 4
 * case one_of_two_readers: bug deadlock
 * case comes_once: ok 3
 * case comes_each_time: ok 12
 * case many_at_once: ok 1
 * case says_who_sent_it: ok 2
 * case another_mask: ok 1
 * case handled_by_another: ok 15
 * case ignored: bug deadlock
 * case interrupted: ok * (where the handler comes)
 * case restarted: ok * (where the handler comes)
 * case to_the_thread: ok 1
 * case to_another_thread: bug deadlock
 * case to_the_thread_that_polls: refused one of these is sent to a thread
 * case polled_before_it_is_sent_to_a_thread: refused one of these is sent to a thread
 * case sent_before_threads: ok 1
 * case polled_from_before_threads: ok 1
 * case by_a_timer: ok 2
 * case by_a_timer_polled: ok 2
 * case alone_takes_it: ok 1
 * case alone_by_a_timer: ok 1
 * case alone_polled_by_a_timer: ok 1
 * case alone_selected_by_a_timer: ok 1
 * case alone_by_epoll_by_a_timer: ok 1
 * case alone_polled_and_interrupted: ok 1
 * case duplicated: ok 2
 * case by_number: ok 1
 * case signalfd_read_EINVAL: ok 1
 * case signalfd_read_EFAULT: ok 1
 * case signalfd_read_EAGAIN: ok 1
 * case signalfd_write_EINVAL: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hooks/fails.h"
#include "hooks/signal/signals.h"

static int fd;
static char room[sizeof(struct signalfd_siginfo)];

static int make(int sig, int flags)
{
	sigset_t set = only(sig);

	mask(SIG_BLOCK, sig);
	fd = signalfd(-1, &set, flags);
	assert(fd >= 0);
	return fd;
}

static int take(void)
{
	struct signalfd_siginfo info = { .ssi_signo = 0 };
	ssize_t n = read(fd, &info, sizeof(info));

	assert(n == sizeof(info) || (n == -1 && errno == EAGAIN));
	return (int)info.ssi_signo;
}

/* ---- Reading ----------------------------------------------------------------------------------------- */

static void by_sigwait(void)
{
	pthread_t t;

	mask(SIG_BLOCK, SIGUSR1);
	t = begin(tell, NULL);
	wait_for_it(NULL);
	end(t);
}

static void by_read(void)
{
	pthread_t t;

	make(SIGUSR1, 0);
	t = begin(tell, NULL);
	assert(take() == SIGUSR1);
	end(t);
}

static void *nothing(void *arg)
{
	return arg;
}

static void never_sent(void)
{
	pthread_t t;

	make(SIGUSR2, 0);
	t = begin(nothing, NULL);
	assert(read(fd, room, sizeof(room)) > 0); /* bug: never_sent */
	end(t);
}

static void taken_by_another(void)
{
	pthread_t t;

	make(SIGUSR1, 0);
	t = begin(wait_for_it, NULL);
	tell(NULL);
	take();
	pthread_join(t, NULL); /* bug: taken_by_another */
}

static void never_waits(void)
{
	pthread_t t;
	int got;

	make(SIGUSR1, SFD_NONBLOCK);
	t = begin(tell, NULL);
	got = take();
	end(t);
	assert(got ? take() == 0 : take() == SIGUSR1);
}

static void *takes(void *arg)
{
	assert(take() == SIGUSR1);
	return arg;
}

static void one_of_two_readers(void)
{
	pthread_t t[2];

	make(SIGUSR1, 0);
	t[0] = begin(takes, NULL);
	t[1] = begin(takes, NULL);
	tell(NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL); /* bug: one_of_two_readers */
}

/* Another one of these that nobody took is the same. */
static void comes_once(void)
{
	pthread_t t, u;
	int n = 0;

	make(SIGUSR1, SFD_NONBLOCK);
	t = begin(tell, NULL);
	u = begin(tell, NULL);
	end(t);
	n += take() == SIGUSR1;
	end(u);
	n += take() == SIGUSR1;
	assert(n == 1 || n == 2);
	assert(!take());
}

static void *queue_one(void *arg)
{
	assert(sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_ptr = arg }) == 0);
	return arg;
}

static void comes_each_time(void)
{
	pthread_t t, u;

	make(SIGRTMIN, 0);
	t = begin(queue_one, NULL);
	u = begin(queue_one, NULL);
	assert(take() == SIGRTMIN && take() == SIGRTMIN);
	end(t);
	end(u);
}

static void many_at_once(void)
{
	struct signalfd_siginfo info[3];
	sigset_t set = only(SIGUSR1);

	alone(nothing);
	mask(SIG_BLOCK, SIGUSR1);
	mask(SIG_BLOCK, SIGUSR2);
	sigaddset(&set, SIGUSR2);
	fd = signalfd(-1, &set, 0);
	kill(getpid(), SIGUSR2);
	kill(getpid(), SIGUSR1);
	assert(read(fd, info, sizeof(info)) == 2 * sizeof(*info));
	assert(info[0].ssi_signo == SIGUSR1 && info[1].ssi_signo == SIGUSR2);
}

static void says_who_sent_it(void)
{
	struct signalfd_siginfo info;
	pthread_t t;

	make(SIGRTMIN, 0);
	t = begin(queue_one, &fd);
	assert(read(fd, &info, sizeof(info)) == sizeof(info));
	assert(info.ssi_code == SI_QUEUE && info.ssi_pid == (uint32_t)getpid() &&
	       info.ssi_uid == getuid() && info.ssi_ptr == (uint64_t)(uintptr_t)&fd);
	end(t);
}

static void another_mask(void)
{
	sigset_t set = only(SIGUSR2);
	struct pollfd p;

	alone(nothing);
	make(SIGUSR1, SFD_NONBLOCK);
	mask(SIG_BLOCK, SIGUSR2);
	kill(getpid(), SIGUSR2);
	p = (struct pollfd){ .fd = fd, .events = POLLIN };
	assert(poll(&p, 1, 0) == 0 && !take());
	assert(signalfd(fd, &set, 0) == fd);
	assert(poll(&p, 1, 0) == 1 && take() == SIGUSR2);
	assert(poll(&p, 1, 0) == 0);
}

/* ---- Waiting ------------------------------------------------------------------------------------------ */

static void polled(void)
{
	struct pollfd p = { .fd = make(SIGUSR1, SFD_NONBLOCK), .events = POLLIN | POLLOUT };
	pthread_t t = begin(tell, NULL);

	assert(poll(&p, 1, -1) == 1 && p.revents == POLLIN);
	assert(take() == SIGUSR1);
	assert(poll(&p, 1, 0) == 0);
	end(t);
}

static void polled_for_a_time(void)
{
	struct pollfd p = { .fd = make(SIGUSR1, SFD_NONBLOCK), .events = POLLIN };
	pthread_t t = begin(tell, NULL);
	int ready = poll(&p, 1, 10);

	assert(take() == SIGUSR1 || !ready);
	end(t);
}

static void polled_in_vain(void)
{
	struct pollfd p = { .fd = make(SIGUSR2, 0), .events = POLLIN };
	pthread_t t = begin(nothing, NULL);

	poll(&p, 1, -1); /* bug: polled_in_vain */
	end(t);
}

static void selected(void)
{
	pthread_t t;
	fd_set set;

	make(SIGUSR1, 0);
	FD_ZERO(&set);
	FD_SET(fd, &set);
	t = begin(tell, NULL);
	assert(select(fd + 1, &set, NULL, NULL, NULL) == 1 && FD_ISSET(fd, &set));
	assert(take() == SIGUSR1);
	end(t);
}

static void with_epoll(uint32_t events)
{
	struct epoll_event e = { .events = events };
	int set = epoll_create1(0);
	pthread_t t;

	make(SIGUSR1, SFD_NONBLOCK);
	assert(epoll_ctl(set, EPOLL_CTL_ADD, fd, &e) == 0);
	t = begin(tell, NULL);
	assert(epoll_wait(set, &e, 1, -1) == 1 && e.events == EPOLLIN);
	assert(take() == SIGUSR1);
	assert(epoll_wait(set, &e, 1, 0) == 0);
	end(t);
}

static void by_epoll(void)
{
	with_epoll(EPOLLIN);
}

static void by_edge(void)
{
	with_epoll(EPOLLIN | EPOLLET);
}

static void *tries_it(void *arg)
{
	const struct timespec none = { 0 };
	sigset_t set = only(SIGUSR1);

	sigtimedwait(&set, NULL, &none);
	return arg;
}

/* It was readable, and is so no more. */
static void polled_and_taken_by_another(void)
{
	struct pollfd p = { .fd = make(SIGUSR1, SFD_NONBLOCK), .events = POLLIN };
	pthread_t t = begin(tries_it, NULL);

	tell(NULL);
	poll(&p, 1, 0);
	take();
	end(t);
}

/* ---- Handlers ------------------------------------------------------------------------------------------ */

static void *lets_it_in(void *arg)
{
	mask(SIG_UNBLOCK, SIGUSR1);
	return arg;
}

static void handled_by_another(void)
{
	struct pollfd p;
	pthread_t t;
	int ready, got;

	handle(count);
	p = (struct pollfd){ .fd = make(SIGUSR1, SFD_NONBLOCK), .events = POLLIN };
	t = begin(lets_it_in, NULL);
	tell(NULL);
	ready = poll(&p, 1, 0);
	got = take();
	end(t);
	assert(!got || ready);
	assert(handled == !got);
}

static void ignored(void)
{
	pthread_t t;

	handle(SIG_IGN);
	make(SIGUSR1, 0);
	mask(SIG_UNBLOCK, SIGUSR1);
	t = begin(tell, NULL);
	assert(read(fd, room, sizeof(room)) > 0); /* bug: ignored */
	end(t);
}

static void *interrupts(void *arg)
{
	pthread_kill(*(pthread_t *)arg, SIGUSR1);
	return arg;
}

static void *interrupts_and_sends(void *arg)
{
	interrupts(arg);
	kill(getpid(), SIGUSR2);
	return arg;
}

static void interrupted(void)
{
	struct signalfd_siginfo info;
	pthread_t me = pthread_self(), t;

	handle(count);
	make(SIGUSR2, 0);
	t = begin(interrupts_and_sends, &me);
	while (read(fd, &info, sizeof(info)) < 0)
		assert(errno == EINTR && handled);
	assert(info.ssi_signo == SIGUSR2);
	end(t);
}

static void restarted(void)
{
	struct sigaction a = { .sa_handler = count, .sa_flags = SA_RESTART };
	pthread_t me = pthread_self(), t;

	assert(sigaction(SIGUSR1, &a, NULL) == 0);
	make(SIGUSR2, 0);
	t = begin(interrupts_and_sends, &me);
	assert(take() == SIGUSR2);
	end(t);
}

/* ---- To one thread ----------------------------------------------------------------------------------------- */

static void to_the_thread(void)
{
	alone(nothing);
	make(SIGUSR1, 0);
	raise(SIGUSR1);
	assert(take() == SIGUSR1);
	raise(SIGUSR1);
	assert(close(dup(fd)) == 0 && close(fd) == 0);
}

static void to_another_thread(void)
{
	pthread_t t, me = pthread_self();

	make(SIGUSR1, 0);
	t = begin(takes, NULL); /* finds nothing */
	interrupts(&me);
	end(t); /* bug: to_another_thread */
}

static void to_the_thread_that_polls(void)
{
	struct pollfd p = { .fd = make(SIGUSR1, 0), .events = POLLIN };

	alone(nothing);
	raise(SIGUSR1);
	poll(&p, 1, -1);
}

static void polled_before_it_is_sent_to_a_thread(void)
{
	struct pollfd p = { .fd = make(SIGUSR1, 0), .events = POLLIN };

	alone(nothing);
	poll(&p, 1, 0);
	raise(SIGUSR1);
}

/* ---- Before there are threads ---------------------------------------------------------------------------------- */

static void sent_before_threads(void)
{
	make(SIGUSR1, SFD_NONBLOCK);
	tell(NULL);
	alone(takes);
	assert(!take());
}

static void *polls_it(void *arg)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	assert(poll(&p, 1, -1) == 1);
	return takes(arg);
}

static void polled_from_before_threads(void)
{
	make(SIGUSR1, SFD_NONBLOCK);
	tell(NULL);
	alone(polls_it);
	assert(!take());
}

static void alone_takes_it(void)
{
	struct pollfd p = { .fd = make(SIGUSR1, SFD_NONBLOCK), .events = POLLIN };

	assert(poll(&p, 1, 0) == 0 && !take());
	tell(NULL);
	assert(poll(&p, 1, -1) == 1 && take() == SIGUSR1 && !take());
}

static void alone_by_a_timer(void)
{
	make(SIGALRM, 0);
	alarm(1);
	assert(take() == SIGALRM);
}

static void alone_polled_by_a_timer(void)
{
	struct pollfd p = { .fd = make(SIGALRM, 0), .events = POLLIN };

	alarm(1);
	assert(poll(&p, 1, -1) == 1 && take() == SIGALRM);
}

static void alone_selected_by_a_timer(void)
{
	fd_set set;

	make(SIGALRM, 0);
	FD_ZERO(&set);
	FD_SET(fd, &set);
	alarm(1);
	assert(select(fd + 1, &set, NULL, NULL, NULL) == 1 && take() == SIGALRM);
}

static void alone_by_epoll_by_a_timer(void)
{
	struct epoll_event e = { .events = EPOLLIN };
	int set = epoll_create1(0);

	assert(epoll_ctl(set, EPOLL_CTL_ADD, make(SIGALRM, 0), &e) == 0);
	alarm(1);
	assert(epoll_wait(set, &e, 1, -1) == 1 && take() == SIGALRM);
}

static void alone_polled_and_interrupted(void)
{
	struct pollfd p = { .fd = make(SIGUSR2, 0), .events = POLLIN };
	timer_t timer;
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec then = { .it_value.tv_nsec = 1000000 };

	handle(count);
	assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	assert(timer_settime(timer, 0, &then, NULL) == 0);
	assert(poll(&p, 1, -1) == -1 && errno == EINTR && handled == 1);
}

static void by_a_timer(void)
{
	alone(nothing);
	alone_by_a_timer();
}

static void by_a_timer_polled(void)
{
	alone(nothing);
	alone_polled_by_a_timer();
}

/* ---- Descriptors ------------------------------------------------------------------------------------------- */

static void duplicated(void)
{
	int first = make(SIGUSR1, 0);
	pthread_t t;

	fd = dup(first);
	assert(fd >= 0 && close(first) == 0);
	t = begin(tell, NULL);
	assert(take() == SIGUSR1);
	end(t);
	assert(close(fd) == 0);
}

static void by_number(void)
{
	uint64_t set = 1 << (SIGUSR1 - 1);

	alone(nothing);
	mask(SIG_BLOCK, SIGUSR1);
	fd = (int)syscall(SYS_signalfd4, -1, &set, sizeof(set), SFD_NONBLOCK);
	tell(NULL);
	assert(take() == SIGUSR1);
	assert(syscall(SYS_signalfd4, -1, &set, 4, 0) == -1 && errno == EINVAL);
}

IN_EACH(signalfd_read_EINVAL)
{
	char small[sizeof(struct signalfd_siginfo) - 1];

	make(SIGUSR1, SFD_NONBLOCK);
	FAILS(EINVAL, (int)read(fd, small, sizeof(small)));
	close(fd);
	return arg;
}

/* The signal is gone then. */
IN_EACH(signalfd_read_EFAULT)
{
	make(SIGUSR1, SFD_NONBLOCK);
	tell(NULL);
	FAILS(EFAULT, (int)read(fd, (void *)8, sizeof(struct signalfd_siginfo)));
	assert(!take());
	close(fd);
	return arg;
}

IN_EACH(signalfd_read_EAGAIN)
{
	struct signalfd_siginfo info;

	make(SIGUSR1, SFD_NONBLOCK);
	FAILS(EAGAIN, (int)read(fd, &info, sizeof(info)));
	close(fd);
	return arg;
}

IN_EACH(signalfd_write_EINVAL)
{
	struct signalfd_siginfo info = { .ssi_signo = 0 };

	make(SIGUSR1, SFD_NONBLOCK);
	FAILS(EINVAL, (int)write(fd, &info, sizeof(info)));
	close(fd);
	return arg;
}

CASES(CASE(by_sigwait), CASE(by_read), CASE(never_sent), CASE(taken_by_another), CASE(never_waits),
      CASE(polled), CASE(polled_for_a_time), CASE(polled_in_vain), CASE(selected), CASE(by_epoll),
      CASE(by_edge), CASE(polled_and_taken_by_another), CASE(one_of_two_readers), CASE(comes_once),
      CASE(comes_each_time), CASE(many_at_once), CASE(says_who_sent_it), CASE(another_mask),
      CASE(handled_by_another), CASE(ignored), CASE(interrupted), CASE(restarted),
      CASE(to_the_thread), CASE(to_another_thread), CASE(to_the_thread_that_polls),
      CASE(polled_before_it_is_sent_to_a_thread), CASE(sent_before_threads),
      CASE(polled_from_before_threads), CASE(by_a_timer), CASE(by_a_timer_polled),
      CASE(alone_takes_it), CASE(alone_by_a_timer), CASE(alone_polled_by_a_timer),
      CASE(alone_selected_by_a_timer), CASE(alone_by_epoll_by_a_timer),
      CASE(alone_polled_and_interrupted), CASE(duplicated), CASE(by_number),
      CASE(signalfd_read_EINVAL), CASE(signalfd_read_EFAULT), CASE(signalfd_read_EAGAIN),
      CASE(signalfd_write_EINVAL))
