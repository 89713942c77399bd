/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jobs.h - the commands that clang's driver would run, and running them
 */
#ifndef HEDDLE_INSTRUMENT_JOBS_H
#define HEDDLE_INSTRUMENT_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* One command: its words, NULL at the end. */
struct job {
	char **word;
	int words;
};

struct jobs {
	struct job *job;
	int count;
	char *text; /* that the words point into */
};

/*
 * Asks the driver (`-###`) what it would run for the command argv (argc words, NULL behind
 * them). Warnings of the driver go to stderr. False when it refuses, or says what cannot
 * be understood: then let the driver run by itself.
 */
bool jobs_ask(struct jobs *jobs, char *const argv[], int argc);

/* Frees what jobs_ask() made. */
void jobs_release(struct jobs *jobs);

/* Waits for a process; its exit status, 128 + N after signal N. */
int job_wait(pid_t pid);

/* Runs a command and waits for it; returns its exit status, 128 + N after signal N. */
int job_run(char *const argv[]);

#endif
