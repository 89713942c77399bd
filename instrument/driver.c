/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * driver.c - heddle-cc and heddle-c++: a compiler that lets heddle see the program
 *
 * Puts a few options around the user's own and becomes the real compiler:
 *
 * - compile: -fsanitize=thread, which turns atomic operations and plain accesses into calls;
 *   volatile accesses told apart, no calls at function entry and exit, 16-byte atomics in
 *   place (-mcx16; otherwise they hide in libatomic), line numbers (-g1) unless the user asks
 *   for other debug information, the folder of heddle.h last on the include path, and first, of
 *   the system's, one with a header of libstdc++ that has strings compiled with the program.
 *   gcc finds an assembler of ours behind -B, which notes where inline assembly is (as.c).
 * - link: heddle's native library in the place of the ThreadSanitizer runtime, with the way
 *   to it in the program's run path, so that the program runs by itself.
 *   gcc's driver adds `-ltsan` and libtsan_preinit.o of its own accord; a -B folder with ours
 *   comes first. clang is told to add nothing, and gets the library by name.
 *
 * Our options come before the user's, so his win, except a library by name, which must
 * follow the objects. It is given by -l, since a preceding `-x c` applies to file names.
 *
 * A command without input (--version, -dumpmachine, -print-search-dirs) goes through
 * untouched. The wrapper never reads or writes a file of the program; exit status and
 * messages are the compiler's.
 */
#include "config.h"

#include "args.h"
#include "base/locate.h"
#include "compiler.h"
#include "staged.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	OWN_WORDS = 96
};

/* The command line under construction; it lives until exec. */
struct command {
	char **word;
	int words;
};

static void fail(const char *self, const char *what)
{
	const char *slash = strrchr(self, '/');

	fprintf(stderr, "%s: %s\n", slash ? slash + 1 : self, what);
	exit(1);
}

static void add(struct command *command, const char *word)
{
	command->word[command->words++] = (char *)word;
}

static void add_all(struct command *command, const char *const words[], size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		add(command, words[i]);
}

#define ADD_ALL(command, words) add_all(command, words, sizeof(words) / sizeof((words)[0]))

/* One word made of an option and its value. */
static void add_joined(struct command *command, const char *option, const char *value)
{
	size_t size = strlen(option) + strlen(value) + 1;
	char *word = malloc(size);

	if (!word)
		abort();
	snprintf(word, size, "%s%s", option, value);
	add(command, word);
}

static void add_compile(struct command *command, const struct compiler *compiler,
			const struct args *args, const char *include, const char *cxx)
{
	/*
	 * gcc drops plain accesses whose value nobody uses before it instruments the others,
	 * and so the races that they are in. And where it knows that a function does not touch a
	 * static variable, it keeps that in a register across the calls. It takes syscall() and
	 * the atomics for calls that touch none, so a lock made of them guards nothing as soon as
	 * it is not inlined, which it is less often with the calls that report accesses in it.
	 * Nor does it announce what a function writes to a variable of its own whose address only goes to functions that, as
	 * it finds, do not keep it (-fipa-modref, -fipa-pure-const), though these announce what they read there.
	 *
	 * Both compilers like to put a copy of a loop's first part in front of it. A thread that
	 * waits in such a loop is then at another place of the code in its first round, which is no
	 * round that is done again, and so each value of it would be an execution of its own.
	 */
	static const char *const gcc[] = {
		"-fsanitize=thread",
		"-Wno-tsan",
		"--param",
		"tsan-distinguish-volatile=1",
		"--param",
		"tsan-instrument-func-entry-exit=0",
		"-fno-tree-dce",
		"-fno-tree-dse",
		"-fno-toplevel-reorder",
		"-fno-ipa-modref",
		"-fno-ipa-pure-const",
		"-fno-ipa-reference",
		"-fno-tree-ch",
		"-fno-peel-loops",
	};
	/*
	 * clang instruments what its optimiser left; staged.c goes around that. For command
	 * lines that it does not understand, at least InstCombine must do nothing: it makes a
	 * store of an exchange whose result is not used, and executions that the program has
	 * would be missed. And by default clang announces only the write of `x = x + 1`; heddle
	 * must see the read, which may be an event of its own. What locals.c does for local
	 * variables is done here by not looking where their addresses go: then all are announced.
	 */
	static const char *const clang[] = {
		"-fsanitize=thread",
		"-fno-sanitize-link-runtime",
		"-mllvm",
		"-tsan-distinguish-volatile=1",
		"-mllvm",
		"-tsan-instrument-func-entry-exit=0",
		"-mllvm",
		"-tsan-instrument-read-before-write=1",
		"-mllvm",
		"-instcombine-max-iterations=0",
		"-mllvm",
		"-capture-tracking-max-uses-to-explore=0",
		"-mllvm",
		"-rotation-max-header-size=0",
	};

	/*
	 * Both put code of their own in the place of calls that the runtime takes for accesses
	 * of ranges. Not strlen: programs have it in constants. (strstr is there because clang
	 * 14 does not come to an end with it where it may not make a strncmp of it.)
	 */
	static const char *const calls[] = {
		"-fno-builtin-memcpy",   "-fno-builtin-memmove", "-fno-builtin-memset",
		"-fno-builtin-mempcpy",  "-fno-builtin-memcmp",  "-fno-builtin-memchr",
		"-fno-builtin-bcopy",    "-fno-builtin-bzero",   "-fno-builtin-bcmp",
		"-fno-builtin-strcpy",   "-fno-builtin-stpcpy",  "-fno-builtin-strncpy",
		"-fno-builtin-stpncpy",  "-fno-builtin-strcat",  "-fno-builtin-strncat",
		"-fno-builtin-strcmp",   "-fno-builtin-strncmp", "-fno-builtin-strdup",
		"-fno-builtin-strndup",  "-fno-builtin-strstr",  "-fno-builtin-sprintf",
		"-fno-builtin-snprintf",
	};

	if (compiler->family == COMPILER_GCC)
		ADD_ALL(command, gcc);
	else
		ADD_ALL(command, clang);
	ADD_ALL(command, calls);
	add(command, "-g1");
	if (!args->is_32bit)
		add(command, "-mcx16");
	add(command, "-idirafter");
	add(command, include);
	add_joined(command, "-isystem", cxx);
}

