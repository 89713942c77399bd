/* SPDX-License-Identifier: BSD-2-Clause */
/* fences.h - every way to write a fence, for builds in which warnings are errors */
#ifdef __cplusplus
#include <atomic>
using namespace std;
#else
#include <stdatomic.h>
#endif

static void all_fences(void)
{
	atomic_thread_fence(memory_order_acquire);
	atomic_thread_fence(memory_order_release);
	atomic_thread_fence(memory_order_acq_rel);
	atomic_thread_fence(memory_order_seq_cst);
	atomic_signal_fence(memory_order_seq_cst);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__sync_synchronize();
}

int main(void)
{
	all_fences();
	return 0;
}
