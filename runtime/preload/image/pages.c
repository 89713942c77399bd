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
 * Pages of a library's .bss that were never touched have no copy: they read as zero. So do the runtime's tables
 * (tests/lint/seldom.test). The kernel knows which (/proc/self/pagemap), and a program that runs for
 * milliseconds notices the cost of copying them, a microsecond or two each.
 *
 * Where memory is compared since not all code is instrumented (unseen.h), what the program has
 * mapped for itself is tracked as well, from the beginning, and in the children of the fork back
 * end, too, once one has compared memory: each has to keep what it writes to. Allocators like oneTBB's take megabytes, of which hardly any is written to. So
 * a page that was not written to needs no look (pages_written()). Where the kernel is asked to write
 * there by a call that has no hook, it refuses (EFAULT); so the heap, where libc has its buffers
 * of files, and the program's own data are not tracked.
 */
#include "preload/image/pages.h"

#include <string.h>

#include "preload/code/modules.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/fiber/fiber.h"
#include "preload/image/snapshot.h"
#include "preload/image/unseen.h"

enum {
	MAX_PAGES =
		1 << 14, /* the kernel has some 65,000 mappings, each of which may be one page */
	PAGE = 4096,
	AT_ONCE = 16,
	FEW = 512,
};

/* Of an entry of /proc/self/pagemap. */
#define PAGEMAP_THERE (3ul << 62) /* present, or swapped out */
#define PAGEMAP_FILE  (1ul << 61) /* as in the file: nobody has written there */

struct page {
	uint64_t start;
	const char *copy;         /* NULL: in a child, and not written to, as far as is known */
	struct mapping_kind kind; /* file: what was never touched is not zero */
	bool hot;                 /* restored every time, and not protected any more */
	bool written; /* between pages_open() and pages_close(): it was different before */
};

/* In order of address. */
static struct page page[MAX_PAGES];
KEPT(page);
static uint32_t npages;
static uint32_t hot[MAX_PAGES], nhot;
KEPT(nhot);
KEPT(hot);

static char *copies; /* room for each page */
KEPT(copies);
static bool guarded; /* those that are not hot are protected; others than mapped ones */
KEPT(guarded);
static bool released; /* executions run in children: no others than mapped ones are protected */
KEPT(released);
static bool in_children; /* and these are */
KEPT(in_children);

static const char zeroes[PAGE] __attribute__((aligned(PAGE)));

void pages_begin(void)
{
	npages = nhot = 0;
	guarded = released = in_children = false;
}

/*
 * The rest of the page in which a library's data ends, and what ld.so maps right behind, count as
 * well; and what ld.so has for itself.
 */
bool pages_add(uint64_t at, struct mapping_kind kind)
{
	const struct page *last = npages ? &page[npages - 1] : NULL;
	int module = module_of(at);
	bool follows = last && last->start + PAGE == at && !last->kind.loaders;

	if (shared->config.mode == ENGINE_REPLAY || npages == MAX_PAGES ||
	    (fibers[0].tcb / PAGE == at / PAGE && !kind.loaders))
		return false;
	if (module >= 0) {
		kind.mapped = false;
		if (!module || !module_of(at + PAGE - 1))
			return false;
	} else if (follows && !last->kind.mapped) {
		kind.mapped = false;
	} else if (!kind.loaders && !kind.mapped) {
		return false;
	}
	page[npages++] = (struct page){ .start = at, .kind = kind };
	return true;
}

/* How many pages of one kind lie side by side from page i on, none of them hot. */
static uint32_t run_of(uint32_t i)
{
	uint32_t n = 0;

	while (i + n < npages && !page[i + n].hot &&
	       page[i + n].kind.mapped == page[i].kind.mapped &&
	       page[i + n].start == page[i].start + (uint64_t)n * PAGE)
		n++;
	return n;
}

static char *map_copies(void)
{
	return map_own((uint64_t)(npages + 1) * PAGE);
}

static void copy_page(uint32_t i)
{
	char *to;

	if (!copies) /* for what a child writes to */
		copies = map_copies();
	to = copies + (uint64_t)i * PAGE;
	memcpy(to, (void *)page[i].start, PAGE);
	page[i].copy = to;
}

/* Asks the kernel which of n pages from page i on exist; all of them, and written to, if it does not say. */
static void ask_pagemap(int fd, uint32_t i, uint32_t n, uint64_t *entry)
{
	long size = (long)(n * sizeof(*entry));
	long at = (long)(page[i].start / PAGE * sizeof(*entry));

	if (fd < 0 || sys4(SYS_pread64, fd, (long)entry, size, at) != size)
		for (uint32_t j = 0; j < n; j++)
			entry[j] = PAGEMAP_THERE;
}

/* Has nobody written to the page, and it is zero? */
static bool is_untouched(const struct page *p, uint64_t entry)
{
	if (p->kind.zero)
		return !(entry & PAGEMAP_THERE) || entry & PAGEMAP_FILE;
	return !p->kind.file && !(entry & PAGEMAP_THERE);
}

/* Sets the protection of all pages that are not hot: of those that were mapped, or of the others. */
static void protect(int prot, bool mapped)
{
	uint32_t run;

	for (uint32_t i = 0; i < npages; i += run) {
		run = run_of(i);
		if (!run)
			run = 1;
		else if (page[i].kind.mapped == mapped)
			sys3(SYS_mprotect, (long)page[i].start, (long)run * PAGE, prot);
	}
}

