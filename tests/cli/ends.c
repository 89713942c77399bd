/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ends.c - threads that write to a pipe made by main between them, and one of whom does something last
 *
 *	ends WHAT
 *
 * WHAT: nothing, segv, abort, assert, kill, exit, _exit, unseen (the process ends past all functions), overflow, map,
 * thread, file, open or close.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int ends[2];
static atomic_int writers;
static const char *what;
static char *volatile nowhere;

static int overflow(const volatile char *above)
{
	volatile char here[1 << 16];

	here[0] = *above;
	return overflow(here) + here[0];
}

/* As inline assembly or a library of one's own may: no function is called. */
static void leave_unseen(int status)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(231L), "D"((long)status)
			 : "rcx", "r11", "memory");
}

static void *nothing(void *arg)
{
	return arg;
}

static void map_memory(void)
{
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert(p != MAP_FAILED && !p[5]);
	p[5] = 1;
}

static void make_thread(void)
{
	pthread_t t;

	pthread_create(&t, NULL, nothing, NULL);
	pthread_join(t, NULL);
}

static void read_file(void)
{
	char line[16];
	FILE *f = fopen("/proc/self/status", "r");

	assert(f && fgets(line, sizeof(line), f) && !memcmp(line, "Name:", 5));
	fclose(f);
}

static void do_it(void)
{
	const char above = 1;

	if (!strcmp(what, "segv"))
		*nowhere = 1;
	else if (!strcmp(what, "abort"))
		abort();
	else if (!strcmp(what, "assert"))
		assert(!"here");
	else if (!strcmp(what, "kill"))
		kill(getpid(), SIGKILL);
	else if (!strcmp(what, "exit"))
		exit(3);
	else if (!strcmp(what, "_exit"))
		_exit(4);
	else if (!strcmp(what, "unseen"))
		leave_unseen(5);
	else if (!strcmp(what, "overflow"))
		overflow(&above);
	else if (!strcmp(what, "map"))
		map_memory();
	else if (!strcmp(what, "thread"))
		make_thread();
	else if (!strcmp(what, "file"))
		read_file();
	else if (!strcmp(what, "open"))
		assert(open("/dev/null", O_RDONLY) == ends[1] + 1);
	else if (!strcmp(what, "close"))
		close(1);
}

static void *write_one(void *arg)
{
	assert(write(ends[1], "x", 1) == 1);
	if (atomic_fetch_add(&writers, 1) == (int)(size_t)arg)
		do_it();
	return arg;
}

int main(int argc, char **argv)
{
	char buf[8];
	pthread_t t[2];
	ssize_t n;

	what = argc > 1 ? argv[1] : "nothing";
	make_thread();
	assert(pipe(ends) == 0);
	for (size_t i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, write_one, (void *)i);
	for (int got = 0; got < 2; got += (int)n) {
		n = read(ends[0], buf, sizeof(buf));
		assert(n > 0);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
