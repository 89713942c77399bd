#include "tally.h"

namespace
{
class Hold
{
      public:
	explicit Hold(gate &g) : gate_(g)
	{
		gate_enter(&gate_);
	}
	~Hold()
	{
		gate_leave(&gate_);
	}

      private:
	gate &gate_;
};
} // namespace

void Tally::add(int n)
{
	Hold hold(lock_);
	total_ += n;
}

int Tally::total()
{
	Hold hold(lock_);
	return total_;
}