void pages_copy(void)
{
	static uint64_t entry[MAX_PAGES];
	int fd = sys_open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint32_t n;

	copies = map_copies();
	for (uint32_t i = 0; i < npages; i += n) {
		n = run_of(i);
		ask_pagemap(fd, i, n, entry);
		for (uint32_t j = 0; j < n; j++) {
			page[i + j].copy = zeroes;
			if (!is_untouched(&page[i + j], entry[j]))
				copy_page(i + j);
		}
	}
	if (fd >= 0)
		sys_close(fd);
	protect(PROT_READ, true);
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
		if (!page[i].kind.mapped && differs(&page[i]))
			make_hot(i);
	protect(PROT_READ, false);
}

/* The page at an address, or the first one behind it. */
static uint32_t find_page(uint64_t addr)
{
	uint32_t low = 0, high = npages;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (page[mid].start + PAGE <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Was it protected from the beginning? */
static bool is_early(const struct page *p)
{
	return p->kind.mapped && (!released || in_children);
}

/* Is it protected? */
static bool is_guarded(const struct page *p)
{
	return !p->hot && (is_early(p) || guarded);
}

/*
 * How many pages from page i on are made writable at once: of what is written from bottom to top as many as
 * were already, or a program that fills what it has mapped would fault at each page.
 */
static uint32_t reach(uint32_t i)
{
	uint32_t before = 0, n = 1;

	if (!page[i].kind.mapped)
		return 1;
	while (before < AT_ONCE - 1 && before < i && page[i - before - 1].hot &&
	       page[i - before - 1].start + (uint64_t)(before + 1) * PAGE == page[i].start)
		before++;
	while (n <= before && i + n < npages && is_guarded(&page[i + n]) &&
	       page[i + n].kind.mapped && page[i + n].start == page[i].start + (uint64_t)n * PAGE)
		n++;
	return n;
}

bool pages_fault(uint64_t addr)
{
	uint32_t i = find_page(addr), n;

	/* A page that is writable has another kind of fault. */
	if (i == npages || addr < page[i].start || !is_guarded(&page[i]))
		return false;
	n = reach(i);
	for (uint32_t j = 0; j < n; j++)
		if (!page[i + j].copy)
			copy_page(i + j);
	if (sys3(SYS_mprotect, (long)page[i].start, (long)n * PAGE, PROT_READ | PROT_WRITE))
		return false;
	for (uint32_t j = 0; j < n; j++)
		make_hot(i + j);
	return true;
}

void pages_expect(uint64_t addr, uint64_t size)
{
	for (uint32_t i = find_page(addr); i < npages && page[i].start < addr + size; i++)
		pages_fault(page[i].start);
}

void pages_open(void)
{
	if (guarded)
		protect(PROT_READ | PROT_WRITE, false);
	if (guarded || released)
		return;
	for (uint32_t i = 0; i < npages; i++)
		page[i].written = !page[i].kind.mapped && differs(&page[i]);
}

void pages_close(void)
{
	if (released)
		return;
	for (uint32_t i = 0; i < npages; i++)
		if (!page[i].hot && !page[i].kind.mapped && !(page[i].written && !guarded) &&
		    differs(&page[i]))
			copy_page(i);
	if (guarded)
		protect(PROT_READ, false);
}

void pages_release(void)
{
	if (guarded)
		protect(PROT_READ | PROT_WRITE, false);
	sys3(SYS_munmap, (long)copies, ((long)npages + 1) * PAGE, 0);
	copies = NULL;
	for (uint32_t i = 0; i < npages; i++) {
		page[i].copy = NULL;
		page[i].hot = false;
	}
	nhot = 0;
	guarded = false;
	released = true;
	protect(PROT_READ | PROT_WRITE, true);
}

void pages_fork(void)
{
	if (in_children || !*memory_was_compared)
		return;
	in_children = true;
	protect(PROT_READ, true);
}

bool pages_few(void)
{
	return npages <= FEW;
}

void pages_open_all(void)
{
	protect(PROT_READ | PROT_WRITE, false);
	protect(PROT_READ | PROT_WRITE, true);
	for (uint32_t i = 0; i < npages; i++)
		if (!page[i].hot)
			make_hot(i);
	guarded = true;
}

void pages_restore(void)
{
	for (uint32_t i = 0; i < nhot; i++)
		snapshot_put_back((char *)page[hot[i]].start, page[hot[i]].copy, PAGE);
}

void pages_each(void (*fn)(uint64_t start, uint64_t end))
{
	for (uint32_t i = 0; i < npages; i++)
		fn(page[i].start, page[i].start + PAGE);
}

void pages_written(void (*fn)(uint64_t start, uint64_t end, const char *copy))
{
	for (uint32_t i = 0; i < nhot; i++)
		fn(page[hot[i]].start, page[hot[i]].start + PAGE, page[hot[i]].copy);
	for (uint32_t i = 0; !guarded && i < npages; i++)
		if (!is_early(&page[i]))
			fn(page[i].start, page[i].start + PAGE, page[i].copy);
}
