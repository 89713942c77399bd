/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf.c - is this file a program heddle can run, and which build is it?
 *
 * LD_PRELOAD reaches only dynamically linked programs of our own machine that do not run with
 * other privileges, and only calls that are not bound inside the executable. Whatever does
 * not fit is named here with its cure (design, sections 3 and 12), before anything is
 * started, since the loader would ignore the preload silently.
 *
 * The file is not trusted: elf_file.c checks bounds, and all that is looked at here is checked.
 */
#include "config.h"

#include "controller/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "controller/elf_file.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

struct reason {
	char *text;
	size_t size;
};

__attribute__((format(printf, 2, 3))) static bool refuse(struct reason *r, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(r->text, r->size, format, ap);
	va_end(ap);
	return false;
}

void build_id_text(const unsigned char *bytes, size_t len, char id[BUILD_ID_TEXT])
{
	if (len > 32)
		len = 32;
	for (size_t i = 0; i < len; i++)
		snprintf(id + 2 * i, 3, "%02x", bytes[i]);
	id[2 * len] = 0;
}

/* A file without a build-id is known by its content. */
static bool hash_of_file(int fd, char id[BUILD_ID_TEXT])
{
	struct stat st;
	void *map;

	if (fstat(fd, &st) || st.st_size <= 0)
		return false;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return false;
	snprintf(id, BUILD_ID_TEXT, "xxh3:%016llx",
		 (unsigned long long)XXH3_64bits(map, (size_t)st.st_size));
	munmap(map, (size_t)st.st_size);
	return true;
}

static bool id_of_elf(const struct elf_file *f, int fd, char id[BUILD_ID_TEXT])
{
	unsigned char bytes[32];
	size_t n = elf_file_build_id(f, bytes, sizeof(bytes));

	if (!n)
		return hash_of_file(fd, id);
	build_id_text(bytes, n, id);
	return true;
}

bool build_id_of_file(const char *path, char id[BUILD_ID_TEXT])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_file f;
	struct stat st;
	bool ok;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return false;
	}
	elf_file_open(&f, fd);
	ok = id_of_elf(&f, fd, id);
	elf_file_release(&f);
	close(fd);
	return ok;
}

/* The file that name stands for: itself, or the first executable of that name along PATH. */
static bool find_file(struct program *p, const char *name, struct reason *r)
{
	const char *path = getenv("PATH");
	char here[PATH_MAX];
	struct stat st;

	if (strchr(name, '/')) {
		if (realpath(name, p->path))
			return true;
		return refuse(r, "cannot run '%s': %s", name, strerror(errno));
	}
	while (path && *path && *name) {
		size_t n = strcspn(path, ":");

		snprintf(here, sizeof(here), "%.*s/%s", n ? (int)n : 1, n ? path : ".", name);
		if (!stat(here, &st) && S_ISREG(st.st_mode) && !access(here, X_OK) &&
		    realpath(here, p->path))
			return true;
		path += n + (path[n] == ':');
	}
	if (*name && !access(name, F_OK))
		return refuse(r, "cannot run '%s': not found along PATH; did you mean './%s'?",
			      name, name);
	return refuse(r, "cannot run '%s': no such program along PATH", name);
}

