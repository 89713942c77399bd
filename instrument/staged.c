/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * staged.c - compile with clang so that accesses are announced before they are optimised
 *
 * clang runs its ThreadSanitizer pass after the optimiser. By then a variable that is only
 * written is gone, and so is a read whose result is not used, and with them the races
 * that the program has; gcc keeps them. So each C or C++ source goes through three stages:
 *
 *	1. source to bitcode, as the user's options say, with no pass at all;
 *	   then accesses to local variables that others know of are made visible (locals.c);
 *	2. bitcode to bitcode at -O0: nothing happens but that accesses become calls;
 *	3. bitcode to the object, optimised as the user asked. Where there is inline assembly, to assembly first,
 *	   which then says where that lies (notes.h).
 *
 * Local variables whose address goes nowhere are no memory for the pass of stage 2, as
 * ever. C++ pays for this: its small inline functions pass the addresses of local objects
 * around, and all of these are announced. Such a program has one and a half to two times the
 * calls, and alone takes about twice the time; exploring takes hardly more.
 *
 * The driver tells what it would run (jobs.c); compiler jobs among it are replaced, the
 * others run unchanged. Temporary files live in a folder of their own.
 */
#include "config.h"

#include "staged.h"

#include "jobs.h"
#include "locals.h"
#include "notes.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	EXTRA_WORDS = 16,
	FOLDER_MAX = 1024, /* of the temporary folder's name */
};

/* Stages that read bitcode: 2, without and with all local variables, and 3. */
enum stage {
	ANNOUNCE,
	ANNOUNCE_ALL,
	OPTIMISE,
	WRITE /* the same, and assembly in place of an object */
};

/* Options with a value that concern the source text or its dependencies: for stage 1 only. */
static const char *const source_options[] = {
	"-dependency-file",
	"-MT",
	"-serialize-diagnostic-file",
	"-include",
	"-include-pch",
	"-D",
	"-U",
	"-header-include-file",
};

static const char *const source_flags[] = { "-sys-header-deps", "-MP", "-MG", "-H" };

static bool is_one_of(const char *const list[], size_t n, const char *word)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(list[i], word))
			return true;
	return false;
}

#define IS_ONE_OF(list, word) is_one_of(list, sizeof(list) / sizeof((list)[0]), word)

/* The value of an option, or NULL. */
static char *value_of(const struct job *job, const char *option)
{
	int i;

	for (i = 1; i + 1 < job->words; i++)
		if (!strcmp(job->word[i], option))
			return job->word[i + 1];
	return NULL;
}

static bool has(const struct job *job, const char *word)
{
	int i;

	for (i = 1; i < job->words; i++)
		if (!strcmp(job->word[i], word))
			return true;
	return false;
}

static const char *const languages[] = { "c", "cpp-output", "c++", "c++-cpp-output" };

/* A job that turns C into an object, assembly, or bitcode for the linker. */
static bool compiles(const struct job *job)
{
	const char *language = value_of(job, "-x");

	if (job->words < 4 || strcmp(job->word[1], "-cc1") || !language)
		return false;
	if (!IS_ONE_OF(languages, language))
		return false;
	return has(job, "-fsanitize=thread") && value_of(job, "-o") &&
	       (has(job, "-emit-obj") || has(job, "-S") || has(job, "-emit-llvm-bc"));
}

/* Runs a job with its output, and its action unless NULL, changed; source stage. */
static int stage_source(const struct job *job, const char *output)
{
	char **argv = calloc((size_t)job->words + EXTRA_WORDS, sizeof(*argv));
	int i, n = 0, status;

	if (!argv)
		return 1;
	for (i = 0; i < job->words; i++) {
		char *word = job->word[i];

		if (!strcmp(word, "-emit-obj") || !strcmp(word, "-S"))
			word = "-emit-llvm-bc";
		argv[n++] = word;
		if (!strcmp(word, "-cc1"))
			argv[n++] = "-disable-llvm-passes";
		if (!strcmp(word, "-o") && i + 1 < job->words) {
			argv[n++] = (char *)output;
			i++;
		}
	}
	status = job_run(argv);
	free(argv);
	return status;
}

/* Skips what word i is, with its value, when a stage that reads bitcode has no use for it. */
static int skip(const struct job *job, int i, enum stage stage)
{
	const char *word = job->word[i];

	if (IS_ONE_OF(source_flags, word))
		return 1;
	if (IS_ONE_OF(source_options, word))
		return 2;
	if (stage >= OPTIMISE && !strncmp(word, "-fsanitize=", 11))
		return 1;
	if (strcmp(word, "-mllvm") || i + 1 == job->words)
		return 0;
	/* Calls are in place: the optimiser cannot make anything else of them. */
	if (!strncmp(job->word[i + 1], "-instcombine-", 13))
		return 2;
	/* Where addresses go: only who announces is not to look, and not when it sees without it. */
	if (stage != ANNOUNCE_ALL && !strncmp(job->word[i + 1], "-capture-tracking-", 18))
		return 2;
	return 0;
}

/* Bitcode to bitcode with calls, or bitcode to what the job is for. */
static int stage_bitcode(const struct job *job, const char *input, const char *output,
			 enum stage stage)
{
	char **argv = calloc((size_t)job->words + EXTRA_WORDS, sizeof(*argv));
	int i, n = 0, status, skipped;

