/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * futex.h - what the parts of futexes share: hook_futex.c, futex_table.c, futex_pi.c
 *
 * Internal to runtime/preload. Functions return what the system call does: a count, or a negative
 * error number.
 */
#ifndef HEDDLE_PRELOAD_FUTEX_H
#define HEDDLE_PRELOAD_FUTEX_H

#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "wire/op.h"

#pragma GCC visibility push(hidden)

/*
 * What those who sleep and those who wake them meet by: the word, of this process alone
 * (FUTEX_PRIVATE_FLAG in op) or perhaps of others, too; a wait and a wake that differ in that miss each other.
 */
static inline uint64_t futex_name(const uint32_t *word, int op)
{
	return (uintptr_t)word | !(op & FUTEX_PRIVATE_FLAG);
}

struct futex_wait {
	int op;
	uint32_t *word, *target; /* target: of FUTEX_WAIT_REQUEUE_PI */
	uint32_t expected, bits;
	const struct timespec *until; /* or NULL */
	bool absolute;
	clockid_t clock;
	uint64_t pc;
};

struct futex_requeue {
	uint32_t *from, *to;
	int op, wake, move;
	bool compares;
	uint32_t expected;
	uint64_t pc;
};

struct futex_wake_op {
	int op;
	uint32_t *first, *second;
	int wake_first, wake_second;
	uint32_t encoded;
	uint64_t pc;
};

/* ---- hook_futex.c ---- */

/*
 * Does code that is not instrumented change the word, so that memory holds what it is now? All of
 * the program, or a library, for whose word the program has no atomics (those of the C++ library
 * are in headers).
 */
bool futex_hidden(const uint32_t *word, uint64_t pc);

/* ---- futex_calls.c ---- */

/* As a system call: -1 with that error; and what the functions below return. */
long futex_fails(int error);
long futex_answers(long result);
/* Words that processes may share are looked up by what is there, others by their address alone. */
bool futex_is_there(const uint32_t *word, int op);
/* The operations that are none of hook_futex.c. r->from is w->word, and so on. */
long futex_other_call(const struct futex_wait *w, const struct futex_requeue *r);

/* ---- futex_table.c: the table of those who sleep ---- */

enum sleep {
	AWAKE,
	SLEEPS,         /* on word, with bits */
	SLEEPS_TO_MOVE, /* on word, until it is moved to target (FUTEX_WAIT_REQUEUE_PI) */
	SLEEPS_FOR_LOCK /* that word is, which `owner` has */
};

struct sleeper {
	uint8_t how; /* enum sleep */
	bool timed;
	uint64_t word, target; /* their names */
	uint32_t bits, owner;
	uint64_t bed; /* its address names what it waits for */
};

/* By thread. To be looked at under the guard. */
extern struct sleeper futex_sleepers[HEDDLE_MAX_THREADS];

/* The operation that the caller begins, a plain one: under the guard? */
bool futex_by_table(void);
/* It is one that is known there only: the program's futexes are explored so from now on. */
void futex_needs_table(void);

/* One section is one step for all others. Neither does anything before there are threads. */
void futex_enter(uint64_t pc);
void futex_leave(uint64_t pc);

/* The word: what it holds; what it held, and is changed; is it changed, if it holds *seen (which is what it
 * held otherwise)? */
uint32_t futex_load(uint32_t *word, uint64_t pc);
uint32_t futex_change(uint32_t *word, enum rmw_fn fn, uint32_t arg, uint64_t pc);
bool futex_swap(uint32_t *word, uint32_t *seen, uint32_t value, uint64_t pc);

/* Who sleeps on the word of that name, as a set; refuses a mixture of those with and without priority inheritance. */
struct thread_set futex_sleepers_on(uint64_t name);
/* How they sleep, if there are any. */
enum sleep futex_sleep_of(const struct thread_set *set);
/* n of the set, or all; every choice is explored. */
struct thread_set futex_some_of(const struct thread_set *set, uint32_t n, uint64_t pc);
/* For writing to. */
struct sleeper *futex_sleeper(uint32_t tid);
/* It goes on. */
void futex_rouse(uint32_t tid, uint64_t pc);
/*
 * The caller sleeps, and leaves the guard: 0 when it is roused, -ETIMEDOUT, or -EINTR when handlers are to be run now
 * (interrupt_ends()), -EAGAIN if it has been moved before that.
 */
int futex_sleep(struct sleeper as, const struct futex_wait *w);

/* Wakes up to n of those that sleep on it with some of these bits; under the guard. */
long futex_rouse_on(uint64_t name, uint32_t n, uint32_t bits, uint64_t pc);

long futex_table_wait(const struct futex_wait *w);
long futex_table_wake(uint64_t name, uint32_t n, uint32_t bits, uint64_t pc);
long futex_table_requeue(const struct futex_requeue *r);
long futex_table_wake_op(const struct futex_wake_op *o);

/* ---- futex_pi.c: priority inheritance ---- */

long futex_lock_pi(const struct futex_wait *w, bool tries);
long futex_unlock_pi(uint32_t *word, int op, uint64_t pc);
long futex_wait_requeue_pi(const struct futex_wait *w);
long futex_cmp_requeue_pi(const struct futex_requeue *r);

/* ---- futex_list.c: under the guard, the calling thread ends ---- */

/* Is there anything in its list? */
bool futex_list_is_used(void);
void futex_list_ends(void);
/* Another thread has that id now. */
void futex_list_begins(uint32_t tid);

/* futex_pi.c: the calling thread is about to end: who sleeps for a lock that it has gets it. */
void futex_thread_end(void);

/* futex_list.c: set_robust_list(); get_robust_list(), false: it has none of its own. */
struct robust_list_head;
long futex_set_list(struct robust_list_head *head, size_t size);
bool futex_get_list(pid_t id, struct robust_list_head **head, size_t *size);

/* hook_futex.c: syscall(SYS_futex, arg ...), called at pc; -1 and errno. */
long futex_call(const long arg[6], uint64_t pc);

#pragma GCC visibility pop

#endif
