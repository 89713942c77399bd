/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loads.c - threads that load libraries, whose constructors and destructors are the program's, for loads.test; the argument says which.
 * With -DONE or -DOTHER a library.
 */
#if defined(ONE) || defined(OTHER)
extern void constructed(int which), destructed(void);

#ifdef ONE
#define WHICH 1
#else
#define WHICH 2
#endif

static __attribute__((constructor)) void begin(void)
{
	constructed(WHICH);
}

static __attribute__((destructor)) void end(void)
{
	if (WHICH == 1)
		destructed();
}
#else

#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *how;
static int is(const char *name)
{
	return !strcmp(how, name);
}

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_t first, second, by;
static atomic_int steps;
static int times;

static void *load(const char *name)
{
	void *library = dlopen(name, RTLD_NOW);

	assert(library);
	return library;
}

static void *loads(void *arg)
{
	void *library;

	if (is("lookup") || is("lookup_before"))
		steps++;
	library = load("./one.so");
	if (is("unloads"))
		assert(dlclose(library) == 0);
	if (is("root") || is("once"))
		assert(times == 1);
	return arg;
}

static void *steps_once(void *arg)
{
	steps++;
	return arg;
}

static void *looks_up(void *arg)
{
	assert(dlsym(RTLD_DEFAULT, "getpid"));
	steps++;
	return arg;
}

void constructed(int which)
{
	if (is("nested") && which == 1)
		load("./other.so");
	if (is("nested") || is("unloads") || is("once"))
		times++;
	if (is("lock") || is("deadlock") || is("lookup_deadlock")) {
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
	}
	if (is("lookup") || is("lookup_before"))
		steps++;
	if (is("who"))
		by = pthread_self();
	if (is("root") || is("root_and_unload")) {
		pthread_create(&first, NULL, is("root") ? loads : steps_once, NULL);
		times = 1;
	}
}

void destructed(void)
{
	times--;
}

static void *loads_under_a_lock(void *arg)
{
	pthread_mutex_lock(&m);
	load("./one.so");
	pthread_mutex_unlock(&m);
	return arg;
}

static void *looks_up_under_a_lock(void *arg)
{
	pthread_mutex_lock(&m);
	looks_up(arg);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *loads_by_name(void *arg)
{
	assert(!dlopen("./hidden.so", RTLD_NOW) && !dlopen("no_such.so", RTLD_NOW));
	load("hidden.so");
	load("$ORIGIN/other.so");
	load("${ORIGIN}/folder/hidden.so");
	assert(dlopen("hidden.so", RTLD_NOW | RTLD_NOLOAD) && load("libm.so.6"));
	return arg;
}

static void *(*another(void))(void *)
{
	if (is("deadlock"))
		return loads_under_a_lock;
	if (is("lookup") || is("lookup_before"))
		return looks_up;
	if (is("lookup_deadlock"))
		return looks_up_under_a_lock;
	return is("name") ? loads_by_name : loads;
}

int main(int argc, char **argv)
{
	void *library;

	assert(argc == 2);
	how = argv[1];
	if (is("root")) {
		load("./one.so");
		return pthread_join(first, NULL);
	}
	if (is("root_and_unload")) {
		library = load("./one.so");
		pthread_join(first, NULL);
		assert(!dlsym(library, "no_such_function"));
		return dlclose(library);
	}
	if (!is("name") && !is("lookup_before"))
		pthread_create(&first, NULL, loads, NULL);
	pthread_create(&second, NULL, another(), NULL);
	if (is("lookup_before"))
		pthread_create(&first, NULL, loads, NULL);
	if (!is("name"))
		pthread_join(first, NULL);
	pthread_join(second, NULL);
	if (is("who"))
		assert(!pthread_equal(by, second));
	return 0;
}
#endif
