/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libdw.h - the functions of elfutils' libdw, loaded when a report first needs them
 *
 *	const struct libdw *dw = libdw_load();
 *
 *	if (dw)
 *		dwfl = dw->dwfl_begin(&callbacks);
 *
 * Linked in the usual way, libdw and the four libraries that it needs would cost each run of
 * heddle a third of a millisecond, also those that have nothing to report.
 */
#ifndef HEDDLE_CONTROLLER_LIBDW_H
#define HEDDLE_CONTROLLER_LIBDW_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#define LIBDW_FUNCTIONS(f)                                                                           \
	f(dwarf_aggregate_size) f(dwarf_attr) f(dwarf_child) f(dwarf_diename) f(dwarf_formaddr) f(   \
		dwarf_formref_die) f(dwarf_getlocation) f(dwarf_getlocation_attr) f(dwarf_peel_type) \
		f(dwarf_siblingof) f(dwarf_attr_integrate) f(dwarf_filesrc) f(dwarf_formstring) f(   \
			dwarf_formudata) f(dwarf_getscopes) f(dwarf_getscopes_die)                   \
			f(dwarf_getsrc_die) f(dwarf_getsrcfiles) f(dwarf_haspc) f(                   \
				dwarf_linecol) f(dwarf_lineno) f(dwarf_linesrc) f(dwarf_tag)         \
				f(dwfl_addrmodule) f(dwfl_begin) f(dwfl_build_id_find_elf) f(        \
					dwfl_end) f(dwfl_getmodules) f(dwfl_module_addrdie)          \
					f(dwfl_module_addrinfo) f(dwfl_module_addrname) f(           \
						dwfl_module_getelf) f(dwfl_module_getsym_info)       \
						f(dwfl_module_getsymtab) f(dwfl_module_info) f(      \
							dwfl_module_nextcu) f(dwfl_report_begin)     \
							f(dwfl_report_begin_add) f(                  \
								dwfl_report_elf) f(dwfl_report_end)  \
								f(dwfl_standard_find_debuginfo)

#define LIBDW_MEMBER(name) __typeof__(&name) name;

struct libdw {
	LIBDW_FUNCTIONS(LIBDW_MEMBER)
};

/* All of them; NULL, after a message, where libdw cannot be loaded. Not thread-safe. */
const struct libdw *libdw_load(void);

#endif
