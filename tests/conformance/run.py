#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Run heddle on the conformance suite and compare what it counts with what is expected.

  run.py [--bindir DIR] [--built DIR] [--models rc11,sc,...] [--equivalence rf,mo] [--only REGEX] FILE...

FILE is a litmus file (litmus-*.json: programs as data, turned into C here) or programs.json (C programs in
programs/, with the defines to compile them with). Exit status 0 when everything agrees; the last line is
'N passed, M failed'.
"""
import argparse
import concurrent.futures as cf
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading

from litmus_to_c import gen


def apart(path):
    """A name beside path that no other thread or process has: what is ready is renamed to path."""
    return f'{path}.{os.getpid()}.{threading.get_ident()}'


def build(bindir, built, src, defs=()):
    """The program that src becomes with these defines: made once in the folder built, by the compiler that
    HEDDLE_CC or HEDDLE_CXX names, whichever run asks for it first."""
    cxx = src.endswith(('.cc', '.cpp'))
    cmd = [os.path.join(bindir, 'heddle-c++' if cxx else 'heddle-cc'), '-O1', '-g', *(['-std=c++20'] if cxx else []),
           *defs, src, '-lpthread']
    compiler = os.environ.get('HEDDLE_CXX' if cxx else 'HEDDLE_CC', '')
    exe = os.path.join(built, hashlib.sha256('\0'.join([compiler, *cmd]).encode()).hexdigest()[:16])
    if not os.path.exists(exe):
        part = apart(exe)
        r = subprocess.run([*cmd, '-o', part], capture_output=True, text=True)
        if r.returncode:
            raise RuntimeError(f'compile failed: {" ".join(cmd)}\n{r.stderr}')
        os.rename(part, exe)
    return exe


def written(built, text):
    """A file with this text in the folder built, named after it."""
    src = os.path.join(built, hashlib.sha256(text.encode()).hexdigest()[:16] + '.c')
    if not os.path.exists(src):
        part = apart(src)
        with open(part, 'w') as fh:
            fh.write(text)
        os.rename(part, src)
    return src


def explore(bindir, exe, model, eq, tmp, timeout):
    out = os.path.join(tmp, f'{os.path.basename(exe)}-{model}-{eq}.json')
    r = subprocess.run([os.path.join(bindir, 'heddle'), 'explore', '-m', model, '-e', eq, '--json', out,
                        '-o', out + '.d', '--progress=never', '--', exe], capture_output=True, text=True, timeout=timeout)
    try:
        with open(out) as f:
            return json.load(f), r
    except (OSError, ValueError) as e:
        raise RuntimeError(f'no result ({e}); exit {r.returncode}; {r.stderr.strip()[-300:]}')


def judge_litmus(want, eq, got):
    bugs = {b['kind'] for b in got['bugs']}
    if want.get('race'):
        return None if 'data-race' in bugs and got['verdict'] == 'bug' else f'expected a data race, got {got["verdict"]} {bugs}'
    if want['assertion']:
        return None if 'assertion' in bugs else f'expected an assertion failure, got {got["verdict"]} {bugs}'
    if bugs or got['verdict'] != 'ok':
        return f'expected ok, got {got["verdict"]} {bugs}'
    n = got['executions']
    if eq == 'value':
        return None if want['value_min'] <= n <= want['value_max'] else (
            f'expected {want["value_min"]}..{want["value_max"]} executions, got {n}')
    return None if n == want[eq] else f'expected {want[eq]} executions, got {n}'


def judge_program(want, eq, got):
    bugs = {b['kind'] for b in got['bugs']}
    if 'bug' in want:
        ok = {want['bug']} if isinstance(want['bug'], str) else set(want['bug'])
        return None if bugs & ok and got['verdict'] == 'bug' else f'expected {want["bug"]}, got {got["verdict"]} {bugs}'
    if bugs or got['verdict'] != 'ok':
        return f'expected ok, got {got["verdict"]} {bugs}'
    n = got['executions']
    if eq + '_min' in want and not want[eq + '_min'] <= n <= want[eq + '_max']:
        return f'expected {want[eq + "_min"]}..{want[eq + "_max"]} executions, got {n}'
    if eq in want and n != want[eq]:
        return f'expected {want[eq]} executions, got {n}'
    return None


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--bindir', default='', help='folder that holds heddle and heddle-cc (default: PATH)')
    ap.add_argument('--built', default='', help='folder of compiled programs, for all runs with the same heddle '
                    'and programs (default: one that goes with this run)')
    ap.add_argument('--models', default='rc11,sc')
    ap.add_argument('--equivalence', default='rf')
    ap.add_argument('--only', default='')
    ap.add_argument('--timeout', type=float, default=60)
    ap.add_argument('-j', type=int, default=os.cpu_count())
    ap.add_argument('files', nargs='+')
    a = ap.parse_args()
    models, eqs = a.models.split(','), a.equivalence.split(',')
    jobs = []
    for f in a.files:
        base = os.path.dirname(os.path.abspath(f))
        with open(f) as fh:
            for p in json.load(fh):
                name = p.get('name') or f'{p["program"]} {" ".join(p["defines"])}'.strip()
                if not a.only or re.search(a.only, name):
                    jobs.append((base, name, p))
    passed = failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        built = a.built or tmp
        os.makedirs(built, exist_ok=True)

        def one(job):
            base, name, p = job
            res = []
            try:
                src = written(built, gen(p)) if 'threads' in p else os.path.join(base, 'programs', p['program'])
                exe = build(a.bindir, built, src, p.get('defines', ()))
            except RuntimeError as e:
                return [(name, str(e))]
            for m in models:
                for eq in eqs:
                    want = p['expect'][m] if 'threads' in p else p.get(m)
                    if want is None or ('threads' in p and eq not in want and eq != 'value'):
                        continue
                    if 'threads' in p and eq == 'value':
                        want = {**want, 'value_min': want['values'], 'value_max': want['rf']}
                    try:
                        got, _ = explore(a.bindir, exe, m, eq, tmp, a.timeout)
                        why = (judge_litmus if 'threads' in p else judge_program)(want, eq, got)
                    except subprocess.TimeoutExpired:
                        why = f'no answer in {a.timeout:g} s'
                    except RuntimeError as e:
                        why = str(e)
                    res.append((f'{name} [{m}/{eq}]', why))
            return res
        with cf.ThreadPoolExecutor(a.j) as ex:
            for res in ex.map(one, jobs):
                for name, why in res:
                    if why:
                        failed += 1
                        print(f'FAIL {name}: {why}', flush=True)
                    else:
                        passed += 1
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
