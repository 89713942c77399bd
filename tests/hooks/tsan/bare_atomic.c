/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare_atomic.c - inline assembly that accesses memory in one step
 *
 * case store_buffering -m tso: ok 3
 * case store_buffering: ok 3
 * case store_buffering -e mo --no-memo: ok 3
 * case store_buffering --backend=fork: ok 3
 * case store_buffering -m sc -j 2: ok 3
 * case plain_movs_are_buffered -m tso: bug assertion at bug: plain_movs_are_buffered
 * case plain_movs_are_buffered -m sc: ok 3
 * case message_passing: ok 2
 * case counters: ok 2
 * case counters -m sc --backend=fork: ok 2
 * case lost_updates: bug assertion at bug: lost_updates
 * case exchange_lock: ok 2
 * case exchange_lock -m tso -j 2: ok 2
 * case exchange_lock --backend=fork: ok 2
 * case looks_before: ok * (what a function may return in two registers)
 * case compare_lock: ok * (likewise)
 * case ticket_lock: ok 2
 * case bit_lock: ok * (bytes of registers)
 * case tries: ok 4
 * case no_lock: bug data-race at bug: no_lock
 * case never_unlocked: bug await-stuck at bug: never_unlocked
 * case no_call_before_it: bug await-stuck at bug: no_call_before_it
 * case stack_of_nodes: ok 2
 * case pairs: ok 2
 * case freed: bug use-after-free at bug: freed
 * case read_only: bug crash at bug: read_only
 * case on_a_stack: ok 2
 * case thread_local_counter: ok 1
 * case of_two_sizes: ok 2
 * case with_atomics_of_the_compiler: ok 2
 * case keeps_registers: ok 2
 * case keeps_the_red_zone: ok 1
 * case before_threads: ok 1
 * case a_handler_before_it: ok 5
 * case not_sanitized: bug data-race at bug: no_lock
 * also -O0: operands are in the frame
 * also -O2: values are kept in registers
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "cases.h"
#include "in_one_step.h"

#define PAUSE() __asm__ volatile("pause")

static int x, y, lock, data;
static int seen[2];

/* ---- Two threads, and what they may see ------------------------------------------------------------- */

static void *exchange_and_look(void *arg)
{
	const bool first = !arg;

	exchange(first ? &x : &y, 1);
	seen[!first] = __atomic_load_n(first ? &y : &x, __ATOMIC_SEQ_CST);
	return NULL;
}

static void store_buffering(void)
{
	THREADS(2, exchange_and_look);
	assert(seen[0] || seen[1]);
}

static void *store_and_load(void *arg)
{
	const bool first = !arg;

	store(first ? &x : &y, 1);
	seen[!first] = load(first ? &y : &x);
	return NULL;
}

static void plain_movs_are_buffered(void)
{
	THREADS(2, store_and_load);
	assert(seen[0] || seen[1]); /* bug: plain_movs_are_buffered */
}

static void *send(void *arg)
{
	data = 1;
	store(&x, 1);
	return arg;
}

static void *receive(void *arg)
{
	if (load(&x))
		assert(data == 1);
	return arg;
}

static void message_passing(void)
{
	RUN(send, receive);
}

/* ---- Counting ------------------------------------------------------------------------------------------ */

static void *count(void *arg)
{
	__asm__ volatile("lock; incl %0" : "+m"(x) : : "memory", "cc");
	return arg;
}

static void counters(void)
{
	THREADS(2, count);
	assert(load(&x) == 2);
}

static void *count_badly(void *arg)
{
	store(&x, load(&x) + 1);
	return arg;
}

static void lost_updates(void)
{
	THREADS(2, count_badly);
	assert(load(&x) == 2); /* bug: lost_updates */
}

/* ---- Locks -------------------------------------------------------------------------------------------- */

static void use_data(void)
{
	data++; /* bug: no_lock */
}

static void *by_exchange(void *arg)
{
	while (exchange(&lock, 1))
		PAUSE();
	use_data();
	store(&lock, 0);
	return arg;
}

static void exchange_lock(void)
{
	THREADS(2, by_exchange);
	assert(data == 2);
}

/* The look is one that the compiler has made. */
static void *by_looks(void *arg)
{
	while (exchange(&lock, 1))
		while (__atomic_load_n(&lock, __ATOMIC_RELAXED))
			PAUSE();
	use_data();
	store(&lock, 0);
	return arg;
}

static void looks_before(void)
{
	THREADS(2, by_looks);
	assert(data == 2);
}

static void *by_compare(void *arg)
{
	while (!compare(&lock, 0, 1))
		while (load(&lock))
			PAUSE();
	use_data();
	store(&lock, 0);
	return arg;
}

static void compare_lock(void)
{
	THREADS(2, by_compare);
	assert(data == 2);
}

static void *by_ticket(void *arg)
{
	const int mine = add(&x, 1);

	while (load(&y) != mine)
		PAUSE();
	use_data();
	store(&y, mine + 1);
	return arg;
}

