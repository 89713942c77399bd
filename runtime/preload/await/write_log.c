/* SPDX-License-Identifier: BSD-2-Clause */
/* write_log.c - see write_log.h */
#include "preload/await/write_log.h"
#include "preload/core/context.h"
#include "preload/core/touch.h"

#include <string.h>

bool log_add(struct write_log *log, uint64_t addr, uint64_t size)
{
	uint32_t n = log->n;

	if (n == LOG_WRITES || size > LOG_BYTES - log->used)
		return false;
	log->write[n].addr = addr;
	log->write[n].size = (uint32_t)size;
	log->write[n].at = log->used;
	log->write[n].shows = false;
	if (copy_safely(log->old + log->used, (void *)addr, size))
		return false;
	log->used += (uint32_t)size;
	log->n++;
	return true;
}

/* Is what that write overwrote known from an earlier one, from entry `from` on? */
static bool is_known(const struct write_log *log, uint32_t from, uint32_t i)
{
	uint64_t addr = log->write[i].addr, end = addr + log->write[i].size;

	for (uint32_t k = from; k < i; k++)
		if (!log->write[k].shows && log->write[k].addr <= addr &&
		    log->write[k].addr + log->write[k].size >= end)
			return true;
	return false;
}

uint32_t log_fold(struct write_log *log, uint32_t n)
{
	uint32_t kept = 0, used = 0, first = n;

	for (uint32_t i = 0; i < log->n; i++) {
		const uint32_t size = log->write[i].size;

		if (i == n)
			first = kept;
		if (i < n && is_known(log, 0, i))
			log->write[i].size = 0; /* what comes later finds the one before it */
		if (!log->write[i].size)
			continue;
		memmove(log->old + used, log->old + log->write[i].at, size);
		log->write[kept] = log->write[i];
		log->write[kept++].at = used;
		used += size;
	}
	first = n < log->n ? first : kept;
	log->n = kept;
	log->used = used;
	return first;
}

bool log_is_undone_at(const struct write_log *log, uint32_t from, uint32_t i)
{
	return log->write[i].shows || is_known(log, from, i) ||
	       !memcmp((void *)log->write[i].addr, log->old + log->write[i].at, log->write[i].size);
}

bool log_is_undone(const struct write_log *log, uint32_t from)
{
	for (uint32_t i = from; i < log->n; i++)
		if (!log_is_undone_at(log, from, i))
			return false;
	return true;
}

void log_undo(const struct write_log *log, uint32_t from)
{
	for (uint32_t i = log->n; i-- > from;)
		memcpy((void *)log->write[i].addr, log->old + log->write[i].at, log->write[i].size);
}

void log_forget(struct write_log *log, uint32_t n)
{
	const uint32_t at = n < log->n ? log->write[n].at : log->used;

	log->n -= n;
	log->used -= at;
	memmove(log->write, log->write + n, log->n * sizeof(*log->write));
	memmove(log->old, log->old + at, log->used);
	for (uint32_t i = 0; i < log->n; i++)
		log->write[i].at -= at;
}

void own_add(struct own_writes *own, uint64_t addr, uint64_t size)
{
	uint32_t i = own->n++ % OWN_WRITES;

	own->at[i].addr = addr;
	own->at[i].size = size;
}

bool own_covers(const struct own_writes *own, uint64_t addr, uint64_t size)
{
	for (uint32_t i = 0; i < own->n && i < OWN_WRITES; i++)
		if (addr >= own->at[i].addr && addr + size <= own->at[i].addr + own->at[i].size)
			return true;
	return false;
}
