/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * snapshot.c - the image of the program at the root point
 *
 * The image is every writable private mapping (/proc/self/maps), less what is ours: the
 * runtime's data, everything in our part of the address space except the heap used so far,
 * and main's stack below its stack pointer. Variables of the runtime marked HEDDLE_IMAGE are
 * added.
 *
 * Restoring costs a copy of what may have changed. Pages of libraries (libc alone has some
 * 60 KiB) are write-protected until something writes to them: the fault makes a page hot, and
 * from then on it is restored every time, while the others cost nothing. The program's own
 * data, its heap, stack and thread-local storage are not protected, because the kernel may be
 * asked to write there; they are compared page by page and copied where they differ.
 */
#include <string.h>

#include "target/driver.h"
#include "target/fiber.h"
#include "target/sys.h"

enum {
	MAX_RANGES = 512,
	MAX_PAGES = 4096,
	PAGE = 4096
};

struct range {
	uint64_t start, size;
	char *copy;
};

static struct range range[MAX_RANGES];
static uint32_t nranges;

/* Protected pages, in order of address, and those written since. */
static struct range page[MAX_PAGES];
static uint32_t npages;
static uint32_t hot[MAX_PAGES], nhot;
static bool is_hot[MAX_PAGES];

/* Where the copies of both lie. */
static char *copies;
static uint64_t copies_size;

/* The section exists even when no hook uses it. */
HEDDLE_IMAGE __attribute__((used)) static uint64_t image_section;
extern char __start_heddle_image[] __attribute__((visibility("hidden")));
extern char __stop_heddle_image[] __attribute__((visibility("hidden")));

static void range_add(uint64_t start, uint64_t end)
{
	struct range *last = nranges ? &range[nranges - 1] : NULL;

	if (start >= end)
		return;
	if (last && last->start + last->size == start) {
		last->size += end - start;
		return;
	}
	if (nranges == MAX_RANGES)
		refuse("the program has more than 512 writable mappings: it is too large for "
		       "heddle as yet",
		       NULL);
	range[nranges++] = (struct range){ .start = start, .size = end - start };
}

/* Is the page one of a library's? */
static bool tracked(uint64_t at)
{
	return shared->config.mode != ENGINE_REPLAY && npages < MAX_PAGES && module_of(at) > 0 &&
	       module_of(at) == module_of(at + PAGE - 1);
}

/* Adds [start, end), page-aligned: pages of libraries apart. */
static void range_add_pages(uint64_t start, uint64_t end)
{
	uint64_t from = start;

	for (uint64_t at = start; at < end; at += PAGE) {
		if (at % PAGE || !tracked(at))
			continue;
		range_add(from, at);
		page[npages++] = (struct range){ .start = at, .size = PAGE };
		from = at + PAGE;
	}
	range_add(from, end);
}

/* Adds [start, end) without [hole, hole_end). */
static void range_add_around(uint64_t start, uint64_t end, uint64_t hole, uint64_t hole_end)
{
	if (hole >= end || hole_end <= start) {
		range_add_pages(start, end);
		return;
	}
	if (start < hole)
		range_add_pages(start, hole);
	if (hole_end < end)
		range_add_pages(hole_end, end);
}