static void ticket_lock(void)
{
	THREADS(2, by_ticket);
	assert(data == 2);
}

static void *by_bit(void *arg)
{
	bool was;

	do
		__asm__ volatile("lock; btsl $3, %1; setc %0"
				 : "=q"(was), "+m"(lock)
				 :
				 : "memory", "cc");
	while (was);
	use_data();
	__asm__ volatile("lock; btrl $3, %0" : "+m"(lock) : : "memory", "cc");
	return arg;
}

static void bit_lock(void)
{
	THREADS(2, by_bit);
	assert(data == 2 && !lock);
}

static void *try_once(void *arg)
{
	if (compare(&lock, 0, 1)) {
		use_data();
		store(&lock, 0);
	}
	return arg;
}

static void tries(void)
{
	THREADS(2, try_once);
	assert(data);
}

static void *without(void *arg)
{
	exchange(&lock, 1);
	use_data();
	return arg;
}

static void no_lock(void)
{
	THREADS(2, without);
}

static void *keeps_it(void *arg)
{
	while (exchange(&lock, 1)) /* bug: never_unlocked */
		PAUSE();
	return arg;
}

static void never_unlocked(void)
{
	THREADS(2, keeps_it);
}

/* It may ask the kernel, but not from one look to the next. */
static void *wait_or_ask(void *arg)
{
	int now;

	for (;;) {
		__asm__ volatile("movl %1, %0" : "=r"(now) : "m"(x) : "memory");
		if (now == 2)
			break;
		if (now == 3) {
			getpgrp();
			continue;
		}
		load(&y); /* bug: no_call_before_it */
	}
	return arg;
}

static void no_call_before_it(void)
{
	RUN(send, wait_or_ask);
}

/* ---- Pointers ------------------------------------------------------------------------------------------- */

struct node {
	struct node *next;
	int value;
};

static struct node *top;

static void *push(void *arg)
{
	struct node *node = malloc(sizeof(*node)), *old;
	bool did;

	node->value = 1;
	__asm__ volatile("movq %1, %0" : "=r"(old) : "m"(top) : "memory");
	do {
		node->next = old;
		__asm__ volatile("lock; cmpxchgq %3, %1; sete %0"
				 : "=q"(did), "+m"(top), "+a"(old)
				 : "r"(node)
				 : "memory", "cc");
	} while (!did);
	return arg;
}

static void stack_of_nodes(void)
{
	int sum = 0;

	THREADS(2, push);
	for (struct node *n = top, *next; n; n = next) {
		next = n->next;
		sum += n->value;
		free(n);
	}
	assert(sum == 2);
}

static struct {
	uint64_t lo, hi;
} __attribute__((aligned(16))) pair;

static void *add_to_both(void *arg)
{
	uint64_t lo = pair.lo, hi = pair.hi;
	bool did;

	do
		__asm__ volatile("lock; cmpxchg16b %1; sete %0"
				 : "=q"(did), "+m"(pair), "+a"(lo), "+d"(hi)
				 : "b"(lo + 1), "c"(hi + 2)
				 : "memory", "cc");
	while (!did);
	return arg;
}

static void *add_first(void *arg)
{
	uint64_t lo = 0, hi = 0;
	bool did = false;

	while (!did)
		__asm__ volatile("lock; cmpxchg16b %1; sete %0"
				 : "=q"(did), "+m"(pair), "+a"(lo), "+d"(hi)
				 : "b"(lo + 1), "c"(hi + 2)
				 : "memory", "cc");
	return arg;
}

static void pairs(void)
{
	THREADS(2, add_first);
	add_to_both(NULL);
	assert(pair.lo == 3 && pair.hi == 6);
}

/* ---- Where it is --------------------------------------------------------------------------------------- */

static int *block;

static void *add_to_block(void *arg)
{
	add(block, 1); /* bug: freed */
	return arg;
}

static void freed(void)
{
	block = malloc(sizeof(*block));
	free(block);
	THREADS(2, add_to_block);
}

static const int constant = 1;

static void *compare_in_vain(void *arg)
{
	compare((int *)(uintptr_t)&constant, 2, 3); /* bug: read_only */
	return arg;
}

static void read_only(void)
{
	THREADS(2, compare_in_vain);
}

static void *count_there(void *arg)
{
	add(arg, 1);
	return NULL;
}

static void on_a_stack(void)
{
	int here = 0;
	pthread_t t, u;

	assert(!pthread_create(&t, NULL, count_there, &here));
	assert(!pthread_create(&u, NULL, count_there, &here));
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(load(&here) == 2);
}

static _Thread_local int own;

static void *count_own(void *arg)
{
	__asm__ volatile("lock; addl $5, %0" : "+m"(own) : : "memory", "cc");
	assert(own == 5);
	return arg;
}

static void thread_local_counter(void)
{
	THREADS(2, count_own);
}

static union {
	uint64_t all;
	int part[2];
} both;

