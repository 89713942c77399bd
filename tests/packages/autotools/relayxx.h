#ifndef RELAYXX_H
#define RELAYXX_H

#include <atomic>
#include <stdexcept>

/* A place for one number; a second one is an error. */
class Slot
{
      public:
	void put(int value);
	bool take(int &value);

      private:
	std::atomic<bool> full_{ false };
	int value_ = 0;
};

#endif
