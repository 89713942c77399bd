/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare_library.c - what a library that is not instrumented, and has no locks, does to memory of the program
 *
 * bare_library WHAT: two threads that each call one of these functions; of liblater.so, if WHAT begins with "later-".
 * -DLIBRARY: the library alone. -DAPART: the program without it.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

struct functions {
	void (*put)(int *to, int value);
	int (*get)(const int *from);
	void (*fill)(int *to, int n, int value);
	int (*copy)(char *to, const char *from, int n);
	int (*text)(char *to, const char *from);
	int (*own)(int n);
	int (*block)(int n);
	void (*each)(int *a, int n, void (*call)(int *at));
	void (*sweep)(char *to, long n);
	void (*add)(int *restrict to, const int *restrict from);
	void (*scale)(double *a, int n);
	int (*scan)(const char *in, long n);
	int (*odd)(int *to, int n);
	int (*wide)(int *to, int n);
	void (*gather)(int *to, const int *from);
	long (*kernel)(long number);
	void (*fence)(void);
};

#ifndef APART
static void put(int *to, int value)
{
	*to = value;
}

static int get(const int *from)
{
	return *from;
}

/* A loop, which no compiler takes for memset(). */
static void fill(int *to, int n, int value)
{
	for (int i = 0; i < n; i++) {
		to[i] = value;
		__asm__ volatile("" : : : "memory");
	}
}

static int copy(char *to, const char *from, int n)
{
	memcpy(to, from, (size_t)n);
	return to[0];
}

static int text(char *to, const char *from)
{
	strcpy(to, from);
	return to[0];
}

static int own(int n)
{
	static __thread int kept;
	volatile int a[10] = { n };

	kept += a[0];
	return kept;
}

static int block(int n)
{
	volatile int *p = malloc(sizeof(*p));
	int v;

	*p = n;
	v = *p;
	free((void *)p);
	return v;
}

static void each(int *a, int n, void (*call)(int *at))
{
	for (int i = 0; i < n; i++) {
		a[i]++;
		call(&a[i]);
	}
}

/* One instruction. */
static void sweep(char *to, long n)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(1) : "memory");
}

/* With vectors, if the compiler may. */
static void add(int *restrict to, const int *restrict from)
{
	for (int i = 0; i < 64; i++)
		to[i] += from[i];
}

/* Numbers of which the instructions begin with f2 or f3, as rep does. */
static void scale(double *a, int n)
{
	for (int i = 0; i < n; i++) {
		a[i] *= 2;
		__asm__ volatile("" : : : "memory");
	}
}

static int scan(const char *in, long n)
{
	__asm__ volatile("repne scasb" : "+D"(in), "+c"(n) : "a"('x') : "memory", "cc");
	return (int)n;
}

/* Nobody knows what comes behind an instruction that nobody knows, though it is not executed. */
static int odd(int *to, int n)
{
	if (n > 100)
		__asm__ volatile("enter $0, $0; leave");
	return *to = n;
}

static int wide(int *to, int n)
{
	if (n > 100)
		__asm__ volatile("vmovdqu64 64(%0), %%zmm0" : : "r"(to) : "memory");
	return *to = n;
}

static void gather(int *to, const int *from)
{
#ifdef __AVX2__
	static const int at[4] = { 0, 8, 16, 24 };
	int got[4];

	__asm__ volatile("vmovdqu %2, %%xmm1; vpcmpeqd %%xmm2, %%xmm2, %%xmm2;"
			 "vpgatherdd %%xmm2, (%1, %%xmm1, 4), %%xmm0; vmovdqu %%xmm0, %0"
			 : "=m"(got)
			 : "r"(from), "m"(at)
			 : "xmm0", "xmm1", "xmm2", "memory");
	*to = got[0] + got[3];
#else
	*to = from[0];
#endif
}

static long kernel(long number)
{
	long result = number;

	__asm__ volatile("syscall" : "+a"(result) : "D"(0) : "rcx", "r11", "memory");
	return result;
}

static void fence(void)
{
	__asm__ volatile("mfence" : : : "memory");
}

const struct functions library = { put, get,   fill, copy, text, own,    block,  each, sweep,
				   add, scale, scan, odd,  wide, gather, kernel, fence };
#endif

#ifndef LIBRARY
#ifdef APART
extern const struct functions library;
#endif
static const struct functions *f;
static int x, a[40000], sink[2];
static double d[100];
static char bytes[100], large[1 << 20];
static const char *what;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t b;

static int is(const char *name)
{
	return !strcmp(what, name);
}

static void locks(int *at)
{
	pthread_mutex_lock(&m);
	*at = 2;
	pthread_mutex_unlock(&m);
}

/* Who writes, then reads what the other one writes, with a fence between, and so do both, cannot both find nothing. */
static void orders(int which)
{
	__atomic_store_n(&a[64 * which], 1, __ATOMIC_RELAXED);
	f->fence();
	sink[which] = __atomic_load_n(&a[64 * !which], __ATOMIC_RELAXED);
}

