// SPDX-License-Identifier: GPL-2.0
/*
 * The states stand on an ellipse.  Transitions from one state to the same other
 * are one curve, with a line of text each; there and back bend to different
 * sides, and what stays in its state is a loop on the outside.
 *
 * How far a curve bends, and where along it the text stands, is chosen for one
 * curve after the other, several times over, by what it would cover.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diagram.h"
#include "util.h"

/* Lengths in pixels; the widths are those of a monospaced font of 12. */
#define STATE_RADIUS	40.0
#define CHAR_WIDTH	7.3
#define LINE_HEIGHT	15.0
#define PADDING		4.0
#define MARGIN		24.0
#define HEADING		34.0
#define ARROW		9.0
/* Radius of the ellipse for each state on it, and how much wider than high it is. */
#define RADIUS_PER_STATE 46.0
#define RADIUS_LEAST	150.0
#define WIDER		1.45

/* Points of a curve that are looked at. */
#define SAMPLES		32
/* Rounds of placing every curve anew; it is at rest after four. */
#define ROUNDS		8

/* What is worse than what: text over text or a state, a curve through a state or text. */
#define COST_COVER	1000.0
#define COST_STATE	400.0
#define COST_TEXT	60.0
#define COST_BEND	40.0
#define COST_OFF	25.0

struct point {
	double x, y;
};

struct box {
	struct point low, high;
};

/**
 * struct edge - the transitions from one state to another
 * @from: state
 * @to: state
 * @nlines: transitions
 * @line: their labels
 * @bend: how far the curve leaves the straight line, as part of its length
 * @at: where along the curve the text stands
 * @text: box around it
 * @curve: points of the curve
 */
struct edge {
	unsigned int from;
	unsigned int to;
	unsigned int nlines;
	char line[16][DIAGRAM_LABEL_MAX];
	double bend;
	double at;
	struct box text;
	struct point curve[SAMPLES + 1];
};

struct diagram {
	const struct fc_fsm *fsm;
	struct point *state;
	unsigned int nedges;
	struct edge *edge;
	struct point centre;
};

static struct point along(struct point from, struct point to, double part)
{
	return (struct point){ from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part };
}

/* So many pixels from one point towards another. */
static struct point towards(struct point from, struct point to, double length)
{
	double whole = hypot(to.x - from.x, to.y - from.y);

	return whole ? along(from, to, length / whole) : from;
}

static double common(double a_low, double a_high, double b_low, double b_high)
{
	double length = fmin(a_high, b_high) - fmax(a_low, b_low);

	return length > 0 ? length : 0;
}

/* Area that two boxes share. */
static double overlap(const struct box *a, const struct box *b)
{
	return common(a->low.x, a->high.x, b->low.x, b->high.x) *
	       common(a->low.y, a->high.y, b->low.y, b->high.y);
}

static bool inside(const struct box *box, struct point at)
{
	return at.x > box->low.x && at.x < box->high.x && at.y > box->low.y && at.y < box->high.y;
}

static struct box state_box(const struct diagram *d, unsigned int state)
{
	struct point at = d->state[state];

	return (struct box){ { at.x - STATE_RADIUS, at.y - STATE_RADIUS },
			     { at.x + STATE_RADIUS, at.y + STATE_RADIUS } };
}

/* The control point of the curve, a quadratic Bezier. */
static struct point control(const struct diagram *d, const struct edge *e)
{
	struct point a = d->state[e->from], b = d->state[e->to], middle = along(a, b, 0.5);

	return (struct point){ middle.x + (b.y - a.y) * e->bend * 2,
			       middle.y - (b.x - a.x) * e->bend * 2 };
}

/* The four points of a loop, a cubic Bezier, away from the middle of the diagram. */
static void loop_points(const struct diagram *d, const struct edge *e, struct point p[4])
{
	struct point at = d->state[e->from];
	double angle = atan2(at.y - d->centre.y, at.x - d->centre.x);
	double turn = 0.38, reach = STATE_RADIUS * 2.3;

	angle += e->bend;
	p[0] = (struct point){ at.x + STATE_RADIUS * cos(angle - turn),
			       at.y + STATE_RADIUS * sin(angle - turn) };
	p[1] = (struct point){ at.x + reach * cos(angle - turn), at.y + reach * sin(angle - turn) };
	p[2] = (struct point){ at.x + reach * cos(angle + turn), at.y + reach * sin(angle + turn) };
	p[3] = (struct point){ at.x + (STATE_RADIUS + 2) * cos(angle + turn),
			       at.y + (STATE_RADIUS + 2) * sin(angle + turn) };
}

