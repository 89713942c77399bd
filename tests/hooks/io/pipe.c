/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pipe.c - pipes, eventfds and local sockets between threads
 *
 * case killed_by_a_broken_pipe: bug crash at assert(write(to, &c, 1) == 1)
 * case a_reader_waits_for_the_writer: ok 1
 * case what_was_written_happened_before: ok 1
 * case nobody_writes: bug deadlock at assert(read(from, &c, 1) == 1)
 * case nobody_reads: bug deadlock at end(begin(put_all, NULL))
 * case a_race_beside_a_pipe: bug data-race at data++
 * case two_writers: ok 2
 * case two_readers: ok 2
 * case the_wrong_reader: bug assertion at assert(got[0] == 'a')
 * case reads_what_is_there: ok 2
 * case long_writes_go_in_pieces: ok 16
 * case end_of_file: ok 2
 * case end_of_file_from_the_last_writer: ok 2
 * case a_writer_left_open: bug deadlock
 * case nonblocking: ok 2
 * case full_without_waiting: ok 1
 * case several_buffers: ok 1
 * case wrong_descriptors: ok 1
 * case made_before_the_threads: ok 10
 * case made_in_a_thread: ok 1
 * case a_ring_of_duplicates: ok 1
 * case eventfd_adds_up: ok 8
 * case eventfd_counts_down: ok 1
 * case eventfd_as_a_semaphore: bug assertion at assert(v == 2)
 * case eventfd_errors: ok 1
 * case sockets_both_ways: ok 2
 * case both_wait_for_the_other: bug deadlock at assert(read(from, &c, 1) == 1)
 * case made_again_behind_one_that_was_closed: ok 1
 * case tries_until_there_is_something: ok 4
 * case counts_its_tries: bug assertion at assert(++tries < 9)
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cases.h"
#include "hooks/threads.h"

static int fd[2], back[2];
static int data;
static char big[70000];

static char get(int from)
{
	char c = 0;

	assert(read(from, &c, 1) == 1);
	return c;
}

static void put(int to, char c)
{
	assert(write(to, &c, 1) == 1);
}

static void *put_one(void *arg)
{
	put(fd[1], (char)(long)arg);
	return NULL;
}

static void a_reader_waits_for_the_writer(void)
{
	pthread_t t;

	assert(pipe(fd) == 0);
	t = begin(put_one, (void *)'x');
	assert(get(fd[0]) == 'x');
	end(t);
}

static void *prepare(void *arg)
{
	data = 1;
	put(fd[1], 'x');
	return arg;
}

static void what_was_written_happened_before(void)
{
	pthread_t t;

	assert(pipe(fd) == 0);
	t = begin(prepare, NULL);
	get(fd[0]);
	assert(data == 1);
	end(t);
}

static void *nothing(void *arg)
{
	return arg;
}

static void nobody_writes(void)
{
	assert(pipe(fd) == 0);
	end(begin(nothing, NULL));
	get(fd[0]);
}

static void *put_all(void *arg)
{
	assert(write(fd[1], big, sizeof(big)) == sizeof(big));
	return arg;
}

static void nobody_reads(void)
{
	assert(pipe(fd) == 0);
	end(begin(put_all, NULL));
}

static void *prepare_too_late(void *arg)
{
	put(fd[1], 'x');
	data = 1;
	return arg;
}

static void a_race_beside_a_pipe(void)
{
	pthread_t t;

	assert(pipe(fd) == 0);
	t = begin(prepare_too_late, NULL);
	get(fd[0]);
	data++;
	end(t);
}

static void two_writers(void)
{
	pthread_t t[2];
	char a, b;

	assert(pipe(fd) == 0);
	t[0] = begin(put_one, (void *)'a');
	t[1] = begin(put_one, (void *)'b');
	end(t[0]);
	end(t[1]);
	a = get(fd[0]);
	b = get(fd[0]);
	assert((a == 'a' && b == 'b') || (a == 'b' && b == 'a'));
}

static char got[2];

