/* SPDX-License-Identifier: BSD-2-Clause */
/* code.c - see code.h */
#include "preload/core/code.h"

#include "base/must.h"
#include "preload/core/reset.h"

code_restore *code_restores[CODE_BREAKERS];
KEPT(code_restores);

void code_add(code_restore *restore)
{
	unsigned i = 0;

	while (code_restores[i])
		i++;
	must(i < CODE_BREAKERS);
	code_restores[i] = restore;
}
