# SPDX-License-Identifier: BSD-2-Clause
"""Random programs that access variables plainly, atomically or either way, and wait in loops whose rounds do so as well."""
import random

MODELS = ["rc11", "rc11", "rc11", "relaxed", "relaxed", "rc20", "rc20", "sc", "tso", "sra", "ra", "wra"]
LOADS, STORES = ["relaxed", "relaxed", "relaxed", "acquire", "seq_cst"], ["relaxed", "relaxed", "relaxed", "release", "seq_cst"]
BOTH, FENCES = ["relaxed", "relaxed", "acquire", "release", "acq_rel"], ["acquire", "release", "acq_rel", "seq_cst"]
HEAD = r"""#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int x, y, z, l, p, q;
#define ROUND (void)0 /* so that racing_programs.py can do more in each */
#ifdef ATOMIC
#define READ(v) atomic_load_explicit(&(v), memory_order_relaxed)
#define WRITE(v, to) atomic_store_explicit(&(v), (to), memory_order_relaxed)
#else
#define READ(v) (*(volatile int *)&(v))
#define WRITE(v, to) (*(volatile int *)&(v) = (to))
#endif
#define WAIT while /* for what does not wait for ever */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int r[3][8]; /* what each thread read */
static void put(void)
{
	char line[3 * 8 + 1], *at = line;
	long done;
	for (int t = 0; t < 3; t++)
		for (int i = 0; i < 8; i++)
			*at++ = (char)('0' + r[t][i]);
	*at = '\n';
	__asm__ volatile("syscall" : "=a"(done) : "a"(1), "D"(DESCRIPTORL), "S"(line), "d"(25L) : "rcx", "r11", "memory");
}
static void run(void *(*const f[3])(void *))
{
	pthread_t t[3];
	for (int i = 0; i < 3 && f[i]; i++)
		pthread_create(&t[i], 0, f[i], 0);
	for (int i = 0; i < 3 && f[i]; i++)
		pthread_join(t[i], 0);
	put();
}
"""


