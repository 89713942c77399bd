/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * places.c - small programs with membarrier(), and the same with fences at places that are told: see places.test
 *
 *	places SHAPE			one thread asks the kernel for fences on the others
 *	places SHAPE P Q ...		it asks them by a flag each. P is the place of the first thread, Q that of
 *					the second: before its item P (from 0) it waits for the flag, does a fence and
 *					answers. "02": it is asked twice, "-": never
 *
 * With two threads that ask, P and Q are the places where each answers the other: while it waits itself, if that
 * is the item that asks. A line with what all threads have read goes to the file that STATES names, as an execution ends;
 * FORBIDDEN must not be that.
 *
 * The threads of a shape are strings of items: x= stores 1, x? loads, both relaxed; x! stores with release, x: loads with acquire;
 * F is a fence, M asks; L and U take and free a mutex. In place of a SHAPE they may be given: "x= y?|y= M x?".
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	THREADS = 4,
	READS = 8
};

static const struct shape {
	const char *name;
	const char *thread[THREADS];
} shapes[] = {
	{ "buffering", { "x= y?", "y= M x?" } },
	{ "message", { "x= y=", "y? M x?" } },
	{ "publish", { "y? x?", "x= M y=" } },
	{ "twice", { "x= y? z= y?", "y= M x? z?" } },
	{ "witness", { "x= w= z? y?", "y= F x?", "w? M z=" } },
	{ "chain", { "x= y=", "y? z=", "z? M x?" } },
	{ "reads", { "x? y?", "x=", "y= M x?" } },
	{ "again", { "x= y? z?", "y= M x? M z=" } },
	{ "ordered", { "x! y:", "y= M x:" } },
	{ "locked", { "L x= U y?", "y= L M U x?" } },
	{ "callers", { "x= M y?", "y= M x?" } },
	{ "crossed", { "x= M z= y?", "y= z? M x?" } },
};

static atomic_int variables[4];
static atomic_int requests[THREADS][THREADS], answers[THREADS][THREADS]; /* by, of */
static int registers[THREADS][READS], *next[THREADS], asked[THREADS], answered[THREADS];
static const char *places[THREADS] = { "", "", "", "" };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const struct shape *shape;
static int told; /* 0: the kernel does it */
static int out = -1;

static int items(const char *p)
{
	int n = *p != 0;

	for (; *p; p++)
		n += *p == ' ';
	return n;
}

static int asks(int thread)
{
	return shape->thread[thread] && strchr(shape->thread[thread], 'M') != NULL;
}

static int nthreads(void)
{
	int n = 0;

	while (n < THREADS && shape->thread[n])
		n++;
	return n;
}

static void fence(void)
{
	atomic_thread_fence(memory_order_seq_cst);
}

/* The next request of each other thread that asks. */
static void answer(int me)
{
	for (int by = 0; by < nthreads(); by++) {
		if (by == me || !asks(by))
			continue;
		while (atomic_load_explicit(&requests[by][me], memory_order_acquire) ==
		       answered[me])
			;
		fence();
		atomic_store_explicit(&answers[by][me], answered[me] + 1, memory_order_release);
	}
	answered[me]++;
}

/* Does what is told for a place, so many times. */
static void at_place(int me, int n)
{
	for (const char *p = places[me]; *p; p++)
		if (*p == '0' + n)
			answer(me);
}

static void ask(int me, int n)
{
	int number = ++asked[me];

	fence();
	for (int of = 0; of < nthreads(); of++)
		if (of != me)
			atomic_store_explicit(&requests[me][of], number, memory_order_release);
	at_place(me, n);
	for (int of = 0; of < nthreads(); of++)
		while (of != me &&
		       atomic_load_explicit(&answers[me][of], memory_order_acquire) != number)
			;
	fence();
}

static void everywhere(int me, int n)
{
	if (told)
		ask(me, n);
	else
		assert(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0);
}

static void perform(const char *item, int me)
{
	atomic_int *v = &variables[*item - 'w'];

	switch (item[1]) {
	case '=':
		atomic_store_explicit(v, 1, memory_order_relaxed);
		return;
	case '!':
		atomic_store_explicit(v, 1, memory_order_release);
		return;
	case '?':
		*next[me]++ = atomic_load_explicit(v, memory_order_relaxed);
		return;
	default:
		*next[me]++ = atomic_load_explicit(v, memory_order_acquire);
	}
}

static void *run(void *arg)
{
	int me = (int)(long)arg, n = 0;

	next[me] = registers[me];
	for (const char *item = shape->thread[me]; item; n++) {
		if (*item == 'M') {
			everywhere(me, n);
		} else {
			at_place(me, n);
			if (*item == 'F')
				fence();
			else if (*item == 'L')
				pthread_mutex_lock(&mutex);
			else if (*item == 'U')
				pthread_mutex_unlock(&mutex);
			else
				perform(item, me);
		}
		item = strchr(item, ' ');
		item += item != NULL;
	}
	at_place(me, n);
	return NULL;
}

static void note(void)
{
	char line[THREADS * (READS + 1) + 1], *p = line;

	for (int t = 0; t < nthreads(); t++) {
		for (int *r = registers[t]; r < next[t]; r++)
			*p++ = (char)('0' + *r);
		*p++ = ' ';
	}
	*p = 0;
	if (getenv("FORBIDDEN"))
		assert(strcmp(line, getenv("FORBIDDEN")));
	*p++ = '\n';
	if (out >= 0)
		assert(write(out, line, (size_t)(p - line)) == p - line);
}

/* The one of that name, or what is given as such: threads with a bar between them. */
static const struct shape *find(char *name)
{
	static struct shape given;
	char *thread = strtok(name, "|");

	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		if (!strcmp(shapes[i].name, name))
			return &shapes[i];
	for (int t = 0; thread && t < THREADS; t++, thread = strtok(NULL, "|"))
		given.thread[t] = thread;
	return &given;
}

/* How many items has each thread, for each time that it is asked? "-": it never is. */
static int print_places(void)
{
	for (int t = 0; t < nthreads(); t++) {
		int n = 0;

		for (int by = 0; by < nthreads(); by++)
			for (const char *p = shape->thread[by]; by != t && *p; p++)
				if (*p == 'M' && ++n)
					printf("%d", items(shape->thread[t]));
		printf(n ? " " : "- ");
	}
	printf("\n");
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];

	if (argc == 1) {
		for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
			puts(shapes[i].name);
		return 0;
	}
	shape = find(argv[1]);
	if (argc > 2 && !strcmp(argv[2], "places"))
		return print_places();
	told = argc - 2;
	for (int i = 0; i < told; i++)
		places[i] = argv[2 + i];
	if (getenv("STATES"))
		out = open(getenv("STATES"), O_WRONLY | O_APPEND | O_CREAT, 0644);
	assert(syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0);
	for (long i = 0; i < nthreads(); i++)
		assert(pthread_create(&t[i], NULL, run, (void *)i) == 0);
	for (int i = 0; i < nthreads(); i++)
		assert(pthread_join(t[i], NULL) == 0);
	note();
	return 0;
}
