#include "relayxx.h"

void Slot::put(int value)
{
	if (full_.load(std::memory_order_acquire))
		throw std::logic_error("full");
	value_ = value;
	full_.store(true, std::memory_order_release);
}

bool Slot::take(int &value)
{
	if (!full_.load(std::memory_order_acquire))
		return false;
	value = value_;
	full_.store(false, std::memory_order_release);
	return true;
}
