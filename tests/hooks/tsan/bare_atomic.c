/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare_atomic.c - inline assembly that accesses memory in one step
 *
 * case store_buffering -m tso: ok 3
 * case store_buffering: ok 3
 * case store_buffering -e mo --no-memo: ok 3
 * case store_buffering --backend=fork: ok 3
 * case store_buffering -m sc -j 2: ok 3
 * case a_fence_for_others: ok 3
 * case a_fence_for_others -m tso: ok 3
 * case a_fence_for_others -e mo -j 2: ok 3
 * case a_fence_for_others --backend=fork: ok 3
 * case a_fence_for_others --no-memo: ok 3
 * case a_fence_for_others -m rc20: bug assertion at bug: a_fence_for_others
 * case a_fence_in_vain: ok 3
 * case a_fence_in_vain -m tso: ok 3
 * case a_fence_before_it_reads: ok 3
 * case a_fence_before_it_reads -m tso: ok 3
 * case a_fence_before_it_compares: ok 3
 * case a_fence_before_it_compares -m tso: ok 3
 * case a_fence_between_locks: ok * (of two loops)
 * case independent_reads: ok 27
 * case independent_reads -m tso: ok 27
 * case independent_loads: bug assertion at bug: independent_loads
 * case independent_loads -m tso: ok 15
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
 * case never_unlocked: bug await-stuck at v), "+m"(*p) : : "memory");
 * case no_call_before_it: bug await-stuck at : "=r"(v)
 * case stack_of_nodes: ok 2
 * case pairs: ok 2
 * case freed: bug use-after-free at lock; xaddl %0
 * case read_only: bug crash at cmpxchgl
 * case on_a_stack: ok 2
 * case thread_local_counter: ok 1
 * case of_two_sizes: ok 2
 * case with_atomics_of_the_compiler: ok 2
 * case keeps_registers: ok 2
 * case keeps_the_red_zone: ok 1
 * case before_threads: ok 1
 * case a_handler_before_it: ok 5
 * case a_handler_of_its_fault: ok 2
 * case a_handler_of_its_fault --backend=fork: ok 2
 * case a_handler_goes_on: ok 2
 * case a_handler_finds_registers: ok 2
 * case a_handler_of_what_is_not_aligned: ok 2
 * case not_aligned: bug crash at bug: not_aligned
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
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "cases.h"

#define PAUSE() __asm__ volatile("pause")

static int x, y, lock, data;
static int seen[2];

static inline int load(const int *p)
{
	int v;

	__asm__ volatile("movl %1, %0" : "=r"(v) : "m"(*p) : "memory");
	return v;
}

static inline void store(int *p, int v)
{
	__asm__ volatile("movl %1, %0" : "=m"(*p) : "ri"(v) : "memory");
}

static inline int exchange(int *p, int v)
{
	__asm__ volatile("xchgl %0, %1" : "+r"(v), "+m"(*p) : : "memory");
	return v;
}

static inline int add(int *p, int v)
{
	__asm__ volatile("lock; xaddl %0, %1" : "+r"(v), "+m"(*p) : : "memory", "cc");
	return v;
}

static inline bool compare(int *p, int expected, int v)
{
	bool did;

	__asm__ volatile("lock; cmpxchgl %3, %1; sete %0"
			 : "=q"(did), "+m"(*p), "+a"(expected)
			 : "r"(v)
			 : "memory", "cc");
	return did;
}

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

/* ---- Locked instructions are fences ----------------------------------------------------------------- */

/* By a read-modify-write of something else; rc20 has no order of all fences. */
static void *fence_and_look(void *arg)
{
	const bool first = !arg;
	static int own[2];

	store(first ? &x : &y, 1);
	add(&own[first], 1);
	seen[!first] = load(first ? &y : &x);
	return NULL;
}

static void a_fence_for_others(void)
{
	THREADS(2, fence_and_look);
	assert(seen[0] || seen[1]); /* bug: a_fence_for_others */
}

