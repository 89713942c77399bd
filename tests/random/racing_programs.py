# SPDX-License-Identifier: BSD-2-Clause
"""Random programs that race, or do not: locks of all kinds, threads in threads, blocks that are freed, parts of variables, rounds, and checks."""
import random

from plain_programs import BOTH, FENCES, LOADS, MODELS, STORES, Program

HEAD = r"""#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static atomic_int x, y, z, l, p, q, c;
static union { _Atomic short half[2]; int whole; } w;
struct pair { atomic_int a, b; };
static struct pair here, there;
static _Atomic(struct pair *) box;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, k = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t sem;
static const struct timespec soon = { 1, 0 };
static int r[3][8]; /* what each thread read */
#ifdef MARKED /* each plain access is atomic, behind a store that says so */
static atomic_int mark[8], freed[8], failed[8], went[8];
static struct pair nodes[8];
#define SAY(what) atomic_store_explicit(&what[me], 1, memory_order_relaxed)
#define ROUND SAY(went)
#define CHECK(holds) ((holds) ? (void)0 : SAY(failed))
#define READ(v) (SAY(mark), atomic_load_explicit(&(v), memory_order_relaxed))
#define WRITE(v, to) (SAY(mark), atomic_store_explicit(&(v), (to), memory_order_relaxed))
static int read_wide(int me)
{
	int low = (unsigned short)READ(w.half[0]);
	return low | READ(w.half[1]) << 16;
}
static void write_wide(int me, int to)
{
	WRITE(w.half[0], (short)to);
	WRITE(w.half[1], (short)(to >> 16));
}
static void copy(int me, struct pair *to, struct pair *from)
{
	int a = READ(from->a), b = READ(from->b);
	WRITE(to->a, a);
	WRITE(to->b, b);
}
static void set(int me, struct pair *to, int byte)
{
	WRITE(to->a, byte * 0x1010101);
	WRITE(to->b, byte * 0x1010101);
}
static struct pair *allocate(int me, int which)
{
	set(me, &nodes[which], 0);
	return &nodes[which];
}
static void release(int me, struct pair *n)
{
	SAY(freed), atomic_store_explicit(&n->a, 0, memory_order_relaxed);
	SAY(freed), atomic_store_explicit(&n->b, 0, memory_order_relaxed);
}
#else
#define ROUND (void)0
#define CHECK(holds) assert(holds)
#define READ(v) (*(volatile int *)&(v))
#define WRITE(v, to) (*(volatile int *)&(v) = (to))
#define read_wide(me) (*(volatile int *)&w.whole)
#define write_wide(me, to) (*(volatile int *)&w.whole = (to))
#define copy(me, to, from) memcpy((to), (from), sizeof(struct pair))
#define set(me, to, byte) memset((to), (byte), sizeof(struct pair))
#define release(me, n) free(n)
static struct pair *allocate(int me, int which)
{
	struct pair *n = malloc(sizeof(*n));
	(void)me, (void)which;
	WRITE(n->a, 0);
	WRITE(n->b, 0);
	return n;
}
#endif
#define WAIT while /* for what does not wait for ever */
static void run(void *(*const f[4])(void *))
{
	pthread_t t[3];
	pthread_spin_init(&spin, 0);
	pthread_barrier_init(&barrier, 0, 2);
	sem_init(&sem, 0, 0);
	for (int i = 0; i < 3 && f[i]; i++)
		pthread_create(&t[i], 0, f[i], 0);
	for (int i = 0; i < 3 && f[i]; i++)
		pthread_join(t[i], 0);
	f[3](0);
}
"""

# Where a read that is no more than that is a try in vain.
TRIES = (":m+", ":k+", ":rw+", ":spin+", ":sem+")
THEMES = ["mutex", "mutex", "rwlock", "spin", "sem", "barrier", "once", "cond", "nested", "heap", "heap", "wide", "wide", "pairs", "chains", "chains", "rounds", "rounds", "tries",
          "polls", "passes", "before", "goes-on", "goes-on", "checks", "checks", "checks"]
