// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot.h"
#include "util.h"

/* The picture, and in it the area between the axes. */
#define WIDTH		800
#define HEIGHT		520
#define LEFT		80
#define RIGHT		620
#define TOP		60
#define BOTTOM		450

/* Lines across the area, about. */
#define TICKS		8

static const char *const colours[PLOT_CURVES_MAX] = {
	"#2563a8", "#c33333", "#2e8540", "#8a4fbf", "#c77700", "#444444"
};

struct scale {
	double low;
	double high;
	double step;
};

/* Round numbers around the values: steps of 1, 2 or 5 times a power of ten. */
static struct scale scale(double low, double high)
{
	double step = pow(10, floor(log10((high - low) / TICKS)));

	if ((high - low) / step > 5 * TICKS)
		step *= 10;
	else if ((high - low) / step > 2 * TICKS)
		step *= 5;
	else if ((high - low) / step > TICKS)
		step *= 2;
	return (struct scale){
		.low = step * floor(low / step), .high = step * ceil(high / step), .step = step
	};
}

static double x_of(const struct scale *x, double value)
{
	return LEFT + (RIGHT - LEFT) * (value - x->low) / (x->high - x->low);
}

static double y_of(const struct scale *y, double value)
{
	return BOTTOM - (BOTTOM - TOP) * (value - y->low) / (y->high - y->low);
}

static void line(FILE *file, double x1, double y1, double x2, double y2, const char *colour)
{
	fprintf(file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n",
		x1, y1, x2, y2, colour);
}

static void text(FILE *file, double x, double y, const char *anchor, const char *what)
{
	fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor,
		what);
}

static void axes(FILE *file, const struct plot *plot, const struct scale *x, const struct scale *y)
{
	char label[32];

	for (int i = 0; i <= (int)((y->high - y->low) / y->step + 0.5); i++) {
		double value = y->low + i * y->step;

		line(file, LEFT, y_of(y, value), RIGHT, y_of(y, value),
		     fabs(value) < y->step / 2 ? "#888" : "#ddd");
		snprintf(label, sizeof(label), "%g", fabs(value) < y->step / 2 ? 0 : value);
		text(file, LEFT - 8, y_of(y, value) + 4, "end", label);
	}
	for (int i = 0; i <= (int)((x->high - x->low) / x->step + 0.5); i++) {
		double value = x->low + i * x->step;

		snprintf(label, sizeof(label), "%g", value);
		line(file, x_of(x, value), BOTTOM, x_of(x, value), BOTTOM + 5, "#888");
		text(file, x_of(x, value), BOTTOM + 20, "middle", label);
	}
	text(file, (LEFT + RIGHT) / 2.0, BOTTOM + 44, "middle", plot->x_label);
	text(file, LEFT, TOP - 14, "middle", plot->y_label);
	text(file, (LEFT + RIGHT) / 2.0, TOP - 34, "middle", plot->title);
}

static void curve(FILE *file, const struct plot *plot, const struct scale *x, const struct scale *y,
		  u32 i)
{
	const struct plot_curve *c = &plot->curve[i];

	fprintf(file, "<g stroke-width=\"1.5\">\n<polyline fill=\"none\" stroke=\"%s\" points=\"",
		colours[i]);
	for (u32 p = 0; p < plot->points; p++)
		fprintf(file, "%s%.1f,%.1f", p ? " " : "", x_of(x, plot->x[p]),
			y_of(y, c->at[p].mean));
	fprintf(file, "\"/>\n");
	for (u32 p = 0; p < plot->points; p++) {
		double at = x_of(x, plot->x[p]), mean = c->at[p].mean, half = c->at[p].half;

		line(file, at, y_of(y, mean - half), at, y_of(y, mean + half), colours[i]);
		fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", at,
			y_of(y, mean), colours[i]);
	}
	fprintf(file, "</g>\n");
}

/* Beside the area, in the order of the curves' ends. */
static void legend(FILE *file, const struct plot *plot)
{
	for (u32 i = 0; i < plot->ncurves; i++) {
		u32 above = 0;
		double y;

		for (u32 other = 0; other < plot->ncurves; other++) {
			double here = plot->curve[i].at[plot->points - 1].mean;
			double there = plot->curve[other].at[plot->points - 1].mean;

			above += there > here || (there == here && other < i);
		}
		y = TOP + 20.0 * above;
		fprintf(file, "<circle cx=\"%d\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n",
			RIGHT + 20, y, colours[i]);
		text(file, RIGHT + 32, y + 4, "start", plot->curve[i].label);
	}
}

static void svg(const struct plot *plot, FILE *file)
{
	double low = 0, high = 0;
	struct scale x, y;

	for (u32 i = 0; i < plot->ncurves; i++) {
		for (u32 p = 0; p < plot->points; p++) {
			const struct estimate *at = &plot->curve[i].at[p];

			low = fmin(low, at->mean - at->half);
			high = fmax(high, at->mean + at->half);
		}
	}
	x = scale(0, plot->x[plot->points - 1]);
	y = scale(low, high > low ? high : low + 1);
	fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
		" font-family=\"sans-serif\" font-size=\"13\">\n", WIDTH, HEIGHT);
	fprintf(file, "<title>%s</title>\n", plot->title);
	fprintf(file, "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n", WIDTH, HEIGHT);
	axes(file, plot, &x, &y);
	for (u32 i = 0; i < plot->ncurves; i++)
		curve(file, plot, &x, &y, i);
	legend(file, plot);
	fprintf(file, "</svg>\n");
}

struct estimate *plot_add(struct plot *plot, const char *label)
{
	struct plot_curve *curve = &plot->curve[plot->ncurves++];

	if (plot->ncurves > PLOT_CURVES_MAX)
		die("%s: a plot with more than %d curves", plot->title, PLOT_CURVES_MAX);
	curve->label = label;
	return curve->at;
}

bool plot_draw(const struct plot *plot, const char *dir)
{
	char path[PATH_MAX];
	FILE *file;
	bool bad;

	snprintf(path, sizeof(path), "%s/%s", dir, plot->file);
	file = fopen(path, "w");
	if (!file) {
		fprintf(stderr, "flitcast-sim: %s: %s\n", path, strerror(errno));
		return false;
	}
	svg(plot, file);
	bad = ferror(file);
	bad |= fclose(file) != 0;
	if (bad)
		fprintf(stderr, "flitcast-sim: %s: the picture cannot be written\n", path);
	else
		fprintf(stderr, "flitcast-sim: %s: written\n", path);
	return !bad;
}
