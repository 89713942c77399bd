/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect.h - copies what a run left in the shared mapping, and checks all of it
 *
 *	struct result res;
 *
 *	collect(&run, &config, &res);
 *	...
 *	result_release(&res);
 */
#ifndef HEDDLE_CONTROLLER_COLLECT_H
#define HEDDLE_CONTROLLER_COLLECT_H

#include "controller/run/launch.h"
#include "controller/trace/recording.h"

/* A process that the program made with fork(), before it had threads. */
struct offspring {
	bool threads; /* it created some */
	int ended;    /* as waitpid() told the program; -1: it was not told */
};

struct result {
	enum run_end end;
	int wait_status;
	uint32_t phase; /* enum phase */
	uint64_t executions, blocked, wasted, events, restarts, cut, strayed, bugs_more;
	uint64_t drawn[STRATEGY_COUNT]; /* of test, by who chose */
	struct ledger ledger;           /* zeros unless it came to PHASE_DONE */
	uint64_t values[VALUE_COUNTS];  /* likewise; of an exploration by values */
	uint64_t memo[MEMO_COUNTS];     /* likewise; what was made without the program */
	struct engine_estimate
		estimate; /* of how large an exploration is; no descents: nobody knows */
	bool exhausted, uninstrumented, rooted;
	bool synchronised; /* as in struct shared */
	bool doubtful;     /* an execution ended where a thread might go on, for all that is seen */
	unsigned not_followed; /* enum shared_cut */
	/* Of several workers: killed, their work done again; without work for their addresses. */
	uint32_t lost, elsewhere;
	/* What the program wrote over: "the settings of the run", ...; NULL: nothing that shows. */
	const char *damaged;
	uint32_t backend;
	uint32_t current_thread;
	bool accesses_only; /* end RUN_HUNG: it did plain accesses, and nothing else */
	char text[SHARED_TEXT], note[SHARED_TEXT], memo_over[SHARED_TEXT], values_over[SHARED_TEXT];
	char met_in
		[SHARED_TEXT]; /* a library with locks that are not seen, where threads were at once; or "" */
	char bare[SHARED_TEXT];    /* what threads did in code that announces nothing; or "" */
	char foreign[SHARED_TEXT]; /* what of an instrumented program is not, by name */
	struct coverage *coverage; /* of random testing; NULL: nothing is known */
	struct guided guided;      /* of random executions with a guide */
	double seconds;
	long peak_rss_kib;
	char left[RUN_LEFT]; /* as in struct run */
	struct loaded_list modules;
	struct fact *
		facts; /* those in force that a replay needs, in the order in which they were found */
	uint32_t nfacts;
	struct finding *findings;
	size_t nfindings;
	struct offspring *offspring;
	size_t noffspring;
	bool more_offspring; /* than can be followed */
	bool leaves;         /* it is a tool that starts others (preload/hooks/process/depart.c) */
	struct corpus *corpus; /* of rf-fuzz; NULL: none */
	char *variables; /* names that the program looked at, each with its 0, and an empty one; or NULL */
};

/*
 * given is what the run was started with: config is not to change. False when memory is
 * short.
 */
bool collect(const struct run *run, const struct shared_config *given, struct result *out);
void result_release(struct result *r);
/* Again what processes have put down that the program left behind; false when memory is short. */
bool collect_orphans(const struct run *run, struct result *out);

/* The modules as the runtime noted them; false when memory is short. Release in any case. */
/* Can it be the place of an address, in one of these modules? */
bool collect_place_ok(const struct place *p, const struct loaded_list *modules);

/* collect_said.c: what the program said. False when memory is short. */
bool collect_said(struct shared *s, const struct loaded_list *modules, struct said_list *out);

bool collect_modules(const struct shared *s, struct loaded_list *out);

/* The n steps at record with their places, checked; fewer when one of them makes no sense.
 * *out is the caller's. */
size_t collect_records(const struct engine_step_record *record, const struct place *place,
		       uint64_t n, const struct loaded_list *modules, struct step **out);

/* The first n steps of the shared step area from `first` on, checked; fewer when one of them
 * makes no sense. *out is the caller's. */
size_t collect_steps(const struct shared *s, uint64_t first, uint64_t n,
		     const struct loaded_list *modules, struct step **out);

#endif
