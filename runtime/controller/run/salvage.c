/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * salvage.c - the last execution of a program that died without a word
 *
 * The engine's state lies in the shared mapping, at the same address here as it had in the
 * program, so the engine's own code can read the execution out of it. But that state may be
 * corrupted, so a child of ours does it: it can only crash or be stopped by an alarm itself.
 * It writes the steps into the free part of the shared step area.
 */
#include "config.h"

#include "controller/run/salvage.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/engine.h"

enum {
	SALVAGE_SECONDS = 5
};

/* Of several runs only one is mapped where the engine's pointers are right. */
static struct shared *at_its_address(const struct run *run)
{
	void *p = run->shared;

	if ((uintptr_t)p != SHARED_ADDR)
		p = mmap((void *)SHARED_ADDR, SHARED_SIZE, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_NORESERVE | MAP_FIXED, run->fd, 0);
	return p == MAP_FAILED ? NULL : p;
}

_Noreturn static void child(const struct run *run, uint64_t used, uint64_t *count)
{
	const struct rlimit no_core = { 0, 0 };
	struct shared *s = at_its_address(run);
	sigset_t none;

	if (!s)
		_exit(1);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGALRM, SIG_DFL);
	setrlimit(RLIMIT_CORE, &no_core);
	alarm(SALVAGE_SECONDS);
	if (!freopen("/dev/null", "w", stderr))
		_exit(1);
	*count = engine_steps((const struct engine *)(uintptr_t)s->engine, &s->steps[used],
			      SHARED_STEPS - used);
	_exit(0);
}

/* How many steps could be read into the step area, from `used` on. */
static uint64_t read_engine(const struct run *run, uint64_t used)
{
	const struct shared *s = run->shared;
	uint64_t *count, n = 0;
	int status;
	pid_t pid;

	if (s->engine < SHARED_ADDR + SHARED_ENGINE_AT || s->engine >= SHARED_ADDR + SHARED_SIZE ||
	    s->engine % 16)
		return 0;
	count = mmap(NULL, sizeof(*count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (count == MAP_FAILED)
		return 0;
	pid = fork();
	if (pid == 0)
		child(run, used, count);
	if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status))
		n = *count <= SHARED_STEPS - used ? *count : 0;
	munmap(count, sizeof(*count));
	return n;
}

/* The target did not name the places any more: globals can still be told from addresses. */
static void name_places(struct finding *f, const struct loaded_list *modules)
{
	for (size_t i = 0; i < f->nsteps; i++) {
		struct step *s = &f->steps[i];

		memset(&s->place, 0, sizeof(s->place));
		/* Only the program's own image is surely below the next mapping's base. */
		if (s->record.addr && modules->n &&
		    place_of_code(modules, s->record.addr).module == 0 &&
		    s->record.addr - modules->at[0].base < 1ul << 30)
			s->place = place_of_code(modules, s->record.addr);
	}
}

/* Whoever did something last, and does not yield. */
static void last_thread(struct finding *f)
{
	size_t i = f->nsteps;

	while (i && !step_happened(&f->steps[i - 1].record))
		i--;
	if (i)
		f->sides[0].thread = f->steps[i - 1].record.tid;
}

/* The last thing that thread did: the death is somewhere behind it. */
static void last_operation(struct finding *f)
{
	struct side *side = &f->sides[0];

	for (size_t i = f->nsteps; i-- > 0;) {
		if (f->steps[i].record.tid != side->thread || !step_happened(&f->steps[i].record))
			continue;
		side->pc = f->steps[i].record.pc;
		side->code = f->steps[i].code;
		return;
	}
}

static bool died_silently(const struct run *run, const struct result *r)
{
	return run->end == RUN_OVER && r->phase > PHASE_START && r->phase < PHASE_DONE &&
	       WIFSIGNALED(run->wait_status);
}

static bool add_crash(const struct run *run, struct result *r, int sig)
{
	struct shared *s = run->shared;
	uint64_t used = s->nsteps <= SHARED_STEPS ? s->nsteps : SHARED_STEPS;
	struct finding *f = &r->findings[r->nfindings];
	const char *name = sigabbrev_np(sig);

	memset(f, 0, sizeof(*f));
	f->sides = calloc(1, sizeof(*f->sides));
	if (!f->sides)
		return false;
	r->nfindings++;
	f->kind = BUG_CRASH;
	f->signal = sig;
	f->execution = r->executions + r->blocked + 1;
	f->nsides = 1;
	f->sides[0].thread = r->current_thread < HEDDLE_MAX_THREADS ? r->current_thread : 0;
	f->sides[0].blocked_on = -1;
	f->nfacts = r->nfacts;
	if (sig)
		snprintf(f->message, sizeof(f->message), "the program died of SIG%s",
			 name ? name : "?");
	else
		snprintf(f->message, sizeof(f->message),
			 "the program wrote over memory of heddle (a wild write: %s)", r->damaged);
	f->nsteps = collect_steps(s, used, read_engine(run, used), &r->modules, &f->steps);
	name_places(f, &r->modules);
	if (r->damaged) /* then current_thread is not to be believed */
		last_thread(f);
	last_operation(f);
	return r->damaged || collect_said(s, &r->modules, &f->said);
}

bool salvage(const struct run *run, struct result *r)
{
	if (r->damaged && !r->nfindings)
		return add_crash(run, r, 0);
	return !died_silently(run, r) || add_crash(run, r, WTERMSIG(run->wait_status));
}
