# SPDX-License-Identifier: GPL-2.0
"""Plots of the benchmarks, as SVG, drawn by gnuplot."""

import math
import subprocess
import sys

COLOURS = ['#1b6ca8', '#c8553d', '#3c8d4f', '#8e5ea2', '#b8860b', '#2a9d8f', '#6b4f3a',
           '#d1478c', '#555555']
WIDTH, HEIGHT, LEFT, RIGHT = 760, 520, 90, 170


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


def quoted(text):
    """A string of gnuplot."""
    return "'" + text.replace("'", "''").replace('\n', ' ') + "'"


def drawn(height, left, title, subtitle, script):
    """The text of an SVG file; '', with a line on standard error, if it cannot be drawn."""
    script = [f"set terminal svg size {WIDTH},{height} noenhanced font 'sans-serif,12' "
              "background 'white'",
              f'set margins at screen {left / WIDTH}, screen {1 - RIGHT / WIDTH}, '
              f'screen {64 / height}, screen {1 - 52 / height}',
              f"set label {quoted(title)} at screen {16 / WIDTH}, screen {1 - 18 / height} "
              "font ',15'",
              f'set label {quoted(subtitle)} at screen {16 / WIDTH}, screen {1 - 37 / height} '
              "tc rgb '#555555'",
              'set tics nomirror out'] + script
    try:
        done = subprocess.run(['gnuplot', '--default-settings'], input='\n'.join(script) + '\n',
                              capture_output=True, text=True, check=False)
    except FileNotFoundError:
        print('drawing needs gnuplot: apt install gnuplot-nox', file=sys.stderr)
        return ''
    sys.stderr.write(done.stderr)
    return '' if done.returncode else done.stdout


def plot(title, subtitle, x_label, y_label, curves, log=False, notes=()):
    """The text of an SVG file.  log: the y axis is logarithmic; notes: below the legend."""
    xs = sorted({x for c in curves for x, _ in c.points})
    solid = [y for c in curves for _, y in c.points if not c.dashed]
    marks = decades(min(solid), max(solid)) if log else ticks(max(solid))
    script = ['set logscale y'] if log else []
    script += [f'set xrange [0:{max(xs)}]', f'set yrange [{0.999 * marks[0]}:{marks[-1]}]',
               "set border 3 lc rgb '#333333'", "set grid ytics lt 1 lc rgb '#dddddd'",
               'set key at graph 1.03, graph 1 left top vertical reverse Left samplen 2',
               f'set xlabel {quoted(x_label)}', f'set ylabel {quoted(y_label)}',
               'set xtics (' + ', '.join(f"'{x:g}' {x}" for x in xs) + ')',
               'set ytics (' + ', '.join(f"'{number(y)}' {y}" for y in marks) + ')']
    drawings = []
    for i, curve in enumerate(curves):
        script += [f'$data{i} << EOD'] + [f'{x} {y}' for x, y in curve.points] + ['EOD']
        style = 'lines dt 2 lw 1' if curve.dashed else 'linespoints lw 1.6 pt 7 ps 0.45'
        label = f'title {quoted(curve.label)}' if curve.label else 'notitle'
        drawings.append(f"$data{i} with {style} lc rgb '{curve.colour}' {label}")
    drawings += [f"keyentry with lines lt nodraw title {quoted(note)}" for note in notes]
    return drawn(HEIGHT, LEFT, title, subtitle, script + ['plot ' + ', '.join(drawings)])


def bars(title, subtitle, groups, one=None):
    """The text of an SVG file with a bar for each value of each group.

    groups: (title, [(label, value)]); one: what a value of 1 is, for a line there.
    """
    most = max(v for _, found in groups for _, v in found)
    labels = list(dict.fromkeys(label for _, found in groups for label, _ in found))
    script, data, names, y = [], [], [], 0
    for name, found in groups:
        y += 1
        script.append(f"set label {quoted(name)} at screen {16 / WIDTH}, first {y} font ',13'")
        for label, value in found:
            y += 1
            colour = COLOURS[labels.index(label) % len(COLOURS)]
            data.append(f'{value} {y} 0x{colour[1:]}')
            names.append(f'{quoted(label)} {y}')
            script.append(f"set label '{short(value)}' at first {value}, first {y} offset 0.6,0 "
                          "tc rgb '#555555'")
        y += 0.8
    if one and most > 1:
        script += [f"set arrow from 1,0.4 to 1,{y} nohead dt 2 lc rgb '#333333'",
                   f"set label {quoted(one)} at first 1, first 0.2 offset 0.5,0"]
    script += ['unset border', 'unset xtics', 'unset key', 'set ytics scale 0 (' +
               ', '.join(names) + ')', f'set xrange [0:{most}]', f'set yrange [{y}:0]',
               '$data << EOD'] + data + ['EOD',
               'plot $data using (0):2:(0):1:($2-0.38):($2+0.38):3 with boxxyerror '
               'fill solid noborder lc rgb variable']
    return drawn(int(116 + 17 * y), 230, title, subtitle, script)


def short(value):
    """Three digits of it."""
    for size, unit in ((1e9, ' G'), (1e6, ' M'), (1e4, ' k')):
        if value >= size:
            return f'{value / (1e3 if unit == " k" else size):.3g}{unit}'
    return f'{value:,.0f}' if value >= 1000 else f'{value:.3g}'
