/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waits.c - threads that take a ticket lock; how often the program starts can be counted
 *
 *	waits THREADS [MILLISECONDS]	how long each execution takes, natively
 *
 * Each start adds a line to the file that STARTS names. That threads wait where they do is found
 * out in the course of an exploration, which then starts again.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int next, serving;
static int holders, loops;

__attribute__((constructor)) static void note_start(void)
{
	const char *path = getenv("STARTS");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;

	if (fd >= 0 && write(fd, "started\n", 8) != 8)
		abort();
	if (fd >= 0)
		close(fd);
}

static void *hold(void *arg)
{
	int ticket = atomic_fetch_add(&next, 1);

	while (atomic_load_explicit(&serving, memory_order_acquire) != ticket)
		;
	holders++;
	atomic_store_explicit(&serving, ticket + 1, memory_order_release);
	return arg;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 2;
	pthread_t t[8];

	loops = argc > 2 ? atoi(argv[2]) * 1000000 : 0;
	for (int i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, hold, NULL);
	for (int i = 0; i < loops; i++)
		__asm__ volatile("");
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	return 0;
}
