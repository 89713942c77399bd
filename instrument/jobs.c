/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jobs.c - the commands that clang's driver would run, and running them
 *
 * `clang -### ...` prints one line for each command, every word in double quotes, a
 * backslash before what is special. Other lines are the version and warnings. Long link
 * commands go through a response file that is not written then: not understood here.
 */
#include "config.h"

#include "jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int job_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int job_run(char *const argv[])
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt, quit;
	int status;
	pid_t pid;

	/* As in system(3): a Ctrl-C ends the child, and we clean up behind it. */
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	pid = fork();
	if (!pid) {
		sigaction(SIGINT, &interrupt, NULL);
		sigaction(SIGQUIT, &quit, NULL);
		execvp(argv[0], argv);
		fprintf(stderr, "heddle-cc: cannot run %s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	status = pid < 0 ? 127 : job_wait(pid);
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	return status;
}

/* Everything a command writes to stderr, or NULL when it fails. */
static char *stderr_of(char *const argv[])
{
	char *text = NULL;
	size_t size = 0;
	char buffer[4096];
	FILE *copy = open_memstream(&text, &size);
	ssize_t n;
	int fd[2];
	pid_t pid;

	if (!copy || pipe2(fd, O_CLOEXEC))
		return NULL;
	pid = fork();
	if (!pid) {
		dup2(fd[1], STDERR_FILENO);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(fd[1]);
	while ((n = read(fd[0], buffer, sizeof(buffer))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			fwrite(buffer, 1, (size_t)n, copy);
	close(fd[0]);
	fclose(copy);
	if (pid > 0 && job_wait(pid) == 0)
		return text;
	free(text);
	return NULL;
}

/* Takes the quoted words of a line apart in place; false when it is not made of such. */
static bool cut(struct job *job, char *line)
{
	char *in = line, *out;

	job->words = 0;
	job->word = calloc(strlen(line) / 3 + 2, sizeof(*job->word));
	if (!job->word)
		return false;
	while (*in == ' ') {
		if (*++in != '"')
			return false;
		job->word[job->words++] = out = ++in;
		while (*in && *in != '"') {
			if (*in == '\\' && in[1])
				in++;
			*out++ = *in++;
		}
		if (!*in++)
			return false;
		*out = '\0';
		if (job->word[job->words - 1][0] == '@')
			return false;
	}
	return !*in && job->words;
}

static bool add_line(struct jobs *jobs, char *line)
{
	struct job *more;

	if (strncmp(line, " \"", 2)) {
		if (strstr(line, "warning: "))
			fprintf(stderr, "%s\n", line);
		return !strstr(line, "response file");
	}
	more = realloc(jobs->job, sizeof(*more) * (size_t)(jobs->count + 1));
	if (!more)
		return false;
	jobs->job = more;
	return cut(&jobs->job[jobs->count++], line);
}

bool jobs_ask(struct jobs *jobs, char *const argv[], int argc)
{
	char **question = calloc((size_t)argc + 2, sizeof(*question));
	char *line, *rest = NULL;
	bool understood = true;

	memset(jobs, 0, sizeof(*jobs));
	if (!question)
		return false;
	/* Right behind the compiler's name: at the end it could be an option's value. */
	question[0] = argv[0];
	memcpy(question + 2, argv + 1, sizeof(*argv) * (size_t)(argc - 1));
	question[1] = "-###";
	jobs->text = stderr_of(question);
	free(question);
	if (!jobs->text)
		return false;
	for (line = strtok_r(jobs->text, "\n", &rest); line && understood;
	     line = strtok_r(NULL, "\n", &rest))
		understood = add_line(jobs, line);
	return understood && jobs->count;
}

void jobs_release(struct jobs *jobs)
{
	int i;

	for (i = 0; i < jobs->count; i++)
		free(jobs->job[i].word);
	free(jobs->job);
	free(jobs->text);
}
