/* SPDX-License-Identifier: BSD-2-Clause */
/* markup.c - see markup.h */
#include "config.h"

#include "controller/base/markup.h"

#include <stddef.h>

const char *markup_entity(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}
