/* SPDX-License-Identifier: BSD-2-Clause */
/* code.c - see code.h */
#include "preload/code/code.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/must.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"

enum {
	PAGE = 4096,
	HALT = 0xf4, /* no program may do that */
	SETS = 32    /* whoever sets breakpoints, some of them in each library */
};

static struct breakpoints sets[SETS];
KEPT(sets);
static uint32_t nsets;
KEPT(nsets);
bool code_is_broken;
KEPT(code_is_broken);
bool code_is_written;
KEPT(code_is_written);

static const struct breakpoint *number(const struct breakpoints *b, uint32_t i)
{
	return (const void *)((const char *)b->record + (size_t)i * b->size);
}

uint32_t breakpoints_before(const struct breakpoints *b, uint64_t at)
{
	uint32_t low = 0, high = b->n;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (number(b, mid)->at < at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct breakpoints *code_add(struct breakpoints b)
{
	must(nsets < SETS);
	sets[nsets] = b;
	code_is_broken = true;
	return &sets[nsets++];
}

static void put(uint64_t at, uint8_t byte)
{
	const long page = (long)(at & ~(uint64_t)(PAGE - 1));

	if (sys3(SYS_mprotect, page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
		return;
	*(uint8_t *)at = byte;
	if (!code_is_written)
		sys3(SYS_mprotect, page, PAGE, PROT_READ | PROT_EXEC);
}

void code_halt(uint64_t at)
{
	put(at, HALT);
}

uint64_t code_lifted;

void code_lift(const struct breakpoint *b)
{
	put(b->at, b->byte);
	code_lifted = b->at;
}

void code_put_back(void)
{
	code_halt(code_lifted);
	code_lifted = 0;
}

bool code_is_broken_at(uint64_t at)
{
	for (uint32_t s = 0; s < nsets; s++) {
		const uint32_t i = breakpoints_before(&sets[s], at);

		if (i < sets[s].n && number(&sets[s], i)->at == at)
			return true;
	}
	return false;
}

void code_restore(uint8_t *copy, uint64_t at, uint64_t n)
{
	for (uint32_t s = 0; s < nsets; s++)
		for (uint32_t i = breakpoints_before(&sets[s], at);
		     i < sets[s].n && number(&sets[s], i)->at < at + n; i++)
			copy[number(&sets[s], i)->at - at] = number(&sets[s], i)->byte;
}

/* Nobody is there any more who knows what they stand for. */
static void code_detach(uint32_t goes_on)
{
	(void)goes_on;
	for (uint32_t s = 0; s < nsets; s++)
		for (uint32_t i = 0; i < sets[s].n; i++)
			if (*(const uint8_t *)number(&sets[s], i)->at != number(&sets[s], i)->byte)
				put(number(&sets[s], i)->at, number(&sets[s], i)->byte);
}

AT_DETACH(code_detach);
