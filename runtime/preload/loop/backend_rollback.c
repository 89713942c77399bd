/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * backend_rollback.c - the image is copied back inside the process
 *
 * Microseconds for a small program, and the default. Cannot undo what the program did to the
 * kernel: files, mappings, descriptors.
 */
#include "preload/image/snapshot.h"
#include "preload/loop/backend.h"
#include "preload/loop/driver.h"

static void run(void)
{
	snapshot_restore();
	shared_maps_restore();
	driver_execution();
}

const struct backend_ops backend_rollback = { .id = BACKEND_ROLLBACK, .run = run };