static void loops(int which)
{
	if (is("fills-apart"))
		f->fill(a + 100 * which, 100, which);
	else if (is("fills"))
		f->fill(a + 99 * which, 100, which);
	else if (is("fills-far"))
		f->fill(a + 2999 * which, 3000, which);
	else if (is("fills-much"))
		f->fill(a + 9999 * which, 10000, which);
	else if (is("fills-much-apart"))
		f->fill(a + 10000 * which, 10000, which);
	else if (is("fills-for-long"))
		for (int i = 0; i < 8; i++)
			f->fill(a + 20000 * which, 20000, which);
	else if (is("scales"))
		f->scale(d + 49 * which, 50);
	else if (is("scales-apart"))
		f->scale(d + 50 * which, 50);
	else if (is("scans"))
		which ? f->put((int *)(bytes + 48), 1) : (void)(sink[0] = f->scan(bytes, 50));
	else if (is("scans-apart"))
		which ? f->put((int *)(bytes + 52), 1) : (void)(sink[0] = f->scan(bytes, 50));
	else if (is("odd"))
		sink[which] = f->odd(a + which, which);
	else if (is("wide-apart"))
		sink[which] = f->wide(a + which, which);
	else if (is("gathers"))
		f->gather(sink + which, a);
	else if (is("asks-kernel"))
		f->kernel(SYS_getpid);
	else if (is("fences"))
		orders(which);
	else if (is("alarms"))
		f->kernel(SYS_alarm);
	else if (is("sweeps"))
		f->sweep(large + ((1 << 19) - 1) * which, 1 << 19);
	else if (is("sweeps-apart"))
		f->sweep(large + (1 << 19) * which, 1 << 19);
	else if (is("adds"))
		f->add(a + 63 * which, a + 1000);
	else if (is("adds-apart"))
		f->add(a + 64 * which, a + 1000);
	else if (is("calls-back"))
		f->each(a + 2 * which, 3, locks);
	else if (is("calls-back-apart"))
		f->each(a + 3 * which, 3, locks);
}

static void calls(int which)
{
	if (is("puts"))
		f->put(&x, which);
	else if (is("gets"))
		sink[which] = f->get(&x);
	else if (is("puts-and-gets"))
		which ? f->put(&x, 1) : (void)(sink[0] = f->get(&x));
	else if (is("puts-and-reads") || is("reads-and-puts"))
		which == (*what == 'p') ? f->put(&x, 1) : (void)(sink[which] = x);
	else if (is("gets-and-writes") || is("writes-and-gets"))
		which == (*what == 'g') ? (void)(sink[which] = f->get(&x)) : (void)(x = 1);
	else if (is("copies"))
		sink[which] = f->copy(bytes + which, "abc", 3);
	else if (is("copies-apart"))
		sink[which] = f->copy(bytes + 3 * which, "abc", 3);
	else if (is("copies-to-reader"))
		sink[which] = which ? f->copy(bytes, "abc", 3) : bytes[2];
	else if (is("texts"))
		sink[which] = f->text(bytes + 3 * which, "abc");
	else if (is("texts-apart"))
		sink[which] = f->text(bytes + 4 * which, "abc");
	else if (is("owns"))
		sink[which] = f->own(which) + f->block(which);
	else
		loops(which);
}

static void *work(void *arg)
{
	int which = arg != NULL;

	if (is("guarded")) {
		pthread_mutex_lock(&m);
		f->put(&x, which);
		pthread_mutex_unlock(&m);
	} else if (is("in-turn")) {
		if (!which)
			f->put(&x, 1);
		pthread_barrier_wait(&b);
		if (which)
			f->put(&x, 2);
	} else if (is("sweeps-twice")) {
		f->sweep(large + 100 * which, 100);
		f->sweep(large + 300 + which, 2);
	} else if (is("sweeps-again")) {
		f->sweep(large + 100 * which, 100);
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
		f->sweep(large + 300 + which, 2);
	} else if (is("stacks")) {
		if (which)
			f->put(arg, 1);
	} else {
		calls(which);
	}
	return NULL;
}

/* After the root point: the first thread was created. */
static void *nothing(void *arg)
{
	return arg;
}

static void load(void)
{
	pthread_t first;
	void *handle;

	pthread_create(&first, NULL, nothing, NULL);
	pthread_join(first, NULL);
	handle = dlopen("./liblater.so", RTLD_NOW);
	if (!handle)
		abort();
	f = dlsym(handle, "library");
	what += strlen("later-");
}

int main(int argc, char **argv)
{
	pthread_t thread[2];
	int local;

	what = argc > 1 ? argv[1] : "";
	f = &library;
	if (!strncmp(what, "later-", strlen("later-")))
		load();
	pthread_barrier_init(&b, NULL, 2);
	f->put(&x, 3); /* alone */
	pthread_create(&thread[0], NULL, work, NULL);
	pthread_create(&thread[1], NULL, work, is("stacks") ? &local : &x);
	if (is("stacks"))
		f->put(&local, 2);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	if (is("fences") && !sink[0] && !sink[1])
		abort();
	f->put(&x, f->get(&x) + 1);
	return 0;
}
#endif
