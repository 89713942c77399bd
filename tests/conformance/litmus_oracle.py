#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every execution of a litmus program, by brute force and straight from the axioms.

  litmus_oracle.py FILE.json         what each program does under each model, in the form of `expect`
  litmus_oracle.py --check FILE.json    where that is not what FILE expects; the last line is
                                        'N passed, M failed'

All graphs of events and reads-from are enumerated (those in which po and rf have a cycle are not), each
with every modification order, and filtered by the axioms of runtime/engine/model/models.txt.

A relation is a list of numbers: bit b of number a says that a is related to b. A set is one number. An
event is named (thread, index), an initial write ('i', location).
"""
import functools
import itertools
import json
import sys

MODELS = ['sc', 'tso', 'sra', 'ra', 'wra', 'relaxed', 'rc20', 'rc11']
RELEASE = {'rel', 'acq_rel', 'sc'}
ACQUIRE = {'acq', 'acq_rel', 'sc'}


# --- threads ---------------------------------------------------------------------------------


def val(e, regs):
    """The value of an expression: a number, a register, or a sum."""
    if isinstance(e, int):
        return e
    if isinstance(e, str):
        return regs[e]
    if e[0] == '+':
        return val(e[1], regs) + val(e[2], regs)
    raise ValueError(e)


def cond(c, regs):
    op, a, b = c[0], val(c[1], regs), val(c[2], regs)
    return {'==': a == b, '!=': a != b, '<': a < b, '<=': a <= b}[op]


def access(op, v, regs):
    """The event of an operation that reads v: R(loc, order, v), or U(loc, order, v, stored)."""
    kind, loc = op[0], op[2]
    if kind == 'R':
        return 'R', loc, op[3], v
    if kind == 'FAI':
        return 'U', loc, op[4], v, v + val(op[3], regs)
    if kind == 'XCHG':
        return 'U', loc, op[4], v, val(op[3], regs)
    if v == val(op[3], regs):
        return 'U', loc, op[5], v, val(op[4], regs)
    return 'R', loc, op[6], v  # a compare-and-swap that fails


def run_thread(code, read):
    """What a thread does when its reads return these values: its events, what it comes to then, registers.

    It comes to ('need', operation, registers), the next read; ('blocked',), a failed assume; ('error',), a
    failed assertion; or None, its end.
    """
    regs, events = {}, []
    values = iter(read)
    work = list(reversed(code))
    while work:
        op = work.pop()
        kind = op[0]
        if kind == 'W':
            events.append(('W', op[1], op[3], val(op[2], regs)))
        elif kind == 'F':
            events.append(('F', None, op[1], None))
        elif kind in ('R', 'FAI', 'XCHG', 'CAS'):
            v = next(values, None)
            if v is None:
                return events, ('need', op, regs), regs
            events.append(access(op, v, regs))
            regs[op[1]] = v
        elif kind == 'IF':
            work.extend(reversed(op[2] if cond(op[1], regs) else op[3] if len(op) > 3 else []))
        elif kind in ('ASSUME', 'ASSERT'):
            if not cond(op[1], regs):
                return events, ('blocked' if kind == 'ASSUME' else 'error',), regs
        else:
            raise ValueError(op)
    return events, None, regs


# --- relations -------------------------------------------------------------------------------


def transitive(r):
    r = list(r)
    for k in range(len(r)):
        for i in range(len(r)):
            if r[i] >> k & 1:
                r[i] |= r[k]
    return r


def irreflexive(r):
    return all(not row >> i & 1 for i, row in enumerate(r))


def acyclic(r):
    return irreflexive(transitive(r))


def members(row):
    while row:
        yield (row & -row).bit_length() - 1
        row &= row - 1


def join(*relations):
    """r1; r2; ..."""
    def two(a, b):
        return [functools.reduce(lambda row, j: row | b[j], members(row), 0) for row in a]
    return functools.reduce(two, relations)


def union(*relations):
    return [functools.reduce(lambda x, y: x | y, rows) for rows in zip(*relations)]


def reflexive(r):
    return [row | 1 << i for i, row in enumerate(r)]


def inverse(r):
    return [sum(1 << j for j, row in enumerate(r) if row >> i & 1) for i in range(len(r))]


def within(domain, r, codomain):
    """[domain]; r; [codomain]"""
    return [row & codomain if domain >> i & 1 else 0 for i, row in enumerate(r)]


def identity(events, n):
    return [1 << i if events >> i & 1 else 0 for i in range(n)]


# --- graphs ----------------------------------------------------------------------------------


class Graph:
    """Events of all threads with rf. Each is (kind, thread, loc, order, value read, value written, source)."""

    def __init__(self, prog, threads):
        """threads: of each the events of run_thread(), those that read with the name of their source behind."""
        self.ev, self.place = [], {}
        self.locs = sorted(prog['init'])
        for loc in self.locs:
            self.place['i', loc] = len(self.ev)
            self.ev.append(('I', -1, loc, 'na', None, prog['init'][loc], None))
        for t, events in enumerate(threads):
            for i, e in enumerate(events):
                self.place[t, i] = len(self.ev)
                kind, loc, order = e[:3]
                read = e[3] if kind in 'RU' else None
                written = e[3] if kind == 'W' else e[4] if kind == 'U' else None
                self.ev.append((kind, t, loc, order, read, written, e[-1] if kind in 'RU' else None))
        self.n = len(self.ev)
        self.all = (1 << self.n) - 1
        self._sets()
        self._orders()

    def set_of(self, holds):
        return sum(1 << i for i, e in enumerate(self.ev) if holds(e))

    def _sets(self):
        self.R = self.set_of(lambda e: e[0] in 'RU')
        self.W = self.set_of(lambda e: e[0] in 'WUI')
        self.U = self.set_of(lambda e: e[0] == 'U')
        self.F = self.set_of(lambda e: e[0] == 'F')
        self.sc = self.set_of(lambda e: e[3] == 'sc')
        self.plain = self.set_of(lambda e: e[3] == 'na' and e[0] != 'I')
        at = {loc: self.set_of(lambda e: e[2] == loc) for loc in self.locs}
        self.same_loc = [at.get(e[2], 0) for e in self.ev]

    def on_one_location(self, r):
        return [row & same for row, same in zip(r, self.same_loc)]

    def _orders(self):
        ev, n = self.ev, self.n
        self.po = [sum(1 << b for b in range(n) if ev[b][0] != 'I' and
                       (ev[a][0] == 'I' or ev[a][1] == ev[b][1] and a < b)) for a in range(n)]
        self.rf = [0] * n
        for i, e in enumerate(ev):
            if e[6] is not None:
                self.rf[self.place[e[6]]] |= 1 << i
        self.hb_po = transitive(self.po)
        self.hb_porf = transitive(union(self.po, self.rf))
        atomic = self.all & ~self.plain
        self.hb_race = transitive(union(self.po, within(atomic, self.rf, atomic)))
        self.hb20 = transitive(union(self.po, self._sw(transitive(self.rf))))
        self.hb11 = transitive(union(self.po, self._sw(self._release_sequences11())))

    def _sw(self, chain):
        """Synchronises-with, where chain is the release sequence of a write and a read from it."""
        release = self.set_of(lambda e: e[3] in RELEASE)
        acquire = self.set_of(lambda e: e[3] in ACQUIRE)
        from_fence = reflexive(within(self.F, self.po, self.all))
        to_fence = reflexive(within(self.all, self.po, self.F))
        return within(release, join(from_fence, chain, to_fence), acquire)

    def _release_sequences11(self):
        """C11: also later stores of the same thread to the location, then read-modify-writes."""
        later = within(self.W, reflexive(self.on_one_location(self.po)), self.W & ~self.plain)
        rmws = reflexive(transitive(within(self.all, self.rf, self.U)))
        return within(self.all, join(later, rmws, self.rf), self.R & ~self.plain)

    def weak_atomicity(self):
        """No two read-modify-writes read one write."""
        return all(bin(row & self.U).count('1') <= 1 for row in self.rf)

    def weak_coherence(self, hb):
        """No read observes a write that another one comes after, and the read after that."""
        over = within(self.all, self.on_one_location(hb), self.W)
        return irreflexive(join(over, hb, inverse(self.rf)))

    def fr(self, mo):
        return [row & ~(1 << i) for i, row in enumerate(join(inverse(self.rf), mo))]

    def orders(self):
        """Every modification order that agrees with po, each read-modify-write right behind what it read."""
        per_loc = []
        for loc in self.locs:
            writes = [i for i, e in enumerate(self.ev) if e[2] == loc and self.W >> i & 1]
            per_loc.append([writes[:1] + list(p) for p in itertools.permutations(writes[1:])
                            if self._is_order(writes[:1] + list(p))])
        for orders in itertools.product(*per_loc):
            yield self.relation_of(orders), orders

    def _is_order(self, writes):
        if any(self.hb_po[b] >> a & 1 for a, b in itertools.combinations(writes, 2)):
            return False
        return self.follows_sources(writes)

    def follows_sources(self, writes):
        at = {w: i for i, w in enumerate(writes)}
        return all(at[self.place[self.ev[w][6]]] == at[w] - 1 for w in writes if self.ev[w][0] == 'U')

    def relation_of(self, orders):
        mo = [0] * self.n
        for writes in orders:
            for a, b in itertools.combinations(writes, 2):
                mo[a] |= 1 << b
        return mo

    def consistent(self, model):
        """Is there a modification order with which the model allows it?"""
        if model == 'wra':
            return self.weak_atomicity() and self.weak_coherence(self.hb_porf)
        return self.weak_atomicity() and any(AXIOMS[model](self, mo) for mo, _ in self.orders())

    def consistent_with(self, model, mo):
        return AXIOMS[model](self, mo)

    def races(self, hb):
        """Two accesses of one location, of two threads, one a write and one plain, that hb does not order?"""
        for a, b in itertools.combinations(range(self.n), 2):
            ea, eb = self.ev[a], self.ev[b]
            if ('I' not in (ea[0], eb[0]) and ea[1] != eb[1] and ea[2] is not None and ea[2] == eb[2] and
                    self.W >> a & 1 | self.W >> b & 1 and 'na' in (ea[3], eb[3]) and
                    not hb[a] >> b & 1 and not hb[b] >> a & 1):
                return True
        return False


# --- the axioms ------------------------------------------------------------------------------


def is_atomic(g, mo):
    return irreflexive(join(g.fr(mo), mo))


def is_coherent(g, hb, mo):
    """Write coherence, read coherence, atomicity."""
    rf = reflexive(g.rf)
    return (irreflexive(join(mo, rf, reflexive(hb))) and irreflexive(join(g.fr(mo), rf, hb)) and
            is_atomic(g, mo))


def sc(g, mo):
    return is_atomic(g, mo) and acyclic(union(g.po, g.rf, mo, g.fr(mo)))


def is_preserved(g, barriers, a, b):
    """tso: is a before b in ppo, for a and b in po?"""
    if not (g.ev[a][0] in 'WI' and g.ev[b][0] == 'R') or g.ev[a][0] == 'I' or g.ev[a][3] == 'sc':
        return True
    return any(g.po[k] >> b & 1 for k in members(g.po[a] & barriers))


def tso(g, mo):
    fr = g.fr(mo)
    if not is_atomic(g, mo) or not acyclic(union(g.on_one_location(g.po), g.rf, mo, fr)):
        return False
    light = g.F & ~g.sc
    barriers = g.F & g.sc | g.U
    ppo = [sum(1 << b for b in members(row) if is_preserved(g, barriers, a, b))
           for a, row in enumerate(g.po)]
    ppo = within(g.all & ~light, ppo, g.all & ~light)
    rfe = [sum(1 << b for b in members(row) if g.ev[a][1] != g.ev[b][1]) for a, row in enumerate(g.rf)]
    return acyclic(union(ppo, rfe, mo, fr))


def rc11(g, mo):
    hb, fr = g.hb11, g.fr(mo)
    if not is_coherent(g, hb, mo):
        return False
    if not g.sc:
        return True
    eco = transitive(union(mo, g.rf, fr))
    if not irreflexive(join(eco, hb)):
        return False
    other_loc = [row & ~same for row, same in zip(g.po, g.same_loc)]
    scb = union(g.po, join(other_loc, hb, other_loc), g.on_one_location(hb), mo, fr)
    accesses, fences = identity(g.sc & ~g.F, g.n), g.sc & g.F
    left = union(accesses, within(fences, reflexive(hb), g.all))
    right = union(accesses, within(g.all, reflexive(hb), fences))
    psc = union(join(left, scb, right), within(fences, union(hb, join(hb, eco, hb)), fences))
    return acyclic(psc)


AXIOMS = {
    'sc': sc,
    'tso': tso,
    'sra': lambda g, mo: acyclic(union(g.hb_porf, mo)) and is_coherent(g, g.hb_porf, mo),
    'ra': lambda g, mo: is_coherent(g, g.hb_porf, mo),
    'relaxed': lambda g, mo: is_coherent(g, g.hb_po, mo),
    'rc20': lambda g, mo: is_coherent(g, g.hb20, mo),
    'rc11': rc11,
}


# --- all executions --------------------------------------------------------------------------


def expand(prog, state):
    """The threads' events, and what each comes to; state: of each thread (value, source) of its reads."""
    threads, status = [], []
    for code, reads in zip(prog['threads'], state):
        events, comes_to, _ = run_thread(code, [v for v, _ in reads])
        sources = iter(reads)
        threads.append([e + (next(sources)[1],) if e[0] in 'RU' else e for e in events])
        status.append(comes_to)
    return threads, status


