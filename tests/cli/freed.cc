/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * freed.cc - a block that one thread frees while another reads it, allocated and freed in several ways
 *
 * The first argument says how; main allocates before it creates threads, or with "late" behind that.
 */
#include <atomic>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const char *how;
static bool twice; /* who frees does it again, and nobody reads */

struct object {
	std::atomic<int> references;
	int data[4];
};

static object *shared;

static __attribute__((noinline)) void *memory()
{
	if (!strcmp(how, "new"))
		return ::operator new(sizeof(object)); /* allocated: new */
	if (!strcmp(how, "array"))
		return new char[sizeof(object)]; /* allocated: array */
	if (!strcmp(how, "calloc"))
		return calloc(1, sizeof(object)); /* allocated: calloc */
	return malloc(sizeof(object));            /* allocated: malloc */
}

static __attribute__((noinline)) object *make()
{
	object *o = static_cast<object *>(memory());

	o->references.store(2);
	o->data[1] = 7;
	return o;
}

static __attribute__((noinline)) void give_back(object *o)
{
	if (!strcmp(how, "new"))
		::operator delete(o); /* freed: new */
	else if (!strcmp(how, "array"))
		delete[] reinterpret_cast<char *>(o); /* freed: array */
	else
		free(o); /* freed: malloc */
}

/* Relaxed: what the other thread read is not over for the one that frees. */
static __attribute__((noinline)) void put(object *o)
{
	std::memory_order order = twice ? std::memory_order_acq_rel : std::memory_order_relaxed;

	if (o->references.fetch_sub(1, order) != 1)
		return;
	give_back(o);
	if (twice)
		give_back(o);
}

static void *worker(void *)
{
	volatile int read = twice ? 0 : shared->data[1];

	(void)read;
	put(shared);
	return nullptr;
}

static void *nothing(void *arg)
{
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[2];
	bool late = argc > 2 && !strcmp(argv[2], "late");

	how = argc > 1 ? argv[1] : "";
	twice = argc > 2 && !strcmp(argv[2], "twice");
	if (late) {
		pthread_create(&t[0], nullptr, nothing, nullptr);
		pthread_join(t[0], nullptr);
	}
	shared = make();
	for (pthread_t &thread : t)
		pthread_create(&thread, nullptr, worker, nullptr);
	for (pthread_t thread : t)
		pthread_join(thread, nullptr);
	return 0;
}