static void *compare_and_look(void *arg)
{
	const bool first = !arg;
	static int own[2];

	store(first ? &x : &y, 1);
	assert(!compare(&own[first], 5, 1));
	seen[!first] = load(first ? &y : &x);
	return NULL;
}

static void a_fence_in_vain(void)
{
	THREADS(2, compare_and_look);
	assert(seen[0] || seen[1]);
}

static void *store_and_add_nothing(void *arg)
{
	const bool first = !arg;

	store(first ? &x : &y, 1);
	seen[!first] = first ? add(&y, 0) : load(&x);
	return NULL;
}

/* The other one has a fence of its own. */
static void *store_and_fence(void *arg)
{
	if (!arg)
		return store_and_add_nothing(arg);
	store(&y, 1);
	__asm__ volatile("mfence" : : : "memory");
	seen[1] = load(&x);
	return NULL;
}

static void a_fence_before_it_reads(void)
{
	THREADS(2, store_and_fence);
	assert(seen[0] || seen[1]);
}

static void *store_and_compare(void *arg)
{
	const bool first = !arg;

	store(first ? &x : &y, 1);
	seen[!first] = !compare(first ? &y : &x, 0, 0);
	return NULL;
}

static void a_fence_before_it_compares(void)
{
	THREADS(2, store_and_compare);
	assert(seen[0] || seen[1]);
}

/* Rounds of such loops are as any others. */
static void *by_two_locks(void *arg)
{
	static int in[2];
	const bool first = !arg;

	while (exchange(&lock, 1))
		while (load(&lock))
			PAUSE();
	store(&in[first], 1);
	store(&lock, 0);
	while (!load(&in[!first]))
		PAUSE();
	return NULL;
}

static void a_fence_between_locks(void)
{
	THREADS(2, by_two_locks);
}

static int found[4];

static void *read_both(void *arg)
{
	const long n = (long)arg;

	if (n < 2)
		exchange(n ? &x : &y, 1);
	else
		for (int i = 0; i < 2; i++)
			found[2 * n - 4 + i] = add((i != 0) != (n == 3) ? &x : &y, 0);
	return NULL;
}

static void independent_reads(void)
{
	THREADS(4, read_both);
	assert(!(found[0] && !found[1] && found[2] && !found[3]));
}

/* C11 lets threads that acquire disagree; no processor of that kind does. */
static void *load_both(void *arg)
{
	const long n = (long)arg;

	if (n < 2)
		return read_both(arg);
	for (int i = 0; i < 2; i++)
		found[2 * n - 4 + i] = load((i != 0) != (n == 3) ? &x : &y);
	return NULL;
}

