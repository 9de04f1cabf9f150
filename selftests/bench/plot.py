# SPDX-License-Identifier: GPL-2.0
"""Plots of the benchmarks, as SVG."""

import math

COLOURS = ['#1b6ca8', '#c8553d', '#3c8d4f', '#8e5ea2', '#b8860b', '#2a9d8f', '#6b4f3a',
           '#d1478c', '#555555']
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 520, 76, 170, 48, 56


class Curve:
    """Points (x, y) with a label; dashed, or with a dot at each of them."""

    def __init__(self, label, points, colour=0, dashed=False):
        self.label, self.points, self.dashed = label, sorted(points), dashed
        self.colour = COLOURS[colour % len(COLOURS)]


def ticks(high):
    """Round numbers from 0 to beyond high."""
    step = 10 ** math.floor(math.log10(high / 10))
    step = next(s * step for s in (1, 2, 5, 10, 20) if high / (s * step) <= 10)
    return [i * step for i in range(int(high / step) + 2)]


def decades(low, high):
    """Powers of ten around the values."""
    return [10 ** i for i in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def number(value):
    """Short: 20,000,000 is 20 M."""
    for size, letter in ((1e9, ' G'), (1e6, ' M'), (1e4, ' k')):
        if value >= size:
            value, unit = value / (1e3 if letter == ' k' else size), letter
            break
    else:
        unit = ''
    return f'{value:g}{unit}'


def plot(title, subtitle, x_label, y_label, curves, log=False, notes=()):
    """The text of an SVG file.  log: the y axis is logarithmic; notes: below the legend."""
    xs = sorted({x for c in curves for x, _ in c.points})
    solid = [y for c in curves for _, y in c.points if not c.dashed]
    marks = decades(min(solid), max(solid)) if log else ticks(max(solid))
    low, high = (math.log10(marks[0]), math.log10(marks[-1])) if log else (0, marks[-1])

    def x_of(x):
        return LEFT + (WIDTH - LEFT - RIGHT) * x / max(xs)

    def y_of(y):
        y = math.log10(y) if log else y
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (y - low) / ((high - low) or 1)

    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
           f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           f'<clipPath id="area"><rect x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" '
           f'height="{HEIGHT - TOP - BOTTOM}"/></clipPath>',
           f'<text x="{LEFT}" y="20" font-size="15">{title}</text>',
           f'<text x="{LEFT}" y="37" fill="#555">{subtitle}</text>']
    for y in marks:
        svg.append(f'<line x1="{LEFT}" y1="{y_of(y):.1f}" x2="{WIDTH - RIGHT}" '
                   f'y2="{y_of(y):.1f}" stroke="#ddd"/><text x="{LEFT - 8}" '
                   f'y="{y_of(y) + 4:.1f}" text-anchor="end">{number(y)}</text>')
    for x in xs:
        svg.append(f'<line x1="{x_of(x):.1f}" y1="{HEIGHT - BOTTOM}" x2="{x_of(x):.1f}" '
                   f'y2="{HEIGHT - BOTTOM + 5}" stroke="#333"/><text x="{x_of(x):.1f}" '
                   f'y="{HEIGHT - BOTTOM + 19}" text-anchor="middle">{x:g}</text>')
    svg += [f'<path d="M{LEFT},{TOP} V{HEIGHT - BOTTOM} H{WIDTH - RIGHT}" fill="none" '
            'stroke="#333"/>',
            f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 14}" '
            f'text-anchor="middle">{x_label}</text>',
            f'<text transform="translate(18,{(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" '
            f'text-anchor="middle">{y_label}</text>']
    row = TOP + 14
    for curve in curves:
        dots = ' '.join(f'{x_of(x):.1f},{y_of(y):.1f}' for x, y in curve.points)
        style = 'stroke-width="1" stroke-dasharray="4 3"' if curve.dashed else \
            'stroke-width="1.6"'
        svg.append(f'<g clip-path="url(#area)"><polyline points="{dots}" fill="none" '
                   f'stroke="{curve.colour}" {style}/></g>')
        if not curve.dashed:
            svg += [f'<circle cx="{x_of(x):.1f}" cy="{y_of(y):.1f}" r="2.6" '
                    f'fill="{curve.colour}"/>' for x, y in curve.points]
        if curve.label:
            svg.append(f'<line x1="{WIDTH - RIGHT + 16}" y1="{row - 4}" '
                       f'x2="{WIDTH - RIGHT + 40}" y2="{row - 4}" stroke="{curve.colour}" '
                       f'{style}/><text x="{WIDTH - RIGHT + 46}" y="{row}">{curve.label}</text>')
            row += 18
    for note in notes:
        row += 18
        svg.append(f'<text x="{WIDTH - RIGHT + 16}" y="{row}" fill="#555">{note}</text>')
    return '\n'.join(svg + ['</svg>']) + '\n'


def bars(title, subtitle, groups, one=None):
    """The text of an SVG file with a bar for each value of each group.

    groups: (title, [(label, value)]); one: what a value of 1 is, for a line there.
    """
    row, left = 17, 230
    most = max(v for _, found in groups for _, v in found)
    height = 64 + sum(row * (len(found) + 1) + 14 for _, found in groups)

    def x_of(value):
        return left + (WIDTH - left - 84) * value / most

    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
           f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
           f'<text x="16" y="20" font-size="15">{title}</text>',
           f'<text x="16" y="37" fill="#555">{subtitle}</text>']
    y = 52
    labels = list(dict.fromkeys(label for _, found in groups for label, _ in found))
    for name, found in groups:
        y += row
        svg.append(f'<text x="16" y="{y}" font-weight="bold">{name}</text>')
        for label, value in found:
            y += row
            colour = COLOURS[labels.index(label) % len(COLOURS)]
            svg.append(f'<text x="{left - 8}" y="{y}" text-anchor="end">{label}</text>'
                       f'<rect x="{left}" y="{y - 11}" width="{x_of(value) - left:.1f}" height="13" '
                       f'fill="{colour}"/><text x="{x_of(value) + 6:.1f}" y="{y}" fill="#555">'
                       f'{short(value)}</text>')
        y += 14
    if one and most > 1:
        svg.append(f'<line x1="{x_of(1):.1f}" y1="52" x2="{x_of(1):.1f}" y2="{y}" stroke="#333" '
                   f'stroke-dasharray="3 3"/><text x="{x_of(1) + 4:.1f}" y="54" '
                   f'fill="#333">{one}</text>')
    return '\n'.join(svg + ['</svg>']) + '\n'


def short(value):
    """Three digits of it."""
    for size, unit in ((1e9, ' G'), (1e6, ' M'), (1e4, ' k')):
        if value >= size:
            return f'{value / (1e3 if unit == " k" else size):.3g}{unit}'
    return f'{value:,.0f}' if value >= 1000 else f'{value:.3g}'
