/* SPDX-License-Identifier: BSD-2-Clause */
/* Two threads retreat from each other's locks, for ever in some executions. With an argument a check fails before that. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static atomic_int seen;

static void *locks_both(void *arg)
{
	int first = arg != NULL;

	for (;;) {
		pthread_mutex_lock(&mutex[first]);
		if (!pthread_mutex_trylock(&mutex[!first]))
			break;
		pthread_mutex_unlock(&mutex[first]);
		first = !first;
	}
	pthread_mutex_unlock(&mutex[0]);
	pthread_mutex_unlock(&mutex[1]);
	return NULL;
}

static void *checks(void *arg)
{
	assert(!arg || !atomic_load(&seen));
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[3];

	(void)argv;
	pthread_create(&t[0], NULL, checks, argc > 1 ? t : NULL);
	atomic_store(&seen, 1);
	pthread_create(&t[1], NULL, locks_both, NULL);
	pthread_create(&t[2], NULL, locks_both, t);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
