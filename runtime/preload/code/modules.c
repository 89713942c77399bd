/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * modules.c - which file an address was loaded from
 *
 * shared->modules is filled when the runtime is loaded and again at the root point (the
 * program may have called dlopen() in between). Next to it the segments are kept here, in
 * a private table, to answer module_of() without asking libc.
 *
 * What an execution loads later has numbers of its own (wire/late.h), and is taken when it is asked for,
 * since nobody comes back to us when dlopen() is done.
 */
/*
 * intercepts: The program itself
 *
 * internal heddle_follow_child heddle_runtime_text - for debuggers
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "preload/code/modules.h"
#include "preload/core/context.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/core/text.h"

bool tsan_seen;

enum {
	MAX_SEGMENTS = 1024
};

struct segment {
	uint64_t start, end;
	uint32_t module;
	bool writable, executable;
};

/* Of these two, what is behind the end is not read. */
static struct segment segment[MAX_SEGMENTS];
KEPT(segment);
struct late_modules *modules_late;
KEPT(modules_late);

static uint32_t nsegments, nmodules;
/* How many of both are known since modules_fill(), and whether there may be others. */
static uint32_t root_segments;
static bool loads;
static unsigned long long looked; /* at so many modules that were loaded */
static bool has_tls[SHARED_MAX_MODULES];
KEPT(has_tls);
static bool runs_stacks; /* a module has code on stacks */
KEPT(runs_stacks);
static uint32_t runtime_module;

static void take_build_id(struct module *m, const char *note, size_t size)
{
	while (size >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *n = (const void *)note;
		size_t name = (n->n_namesz + 3u) & ~3u, desc = (n->n_descsz + 3u) & ~3u;
		size_t all = sizeof(*n) + name + desc;

		if (all > size)
			return;
		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 &&
		    !memcmp(note + sizeof(*n), "GNU", 4) && n->n_descsz <= sizeof(m->build_id)) {
			m->build_id_len = (uint8_t)n->n_descsz;
			memcpy(m->build_id, note + sizeof(*n) + name, n->n_descsz);
		}
		note += all;
		size -= all;
	}
}

static void take_path(struct module *m, const char *name)
{
	struct text t = text_in(m->path, sizeof(m->path));
	long n;

	if (name[0]) {
		text_str(&t, name);
		return;
	}
	n = sys4(SYS_readlink, (long)"/proc/self/exe", (long)m->path, sizeof(m->path) - 1, 0);
	m->path[n > 0 ? n : 0] = 0;
}

/*
 * Code on the stack, as nested functions of gcc have it: one module that asks for it has it for all, and so has
 * one that does not say. (ld.so does the same. The kernel's own module never says.)
 */
static bool asks_for_code_on_stacks(const struct dl_phdr_info *info)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_STACK)
			return info->dlpi_phdr[i].p_flags & PF_X;
	return info->dlpi_addr != getauxval(AT_SYSINFO_EHDR);
}

static void take(const struct dl_phdr_info *info, uint32_t number)
{
	struct module *m = &shared->modules[number];

	memset(m, 0, sizeof(*m));
	has_tls[number] = false;
	runs_stacks |= asks_for_code_on_stacks(info);
	m->base = info->dlpi_addr;
	take_path(m, info->dlpi_name);
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_NOTE)
			take_build_id(m, (const char *)start, p->p_memsz);
		has_tls[number] |= p->p_type == PT_TLS;
		if (p->p_type != PT_LOAD || nsegments == MAX_SEGMENTS)
			continue;
		segment[nsegments++] = (struct segment){
			.start = start,
			.end = start + p->p_memsz,
			.module = number,
			.writable = p->p_flags & PF_W,
			.executable = p->p_flags & PF_X,
		};
	}
}

static int take_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	if (nmodules == SHARED_MAX_MODULES)
		return 1;
	take(info, nmodules++);
	return 0;
}

void modules_fill(void)
{
	nsegments = nmodules = 0;
	loads = false;
	runs_stacks = false;
	dl_iterate_phdr(take_module, NULL);
	shared->nmodules = nmodules;
	root_segments = nsegments;
	runtime_module = (uint32_t)module_of((uint64_t)(uintptr_t)modules_fill);
}

static int known_module(uint64_t addr)
{
	for (uint32_t i = 0; i < nsegments; i++)
		if (addr - segment[i].start < segment[i].end - segment[i].start)
			return (int)segment[i].module;
	return -1;
}

