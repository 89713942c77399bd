#include "tally.h"

#include <cstdio>
#include <thread>

static Tally tally;
static int last;

static void worker(int n)
{
	tally.add(n);
#ifdef RACY
	last = n;
#endif
}

int main()
{
	std::thread first(worker, 1), second(worker, 2);

	first.join();
	second.join();
	std::puts("tallied");
	return tally.total() == 3 && last >= 0 ? 0 : 1;
}