static struct point bezier3(const struct point p[4], double t)
{
	double u = 1 - t;
	double a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, e = t * t * t;

	return (struct point){ a * p[0].x + b * p[1].x + c * p[2].x + e * p[3].x,
			       a * p[0].y + b * p[1].y + c * p[2].y + e * p[3].y };
}

static void ends(const struct diagram *d, const struct edge *e, struct point p[3])
{
	p[1] = control(d, e);
	p[0] = towards(d->state[e->from], p[1], STATE_RADIUS);
	p[2] = towards(d->state[e->to], p[1], STATE_RADIUS + 2);
}

/* Curve and text of an edge, from its bend and place. */
static void shape(const struct diagram *d, struct edge *e)
{
	double width = 0, height = e->nlines * LINE_HEIGHT;
	struct point p[4], at;

	for (unsigned int i = 0; i < e->nlines; i++)
		width = fmax(width, strlen(e->line[i]) * CHAR_WIDTH);
	width += 2 * PADDING;
	height += PADDING;
	if (e->from == e->to) {
		struct point far;

		loop_points(d, e, p);
		for (unsigned int i = 0; i <= SAMPLES; i++)
			e->curve[i] = bezier3(p, (double)i / SAMPLES);
		/* The text stands behind the loop, on the side it points to. */
		far = bezier3(p, 0.5);
		at = towards(d->state[e->from], far,
			     hypot(far.x - d->state[e->from].x, far.y - d->state[e->from].y) + 6);
		at.x += (at.x - d->state[e->from].x) / (STATE_RADIUS * 2) * width / 2;
		at.y += (at.y - d->state[e->from].y) / (STATE_RADIUS * 2) * height / 2;
	} else {
		ends(d, e, p);
		for (unsigned int i = 0; i <= SAMPLES; i++) {
			double t = (double)i / SAMPLES;

			e->curve[i] = along(along(p[0], p[1], t), along(p[1], p[2], t), t);
		}
		at = along(along(p[0], p[1], e->at), along(p[1], p[2], e->at), e->at);
	}
	e->text = (struct box){ { at.x - width / 2, at.y - height / 2 },
				{ at.x + width / 2, at.y + height / 2 } };
}

/* What an edge as it is now covers, or is covered by. */
static double cost(const struct diagram *d, const struct edge *e)
{
	double sum = COST_BEND * fabs(e->bend) + COST_OFF * fabs(e->at - 0.5);

	for (unsigned int s = 1; s < d->fsm->nstates; s++) {
		struct box box = state_box(d, s);

		if (overlap(&e->text, &box) > 0)
			sum += COST_COVER + overlap(&e->text, &box);
		if (s == e->from || s == e->to)
			continue;
		for (unsigned int i = 0; i <= SAMPLES; i++)
			if (inside(&box, e->curve[i]))
				sum += COST_STATE;
	}
	for (unsigned int k = 0; k < d->nedges; k++) {
		const struct edge *other = &d->edge[k];
		bool crossed = false, crosses = false;

		if (other == e)
			continue;
		if (overlap(&e->text, &other->text) > 0)
			sum += COST_COVER + overlap(&e->text, &other->text);
		for (unsigned int i = 0; i <= SAMPLES; i++) {
			crossed |= inside(&e->text, other->curve[i]);
			crosses |= inside(&other->text, e->curve[i]);
		}
		sum += COST_TEXT * (crossed + crosses);
	}
	return sum;
}

static void place(struct diagram *d, struct edge *e)
{
	static const double bends[] = {
		0.06, 0.12, 0.18, 0.24, 0.32, 0.4, 0.5, 0, -0.06, -0.12, -0.2
	};
	static const double turns[] = { 0, 0.25, -0.25, 0.5, -0.5, 0.8, -0.8, 1.2, -1.2 };
	static const double places[] = { 0.5, 0.44, 0.56, 0.38, 0.62, 0.3, 0.7, 0.24, 0.76 };
	bool loop = e->from == e->to;
	unsigned int nbends = loop ? FC_ARRAY_SIZE(turns) : FC_ARRAY_SIZE(bends);
	unsigned int nplaces = loop ? 1 : FC_ARRAY_SIZE(places);
	double least = INFINITY, bend = 0, at = 0.5;

	for (unsigned int i = 0; i < nbends; i++) {
		for (unsigned int j = 0; j < nplaces; j++) {
			double now;

			e->bend = loop ? turns[i] : bends[i];
			e->at = places[j];
			shape(d, e);
			now = cost(d, e);
			if (now < least) {
				least = now;
				bend = e->bend;
				at = e->at;
			}
		}
	}
	e->bend = bend;
	e->at = at;
	shape(d, e);
}

