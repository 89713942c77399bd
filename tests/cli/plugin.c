/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that load libraries: one of them (-DPLUGIN=name), or the program with -DFIRST=... and -DSECOND=... */
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef PLUGIN
#define NAME_(plugin, function) plugin##_##function
#define NAME(plugin, function)  NAME_(plugin, function)

static atomic_int flag;
static int plain;

int NAME(PLUGIN, write)(void)
{
	plain = 1;
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return 0;
}

int NAME(PLUGIN, read)(void)
{
	return atomic_load_explicit(&flag, memory_order_acquire) ? plain : 1;
}

int NAME(PLUGIN, post)(void)
{
	atomic_store(&flag, 1);
	return 0;
}

int NAME(PLUGIN, await)(void)
{
	while (!atomic_load(&flag))
		;
	return 0;
}
#else
#ifndef FIRST
#define FIRST  call(NULL, NULL)
#define SECOND call(NULL, NULL)
#endif

static void call(const char *library, const char *function)
{
	void *handle = dlopen(library, RTLD_NOW);
	int (*fn)(void);

	if (!handle)
		abort();
	fn = (int (*)(void))dlsym(handle, function);
	fn();
}

static void *first(void *arg)
{
	FIRST;
	return arg;
}

static void *second(void *arg)
{
	SECOND;
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
#endif
