/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * aba.c - a pointer is there again when it is exchanged
 *
 *	aba other	another thread had stored another one in between, and exchanged it again
 *	aba two		one thread stores another one, a second thread exchanges that again
 *	aba stored	as other, but both by stores
 *	aba same	nobody has stored another one
 *	aba after	another thread has, and exchanged it again, before it is read
 *	aba own		the thread itself has
 *	aba lock	numbers, as a lock has them
 *	aba version	as other, beside a version, which is looked at: the exchange fails
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

struct versioned {
	int *pointer;
	uintptr_t version;
};

static int a, b;
static int *_Atomic top = &a;
static _Atomic struct versioned both = { &a, 0 };
static atomic_int number, begun, seen;
static const char *what;

static int is(const char *name)
{
	return !strcmp(what, name);
}

static void *exchanges(void *argument)
{
	const int late = is("after") && !atomic_load(&seen);
	int *old = atomic_load(&top); /* reads */
	int zero = atomic_load(&number);
	struct versioned whole = atomic_load(&both);
	int was;

	if (late)
		return argument;
	atomic_store(&begun, 1);
	if (is("own")) {
		atomic_store(&top, &b);
		old = &b;
		atomic_compare_exchange_strong(&top, &old, &a);
		old = &a;
	}
	was = atomic_load(&seen);
	if (is("version"))
		assert(!atomic_compare_exchange_strong(&both, &whole, ((struct versioned){ 0 })) ||
		       !was);
	else if (is("lock"))
		assert(!atomic_compare_exchange_strong(&number, &zero, 1) || !was);
	else
		assert(!atomic_compare_exchange_strong(&top, &old, NULL) || !was); /* exchanges */
	return argument;
}

static void *changes(void *argument)
{
	int *old = &b;
	int one = 1;
	struct versioned whole = { &b, 1 };

	if (!is("after") && !atomic_load(&begun))
		return argument;
	if (is("other") || is("two") || is("stored") || is("after"))
		atomic_store(&top, &b); /* other */
	if (is("other") || is("after"))
		atomic_compare_exchange_strong(&top, &old, &a); /* again */
	if (is("stored"))
		atomic_store(&top, &a);
	if (is("lock")) {
		atomic_store(&number, 1);
		atomic_compare_exchange_strong(&number, &one, 0);
	}
	if (is("version")) {
		atomic_store(&both, whole);
		atomic_compare_exchange_strong(&both, &whole, ((struct versioned){ &a, 2 }));
	}
	if (!is("two"))
		atomic_store(&seen, 1);
	return argument;
}

static void *second(void *argument)
{
	int *old = &b;

	if (is("two") && atomic_compare_exchange_strong(&top, &old, &a)) /* by a second one */
		atomic_store(&seen, 1);
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t thread[3];
	void *(*const run[3])(void *) = { exchanges, changes, second };

	what = argc > 1 ? argv[1] : "";
	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, run[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
