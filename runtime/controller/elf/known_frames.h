/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * known_frames.h - the frames of return addresses that were asked for before
 */
#ifndef HEDDLE_CONTROLLER_KNOWN_FRAMES_H
#define HEDDLE_CONTROLLER_KNOWN_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "controller/elf/symbolize.h"

struct known_pc;

/* Begins as zeros. */
struct known_frames {
	struct known_pc *slot;
	uint32_t n, bits;
};

/* The frames of pc, innermost first, and how many in n; NULL: not known. They stay until a release. */
const struct frame *known_frames_find(const struct known_frames *k, uint64_t pc, size_t *n);

/* Keeps a copy of the n frames (n > 0) of a pc that is not known; nothing when memory is short, or when so many are known that this saves nothing. */
void known_frames_add(struct known_frames *k, uint64_t pc, const struct frame *frames, size_t n);

/* Forgets all. */
void known_frames_release(struct known_frames *k);

#endif
