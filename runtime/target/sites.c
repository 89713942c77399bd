/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sites.c - places in the program where threads look again and again, learned
 *
 * A place is the return address of a hook. That a location is read again there is found out when it
 * happens: from then on states are saved at the place, and the execution is run again. That threads
 * wait there is found out when one comes back to where it was: then the exploration starts again with
 * the place in use (the engine knows its operations as awaits). Other workers are told.
 *
 * What else is found out on the way, and needs a restart, is kept with them by marks that are no
 * place (await.h).
 *
 * Invariant: half of the table stays free. Cost: a hash table by address.
 */
#include "target/sites.h"

#include "engine/repeat.h"
#include "target/steal.h"

static uint64_t *site_slot(uint64_t pc)
{
	for (uint64_t i = pc * 0x9e3779b97f4a7c15ul >> 52, n = 0; n < SITES; n++, i++)
		if (!state->site[i % SITES] || state->site[i % SITES] == pc)
			return &state->site[i % SITES];
	return NULL;
}

/* In use from now on; of ways there is a set besides, which is asked often. */
static void set_in_use(uint64_t *slot)
{
	state->site_use[slot - state->site] = SITE_WAITS;
	if (*slot < 32)
		state->ways |= (uint32_t)1 << *slot;
}

static void await_know(uint64_t pc)
{
	uint64_t *slot = site_slot(pc);

	if (!slot)
		return;
	state->sites += !*slot;
	*slot = pc;
	set_in_use(slot);
}

enum {
	MODULE_SHIFT = 48
};

uint64_t site_name(uint64_t pc)
{
	int module = module_of(pc);

	if (module < 0)
		return pc;
	return (uint64_t)(module + 1) << MODULE_SHIFT | (pc - shared->modules[module].base);
}

uint64_t site_named(uint64_t name)
{
	uint64_t module = name >> MODULE_SHIFT;

	if (!module || module > shared->nmodules)
		return name;
	return shared->modules[module - 1].base + (name & (((uint64_t)1 << MODULE_SHIFT) - 1));
}

void await_begin(void)
{
	const struct shared_config *c = &shared->config;
	uint64_t pc;

	for (uint32_t i = 0; i < c->nawaits && i < SHARED_MAX_AWAITS; i++)
		await_know(site_named(c->await[i]));
	for (uint32_t i = 0; (pc = steal_learned(i)); i++)
		await_know(site_named(pc));
}

bool site_is(uint64_t pc, enum site_use use)
{
	uint64_t *slot = site_slot(pc);

	return slot && *slot && state->site_use[slot - state->site] >= use;
}

bool site_known(uint64_t pc)
{
	uint64_t *slot = site_slot(pc);

	return slot && *slot;
}

void site_learn(uint64_t pc)
{
	uint64_t *slot = state->sites < SITES / 2 ? site_slot(pc) : NULL;

	if (!slot || *slot)
		return;
	*slot = pc;
	state->sites++;
	state->reruns++;
	engine_rerun(engine);
	driver_leave(LEAVE_AGAIN);
}

void site_use(uint64_t pc)
{
	uint64_t *slot = state->sites < SITES / 2 ? site_slot(pc) : NULL;

	if (!slot || state->site_use[slot - state->site] != SITE_REPEATS)
		return;
	state->sites += !*slot;
	*slot = pc;
	state->site_use[slot - state->site] = SITE_MAY_WAIT;
	state->sites_waiting++;
}

bool await_is_learned(uint64_t mark)
{
	return site_is(mark, SITE_WAITS);
}

void await_learn(uint64_t mark)
{
	site_use(mark);
	state->awaits_checked = 0;
	state->must_restart = 1;
}

void way_found(enum way way)
{
	if (state->sites >= SITES / 2)
		refuse("the program waits at more places than heddle can keep: make it smaller",
		       NULL);
	if (shared->config.mode == ENGINE_EXPLORE) {
		await_learn(way);
		engine_fail(engine);
		leave_execution();
	}
	await_know(way);
	state->reruns++;
	engine_rerun(engine);
	driver_leave(LEAVE_AGAIN);
}

bool await_restart(void)
{
	if (!state->sites_waiting)
		return false;
	for (uint32_t i = 0; i < SITES; i++)
		if (state->site_use[i] == SITE_MAY_WAIT) {
			set_in_use(&state->site[i]);
			steal_await(state->site[i]);
		}
	state->sites_waiting = 0;
	return true;
}
