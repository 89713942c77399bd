/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compiler.c - which compiler the wrapper stands for
 *
 * The name decides: heddle-cc is HEDDLE_CC or gcc, heddle-c++ is HEDDLE_CXX or g++, and any
 * other heddle-NAME (a link the user made, such as heddle-clang++-14) is the compiler NAME.
 * HEDDLE_CC and HEDDLE_CXX may hold arguments ("ccache gcc", "clang --target=...").
 *
 * gcc and clang want different options, so the family must be known. It shows in the
 * name nearly always; only a name such as `cc` is asked what it predefines.
 */
#include "config.h"

#include "compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PREFIX "heddle-"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The command in words: from the environment, or out of the name. */
static const char *command_for(const char *self)
{
	const char *name = base_name(self), *command;

	if (!strncmp(name, PREFIX, strlen(PREFIX)))
		name += strlen(PREFIX);
	if (!strcmp(name, "cc")) {
		command = getenv("HEDDLE_CC");
		return command && *command ? command : "gcc";
	}
	if (!strcmp(name, "c++")) {
		command = getenv("HEDDLE_CXX");
		return command && *command ? command : "g++";
	}
	return name;
}

static int cut(struct compiler *compiler, const char *command)
{
	char *text = strdup(command), *rest = NULL, *word;

	if (!text)
		return -1;
	for (word = strtok_r(text, " \t\n", &rest); word; word = strtok_r(NULL, " \t\n", &rest)) {
		if (compiler->words == COMPILER_WORDS - 1)
			return -1;
		compiler->word[compiler->words++] = word;
	}
	compiler->word[compiler->words] = NULL;
	return compiler->words ? 0 : -1;
}

/* Runs the compiler's preprocessor on nothing and looks for clang's mark. */
static bool predefines_clang(const struct compiler *compiler)
{
	static char *const ask[] = { "-E", "-dM", "-x", "c", "/dev/null", NULL };
	char *argv[COMPILER_WORDS + sizeof(ask) / sizeof(ask[0])];
	char line[512];
	bool found = false;
	int fd[2], status;
	FILE *out;
	pid_t pid;

	memcpy(argv, compiler->word, sizeof(argv[0]) * (size_t)compiler->words);
	memcpy(argv + compiler->words, ask, sizeof(ask));
	if (pipe2(fd, O_CLOEXEC))
		return false;
	pid = fork();
	if (!pid) {
		dup2(fd[1], STDOUT_FILENO);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(fd[1]);
	out = fdopen(fd[0], "r");
	while (out && fgets(line, sizeof(line), out))
		found |= !strncmp(line, "#define __clang__ ", 18);
	if (out)
		fclose(out);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return found;
}

static enum compiler_family family_of(const struct compiler *compiler)
{
	int i;

	for (i = 0; i < compiler->words; i++) {
		const char *name = base_name(compiler->word[i]);

		if (compiler->word[i][0] == '-')
			continue;
		if (strstr(name, "clang"))
			return COMPILER_CLANG;
		if (strstr(name, "gcc") || strstr(name, "g++"))
			return COMPILER_GCC;
	}
	return predefines_clang(compiler) ? COMPILER_CLANG : COMPILER_GCC;
}

int compiler_choose(struct compiler *compiler, const char *self)
{
	const char *command = command_for(self);

	memset(compiler, 0, sizeof(*compiler));
	if (cut(compiler, command)) {
		fprintf(stderr, "%s: cannot use '%s' as a compiler\n", base_name(self), command);
		return -1;
	}
	if (!strncmp(base_name(compiler->word[0]), PREFIX, strlen(PREFIX))) {
		fprintf(stderr,
			"%s: '%s' is a heddle wrapper itself; HEDDLE_CC and HEDDLE_CXX name "
			"the compiler it calls\n",
			base_name(self), compiler->word[0]);
		return -1;
	}
	compiler->family = family_of(compiler);
	return 0;
}
