/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * modules.c - which file an address was loaded from
 *
 * shared->modules is filled when the runtime is loaded and again at the root point (the
 * program may have called dlopen() in between). Next to it the segments are kept here, in
 * a private table, to answer module_of() without asking libc.
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

#include "preload/core/context.h"
#include "preload/core/modules.h"
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

static struct segment segment[MAX_SEGMENTS];
static uint32_t nsegments, nmodules;
static bool has_tls[SHARED_MAX_MODULES];
static bool runs_stacks; /* a module has code on stacks */
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

static int take_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct module *m = &shared->modules[nmodules];

	(void)size;
	(void)arg;
	if (nmodules == SHARED_MAX_MODULES)
		return 1;
	memset(m, 0, sizeof(*m));
	has_tls[nmodules] = false;
	runs_stacks |= asks_for_code_on_stacks(info);
	m->base = info->dlpi_addr;
	take_path(m, info->dlpi_name);
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_NOTE)
			take_build_id(m, (const char *)start, p->p_memsz);
		has_tls[nmodules] |= p->p_type == PT_TLS;
		if (p->p_type != PT_LOAD || nsegments == MAX_SEGMENTS)
			continue;
		segment[nsegments++] = (struct segment){
			.start = start,
			.end = start + p->p_memsz,
			.module = nmodules,
			.writable = p->p_flags & PF_W,
			.executable = p->p_flags & PF_X,
		};
	}
	nmodules++;
	return 0;
}

void modules_fill(void)
{
	nsegments = nmodules = 0;
	runs_stacks = false;
	dl_iterate_phdr(take_module, NULL);
	shared->nmodules = nmodules;
	runtime_module = (uint32_t)module_of((uint64_t)(uintptr_t)modules_fill);
}

int module_of(uint64_t addr)
{
	for (uint32_t i = 0; i < nsegments; i++)
		if (addr - segment[i].start < segment[i].end - segment[i].start)
			return (int)segment[i].module;
	return -1;
}

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
