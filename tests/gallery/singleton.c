/* SPDX-License-Identifier: BSD-2-Clause */
/* singleton.c - double-checked locking: who comes first makes the settings, the others need no lock */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct settings {
	int port;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct settings *_Atomic shared;

static struct settings *settings(void)
{
	struct settings *s = atomic_load_explicit(&shared, memory_order_relaxed); /* not acquire */

	if (s)
		return s;
	pthread_mutex_lock(&mutex);
	s = atomic_load_explicit(&shared, memory_order_relaxed);
	if (!s) {
		s = malloc(sizeof(*s));
		s->port = 80;
		atomic_store_explicit(&shared, s, memory_order_release);
	}
	pthread_mutex_unlock(&mutex);
	return s;
}

static void *user(void *argument)
{
	assert(settings()->port == 80);
	return argument;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, user, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	free(shared);
	return 0;
}
