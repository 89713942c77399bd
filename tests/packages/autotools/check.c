#include "config.h"
#include "relay.h"

int main(void)
{
	static struct relay relay;
	int value;

	if (relay_take(&relay, &value))
		return 1;
	if (!relay_put(&relay, 7, memory_order_release) ||
	    !relay_put(&relay, 8, memory_order_release) ||
	    relay_put(&relay, 9, memory_order_release))
		return 2;
	if (!relay_take(&relay, &value) || value != 7)
		return 3;
	return 0;
}
