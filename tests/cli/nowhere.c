/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nowhere.c - bugs and refusals whose places are not where the program is
 *
 *	nowhere call|mixed
 *
 * call: of a function pointer that may not be set yet. mixed: an atomic is read by halves.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static void (*_Atomic call)(void);
static _Alignas(8) atomic_int halves[2];

static void nothing(void)
{
}

static void *set(void *arg)
{
	atomic_store((_Atomic long *)halves, 1);
	call = nothing;
	return arg;
}

static int called(void)
{
	void (*now)(void) = call;

	now();
	return halves[0]; /* so that it is no jump */
}

static int mixed(void)
{
	return halves[1];
}

int main(int argc, char **argv)
{
	pthread_t t;

	pthread_create(&t, NULL, set, NULL);
	if (argc > 1 && (!strcmp(argv[1], "call") ? called() : mixed()) > 1)
		return 1;
	return pthread_join(t, NULL);
}
