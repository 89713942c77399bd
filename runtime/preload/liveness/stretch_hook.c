/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stretch_hook.c - functions by name, for stretch_reach.c: those that are an operation, and those that tell all
 *
 * A hook may stand here only if whatever it does is an operation of the engine, or announced like a plain
 * access (announce.h, note_plain_write()), or noted as hidden state (note_hidden_state()), or of no
 * consequence to anybody. A hook that does not stand here is taken to change what nobody sees, and
 * empties the window of the thread that might call it. So a name that is missing costs executions, and
 * one too many loses some.
 *
 * Output: what the program prints is discarded, and how far it has come in its buffer is nobody's
 * business, so printf() tells all it does; of other streams than stdout and stderr it notes hidden state.
 *
 * Names that begin with an item that ends in * belong to it.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "preload/liveness/stretch.h"

#include <dlfcn.h>
#include <string.h>

/* Atomic operations: the stretch ends there. */
static const char *const operations[] = {
	"__tsan_atomic8_*",  "__tsan_atomic16_*",  "__tsan_atomic32_*",
	"__tsan_atomic64_*", "__tsan_atomic128_*",
};

static const char *const tell[] = {
	"__tsan_*",
	/* Operations, on some of their ways */
	"pthread_mutex_lock",
	"pthread_mutex_unlock",
	"pthread_mutex_trylock",
	"pthread_mutex_timedlock",
	"pthread_mutex_clocklock",
	"pthread_spin_lock",
	"pthread_spin_unlock",
	"pthread_spin_trylock",
	"pthread_rwlock_rdlock",
	"pthread_rwlock_wrlock",
	"pthread_rwlock_unlock",
	"pthread_rwlock_tryrdlock",
	"pthread_rwlock_trywrlock",
	"pthread_rwlock_timedrdlock",
	"pthread_rwlock_timedwrlock",
	"pthread_cond_wait",
	"pthread_cond_timedwait",
	"pthread_cond_clockwait",
	"pthread_cond_signal",
	"pthread_cond_broadcast",
	"pthread_barrier_wait",
	"pthread_create",
	"pthread_join",
	"_ZNSt6thread4joinEv",
	"pthread_once",
	"pthread_testcancel",
	"sem_wait",
	"sem_post",
	"sem_trywait",
	"sem_timedwait",
	"sem_clockwait",
	"sem_getvalue",
	"mtx_lock",
	"mtx_trylock",
	"mtx_timedlock",
	"mtx_unlock",
	"cnd_wait",
	"cnd_timedwait",
	"cnd_signal",
	"cnd_broadcast",
	"thrd_yield",
	"call_once",
	"sched_yield",
	"__cxa_guard_acquire",
	"__cxa_guard_release",
	"__cxa_guard_abort",
	"__atomic_load",
	"__atomic_store",
	"__atomic_exchange",
	"__atomic_compare_exchange",
	"syscall", /* which notes it, or is a futex */
	"read",
	"readv",
	"write",
	"writev",
	"lseek",
	"lseek64",
	"pread",
	"pread64",
	"recv*",
	"send*",
	"poll",
	"ppoll",
	"select",
	"pselect",
	"epoll_wait",
	"epoll_pwait*",
	"eventfd_read",
	"eventfd_write",
	"accept*",
	"connect",
	"pthread_tryjoin_np",
	"pthread_timedjoin_np",
	"pthread_clockjoin_np",
	"pthread_getcpuclockid",
	"pthread_kill",
	"kill",
	"gsignal",
	"raise",
	"sigwait*",
	"sigtimedwait",
	"heddle_*",
	/* Hidden state, noted: the heap, time, random numbers, keys */
	"malloc",
	"calloc",
	"realloc",
	"aligned_alloc",
	"posix_memalign",
	"free",
	"_Znw*",
	"_Zna*",
	"_Zdl*",
	"_Zda*",
	"clock_gettime",
	"gettimeofday",
	"time",
	"timespec_get",
	"clock",
	"nanosleep",
	"clock_nanosleep",
	"thrd_sleep",
	"sleep",
	"usleep",
	"rand",
	"random",
	"pthread_setspecific",
	"pthread_getspecific",
	"tss_set",
	"tss_get",
	/* Always the same */
	"getpid",
	"getppid",
	"gettid",
	"sched_getcpu",
	"getcpu",
	"malloc_usable_size",
	/* Accesses, announced */
	"mem*",
	"bcopy",
	"bzero",
	"explicit_bzero",
	"__memcpy_chk",
	"__memmove_chk",
	"__memset_chk",
	"str*",
	"stp*",
	"wcs*",
	"wmem*",
	"mbstowcs",
	"mbsrtowcs",
	"ato*",
	"snprintf",
	"sprintf",
	"sscanf",
	"vsscanf",
	"__isoc99_*sscanf",
	"__isoc23_*sscanf",
	"__isoc23_strto*",
	"__strto*",
	"__snprintf_chk",
	"__sprintf_chk",
	"swprintf",
	"__swprintf_chk",
	/* Output */
	"printf",
	"__printf_chk",
	"fprintf",
	"__fprintf_chk",
	"puts",
	"putchar",
	"putc",
	"fputs",
	"fputc",
	"fwrite",
	"wprintf",
	"fwprintf",
	"putwchar",
	"putwc",
	"fputwc",
	"fputws",
	"fflush",
	"flockfile",
	"ftrylockfile",
	"funlockfile",
};