static void *get_one(void *arg)
{
	got[(long)arg] = get(fd[0]);
	return NULL;
}

static void two_readers(void)
{
	assert(pipe(fd) == 0);
	put(fd[1], 'a');
	put(fd[1], 'b');
	THREADS(2, get_one);
	assert(got[0] + got[1] == 'a' + 'b');
}

static void the_wrong_reader(void)
{
	two_readers();
	assert(got[0] == 'a');
}

static void *put_two(void *arg)
{
	put(fd[1], 'a');
	put(fd[1], 'b');
	return arg;
}

static void reads_what_is_there(void)
{
	char b[10];
	pthread_t t;
	ssize_t n;

	assert(pipe(fd) == 0);
	t = begin(put_two, NULL);
	n = read(fd[0], b, sizeof(b));
	assert(n == 1 || n == 2);
	if (n == 1)
		n += read(fd[0], b + 1, sizeof(b) - 1);
	assert(n == 2 && b[0] == 'a' && b[1] == 'b');
	end(t);
}

static void long_writes_go_in_pieces(void)
{
	size_t all = 0;
	pthread_t t;

	assert(pipe(fd) == 0);
	for (size_t i = 0; i < sizeof(big); i++)
		big[i] = (char)i;
	t = begin(put_all, NULL);
	while (all < sizeof(big)) {
		static char b[1000];
		size_t left = sizeof(big) - all, want = left < 1000 ? left : 1000, at = 0;

		while (at < want) {
			ssize_t n = read(fd[0], b + at, want - at);

			assert(n > 0);
			at += (size_t)n;
		}
		assert(!memcmp(b, big + all, want));
		all += want;
		if (all == 1000) /* the rest when it is all there, or no room is left */
			break;
	}
	pthread_detach(t);
}

static void *put_and_close(void *arg)
{
	put(fd[1], 'x');
	assert(close(fd[1]) == 0);
	return arg;
}

static void end_of_file(void)
{
	pthread_t t;
	char c;

	assert(pipe(fd) == 0);
	t = begin(put_and_close, NULL);
	assert(get(fd[0]) == 'x');
	assert(read(fd[0], &c, 1) == 0 && read(fd[0], &c, 1) == 0);
	end(t);
}

static int copy;

static void *close_copy(void *arg)
{
	assert(close(copy) == 0);
	return arg;
}

static void *close_it(void *arg)
{
	assert(close(fd[1]) == 0);
	return arg;
}

static void end_of_file_from_the_last_writer(void)
{
	pthread_t t[2];
	char c;

	assert(pipe(fd) == 0);
	copy = dup(fd[1]);
	assert(copy >= 0);
	t[0] = begin(close_it, NULL);
	t[1] = begin(close_copy, NULL);
	assert(read(fd[0], &c, 1) == 0);
	end(t[0]);
	end(t[1]);
}

static void a_writer_left_open(void)
{
	pthread_t t;
	char c;

	assert(pipe(fd) == 0);
	copy = dup(fd[1]);
	t = begin(close_it, NULL);
	assert(read(fd[0], &c, 1) == 0); /* bug: a_writer_left_open */
	end(t);
}

static void nonblocking(void)
{
	pthread_t t;
	ssize_t n;
	char c;

	assert(pipe2(fd, O_NONBLOCK) == 0);
	t = begin(put_one, (void *)'x');
	n = read(fd[0], &c, 1);
	assert((n == 1 && c == 'x') || (n == -1 && errno == EAGAIN));
	end(t);
	assert(n == 1 || read(fd[0], &c, 1) == 1);
}

static void *fill_it(void *arg)
{
	assert(write(fd[1], big, sizeof(big)) == 65536);
	assert(write(fd[1], big, 1) == -1 && errno == EAGAIN);
	return arg;
}

static void full_without_waiting(void)
{
	assert(pipe2(fd, O_NONBLOCK) == 0);
	THREADS(1, fill_it);
}

