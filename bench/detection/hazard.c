/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hazard.c - a hazard pointer that is not looked at again
 *
 * Between the load of the pointer and its announcement the owner may have taken it away and freed it. The
 * fixed reader looks whether it is still the one.
 */
#include "threads.h"

static _Atomic(int *) shared, hazard;

static int *protect(void)
{
	int *it = shared;

	hazard = it;
#ifdef FIXED
	if (shared != it)
		return NULL;
#endif
	return it;
}

static void either(int self)
{
	int *it;

	if (self == 0) {
		it = protect();
		if (it)
			assert(*it == 1);
		hazard = NULL;
		return;
	}
	it = atomic_exchange(&shared, NULL);
	while (hazard == it)
		;
	free(it);
}

int main(void)
{
	int *first = malloc(sizeof(*first));

	*first = 1;
	shared = first;
	run_threads(2, either);
	return 0;
}