static void *add_to_part(void *arg)
{
	if (arg)
		add(&both.part[1], 1);
	else
		__asm__ volatile("lock; addq $1, %0" : "+m"(both.all) : : "memory", "cc");
	return NULL;
}

static void of_two_sizes(void)
{
	THREADS(2, add_to_part);
	assert(both.part[0] == 1 && both.part[1] == 1);
}

static void *add_either_way(void *arg)
{
	if (arg)
		add(&x, 1);
	else
		__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
	return NULL;
}

static void with_atomics_of_the_compiler(void)
{
	THREADS(2, add_either_way);
	assert(__atomic_load_n(&x, __ATOMIC_RELAXED) == 2);
}

/* ---- What the program keeps across it ------------------------------------------------------------------- */

static long sum_of_registers(long n)
{
	long sum;

	__asm__ volatile(
		"mov %1, %%rax; lea 1(%1), %%rcx; lea 2(%1), %%rdx; lea 3(%1), %%rsi\n\t"
		"lea 4(%1), %%rdi; lea 5(%1), %%r8; lea 6(%1), %%r9; lea 7(%1), %%r10\n\t"
		"movq %1, %%xmm0; movq %1, %%xmm15; stc\n\t"
		"lock; notl %2\n\t"
		"adc %%rcx, %%rax; add %%rdx, %%rax; add %%rsi, %%rax; add %%rdi, %%rax\n\t"
		"add %%r8, %%rax; add %%r9, %%rax; add %%r10, %%rax\n\t"
		"movq %%xmm0, %%rcx; add %%rcx, %%rax; movq %%xmm15, %%rcx; add %%rcx, %%rax\n\t"
		"mov %%rax, %0"
		: "=r"(sum)
		: "r"(n), "m"(x)
		: "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "xmm0", "xmm15", "cc",
		  "memory");
	return sum;
}

static void *sum(void *arg)
{
	const long n = (long)arg + 40;

	assert(sum_of_registers(n) == 10 * n + 29);
	return NULL;
}

static void keeps_registers(void)
{
	THREADS(2, sum);
	assert(!x);
}

/* What lies below the stack pointer belongs to a function that calls no other. */
__attribute__((noinline)) static long below_the_stack(long n)
{
	long back;

	__asm__ volatile("mov %1, -8(%%rsp); mov %1, -120(%%rsp); lock; notl %2\n\t"
			 "push -120(%%rsp); pop %0; add -8(%%rsp), %0"
			 : "=&r"(back)
			 : "r"(n), "m"(own)
			 : "memory");
	return back;
}

static void *look_below(void *arg)
{
	below_the_stack((long)arg);
	return NULL;
}

static void keeps_the_red_zone(void)
{
	THREADS(2, look_below);
}

/* ---- Elsewhere -------------------------------------------------------------------------------------------- */

static void *nothing(void *arg)
{
	return arg;
}

static void before_threads(void)
{
	assert(add(&x, 0) == 0 && !compare(&x, 5, 1));
	assert(add(&x, 7) == 0 && exchange(&x, 9) == 7 && compare(&x, 9, 1) && !compare(&x, 9, 1));
	THREADS(2, nothing);
	assert(load(&x) == 1);
}

static void handle(int sig)
{
	(void)sig;
	add(&y, 1);
}

static void *add_interrupted(void *arg)
{
	add(&x, 1);
	add(&x, 1);
	return arg;
}

static void a_handler_before_it(void)
{
	pthread_t t;

	signal(SIGUSR1, handle);
	assert(!pthread_create(&t, NULL, add_interrupted, NULL));
	pthread_kill(t, SIGUSR1);
	assert(!pthread_join(t, NULL));
	assert(load(&x) == 2);
}

/* What the compiler makes there is no inline assembly, and no operation. */
__attribute__((noinline, no_sanitize("thread"))) static void lock_by_the_compiler(void)
{
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_SEQ_CST))
		continue;
}

static void *locks_unseen(void *arg)
{
	lock_by_the_compiler();
	use_data();
	__atomic_store_n(&lock, 0, __ATOMIC_SEQ_CST);
	return arg;
}

static void not_sanitized(void)
{
	THREADS(2, locks_unseen);
}

CASES(CASE(store_buffering), CASE(plain_movs_are_buffered), CASE(message_passing), CASE(counters),
      CASE(lost_updates), CASE(exchange_lock), CASE(looks_before), CASE(compare_lock),
      CASE(ticket_lock), CASE(bit_lock), CASE(tries), CASE(no_lock), CASE(never_unlocked),
      CASE(no_call_before_it), CASE(stack_of_nodes), CASE(pairs), CASE(freed), CASE(read_only),
      CASE(on_a_stack), CASE(thread_local_counter), CASE(of_two_sizes),
      CASE(with_atomics_of_the_compiler), CASE(keeps_registers), CASE(keeps_the_red_zone),
      CASE(before_threads), CASE(a_handler_before_it), CASE(not_sanitized))
