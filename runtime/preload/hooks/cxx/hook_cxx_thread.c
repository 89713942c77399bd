/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_cxx_thread.c - what libstdc++ does with objects of the program in std::thread and std::condition_variable
 *
 * libstdc++ is not instrumented, so nobody is told that join() reads and writes the std::thread, and wait() reads the
 * std::unique_lock. Others may do so, too, which is a data race, or in order: by a mutex, say.
 *
 * What _M_start_thread() writes pthread_create() announces (run.c); what else it touches is the caller's own.
 */
/*
 * intercepts: Threads
 *
 * explored std::thread::join=_ZNSt6thread4joinEv - as pthread_join(), and a plain read and write of the object
 *
 * intercepts: Condition variables
 *
 * explored std::condition_variable::wait=_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE
 *	- as pthread_cond_wait(), and a plain read of the std::unique_lock
 */
#include "preload/hooks/announce.h"

#include "preload/arch/x86_64/entry.h"
#include "preload/hooks/thread/thread.h"

struct cxx_thread {
	pthread_t id; /* 0: none */
};

struct cxx_lock {
	pthread_mutex_t *mutex;
	bool owns;
};

void cxx_join(struct cxx_thread *t) __asm__("_ZNSt6thread4joinEv");
void cxx_wait(pthread_cond_t *c, struct cxx_lock *l) __asm__(
	"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE");

/* Called otherwise than a thread of the program does, or what it finds is an error that libstdc++ throws. */
ENTERED static void join(struct cxx_thread *t)
{
	void (*const real)(struct cxx_thread *) = REAL_BY_NAME(cxx_join, "_ZNSt6thread4joinEv");
	const uint64_t pc = ENTRY_CALLER();
	void *value;

	if (!current || !current->entry.sp) {
		real(t);
		return;
	}
	if (seen(pc))
		reads(t, sizeof(*t), pc);
	if (!t->id || thread_join(t->id, &value, pc))
		entry_leave((void (*)(void))real);
	if (seen(pc))
		writes(t, sizeof(*t), pc);
	t->id = 0;
}
HOOK_ENTRY(_ZNSt6thread4joinEv, join, 1);

ENTERED static void wait(pthread_cond_t *c, struct cxx_lock *l)
{
	void (*const real)(pthread_cond_t *, struct cxx_lock *) =
		REAL_BY_NAME(cxx_wait, "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE");
	const uint64_t pc = ENTRY_CALLER();

	if (!current || !current->entry.sp) {
		real(c, l);
		return;
	}
	if (seen(pc))
		reads(l, sizeof(l->mutex), pc);
	entry_leave((void (*)(void))real);
}
HOOK_ENTRY(_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE, wait, 2);
