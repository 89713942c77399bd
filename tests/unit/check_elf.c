/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_elf.c - which files can be run, as a specification
 *
 * The subject of most cases is a copy of a program that every system has, changed a little.
 */
#define _GNU_SOURCE
#include <check.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/prng.h"
#include "controller/elf/elf.h"
#include "suite.h"

static const char subject[] = "/usr/bin/env";
static char dir[] = "/tmp/heddle-elf.XXXXXX";
static char path[256];
static struct program program;
static char why[ELF_REASON];
static unsigned char *image;
static size_t image_size;

static void setup(void)
{
	FILE *f = fopen(subject, "rb");

	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	if (!mkdtemp(dir) || !f)
		abort();
	snprintf(path, sizeof(path), "%s/subject", dir);
	fseek(f, 0, SEEK_END);
	image_size = (size_t)ftell(f);
	rewind(f);
	image = malloc(image_size);
	if (fread(image, 1, image_size, f) != image_size)
		abort();
	fclose(f);
}

static void teardown(void)
{
	unlink(path);
	rmdir(dir);
	free(image);
}

static void put(const void *bytes, size_t size, mode_t mode)
{
	FILE *f;

	unlink(path);
	f = fopen(path, "wb");
	if (!f || fwrite(bytes, 1, size, f) != size || fclose(f) || chmod(path, mode))
		abort();
}

/* Refused, with one line that holds the word. */
static bool refused_with(const char *word)
{
	why[0] = 0;
	return !program_inspect(&program, path, why, sizeof(why)) && strstr(why, word) &&
	       !strchr(why, '\n');
}

START_TEST(dynamic_program_is_accepted)
{
	put(image, image_size, 0755);
	ck_assert_msg(program_inspect(&program, path, why, sizeof(why)), "%s", why);
	ck_assert(program.path[0] == '/');
	ck_assert(strlen(program.build_id) > 8);
	ck_assert(!program.wants_libtsan);
	ck_assert(program.built == BUILT_PLAIN);
}
END_TEST

START_TEST(copies_have_the_same_identity)
{
	char a[BUILD_ID_TEXT], b[BUILD_ID_TEXT];

	put(image, image_size, 0755);
	ck_assert(build_id_of_file(path, a));
	ck_assert(build_id_of_file(subject, b));
	ck_assert_str_eq(a, b);
	put("other", 5, 0755);
	ck_assert(build_id_of_file(path, a));
	ck_assert_str_ne(a, b);
	ck_assert(!build_id_of_file("/nowhere", a));
	ck_assert(!build_id_of_file(dir, a));
}
END_TEST

START_TEST(identity_is_the_build_id)
{
	static const unsigned char head[] = {
		4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0
	};
	const unsigned char *note = memmem(image, image_size, head, sizeof(head));
	char id[BUILD_ID_TEXT], expected[BUILD_ID_TEXT];
	Elf64_Ehdr *eh = (Elf64_Ehdr *)image;

	ck_assert_ptr_nonnull(note);
	build_id_text(note + sizeof(head), 20, expected);
	ck_assert(build_id_of_file(subject, id));
	ck_assert_str_eq(id, expected);
	/* Without segments the sections tell; without either the content does. */
	eh->e_phnum = 0;
	put(image, image_size, 0755);
	ck_assert(build_id_of_file(path, id));
	ck_assert_str_eq(id, expected);
	eh->e_shnum = 0;
	eh->e_shoff = 0;
	put(image, image_size, 0755);
	ck_assert(build_id_of_file(path, id));
	ck_assert(!strncmp(id, "xxh3:", 5));
}
END_TEST

START_TEST(missing_program_is_named)
{
	ck_assert(!program_inspect(&program, "/nowhere/t", why, sizeof(why)));
	ck_assert_ptr_nonnull(strstr(why, "/nowhere/t"));
	ck_assert(!program_inspect(&program, "no-such-program", why, sizeof(why)));
	ck_assert(!program_inspect(&program, "", why, sizeof(why)));
	ck_assert(!program_inspect(&program, dir, why, sizeof(why)));
	ck_assert_ptr_nonnull(strstr(why, "folder"));
}
END_TEST

START_TEST(program_is_found_along_path)
{
	setenv("PATH", "/nowhere:/usr/bin:/bin", 1);
	ck_assert_msg(program_inspect(&program, "env", why, sizeof(why)), "%s", why);
}
END_TEST

START_TEST(file_that_is_no_program_is_refused)
{
	put(image, image_size, 0644);
	ck_assert(refused_with("not executable"));
	put("#!/bin/sh\n", 10, 0755);
	ck_assert(refused_with("script"));
	put("#! /usr/bin/python3 -B\n", 23, 0755);
	ck_assert(refused_with("its interpreter: /usr/bin/python3 /"));
	put("#!", 2, 0755);
	ck_assert(refused_with("script"));
	put("hello", 5, 0755);
	ck_assert(refused_with("not an ELF"));
	put("", 0, 0755);
	ck_assert(refused_with("not an ELF"));
	put(image, image_size, 04755);
	ck_assert(refused_with("setuid"));
	put(image, image_size, 02755);
	ck_assert(refused_with("setgid"));
}
END_TEST