static uint64_t hex(const char **p)
{
	uint64_t n = 0;

	for (;; ++*p) {
		char c = **p;

		if (c >= '0' && c <= '9')
			n = n * 16 + (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			n = n * 16 + (uint64_t)(c - 'a' + 10);
		else
			return n;
	}
}

/* One line of /proc/self/maps: start-end perms ... */
static void take_mapping(const char *line, uint64_t main_sp)
{
	uint64_t start = hex(&line), end, data, data_end;

	line++;
	end = hex(&line);
	if (line[2] != 'w' || line[4] != 'p')
		return;
	if (start >= OWN_START && start < OWN_END)
		return;
	if (main_sp >= start && main_sp < end)
		start = main_sp;
	runtime_data(&data, &data_end);
	range_add_around(start, end, data, data_end);
}

static void take_mappings(uint64_t main_sp)
{
	static char buf[1 << 16];
	int fd = sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t have = 0, line, i;
	long n;

	if (fd < 0)
		internal_error("cannot read /proc/self/maps: is /proc mounted?", NULL);
	while ((n = sys_read(fd, buf + have, sizeof(buf) - have)) > 0) {
		have += (size_t)n;
		for (line = i = 0; i < have; i++)
			if (buf[i] == '\n') {
				take_mapping(buf + line, main_sp);
				line = i + 1;
			}
		have -= line;
		memmove(buf, buf + line, have);
	}
	sys_close(fd);
}

static char *take_copies(char *at, struct range *r, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		r[i].copy = at;
		memcpy(at, (void *)r[i].start, r[i].size);
		at += (r[i].size + 63) & ~63ul;
	}
	return at;
}

/* All copies in one mapping: each further one would cost every fork() a microsecond or two. */
static void take_all_copies(void)
{
	uint64_t size = (uint64_t)npages * PAGE;

	for (uint32_t i = 0; i < nranges; i++)
		size += (range[i].size + 63) & ~63ul;
	copies_size = size = (size + PAGE - 1) & ~(PAGE - 1ul);
	copies = map_own(size);
	take_copies(take_copies(copies, page, npages), range, nranges);
}

/* Sets the protection of all pages that are not hot. */
static void protect_pages(int prot)
{
	uint32_t run;

	for (uint32_t i = 0; i < npages; i += run) {
		run = 1;
		if (is_hot[i])
			continue;
		while (i + run < npages && !is_hot[i + run] &&
		       page[i + run].start == page[i].start + run * PAGE)
			run++;
		sys3(SYS_mprotect, (long)page[i].start, run * PAGE, prot);
	}
}

static void make_hot(uint32_t i)
{
	is_hot[i] = true;
	hot[nhot++] = i;
}

void snapshot_capture(uint64_t main_sp)
{
	uint64_t start, end;

	nranges = npages = nhot = 0;
	take_mappings(main_sp);
	heap_image(&start, &end);
	range_add(start, end);
	range_add((uint64_t)(uintptr_t)__start_heddle_image,
		  (uint64_t)(uintptr_t)__stop_heddle_image);
	take_all_copies();
	protect_pages(PROT_READ);
}

bool snapshot_fault(uint64_t addr)
{
	uint32_t low = 0, high = npages;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (page[mid].start + PAGE <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == npages || addr < page[low].start)
		return false;
	if (sys3(SYS_mprotect, (long)page[low].start, PAGE, PROT_READ | PROT_WRITE))
		return false;
	if (is_hot[low])
		return false; /* it is writable: another kind of fault */
	make_hot(low);
	return true;
}

void snapshot_open(void)
{
	protect_pages(PROT_READ | PROT_WRITE);
}

void snapshot_close(void)
{
	for (uint32_t i = 0; i < npages; i++)
		if (!is_hot[i] && memcmp((void *)page[i].start, page[i].copy, PAGE))
			make_hot(i);
	protect_pages(PROT_READ);
}

void snapshot_release(void)
{
	protect_pages(PROT_READ | PROT_WRITE);
	nranges = npages = nhot = 0; /* none is restored any more */
	sys3(SYS_munmap, (long)copies, (long)copies_size, 0);
}

static void range_restore(const struct range *r)
{
	char *at = (char *)r->start;

	for (uint64_t off = 0; off < r->size; off += PAGE) {
		uint64_t n = r->size - off < PAGE ? r->size - off : PAGE;

		if (memcmp(at + off, r->copy + off, n))
			memcpy(at + off, r->copy + off, n);
	}
}

void snapshot_restore(void)
{
	for (uint32_t i = 0; i < nranges; i++)
		range_restore(&range[i]);
	for (uint32_t i = 0; i < nhot; i++)
		memcpy((void *)page[hot[i]].start, page[hot[i]].copy, PAGE);
}
