# SPDX-License-Identifier: GPL-2.0
"""What the reports of the figures have in common: rows in; text, JSON and tables out.

A row is a line of JSON of a measuring program.  Those of all figures have

way       what is measured: flitcast, or the name of a peer
what      the quantity: "round trip", "goodput"...
topology, mtu, hops, bytes, sites    of what; those that matter
count, min, q1, median, q3, max, mean

and what a figure adds.  A figure's file build/NAME.json has "figure", "note", "comments",
"rows", and "ratios": rows of two ways with the quotient of their means, and that of their
quartiles as "low" and "high".
"""

import json
import os
import sys

NOTE = ('Instructions, as nanoseconds of guest time (QEMU icount): caches, memory '
        'bandwidth, branch misses and cores in parallel do not show.')


def read(stream):
    """Rows, and comments."""
    rows, comments = [], []
    for line in stream:
        line = line.strip()
        if line.startswith('{'):
            rows.append(json.loads(line))
        elif line:
            comments.append(line)
    return rows, comments


def save(path, text):
    """Write a file, whole or not at all."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path + '.part', 'w', encoding='utf-8') as file:
        file.write(text)
    os.replace(path + '.part', path)


def ratio(row, other, **more):
    """One row over another."""
    return {'way': row['way'], 'over': other['way'], **more,
            'ratio': round(row['mean'] / other['mean'], 4),
            'low': round(row['q1'] / max(other['q3'], 1), 4),
            'high': round(row['q3'] / max(other['q1'], 1), 4)}


def slope(points):
    """Least-squares slope of (x, y) points, or None for fewer than two."""
    n = len(points)
    if n < 2:
        return None
    mean_x = sum(x for x, _ in points) / n
    mean_y = sum(y for _, y in points) / n
    return (sum((x - mean_x) * (y - mean_y) for x, y in points) /
            sum((x - mean_x) ** 2 for x, _ in points))


def cell(value):
    """A number as it is in tables; None is left out."""
    if value is None:
        return '-'
    if isinstance(value, str):
        return value
    if isinstance(value, int) or abs(value) >= 1000:
        return f'{value:,.0f}'
    return f'{value:.3g}' if abs(value) >= 10 else f'{value:.2f}'


class Table:
    """Lines of cells under a header; the first column is text."""

    def __init__(self, title, header):
        self.title, self.header, self.lines = title, header, []

    def add(self, *cells):
        """A line."""
        self.lines.append([cell(c) for c in cells])

    def widths(self):
        """Of the columns."""
        return [max(len(line[i]) for line in [self.header] + self.lines)
                for i in range(len(self.header))]

    def _rows(self, gap):
        widths = self.widths()
        for line in [self.header] + self.lines:
            yield gap.join(c.ljust(w) if not i else c.rjust(w)
                           for i, (c, w) in enumerate(zip(line, widths))).rstrip()

    def text(self):
        """For a terminal."""
        return '\n'.join(['', self.title] + list(self._rows('  ')))

    def rst(self):
        """For the documentation."""
        rule = '  '.join('=' * w for w in self.widths())
        rows = list(self._rows('  '))
        return '\n'.join([f'{self.title}:', '', rule, rows[0], rule] + rows[1:] + [rule, ''])


def finish(name, rows, comments, tables, ratios=(), svg=None, note=NOTE):
    """Print the tables, and leave build/NAME.json, .rst and .svg."""
    print('\n'.join(comments))
    print('\n'.join(table.text() for table in tables))
    print(f'\n{note}')
    result = {'figure': name, 'note': note, 'comments': comments, 'rows': rows,
              'ratios': list(ratios)}
    save(f'build/{name}.json', json.dumps(result, indent=1) + '\n')
    save(f'build/{name}.rst', '\n'.join(table.rst() for table in tables))
    if svg:
        save(f'build/{name}.svg', svg)
    if not rows:
        print(f'{name}: no figures', file=sys.stderr)
    return 0 if rows else 1
