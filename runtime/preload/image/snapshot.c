/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * snapshot.c - the image of the program at the root point
 *
 * The image is every writable private mapping (/proc/self/maps; shared ones: snapshot_shared.c),
 * less what is ours: the runtime's data, everything in our part of the address space except the
 * heap used so far, and main's stack below its stack pointer. Variables of the runtime marked
 * HEDDLE_IMAGE or HEDDLE_IMAGE_SELDOM are added.
 *
 * Restoring costs a copy of what may have changed. Pages of libraries are tracked (pages.c), and
 * so are the runtime's HEDDLE_IMAGE_SELDOM, main's thread-local storage where the program has no
 * variables there (blocks.c), and, where not all code is instrumented, what it has mapped. The
 * program's own data, its heap, stack and thread-local variables are not, because the kernel may be
 * asked to write there; they are compared line by line and copied where they differ.
 */
#include <immintrin.h>
#include <string.h>

#include "preload/code/modules.h"
#include "preload/core/alias.h"
#include "preload/core/context.h"
#include "preload/core/coverage.h"
#include "preload/core/kin.h"
#include "preload/core/maps.h"
#include "preload/core/own.h"
#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/fiber/fiber.h"
#include "preload/image/blocks.h"
#include "preload/image/mapped.h"
#include "preload/image/pages.h"
#include "preload/image/placed.h"
#include "preload/image/snapshot.h"
#include "preload/image/unseen.h"
#include "preload/memory/heap.h"

enum {
	MAX_RANGES = 512,
	PAGE = 4096
};

struct range {
	uint64_t start, size;
	char *copy;
};

static struct range range[MAX_RANGES];
KEPT(range);
static uint32_t nranges;
KEPT(nranges);
static uint64_t whole_size; /* of the image; 0: not asked for yet */
KEPT(whole_size);

/* No execution was begun since the image was taken. */
static bool fresh;
KEPT(fresh);

static bool have_avx2;

/* libc has asked the processor already; to ask it again may cost a virtual machine 50 us. */
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
static bool find_avx2(void)
{
	return CPU_FEATURE_ACTIVE(AVX2);
}
#else
static bool find_avx2(void)
{
	return __builtin_cpu_supports("avx2");
}
#endif

/* Where the copies lie. */
static char *copies;
KEPT(copies);
static uint64_t copies_size;
KEPT(copies_size);

/* The sections exist even when no hook uses them; the second one begins with a page. */
HEDDLE_IMAGE __attribute__((used)) static uint64_t image_section;
HEDDLE_IMAGE_SELDOM __attribute__((used, aligned(PAGE))) static uint64_t seldom_section;
extern char __start_heddle_image[] __attribute__((visibility("hidden")));
extern char __stop_heddle_image[] __attribute__((visibility("hidden")));
extern char __start_heddle_seldom[] __attribute__((visibility("hidden")));
extern char __stop_heddle_seldom[] __attribute__((visibility("hidden")));

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
		refuse("the program has more than 512 writable mappings: make it smaller", NULL);
	range[nranges++] = (struct range){ .start = start, .size = end - start };
}

/* Adds [start, end), page-aligned: pages that are tracked apart. */
static void range_add_kind(uint64_t start, uint64_t end, struct mapping_kind kind)
{
	uint64_t from = start;

	for (uint64_t at = start; at < end; at += PAGE) {
		if (at % PAGE || !pages_add(at, kind))
			continue;
		range_add(from, at);
		from = at + PAGE;
	}
	range_add(from, end);
}

/*
 * What the program has mapped for itself is looked at often where code that is not instrumented may
 * write to it (unseen.h). It is better tracked.
 */
static void range_add_pages(uint64_t start, uint64_t end, struct mapping_kind kind)
{
	for (uint64_t stop = end; start < end; start = stop, stop = end) {
		struct mapping_kind part = kind;

		if (unseen_partly && !kind.file && mapped_at(start, &stop))
			part = (struct mapping_kind){ .mapped = true };
		range_add_kind(start, stop, part);
	}
}

