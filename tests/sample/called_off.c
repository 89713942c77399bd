/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * called_off.c - a thread waits, and is sent a signal by the one that it waits for, which waits for the handler, for called_off.test
 *
 * The argument says what it waits in. A second one, with words in it: not: the handler is not to run then;
 * fenced: membarrier() is called as well. "asked": other readers come behind a writer, which has
 * to ask for that, and may do so once only; so there nobody waits for the handler.
 */
#include <assert.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static mtx_t mtx;
static sem_t sem;
static pthread_t other;
static bool flag;
static atomic_int comes, heard, ends;
static atomic_uint word;
static const char *what;
static bool fenced;

static bool is(const char *name)
{
	return !strcmp(what, name);
}

static void handler(int sig)
{
	(void)sig;
	if (is("futex")) /* nobody else ends that wait */
		atomic_store(&word, 1);
	atomic_store(&heard, 1);
}

static void spins_until(atomic_int *is_set)
{
	while (!atomic_load(is_set))
		sched_yield();
}

static void *idles(void *arg)
{
	spins_until(&ends);
	return arg;
}

/* Called by main, which sends the signal from there, or by the other thread, which waits for that. */
static void interrupts(void);

static void waits_for_flag(void)
{
	pthread_mutex_lock(&mutex);
	atomic_store(&comes, 1);
	while (!flag)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
}

static void waits(void)
{
	if (is("mutex"))
		pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex);
	if (is("rdlock"))
		pthread_rwlock_rdlock(&rwlock), pthread_rwlock_unlock(&rwlock);
	if (is("wrlock") || is("asked"))
		pthread_rwlock_wrlock(&rwlock), pthread_rwlock_unlock(&rwlock);
	if (is("spin"))
		pthread_spin_lock(&spin), pthread_spin_unlock(&spin);
	if (is("mtx"))
		mtx_lock(&mtx), mtx_unlock(&mtx);
	if (is("once"))
		pthread_once(&once, interrupts);
	if (is("join"))
		pthread_join(other, NULL);
	while (is("sem") && sem_wait(&sem))
		;
	while (is("futex") && !atomic_load(&word))
		syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void *waiter(void *arg)
{
	if (is("cond") || is("relock")) {
		waits_for_flag();
		return arg;
	}
	atomic_store(&comes, 1);
	waits();
	return arg;
}

static void take(void)
{
	pthread_mutex_lock(&mutex);
	pthread_rwlock_wrlock(&rwlock);
	pthread_spin_init(&spin, 0);
	pthread_spin_lock(&spin);
	mtx_init(&mtx, mtx_plain);
	mtx_lock(&mtx);
	sem_init(&sem, 0, 0);
}

static void give(void)
{
	pthread_mutex_unlock(&mutex);
	pthread_rwlock_unlock(&rwlock);
	pthread_spin_unlock(&spin);
	mtx_unlock(&mtx);
	sem_post(&sem);
	atomic_store(&ends, 1);
}

static pthread_t t;
static bool not_to_run;

static void init_rwlock(void)
{
	pthread_rwlockattr_t attr;

	pthread_rwlockattr_init(&attr);
	if (is("asked"))
		pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&rwlock, &attr);
}

static void asked(void)
{
	pthread_rwlock_rdlock(&rwlock);
	pthread_create(&t, NULL, waiter, NULL);
	spins_until(&comes);
	pthread_kill(t, SIGUSR1);
	for (int i = 0; i < 20 && !atomic_load(&heard); i++)
		sched_yield();
	pthread_rwlock_unlock(&rwlock);
	pthread_join(t, NULL);
	pthread_rwlock_rdlock(&rwlock);
}

static void interrupts(void)
{
	if (!is("once"))
		spins_until(&comes);
	pthread_kill(t, SIGUSR1);
	if (fenced)
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	for (int i = 0; not_to_run && i < 20 && !atomic_load(&heard); i++)
		sched_yield();
	assert(!not_to_run || !atomic_load(&heard));
	if (!not_to_run)
		spins_until(&heard);
}

static void interrupts_with_mutex(void)
{
	pthread_mutex_unlock(&mutex);
	spins_until(&comes);
	if (is("cond"))
		interrupts();
	pthread_mutex_lock(&mutex);
	flag = true;
	pthread_cond_signal(&cond);
	if (is("relock"))
		interrupts();
}

int main(int argc, char **argv)
{
	what = argc > 1 ? argv[1] : "";
	not_to_run = argc > 2 && strstr(argv[2], "not");
	fenced = argc > 2 && strstr(argv[2], "fenced");
	if (fenced)
		syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	signal(SIGUSR1, handler);
	init_rwlock();
	if (is("asked")) {
		asked();
		return 0;
	}
	take();
	pthread_create(&other, NULL, idles, NULL);
	pthread_create(&t, NULL, waiter, NULL);
	if (is("cond") || is("relock"))
		interrupts_with_mutex();
	else if (is("once"))
		spins_until(&comes), pthread_once(&once, interrupts);
	else
		interrupts();
	give();
	pthread_join(t, NULL);
	if (!is("join"))
		pthread_join(other, NULL);
	return 0;
}
