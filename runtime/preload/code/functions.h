/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * functions.h - the functions of the program, as the unwinder knows them
 *
 * Internal to runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_FUNCTIONS_H
#define HEDDLE_PRELOAD_FUNCTIONS_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct dl_phdr_info;

/* A module: the ranges of its segments. */
struct module_code {
	uint64_t start, end; /* what is executed */
	uint64_t data, filled,
		data_end; /* what is written to, of which the file has that up to filled, */
	uint64_t relro, relro_end; /* but for that */
	const uint8_t *table;      /* .eh_frame_hdr, NULL: none */
	uint64_t base;             /* what is added to the file's addresses */
	const ElfW(Dyn) * dynamic;
	const char *file; /* the loader's; empty: the program */
};

/* Before main(), once: the modules that are there now are those of functions_each(); others may be unloaded. */
void functions_init(void);

/* The ranges of a module. */
struct module_code functions_module(const struct dl_phdr_info *info);
/* Tells each function [start, end) of a module, by ascending addresses. */
void functions_of(const struct module_code *c,
		  void (*tell)(const struct module_code *c, uint64_t start, uint64_t end));
/* Where the last one ends that begins there or before; 0: there is none, or nobody knows. Behind `at`: that is in it. O(log n) */
uint64_t functions_before(const struct module_code *c, uint64_t at);
/* Tells each of these modules that is wanted, by ascending addresses. */
void functions_each(bool (*wanted)(const struct dl_phdr_info *info),
		    void (*tell)(const struct module_code *c));

#pragma GCC visibility pop

#endif
