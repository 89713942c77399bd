/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * buffers.c - the memory that read(), write() and their like work on
 *
 * In X_reads one thread writes a text with X that another one changes the last byte of; in X_writes it
 * reads into one whose last byte the other looks at.
 *
 * case no_more_than_was_received: ok 1
 * case in_order: ok 2
 * case handed_over: ok 1
 * case of_an_atomic: ok 1
 * case in_a_loop_that_waits: ok 1
 * case in_a_loop_that_tries: ok 4
 * case behind_the_end: bug out-of-bounds at IN_THREAD(behind_the_end,
 * case written_behind_the_end: bug out-of-bounds at IN_THREAD(written_behind_the_end,
 * case into_a_freed_block: bug use-after-free at IN_THREAD(into_a_freed_block,
 * case of_a_freed_block: bug use-after-free at IN_THREAD(of_a_freed_block,
 * case read_writes: bug data-race at WRITES(read,
 * case readv_writes: bug data-race at WRITES(readv,
 * case recv_writes: bug data-race at WRITES(recv,
 * case recvfrom_writes: bug data-race at WRITES(recvfrom,
 * case recvmsg_writes: bug data-race at WRITES(recvmsg,
 * case eventfd_writes: bug data-race at RACE(eventfd_writes,
 * case pread_writes: bug data-race at WRITES(pread,
 * case file_writes: bug data-race at WRITES(file,
 * case write_reads: bug data-race at READS(write,
 * case writev_reads: bug data-race at READS(writev,
 * case send_reads: bug data-race at READS(send,
 * case sendto_reads: bug data-race at READS(sendto,
 * case sendmsg_reads: bug data-race at READS(sendmsg,
 * case eventfd_reads: bug data-race at RACE(eventfd_reads,
 * case pwrite_reads: bug data-race at READS(pwrite,
 * case file_reads: bug data-race at READS(file,
 * case output_reads: bug data-race at READS(output,
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cases.h"
#include "hooks/blocks.h"
#include "hooks/threads.h"

static char text[100] = "abcdefg";
static uint64_t number = 1;
static int ends[2], pair[2], event, zeros, nothing;
static _Thread_local volatile int sink;

static void open_all(void)
{
	assert(!pipe(ends) && !socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	event = eventfd(1, 0);
	zeros = open("/dev/zero", O_RDONLY);
	nothing = open("/dev/null", O_WRONLY);
	assert(event >= 0 && zeros >= 0 && nothing >= 0);
	assert(write(ends[1], "1234567", 8) == 8 && write(pair[1], "1234567", 8) == 8);
}

/* ---- What is not accessed ------------------------------------------------------------------------- */

static void *receive_or_write(void *arg)
{
	if (arg) {
		text[8] = 'x';
		return NULL;
	}
	assert(read(ends[0], text, 100) == 8 && write(ends[1], text, 8) == 8);
	assert(read(-1, text, 100) == -1 && write(-1, text, 0) == -1);
	return NULL;
}

static void no_more_than_was_received(void)
{
	open_all();
	THREADS(2, receive_or_write);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *receive_or_look(void *arg)
{
	pthread_mutex_lock(&mutex);
	if (arg)
		assert(read(ends[0], text, 8) == 8);
	else
		assert(!strcmp(text, "abcdefg") || !strcmp(text, "1234567"));
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void in_order(void)
{
	open_all();
	THREADS(2, receive_or_look);
}

/* Bytes of a pipe order what was done before they were written. */
static void *hand_over(void *arg)
{
	char own[8];

	if (arg) {
		strcpy(text, "to you");
		assert(write(pair[0], text, 7) == 7);
	} else {
		assert(read(pair[1], own, 7) == 7 && !strcmp(own, text));
		text[0] = 'x';
	}
	return NULL;
}

static void handed_over(void)
{
	assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	THREADS(2, hand_over);
}

static _Atomic uint64_t atomic_number;

static void *store_number(void *arg)
{
	atomic_store(&atomic_number, 5);
	return arg;
}

static void of_an_atomic(void)
{
	open_all();
	THREADS(1, store_number);
	assert(read(event, (void *)&atomic_number, 8) == 8);
	assert(atomic_load(&atomic_number) == 1);
	atomic_store(&atomic_number, 7);
	assert(write(event, (void *)&atomic_number, 8) == 8 && read(event, &number, 8) == 8);
	assert(number == 7);
}

static atomic_int flag;

static void *write_until(void *arg)
{
	while (!atomic_load(&flag))
		assert(write(1, text, 7) == 7);
	return arg;
}

static void in_a_loop_that_waits(void)
{
	pthread_t t = begin(write_until, NULL);

	atomic_store(&flag, 1);
	end(t);
}

static void *try_until(void *arg)
{
	while (read(ends[0], text, 8) != 8)
		assert(errno == EAGAIN);
	assert(!strcmp(text, "7654321"));
	return arg;
}

static void in_a_loop_that_tries(void)
{
	pthread_t t;

	assert(!pipe2(ends, O_NONBLOCK));
	t = begin(try_until, NULL);
	assert(write(ends[1], "7654321", 8) == 8);
	end(t);
}

/* ---- Errors with memory --------------------------------------------------------------------------- */

/* `call`, in a thread, once all is open. */
#define IN_THREAD(name, call)                              \
	DO_IN_THREAD(name##_when_open, sink = (int)(call)) \
	static void name(void)                             \
	{                                                  \
		open_all();                                \
		name##_when_open();                        \
	}

IN_THREAD(behind_the_end, read(ends[0], hide(malloc(7)), 8))
IN_THREAD(written_behind_the_end, write(ends[1], hide(calloc(7, 1)), 8))
IN_THREAD(into_a_freed_block, recv(pair[0], freed(8), 8, 0))
IN_THREAD(of_a_freed_block, send(pair[0], freed(8), 8, 0))

/* ---- Races ---------------------------------------------------------------------------------------- */

#define RACE(name, call, access)                                      \
	static void *name##_in_thread(void *arg)                      \
	{                                                             \
		struct iovec v[2] = { { text, 3 }, { text + 3, 5 } }; \
		struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };  \
		int got = 0;                                          \
                                                                      \
		(void)m;                                              \
		if (arg)                                              \
			access;                                       \
		else                                                  \
			got = (int)(call);                            \
		assert(arg || got == 8);                              \
		return NULL;                                          \
	}                                                             \
	static void name(void)                                        \
	{                                                             \
		open_all();                                           \
		THREADS(2, name##_in_thread);                         \
	}
#define WRITES(name, call) RACE(name##_writes, call, sink = text[7])
#define READS(name, call)  RACE(name##_reads, call, text[7] = 0)

WRITES(read, read(ends[0], text, 100))
WRITES(readv, readv(ends[0], v, 2))
WRITES(recv, recv(pair[0], text, 8, 0))
WRITES(recvfrom, recvfrom(pair[0], text, 8, 0, NULL, NULL))
WRITES(recvmsg, recvmsg(pair[0], &m, 0))
RACE(eventfd_writes, read(event, &number, 8), sink = (int)number)
WRITES(pread, pread(zeros, text, 8, 0))
WRITES(file, read(zeros, text, 8))
READS(write, write(ends[1], text, 8))
READS(writev, writev(ends[1], v, 2))
READS(send, send(pair[0], text, 8, 0))
READS(sendto, sendto(pair[0], text, 8, 0, NULL, 0))
READS(sendmsg, sendmsg(pair[0], &m, 0))
RACE(eventfd_reads, write(event, &number, 8), number = 3)
READS(pwrite, pwrite(nothing, text, 8, 0))
READS(file, write(nothing, text, 8))
READS(output, write(1, text, 8))

CASES(CASE(no_more_than_was_received), CASE(in_order), CASE(handed_over), CASE(of_an_atomic),
      CASE(in_a_loop_that_waits), CASE(in_a_loop_that_tries), CASE(behind_the_end),
      CASE(written_behind_the_end), CASE(into_a_freed_block), CASE(of_a_freed_block),
      CASE(read_writes), CASE(readv_writes), CASE(recv_writes), CASE(recvfrom_writes),
      CASE(recvmsg_writes), CASE(eventfd_writes), CASE(pread_writes), CASE(file_writes),
      CASE(write_reads), CASE(writev_reads), CASE(send_reads), CASE(sendto_reads),
      CASE(sendmsg_reads), CASE(eventfd_reads), CASE(pwrite_reads), CASE(file_reads),
      CASE(output_reads))