/* How many chords of the circle cross, and how long they are, states in this order. */
static unsigned int tangle(const struct diagram *d, const unsigned int *slot)
{
	unsigned int n = d->fsm->nstates - 1u, sum = 0;

	for (unsigned int i = 0; i < d->nedges; i++) {
		unsigned int a = slot[d->edge[i].from], b = slot[d->edge[i].to];
		unsigned int low = a < b ? a : b, high = a < b ? b : a, span = high - low;

		sum += span < n - span ? span : n - span;
		for (unsigned int k = 0; k < i; k++) {
			unsigned int from = slot[d->edge[k].from], to = slot[d->edge[k].to];
			bool in = from > low && from < high, out = to > low && to < high;

			if (from == low || from == high || to == low || to == high)
				continue;
			sum += in != out ? 4 : 0;
		}
	}
	return sum;
}

/* States that belong together stand together: swaps, as long as one helps. */
static void arrange(struct diagram *d)
{
	unsigned int n = d->fsm->nstates - 1u;
	unsigned int *slot = xcalloc(n + 1, sizeof(*slot));
	double radius = fmax(RADIUS_LEAST, RADIUS_PER_STATE * n);
	bool better = true;

	for (unsigned int s = 1; s <= n; s++)
		slot[s] = s - 1;
	while (better) {
		unsigned int before = tangle(d, slot);

		better = false;
		/* The first state keeps its place. */
		for (unsigned int a = 2; a <= n && !better; a++) {
			for (unsigned int b = a + 1; b <= n && !better; b++) {
				unsigned int keep = slot[a];

				slot[a] = slot[b];
				slot[b] = keep;
				better = tangle(d, slot) < before;
				if (!better) {
					slot[b] = slot[a];
					slot[a] = keep;
				}
			}
		}
	}
	for (unsigned int s = 1; s <= n; s++) {
		double angle = 2 * M_PI * slot[s] / n - M_PI;

		d->state[s].x = radius * WIDER * cos(angle);
		d->state[s].y = radius * sin(angle);
	}
	free(slot);
}

static void collect(struct diagram *d, const struct fc_fsm *fsm)
{
	char label[DIAGRAM_LABEL_MAX];

	d->fsm = fsm;
	d->state = xcalloc(fsm->nstates, sizeof(*d->state));
	d->edge = xcalloc((size_t)fsm->nstates * fsm->nconds, sizeof(*d->edge));
	for (unsigned int s = 1; s < fsm->nstates; s++) {
		for (unsigned int c = 1; c < fsm->nconds; c++) {
			unsigned int to = fsm->rows[s * fsm->nconds + c].next, i = 0;
			struct edge *e;

			if (!diagram_label(fsm, s, c, label))
				continue;
			while (i < d->nedges && (d->edge[i].from != s || d->edge[i].to != to))
				i++;
			e = &d->edge[i];
			if (i == d->nedges)
				*e = (struct edge){ .from = s, .to = to, .at = 0.5, .bend = 0.12 };
			if (i == d->nedges)
				d->nedges++;
			if (e->nlines == FC_ARRAY_SIZE(e->line))
				die("%s: too many transitions to one state", fsm->name);
			memcpy(e->line[e->nlines++], label, sizeof(label));
		}
	}
}

static void widen(struct box *box, struct point at)
{
	box->low.x = fmin(box->low.x, at.x);
	box->low.y = fmin(box->low.y, at.y);
	box->high.x = fmax(box->high.x, at.x);
	box->high.y = fmax(box->high.y, at.y);
}

static struct box bounds(const struct diagram *d)
{
	struct box all = { { 0, 0 }, { 0, 0 } };

	for (unsigned int s = 1; s < d->fsm->nstates; s++) {
		struct box box = state_box(d, s);

		widen(&all, box.low);
		widen(&all, box.high);
	}
	for (unsigned int i = 0; i < d->nedges; i++) {
		widen(&all, d->edge[i].text.low);
		widen(&all, d->edge[i].text.high);
		for (unsigned int k = 0; k <= SAMPLES; k++)
			widen(&all, d->edge[i].curve[k]);
	}
	return all;
}

static void put_text(FILE *file, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", file);
		else if (*text == '>')
			fputs("&gt;", file);
		else if (*text == '&')
			fputs("&amp;", file);
		else
			fputc(*text, file);
	}
}

