#include "relayxx.h"

#include <thread>

static Slot slot;

int main()
{
	bool twice = false;
	int value = 0;
	std::thread putter([] { slot.put(7); });
	bool taken = slot.take(value);

	putter.join();
	try {
		slot.put(8);
	} catch (const std::logic_error &) {
		twice = true;
	}
	return twice == !taken && (!taken || value == 7) ? 0 : 1;
}