int module_of(uint64_t addr)
{
	int module = known_module(addr);

	if (module >= 0 || !loads)
		return module;
	modules_look();
	return known_module(addr);
}

/* ---- Those that an execution loads ------------------------------------------------------------- */

/* Not there, for whoever looks for the one that an address lies in. */
#define NOWHERE (~0ul)

/* Those that others have met have a name here, too. */
static void name_late(const struct late_modules *late)
{
	for (uint32_t i = nmodules; i < LATE_MODULES && late_is_there(late, i); i++) {
		struct module *m = &shared->modules[i];

		if (!m->path[0]) {
			struct text t = text_in(m->path, sizeof(m->path));

			text_str(&t, late->at[i].path);
			m->base = NOWHERE;
		}
		shared->nmodules = shared->nmodules > i ? shared->nmodules : i + 1;
	}
}

bool module_is_there(uint32_t module)
{
	return module < nmodules || shared->modules[module].base != NOWHERE;
}

static int take_late(struct dl_phdr_info *info, size_t size, void *arg)
{
	uint32_t number;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    known_module(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) >= 0)
			return 0;
	number = late_number(arg, nmodules, info->dlpi_name);
	if (number < LATE_MODULES)
		take(info, number);
	return 0;
}

static int count_loaded(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	*(unsigned long long *)arg = info->dlpi_adds + info->dlpi_subs;
	return 1; /* the first one says it of all */
}

bool modules_root_in_loader;
KEPT(modules_root_in_loader);

void modules_load(void)
{
	loads = true;
}

bool modules_loading(void)
{
	return loads;
}

void modules_look(void)
{
	unsigned long long now = 0;

	if (!loads)
		return;
	dl_iterate_phdr(count_loaded, &now);
	if (now == looked)
		return;
	looked = now;
	nsegments = root_segments;
	dl_iterate_phdr(take_late, modules_late);
	name_late(modules_late);
}

/* None of them is there yet. */
static void forget_late(void)
{
	nsegments = root_segments;
	loads = false;
	looked = 0;
	for (uint32_t i = nmodules; i < shared->nmodules && i < SHARED_MAX_MODULES; i++)
		shared->modules[i].base = NOWHERE;
}

AT_BEGIN(forget_late);

bool module_constant(uint64_t addr)
{
	for (uint32_t i = 0; i < nsegments; i++)
		if (addr - segment[i].start < segment[i].end - segment[i].start)
			return !segment[i].writable;
	return false;
}

bool modules_list_in(uint64_t start, uint64_t end)
{
	/* Those that the program loads later are in its heap, which nobody asks about. */
	for (const struct link_map *m = _r_debug.r_map; m; m = m->l_next)
		if ((uint64_t)(uintptr_t)m - start < end - start)
			return true;
	return false;
}

bool modules_have_tls(void)
{
	int libc = module_of((uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "__errno_location"));
	int cxx = module_of((uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "__cxa_get_globals"));

	for (int i = 0; i < (int)nmodules; i++)
		if (has_tls[i] && i != libc && i != cxx)
			return true;
	return false;
}

bool modules_run_stacks(void)
{
	return runs_stacks;
}

/* From the linker: the runtime's first byte, and the end of its code. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char __etext[] __attribute__((visibility("hidden")));

/* For the debugger of `heddle replay --gdb`, which goes up to the first frame outside. */
__attribute__((visibility("default")))
const void *const heddle_runtime_text[2] = { __ehdr_start, __etext };

bool module_is_of_system(const char *name)
{
	static const char *const names[] = {
		"ld-linux",     "libc.so",      "libm.so",       "libpthread.so", "libdl.so",
		"librt.so",     "libstdc++.so", "libgcc_s.so",   "libatomic.so",  "libheddle-",
		"libunwind.so", "libunwind-",   "linux-vdso.so", "liblzma.so",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

bool in_runtime(uint64_t pc)
{
	return pc >= (uint64_t)(uintptr_t)__ehdr_start && pc < (uint64_t)(uintptr_t)__etext;
}

void runtime_data(uint64_t *start, uint64_t *end)
{
	*start = ~0ul;
	*end = 0;
	for (uint32_t i = 0; i < nsegments; i++) {
		const struct segment *s = &segment[i];

		if (s->module != runtime_module || !s->writable)
			continue;
		if (s->start < *start)
			*start = s->start & ~4095ul;
		if (s->end > *end)
			*end = (s->end + 4095) & ~4095ul;
	}
}