START_TEST(foreign_program_is_refused)
{
	Elf64_Ehdr *eh = (Elf64_Ehdr *)image;

	eh->e_machine = EM_AARCH64;
	put(image, image_size, 0755);
	ck_assert(refused_with("another machine"));
	eh->e_machine = EM_S390 << 8;
	eh->e_ident[EI_DATA] = ELFDATA2MSB;
	put(image, image_size, 0755);
	ck_assert(refused_with("another machine"));
	eh->e_ident[EI_DATA] = ELFDATA2LSB;
	eh->e_machine = EM_386;
	put(image, image_size, 0755);
	ck_assert(refused_with("32-bit"));
	eh->e_machine = EM_X86_64;
	eh->e_type = ET_REL;
	put(image, image_size, 0755);
	ck_assert(refused_with("object file"));
}
END_TEST

START_TEST(program_without_loader_is_refused)
{
	Elf64_Ehdr *eh = (Elf64_Ehdr *)image;
	Elf64_Phdr *ph = (Elf64_Phdr *)(image + eh->e_phoff);

	for (int i = 0; i < eh->e_phnum; i++) {
		if (ph[i].p_type == PT_INTERP)
			ph[i].p_type = PT_NULL;
	}
	put(image, image_size, 0755);
	ck_assert(refused_with("statically linked"));
}
END_TEST

static Elf64_Phdr *segment(uint32_t type)
{
	Elf64_Ehdr *eh = (Elf64_Ehdr *)image;
	Elf64_Phdr *ph = (Elf64_Phdr *)(image + eh->e_phoff);

	for (int i = 0; i < eh->e_phnum; i++)
		if (ph[i].p_type == type)
			return &ph[i];
	abort();
}

START_TEST(program_without_sections_is_accepted)
{
	Elf64_Ehdr *eh = (Elf64_Ehdr *)image;

	eh->e_shoff = 0;
	eh->e_shnum = eh->e_shstrndx = 0;
	put(image, image_size, 0755);
	ck_assert_msg(program_inspect(&program, path, why, sizeof(why)), "%s", why);
}
END_TEST

START_TEST(program_without_dynamic_symbols_is_refused)
{
	Elf64_Phdr *dynamic = segment(PT_DYNAMIC);
	Elf64_Dyn *dyn = (Elf64_Dyn *)(image + dynamic->p_offset);

	while (dyn->d_tag != DT_SYMTAB)
		dyn++;
	dyn->d_un.d_val = 0;
	put(image, image_size, 0755);
	ck_assert(refused_with("no dynamic symbols"));
	dynamic->p_type = PT_NULL;
	put(image, image_size, 0755);
	ck_assert(refused_with("no dynamic symbols"));
}
END_TEST

START_TEST(program_of_another_libc_is_refused)
{
	strcpy((char *)image + segment(PT_INTERP)->p_offset, "/lib/ld-musl-x86_64.so.1");
	put(image, image_size, 0755);
	ck_assert(refused_with("musl"));
	strcpy((char *)image + segment(PT_INTERP)->p_offset, "/lib/no-such-loader");
	put(image, image_size, 0755);
	ck_assert(refused_with("missing"));
}
END_TEST

/* Renames the first dynamic symbol of that name; the new name is not longer. */
static void rename_symbol(const char *from, const char *to)
{
	size_t size = strlen(from) + 1;

	for (size_t i = 0; i + 1 + size <= image_size; i++)
		if (!image[i] && !memcmp(image + i + 1, from, size)) {
			strcpy((char *)image + i + 1, to);
			return;
		}
	abort();
}

START_TEST(program_that_glibc_does_not_start_is_refused)
{
	rename_symbol("__libc_start_main", "__else_start_main");
	put(image, image_size, 0755);
	ck_assert(refused_with("__libc_start_main"));
}
END_TEST

START_TEST(calls_of_instrumentation_are_found)
{
	rename_symbol("__gmon_start__", "__tsan_init");
	put(image, image_size, 0755);
	ck_assert_msg(program_inspect(&program, path, why, sizeof(why)), "%s", why);
	ck_assert(program.built == BUILT_WITH_TSAN);
}
END_TEST

START_TEST(damaged_file_is_survived)
{
	uint64_t p = 7;

	for (int round = 0; round < 2000; round++) {
		unsigned char *copy = malloc(image_size);
		size_t size = image_size;

		memcpy(copy, image, image_size);
		for (int i = 0; i < 8; i++)
			copy[prng_below(&p, i < 4 ? 1024 : (uint32_t)image_size)] ^=
				(unsigned char)(1 + prng_below(&p, 255));
		if (round % 3 == 0)
			size = prng_below(&p, (uint32_t)image_size);
		put(copy, size, 0755);
		free(copy);
		if (!program_inspect(&program, path, why, sizeof(why)))
			ck_assert(why[0]);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("elf");
	TCase *tc = tcase_create("programs");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, dynamic_program_is_accepted);
	tcase_add_test(tc, copies_have_the_same_identity);
	tcase_add_test(tc, identity_is_the_build_id);
	tcase_add_test(tc, missing_program_is_named);
	tcase_add_test(tc, program_is_found_along_path);
	tcase_add_test(tc, file_that_is_no_program_is_refused);
	tcase_add_test(tc, foreign_program_is_refused);
	tcase_add_test(tc, program_without_loader_is_refused);
	tcase_add_test(tc, program_without_sections_is_accepted);
	tcase_add_test(tc, program_without_dynamic_symbols_is_refused);
	tcase_add_test(tc, program_of_another_libc_is_refused);
	tcase_add_test(tc, program_that_glibc_does_not_start_is_refused);
	tcase_add_test(tc, calls_of_instrumentation_are_found);
	tcase_add_test(tc, damaged_file_is_survived);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
