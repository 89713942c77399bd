#include "gate.h"

void gate_enter(struct gate *gate)
{
	while (__atomic_exchange_n(&gate->shut, 1, __ATOMIC_ACQUIRE))
		;
}

void gate_leave(struct gate *gate)
{
	__atomic_store_n(&gate->shut, 0, __ATOMIC_RELEASE);
}