def writes_to(prog, threads, loc):
    yield prog['init'][loc], ('i', loc)
    for t, events in enumerate(threads):
        for i, e in enumerate(events):
            if e[0] in 'WU' and e[1] == loc:
                yield e[3] if e[0] == 'W' else e[4], (t, i)


def enumerate_states(prog):
    """All ways for the reads to be served, those that no model allows left out early."""
    start = tuple(() for _ in prog['threads'])
    seen, complete, todo = {start}, set(), [start]
    while todo:
        state = todo.pop()
        threads, status = expand(prog, state)
        needs = [t for t, s in enumerate(status) if s and s[0] == 'need']
        if not needs:
            complete.add(state)
        for t in needs:
            for choice in writes_to(prog, threads, status[t][1][2]):
                more = state[:t] + (state[t] + (choice,),) + state[t + 1:]
                if more in seen:
                    continue
                seen.add(more)
                g = Graph(prog, expand(prog, more)[0])
                if g.weak_atomicity() and g.weak_coherence(g.hb_po):
                    todo.append(more)
    return complete


def orders_allowed(g, models):
    """Of each model: with how many modification orders it allows the graph (wra: 0 or 1)."""
    n = {m: 0 for m in models}
    if 'wra' in n:
        n['wra'] = int(g.consistent('wra'))
    for mo, _ in g.orders():
        for m in n:
            if m != 'wra':
                n[m] += g.consistent_with(m, mo)
    return n


