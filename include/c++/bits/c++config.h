/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Found before the header of this name that belongs to libstdc++, and included with it.
 *
 * heddle sees the accesses of code that it compiled. Up to C++17 the functions of std::string are
 * compiled into libstdc++ and declared extern, so a data race of strings would go unseen. This
 * value has them compiled with the program, as they are in C++20 and with _GLIBCXX_ASSERTIONS, but
 * leaves streams where they are: one stream may be used by several threads.
 */
#pragma GCC system_header

#include_next <bits/c++config.h>

#if defined(_GLIBCXX_EXTERN_TEMPLATE) && _GLIBCXX_EXTERN_TEMPLATE > 0
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
