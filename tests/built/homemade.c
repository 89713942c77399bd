/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * homemade.c - a lock made of a futex, with no library call that says what it is
 *
 * Without instrumentation only its futex calls are seen, and the words change unseen. As it stands
 * it never wakes the threads that sleep; FIXED: it does.
 */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	FREE,
	HELD,
	WANTED
};

static int word, n;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;

static void lock(void)
{
	int state = FREE;

	if (__atomic_compare_exchange_n(&word, &state, HELD, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	while (__atomic_exchange_n(&word, WANTED, __ATOMIC_ACQUIRE) != FREE)
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, WANTED, NULL, NULL, 0);
}

static void unlock(void)
{
	int state = __atomic_exchange_n(&word, FREE, __ATOMIC_RELEASE);

#ifdef FIXED
	if (state == WANTED)
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
#endif
	(void)state;
}

static void *use(void *arg)
{
	lock();
	pthread_mutex_lock(&other);
	n++;
	pthread_mutex_unlock(&other);
	unlock();
	return arg;
}

int main(void)
{
	pthread_t thread[3];

	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread[i], NULL, use, NULL))
			return 1;
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	assert(n == 3);
	return 0;
}