static void *use_vectors(void *arg)
{
	char a[3] = "ab", b[4] = "cde", c[2], d[8];
	struct iovec out[2] = { { a, 2 }, { b, 3 } }, in[2] = { { c, 2 }, { d, 8 } };
	ssize_t n = writev(fd[1], out, 2);

	assert(n == 5);
	assert(readv(fd[0], in, 2) == 5);
	assert(!memcmp(c, "ab", 2) && !memcmp(d, "cde", 3));
	return arg;
}

static void several_buffers(void)
{
	assert(pipe(fd) == 0);
	use_vectors(NULL);
	THREADS(1, use_vectors);
}

static void *use_the_wrong_end(void *arg)
{
	char c = 0;

	assert(read(fd[1], &c, 1) == -1 && errno == EBADF);
	assert(write(fd[0], &c, 1) == -1 && errno == EBADF);
	assert(read(-1, &c, 1) == -1 && errno == EBADF);
	signal(SIGPIPE, SIG_IGN);
	close(fd[0]);
	assert(write(fd[1], &c, 1) == -1 && errno == EPIPE);
	assert(read(fd[0], &c, 1) == -1 && errno == EBADF);
	return arg;
}

static void killed_by_a_broken_pipe(void)
{
	signal(SIGPIPE, SIG_DFL); /* whoever started it may ignore it */
	assert(pipe(fd) == 0);
	close(fd[0]);
	end(begin(put_one, NULL));
}

static void wrong_descriptors(void)
{
	assert(pipe(fd) == 0);
	THREADS(1, use_the_wrong_end);
}

/* What is in it at the first thread's creation is there in every execution. */
static void made_before_the_threads(void)
{
	char c[3];

	assert(pipe(fd) == 0);
	put(fd[1], 'a');
	{
		pthread_t t[2] = { begin(put_one, (void *)'b'), begin(put_one, (void *)'c') };

		c[0] = get(fd[0]);
		c[1] = get(fd[0]);
		end(t[0]);
		end(t[1]);
	}
	c[2] = get(fd[0]);
	assert(c[0] == 'a' && c[1] + c[2] == 'b' + 'c');
}

static void *make_one(void *arg)
{
	int mine[2];

	assert(pipe(mine) == 0);
	put(mine[1], 'm');
	assert(get(mine[0]) == 'm');
	assert(close(mine[0]) == 0 && close(mine[1]) == 0);
	return arg;
}

static void made_in_a_thread(void)
{
	THREADS(2, make_one);
}

static void *pass_on(void *arg)
{
	put(back[1], get(fd[0]));
	return arg;
}

static void a_ring_of_duplicates(void)
{
	pthread_t t;
	int to;

	assert(pipe(fd) == 0 && pipe(back) == 0);
	t = begin(pass_on, NULL);
	to = fcntl(fd[1], F_DUPFD_CLOEXEC, 100);
	assert(to >= 100);
	assert(dup2(fd[1], 101) == 101 && dup3(to, 102, O_CLOEXEC) == 102);
	assert(close(fd[1]) == 0 && close(to) == 0 && close(101) == 0);
	put(102, 'r');
	assert(get(back[0]) == 'r');
	end(t);
}

/* ---- eventfd ---- */

static void *add_two(void *arg)
{
	assert(eventfd_write(fd[0], 2) == 0);
	return arg;
}

static void eventfd_adds_up(void)
{
	pthread_t t[2];
	eventfd_t v, all = 0;

	fd[0] = eventfd(1, 0);
	assert(fd[0] >= 0);
	t[0] = begin(add_two, NULL);
	t[1] = begin(add_two, NULL);
	while (all < 5) {
		assert(eventfd_read(fd[0], &v) == 0 && v > 0);
		all += v;
	}
	assert(all == 5);
	end(t[0]);
	end(t[1]);
}

static void eventfd_counts_down(void)
{
	eventfd_t v;
	pthread_t t;

	fd[0] = eventfd(0, EFD_SEMAPHORE);
	t = begin(add_two, NULL);
	for (int i = 0; i < 2; i++)
		assert(eventfd_read(fd[0], &v) == 0 && v == 1);
	end(t);
}