/* These tell all they do, but call functions of the program, nobody knows which. */
static const char *const call[] = {
	"qsort",
	"qsort_r",
};

/* The end, of a thread or of the program. */
static const char *const ends[] = {
	"__assert_fail", "__assert",   "__assert_perror_fail", "abort",     "exit",
	"_exit",         "quick_exit", "pthread_exit",         "thrd_exit", "__stack_chk_fail",
};

/* Of the C++ library, and a hook of ours in front of them announces what they access. */
static const char *const own[] = {
	"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
};

/* Of the C++ library, and all they access is what their caller has made for this call, on its stack: what a thread is to run. */
static const char *const take[] = {
	"_ZNSt6thread15_M_start_threadESt10unique_ptr*",
};

/* Of the C++ library: whoever throws an exception allocates it. */
static const char *const throw[] = {
	"__cxa_allocate_exception",
};

/* What stands behind a call of these comes by another way. */
static const char *const leave[] = {
	"__cxa_throw", "__cxa_rethrow", "_ZSt*__throw_*", "_ZSt9terminatev", "_Unwind_Resume",
};

/* A part of a pattern begins the name; the rest may have * in it. */
static bool matches(const char *pattern, const char *name)
{
	const char *star = strchr(pattern, '*');
	size_t n = star ? (size_t)(star - pattern) : strlen(pattern);

	if (strncmp(pattern, name, n))
		return false;
	if (!star)
		return !name[n];
	if (!star[1])
		return true;
	for (name += n; *name; name++)
		if (matches(star + 1, name))
			return true;
	return false;
}

static bool in_list(const char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (matches(list[i], name))
			return true;
	return false;
}

static enum hook_class class_of(const char *name)
{
	if (in_list(operations, sizeof(operations) / sizeof(operations[0]), name))
		return HOOK_OPERATION;
	if (in_list(tell, sizeof(tell) / sizeof(tell[0]), name))
		return HOOK_TELLS;
	if (in_list(call, sizeof(call) / sizeof(call[0]), name))
		return HOOK_CALLS;
	if (in_list(ends, sizeof(ends) / sizeof(ends[0]), name))
		return HOOK_ENDS;
	if (in_list(own, sizeof(own) / sizeof(own[0]), name))
		return HOOK_OWN;
	if (in_list(take, sizeof(take) / sizeof(take[0]), name))
		return HOOK_TAKES;
	if (in_list(throw, sizeof(throw) / sizeof(throw[0]), name))
		return HOOK_THROWS;
	if (in_list(leave, sizeof(leave) / sizeof(leave[0]), name))
		return HOOK_LEAVES;
	return HOOK_OTHER;
}

/* Of several names that a function has (ALSO_CALLED) the one that is told may be any. */
static const char *first_name(const char *name)
{
	if (!strncmp(name, "_IO_", 4))
		return name + 4;
	return strncmp(name, "__", 2) ? name : name + 2;
}

enum hook_class stretch_hook(const char *name)
{
	enum hook_class class = class_of(name);

	return class == HOOK_OTHER ? class_of(first_name(name)) : class;
}

enum hook_class stretch_hook_at(uint64_t address)
{
	Dl_info info;

	if (!dladdr((const void *)address, &info) || !info.dli_sname ||
	    (uint64_t)(uintptr_t)info.dli_saddr != address)
		return HOOK_OTHER;
	return stretch_hook(info.dli_sname);
}
