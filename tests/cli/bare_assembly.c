/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare_assembly.c - a library with assembly of which the unwinder knows nothing (bare_assembly.S)
 *
 * Two threads that each call put(). -DLIBRARY: what of the library is in C, and how it comes to the assembly: CALLED, UNREADABLE, TAKEN,
 * LISTED; or a function that does without it: UNUSED, CONSTANTS. -DAPART: the program without it.
 */
#include <pthread.h>
#include <stdlib.h>

void prepare(void);
void put(int *to, int value);
void put_it(int *to, int value) __attribute__((visibility("hidden")));

#ifndef APART
#if defined(TAKEN)
static void (*volatile which)(int *to, int value);

void prepare(void)
{
	which = put_it;
}

void put(int *to, int value)
{
	which(to, value);
}
#else
void prepare(void)
{
}
#endif

#if defined(CALLED)
void put(int *to, int value)
{
	put_it(to, value);
	__asm__ volatile("");
}
#elif defined(UNREADABLE)
/* 06 is no instruction of 64 bits. */
void put(int *to, int value)
{
	__asm__ volatile("jmp 1f\n\t.byte 6\n1:" : : "r"(*to));
	put_it(to, value);
	__asm__ volatile("");
}
#elif defined(LISTED)
void (*list[])(int *to, int value) = { put_it };

void put(int *to, int value)
{
	list[value - value](to, value);
}
#elif defined(CONSTANTS)
static const char text[] = "some text that no register holds";
const char *const texts[] = { text + 1, text + 2 };

void put(int *to, int value)
{
	const char *volatile where = text;

	if (value == atoi(text))
		abort();
	(void)to;
	(void)where;
}
#elif defined(UNUSED) || !defined(LIBRARY)
void put(int *to, int value)
{
	if (value == 3)
		free(calloc((size_t)*to, 3));
}
#endif
#endif

#ifndef LIBRARY
static int x;

static void *run(void *arg)
{
	put(&x, 1);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	prepare();
	pthread_create(&a, NULL, run, NULL);
	pthread_create(&b, NULL, run, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
#endif
