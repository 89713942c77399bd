/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbolize.c - from addresses of a dead process to functions, lines and variables
 *
 * libdwfl is told which file was loaded where, and answers from the symbol tables and the
 * DWARF of those files, also from separate debug files. Inlined functions are the nested
 * scopes of an address, innermost first: scope i was called from call_line of scope i.
 *
 * Cost: the DWARF of a module is read at its first question; milliseconds. So only reports
 * use this, never the search.
 */
#include "config.h"

#include "controller/elf/symbolize.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/base/message.h"
#include "controller/elf/known_frames.h"
#include "controller/elf/libdw.h"
#include "controller/elf/members.h"
#include "controller/elf/symbol_index.h"

struct text_node {
	struct text_node *next;
	char text[];
};

struct module_names {
	struct module_names *next;
	const char *path;
	Dwfl_Module *module; /* NULL: there is none */
	struct symbol_index index;
};

struct symbolizer {
	Dwfl *dwfl;
	struct module_names *names;
	struct members *members; /* NULL: nobody has asked */
	struct known_frames known;
	bool reporting; /* between dwfl_report_begin and _end */
	struct text_node *texts;
	char *(*demangle)(const char *, char *, size_t *, int *);
};

static char *no_debug_path; /* the default search path */

static const struct libdw *dw;

static Dwfl_Callbacks callbacks = {
	.debuginfo_path = &no_debug_path,
};

struct symbolizer *symbolizer_new(void)
{
	struct symbolizer *s = calloc(1, sizeof(*s));
	void *cxx;

	dw = libdw_load();
	if (!s || !dw) {
		free(s);
		return NULL;
	}
	callbacks.find_elf = dw->dwfl_build_id_find_elf;
	callbacks.find_debuginfo = dw->dwfl_standard_find_debuginfo;
	s->dwfl = dw->dwfl_begin(&callbacks);
	if (!s->dwfl) {
		free(s);
		return NULL;
	}
	dw->dwfl_report_begin(s->dwfl);
	s->reporting = true;
	cxx = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
	if (cxx)
		s->demangle = (char *(*)(const char *, char *, size_t *, int *))dlsym(
			cxx, "__cxa_demangle");
	return s;
}

void symbolizer_free(struct symbolizer *s)
{
	if (!s)
		return;
	while (s->texts) {
		struct text_node *t = s->texts;

		s->texts = t->next;
		free(t);
	}
	while (s->names) {
		struct module_names *m = s->names;

		s->names = m->next;
		symbol_index_release(&m->index);
		free(m);
	}
	members_free(s->members);
	known_frames_release(&s->known);
	dw->dwfl_end(s->dwfl);
	free(s);
}

bool symbolizer_module(struct symbolizer *s, const char *path, uint64_t base)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (!s->reporting)
		dw->dwfl_report_begin_add(s->dwfl);
	s->reporting = true;
	known_frames_release(&s->known);
	if (fd < 0)
		return false;
	/* A trace may name anything: to open a pipe would wait for who writes to it. */
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    dw->dwfl_report_elf(s->dwfl, path, path, fd, base, true))
		return true; /* the descriptor is libdwfl's now */
	close(fd);
	return false;
}

static void settle(struct symbolizer *s)
{
	if (s->reporting)
		dw->dwfl_report_end(s->dwfl, NULL, NULL);
	s->reporting = false;
}

static const char *keep(struct symbolizer *s, const char *text)
{
	struct text_node *t = malloc(sizeof(*t) + strlen(text) + 1);

	if (!t)
		return NULL;
	strcpy(t->text, text);
	t->next = s->texts;
	s->texts = t;
	return t->text;
}

/* What stands in a file, as it may be printed: the text itself, or a copy that is masked. */
static const char *printable(struct symbolizer *s, const char *name)
{
	size_t size = name ? strlen(name) + 1 : 0;
	char *text = name ? malloc(size) : NULL;
	const char *kept = name;

	if (!text)
		return NULL;
	memcpy(text, name, size);
	text_sanitize(text, size);
	if (strcmp(text, name))
		kept = keep(s, text);
	free(text);
	return kept;
}

/* A readable form of a linker's name. */
static const char *demangled(struct symbolizer *s, const char *name)
{
	const char *kept;
	char *text;
	int status;

	if (!name || strncmp(name, "_Z", 2) || !s->demangle)
		return printable(s, name);
	text = s->demangle(name, NULL, NULL, &status);
	if (!text)
		return printable(s, name);
	kept = printable(s, text);
	if (kept == text)
		kept = keep(s, text);
	free(text);
	return kept;
}

/* The name of a symbol without its version. */
static const char *unversioned(struct symbolizer *s, const char *name)
{
	const char *version = name ? strchr(name, '@') : NULL;
	char *text = version ? strndup(name, (size_t)(version - name)) : NULL;

	if (text)
		name = keep(s, text);
	free(text);
	return name;
}