	if (!argv)
		return 1;
	/* The last three words are -x, the language, and the source. */
	for (i = 0; i < job->words - 3; i++) {
		char *word = job->word[i];

		skipped = skip(job, i, stage);
		if (skipped) {
			i += skipped - 1;
			continue;
		}
		if (stage < OPTIMISE && (!strcmp(word, "-emit-obj") || !strcmp(word, "-S")))
			word = "-emit-llvm-bc";
		if (stage == WRITE && !strcmp(word, "-emit-obj"))
			word = "-S";
		argv[n++] = word;
		if (!strcmp(word, "-o") && i + 1 < job->words) {
			argv[n++] = (char *)output;
			i++;
		}
	}
	if (stage < OPTIMISE)
		argv[n++] = "-O0";
	argv[n++] = "-x";
	argv[n++] = "ir";
	argv[n++] = (char *)input;
	status = job_run(argv);
	free(argv);
	return status;
}

/* Copies assembly, with notes. */
static bool put_notes(const char *input, const char *output)
{
	struct text text = { NULL, 0 };
	FILE *f = fopen(input, "r");

	if (f) {
		text = notes_read(f);
		fclose(f);
	}
	f = text.at ? fopen(output, "w") : NULL;
	if (!f)
		return false;
	notes_put(f, &text);
	free(text.at);
	return !fclose(f);
}

/* Bitcode with inline assembly to what the job is for: its output says where that lies (notes.h). */
static int stage_assembly(const struct job *job, const char *input, const char *folder)
{
	char text[FOLDER_MAX + 16], noted[FOLDER_MAX + 16], target[FOLDER_MAX];
	const char *triple = value_of(job, "-triple"), *output = value_of(job, "-o");
	bool object = has(job, "-emit-obj");
	int status;

	snprintf(text, sizeof(text), "%s/text.s", folder);
	snprintf(noted, sizeof(noted), "%s/noted.s", folder);
	snprintf(target, sizeof(target), "--target=%s", triple ? triple : "x86_64-linux-gnu");
	status = stage_bitcode(job, input, text, WRITE);
	if (status)
		return status;
	if (!put_notes(text, object ? noted : output)) {
		perror("heddle-cc");
		return 1;
	}
	/* Of files that only debug information names it warns what nobody can mend. */
	return object ? job_run((char *[]){ job->word[0], target, (char *)"-c",
					    (char *)"-Wa,--no-warn", (char *)"-o", (char *)output,
					    noted, NULL })
		      : 0;
}

static int run_staged(const struct job *job, const char *folder)
{
	char plain[FOLDER_MAX + 16], shown[FOLDER_MAX + 16], calls[FOLDER_MAX + 16];
	bool shows, assembly;
	int status;

	snprintf(plain, sizeof(plain), "%s/plain.bc", folder);
	snprintf(shown, sizeof(shown), "%s/shown.bc", folder);
	snprintf(calls, sizeof(calls), "%s/calls.bc", folder);
	status = stage_source(job, plain);
	if (status)
		return status;
	shows = locals_show(job->word[0], plain, shown, &assembly);
	status = stage_bitcode(job, shows ? shown : plain, calls, shows ? ANNOUNCE : ANNOUNCE_ALL);
	if (status)
		return status;
	return assembly && !has(job, "-emit-llvm-bc")
		       ? stage_assembly(job, calls, folder)
		       : stage_bitcode(job, calls, value_of(job, "-o"), OPTIMISE);
}

static void remove_folder(const char *folder)
{
	char path[FOLDER_MAX + NAME_MAX + 2];
	struct dirent *entry;
	DIR *dir = opendir(folder);

	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		unlink(path);
	}
	if (dir)
		closedir(dir);
	rmdir(folder);
}

/* True when every such job is of the form that the stages take apart, and there is one. */
static bool is_understood(const struct jobs *jobs)
{
	bool any = false;
	int i;

	for (i = 0; i < jobs->count; i++) {
		const struct job *job = &jobs->job[i];

		if (!compiles(job))
			continue;
		if (strcmp(job->word[job->words - 3], "-x"))
			return false;
		any = true;
	}
	return any;
}

bool staged_run(char *const argv[], int argc, int *status)
{
	const char *old = getenv("TMPDIR"), *tmp = old && *old ? old : "/tmp";
	char folder[FOLDER_MAX];
	struct jobs jobs;
	bool understood;
	int i;

	if ((size_t)snprintf(folder, sizeof(folder), "%s/heddle-cc.XXXXXX", tmp) >=
		    sizeof(folder) ||
	    !mkdtemp(folder))
		return false;
	/* The driver names its own temporary files in our folder. */
	setenv("TMPDIR", folder, 1);
	understood = jobs_ask(&jobs, argv, argc) && is_understood(&jobs);
	*status = 0;
	for (i = 0; understood && i < jobs.count && !*status; i++)
		*status = compiles(&jobs.job[i]) ? run_staged(&jobs.job[i], folder)
						 : job_run(jobs.job[i].word);
	jobs_release(&jobs);
	remove_folder(folder);
	if (old)
		setenv("TMPDIR", old, 1);
	else
		unsetenv("TMPDIR");
	return understood;
}
