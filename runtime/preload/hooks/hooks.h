/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hooks.h - what the families of hooks ask of each other
 */
#ifndef HEDDLE_PRELOAD_HOOKS_H
#define HEDDLE_PRELOAD_HOOKS_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

#include "wire/op.h"

#pragma GCC visibility push(hidden)

/* hook_key.c */
/* The destructors of the calling thread's values, in rounds. */
void keys_thread_end(void);

/* hook_thread_attributes.c: can a thread be made with these attributes? 0 or an error. And the
 * caller has made it: it has the caller's name, processors and priority, but for what they say. */
int thread_attributes_check(const pthread_attr_t *attr);
void thread_attributes_inherit(uint32_t tid, const pthread_attr_t *attr);
/* The calling thread's; 0 where it has none. */
int thread_attributes_priority(void);

/* hook_join.c: the calling thread is about to end. */
void joins_thread_end(void);

/* hook_robust.c: the calling thread is about to end: its robust mutexes get free. */
void robust_thread_end(uint64_t pc);

/* hook_sem.c: initialises a semaphore, for the caller at pc. */
void sem_begin(sem_t *s, unsigned count, uint64_t pc);

/* hook_time.c: can a call wait on this clock, and until then (if not, EINVAL)? And it did: the
 * calling thread's clock is there. */
bool time_has_clock(clockid_t clock);
bool time_can_wait(clockid_t clock, const struct timespec *until);
void time_passed(clockid_t clock, const struct timespec *until);

/* timeout.c: a call of the caller's at pc times out: time passes (until NULL: has passed), and the
 * thread may go no further. */
void timed_out(clockid_t clock, const struct timespec *until, uint64_t pc);
/* The caller's try to lock the object, at pc, found it taken; the thread may go no further. */
void try_failed(const volatile void *object, uint64_t pc);
/* The caller asked there for what is not there, and did not wait: likewise. */
void asked_in_vain(const volatile void *object, uint64_t pc);
/* May a wait that begins here end without a signal; and it did. */
bool may_wake_up(uint64_t pc);
void woke_up(uint64_t pc);

/*
 * /dev/random and its like give what hook_random.c makes. A descriptor of one is open; is closed;
 * is it one? random_read() is read() or readv() of it. random_file(): a new descriptor of a
 * file that holds so many random bytes as a stream may want.
 */
bool random_is_device(const char *path);
void random_opened(int fd);
void random_closed(int fd);
bool random_is(int fd);
ssize_t random_read(const struct iovec *to, int n);
int random_file(void);

/* hook_time.c: what has passed for the calling thread; what is left for it until a time of this clock. */
uint64_t time_own_ns(void);
uint64_t time_until_ns(clockid_t clock, const struct timespec *t);
/* Why there is no timer of this clock: EINVAL or ENOTSUP; 0 if there is. */
int time_no_timer(clockid_t clock);

/* hook_time.c: a timespec that POSIX allows? */
bool time_valid(const struct timespec *t);
/* The calling thread has waited until then, or (not absolute) that long. */
void time_waited(const struct timespec *t, bool absolute, clockid_t clock);

/* The thread that the program knows by this id; -1: none of it. */
int identity_thread(pid_t id);
/* hook_signal.c: is it a signal that heddle itself handles? */
bool signal_is_fault(int sig);
/* hook_identity.c: the kernel's process id for one that the program was told, or the same. */
pid_t identity_real(pid_t id);

/* hook_identity.c: and the id of that thread. */
pid_t identity_of(uint32_t tid);

/* futex_pi.c: the calling thread is about to end: who sleeps for a
 * lock that it has gets it. */
void futex_thread_end(void);

/* futex_list.c: set_robust_list(); get_robust_list(), false: it has none of its own. */
struct robust_list_head;
long futex_set_list(struct robust_list_head *head, size_t size);
bool futex_get_list(pid_t id, struct robust_list_head **head, size_t *size);

/* hook_futex.c: syscall(SYS_futex, arg ...), called at pc; -1 and errno. */
long futex_call(const long arg[6], uint64_t pc);

#pragma GCC visibility pop

#endif
