/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that are markup for whoever does not look: of functions, and (page.test) of the file. </script><!-- */
#include <pthread.h>

static int größe;

template <typename b> static void *script(void *arg)
{
	__atomic_store_n(&größe, 1, 5); /* </script><img src="x" onerror='a'> &lt; "ü" */
	return arg;
}

int main()
{
	pthread_t other;
	int seen;

	pthread_create(&other, nullptr, script<int>, nullptr);
	seen = __atomic_load_n(&größe, __ATOMIC_SEQ_CST);
	pthread_join(other, nullptr);
	return seen ? 3 : 0;
}