/* The whole pages of HEDDLE_IMAGE_SELDOM; what shares one with other data comes after them. */
static void seldom_pages(uint64_t *start, uint64_t *end)
{
	*start = (uint64_t)(uintptr_t)__start_heddle_seldom;
	*end = (uint64_t)(uintptr_t)__stop_heddle_seldom & ~(PAGE - 1ul);
}

/* Adds [start, end) without [hole, hole_end), the runtime's data; of that what is seldom written. */
static void range_add_around(uint64_t start, uint64_t end, uint64_t hole, uint64_t hole_end,
			     struct mapping_kind kind)
{
	const struct mapping_kind ours = { .file = kind.file, .zero = true, .loaders = true };
	uint64_t seldom, seldom_end;

	if (hole >= end || hole_end <= start) {
		range_add_pages(start, end, kind);
		return;
	}
	if (start < hole)
		range_add_pages(start, hole, kind);
	seldom_pages(&seldom, &seldom_end);
	range_add_pages(seldom < start ? start : seldom, seldom_end > end ? end : seldom_end, ours);
	if (hole_end < end)
		range_add_pages(hole_end, end, kind);
}

/*
 * Did ld.so map this for itself? The kernel is never asked to write there, but for the control
 * block of main, when it is left alone there.
 */
static bool is_loaders(uint64_t start, uint64_t end)
{
	if (fibers[0].tcb - start < end - start)
		return blocks_keep_main();
	return modules_list_in(start, end);
}

/* arg: where main's stack pointer is. */
static void take_mapping(const struct maps_line *line, void *arg)
{
	size_t rest = (size_t)(line->newline - line->perms);
	bool file = memchr(line->perms, '/', rest) != NULL;
	bool named = file || memchr(line->perms, '[', rest);
	uint64_t start = line->start, end = line->end, data, data_end, sp = *(const uint64_t *)arg;
	struct mapping_kind kind = { .file = file };
	const char *path;

	if (own_address(start) || coverage_owns(start))
		return;
	if (line->perms[3] == 's')
		alias_meet(line);
	if (line->perms[1] != 'w')
		return;
	if (line->perms[3] == 's') {
		path = file ? memchr(line->perms, '/', rest) : line->newline;
		shared_maps_add(start, end, path, (size_t)(line->newline - path));
		return;
	}
	if (sp >= start && sp < end)
		start = sp;
	runtime_data(&data, &data_end);
	kind.loaders = !named && is_loaders(start, end);
	range_add_around(start, end, data, data_end, kind);
}

enum {
	PIECE = 16 << 20,
	LARGE = 64 << 20 /* bytes that are copied, and compared before each execution */
};

/* The watchdog is to see that something is done. */
static void copy_range(char *to, const char *from, uint64_t size)
{
	for (uint64_t at = 0; at < size; at += PIECE) {
		memcpy(to + at, from + at, size - at < PIECE ? size - at : PIECE);
		atomic_fetch_add_explicit(&shared->accesses, 1, memory_order_relaxed);
	}
}

static uint64_t size_of_copies(void)
{
	uint64_t size = 0;

	for (uint32_t i = 0; i < nranges; i++)
		size += (range[i].size + 63) & ~63ul;
	return (size + PAGE - 1) & ~(PAGE - 1ul);
}

bool snapshot_is_large(void)
{
	return size_of_copies() > LARGE;
}

bool snapshot_kept(void)
{
	return copies;
}

/* All copies in one mapping: each further one would cost every fork() a microsecond or two. */
void snapshot_keep(void)
{
	char *at;

	copies_size = size_of_copies();
	copies = at = map_own(copies_size);
	for (uint32_t i = 0; i < nranges; i++) {
		range[i].copy = at;
		copy_range(at, (const char *)range[i].start, range[i].size);
		at += (range[i].size + 63) & ~63ul;
	}
}

static void take_own(void)
{
	uint64_t start, end;

	seldom_pages(&start, &end);
	range_add(end, (uint64_t)(uintptr_t)__stop_heddle_seldom);
	range_add((uint64_t)(uintptr_t)__start_heddle_image,
		  (uint64_t)(uintptr_t)__stop_heddle_image);
}