/* It takes all at once, so that one post may be enough for two. */
static void eventfd_as_a_semaphore(void)
{
	pthread_t t[2];
	eventfd_t v;

	fd[0] = eventfd(0, 0);
	t[0] = begin(add_two, NULL);
	t[1] = begin(add_two, NULL);
	assert(eventfd_read(fd[0], &v) == 0);
	end(t[0]);
	end(t[1]);
	assert(v == 2);
}

static void *use_it_wrongly(void *arg)
{
	uint64_t v = UINT64_MAX;

	assert(read(fd[0], &v, 4) == -1 && errno == EINVAL);
	assert(write(fd[0], &v, 4) == -1 && errno == EINVAL);
	v = UINT64_MAX;
	assert(write(fd[0], &v, 8) == -1 && errno == EINVAL);
	assert(read(fd[0], &v, 8) == -1 && errno == EAGAIN);
	return arg;
}

static void eventfd_errors(void)
{
	fd[0] = eventfd(0, EFD_NONBLOCK);
	use_it_wrongly(NULL);
	THREADS(1, use_it_wrongly);
}

/* ---- Sockets ---- */

static void *answer(void *arg)
{
	put(fd[1], (char)(get(fd[1]) + 1));
	assert(close(fd[1]) == 0);
	return arg;
}

static void sockets_both_ways(void)
{
	pthread_t t;
	char c;

	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
	t = begin(answer, NULL);
	put(fd[0], 'a');
	assert(get(fd[0]) == 'b');
	assert(read(fd[0], &c, 1) == 0);
	end(t);
}

static void both_wait_for_the_other(void)
{
	pthread_t t;

	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
	t = begin(answer, NULL);
	get(fd[0]);
	end(t);
}

static void *make_two(void *arg)
{
	char c;

	for (int i = 0; i < 2; i++) {
		int p[2];

		assert(pipe(p) == 0);
		assert(write(p[1], "x", 1) == 1 && read(p[0], &c, 1) == 1);
		close(p[0]);
		close(p[1]);
	}
	return arg;
}

static void made_again_behind_one_that_was_closed(void)
{
	THREADS(1, make_two);
}

static void tries_until_there_is_something(void)
{
	pthread_t t;
	char c;

	assert(pipe2(fd, O_NONBLOCK) == 0);
	t = begin(put_one, (void *)'x');
	while (read(fd[0], &c, 1) < 0 && errno == EAGAIN)
		sched_yield();
	assert(c == 'x');
	end(t);
}

static void counts_its_tries(void)
{
	static volatile int tries;
	pthread_t t;
	char c;

	assert(pipe2(fd, O_NONBLOCK) == 0);
	t = begin(put_one, (void *)'x');
	while (read(fd[0], &c, 1) < 0 && errno == EAGAIN) {
		assert(++tries < 9);
		sched_yield();
	}
	end(t);
}

CASES(CASE(killed_by_a_broken_pipe), CASE(a_reader_waits_for_the_writer),
      CASE(what_was_written_happened_before), CASE(nobody_writes), CASE(nobody_reads),
      CASE(a_race_beside_a_pipe), CASE(two_writers), CASE(two_readers), CASE(the_wrong_reader),
      CASE(reads_what_is_there), CASE(long_writes_go_in_pieces), CASE(end_of_file),
      CASE(end_of_file_from_the_last_writer), CASE(a_writer_left_open), CASE(nonblocking),
      CASE(full_without_waiting), CASE(several_buffers), CASE(wrong_descriptors),
      CASE(made_before_the_threads), CASE(made_in_a_thread), CASE(a_ring_of_duplicates),
      CASE(eventfd_adds_up), CASE(eventfd_counts_down), CASE(eventfd_as_a_semaphore),
      CASE(eventfd_errors), CASE(sockets_both_ways), CASE(both_wait_for_the_other),
      CASE(made_again_behind_one_that_was_closed), CASE(tries_until_there_is_something),
      CASE(counts_its_tries))
