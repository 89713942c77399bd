# SPDX-License-Identifier: BSD-2-Clause
"""Is a file SARIF 2.1.0, as far as heddle writes it?

  python3 tests/report/sarif.py FILE...

What the standard says of the objects that heddle writes: which properties they have, of which type, and which they must have.
A property that is not listed here is an error, so that what heddle writes anew gets its line. With SARIF_SCHEMA, the file of
the standard's JSON schema, and the Python module jsonschema, that decides as well.
"""
import json
import os
import re
import sys

TEXT, NUMBER, YES = 'text', 'number', 'yes or no'
URI = re.compile(r"(file:///|(?!/))([-._~+/A-Za-z0-9]|%[0-9A-F]{2})*$")

# object: {property: type}, those it must have. A type in a list: an array of it; a set: one of these; a dictionary: names of text.
OBJECTS = {
    'log': ({'$schema': TEXT, 'version': {'2.1.0'}, 'runs': ['run']}, {'version', 'runs'}),
    'run': ({'tool': 'tool', 'invocations': ['invocation'], 'results': ['result'],
             'columnKind': {'utf16CodeUnits', 'unicodeCodePoints'}}, {'tool'}),
    'tool': ({'driver': 'component'}, {'driver'}),
    'component': ({'name': TEXT, 'version': TEXT, 'rules': ['rule']}, {'name'}),
    'rule': ({'id': TEXT, 'shortDescription': 'message'}, {'id'}),
    'message': ({'text': TEXT}, {'text'}),
    'invocation': ({'executionSuccessful': YES, 'exitCode': NUMBER, 'toolExecutionNotifications': ['notification']},
                   {'executionSuccessful'}),
    'notification': ({'level': {'none', 'note', 'warning', 'error'}, 'message': 'message'}, {'message'}),
    'result': ({'ruleId': TEXT, 'level': {'none', 'note', 'warning', 'error'}, 'message': 'message',
                'partialFingerprints': {}, 'locations': ['location'], 'relatedLocations': ['location'],
                'stacks': ['stack'], 'codeFlows': ['flow'], 'suppressions': ['suppression']}, {'message'}),
    'suppression': ({'kind': {'inSource', 'external'}, 'justification': TEXT}, {'kind'}),
    'location': ({'physicalLocation': 'physical', 'logicalLocations': ['logical'], 'message': 'message'}, set()),
    'physical': ({'artifactLocation': 'artifact', 'region': 'region'}, {'artifactLocation'}),
    'artifact': ({'uri': URI}, set()),
    'region': ({'startLine': NUMBER}, set()),
    'logical': ({'fullyQualifiedName': TEXT, 'kind': TEXT}, set()),
    'stack': ({'message': 'message', 'frames': ['frame']}, {'frames'}),
    'frame': ({'location': 'location'}, set()),
    'flow': ({'threadFlows': ['thread']}, {'threadFlows'}),
    'thread': ({'id': TEXT, 'locations': ['step']}, {'locations'}),
    'step': ({'location': 'location', 'executionOrder': NUMBER}, set()),
}
UNIQUE = {'rules', 'stacks', 'suppressions', 'logicalLocations', 'relatedLocations'}
LEAST = {'startLine': 1, 'executionOrder': 0}


def wrong(kind, value, where):
    """What is wrong with a value of that type, each with its place."""
    if isinstance(kind, str) and kind in OBJECTS:
        yield from wrong_object(kind, value, where)
    elif isinstance(kind, list):
        if not isinstance(value, list):
            yield f'{where}: no array'
            return
        name = where.rsplit('.', 1)[-1]
        if name in UNIQUE and len({json.dumps(v, sort_keys=True) for v in value}) < len(value):
            yield f'{where}: the same twice'
        if name in ('threadFlows',) or (name == 'locations' and kind == ['step']):
            if not value:
                yield f'{where}: empty'
        for i, v in enumerate(value):
            yield from wrong(kind[0], v, f'{where}[{i}]')
    elif isinstance(kind, set):
        if value not in kind:
            yield f'{where}: {value!r} is none of {sorted(kind)}'
    elif isinstance(kind, dict):
        if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
            yield f'{where}: no object of strings'
    elif kind == NUMBER:
        if type(value) is not int or value < LEAST.get(where.rsplit('.', 1)[-1], value):
            yield f'{where}: {value!r}'
    elif kind == YES:
        if type(value) is not bool:
            yield f'{where}: {value!r} is neither true nor false'
    elif not isinstance(value, str) or (kind is URI and not URI.match(value)):
        yield f'{where}: {value!r}'


def wrong_object(kind, value, where):
    has, must = OBJECTS[kind]
    if not isinstance(value, dict):
        yield f'{where}: no object'
        return
    for name in must - set(value):
        yield f'{where}: no {name}'
    for name, v in value.items():
        if name in has:
            yield from wrong(has[name], v, f'{where}.{name}')
        else:
            yield f'{where}: what is {name}?'


def wrong_by_schema(log):
    if not os.environ.get('SARIF_SCHEMA'):
        return
    import jsonschema
    with open(os.environ['SARIF_SCHEMA'], encoding='utf-8') as file:
        schema = json.load(file)
    for error in jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker()).iter_errors(log):
        yield f'schema: {list(error.path)}: {error.message[:200]}'


def main():
    bad = 0
    for name in sys.argv[1:]:
        with open(name, encoding='utf-8') as file:
            log = json.load(file)
        for line in [*wrong('log', log, 'log'), *wrong_by_schema(log)]:
            bad += 1
            print(f'{name}: {line}')
    return 1 if bad or len(sys.argv) < 2 else 0


if __name__ == '__main__':
    sys.exit(main())