/* The part of the link options that comes before the user's. */
static void add_link(struct command *command, const struct compiler *compiler, const char *library,
		     const char *stand_in)
{
	add_joined(command, "-Wl,-rpath,", library);
	if (compiler->family == COMPILER_GCC)
		add_joined(command, "-L", stand_in);
}

/*
 * The library by name, at the end. The user's -nostdlib stands for a program; but libtool
 * makes every C++ library with it, of the libraries that it saw the compiler use, and that
 * list has no place for what comes before the objects. There it is added if needed.
 */
static void add_library(struct command *command, const char *library, bool if_needed)
{
	add_joined(command, "-L", library);
	add(command, if_needed ? "-Wl,--push-state,-Bdynamic,--as-needed"
			       : "-Wl,--push-state,-Bdynamic,--no-as-needed");
	add(command, "-lheddle-native");
	add(command, "-Wl,--pop-state");
}

/*
 * The user's arguments, without those that would bring the other runtime in, and without
 * _FORTIFY_SOURCE: with it the headers call built-in functions, which become code that nobody
 * sees instead of calls of memcpy() and the like.
 */
static void add_user(struct command *command, int argc, char *const argv[])
{
	static const char *const without[] = { "-static-libtsan",        "-static-libsan",
					       "-D_FORTIFY_SOURCE",      "-D_FORTIFY_SOURCE=1",
					       "-D_FORTIFY_SOURCE=2",    "-D_FORTIFY_SOURCE=3",
					       "-Wp,-D_FORTIFY_SOURCE=2" };
	size_t k;
	int i;

	for (i = 1; i < argc; i++) {
		for (k = 0; k < sizeof(without) / sizeof(without[0]); k++)
			if (!strcmp(argv[i], without[k]))
				break;
		if (k == sizeof(without) / sizeof(without[0]))
			add(command, argv[i]);
	}
}

static void locate_all(const char *self, char *include, char *library, char *stand_in)
{
	if (locate_include("", include, PATH_MAX) ||
	    locate_library("libheddle-native.so", library, PATH_MAX) ||
	    locate_library("native", stand_in, PATH_MAX))
		fail(self, "heddle.h or libheddle-native.so is not where it was installed; "
			   "install heddle again, or move its folders together");
	*strrchr(library, '/') = '\0';
}

static void build(struct command *command, const struct compiler *compiler, const struct args *args,
		  int argc, char *const argv[])
{
	static char include[PATH_MAX], library[PATH_MAX], stand_in[PATH_MAX + 1];
	static char cxx[PATH_MAX + 8];
	bool links = args->links && !args->is_partial;
	bool clang = compiler->family == COMPILER_CLANG;

	locate_all(argv[0], include, library, stand_in);
	strcat(stand_in, "/");
	if (clang)
		add(command, "--start-no-unused-arguments");
	snprintf(cxx, sizeof(cxx), "%s/c++", include);
	add_compile(command, compiler, args, include, cxx);
	if (!clang) /* for the assembler, and to link */
		add_joined(command, "-B", stand_in);
	if (links)
		add_link(command, compiler, library, stand_in);
	if (clang)
		add(command, "--end-no-unused-arguments");
	add_user(command, argc, argv);
	if (!links)
		return;
	if (args->no_libraries ? args->is_shared : clang)
		add_library(command, library, args->no_libraries);
}

int main(int argc, char *argv[])
{
	struct compiler compiler;
	struct command command;
	struct args args;
	int i, status;

	if (argc < 1 || compiler_choose(&compiler, argv[0]))
		return 1;
	args_scan(&args, argc, argv);
	if (args.has_input && args.links && args.is_static)
		fail(argv[0],
		     "-static: heddle works by preloading a library, which a static program "
		     "ignores; link without it");
	command.word = calloc((size_t)(COMPILER_WORDS + OWN_WORDS + argc), sizeof(char *));
	if (!command.word)
		fail(argv[0], "out of memory");
	command.words = 0;
	for (i = 0; i < compiler.words; i++)
		add(&command, compiler.word[i]);
	if (args.has_input)
		build(&command, &compiler, &args, argc, argv);
	else
		add_all(&command, (const char *const *)argv + 1, (size_t)argc - 1);
	if (args.has_input && compiler.family == COMPILER_CLANG &&
	    staged_run(command.word, command.words, &status))
		return status;
	execvp(command.word[0], command.word);
	fprintf(stderr, "%s: cannot run %s: %s\n", argv[0], command.word[0], strerror(errno));
	return 1;
}
