/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cdsring.cc - libcds' ring of D. Vyukov's, for many, and with -DWEAK its ring for a pair (crowd.h)
 */
#ifdef WEAK
#include <cds/container/weak_ringbuffer.h>
#define KIND weak_ringbuffer
#define RING WeakRingBuffer
#else
#include <cds/container/vyukov_mpmc_cycle_queue.h>
#define KIND vyukov_queue
#define RING VyukovMPMCCycleQueue
#endif

#define ORDERED 1
#include "crowd.h"

struct traits : cds::container::KIND::traits {
	typedef cds::opt::v::uninitialized_static_buffer<int, 4> buffer;
};

static cds::container::RING<int, traits> ring;

static void begin()
{
}

static void add(int, int number)
{
	heddle_assert(ring.push(number));
}

static bool take(int &number)
{
	return ring.pop(number);
}