class Program:
    def __init__(self, seed):
        self.seed, self.draw = seed, random.Random(seed)
        self.model = self.draw.choice(MODELS)
        self.awaited = []
        n = self.draw.choice([2, 3, 3, 3])
        threads = [[self.statement(t, f"r[{t}][{i}]") for i in range(self.draw.choice([2, 3, 4] if n < 3 else [2, 2, 3]))] for t in range(n)]
        shape = self.draw.random()
        if n == 3 and shape < 0.5:
            self.passes_on(threads)
        elif shape > 0.85:
            self.writes_plainly_before(threads)
        elif shape > 0.70:
            self.polls(threads)
        for t, word, value in self.awaited:
            self.draw.choice(threads[:t] + threads[t + 1:]).append(f"atomic_store_explicit(&{word}, {value}, {self.order(STORES)});")
        self.threads = [self.thread(t, lines) for t, lines in enumerate(threads)]

    def order(self, orders):
        return "memory_order_" + self.draw.choice(orders)

    def access(self, to):
        """One of p or q, plainly or not, or an atomic one of x or y."""
        draw = self.draw
        plain, other, value, kind = draw.choice("ppppqqxy"), draw.choice("xy"), 1 + draw.randrange(2), draw.random()
        if kind < 0.24:
            return f"{to} = READ({plain});"
        if kind < 0.44:
            return f"WRITE({plain}, {value});"
        if kind < 0.56:
            return f"{to} = atomic_load_explicit(&{plain}, {self.order(LOADS)});"
        if kind < 0.66:
            return f"atomic_store_explicit(&{plain}, {value}, {self.order(STORES)});"
        if kind < 0.75:
            return f"{to} = atomic_load_explicit(&{other}, {self.order(LOADS)});"
        if kind < 0.82:
            return f"atomic_thread_fence({self.order(FENCES)});"
        if kind < 0.87:
            return f"{to} = atomic_exchange_explicit(&{draw.choice('pqxy')}, {value}, {self.order(BOTH)});"
        return f"atomic_store_explicit(&{other}, {value}, {self.order(STORES)});"

    def in_a_round(self):
        draw = self.draw
        plain, kind = draw.choice("ppppppqqxy"), draw.random()
        if kind < 0.05:
            return f"atomic_thread_fence({self.order(FENCES)});"
        if kind < 0.10:
            return f"atomic_compare_exchange_strong_explicit(&{plain}, &(int){{ 9 }}, 1, {self.order(BOTH)}, memory_order_relaxed);"
        if kind < 0.15:
            return f"atomic_fetch_add_explicit(&z, 1, {self.order(BOTH)}); atomic_fetch_sub_explicit(&z, 1, {self.order(BOTH)});"
        if kind < 0.35:
            return f"v = READ({plain});"
        if kind < 0.55:
            return f"WRITE({plain}, {1 + draw.randrange(2)}); WRITE({plain}, 0);"
        if kind < 0.65:
            return f"WRITE({plain}, {draw.randrange(2)});"
        if kind < 0.75:
            return f"v = atomic_load_explicit(&{draw.choice('pqxy')}, memory_order_relaxed);"
        return f"if (atomic_load_explicit(&{draw.choice('xy')}, memory_order_relaxed) == {1 + draw.randrange(2)}) v = READ({plain});"

    def passes_on(self, threads):
        """A thread waits, and tells another one that it went on."""
        draw = self.draw
        t = draw.randrange(3)
        other = (t + draw.choice([1, 2])) % 3
        self.awaited.clear()
        threads[t] = [self.loop(t, "x"), f"atomic_store_explicit(&y, 1, {self.order(STORES)});"]
        then = draw.choice(["r[{other}][7] = atomic_load_explicit(&p, memory_order_relaxed);", "atomic_store_explicit(&p, 2, memory_order_relaxed);", "WRITE(p, 2);", "r[{other}][7] = READ(p);",
                            self.access(f"r[{other}][7]")]).replace("{other}", str(other))
        threads[other] = [f"if (atomic_load_explicit(&y, {self.order(LOADS)})) {{ {then} }}"]
        threads[3 - t - other] = threads[3 - t - other][:1] if draw.random() < 0.5 else []
        threads[3 - t - other] = [line for line in threads[3 - t - other] if "while" not in line]

    def writes_plainly_before(self, threads):
        """What a thread waits for comes behind a plain write of the same variable."""
        draw = self.draw
        t = draw.randrange(len(threads))
        other = (t + 1) % len(threads)
        self.awaited.clear()
        for lines in threads:
            lines[:] = [line for line in lines if "while" not in line][:1]
        threads[t].insert(0, self.loop(t, "x", [" == 2"], LOADS[2:]))
        self.awaited.clear()
        threads[other] += [draw.choice(["WRITE(x, 1);", "WRITE(x, 1);", "WRITE(x, 0);"]), f"atomic_store_explicit(&x, 2, {self.order(STORES[2:])});"]

    def polls(self, threads):
        """A thread looks under a lock, again and again, at what another one sets under it."""
        draw = self.draw
        t = draw.randrange(len(threads))
        for lines in threads:
            lines[:] = [self.locked(line) if draw.random() < 0.3 else line for line in lines if "while" not in line][:2]
        self.awaited.clear()
        inside, outside = (self.in_a_round() if draw.random() < 0.6 else "" for _ in range(2))
        inside = draw.choice([inside, "v = READ(p);", "WRITE(p, 1); WRITE(p, 0);"])
        inside, outside = (f"if (!done) {{ {part} }}" if draw.random() < 0.5 else part for part in (inside, outside))
        look = draw.choice(["READ(x)", "atomic_load_explicit(&x, memory_order_relaxed)"])
        threads[t].insert(0, f"for (int done = 0; !done;) {{ int v = 0; ROUND; pthread_mutex_lock(&m); done = {look}; {inside} pthread_mutex_unlock(&m);"
                             f" {outside} (void)v; }}")
        threads[(t + 1) % len(threads)].append(self.locked("WRITE(x, 1);"))
        if draw.random() < 0.7:
            threads[t].append("atomic_store_explicit(&y, 1, memory_order_relaxed);")
            behind = draw.choice(["WRITE(p, 2);", "r[0][7] = READ(p);", "WRITE(q, 1);", "atomic_store_explicit(&p, 2, memory_order_relaxed);"])
            threads[(t + len(threads) - 1) % len(threads)].append(f"if (atomic_load_explicit(&y, memory_order_relaxed)) {{ {behind} }}")

    def locked(self, line):
        return f"pthread_mutex_lock(&m); {line} pthread_mutex_unlock(&m);"

    def loop(self, t, word, until=("", "", " == 1", " == 2"), loads=None):
        draw = self.draw
        body = " ".join(self.in_a_round() for _ in range(draw.choice([1, 1, 2])))
        until = draw.choice(until)
        self.awaited.append((t, word, 2 if "2" in until else 1))
        return f"while (!(atomic_load_explicit(&{word}, {self.order(loads or LOADS)}){until})) {{ int v = 0; ROUND; {body} (void)v; }}"

    def statement(self, t, to):
        draw = self.draw
        kind, word = draw.random(), draw.choice("xy")
        if len(self.awaited) < 2 and kind < 0.35:
            return self.loop(t, word)
        if kind < 0.43:
            return self.spin_lock(to)
        if kind < 0.58:
            return f"if (atomic_load_explicit(&{word}, {self.order(LOADS)})) {{ {self.access(to)} }}"
        return self.access(to)

    def spin_lock(self, to):
        draw = self.draw
        body = self.in_a_round() if draw.random() < 0.4 else ""
        take = draw.choice([f"atomic_exchange_explicit(&l, 1, {self.order(BOTH[1:])})",
                            f"!atomic_compare_exchange_strong_explicit(&l, &(int){{ 0 }}, 1, {self.order(BOTH[1:])}, memory_order_relaxed)"])
        return f"WAIT ({take}) {{ int v = 0; ROUND; {body} (void)v; }} {self.access(to)} atomic_store_explicit(&l, 0, {self.order(STORES)});"

    def thread(self, t, lines):
        body = "".join(f"\t{line}\n" for line in lines)
        return f"static void *thread_{self.seed}_{t}(void *arg)\n{{\n{body}\treturn arg;\n}}\n"

    def name(self, t):
        return f"thread_{self.seed}_{t}" if t < len(self.threads) else "0"