static bool check_file(const char *path, int fd, struct reason *r)
{
	struct stat st;
	char two[2];

	if (fstat(fd, &st))
		return refuse(r, "cannot run '%s': %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return refuse(r, "cannot run '%s': it is a folder; name a program in it", path);
	if (!S_ISREG(st.st_mode))
		return refuse(r, "cannot run '%s': it is not a regular file", path);
	if (pread(fd, two, 2, 0) == 2 && two[0] == '#' && two[1] == '!')
		return refuse(
			r,
			"cannot run '%s': it is a script; name the program that it starts (for a "
			"libtool wrapper, the one in .libs/)",
			path);
	if (access(path, X_OK))
		return refuse(r, "cannot run '%s': it is not executable (chmod +x)", path);
	if (st.st_mode & (S_ISUID | S_ISGID))
		return refuse(
			r,
			"cannot run '%s': it is %s, and the loader ignores LD_PRELOAD for it; run "
			"a copy without that bit",
			path, st.st_mode & S_ISUID ? "setuid" : "setgid");
	if (fgetxattr(fd, "security.capability", NULL, 0) > 0)
		return refuse(r,
			      "cannot run '%s': it has file capabilities, and the loader ignores "
			      "LD_PRELOAD for it; run a copy without them",
			      path);
	return true;
}

struct segments {
	bool dynamic, interpreter, pie;
	char loader[PATH_MAX];
};

static void read_dynamic(const struct elf_file *f, const Elf64_Phdr *ph, struct segments *s)
{
	Elf64_Dyn *dyn = elf_file_read(f, ph->p_offset, ph->p_filesz);
	size_t n = dyn ? ph->p_filesz / sizeof(*dyn) : 0;

	s->dynamic = true;
	for (size_t i = 0; i < n && dyn[i].d_tag != DT_NULL; i++) {
		if (dyn[i].d_tag == DT_FLAGS_1 && (dyn[i].d_un.d_val & DF_1_PIE))
			s->pie = true;
	}
	free(dyn);
}

static void read_segments(const struct elf_file *f, struct segments *s)
{
	for (size_t i = 0; i < f->nsegments; i++) {
		const Elf64_Phdr *ph = &f->segment[i];

		if (ph->p_type == PT_INTERP) {
			s->interpreter = true;
			if (ph->p_filesz < sizeof(s->loader) && ph->p_offset <= f->size &&
			    pread(f->fd, s->loader, ph->p_filesz, (off_t)ph->p_offset) < 0)
				s->loader[0] = 0;
		} else if (ph->p_type == PT_DYNAMIC) {
			read_dynamic(f, ph, s);
		}
	}
}

static bool check_kind(const char *path, const struct elf_file *f, bool is_elf, struct reason *r)
{
	struct segments s = { .dynamic = false };

	if (!is_elf)
		return refuse(r, "cannot run '%s': it is not an ELF program", path);
	if (f->machine != EM_X86_64)
		return refuse(r, "cannot run '%s': it is built for %s; build it for x86-64", path,
			      f->machine == EM_386 ? "32-bit x86" : "another machine");
	if (!f->is_64)
		return refuse(
			r,
			"cannot run '%s': it is a 32-bit program; build it without -m32 or -mx32",
			path);
	read_segments(f, &s);
	if (f->type != ET_EXEC && f->type != ET_DYN)
		return refuse(r, "cannot run '%s': it is %s, not a program; link it first", path,
			      f->type == ET_REL ? "an object file" : "an ELF file of another kind");
	if (!s.interpreter && f->type == ET_DYN && !s.pie)
		return refuse(r,
			      "cannot run '%s': it is a shared object; name a program that uses it",
			      path);
	if (!s.interpreter)
		return refuse(
			r,
			"cannot run '%s': it is statically linked, so the runtime cannot be loaded "
			"into it; link it without -static",
			path);
	if (s.loader[0] && access(s.loader, X_OK))
		return refuse(r, "cannot run '%s': its loader '%s' is missing on this machine",
			      path, s.loader);
	return true;
}

struct symbols {
	bool uses_tsan, defines_tsan, needs_libtsan;
	const char *other_sanitizer;
};

/* The strings that a section of symbols or of dynamic entries refers to; freed by the caller. */
static char *read_strings(const struct elf_file *f, const Elf64_Shdr *sh, uint64_t *size)
{
	const Elf64_Shdr *strings = sh->sh_link < f->nsections ? &f->section[sh->sh_link] : NULL;
	char *p = strings && strings->sh_type == SHT_STRTAB
			  ? elf_file_read(f, strings->sh_offset, strings->sh_size)
			  : NULL;

	*size = p ? strings->sh_size : 0;
	return p;
}

static void look_at_symbol(const char *name, const Elf64_Sym *sym, struct symbols *s)
{
	if (strncmp(name, "__tsan_", 7))
		return;
	if (sym->st_shndx == SHN_UNDEF)
		s->uses_tsan = true;
	else if (!strcmp(name, "__tsan_read4") || !strcmp(name, "__tsan_atomic32_load"))
		s->defines_tsan = true;
}

static void read_symbols(const struct elf_file *f, const Elf64_Shdr *sh, struct symbols *s)
{
	uint64_t size;
	char *strings = read_strings(f, sh, &size);
	Elf64_Sym *sym = sh->sh_entsize == sizeof(*sym)
				 ? elf_file_read(f, sh->sh_offset, sh->sh_size)
				 : NULL;
	size_t n = sym && strings ? sh->sh_size / sizeof(*sym) : 0;

	for (size_t i = 0; i < n; i++) {
		if (sym[i].st_name < size)
			look_at_symbol(strings + sym[i].st_name, &sym[i], s);
	}
	free(sym);
	free(strings);
}

static void look_at_needed(const char *name, struct symbols *s)
{
	static const char *const others[] = { "libasan.so", "libhwasan.so", "liblsan.so", NULL };

	if (!strncmp(name, "libtsan.so", 10))
		s->needs_libtsan = true;
	for (int k = 0; others[k]; k++) {
		if (!strncmp(name, others[k], strlen(others[k])))
			s->other_sanitizer = others[k];
	}
}

static void read_needed(const struct elf_file *f, const Elf64_Shdr *sh, struct symbols *s)
{
	uint64_t size;
	char *strings = read_strings(f, sh, &size);
	Elf64_Dyn *dyn = elf_file_read(f, sh->sh_offset, sh->sh_size);
	size_t n = dyn && strings ? sh->sh_size / sizeof(*dyn) : 0;

	for (size_t i = 0; i < n && dyn[i].d_tag != DT_NULL; i++) {
		if (dyn[i].d_tag == DT_NEEDED && dyn[i].d_un.d_val < size)
			look_at_needed(strings + dyn[i].d_un.d_val, s);
	}
	free(dyn);
	free(strings);
}

static bool check_symbols(struct program *p, const struct elf_file *f, struct reason *r)
{
	struct symbols s = { .uses_tsan = false };

	for (size_t i = 0; i < f->nsections; i++) {
		const Elf64_Shdr *sh = &f->section[i];

		if (sh->sh_type == SHT_DYNSYM || sh->sh_type == SHT_SYMTAB)
			read_symbols(f, sh, &s);
		else if (sh->sh_type == SHT_DYNAMIC)
			read_needed(f, sh, &s);
	}
	if (s.defines_tsan)
		return refuse(
			r,
			"cannot run '%s': a ThreadSanitizer runtime is linked into it, which heddle "
			"cannot replace; build it with heddle-cc instead of -fsanitize=thread "
			"(HEDDLE_CC=clang for clang)",
			p->path);
	if (s.other_sanitizer)
		return refuse(
			r,
			"cannot run '%s': it uses %s, which cannot be combined with heddle; build "
			"it without that sanitizer",
			p->path, s.other_sanitizer);
	p->instrumented = s.uses_tsan;
	p->wants_libtsan = s.needs_libtsan;
	return true;
}

bool program_inspect(struct program *p, const char *name, char *why, size_t size)
{
	struct reason r = { why, size };
	struct elf_file f;
	bool is_elf, ok;
	int fd;

	memset(p, 0, sizeof(*p));
	if (!find_file(p, name, &r))
		return false;
	fd = open(p->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return refuse(&r, "cannot run '%s': %s", p->path, strerror(errno));
	is_elf = elf_file_open(&f, fd);
	ok = check_file(p->path, fd, &r) && check_kind(p->path, &f, is_elf, &r) &&
	     check_symbols(p, &f, &r);
	if (ok && !id_of_elf(&f, fd, p->build_id))
		ok = refuse(&r, "cannot run '%s': it cannot be read", p->path);
	elf_file_release(&f);
	close(fd);
	return ok;
}
