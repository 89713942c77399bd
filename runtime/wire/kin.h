/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kin.h - processes that the program has made with fork(), and what became of them
 *
 * Each of them says here that it is there, and by a hook that it ends, or is about to be another program. The kernel
 * knows of one that has ended, until it is waited for, whether it became another program
 * (PF_FORKNOEXEC). So where that is so and no hook saw it, whoever waits for the process can tell: the program, or the
 * controller, which inherits those that lose their parent.
 */
#ifndef HEDDLE_WIRE_KIN_H
#define HEDDLE_WIRE_KIN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	KIN_MOST = 4096 /* that are there at once */
};

enum kin_is {
	KIN_LIVES,
	KIN_EXECS /* another program, as it said */
};

struct kin_process {
	_Atomic int32_t
		pid; /* 0: a free place; of one that says that it ends, or that somebody has waited for */
	_Atomic uint32_t is; /* enum kin_is */
};

struct kin {
	_Atomic uint32_t lost; /* there was one whose end nobody has seen */
	/* The runtime is there, and no other program was started by a call that is known. */
	_Atomic uint32_t alone;
	struct kin_process at[KIN_MOST];
};

/* Bits of the ninth field of /proc/PID/stat (the kernel's include/linux/sched.h). */
#define KIN_PF_EXITING    0x4u
#define KIN_PF_FORKNOEXEC 0x40u

/* Of a zombie: has it become another program? No, where a kernel leaves the field out. */
static inline bool kin_flags_tell_exec(uint64_t flags)
{
	return flags & KIN_PF_EXITING && !(flags & KIN_PF_FORKNOEXEC);
}

/* The place of a process, or NULL. */
static inline struct kin_process *kin_at(struct kin *k, int32_t pid)
{
	/* relaxed: who asks has learned of the process in another way */
	for (uint32_t i = 0; pid > 0 && i < KIN_MOST; i++)
		if (atomic_load_explicit(&k->at[i].pid, memory_order_relaxed) == pid)
			return &k->at[i];
	return NULL;
}

/* Frees the place of a process that is over, or will be. Returns what it was. */
static inline enum kin_is kin_leave(struct kin_process *p)
{
	/* relaxed: as above */
	enum kin_is is = atomic_exchange_explicit(&p->is, KIN_LIVES, memory_order_relaxed);

	atomic_store_explicit(&p->pid, 0, memory_order_relaxed);
	return is;
}

/*
 * Somebody is about to wait for a zombie. True: it became another program, and no hook saw that. Of one that no hook saw being
 * made that can be said as long as no program was started in a known way, since it might have been made by that one.
 */
static inline bool kin_over(struct kin *k, int32_t pid, uint64_t flags)
{
	struct kin_process *p = kin_at(k, pid);
	enum kin_is is = KIN_LIVES;

	if (p) {
		is = kin_leave(p);
	} else if (!atomic_load_explicit(&k->alone, memory_order_relaxed)) { /* relaxed: as above */
		return false;
	}
	return kin_flags_tell_exec(flags) && is != KIN_EXECS;
}

/* Nobody lives any more. Is there one whose end nobody saw? It may have been another program by then. */
static inline bool kin_lost(struct kin *k)
{
	/* relaxed: all who could write are over */
	for (uint32_t i = 0; i < KIN_MOST; i++)
		if (atomic_load_explicit(&k->at[i].pid, memory_order_relaxed) &&
		    atomic_load_explicit(&k->at[i].is, memory_order_relaxed) == KIN_LIVES)
			return true;
	return atomic_load_explicit(&k->lost, memory_order_relaxed);
}

#endif
