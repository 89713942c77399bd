/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbolize.h - from addresses of a dead process to functions, lines and variables
 *
 *	struct symbolizer *s = symbolizer_new();
 *	struct frame f[8];
 *
 *	symbolizer_module(s, "/tmp/t", 0x555555554000);
 *	n = symbolize_pc(s, 0x5555555551f2, f, 8);
 *	printf("%s %s:%d", f[0].function, f[0].file, f[0].line);
 *
 * Strings belong to the symbolizer and live as long as it does. Not thread-safe.
 */
#ifndef HEDDLE_CONTROLLER_SYMBOLIZE_H
#define HEDDLE_CONTROLLER_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbolizer;

struct frame {
	const char *function; /* NULL: unknown */
	const char *file;     /* as in the debug information, NULL: unknown; */
	const char *folder;   /* if it is no absolute path, it is from here; NULL: unknown */
	int line, column;     /* 0: unknown; the column is in bytes, from 1 */
	const char *module;   /* path, NULL: in no module */
	uint64_t offset;      /* from the module's load base */
	bool inlined;         /* into the next frame */
};

struct variable {
	const char *name;
	const char *module;
	uint64_t offset; /* of the address in the variable */
	uint64_t size;   /* of the variable, 0: unknown */
};

struct symbolizer *symbolizer_new(void);
void symbolizer_free(struct symbolizer *s);

/* Adds a module that was loaded at base (dlpi_addr). False when it cannot be read. */
bool symbolizer_module(struct symbolizer *s, const char *path, uint64_t base);

enum {
	FRAMES_MOST = 8 /* of one address */
};

/*
 * The frames of a return address, innermost inlined one first, FRAMES_MOST or max of them; the call is the instruction
 * before it. At least one frame (max > 0), perhaps with nothing known. Found once for each address.
 */
size_t symbolize_pc(struct symbolizer *s, uint64_t pc, struct frame *out, size_t max);

/* The function of a return address by the symbols of its module, which are there at once: no line, nothing inlined. */
void symbolize_function(struct symbolizer *s, uint64_t pc, struct frame *out);

/* The global variable that an address lies in; false when there is none. */
bool symbolize_data(struct symbolizer *s, uint64_t addr, struct variable *out);

/* What stands behind its name for what is there: ".head", "[2].next+0x4", or "" (members.h). False: its type is not known. */
bool symbolize_member(struct symbolizer *s, uint64_t addr, char *out, size_t size);

/* The name of a variable as its source has it (C++); traces keep the linker's. */
const char *symbolize_shown(struct symbolizer *s, const char *name);

/*
 * For traces: where a symbol of a module lies, from its load base. False when there is no such
 * symbol, or when the name stands for several places (statics of several files).
 */
bool symbol_offset(struct symbolizer *s, const char *module, const char *name, uint64_t *offset);

/* A path shortened for reading: relative to the current folder when it is below it. */
const char *path_short(const char *path);

#endif
