// SPDX-License-Identifier: GPL-2.0
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "pipe.h"
#include "plot.h"
#include "util.h"

/* The package of gnuplot. */
#define PACKAGE		"gnuplot-nox"

static const char *const colours[PLOT_CURVES_MAX] = {
	"#2563a8", "#c33333", "#2e8540", "#8a4fbf", "#c77700", "#444444"
};

/* Print a string of gnuplot in single quotes, in which only a single quote is special. */
static void put_text(FILE *file, const char *before, const char *text, const char *after)
{
	fprintf(file, "%s'", before);
	for (; *text; text++) {
		if (*text == '\'')
			fputc('\'', file);
		fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
	}
	fprintf(file, "'%s", after);
}

static void put_data(const struct plot *plot, FILE *file)
{
	fprintf(file, "$data << EOD\n");
	for (u32 p = 0; p < plot->points; p++) {
		fprintf(file, "%.9g", plot->x[p]);
		for (u32 i = 0; i < plot->ncurves; i++)
			fprintf(file, " %.9g %.9g", plot->curve[i].at[p].mean,
				plot->curve[i].at[p].half);
		fprintf(file, "\n");
	}
	fprintf(file, "EOD\n");
}

/* Last value of a curve, which may be missing. */
static double end_of(const struct plot *plot, u32 i)
{
	return fmax(plot->curve[i].at[plot->points - 1].mean, -HUGE_VAL);
}

/* Place of a curve in the legend: curves are in the order of their last values. */
static u32 place(const struct plot *plot, u32 i)
{
	double here = end_of(plot, i);
	u32 above = 0;

	for (u32 other = 0; other < plot->ncurves; other++) {
		double there = end_of(plot, other);

		above += there > here || (there == here && other < i);
	}
	return above;
}

static bool has_bars(const struct plot *plot, u32 i)
{
	for (u32 p = 0; p < plot->points; p++)
		if (plot->curve[i].at[p].half > 0)
			return true;
	return false;
}

static bool has_number(const struct plot *plot, u32 i)
{
	for (u32 p = 0; p < plot->points; p++)
		if (!isnan(plot->curve[i].at[p].mean))
			return true;
	return false;
}

static void put_curves(const struct plot *plot, FILE *file)
{
	const char *before = "plot";

	for (u32 at = 0; at < plot->ncurves; at++) {
		u32 i = 0;

		while (place(plot, i) != at)
			i++;
		/* gnuplot refuses a curve without a point. */
		if (!has_number(plot, i))
			continue;
		fprintf(file, "%s $data using 1:%u%s", before, 2 * i + 2,
			has_bars(plot, i) ? "" : " with linespoints");
		if (has_bars(plot, i))
			fprintf(file, ":%u with yerrorlines", 2 * i + 3);
		fprintf(file, " lw 1.5 pt 7 ps 0.5 lc rgb '%s'", colours[i]);
		put_text(file, " title ", plot->curve[i].label, "");
		before = ",";
	}
	fprintf(file, "\n");
}

static void put_script(const void *subject, FILE *file)
{
	const struct plot *plot = subject;
	double high = 0, low = 0;

	for (u32 i = 0; i < plot->ncurves; i++) {
		for (u32 p = 0; p < plot->points; p++) {
			high = fmax(high, plot->curve[i].at[p].mean);
			low = fmin(low, plot->curve[i].at[p].mean);
		}
	}
	put_data(plot, file);
	fprintf(file,
		"set terminal svg size 800,520 noenhanced font 'sans-serif,13' background 'white'\n"
		"set border 3 lc rgb '#888888'\n"
		"set grid ytics lt 1 lc rgb '#dddddd'\n"
		"set rmargin at screen 0.74\n"
		"set tics nomirror out textcolor rgb 'black'\n"
		"set xzeroaxis lt 1 lc rgb '#888888'\n"
		"set key at graph 1.03, graph 1 left top vertical reverse Left samplen 2\n"
		"set errorbars 0.4\n"
		"set xrange [*<0:*]\n"
		"set yrange [*<0:%s]\n", high > low ? "0<*" : "1");
	put_text(file, "set title ", plot->title, " font ',15'\n");
	put_text(file, "set xlabel ", plot->x_label, "\n");
	put_text(file, "set ylabel ", plot->y_label, "\n");
	put_curves(plot, file);
}

struct estimate *plot_add(struct plot *plot, const char *label)
{
	struct plot_curve *curve = &plot->curve[plot->ncurves++];

	if (plot->ncurves > PLOT_CURVES_MAX)
		die("%s: a plot with more than %d curves", plot->title, PLOT_CURVES_MAX);
	curve->label = label;
	return curve->at;
}

bool plot_possible(const char *path)
{
	static const char *const version[] = { "gnuplot", "--version", NULL };

	return pipe_writable(path) && pipe_run(version, PACKAGE, NULL, NULL, "/dev/null");
}

bool plot_draw_to(const struct plot *plot, const char *path)
{
	static const char *const gnuplot[] = { "gnuplot", "--default-settings", NULL };
	bool drawn = false;
	u32 i = 0;

	while (i < plot->ncurves && !has_number(plot, i))
		i++;
	if (i < plot->ncurves)
		drawn = pipe_run(gnuplot, PACKAGE, put_script, plot, path);
	else
		fprintf(stderr, "flitcast-sim: %s: not written: there is no number to draw\n",
			path);
	if (drawn)
		fprintf(stderr, "flitcast-sim: %s: written\n", path);
	return drawn;
}

bool plot_draw(const struct plot *plot, const char *dir)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, plot->file);
	return plot_draw_to(plot, path);
}
