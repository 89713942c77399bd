/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * launch.h - starts the program with the runtime in it
 *
 *	struct run run;
 *
 *	if (run_open(&run))            maps the memory shared with the program
 *		...
 *	run.shared->config = ...;      what it shall do
 *	if (run_start(&run, &launch))  fork, exec
 *		...
 *	supervise(&run, &watch);       until it is over (supervise.h)
 *	...                            look at run.shared
 *	run_release(&run);
 *
 * The mapping has a fixed address, so at most one run is open at a time, but for runs that
 * work together: one of them is at that address, the others elsewhere (run_open_another()).
 */
#ifndef HEDDLE_CONTROLLER_LAUNCH_H
#define HEDDLE_CONTROLLER_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "controller/elf/elf.h"
#include "controller/trace/variables.h"
#include "wire/shared.h"

struct launch {
	const struct program *program;
	char *const *argv;      /* with argv[0], ends with NULL */
	const char *folder;     /* where it runs; NULL: in ours */
	const char *stdin_file; /* NULL: empty input */
	bool show_output;       /* else standard output and error go to /dev/null */
	int output_fd;          /* with show_output: where they go instead; 0: they are ours */
	bool gdb;               /* run it in gdb, on our terminal */
	char *const *gdb_args;  /* more for its command line, ends with NULL; NULL: none */
	/* It runs as it is, and what it starts finds this session (wire/follow.h); else NULL. */
	const char *natively;
	/* What its environment has other than ours; NULL: nothing. */
	const struct variable_list *environment;
};

enum run_end {
	RUN_OVER,        /* it ended by itself: see wait_status and the phase */
	RUN_TIMEOUT,     /* --timeout */
	RUN_INTERRUPTED, /* Ctrl-C or SIGTERM */
	RUN_HUNG,        /* the watchdog: no operation for too long */
	RUN_STOPPED,     /* watch.look or watch.ended had enough */
};

enum {
	RUN_LEFT = 400
};

struct run {
	struct shared *shared;          /* at SHARED_ADDR, NULL: not open */
	const struct fact_table *facts; /* where it keeps what it finds out */
	int fd;
	int exchange_fd; /* to be inherited as well (exchange.h); -1: none */
	/* Likewise, the descriptors of runs whose processes this one makes (preload/loop/siblings.c). */
	const int *sibling_fd;
	uint32_t nsiblings;
	/* Of such a run: where its process id will stand; NULL: run_start() makes it. */
	_Atomic uint32_t *born;
	pid_t pid; /* 0: not started, or waited for */
	int pidfd;
	enum run_end end;
	int wait_status;
	double seconds;
	long peak_rss_kib;
	uint32_t hung_thread; /* RUN_HUNG: the thread that was running */
	bool accesses_only;   /* RUN_HUNG: it did nothing but plain accesses */
	char left
		[RUN_LEFT]; /* what it left behind that did not end, and how long that was waited for; or "" */
};

/*
 * Gives memory that is a file its size, which is not the size of a file to who set a limit for these
 * (RLIMIT_FSIZE). False, with errno, when it cannot.
 */
bool memory_sized(int fd, off_t size);

/* 0, or an exit status after a message. The mapping is empty but for magic and protocol. */
int run_open(struct run *run);
int run_open_another(struct run *run);

/* Starts the program; 0, or an exit status after a message. */
int run_start(struct run *run, const struct launch *launch);

/* Kills what still runs, waits for it, unmaps. */
void run_release(struct run *run);

/*
 * Will programs have other addresses in each run? So it is where randomisation cannot be turned off: the
 * default filter of system calls in containers forbids it.
 */
bool addresses_vary(void);

/* Ends the process and all others of its group at once; it is still to be waited for. */
void run_kill(struct run *run);

#endif
