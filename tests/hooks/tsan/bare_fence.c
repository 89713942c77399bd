/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare_fence.c - fences that are inline assembly
 *
 * case store_buffering: ok 3
 * case store_buffering -m tso -j 2: ok 3
 * case store_buffering -e mo --no-memo: ok 3
 * case store_buffering -m sc: ok 3
 * case store_buffering --backend=fork: ok 3
 * case one_fence_is_too_few -m tso: bug assertion at bug: one_fence_is_too_few
 * case no_fence_of_loads -m tso: bug assertion at bug: no_fence_of_loads
 * case locked_instructions -m tso: ok 3
 * case locked_instructions: ok 3
 * case what_the_compiler_makes -m tso: ok 3
 * case volatile_flags -m tso --volatile=relaxed: ok * (loops as compiled)
 * case message_passing: ok 2
 * case message_passing -m ra: ok 2
 * case waits_with_a_fence: ok 1
 * case waits_for_ever: bug await-stuck
 * case no_call_before_it: bug await-stuck
 * case publishes_again: ok 7
 * case publishes_again -e mo: ok 7
 * case behind_vectors -m tso: ok 3
 * case keeps_registers: ok 6
 * case keeps_the_red_zone: ok 1
 * case a_handler_before_it: bug assertion at bug: a_handler_before_it
 * also -O0: the frames are others
 * also -O2: values are kept in registers
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "cases.h"

#define MFENCE()     __asm__ volatile("mfence" ::: "memory")
#define LOCKED(text) __asm__ volatile("lock; " text ::: "memory", "cc")
#define RLX          memory_order_relaxed
#define ACQ          memory_order_acquire
#define REL          memory_order_release

static atomic_int x, y;
static int seen[2], data;

static void nothing(void)
{
}

static void mfence(void)
{
	MFENCE();
}

/* ---- Each thread writes, and reads what the other one writes ------------------------------------- */

/* What each of the two does between its write and its read. */
static void (*between[2])(void);

static void *write_and_read(void *arg)
{
	const bool first = !arg;

	atomic_store_explicit(first ? &x : &y, 1, RLX);
	between[!first]();
	seen[!first] = atomic_load_explicit(first ? &y : &x, RLX);
	return NULL;
}

static void both(void (*one)(void), void (*other)(void))
{
	between[0] = one;
	between[1] = other;
	THREADS(2, write_and_read);
}

static void store_buffering(void)
{
	both(mfence, mfence);
	assert(seen[0] || seen[1]);
}

static void one_fence_is_too_few(void)
{
	both(mfence, nothing);
	assert(seen[0] || seen[1]); /* bug: one_fence_is_too_few */
}

/* These are no operations for a processor of this kind. */
static void other_fences(void)
{
	__asm__ volatile("lfence; sfence" ::: "memory");
}

static void no_fence_of_loads(void)
{
	both(other_fences, mfence);
	assert(seen[0] || seen[1]); /* bug: no_fence_of_loads */
}

static void locked_long(void)
{
	LOCKED("addl $0, (%%rsp)");
}

static void locked_each_way(void)
{
	static bool again;

	if (again)
		LOCKED("orq $0, -8(%%rsp)");
	else
		LOCKED("orb $0, -128(%%rsp)");
}

static void locked_instructions(void)
{
	both(locked_long, locked_each_way);
	assert(seen[0] || seen[1]);
}

