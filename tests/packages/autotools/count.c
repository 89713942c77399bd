#include "count.h"
#include "config.h"

#include <stdatomic.h>

static atomic_uint count;

unsigned count_one(void)
{
	return atomic_fetch_add_explicit(&count, 1, memory_order_relaxed) + 1;
}

unsigned count_all(void)
{
	return atomic_load_explicit(&count, memory_order_relaxed);
}
