/* SPDX-License-Identifier: BSD-2-Clause */
/* page.h - page.css and page.js as the build found them (Makemodule.am makes page_data.c) */
#ifndef HEDDLE_CONTROLLER_SHOW_PAGE_H
#define HEDDLE_CONTROLLER_SHOW_PAGE_H

extern const char page_css[], page_js[]; /* end with a zero */

#endif