ROUNDS = {"rounds", "passes", "before", "polls", "tries", "goes-on"}
LOCKS = [("pthread_mutex_trylock(&m)", "pthread_mutex_unlock(&m);"), ("pthread_spin_trylock(&spin)", "pthread_spin_unlock(&spin);"),
         ("pthread_rwlock_trywrlock(&rw)", "pthread_rwlock_unlock(&rw);"), ("pthread_rwlock_tryrdlock(&rw)", "pthread_rwlock_unlock(&rw);")]
ME_ONCE, ME_LAST = 6, 7


class Racing(Program):
    """Its parts are lists of lines: of thread 0, 1, 2, of the threads that these create (3, 4, 5), what is done once, and what comes last."""

    def __init__(self, seed, themes=()):
        """themes: those to draw from, if not all."""
        self.seed, self.draw = seed, random.Random(seed * 7 + 1)
        draw = self.draw
        self.model = draw.choice(MODELS)
        self.awaited, self.blocks = [], 0
        self.themes = {draw.choice(themes or THEMES) for _ in range(draw.choice([1, 2, 2, 3]))}
        if self.model == "wra" and "wide" in self.themes: # which refuses accesses of several sizes
            self.model = "ra"
        self.quiet = self.themes & ROUNDS and draw.random() < 0.7
        n = draw.choice([2, 2, 3, 3, 3])
        self.parts = {part: [] for part in range(8)}
        threads = [[self.statement(t, f"r[{t}][{i}]") for i in range(draw.choice([2, 3, 4] if n < 3 else [1, 2, 2, 3]))] for t in range(n)]
        shapes = [shape for theme, shape in (("passes", self.passes_on), ("before", self.writes_plainly_before), ("polls", self.polls)) if theme in self.themes]
        if shapes and (n == 3 or shapes[0] != self.passes_on):
            draw.choice(shapes)(threads) if n == 3 else shapes[-1](threads)
        for t, word, value in self.awaited:
            draw.choice(threads[:t] + threads[t + 1:]).append(f"atomic_store_explicit(&{word}, {value}, {self.order(STORES)});")
        if "goes-on" in self.themes:
            threads = self.goes_on()
        for theme, shape in (("barrier", self.barrier), ("once", self.once), ("cond", self.cond), ("nested", self.nested), ("heap", self.heap), ("tries", self.tries)):
            if theme in self.themes:
                shape(threads)
        if "checks" in self.themes:
            self.checks(threads)
        for t, lines in enumerate(threads):
            self.parts[t] = lines
        self.rendered()

    def rendered(self):
        self.threads = [self.function(part) for part in (6, 3, 4, 5, 0, 1, 2, 7)]

    def function(self, part):
        body = "".join(f"\t{line}\n" for line in self.parts[part])
        if part == ME_ONCE:
            return f"static void once_{self.seed}(void)\n{{\n\tenum {{ me = {part} }};\n\tint v = 0;\n\t(void)v;\n{body}}}\n"
        return f"static void *{self.function_name(part)}(void *arg)\n{{\n\tenum {{ me = {part} }};\n\tint v = 0;\n\t(void)v;\n{body}\treturn arg;\n}}\n"

    def function_name(self, part):
        return f"part_{self.seed}_{part}"

    def name(self, t):
        """Of the function in that column of the table: 3 is what comes last."""
        if t == 3:
            return self.function_name(ME_LAST)
        return self.function_name(t) if self.parts[t] else "0"

    def has_rounds(self):
        return any("ROUND" in line for lines in self.parts.values() for line in lines)

    # ---- Accesses ----

    def access(self, to):
        draw, kind = self.draw, self.draw.random()
        if self.quiet: # else there is always a race beside that of a round
            return self.beside(to)
        if "wide" in self.themes and kind < 0.4:
            return self.wide(to)
        if "pairs" in self.themes and kind < 0.4:
            return self.pair(to, draw.choice(["here", "there"]))
        if "chains" in self.themes and kind < 0.5:
            return self.chain(to)
        return super().access(to)

    def beside(self, to):
        draw, word = self.draw, self.draw.choice("xy")
        return draw.choice([f"{to} = atomic_load_explicit(&{word}, {self.order(LOADS)});", f"atomic_thread_fence({self.order(FENCES)});",
                            f"{to} = atomic_load_explicit(&q, {self.order(LOADS)});", f"atomic_store_explicit(&q, 1, {self.order(STORES)});",
                            f"{to} = atomic_fetch_add_explicit(&q, 1, {self.order(BOTH)});"])

    def wide(self, to):
        draw, half, value = self.draw, self.draw.randrange(2), 1 + self.draw.randrange(2)
        return draw.choice([f"{to} = read_wide(me);", f"write_wide(me, {draw.choice([value, value << 16, value * 0x10001])});",
                            f"{to} = atomic_load_explicit(&w.half[{half}], {self.order(LOADS)});",
                            f"atomic_store_explicit(&w.half[{half}], {value}, {self.order(STORES)});",
                            f"atomic_fetch_add_explicit(&w.half[{half}], 1, {self.order(BOTH)});"])

    def pair(self, to, which):
        draw, field, value = self.draw, self.draw.choice("ab"), 1 + self.draw.randrange(2)
        lines = [f"{to} = READ({which}.{field});", f"WRITE({which}.{field}, {value});", f"{to} = atomic_load_explicit(&{which}.{field}, {self.order(LOADS)});",
                 f"atomic_store_explicit(&{which}.{field}, {value}, {self.order(STORES)});", f"set(me, &{which}, {value});", "copy(me, &here, &there);", "copy(me, &there, &here);"]
        return draw.choice(lines)

    def chain(self, to):
        draw, word, value = self.draw, self.draw.choice("xxy"), 1 + self.draw.randrange(2)
        return draw.choice([f"{to} = atomic_fetch_add_explicit(&{word}, {value}, {self.order(BOTH)});", f"{to} = atomic_exchange_explicit(&{word}, {value}, {self.order(BOTH)});",
                            f"atomic_store_explicit(&{word}, {value}, {self.order(STORES)});", f"atomic_thread_fence({self.order(FENCES)});",
                            f"if (atomic_load_explicit(&{word}, {self.order(LOADS)}) == {value}) {{ {super().access(to)} }}",
                            f"{to} = atomic_compare_exchange_strong_explicit(&{word}, &(int){{ {draw.choice([0, 1])} }}, 2, {self.order(BOTH)}, {self.order(LOADS[2:4])});"])

    # ---- Statements ----

    def statement(self, t, to):
        draw, kind = self.draw, self.draw.random()
        ways = [way for way in (self.mutex, self.rwlock, self.spin, self.sem) if way.__name__ in self.themes]
        if ways and kind < 0.6:
            return draw.choice(ways)(to)
        if "wide" in self.themes and len(self.awaited) < 2 and kind < 0.1:
            return self.waits_for_a_half(t)
        if "rounds" in self.themes and len(self.awaited) < 2 and kind < 0.4:
            return self.spin_lock(to) if kind < 0.12 else self.loop(t, draw.choice("xy"))
        if kind < 0.75:
            return self.access(to)
        return f"if (atomic_load_explicit(&{draw.choice('xy')}, {self.order(LOADS)})) {{ {self.access(to)} }}"

    def waits_for_a_half(self, t):
        half = f"w.half[{self.draw.randrange(2)}]"
        self.awaited.append((t, half, 1))
        body = self.draw.choice(["", "v = read_wide(me);", "write_wide(me, 0);", self.in_a_round()])
        return f"while (!atomic_load_explicit(&{half}, {self.order(LOADS)})) {{ ROUND; {body} }}"

    def held(self, lock, trying, unlock, to):
        draw = self.draw
        inside = " ".join(self.access(to) for _ in range(draw.choice([1, 1, 2])))
        if trying:
            return f"if (!{lock}) {{ {inside} {unlock} }}" + (f" else {{ {self.access(to)} }}" if draw.random() < 0.3 else "")
        return f"{lock}; {inside} {unlock}"

    def mutex(self, to):
        which, kind = self.draw.choice("mmk"), self.draw.random()
        how = "lock" if kind < 0.6 else "trylock" if kind < 0.9 else "timedlock"
        return self.held(f"pthread_mutex_{how}(&{which}{', &soon' if how == 'timedlock' else ''})", how != "lock", f"pthread_mutex_unlock(&{which});", to)

    def rwlock(self, to):
        how = self.draw.choice(["rdlock", "rdlock", "wrlock", "wrlock", "tryrdlock", "trywrlock"])
        return self.held(f"pthread_rwlock_{how}(&rw)", "try" in how, "pthread_rwlock_unlock(&rw);", to)

    def spin(self, to):
        how = self.draw.choice(["lock", "lock", "trylock"])
        return self.held(f"pthread_spin_{how}(&spin)", "try" in how, "pthread_spin_unlock(&spin);", to)

    def sem(self, to):
        return self.draw.choice([f"{self.access(to)} sem_post(&sem);", f"{self.access(to)} sem_post(&sem);", f"sem_wait(&sem); {self.access(to)}",
                                 f"if (!sem_trywait(&sem)) {{ {self.access(to)} }}", f"if (!sem_timedwait(&sem, &soon)) {{ {self.access(to)} }}"])

    # ---- What several threads have a part in ----

    def put_in(self, lines, line):
        lines.insert(self.draw.randrange(len(lines) + 1), line)

    def two_of(self, threads):
        return self.draw.sample(range(len(threads)), 2)

    def barrier(self, threads):
        for t in self.two_of(threads):
            self.put_in(threads[t], f"pthread_barrier_wait(&barrier); {self.access(f'r[{t}][5]')}")

    def once(self, threads):
        self.parts[ME_ONCE] = [self.access("v")]
        for t in self.two_of(threads):
            self.put_in(threads[t], f"pthread_once(&once, once_{self.seed}); {self.access(f'r[{t}][5]')}")

    def cond(self, threads):
        draw = self.draw
        t, other = self.two_of(threads)
        wait = draw.choice(["while (!READ(c)) pthread_cond_wait(&cond, &m);"] * 2 + ["if (!READ(c)) pthread_cond_wait(&cond, &m);", "if (!READ(c)) pthread_cond_timedwait(&cond, &m, &soon);"])
        signal = f"pthread_cond_{draw.choice(['signal', 'broadcast'])}(&cond);"
        self.put_in(threads[t], f"pthread_mutex_lock(&m); {wait} {self.access(f'r[{t}][5]')} pthread_mutex_unlock(&m);")
        self.put_in(threads[other], f"pthread_mutex_lock(&m); {self.access(f'r[{other}][5]')} WRITE(c, 1); "
                    + draw.choice([f"{signal} pthread_mutex_unlock(&m);", f"pthread_mutex_unlock(&m); {signal}"]))

    def nested(self, threads):
        draw = self.draw
        t = draw.randrange(len(threads))
        self.parts[3 + t] = [self.access("v") for _ in range(draw.choice([1, 2]))]
        between = self.access(f"r[{t}][5]") if draw.random() < 0.6 else ""
        self.put_in(threads[t], f"{{ pthread_t n; pthread_create(&n, 0, {self.function_name(3 + t)}, 0); {between} pthread_join(n, 0); }}")
        threads[t].append(self.access(f"r[{t}][6]"))

    def node(self, to):
        draw, field, value = self.draw, self.draw.choice("ab"), 1 + self.draw.randrange(2)
        return draw.choice([f"{to} = READ(n->{field});", f"WRITE(n->{field}, {value});", f"{to} = atomic_load_explicit(&n->{field}, {self.order(LOADS)});",
                            f"atomic_fetch_add_explicit(&n->{field}, 1, {self.order(BOTH)});", "copy(me, &here, n);", f"set(me, n, {value});"])

    def heap(self, threads):
        draw = self.draw
        t, other = self.two_of(threads)
        after = draw.choice(["", "", self.node(f"r[{t}][6]"), "release(me, n);", f"if (atomic_fetch_sub_explicit(&z, 1, {self.order(BOTH)}) == 0) release(me, n);"])
        counted = "atomic_fetch" in after
        self.put_in(threads[t], f"{{ struct pair *n = allocate(me, 0); {self.node(f'r[{t}][5]')} atomic_store_explicit(&box, n, {self.order(STORES[2:])}); {after} }}")
        for taker in [other] + [u for u in range(len(threads)) if u not in (t, other) and draw.random() < 0.5]:
            take = draw.choice([f"atomic_load_explicit(&box, {self.order(LOADS[2:])})", f"atomic_exchange_explicit(&box, 0, {self.order(BOTH)})"])
            end = f"if (atomic_fetch_sub_explicit(&z, 1, {self.order(BOTH)}) == -1) release(me, n);" if counted else draw.choice(["release(me, n);", "release(me, n);", ""])
            waits = f"while (!(n = {take})) {{ ROUND; {self.in_a_round() if draw.random() < 0.4 else ''} }}" if draw.random() < 0.35 else f"n = {take};"
            self.put_in(threads[taker], f"{{ struct pair *n; {waits} if (n) {{ {self.node(f'r[{taker}][5]')} {end} }} }}")

    def tries(self, threads):
        """A loop that goes on until a lock could be taken, or until a word is set that is looked at under it."""
        draw = self.draw
        t, other = self.two_of(threads)
        attempt, unlock = draw.choice(LOCKS)
        lock = attempt.replace("try", "")
        round_of = self.in_a_round() if draw.random() < 0.7 else ""
        if draw.random() < 0.6:
            line = f"WAIT ({attempt}) {{ ROUND; {round_of} }} {self.access(f'r[{t}][5]')} {unlock}"
        else:
            line = f"for (int done = 0; !done;) {{ ROUND; if (!{attempt}) {{ done = {draw.choice(['READ(x)', 'atomic_load_explicit(&x, memory_order_relaxed)'])}; {unlock} }} {round_of} }}"
            threads[other].append(f"{lock}; WRITE(x, 1); {unlock}".replace("rdlock", "wrlock"))
        threads[t][:] = [other_line for other_line in threads[t] if "ROUND" not in other_line]
        self.put_in(threads[t], line)
        self.put_in(threads[other], f"{lock}; {self.access(f'r[{other}][6]')} {unlock}")
        if draw.random() < 0.5:
            threads[t].append("atomic_store_explicit(&y, 1, memory_order_relaxed);")
            threads[other].append(f"if (atomic_load_explicit(&y, memory_order_relaxed)) {{ {draw.choice(['WRITE(p, 2);', f'r[{other}][7] = READ(p);', self.access(f'r[{other}][7]')])} }}")

    def of_p(self, to):
        """An access of p."""
        draw, value = self.draw, self.draw.randrange(3)
        return draw.choice([f"WRITE(p, {value});", f"WRITE(p, {value});", f"{to} = READ(p);", f"{to} = READ(p);", f"atomic_store_explicit(&p, {value}, {self.order(STORES)});",
                            f"{to} = atomic_load_explicit(&p, {self.order(LOADS)});"])

    def a_round(self):
        draw = self.draw
        one = draw.choice(["WRITE(p, 1); WRITE(p, 0);", "WRITE(p, 1);", "v = READ(p);", "v = READ(p);", "v = atomic_load_explicit(&p, memory_order_relaxed);",
                           "if (v == 0) { v = READ(p); }", "v = READ(q); WRITE(p, 0);", self.of_p("v")])
        more = self.in_a_round() if draw.random() < 0.25 else f"atomic_thread_fence({self.order(FENCES)});" if draw.random() < 0.15 else ""
        return f"{one} {more}" if draw.random() < 0.7 else f"{more} {one}"

    def goes_on(self):
        """A thread goes round until another one, or one of two values, lets it go on; what it did meanwhile races, or not, with who learns that it went on."""
        draw, body = self.draw, self.a_round()
        if draw.random() < 0.5: # under others there are no such races
            self.model = draw.choice(["rc11", "rc20", "relaxed"])
        lock, unlock = draw.choice(LOCKS)
        take = lock.replace("try", "").replace("rdlock", "wrlock")
        looks, order = draw.choice(["READ(x)", "atomic_load_explicit(&x, memory_order_relaxed)"]), self.order(LOADS)
        lets = [f"atomic_store_explicit(&x, {value}, {self.order(STORES)});" for value in draw.choice([[1], [1], [2, 1], [1, 0, 1]])]
        if draw.random() < 0.15: # who waits looked in vain meanwhile: no other race
            body = self.beside("v")
            order, lets = "memory_order_acquire", [f"WRITE(x, {draw.choice([0, 0, 2])}); atomic_store_explicit(&x, 1, memory_order_release);"]
        way = draw.choice([0, 0, 0, 3, 4, 5, 6, 6, 6, 7])
        if way < 3:
            loop = f"while ({draw.choice(['!', '1 != '])}atomic_load_explicit(&x, {order})) {{ ROUND; {body} }}"
        elif way == 3:
            loop = f"while ((v = atomic_load_explicit(&x, {order})) != 1) {{ ROUND; if (v == {draw.randrange(3)}) {{ {body} }} }}"
        elif way == 4:
            loop = f"while (!atomic_compare_exchange_strong_explicit(&x, &(int){{ 1 }}, 3, {self.order(BOTH)}, memory_order_relaxed)) {{ ROUND; {body} }}"
        elif way == 5:
            loop, lets = f"while ({lock}) {{ ROUND; {body} }} {draw.choice(['', self.of_p('r[0][1]')])} {unlock}", [f"{take}; {draw.choice(['', self.of_p('r[1][1]')])} {unlock}"]
        else:
            if draw.random() < 0.6: # the last round does not
                body = f"if (!done) {{ {body} }}"
            inside, outside = draw.choice([(body, ""), ("", body)])
            go = f"{take}; done = {looks}; {inside} {unlock} {outside}" if way == 6 else f"if (!{lock}) {{ done = {looks}; {inside} {unlock} }} {outside}"
            loop, lets = f"for (int done = 0; !done;) {{ ROUND; {go} }}", [f"{take}; {'WRITE(x, 1);' if 'READ' in looks else 'atomic_store_explicit(&x, 1, memory_order_relaxed);'} {unlock}"]
        first = [draw.choice(["r[0][0] = READ(p);", self.of_p("r[0][0]")])] if draw.random() < 0.4 else []
        tells, learns = ("memory_order_relaxed", "memory_order_relaxed") if draw.random() < 0.6 else (self.order(STORES), self.order(LOADS))
        then = [f"atomic_store_explicit(&y, 1, {tells});"]
        learns = f"if (atomic_load_explicit(&y, {learns}))" if draw.random() < 0.7 else f"while (!atomic_load_explicit(&y, {learns})) {{ ROUND; }}"
        behind = f"{learns} {{ {self.of_p('r[1][7]')} }}" if "if" in learns else f"{learns} {self.of_p('r[1][7]')}"
        before = [self.of_p("r[1][0]")] if draw.random() < 0.2 else []
        if way < 5 and draw.random() < 0.4:
            return [first + [loop] + then, before + lets + [behind]]
        last = [behind.replace("r[1]", "r[2]")] # who locks is behind all rounds before
        if way >= 5 and draw.random() < 0.35:
            last.insert(draw.randrange(2), f"if ({lock}) {{ {draw.choice(['r[2][0] = 1;', self.of_p('r[2][6]')])} }} else {{ {unlock} }}")
            if draw.random() < 0.6:
                self.parts[ME_LAST] = [f"CHECK(!(r[2][0] == 1 && r[{draw.choice([0, 2])}][{draw.choice([0, 7])}] == {draw.randrange(2)}));"]
        if way > 5 and draw.random() < 0.25: # only a round in vain can have the lock when it is tried
            self.model = draw.choice(["sc", "tso", "sra", "ra"])
            lets, loop = [f"atomic_store_explicit(&x, 1, {self.order(STORES)});"], loop.replace("READ(x)", "atomic_load_explicit(&x, memory_order_acquire)")
            last = [f"if ({lock}) {{ r[2][0] = 1; }} else {{ {unlock} }}", f"r[2][2] = atomic_load_explicit(&x, {self.order(LOADS)});"]
            self.parts[ME_LAST] = ["CHECK(!(r[2][0] == 1 && r[2][2] == 0));"]
        threads = [first + [loop] + then, before + lets, last]
        for t in range(3) if draw.random() < 0.4 else []: # more executions
            self.put_in(threads[t], self.beside(f"r[{t}][{draw.choice([2, 3])}]"))
        return threads

    def checks(self, threads):
        """One in a thread, about what it has read, or one in the end, about what two have."""
        draw = self.draw
        read = [(t, i) for t, lines in enumerate(threads) for i in range(8) if any(f"r[{t}][{i}] =" in line for line in lines)]
        if not read:
            return
        if draw.random() < 0.4:
            t, i = draw.choice(read)
            threads[t].append(f"CHECK(r[{t}][{i}] != {draw.randrange(3)});")
        (t, i), (u, k) = draw.choice(read), draw.choice(read)
        self.parts[ME_LAST] = [f"CHECK(!(r[{t}][{i}] == {draw.randrange(3)} && r[{u}][{k}] == {draw.randrange(3)}));"]
