/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf.c - is this file a program heddle can run, and which build is it?
 *
 * LD_PRELOAD reaches only dynamically linked programs of our own machine that do not run with
 * other privileges, and only calls that are not bound inside the executable. Whatever does
 * not fit is named here with its cure, before anything is started, since the loader would ignore
 * the preload silently.
 *
 * The file is not trusted: libelf checks bounds, and every result of it is checked.
 */
#include "config.h"

#include "controller/elf/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "controller/elf/elf_build.h"

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

/* The build-id among these notes, into *bytes; returns its length, or 0. */
static size_t build_id_in(Elf_Data *notes, const void **bytes)
{
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while (notes && (at = gelf_getnote(notes, at, &note, &name, &desc)) > 0)
		if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz && note.n_namesz == 4 &&
		    !memcmp((const char *)notes->d_buf + name, "GNU", 4)) {
			*bytes = (const char *)notes->d_buf + desc;
			return note.n_descsz;
		}
	return 0;
}

/* In a segment of notes, as the loader finds it, or else in a section. (libdw has a function for
 * that, but it is loaded only when a report needs it.) */
static size_t build_id_of(Elf *elf, const void **bytes)
{
	Elf_Scn *section = NULL;
	size_t n = 0, segments = 0;
	GElf_Phdr ph;
	GElf_Shdr sh;

	if (elf_getphdrnum(elf, &segments))
		return 0;
	for (size_t i = 0; !n && i < segments; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_NOTE)
			n = build_id_in(
				elf_getdata_rawchunk(elf, (int64_t)ph.p_offset, ph.p_filesz,
						     ph.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR),
				bytes);
	while (!n && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &sh) && sh.sh_type == SHT_NOTE)
			n = build_id_in(elf_getdata(section, NULL), bytes);
	return n;
}

static bool id_of_elf(Elf *elf, int fd, char id[BUILD_ID_TEXT])
{
	const void *bytes;
	size_t n = elf && elf_kind(elf) == ELF_K_ELF ? build_id_of(elf, &bytes) : 0;

	if (!n)
		return hash_of_file(fd, id);
	build_id_text(bytes, n, id);
	return true;
}

bool build_id_of_file(const char *path, char id[BUILD_ID_TEXT])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait */
	struct stat st;
	Elf *elf;
	bool ok;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return false;
	}
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	ok = id_of_elf(elf && elf_kind(elf) == ELF_K_ELF ? elf : NULL, fd, id);
	elf_end(elf);
	close(fd);
	return ok;
}

#define IS_FOLDER "cannot run '%s': it is a folder; name a program in it"

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
	if (*name && !stat(name, &st) && S_ISDIR(st.st_mode))
		return refuse(r, IS_FOLDER, name);
	if (*name && !access(name, F_OK))
		return refuse(r, "cannot run '%s': not found along PATH; did you mean './%s'?",
			      name, name);
	return refuse(r, "cannot run '%s': no such program along PATH", name);
}

/* Does the file name a program that is to read it? Then that goes to name. */
static bool is_script(int fd, char *name, size_t size)
{
	char line[256];
	ssize_t n = pread(fd, line, sizeof(line) - 1, 0);
	char *at = line + 2;

	if (n < 2 || line[0] != '#' || line[1] != '!')
		return false;
	line[n] = 0;
	at += strspn(at, " \t");
	at[strcspn(at, " \t\r\n")] = 0;
	snprintf(name, size, "%s", *at ? at : "/bin/sh");
	return true;
}

