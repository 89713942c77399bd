/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pages.c - the pages of libraries, which are put back only once they were written to
 *
 * What ld.so has for itself, main's control block in it, is treated as a library's, and so are the
 * runtime's own tables that are seldom written to (HEDDLE_IMAGE_SELDOM).
 *
 * Of the 60 KiB and more of data that libc alone has, an execution writes to a page or two, if
 * any. So these pages are write-protected: the fault of the first write makes a page hot, and from
 * then on it is restored before every execution, while the others cost nothing.
 *
 * Protection begins with the second execution. In the first one most threads are made for the
 * first time, and libc writes to pages of its own for each; the pages that differ when the
 * execution is over are hot. What libc wrote on the runtime's behalf does not count: it is
 * folded into the copies of pages that the program has not written to (pages_open(),
 * pages_close()), and stays.
 *
 * Pages of a library's .bss that were never touched have no copy: they read as zero. The kernel
 * knows which (/proc/self/pagemap), and a program that runs for milliseconds notices the cost of
 * copying them, a microsecond or two each.
 */
#include "target/pages.h"

#include <string.h>

#include "target/driver.h"
#include "target/fiber.h"
#include "target/sys.h"

enum {
	MAX_PAGES = 4096,
	PAGE = 4096
};

/* Of an entry of /proc/self/pagemap. */
#define PAGEMAP_THERE (3ul << 62) /* present, or swapped out */

struct page {
	uint64_t start;
	const char *copy;
	bool hot;     /* restored every time, and not protected any more */
	bool loaders; /* of a mapping that ld.so has for itself, or the runtime's */
	bool file;    /* of a mapping of a file: what was never touched is not zero */
	bool written; /* between pages_open() and pages_close(): it was different before */
};

/* In order of address. */
static struct page page[MAX_PAGES];
static uint32_t npages;
static uint32_t nlisted; /* how many there were, after pages_release() */
static uint32_t hot[MAX_PAGES], nhot;

static char *copies; /* room for each page */
static bool guarded; /* those that are not hot are protected */

static const char zeroes[PAGE] __attribute__((aligned(PAGE)));

void pages_begin(void)
{
	npages = nhot = 0;
	guarded = false;
}

/*
 * The rest of the page in which a library's data ends, and what ld.so maps right behind, count as
 * well; and what ld.so has for itself.
 */
bool pages_add(uint64_t at, bool file, bool loaders)
{
	const struct page *last = npages ? &page[npages - 1] : NULL;
	int module = module_of(at);
	bool follows = last && last->start + PAGE == at && !last->loaders;

	if (shared->config.mode == ENGINE_REPLAY || npages == MAX_PAGES ||
	    (fibers[0].tcb / PAGE == at / PAGE && !loaders))
		return false;
	if (module >= 0 ? !module || !module_of(at + PAGE - 1) : !loaders && !follows)
		return false;
	page[npages++] = (struct page){ .start = at, .file = file, .loaders = loaders };
	return true;
}

/* How many pages from page i on lie side by side, none of them hot. */
static uint32_t run_of(uint32_t i)
{
	uint32_t n = 0;

	while (i + n < npages && !page[i + n].hot && page[i + n].start == page[i].start + n * PAGE)
		n++;
	return n;
}

static void copy_page(uint32_t i)
{
	char *to = copies + (uint64_t)i * PAGE;

	memcpy(to, (void *)page[i].start, PAGE);
	page[i].copy = to;
}

/* Asks the kernel which of n pages from page i on exist; all of them, if it does not say. */
static void ask_pagemap(int fd, uint32_t i, uint32_t n, uint64_t *entry)
{
	long size = (long)(n * sizeof(*entry));
	long at = (long)(page[i].start / PAGE * sizeof(*entry));

	if (fd < 0 || sys4(SYS_pread64, fd, (long)entry, size, at) != size)
		memset(entry, 0xff, (size_t)size);
}

void pages_copy(void)
{
	static uint64_t entry[MAX_PAGES];
	int fd = sys_open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint32_t n;

	copies = map_own((uint64_t)(npages + 1) * PAGE);
	for (uint32_t i = 0; i < npages; i += n) {
		n = run_of(i);
		ask_pagemap(fd, i, n, entry);
		for (uint32_t j = 0; j < n; j++) {
			page[i + j].copy = zeroes;
			if (page[i + j].file || entry[j] & PAGEMAP_THERE)
				copy_page(i + j);
		}
	}
	if (fd >= 0)
		sys_close(fd);
}

/* Sets the protection of all pages that are not hot. */
static void protect(int prot)
{
	uint32_t run;

	for (uint32_t i = 0; i < npages; i += run) {
		run = run_of(i);
		if (run)
			sys3(SYS_mprotect, (long)page[i].start, run * PAGE, prot);
		else
			run = 1;
	}
}

static bool differs(const struct page *p)
{
	return memcmp((void *)p->start, p->copy, PAGE) != 0;
}

static void make_hot(uint32_t i)
{
	page[i].hot = true;
	hot[nhot++] = i;
}

void pages_guard(void)
{
	if (guarded)
		return;
	guarded = true;
	for (uint32_t i = 0; i < npages; i++)
		if (differs(&page[i]))
			make_hot(i);
	protect(PROT_READ);
}

bool pages_fault(uint64_t addr)
{
	uint32_t low = 0, high = npages;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (page[mid].start + PAGE <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	/* A page that is writable has another kind of fault. */
	if (!guarded || low == npages || addr < page[low].start || page[low].hot ||
	    sys3(SYS_mprotect, (long)page[low].start, PAGE, PROT_READ | PROT_WRITE))
		return false;
	make_hot(low);
	return true;
}

void pages_expect(uint64_t addr, uint64_t size)
{
	for (uint32_t i = 0; i < npages; i++)
		if (page[i].start < addr + size && page[i].start + PAGE > addr)
			pages_fault(page[i].start);
}

void pages_open(void)
{
	if (guarded) {
		protect(PROT_READ | PROT_WRITE);
		return;
	}
	for (uint32_t i = 0; i < npages; i++)
		page[i].written = differs(&page[i]);
}

void pages_close(void)
{
	for (uint32_t i = 0; i < npages; i++)
		if (!page[i].hot && !(page[i].written && !guarded) && differs(&page[i]))
			copy_page(i);
	if (guarded)
		protect(PROT_READ);
}

void pages_release(void)
{
	if (guarded)
		protect(PROT_READ | PROT_WRITE);
	sys3(SYS_munmap, (long)copies, ((long)npages + 1) * PAGE, 0);
	nlisted = npages;
	npages = nhot = 0; /* none is restored any more */
}

void pages_restore(void)
{
	for (uint32_t i = 0; i < nhot; i++)
		snapshot_put_back((char *)page[hot[i]].start, page[hot[i]].copy, PAGE);
}

void pages_each(void (*fn)(uint64_t start, uint64_t end))
{
	for (uint32_t i = 0; i < npages + nlisted; i++)
		fn(page[i].start, page[i].start + PAGE);
}
