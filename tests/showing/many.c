/* SPDX-License-Identifier: BSD-2-Clause */
/* many.c - more arrows than a picture has words for (forms.test); as many threads as the argument says */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

static atomic_int cell[8];

static void *work(void *number)
{
	for (int i = 0; i < 40; i++) {
		atomic_fetch_add(&cell[(i + (int)(intptr_t)number) % 8], 1);
		atomic_load(&cell[i % 8]);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t thread[16];

	for (intptr_t i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, work, (void *)i);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	assert(cell[0] == 0);
	return 0;
}