static void independent_loads(void)
{
	THREADS(4, load_both);
	assert(!(found[0] && !found[1] && found[2] && !found[3])); /* bug: independent_loads */
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
	while (exchange(&lock, 1))
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
		load(&y);
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
	add(block, 1);
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
	compare((int *)(uintptr_t)&constant, 2, 3);
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

/* ---- Faults ---------------------------------------------------------------------------------------------- */

static int *page;
static volatile int handled;
extern const char xadd_at[], xadd_behind[], pair_at[], pair_behind[];

static void get_page(int prot)
{
	page = mmap(NULL, 4096, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert(page != MAP_FAILED);
}

static void handle_faults(void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction a = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	assert(!sigaction(SIGSEGV, &a, NULL));
}

__attribute__((noinline)) static int add_at(int *p, int v)
{
	__asm__ volatile("xadd_at: lock; xaddl %%ecx, (%%rdx)\n\txadd_behind:"
			 : "+c"(v)
			 : "d"(p)
			 : "memory", "cc");
	return v;
}

static void make_it_writable(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;

	assert(sig == SIGSEGV && info->si_addr == page + 3 && info->si_code == SEGV_ACCERR);
	assert(uc->uc_mcontext.gregs[REG_RIP] == (greg_t)(uintptr_t)xadd_at);
	assert(!mprotect(page, 4096, PROT_READ | PROT_WRITE));
	handled++;
}

static void *add_there(void *arg)
{
	return add_at(page + 3, 2) ? arg : NULL;
}

/* It begins anew: the instruction is an operation then. */
static void a_handler_of_its_fault(void)
{
	get_page(PROT_READ);
	handle_faults(make_it_writable);
	THREADS(2, add_there);
	assert(handled == 1 && page[3] == 4);
}

static void go_on_behind(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	greg_t *regs = uc->uc_mcontext.gregs;

	assert(sig == SIGSEGV && info->si_addr == page + 1);
	assert(regs[REG_RIP] == (greg_t)(uintptr_t)xadd_at);
	regs[REG_RIP] = (greg_t)(uintptr_t)xadd_behind;
	regs[REG_RCX] = 42;
}

static void *add_and_go_on(void *arg)
{
	assert(add_at(page + 1, 2) == 42);
	add(&x, 1);
	return arg;
}

static void a_handler_goes_on(void)
{
	get_page(PROT_NONE);
	handle_faults(go_on_behind);
	RUN(add_and_go_on, count);
	assert(x == 2);
}

/* What the program has in registers, and where it was, are as at the instruction. */
static void look_at_registers(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	assert(sig == SIGSEGV && info->si_addr == page);
	assert(regs[REG_RCX] == 17 && regs[REG_RDX] == (greg_t)(uintptr_t)page);
	regs[REG_RDX] = (greg_t)(uintptr_t)&x;
}

static void *add_elsewhere(void *arg)
{
	add_at(page, 17);
	return arg;
}

static void a_handler_finds_registers(void)
{
	get_page(PROT_NONE);
	handle_faults(look_at_registers);
	RUN(add_elsewhere, count);
	assert(x == 18);
}

static __attribute__((noinline)) void compare_pair(void *p)
{
	uint64_t lo = 0, hi = 0;

	__asm__ volatile("pair_at: lock; cmpxchg16b (%2)\n\tpair_behind:" /* bug: not_aligned */
			 : "+a"(lo), "+d"(hi)
			 : "r"(p), "b"(1ul), "c"(2ul)
			 : "memory", "cc");
}

static char wide[32] __attribute__((aligned(16)));

static void go_over_pair(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	assert(sig == SIGSEGV && info->si_code == SI_KERNEL);
	assert(regs[REG_RIP] == (greg_t)(uintptr_t)pair_at && regs[REG_RBX] == 1);
	regs[REG_RIP] = (greg_t)(uintptr_t)pair_behind;
}

static void *compare_not_aligned(void *arg)
{
	compare_pair(wide + 8);
	add(&x, 1);
	return arg;
}

static void a_handler_of_what_is_not_aligned(void)
{
	handle_faults(go_over_pair);
	RUN(compare_not_aligned, count);
	assert(x == 2 && !wide[8]);
}

static void not_aligned(void)
{
	THREADS(2, compare_not_aligned);
}

/* ---- Not seen -------------------------------------------------------------------------------------------- */

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

CASES(CASE(store_buffering), CASE(a_fence_for_others), CASE(a_fence_in_vain),
      CASE(a_fence_before_it_reads), CASE(a_fence_before_it_compares), CASE(a_fence_between_locks),
      CASE(independent_reads), CASE(independent_loads), CASE(plain_movs_are_buffered), CASE(message_passing), CASE(counters),
      CASE(lost_updates), CASE(exchange_lock), CASE(looks_before), CASE(compare_lock),
      CASE(ticket_lock), CASE(bit_lock), CASE(tries), CASE(no_lock), CASE(never_unlocked),
      CASE(no_call_before_it), CASE(stack_of_nodes), CASE(pairs), CASE(freed), CASE(read_only),
      CASE(on_a_stack), CASE(thread_local_counter), CASE(of_two_sizes),
      CASE(with_atomics_of_the_compiler), CASE(keeps_registers), CASE(keeps_the_red_zone),
      CASE(before_threads), CASE(a_handler_before_it), CASE(a_handler_of_its_fault),
      CASE(a_handler_goes_on), CASE(a_handler_finds_registers),
      CASE(a_handler_of_what_is_not_aligned), CASE(not_aligned), CASE(not_sanitized))
