/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * refcount.c - count of references without order
 *
 * Who drops the last reference frees the object; a relaxed decrement does not order the other's use of it
 * before that.
 */
#include "threads.h"

#ifdef FIXED
#define DROP(v) ADD(v, -1, acq_rel)
#else
#define DROP(v) ADD(v, -1, relaxed)
#endif

static struct object {
	atomic_int references;
	int value[2];
} * object;

static void use(int self)
{
	object->value[self]++;
	if (DROP(object->references) == 1)
		free(object);
}

int main(void)
{
	object = calloc(1, sizeof(*object));
	object->references = 2;
	run_threads(2, use);
	return 0;
}