def analyse(prog, models=MODELS):
    """Of each model: what litmus-*.json expects of the program."""
    found = {m: {'rf': 0, 'mo': 0, 'blocked': 0, 'values': set(), 'assertion': False, 'race': False}
             for m in models}
    for state in enumerate_states(prog):
        threads, status = expand(prog, state)
        ends = {s[0] for s in status if s}
        g = Graph(prog, threads)
        for m, n in orders_allowed(g, models).items():
            r = found[m]
            if not n:
                continue
            if 'error' in ends:
                r['assertion'] = True
            elif 'blocked' in ends:
                r['blocked'] += 1
            else:
                r['rf'] += 1
                r['mo'] += n
                r['values'].add(tuple(tuple(v for v, _ in reads) for reads in state))
            hb = {'rc20': g.hb20, 'rc11': g.hb11, 'relaxed': g.hb_po}.get(m, g.hb_race)
            r['race'] = r['race'] or g.races(hb)
    for m, r in found.items():
        r['values'] = len(r['values'])
        if m == 'wra':
            del r['mo']
    return found


def main():
    check = '--check' in sys.argv[1:]
    passed = failed = 0
    with open(sys.argv[-1]) as f:
        progs = json.load(f)
    for p in progs:
        found = analyse(p)
        if not check:
            print(json.dumps({'name': p['name'], 'expect': found}))
        elif found == p['expect']:
            passed += 1
        else:
            failed += 1
            print(f'FAIL {p["name"]}: {found}')
    if check:
        print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
