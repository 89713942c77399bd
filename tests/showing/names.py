#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What `heddle show --format=json` has of some kind, by the names of events.

  names.py FILE po|rf|mo|fr|sw|hb      edges, as in 0.1>1.1, sorted, in one line
  names.py FILE before NAME            the events that happen before that one
  names.py FILE FIELD                  a field of the whole
"""
import json
import sys


def edges(shown, kind):
    names = [e['name'] for e in shown['events']]
    return sorted(f'{names[a]}>{names[b]}' for a, b in shown['edges'][kind])


def before(shown, name):
    events = shown['events']
    clock = next(e['clock'] for e in events if e['name'] == name)
    return sorted(e['name'] for i, e in enumerate(events) if clock[e['lane']] >= i and e['name'] != name)


def main(argv):
    with open(argv[1], encoding='ascii') as file:
        shown = json.load(file)
    if argv[2] in shown['edges']:
        print(*edges(shown, argv[2]))
    elif argv[2] == 'before':
        print(*before(shown, argv[3]))
    else:
        print(shown[argv[2]])


if __name__ == '__main__':
    main(sys.argv)
