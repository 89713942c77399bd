/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * args.c - what a compiler's command line asks for
 *
 * The wrapper hands every argument on, so it must understand only enough to tell whether
 * there is an input file at all, whether the linker will run, and whether our library can
 * be part of the link. A mistake costs little: unknown options are taken as options without
 * a separate value, so at worst a value looks like an input file.
 */
#include "config.h"

#include "args.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	RESPONSE_DEPTH = 8
};

/* Options whose value may be the next argument. */
static const char *const with_value[] = {
	"-o",
	"-x",
	"-D",
	"-U",
	"-I",
	"-L",
	"-B",
	"-T",
	"-u",
	"-z",
	"-e",
	"-A",
	"-F",
	"-G",
	"-h",
	"-MF",
	"-MT",
	"-MQ",
	"-MJ",
	"-include",
	"-imacros",
	"-isystem",
	"-iquote",
	"-idirafter",
	"-iprefix",
	"-isysroot",
	"-iwithprefix",
	"-imultilib",
	"-iwithprefixbefore",
	"-include-pch",
	"-aux-info",
	"-dumpbase",
	"-dumpdir",
	"-dumpbase-ext",
	"-wrapper",
	"-Xlinker",
	"-Xpreprocessor",
	"-Xassembler",
	"-Xclang",
	"-Xanalyzer",
	"-mllvm",
	"--param",
	"-target",
	"-arch",
	"-specs",
	"-rpath",
	"-serialize-diagnostics",
	"-working-directory",
	"--sysroot",
	"--output",
	"--define-macro",
	"--undefine-macro",
	"--include-directory",
	"--language",
	"--include",
};

/* Options after which the linker does not run. */
static const char *const stops_early[] = {
	"-c",
	"-S",
	"-E",
	"-M",
	"-MM",
	"-fsyntax-only",
	"-emit-pch",
	"--analyze",
	"--preprocess",
	"--assemble",
	"--compile",
	"-emit-llvm-only",
	"--precompile",
	"--dependencies",
	"--user-dependencies",
};

#define IN(list, arg) in(list, sizeof(list) / sizeof((list)[0]), arg)

static bool in(const char *const list[], size_t n, const char *arg)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(list[i], arg))
			return true;
	return false;
}

static void scan(struct args *args, int argc, char *const argv[], int depth);

/*
 * Cuts the text of a response file into arguments in place, by the rules of gcc: white space
 * separates, quotes of either kind hold together, a backslash takes the next character as
 * it is. Returns how many there are.
 */
static int split(char *text, char **words, int max)
{
	char *in = text, *out = text, quote;
	int n = 0;

	for (;;) {
		while (isspace((unsigned char)*in))
			in++;
		if (!*in || n == max)
			return n;
		words[n++] = out;
		for (quote = '\0'; *in && (quote || !isspace((unsigned char)*in)); in++) {
			if (*in == '\\' && in[1])
				*out++ = *++in;
			else if (quote ? *in == quote : *in == '"' || *in == '\'')
				quote = quote ? '\0' : *in;
			else
				*out++ = *in;
		}
		if (*in)
			in++;
		*out++ = '\0';
	}
}

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL, *more;
	size_t size = 0, used = 0, n = 0;

	if (!file)
		return NULL;
	do {
		used += n;
		if (used + 1 >= size) {
			size = size ? 2 * size : 4096;
			more = realloc(text, size);
			if (!more)
				break;
			text = more;
		}
		n = fread(text + used, 1, size - used - 1, file);
	} while (n);
	fclose(file);
	if (text)
		text[used] = '\0';
	return text;
}

/* True when path is a readable response file. */
static bool scan_response(struct args *args, const char *path, int depth)
{
	char *text = depth < RESPONSE_DEPTH ? read_text(path) : NULL;
	size_t max;
	char **words;

	if (!text)
		return false;
	max = strlen(text) / 2 + 2;
	words = calloc(max, sizeof(*words));
	if (words)
		scan(args, split(text, words, (int)max), words, depth + 1);
	free(words);
	free(text);
	return true;
}

static void scan_option(struct args *args, const char *arg)
{
	if (IN(stops_early, arg))
		args->links = false;
	else if (!strcmp(arg, "-static") || !strcmp(arg, "--static") || !strcmp(arg, "-static-pie"))
		args->is_static = true;
	else if (!strcmp(arg, "-nostdlib") || !strcmp(arg, "-nodefaultlibs") ||
		 !strcmp(arg, "--no-standard-libraries"))
		args->no_libraries = true;
	else if (!strcmp(arg, "-shared") || !strcmp(arg, "--shared"))
		args->is_shared = true;
	else if (!strcmp(arg, "-r"))
		args->is_partial = true;
	else if (!strcmp(arg, "-m32") || !strcmp(arg, "-mx32") || !strcmp(arg, "-m16"))
		args->is_32bit = true;
	else if (!strncmp(arg, "-l", 2))
		args->has_input = true;
}

static void scan(struct args *args, int argc, char *const argv[], int depth)
{
	int i;

	for (i = 0; i < argc; i++) {
		const char *arg = argv[i];

		if (arg[0] == '@' && scan_response(args, arg + 1, depth))
			continue;
		if (arg[0] != '-' || !arg[1])
			args->has_input = true;
		else if (IN(with_value, arg))
			i++;
		else
			scan_option(args, arg);
	}
}

void args_scan(struct args *args, int argc, char *const argv[])
{
	memset(args, 0, sizeof(*args));
	args->links = true;
	scan(args, argc - 1, argv + 1, 0);
}
