#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares pictures of a page.

  pixels.py unpack A.png A                a picture as Chromium writes it (8 bits); the others read what that writes
  pixels.py same A B [X,Y,W,H]...         A and B are the same, but for what is in these rectangles
  pixels.py other A B X,Y,W,H             they differ in that rectangle
  pixels.py has A RRGGBB LEAST X,Y,W,H    so many pixels there have that colour
  pixels.py lacks A RRGGBB X,Y,W,H        none has
  pixels.py mostly A RRGGBB               no colour is more frequent
"""
import collections
import struct
import sys
import zlib


def unpack(path):
    """The rows, of three bytes a pixel."""
    with open(path, 'rb') as file:
        data = file.read()
    assert data[:8] == b'\x89PNG\r\n\x1a\n', f'{path} is no PNG'
    at, packed = 8, b''
    while at < len(data):
        size, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b'IHDR':
            width, height, depth, colour, _, _, interlaced = struct.unpack('>IIBBBBB', body)
            assert depth == 8 and colour in (2, 6) and not interlaced, f'{path}: {depth} bits, colour type {colour}'
        if kind == b'IDAT':
            packed += body
        at += 12 + size
    step = 3 if colour == 2 else 4
    raw, rows, before = zlib.decompress(packed), [], bytearray(width * step)
    for y in range(height):
        start = y * (width * step + 1)
        before = unfiltered(raw[start], bytearray(raw[start + 1:start + 1 + width * step]), before, step)
        rows.append(bytes(before) if step == 3 else b''.join(before[x:x + 3] for x in range(0, width * 4, 4)))
    return rows


def rows_of(path):
    with open(path, 'rb') as file:
        width, height = struct.unpack('>II', file.read(8))
        return [file.read(3 * width) for _ in range(height)]


def pixels(row):
    return zip(row[::3], row[1::3], row[2::3])


def paeth(left, up, corner):
    guess = left + up - corner
    return min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]


def unfiltered(how, row, before, step):
    if how == 2:
        return bytearray((a + b) & 255 for a, b in zip(row, before))
    for i in range(len(row) if how else 0):
        left, up, corner = (row[i - step] if i >= step else 0), before[i], (before[i - step] if i >= step else 0)
        row[i] = (row[i] + (left if how == 1 else (left + up) // 2 if how == 3 else paeth(left, up, corner))) & 255
    return row


def area(text):
    return [int(float(number)) for number in text.split(',')]


def colour_of(text):
    return tuple(bytes.fromhex(text))


def inside(x, y, box):
    return box[0] <= x < box[0] + box[2] and box[1] <= y < box[1] + box[3]


def part(rows, box):
    return [row[3 * max(box[0], 0):3 * (box[0] + box[2])] for row in rows[max(box[1], 0):box[1] + box[3]]]


def differences(a, b):
    assert len(a) == len(b) and len(a[0]) == len(b[0]), 'they have not the same size'
    return [(x, y) for y, (r, s) in enumerate(zip(a, b)) if r != s for x, (p, q) in enumerate(zip(pixels(r), pixels(s))) if p != q]


def main(what, *more):
    if what == 'unpack':
        rows = unpack(more[0])
        with open(more[1], 'wb') as file:
            file.write(struct.pack('>II', len(rows[0]) // 3, len(rows)) + b''.join(rows))
        return ''
    rows = rows_of(more[0])
    if what == 'same':
        boxes = [area(box) for box in more[2:]]
        left = [(x, y) for x, y in differences(rows, rows_of(more[1])) if not any(inside(x, y, box) for box in boxes)]
        return f'{len(left)} pixels differ, the first at {left[0]}' if left else ''
    if what == 'other':
        return '' if part(rows, area(more[2])) != part(rows_of(more[1]), area(more[2])) else 'they are the same'
    counts = collections.Counter(pixel for row in (part(rows, area(more[-1])) if what != 'mostly' else rows) for pixel in pixels(row))
    found = counts[colour_of(more[1])]
    print(found, counts.most_common(3))
    if what == 'has':
        return '' if found >= int(more[2]) else f'{found} pixels'
    if what == 'lacks':
        return f'{found} pixels' if found else ''
    assert what == 'mostly', what
    return '' if counts.most_common(1)[0][0] == colour_of(more[1]) else f'{counts.most_common(1)}'


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]) or 0)