static const char *module_path(Dwfl_Module *mod)
{
	return dw->dwfl_module_info(mod, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
}

static uint64_t module_offset(Dwfl_Module *mod, uint64_t addr)
{
	GElf_Addr bias = 0;

	dw->dwfl_module_getelf(mod, &bias);
	return addr - bias;
}

/* What a scope is called: its linkage name made readable (C++), or its plain name. */
static const char *scope_name(struct symbolizer *s, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *linkage = NULL;

	if (dw->dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
	    dw->dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		linkage = dw->dwarf_formstring(&attr);
	if (linkage && !strncmp(linkage, "_Z", 2) && s->demangle)
		return demangled(s, linkage);
	if (dw->dwarf_attr_integrate(die, DW_AT_name, &attr))
		return printable(s, dw->dwarf_formstring(&attr));
	return NULL;
}

/* Where the compiler ran. */
static const char *folder_of(Dwarf_Die *cu)
{
	Dwarf_Attribute attr;

	return dw->dwarf_attr(cu, DW_AT_comp_dir, &attr) ? dw->dwarf_formstring(&attr) : NULL;
}

/* Where an inlined function was called from. */
static void call_site(Dwarf_Die *cu, Dwarf_Die *inlined, struct frame *caller)
{
	Dwarf_Attribute attr;
	Dwarf_Word file = 0, line = 0, column = 0;
	Dwarf_Files *files;
	size_t n = 0;

	if (dw->dwarf_attr(inlined, DW_AT_call_line, &attr) && !dw->dwarf_formudata(&attr, &line) &&
	    line <= INT_MAX)
		caller->line = (int)line;
	if (dw->dwarf_attr(inlined, DW_AT_call_column, &attr) &&
	    !dw->dwarf_formudata(&attr, &column) && column <= INT_MAX)
		caller->column = (int)column;
	if (dw->dwarf_attr(inlined, DW_AT_call_file, &attr) && !dw->dwarf_formudata(&attr, &file) &&
	    !dw->dwarf_getsrcfiles(cu, &files, &n) && file < n)
		caller->file = dw->dwarf_filesrc(files, file, NULL, NULL);
	caller->folder = folder_of(cu);
}

/*
 * The compilation unit of an address. Compilers other than gcc write no .debug_aranges, which
 * is all that dwfl_module_addrdie() looks at; then each unit is asked.
 */
static Dwarf_Die *unit_of(Dwfl_Module *mod, uint64_t addr, Dwarf_Addr *bias)
{
	Dwarf_Die *cu = dw->dwfl_module_addrdie(mod, addr, bias);

	if (cu)
		return cu;
	while ((cu = dw->dwfl_module_nextcu(mod, cu, bias))) {
		if (dw->dwarf_haspc(cu, addr - *bias) > 0)
			return cu;
	}
	return NULL;
}

static void source_line(Dwarf_Die *cu, uint64_t addr, struct frame *out)
{
	Dwarf_Line *line = cu ? dw->dwarf_getsrc_die(cu, addr) : NULL;

	if (!line)
		return;
	out->file = dw->dwarf_linesrc(line, NULL, NULL);
	out->folder = folder_of(cu);
	dw->dwarf_lineno(line, &out->line);
	if (dw->dwarf_linecol(line, &out->column))
		out->column = 0;
}

/* The scopes of addr in the DWARF of a module; the number of frames found, 0 without DWARF. */
static size_t frames_of_scopes(struct symbolizer *s, Dwarf_Die *cu, uint64_t addr,
			       struct frame out[FRAMES_MOST])
{
	Dwarf_Die *scopes = NULL, *nested = NULL;
	size_t n = 0;
	int count;

	count = dw->dwarf_getscopes(cu, addr, &scopes);
	if (count <= 0)
		return 0;
	/* The scopes of the innermost block, as it was inlined, rather than as it was written. */
	count = dw->dwarf_getscopes_die(&scopes[0], &nested);
	for (int i = 0; i < count && n < FRAMES_MOST; i++) {
		int tag = dw->dwarf_tag(&nested[i]);

		if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
			continue;
		out[n].function = scope_name(s, &nested[i]);
		out[n].inlined = tag == DW_TAG_inlined_subroutine;
		if (out[n].inlined && n + 1 < FRAMES_MOST)
			call_site(cu, &nested[i], &out[n + 1]);
		n++;
		if (tag == DW_TAG_subprogram)
			break;
	}
	free(nested);
	free(scopes);
	return n;
}

void symbolize_function(struct symbolizer *s, uint64_t pc, struct frame *out)
{
	Dwfl_Module *mod;

	memset(out, 0, sizeof(*out));
	out->offset = pc;
	settle(s);
	mod = pc ? dw->dwfl_addrmodule(s->dwfl, pc - 1) : NULL;
	if (!mod)
		return;
	out->function = demangled(s, unversioned(s, dw->dwfl_module_addrname(mod, pc - 1)));
	out->module = module_path(mod);
	out->offset = module_offset(mod, pc);
}

/* As symbolize_pc(), without what is known. */
static size_t find_frames(struct symbolizer *s, uint64_t pc, struct frame out[FRAMES_MOST])
{
	Dwfl_Module *mod;
	Dwarf_Addr bias = 0;
	Dwarf_Die *cu;
	const char *path;
	size_t n = 0;

	memset(out, 0, FRAMES_MOST * sizeof(*out));
	settle(s);
	mod = pc ? dw->dwfl_addrmodule(s->dwfl, pc - 1) : NULL;
	if (!mod) {
		out[0].offset = pc;
		return 1;
	}
	cu = unit_of(mod, pc - 1, &bias);
	if (cu) {
		source_line(cu, pc - 1 - bias, &out[0]);
		n = frames_of_scopes(s, cu, pc - 1 - bias, out);
	}
	if (!n)
		n = 1;
	if (!out[n - 1].function)
		out[n - 1].function = demangled(s, dw->dwfl_module_addrname(mod, pc - 1));
	path = module_path(mod);
	for (size_t i = 0; i < n; i++) {
		out[i].file = printable(s, out[i].file);
		out[i].module = path;
		out[i].offset = module_offset(mod, pc);
	}
	return n;
}

size_t symbolize_pc(struct symbolizer *s, uint64_t pc, struct frame *out, size_t max)
{
	struct frame found[FRAMES_MOST];
	const struct frame *known;
	size_t n;

	known = known_frames_find(&s->known, pc, &n);
	if (!known) {
		n = find_frames(s, pc, found);
		known_frames_add(&s->known, pc, found, n);
		known = found;
	}
	n = n < max ? n : max;
	memcpy(out, known, n * sizeof(*out));
	memset(out + n, 0, (max - n) * sizeof(*out));
	return n;
}

bool symbolize_data(struct symbolizer *s, uint64_t addr, struct variable *out)
{
	Dwfl_Module *mod;
	const char *name;
	GElf_Off offset;
	GElf_Sym sym;

	settle(s);
	mod = dw->dwfl_addrmodule(s->dwfl, addr);
	name = mod ? dw->dwfl_module_addrinfo(mod, addr, &offset, &sym, NULL, NULL, NULL) : NULL;
	if (!name || GELF_ST_TYPE(sym.st_info) == STT_FUNC ||
	    (sym.st_size ? offset >= sym.st_size : offset > 0))
		return false;
	*out = (struct variable){
		.name = name,
		.module = module_path(mod),
		.offset = offset,
		.size = sym.st_size,
	};
	return true;
}

bool symbolize_member(struct symbolizer *s, uint64_t addr, char *out, size_t size)
{
	Dwfl_Module *mod;

	settle(s);
	mod = dw->dwfl_addrmodule(s->dwfl, addr);
	if (!s->members)
		s->members = members_new(dw);
	return mod && s->members && members_path(s->members, mod, addr, out, size);
}

const char *symbolize_shown(struct symbolizer *s, const char *name)
{
	settle(s);
	return demangled(s, name);
}

struct search {
	const char *path;
	Dwfl_Module *found;
};

static int match_module(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr start,
			void *arg)
{
	struct search *search = arg;

	(void)user;
	(void)start;
	if (strcmp(name, search->path))
		return DWARF_CB_OK;
	search->found = mod;
	return DWARF_CB_ABORT;
}

/* All symbols of a module that have a place in it, by name. */
static bool index_symbols(Dwfl_Module *mod, struct symbol_index *index)
{
	int n = mod ? dw->dwfl_module_getsymtab(mod) : 0;

	for (int i = 1; i < n; i++) {
		GElf_Word shndx = SHN_UNDEF;
		GElf_Addr value;
		GElf_Sym sym;
		const char *text =
			dw->dwfl_module_getsym_info(mod, i, &sym, &value, &shndx, NULL, NULL);

		if (text && shndx != SHN_UNDEF && GELF_ST_TYPE(sym.st_info) != STT_TLS &&
		    !symbol_index_add(index, text, value))
			return false;
	}
	return true;
}

/* What is known of a module, found out at the first question; NULL when memory is short. */
static const struct module_names *names_of(struct symbolizer *s, const char *path)
{
	struct search search = { .path = path };
	struct module_names *m;

	settle(s);
	for (m = s->names; m; m = m->next)
		if (!strcmp(m->path, path))
			return m;
	dw->dwfl_getmodules(s->dwfl, match_module, &search, 0);
	m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->next = s->names;
	s->names = m;
	m->module = search.found;
	m->path = keep(s, path);
	if (m->path && index_symbols(m->module, &m->index))
		return m;
	s->names = m->next;
	symbol_index_release(&m->index);
	free(m);
	return NULL;
}

bool symbol_offset(struct symbolizer *s, const char *module, const char *name, uint64_t *offset)
{
	const struct module_names *m = names_of(s, module);
	uint64_t found;

	if (!m || !symbol_index_find(&m->index, name, &found))
		return false;
	*offset = module_offset(m->module, found);
	return true;
}

const char *path_short(const char *path)
{
	static char here[PATH_MAX];
	size_t n;

	if (!here[0] && !getcwd(here, sizeof(here)))
		return path;
	n = strlen(here);
	if (n > 1 && !strncmp(path, here, n) && path[n] == '/' && path[n + 1])
		return path + n + 1;
	return path;
}
