/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare_locked.c - locked instructions of inline assembly as fences, and what faults
 *
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
 * case a_fence_behind_what_it_stores: ok 3
 * case a_fence_behind_what_it_stores -m tso: ok 3
 * case a_fence_between_locks: ok * (of two loops)
 * case a_round_with_a_fence: ok * (what rounds leave out)
 * case a_bit_behind_a_wait: ok 1
 * case a_volatile_store_before_it --volatile=relaxed: ok 3
 * case a_volatile_store_before_it --volatile=relaxed -m tso: ok 3
 * case independent_reads: ok 27
 * case independent_reads -m tso: ok 27
 * case independent_loads: bug assertion at bug: independent_loads
 * case independent_loads -m tso: ok 15
 * case a_handler_of_its_fault: ok 2
 * case a_handler_of_its_fault --backend=fork: ok 2
 * case a_handler_goes_on: ok 2
 * case a_handler_finds_registers: ok 2
 * case a_handler_of_what_is_not_aligned: ok 2
 * case not_aligned: bug crash at bug: not_aligned
 * case in_a_child: ok 2
 * also -O0: operands are in the frame
 * also -O2: values are kept in registers
 */
#define _GNU_SOURCE
#include <heddle.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "cases.h"
#include "in_one_step.h"

#define PAUSE() __asm__ volatile("pause")

static int x, y, lock;
static int seen[2];

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

static void *exchange_and_load(void *arg)
{
	const bool first = !arg;

	exchange(first ? &x : &y, 1);
	seen[!first] = load(first ? &y : &x);
	return NULL;
}

static void a_fence_behind_what_it_stores(void)
{
	THREADS(2, exchange_and_load);
	assert(seen[0] || seen[1]);
}

/* The load is what it waits for, and the last round is not over before it was made again. */
static void *wait_and_exchange(void *arg)
{
	while (!load(&x))
		exchange(&y, 1);
	return arg;
}

static void *store_late(void *arg)
{
	store(&x, 1);
	return arg;
}

static void a_round_with_a_fence(void)
{
	RUN(wait_and_exchange, store_late);
}

/* What comes behind the loop is known, too: a bit that a register names. */
static void *wait_and_set_a_bit(void *arg)
{
	while (!load(&x))
		PAUSE();
	__asm__ volatile("lock; btsl %1, %0" : "+m"(y) : "r"(3) : "memory", "cc");
	return arg;
}

static void a_bit_behind_a_wait(void)
{
	RUN(wait_and_set_a_bit, store_late);
	assert(y == 8);
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

/* Which is an operation, and comes first. */
static volatile int told[2];

static void *tell_and_look(void *arg)
{
	const bool first = !arg;

	told[first] = 1;
	compare(first ? &lock : &x, 5, 1);
	seen[!first] = told[!first];
	return NULL;
}

static void a_volatile_store_before_it(void)
{
	THREADS(2, tell_and_look);
	assert(seen[0] || seen[1]);
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

static void *count(void *arg)
{
	__asm__ volatile("lock; incl %0" : "+m"(x) : : "memory", "cc");
	return arg;
}

/* It begins anew: the instruction is an operation then. */
static void a_handler_of_its_fault(void)
{
	get_page(PROT_READ);
	handle_faults(make_it_writable);
	THREADS(2, add_there);
	/* By itself both threads may be in the fault at once. */
	assert((handled == 1 || !heddle_running()) && page[3] == 4);
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

/* ---- Without heddle ---------------------------------------------------------------------------------------- */

static void in_a_child(void)
{
	const pid_t child = fork();
	int status;

	if (!child) {
		add(&x, 1);
		__asm__ volatile("mfence" : : : "memory");
		_exit(x != 1);
	}
	assert(waitpid(child, &status, 0) == child && !status && !x);
	THREADS(2, count);
	assert(x == 2);
}

CASES(CASE(a_fence_for_others), CASE(a_fence_in_vain), CASE(a_fence_before_it_reads),
      CASE(a_fence_before_it_compares), CASE(a_fence_behind_what_it_stores),
      CASE(a_fence_between_locks), CASE(a_round_with_a_fence), CASE(a_bit_behind_a_wait),
      CASE(a_volatile_store_before_it), CASE(independent_reads), CASE(independent_loads),
      CASE(a_handler_of_its_fault), CASE(a_handler_goes_on), CASE(a_handler_finds_registers),
      CASE(a_handler_of_what_is_not_aligned), CASE(not_aligned), CASE(in_a_child))
