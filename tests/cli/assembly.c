/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * assembly.c - a lock of inline assembly, as others have it in their headers; the test takes out what says where it is
 *
 * -DDATA: what it guards is plain data, which seems to race. Else a thread that waits for it hangs. -DBUILTINS: the
 * same lock with the compiler's atomics. -DFENCE: no lock, but a fence.
 */
#include <pthread.h>
#include <stdatomic.h>

static int lock;
#ifdef DATA
static int guarded;
#else
static atomic_int guarded;
#endif

static int exchange(int *p, int value)
{
#ifdef BUILTINS
	return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);
#elif defined(FENCE)
	__asm__ volatile("lock; addl $0, (%%rsp)" : "+m"(*p) : : "memory", "cc");
	return value == 2;
#else
	__asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(*p) : : "memory");
	return value;
#endif
}

static void *enter(void *arg)
{
	while (exchange(&lock, 1))
		;
	guarded++;
	exchange(&lock, 0);
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, enter, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return guarded != 2;
}
