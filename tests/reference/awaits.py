#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Reference for loops that wait: the redundant-round rule on litmus programs with LOOP and BREAK_IF.

  awaits.py            complete executions of locks, barriers and compare-and-swap loops, beside those that an
                       independent model checker counts; and that no final state which exploration without
                       the rule reaches, with a bounded number of reads, is lost
  awaits.py FROM TO    the latter of the random programs FROM to TO-1

What the rule says, and why it loses nothing: runtime/preload/await/await.txt. It is part of what a thread does,
not of the exploration: behind a redundant read the thread stops, as behind a failed assume. So explore.py explores
it as it is, each execution once. (To take the redundant value from the writes that the read may observe, so
that it waits without reading, loses executions when the read is a compare-and-swap's.)

A thread's state is here what is left to run and the registers that may still be used; natively it is the stack and
the callee-saved registers at the next operation. The engine knows more: threads that are known to wait do not
read at all (explore.txt, A), so it has fewer blocked executions; the complete ones are the same.
"""
import random
import sys

from explore import Explorer
from litmus_oracle import access, cond, val

STRENGTH = {'rlx': 0, 'acq': 1, 'rel': 1, 'acq_rel': 2, 'sc': 3}
READS = ('R', 'FAI', 'XCHG', 'CAS')


# --- threads with loops ----------------------------------------------------------------------


def registers_in(e):
    if isinstance(e, str):
        return {e}
    return registers_in(e[1]) | registers_in(e[2]) if isinstance(e, (list, tuple)) else set()


def uses(op):
    """The registers that an operation itself looks at."""
    if op[0] in ('IF', 'BREAK_IF'):
        return registers_in(op[1][1]) | registers_in(op[1][2])
    places = {'W': [2], 'SET': [2], 'FAI': [3], 'XCHG': [3], 'CAS': [3, 4]}.get(op[0], [])
    return set().union(*(registers_in(op[i]) for i in places))


def live(work):
    """The registers that the rest of a thread may still use. What a loop or a branch sets may be skipped."""
    used, written = set(), set()

    def scan(ops, always):
        for op in ops:
            used.update(uses(op) - written)
            if op[0] == 'IF':
                for branch in op[2:]:
                    scan(branch, False)
            elif op[0] in ('LOOP', 'ENDLOOP'):
                scan(op[1] if op[0] == 'LOOP' else op[1][1], False)
            if always and op[0] in ('SET',) + READS:
                written.add(op[1])
    scan(reversed(work), True)
    return used


def run_loops(code, read):
    """As run_thread(): events, what it comes to, the state there, registers at the end."""
    regs, events, values, work = {}, [], iter(read), list(reversed(code))
    while work:
        op = work.pop()
        kind = op[0]
        if kind == 'W':
            events.append(('W', op[1], op[3], val(op[2], regs)))
        elif kind == 'F':
            events.append(('F', None, op[1], None))
        elif kind == 'SET':
            regs[op[1]] = val(op[2], regs)
        elif kind in READS:
            v = next(values, None)
            if v is None:
                kept = live(work + [op])
                state = str(op), str(work), sorted((r, x) for r, x in regs.items() if r in kept)
                return events, ('need', op, regs), state, None
            events.append(access(op, v, regs))
            regs[op[1]] = v
        elif kind == 'IF':
            work.extend(reversed(op[2] if cond(op[1], regs) else op[3] if len(op) > 3 else []))
        elif kind == 'LOOP':
            work.append(('ENDLOOP', op))
            work.extend(reversed(op[1]))
        elif kind == 'ENDLOOP':
            work.append(op[1])
        elif kind == 'BREAK_IF':
            if cond(op[1], regs):
                while work.pop()[0] != 'ENDLOOP':
                    pass
        else:
            raise ValueError(op)
    return events, None, 'end', regs


# --- the rule --------------------------------------------------------------------------------


def is_silent(e):
    """A read, or an exchange that stores what it read and releases nothing."""
    return e[0] == 'R' or e[0] == 'U' and e[3] == e[4] and e[2] in ('rlx', 'acq')


def is_redundant(code, read):
    """Would the last of these reads, r2, only repeat what an earlier one, r1, would have done with its value?"""
    events, comes_to, state, _ = run_loops(code, read)
    reads = [i for i, e in enumerate(events) if e[0] in 'RU']
    r2 = reads[len(read) - 1]
    if not is_silent(events[r2]):
        return False
    rank = len(read) - 1
    for r1 in reversed(range(r2)):
        e = events[r1]
        if e[0] != 'F' and not is_silent(e):
            return False
        rank -= e[0] != 'F'
        if e[1] != events[r2][1]:
            continue
        again, comes_to_again, state_again, _ = run_loops(code, read[:rank] + read[-1:])
        if (is_silent(again[r1]) and STRENGTH[again[r1][2]] <= STRENGTH[events[r2][2]] and
                again[r1 + 1:] == events[r2 + 1:] and state_again == state and
                (comes_to_again is None) == (comes_to is None)):
            return True
    return False


class LoopExplorer(Explorer):
    """rule=False: loops are followed, each thread for at most max_reads reads."""

    def __init__(self, prog, model, rule=True, max_reads=99):
        super().__init__(prog, model)
        self.rule, self.max_reads, self.threads = rule, max_reads, {}
        self.complete, self.finals = 0, set()

    def thread(self, t, read):
        key = t, tuple(read)
        if key not in self.threads:
            self.threads[key] = self.stopped(t, list(read))
        return self.threads[key]

    def stopped(self, t, read):
        events, comes_to, _, _ = run_loops(self.code[t], read)
        if read and self.thread(t, read[:-1])[1] == ('stuck',):
            return self.thread(t, read[:-1])
        if read and self.rule and is_redundant(self.code[t], read):
            last = [i for i, e in enumerate(events) if e[0] in 'RU'][len(read) - 1]
            return events[:last + 1], ('stuck',)
        if comes_to and len(read) >= self.max_reads:
            return events, ('cut',)
        return events, comes_to

    def leaf(self, names, rf, then):
        super().leaf(names, rf, then)
        if any(x == ('stuck',) for x in then):
            self.blocked += 1
        elif not any(then):
            self.complete += 1
            self.finals.add(tuple(self.final(t, names, rf) for t in range(len(self.code))))

    def final(self, t, names, rf):
        """A thread's registers at the end, those whose names begin with r."""
        events, _ = self.replay(names, rf)
        read = [events[name].value for name in sorted(names) if name[0] == t and events[name].kind == 'R']
        return tuple(sorted((r, v) for r, v in run_loops(self.code[t], read)[3].items() if r[0] == 'r'))


# --- programs --------------------------------------------------------------------------------


def locations(ops):
    for op in ops:
        if op[0] == 'W':
            yield op[1]
        elif op[0] in READS:
            yield op[2]
        for inner in op[1:2] if op[0] == 'LOOP' else op[2:] if op[0] == 'IF' else []:
            yield from locations(inner)


def program(name, *threads):
    return {'name': name, 'threads': list(threads),
            'init': {loc: 0 for loc in sorted(set().union(*map(locations, threads)))}}


def spin(loc, reg, until, order='acq', fence=None):
    return ['LOOP', [['R', reg, loc, order]] + ([['F', fence]] if fence else []) + [['BREAK_IF', until]]]


def cas_loop(loc, old, expected, add, ok='acq_rel', fail='rlx'):
    return [['R', old, loc, fail],
            ['LOOP', [['SET', expected, old], ['CAS', old, loc, expected, ['+', expected, add], ok, fail],
                      ['BREAK_IF', ['==', old, expected]]]]]


def ticket_lock(i, n):
    return [['FAI', f't{i}', 'next', 1, 'rlx'], spin('serving', f'a{i}', ['==', f'a{i}', f't{i}']),
            ['W', 'serving', ['+', f't{i}', 1], 'rel']]


def test_and_set_lock(i, n):
    return [['LOOP', [spin('lock', f'a{i}', ['==', f'a{i}', 0], 'rlx'), ['XCHG', f'b{i}', 'lock', 1, 'acq'],
                      ['BREAK_IF', ['==', f'b{i}', 0]]]],
            ['W', 'lock', 0, 'rel']]


def peterson(i, n):
    other = 1 - i
    return [['W', f'f{i}', 1, 'sc'], ['W', 'turn', other, 'sc'],
            ['LOOP', [['R', f'a{i}', f'f{other}', 'sc'], ['BREAK_IF', ['==', f'a{i}', 0]],
                      ['R', f'b{i}', 'turn', 'sc'], ['BREAK_IF', ['!=', f'b{i}', other]]]],
            ['W', f'f{i}', 0, 'sc']]


def barrier(i, n):
    return [['FAI', f'k{i}', 'waiting', 1, 'acq_rel'],
            ['IF', ['==', f'k{i}', n - 1], [['W', 'sense', 1, 'rel']], [spin('sense', f'a{i}', ['!=', f'a{i}', 0])]]]


def increment(i, n):
    return cas_loop('c', f'r{i}', f'e{i}', 1)


# Threads, complete executions, and those that an independent model checker counts.
KNOWN = [(ticket_lock, 2, 2, 2), (ticket_lock, 3, 6, 6), (test_and_set_lock, 2, 4, 4), (test_and_set_lock, 3, 36, 36),
         (peterson, 2, 4, 4), (barrier, 2, 2, 2), (barrier, 3, 6, 6), (increment, 2, 2, 4), (increment, 3, 6, 48)]


# Final states are lost if a round is taken for redundant though ...
WRONG = [
    program('... it ends in another state', [['R', 'r1', 'x', 'rlx'], ['R', 'r2', 'x', 'rlx'], ['R', 'r3', 'y', 'rlx']],
            [['W', 'x', 1, 'rlx']]),
    program('... there is a store in it',
            [['LOOP', [['R', 'a', 'x', 'rlx'], ['BREAK_IF', ['!=', 'a', 0]], ['W', 'y', 1, 'rlx']]]],
            [['R', 'r1', 'y', 'rlx'], ['W', 'y', 2, 'rlx'], ['R', 'r2', 'y', 'rlx'], ['W', 'x', 1, 'rlx']]),
]


def random_item(r, style, reg):
    def order(acquire_release, mixed):
        return {'rlx': 'rlx', 'ra': acquire_release, 'sc': 'sc'}.get(style) or r.choice(mixed)

    loc, k = r.choice(['x', 'y']), r.random()
    if k < 0.25:
        return [['W', loc, r.choice([1, 2]), order('rel', ['rlx', 'rel', 'sc'])]]
    if k < 0.45:
        return [['R', reg('r'), loc, order('acq', ['rlx', 'acq', 'sc'])]]
    if k < 0.55:
        return [['FAI', reg('r'), loc, 1, order('acq_rel', ['rlx', 'acq', 'rel', 'acq_rel'])]]
    if k < 0.65:
        b = reg('b')
        return [['LOOP', [['XCHG', b, 'l', 1, r.choice(['acq', 'rlx'])], ['BREAK_IF', ['==', b, 0]]]],
                ['R', reg('r'), 'x', 'rlx'], ['W', 'l', 0, r.choice(['rel', 'rlx'])]]
    if k < 0.85:
        return cas_loop(loc, reg('r'), reg('e'), r.choice([1, 2]), 'acq_rel', order('acq', ['rlx', 'acq']))
    a = reg('a')
    return [spin(loc, a, [r.choice(['!=', '==']), a, r.choice([0, 1])], order('acq', ['rlx', 'acq', 'sc']),
                 r.choice([None, None, 'acq', 'acq_rel', 'sc']))]


def random_program(seed):
    r = random.Random(seed)
    made = []

    def reg(letter):
        made.append(letter)
        return f'{letter}{len(made)}'
    style = r.choice(['rlx', 'ra', 'sc', 'mix'])
    return program(f'random {seed}', *[sum((random_item(r, style, reg) for _ in range(r.choice([1, 1, 2]))), [])
                                       for _ in range(r.choice([2, 2, 3]))])


# --- comparing -------------------------------------------------------------------------------


def differs(prog, model, bound):
    """What is wrong, or None."""
    whole = LoopExplorer(prog, model, False, bound).run()
    ruled = LoopExplorer(prog, model, True, bound).run()
    if whole.finals - ruled.finals:
        return f'{len(whole.finals - ruled.finals)} final states lost'
    return f'{ruled.repeated} executions repeated' if ruled.repeated else None


def main():
    claims = []
    if len(sys.argv) == 3:
        for seed in range(int(sys.argv[1]), int(sys.argv[2])):
            prog = random_program(seed)
            claims += [(f'{prog["name"]} {model}', differs(prog, model, 5)) for model in ('rc11', 'sc')]
    else:
        for make, n, want, others in KNOWN:
            prog = program(f'{make.__name__} {n}', *[make(i, n) for i in range(n)])
            x = LoopExplorer(prog, 'rc11').run()
            print(f'{prog["name"]}: {x.complete} complete (independent checker: {others}), {x.blocked} blocked')
            claims.append((prog['name'], None if (x.complete, x.repeated) == (want, 0) else f'{want} expected'))
            if n == 2:
                claims.append((prog['name'], differs(prog, 'rc11', 6)))
        claims += [(prog['name'], differs(prog, 'rc11', 4)) for prog in WRONG]
    for name, wrong in claims:
        if wrong:
            print(f'FAIL {name}: {wrong}')
    failed = sum(wrong is not None for _, wrong in claims)
    print(f'{len(claims) - failed} passed, {failed} failed')
    return 1 if failed or not claims else 0


if __name__ == '__main__':
    sys.exit(main())
