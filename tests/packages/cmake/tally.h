#ifndef TALLY_H
#define TALLY_H

#include "gate.h"

class Tally
{
      public:
	void add(int n);
	int total();

      private:
	gate lock_{};
	int total_ = 0;
};

#endif
