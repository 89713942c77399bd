/* SPDX-License-Identifier: BSD-2-Clause */
/* cxx_name.h - names of C++ as people write them */
#ifndef HEDDLE_CONTROLLER_CXX_NAME_H
#define HEDDLE_CONTROLLER_CXX_NAME_H

#include <stddef.h>

enum {
	CXX_NAME_SHORT = 80 /* columns that are enough for a name in a report */
};

/*
 * A demangled name, or any other, without what the C++ library adds by itself: inline namespaces, allocators and the like as last
 * template arguments; std::string by that name. Where it has more than `most` characters then, "..." stands for inner template
 * arguments, as few of these lists as are enough, then for parameters. What is still too long stays so.
 */
void cxx_name_short(const char *name, size_t most, char *out, size_t size);

#endif