void snapshot_capture(uint64_t sp)
{
	uint64_t start, end;

	nranges = 0;
	whole_size = 0;
	fresh = true;
	pages_begin();
	shared_maps_begin();
	have_avx2 = find_avx2();
	maps_each(take_mapping, &sp);
	kin_watch();
	heap_image(&start, &end);
	range_add(start, end);
	take_own();
	for (uint32_t i = 0; i < nranges; i++)
		range[i].copy = NULL;
	pages_copy();
	shared_maps_take();
}

void snapshot_expect(uint64_t addr, uint64_t size)
{
	pages_expect(addr, size);
}

bool snapshot_fault(uint64_t addr)
{
	return pages_fault(addr) || blocks_fault(addr);
}

void snapshot_release(void)
{
	pages_release();
	/* None is restored any more; the list stays, for snapshot_each(). */
	if (copies)
		sys3(SYS_munmap, (long)copies, (long)copies_size, 0);
	copies = NULL;
	for (uint32_t i = 0; i < nranges; i++)
		range[i].copy = NULL;
}

/* ---- Putting back --------------------------------------------------------------------------- */

enum {
	LINE = 128
};

static void copy_if_differs(char *at, const char *copy, uint64_t n)
{
	if (memcmp(at, copy, n))
		memcpy(at, copy, n);
}

__attribute__((target("avx2"))) static inline void put_line_back(char *at, const char *copy)
{
	__m256i_u *to = (__m256i_u *)at;
	const __m256i_u *from = (const __m256i_u *)copy;
	__m256i a = from[0], b = from[1], c = from[2], d = from[3];
	__m256i diff = (a ^ to[0]) | (b ^ to[1]) | (c ^ to[2]) | (d ^ to[3]);

	if (_mm256_testz_si256(diff, diff))
		return;
	to[0] = a;
	to[1] = b;
	to[2] = c;
	to[3] = d;
}

/*
 * Copies the lines that differ, and only reads the others. The last line overlaps with the one
 * before: for a few bytes at the end of a mapping memcmp() may take as long as for a page, since
 * it looks beyond them.
 */
__attribute__((target("avx2"))) static void put_back_avx2(char *at, const char *copy, uint64_t n)
{
	if (n < LINE) {
		copy_if_differs(at, copy, n);
		return;
	}
	for (uint64_t i = 0; i + LINE < n; i += LINE)
		put_line_back(at + i, copy + i);
	put_line_back(at + n - LINE, copy + n - LINE);
}

static void put_back_any(char *at, const char *copy, uint64_t n)
{
	for (; n >= LINE; at += LINE, copy += LINE, n -= LINE)
		copy_if_differs(at, copy, LINE);
	if (n)
		copy_if_differs(at, copy, n);
}

void snapshot_put_back(char *at, const char *copy, uint64_t n)
{
	if (have_avx2)
		put_back_avx2(at, copy, n);
	else
		put_back_any(at, copy, n);
}

void snapshot_restore(void)
{
	if (fresh) {
		fresh = false;
		return;
	}
	placed_undo();
	pages_guard();
	blocks_guard();
	for (uint32_t i = 0; i < nranges; i++)
		snapshot_put_back((char *)range[i].start, range[i].copy, range[i].size);
	pages_restore();
}

void snapshot_written(void (*fn)(uint64_t start, uint64_t end, const char *copy))
{
	for (uint32_t i = 0; i < nranges; i++)
		fn(range[i].start, range[i].start + range[i].size, range[i].copy);
	shared_maps_written(fn);
	pages_written(fn);
}

void snapshot_each(void (*fn)(uint64_t start, uint64_t end))
{
	for (uint32_t i = 0; i < nranges; i++)
		fn(range[i].start, range[i].start + range[i].size);
	pages_each(fn);
	shared_maps_each(fn);
}

static void add_size(uint64_t start, uint64_t end)
{
	whole_size += end - start;
}

uint64_t snapshot_size(void)
{
	if (!whole_size)
		snapshot_each(add_size);
	return whole_size;
}
