#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Litmus programs (see README.md) as C programs with C11 atomics and pthreads.

  litmus_to_c.py FILE.json FOLDER    writes FOLDER/NAME.c for each program
"""
import json
import os
import sys

ORDER = {'rlx': 'memory_order_relaxed', 'acq': 'memory_order_acquire', 'rel': 'memory_order_release',
         'acq_rel': 'memory_order_acq_rel', 'sc': 'memory_order_seq_cst'}
READS = ('R', 'FAI', 'XCHG', 'CAS')


def expression(e):
    return str(e) if isinstance(e, (int, str)) else f'({expression(e[1])} {e[0]} {expression(e[2])})'


def condition(c):
    return f'{expression(c[1])} {c[0]} {expression(c[2])}'


def operations(code):
    """All operations of a thread, those of both branches as well."""
    for op in code:
        yield op
        if op[0] == 'IF':
            for branch in op[2:]:
                yield from operations(branch)


def registers(code):
    return list(dict.fromkeys(op[1] for op in operations(code) if op[0] in READS))


def plain_locations(prog):
    """Those that are accessed without an order: they are int, the others atomic_int."""
    return {op[1] if op[0] == 'W' else op[2] for code in prog['threads'] for op in operations(code)
            if op[0] in 'WR' and op[3] == 'na'}


def statement(op):
    kind = op[0]
    if kind == 'W':
        if op[3] == 'na':
            return f'{op[1]} = {expression(op[2])};'
        return f'atomic_store_explicit(&{op[1]}, {expression(op[2])}, {ORDER[op[3]]});'
    if kind == 'R':
        return f'{op[1]} = {op[2]};' if op[3] == 'na' else \
            f'{op[1]} = atomic_load_explicit(&{op[2]}, {ORDER[op[3]]});'
    if kind in ('FAI', 'XCHG'):
        name = 'fetch_add' if kind == 'FAI' else 'exchange'
        return f'{op[1]} = atomic_{name}_explicit(&{op[2]}, {expression(op[3])}, {ORDER[op[4]]});'
    if kind == 'F':
        return f'atomic_thread_fence({ORDER[op[1]]});'
    if kind == 'ASSUME':
        return f'LITMUS_ASSUME({condition(op[1])});'
    if kind == 'ASSERT':
        return f'assert({condition(op[1])});'
    raise ValueError(op)


def compare_and_swap(op, tabs):
    yield f'{tabs}{op[1]} = {expression(op[3])};'
    yield (f'{tabs}atomic_compare_exchange_strong_explicit(&{op[2]}, &{op[1]}, {expression(op[4])}, '
           f'{ORDER[op[5]]}, {ORDER[op[6]]});')


def lines(code, depth):
    tabs = '\t' * depth
    for op in code:
        if op[0] == 'CAS':
            yield from compare_and_swap(op, tabs)
        elif op[0] == 'IF':
            yield f'{tabs}if ({condition(op[1])}) {{'
            yield from lines(op[2], depth + 1)
            if len(op) > 3:
                yield f'{tabs}}} else {{'
                yield from lines(op[3], depth + 1)
            yield f'{tabs}}}'
        else:
            yield tabs + statement(op)


def thread(number, code):
    yield from ('', f'static void *thread{number}(void *arg)', '{', '\t(void)arg;')
    regs = registers(code)
    if regs:
        yield '\tint ' + ', '.join(f'{r} = 0' for r in regs) + ';'
    yield from lines(code, 1)
    yield from (f'\t(void){r};' for r in regs)
    yield from ('\treturn NULL;', '}')


ASSUME = '''#ifdef GENMC
void __VERIFIER_assume(int);
#define LITMUS_ASSUME(c) __VERIFIER_assume(c)
#else
#include <heddle.h>
#define LITMUS_ASSUME(c) heddle_assume(c)
#endif
'''


def program(prog):
    yield f'/* {prog["name"]} */'
    yield from (f'#include <{h}.h>' for h in ('assert', 'pthread', 'stdatomic', 'stddef'))
    yield ''
    if any(op[0] == 'ASSUME' for code in prog['threads'] for op in operations(code)):
        yield ASSUME
    plain = plain_locations(prog)
    for loc, value in sorted(prog['init'].items()):
        yield f'static {"int" if loc in plain else "atomic_int"} {loc} = {value};'
    n = len(prog['threads'])
    for number, code in enumerate(prog['threads']):
        yield from thread(number, code)
    yield from ('', 'int main(void)', '{', f'\tpthread_t t[{n}];')
    yield from (f'\tpthread_create(&t[{i}], NULL, thread{i}, NULL);' for i in range(n))
    yield from (f'\tpthread_join(t[{i}], NULL);' for i in range(n))
    yield from ('\treturn 0;', '}')


def gen(prog):
    return '\n'.join(program(prog)) + '\n'


def main():
    path, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    with open(path) as f:
        progs = json.load(f)
    for p in progs:
        with open(os.path.join(folder, p['name'] + '.c'), 'w') as out:
            out.write(gen(p))


if __name__ == '__main__':
    main()