__attribute__((noinline, no_sanitize("thread"))) static void by_the_compiler(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void what_the_compiler_makes(void)
{
	both(by_the_compiler, by_the_compiler);
	assert(seen[0] || seen[1]);
}

/* Nobody comes by the first instruction, which few decoders know. */
static void behind_a_vector(void)
{
	__asm__ volatile("jmp 1f; pshufb %%xmm0, %%xmm0; 1: mfence" ::: "memory");
}

static void behind_vectors(void)
{
	both(behind_a_vector, behind_a_vector);
	assert(seen[0] || seen[1]);
}

/* ---- Peterson's algorithm, as programs have it that know one processor ----------------------------- */

static volatile int wants[2], turn;
static int inside;

static void *take_turns(void *arg)
{
	const int me = arg != NULL;

	wants[me] = 1;
	turn = !me;
	MFENCE();
	while (wants[!me] && turn == !me)
		__builtin_ia32_pause();
	assert(!inside++);
	inside--;
	wants[me] = 0;
	return NULL;
}

static void volatile_flags(void)
{
	THREADS(2, take_turns);
}

/* ---- Releasing, acquiring --------------------------------------------------------------------------- */

static void *send(void *arg)
{
	data = 1;
	MFENCE();
	atomic_store_explicit(&x, 1, RLX);
	return arg;
}

static void *receive(void *arg)
{
	if (atomic_load_explicit(&x, RLX)) {
		MFENCE();
		assert(data == 1);
	}
	return arg;
}

static void message_passing(void)
{
	RUN(send, receive);
}

/* ---- In loops ------------------------------------------------------------------------------------------ */

static void *wait_for_it(void *arg)
{
	while (!atomic_load_explicit(&x, RLX))
		MFENCE();
	MFENCE();
	assert(data == 1);
	return arg;
}

static void waits_with_a_fence(void)
{
	RUN(send, wait_for_it);
}

static void *wait_for_two(void *arg)
{
	while (atomic_load_explicit(&x, RLX) != 2) /* bug: waits_for_ever */
		MFENCE();
	return arg;
}

static void waits_for_ever(void)
{
	RUN(send, wait_for_two);
}

/* It may ask the kernel, but not from its read to the fence. */
static void *wait_or_ask(void *arg)
{
	int now;

	for (;;) {
		now = atomic_load_explicit(&x, RLX); /* bug: no_call_before_it */
		if (now == 2)
			break;
		if (now == 3) {
			getpgrp();
			continue;
		}
		MFENCE();
	}
	return arg;
}

static void no_call_before_it(void)
{
	RUN(send, wait_or_ask);
}

static _Atomic(int *) shown, used;

/* A hazard pointer. */
static void *use(void *arg)
{
	int *p;

	do {
		p = atomic_load_explicit(&shown, ACQ);
		atomic_store_explicit(&used, p, REL);
		MFENCE();
	} while (p != atomic_load_explicit(&shown, ACQ));
	assert(*p > 0);
	atomic_store_explicit(&used, NULL, REL);
	return arg;
}

static int *make(int value)
{
	int *p = malloc(sizeof(*p));

	*p = value;
	return p;
}

static void *replace(void *arg)
{
	int *p = atomic_exchange_explicit(&shown, make(2), memory_order_acq_rel);

	MFENCE();
	while (atomic_load_explicit(&used, ACQ) == p)
		continue;
	free(p);
	return arg;
}

static void publishes_again(void)
{
	atomic_init(&shown, make(1));
	RUN(use, replace);
	free(atomic_load(&shown));
}

/* ---- What the program keeps across it ------------------------------------------------------------------- */

/* Each register is as it was, and the carry flag. */
static long sum_of_registers(long n)
{
	long sum;

	__asm__ volatile(
		"mov %1, %%rax; lea 1(%1), %%rcx; lea 2(%1), %%rdx; lea 3(%1), %%rsi\n\t"
		"lea 4(%1), %%rdi; lea 5(%1), %%r8; lea 6(%1), %%r9; lea 7(%1), %%r10\n\t"
		"movq %1, %%xmm0; movq %1, %%xmm15; stc\n\t"
		"mfence\n\t"
		"adc %%rcx, %%rax; add %%rdx, %%rax; add %%rsi, %%rax; add %%rdi, %%rax\n\t"
		"add %%r8, %%rax; add %%r9, %%rax; add %%r10, %%rax\n\t"
		"movq %%xmm0, %%rcx; add %%rcx, %%rax; movq %%xmm15, %%rcx; add %%rcx, %%rax\n\t"
		"mov %%rax, %0"
		: "=r"(sum)
		: "r"(n)
		: "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "xmm0", "xmm15", "cc",
		  "memory");
	return sum;
}

static void *sum(void *arg)
{
	const long n = (long)arg + 40 + atomic_fetch_add_explicit(&x, 1, RLX);

	assert(sum_of_registers(n) == 10 * n + 29);
	atomic_fetch_add_explicit(&x, 1, RLX);
	return NULL;
}

static void keeps_registers(void)
{
	THREADS(2, sum);
}

/* What lies below the stack pointer belongs to a function that calls no other. */
__attribute__((noinline)) static long below_the_stack(long n)
{
	long back;

	__asm__ volatile("mov %1, -8(%%rsp); mov %1, -120(%%rsp); mfence\n\t"
			 "mov -8(%%rsp), %0; add -120(%%rsp), %0"
			 : "=&r"(back)
			 : "r"(n)
			 : "memory");
	return back;
}

static void *look_below(void *arg)
{
	assert(below_the_stack((long)arg) == 2 * (long)arg);
	return NULL;
}

static void keeps_the_red_zone(void)
{
	THREADS(2, look_below);
}

/* ---- Handlers ------------------------------------------------------------------------------------------- */

static int there, was;

static void look(int sig)
{
	(void)sig;
	there = atomic_load_explicit(&x, RLX);
	was = atomic_load_explicit(&y, RLX);
}

static void *write_interrupted(void *arg)
{
	atomic_store_explicit(&x, 1, RLX);
	MFENCE();
	return arg;
}

/* A handler between the write and the fence may read what it could not behind the fence. */
static void a_handler_before_it(void)
{
	int got;
	pthread_t t;

	signal(SIGUSR1, look);
	there = 0;
	assert(!pthread_create(&t, NULL, write_interrupted, NULL));
	pthread_kill(t, SIGUSR1);
	atomic_store_explicit(&y, 1, RLX);
	MFENCE();
	got = atomic_load_explicit(&x, RLX);
	assert(!pthread_join(t, NULL));
	assert(!there || was || got); /* bug: a_handler_before_it */
}

CASES(CASE(store_buffering), CASE(one_fence_is_too_few), CASE(no_fence_of_loads),
      CASE(locked_instructions), CASE(what_the_compiler_makes), CASE(volatile_flags),
      CASE(message_passing), CASE(waits_with_a_fence), CASE(waits_for_ever),
      CASE(no_call_before_it), CASE(publishes_again), CASE(behind_vectors), CASE(keeps_registers),
      CASE(keeps_the_red_zone), CASE(a_handler_before_it))
