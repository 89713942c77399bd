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
#include <immintrin.h>
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

static bool have_avx2;

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

/*
 * Is the page one of a library's? The rest of the page in which its data ends, and what ld.so
 * maps right behind, count as well. A thread's control block is not protected: the kernel
 * writes there when it likes to (rseq).
 */
static bool tracked(uint64_t at)
{
	const struct range *last = npages ? &page[npages - 1] : NULL;

	if (shared->config.mode == ENGINE_REPLAY || npages == MAX_PAGES ||
	    fibers[0].tcb / PAGE == at / PAGE)
		return false;
	if (module_of(at) >= 0)
		return module_of(at) > 0 && module_of(at + PAGE - 1) != 0;
	return last && last->start + PAGE == at;
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
static void take_mapping(const char *line, uint64_t sp)
{
	uint64_t start = hex(&line), end, data, data_end;

	line++;
	end = hex(&line);
	if (line[2] != 'w' || line[4] != 'p')
		return;
	if (start >= OWN_START && start < OWN_END)
		return;
	if (sp >= start && sp < end)
		start = sp;
	runtime_data(&data, &data_end);
	range_add_around(start, end, data, data_end);
}

static void take_mappings(uint64_t sp)
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
				take_mapping(buf + line, sp);
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

void snapshot_capture(uint64_t sp)
{
	uint64_t start, end;

	nranges = npages = nhot = 0;
	have_avx2 = __builtin_cpu_supports("avx2");
	take_mappings(sp);
	heap_image(&start, &end);
	range_add(start, end);
	range_add((uint64_t)(uintptr_t)__start_heddle_image,
		  (uint64_t)(uintptr_t)__stop_heddle_image);
	take_all_copies();
	protect_pages(PROT_READ);
}

void snapshot_expect(uint64_t addr, uint64_t size)
{
	for (uint32_t i = 0; i < npages; i++)
		if (!is_hot[i] && page[i].start < addr + size && page[i].start + PAGE > addr)
			snapshot_fault(page[i].start);
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
		return blocks_fault(addr);
	if (sys3(SYS_mprotect, (long)page[low].start, PAGE, PROT_READ | PROT_WRITE))
		return false;
	if (is_hot[low])
		return false; /* it is writable: another kind of fault */
	is_hot[low] = true;
	hot[nhot++] = low;
	return true;
}

static void copy_if_differs(char *at, const char *copy, uint64_t n)
{
	/* For 0 bytes at the end of a mapping, memcmp() may take as long as for a page. */
	if (n && memcmp(at, copy, n))
		memcpy(at, copy, n);
}

void snapshot_open(void)
{
	protect_pages(PROT_READ | PROT_WRITE);
}

void snapshot_close(void)
{
	/* What libc wrote here it wrote for the runtime, and may stay so. */
	for (uint32_t i = 0; i < npages; i++)
		if (!is_hot[i])
			copy_if_differs(page[i].copy, (const char *)page[i].start, PAGE);
	protect_pages(PROT_READ);
}

void snapshot_release(void)
{
	protect_pages(PROT_READ | PROT_WRITE);
	nranges = npages = nhot = 0; /* none is restored any more */
	sys3(SYS_munmap, (long)copies, (long)copies_size, 0);
}

/* ---- Putting back --------------------------------------------------------------------------- */

enum {
	LINE = 128
};

/* Copies the lines that differ, and only reads the others. */
__attribute__((target("avx2"))) static void put_back_avx2(char *at, const char *copy, uint64_t n)
{
	for (; n >= LINE; at += LINE, copy += LINE, n -= LINE) {
		__m256i_u *to = (__m256i_u *)at;
		const __m256i_u *from = (const __m256i_u *)copy;
		__m256i a = from[0], b = from[1], c = from[2], d = from[3];
		__m256i diff = (a ^ to[0]) | (b ^ to[1]) | (c ^ to[2]) | (d ^ to[3]);

		if (_mm256_testz_si256(diff, diff))
			continue;
		to[0] = a;
		to[1] = b;
		to[2] = c;
		to[3] = d;
	}
	copy_if_differs(at, copy, n);
}

static void put_back_any(char *at, const char *copy, uint64_t n)
{
	for (; n >= LINE; at += LINE, copy += LINE, n -= LINE)
		copy_if_differs(at, copy, LINE);
	copy_if_differs(at, copy, n);
}

static void put_back(const struct range *r)
{
	if (have_avx2)
		put_back_avx2((char *)r->start, r->copy, r->size);
	else
		put_back_any((char *)r->start, r->copy, r->size);
}

void snapshot_restore(void)
{
	for (uint32_t i = 0; i < nranges; i++)
		put_back(&range[i]);
	for (uint32_t i = 0; i < nhot; i++)
		put_back(&page[hot[i]]);
}

void snapshot_each(void (*fn)(uint64_t start, uint64_t end))
{
	for (uint32_t i = 0; i < nranges; i++)
		fn(range[i].start, range[i].start + range[i].size);
	for (uint32_t i = 0; i < npages; i++)
		fn(page[i].start, page[i].start + page[i].size);
}