static bool check_file(struct program *p, int fd, struct reason *r)
{
	const char *path = p->path;
	struct stat st;
	char interpreter[128];

	if (fstat(fd, &st))
		return refuse(r, "cannot run '%s': %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return refuse(r, IS_FOLDER, path);
	if (!S_ISREG(st.st_mode))
		return refuse(r, "cannot run '%s': it is not a regular file", path);
	p->script = is_script(fd, interpreter, sizeof(interpreter));
	if (p->script)
		return refuse(
			r,
			"cannot run '%s': it is a script; name the program that it starts (for a "
			"libtool wrapper, the one in .libs/), or its interpreter: %s %s",
			path, interpreter, path);
	if (access(path, X_OK) && st.st_mode & 0111)
		return refuse(r, "cannot run '%s': %s (is its file system mounted with noexec?)",
			      path, strerror(errno));
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

static void read_dynamic(Elf *elf, const GElf_Phdr *ph, struct segments *s)
{
	Elf_Data *d = elf_getdata_rawchunk(elf, (int64_t)ph->p_offset, ph->p_filesz, ELF_T_DYN);
	GElf_Dyn dyn;

	s->dynamic = true;
	for (int i = 0; d && gelf_getdyn(d, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		if (dyn.d_tag == DT_FLAGS_1 && (dyn.d_un.d_val & DF_1_PIE))
			s->pie = true;
	}
}

static void read_segments(Elf *elf, struct segments *s)
{
	size_t n = 0;
	GElf_Phdr ph;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n && gelf_getphdr(elf, (int)i, &ph); i++) {
		if (ph.p_type == PT_INTERP) {
			Elf_Data *d = elf_getdata_rawchunk(elf, (int64_t)ph.p_offset, ph.p_filesz,
							   ELF_T_BYTE);

			s->interpreter = true;
			if (d && d->d_size > 0 && d->d_size < sizeof(s->loader))
				memcpy(s->loader, d->d_buf, d->d_size);
		} else if (ph.p_type == PT_DYNAMIC) {
			read_dynamic(elf, &ph, s);
		}
	}
}

static bool check_kind(const char *path, Elf *elf, struct reason *r)
{
	struct segments s = { .dynamic = false };
	GElf_Ehdr eh;

	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh))
		return refuse(r, "cannot run '%s': it is not an ELF program", path);
	if (eh.e_machine != EM_X86_64)
		return refuse(r, "cannot run '%s': it is built for %s; build it for x86-64", path,
			      eh.e_machine == EM_386 ? "32-bit x86" : "another machine");
	if (eh.e_ident[EI_CLASS] != ELFCLASS64)
		return refuse(
			r,
			"cannot run '%s': it is a 32-bit program; build it without -m32 or -mx32",
			path);
	read_segments(elf, &s);
	if (eh.e_type != ET_EXEC && eh.e_type != ET_DYN)
		return refuse(r, "cannot run '%s': it is %s, not a program; link it first", path,
			      eh.e_type == ET_REL ? "an object file"
						  : "an ELF file of another kind");
	if (!s.interpreter && eh.e_type == ET_DYN && !s.pie)
		return refuse(r,
			      "cannot run '%s': it is a shared object; name a program that uses it",
			      path);
	if (!s.interpreter)
		return refuse(
			r,
			"cannot run '%s': it is statically linked, so the runtime cannot be loaded "
			"into it; link it without -static",
			path);
	if (strstr(s.loader, "/ld-musl"))
		return refuse(r,
			      "cannot run '%s': it is built for the C library musl; build it for "
			      "glibc",
			      path);
	if (s.loader[0] && access(s.loader, X_OK))
		return refuse(r, "cannot run '%s': its loader '%s' is missing on this machine",
			      path, s.loader);
	return true;
}

/* Can its calls be taken over? How was it built? */
static bool check_build(struct program *p, Elf *elf, struct reason *r)
{
	struct elf_build b;

	elf_build(&b, elf);
	if (!b.imports)
		return refuse(
			r,
			"cannot run '%s': it has no dynamic symbols (were they stripped?), so none of "
			"its calls can be taken over; run it as the linker left it",
			p->path);
	if (!b.starts_with_libc)
		return refuse(
			r,
			"cannot run '%s': it does not start by way of glibc (it imports no "
			"__libc_start_main), whose threads heddle runs; name a program that does",
			p->path);
	if (b.defines_tsan)
		return refuse(
			r,
			"cannot run '%s': a ThreadSanitizer runtime is linked into it, which heddle "
			"cannot replace; link it with -shared-libsan (clang) or without "
			"-static-libtsan (gcc), or build it with heddle-cc",
			p->path);
	if (b.other_sanitizer)
		return refuse(
			r,
			"cannot run '%s': it uses %s, which cannot be combined with heddle; build "
			"it without that sanitizer",
			p->path, b.other_sanitizer);
	if (b.defines_locks)
		return refuse(
			r,
			"cannot run '%s': it has pthread_mutex_lock() in itself, which heddle cannot "
			"replace (if a ThreadSanitizer runtime is linked into it: link it with "
			"-shared-libsan, or without -static-libtsan, or build it with heddle-cc)",
			p->path);
	p->wants_libtsan = b.needs_tsan;
	p->built = !b.uses_tsan ? BUILT_PLAIN : b.needs_native ? BUILT_BY_HEDDLE : BUILT_WITH_TSAN;
	return true;
}

bool program_inspect(struct program *p, const char *name, char *why, size_t size)
{
	struct reason r = { why, size };
	Elf *elf;
	bool ok;
	int fd;

	memset(p, 0, sizeof(*p));
	if (!find_file(p, name, &r))
		return false;
	fd = open(p->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return refuse(&r, "cannot run '%s': %s", p->path, strerror(errno));
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	ok = check_file(p, fd, &r) && check_kind(p->path, elf, &r) && check_build(p, elf, &r);
	if (ok && !id_of_elf(elf, fd, p->build_id))
		ok = refuse(&r, "cannot run '%s': it cannot be read", p->path);
	elf_end(elf);
	close(fd);
	return ok;
}

bool elf_is_fixed(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC |
				    O_NONBLOCK); /* it may be anything that a trace names */
	Elf64_Ehdr eh;
	bool fixed = fd >= 0 && pread(fd, &eh, sizeof(eh), 0) == sizeof(eh) &&
		     !memcmp(eh.e_ident, ELFMAG, SELFMAG) && eh.e_type == ET_EXEC;

	if (fd >= 0)
		close(fd);
	return fixed;
}