static void put_curve(const struct diagram *d, const struct edge *e, FILE *file)
{
	struct point p[4];

	fputs("<path class=\"edge\" marker-end=\"url(#arrow)\" d=\"", file);
	if (e->from == e->to) {
		loop_points(d, e, p);
		fprintf(file, "M%.1f,%.1f C%.1f,%.1f %.1f,%.1f %.1f,%.1f", p[0].x, p[0].y, p[1].x,
			p[1].y, p[2].x, p[2].y, p[3].x, p[3].y);
	} else {
		ends(d, e, p);
		fprintf(file, "M%.1f,%.1f Q%.1f,%.1f %.1f,%.1f", p[0].x, p[0].y, p[1].x, p[1].y,
			p[2].x, p[2].y);
	}
	fputs("\"/>\n", file);
}

static void put_label(const struct edge *e, FILE *file)
{
	double middle = (e->text.low.x + e->text.high.x) / 2;
	double y = e->text.low.y + LINE_HEIGHT - 3 + PADDING / 2;

	fprintf(file, "<rect class=\"label\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
		e->text.low.x, e->text.low.y, e->text.high.x - e->text.low.x,
		e->text.high.y - e->text.low.y);
	for (unsigned int i = 0; i < e->nlines; i++) {
		fprintf(file, "<text class=\"label\" x=\"%.1f\" y=\"%.1f\">", middle,
			y + i * LINE_HEIGHT);
		put_text(file, e->line[i]);
		fputs("</text>\n", file);
	}
}

static void put_state(const struct diagram *d, unsigned int s, FILE *file)
{
	struct point at = d->state[s];

	fprintf(file, "<circle class=\"state\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n", at.x, at.y,
		STATE_RADIUS);
	if (s == 1)
		fprintf(file, "<circle class=\"first\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n",
			at.x, at.y, STATE_RADIUS - 4);
	fprintf(file, "<text class=\"state\" x=\"%.1f\" y=\"%.1f\">", at.x, at.y + 4);
	put_text(file, d->fsm->states[s]);
	fputs("</text>\n", file);
}

static void put_all(const struct diagram *d, FILE *file)
{
	struct box all = bounds(d);
	double width = all.high.x - all.low.x + 2 * MARGIN;
	double height = all.high.y - all.low.y + 2 * MARGIN + HEADING;

	fprintf(file,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\""
		" viewBox=\"%.1f %.1f %.1f %.1f\">\n",
		width, height, all.low.x - MARGIN, all.low.y - MARGIN - HEADING, width, height);
	fputs("<title>", file);
	put_text(file, d->fsm->name);
	fputs("</title>\n", file);
	fprintf(file,
		"<style>\n"
		"text { font-family: monospace; font-size: 12px; text-anchor: middle; }\n"
		"text.heading { font-size: 18px; text-anchor: start; }\n"
		"text.state { font-weight: bold; }\n"
		".edge { fill: none; stroke: #566; stroke-width: 1.3; }\n"
		"circle.state { fill: #eef3fa; stroke: #234; stroke-width: 1.5; }\n"
		"circle.first { fill: none; stroke: #234; stroke-width: 1; }\n"
		"rect.label { fill: #fff; fill-opacity: 0.85; }\n"
		"</style>\n"
		"<defs><marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\""
		" markerWidth=\"%.0f\" markerHeight=\"%.0f\" markerUnits=\"userSpaceOnUse\""
		" orient=\"auto\"><path d=\"M0,0 L10,5 L0,10 z\" fill=\"#566\"/></marker></defs>\n"
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#fff\"/>\n",
		ARROW, ARROW, all.low.x - MARGIN, all.low.y - MARGIN - HEADING, width, height);
	fprintf(file, "<text class=\"heading\" x=\"%.1f\" y=\"%.1f\">", all.low.x,
		all.low.y - MARGIN);
	put_text(file, d->fsm->name);
	fputs("</text>\n", file);
	for (unsigned int i = 0; i < d->nedges; i++)
		put_curve(d, &d->edge[i], file);
	for (unsigned int i = 0; i < d->nedges; i++)
		put_label(&d->edge[i], file);
	for (unsigned int s = 1; s < d->fsm->nstates; s++)
		put_state(d, s, file);
	fputs("</svg>\n", file);
}

void diagram_svg(const struct fc_fsm *fsm, FILE *file)
{
	struct diagram d = { 0 };

	collect(&d, fsm);
	arrange(&d);
	for (unsigned int i = 0; i < d.nedges; i++)
		shape(&d, &d.edge[i]);
	for (unsigned int round = 0; round < ROUNDS; round++)
		for (unsigned int i = 0; i < d.nedges; i++)
			place(&d, &d.edge[i]);
	put_all(&d, file);
	free(d.state);
	free(d.edge);
}
