# SPDX-License-Identifier: GPL-2.0
"""What the reports of the figures have in common: rows in; text, JSON and tables out.

A row is a line of JSON of a measuring program.  Those of all figures have

way       what is measured: flitcast, or the name of a peer
what      the quantity: "round trip", "goodput"...
topology, mtu, hops, bytes, sites    of what; those that matter
count, parts, min, q1, median, q3, max, mean      parts: means of each fifth, in order

and what a figure adds.  A figure's file build/NAME.json has "figure", "note", "comments",
"rows", and "ratios": rows of two ways with the quotient of their means, and as "low" that of the
least part of the one and the greatest of the other, as "high" the other way round; or the same of
medians and quartiles.
"""

import json
import os
import sys

# A test's figures are no benchmark's.
OUT = os.environ.get('BENCH_OUT', 'build')
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


def by_mean(row):
    """Least, mean, greatest."""
    return min(row['parts']), row['mean'], max(row['parts'])


def by_median(row):
    """The same of medians."""
    return row['q1'], row['median'], row['q3']


def quotient(one, two, less=0, **more):
    """One of these over another, each less what is no work."""
    (low, middle, high), (least, other, most) = ([max(v - less, 1e-9) for v in of]
                                                 for of in (one, two))
    return {**more, 'ratio': round(middle / other, 4), 'low': round(low / most, 4),
            'high': round(high / least, 4)}


def ratio(row, other, **more):
    """The means of one row over another's."""
    return quotient(by_mean(row), by_mean(other), way=row['way'], over=other['way'], **more)


def with_spread(found):
    """The cell of a ratio."""
    if found is None:
        return None
    low, high = (cell(float(found[k])) for k in ('low', 'high'))
    middle = cell(float(found['ratio']))
    return middle if low == high == middle else f'{middle} ({low}-{high})'


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
    """Lines of cells under a header; the first column is text.  after: text below it."""

    def __init__(self, title, header, after=''):
        self.title, self.header, self.lines, self.after = title, header, [], after

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
        return '\n'.join(['', self.title] + list(self._rows('  ')) +
                         ([self.after] if self.after else []))

    def rst(self):
        """For the documentation."""
        rule = '  '.join('=' * w for w in self.widths())
        rows = list(self._rows('  '))
        return '\n'.join([f'{self.title}:', '', rule, rows[0], rule] + rows[1:] + [rule, ''] +
                         ([self.after, ''] if self.after else []))


def finish(name, rows, comments, tables, ratios=(), svg=None, note=NOTE, documented=None, **more):
    """Print the tables, and leave NAME.json, .rst and .svg in build or $BENCH_OUT.

    documented: the tables of .rst, where they are others; more: members of the JSON object.
    """
    print('\n'.join(comments))
    print('\n'.join(table.text() for table in tables))
    print(f'\n{note}')
    result = {'figure': name, 'note': note, 'comments': comments, 'rows': rows,
              'ratios': list(ratios), **more}
    save(f'{OUT}/{name}.json', json.dumps(result, indent=1) + '\n')
    save(f'{OUT}/{name}.rst', '\n'.join(table.rst() for table in documented or tables))
    if svg:
        save(f'{OUT}/{name}.svg', svg)
    if not rows:
        print(f'{name}: no figures', file=sys.stderr)
    return 0 if rows and svg != '' else 1
