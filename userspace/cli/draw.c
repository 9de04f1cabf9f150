// SPDX-License-Identifier: GPL-2.0
/*
 * A grid is drawn as a grid, its third dimension slanting, higher ones as
 * panels beside and below; a ring as a circle; a hexmesh as a hexagon around site 0;
 * a graph by forces along its links (spread()).
 * A wrap-around link is drawn as a stub on either side, with the name of the site it
 * leads to.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "draw.h"
#include "spread.h"
#include "core/topo/hexmesh.h"

/* Lengths in pixels. */
#define RADIUS		15.0
#define SPACING		130.0
#define SLANT_X		84.0
#define SLANT_Y		-44.0
#define STUB		34.0
/* Distance of a link's line from the middle: each direction has a line of its own. */
#define INJQ		4.0
#define MARGIN		110.0
#define HEADING		56.0

/**
 * struct layout - positions of the drawing
 * @topo: topology
 * @circle: sites on a circle of this radius, if not 0
 * @fold: sites in a row of a folded line, if not 0
 * @spot: positions by site, if not NULL
 * @hexagon: sites are placed by their routing tag from site 0
 * @step: distance of neighbours in each dimension
 * @low: corner of the drawing
 * @high: opposite corner
 */
struct layout {
	const struct fc_topo *topo;
	double circle;
	uint32_t fold;
	struct point *spot;
	bool hexagon;
	struct point step[FC_DIMS_MAX];
	struct point low, high;
};

static uint32_t coordinate(const struct fc_topo *topo, uint32_t site, unsigned int dim)
{
	unsigned int i;

	for (i = 0; i < dim; i++)
		site /= topo->size[i];
	return site % topo->size[dim];
}

/* Unit vector of direction @dir of a hexmesh; counterclockwise, with y pointing down. */
static struct point hexagon_step(uint8_t dir)
{
	return (struct point){ cos(dir * M_PI / 3), -sin(dir * M_PI / 3) };
}

static struct point place(const struct layout *layout, uint32_t site)
{
	const struct fc_topo *topo = layout->topo;
	struct point at = { 0 };
	unsigned int i;

	if (layout->circle) {
		double angle = 2 * M_PI * site / topo->nsites - M_PI / 2;

		at.x = layout->circle * cos(angle);
		at.y = layout->circle * sin(angle);
		return at;
	}
	if (layout->fold) {
		uint32_t row = site / layout->fold, column = site % layout->fold;

		at.x = SPACING * (row % 2 ? layout->fold - 1 - column : column);
		at.y = SPACING * row;
		return at;
	}
	if (layout->spot)
		return layout->spot[site];
	if (layout->hexagon) {
		int32_t tag[FC_HEXMESH_AXES];

		fc_hexmesh_tag(topo, 0, site, tag);
		for (i = 0; i < FC_HEXMESH_AXES; i++) {
			at.x += SPACING * tag[i] * hexagon_step(i).x;
			at.y += SPACING * tag[i] * hexagon_step(i).y;
		}
		return at;
	}
	for (i = 0; i < topo->ndims; i++) {
		at.x += layout->step[i].x * coordinate(topo, site, i);
		at.y += layout->step[i].y * coordinate(topo, site, i);
	}
	return at;
}

static void plan(struct layout *layout, const struct fc_topo *topo)
{
	uint32_t depth = topo->ndims > 2 ? topo->size[2] : 1;
	double width, height;
	struct point spacing;
	unsigned int i;
	uint32_t site;

	memset(layout, 0, sizeof(*layout));
	layout->topo = topo;
	if (!strcmp(topo->ops->name, "ring")) {
		layout->circle = fmax(SPACING * topo->nsites / (2 * M_PI), SPACING * 0.7);
	} else if (!strcmp(topo->ops->name, "line") && topo->nsites > 8) {
		layout->fold = ceil(sqrt(topo->nsites));
	} else if (topo->ops == &fc_topo_hexmesh) {
		layout->hexagon = true;
	} else if (topo->graph) {
		layout->spot = spread(topo, SPACING, 4 * RADIUS);
	} else {
		/* Keep the slanting sites of one place clear of those of the next. */
		spacing.x = fmax(SPACING, depth > 1 ? SLANT_X * depth + 40 : 0);
		spacing.y = fmax(SPACING, depth > 1 ? -SLANT_Y * depth + 40 : 0);
		width = spacing.x * topo->size[0];
		height = spacing.y * (topo->ndims > 1 ? topo->size[1] : 1);
		for (i = 0; i < topo->ndims; i++) {
			if (i == 0) {
				layout->step[i].x = spacing.x;
			} else if (i == 1) {
				layout->step[i].y = spacing.y;
			} else if (i == 2) {
				layout->step[i].x = SLANT_X;
				layout->step[i].y = SLANT_Y;
			} else if (i % 2) {
				layout->step[i].x = width + STUB;
				width += layout->step[i].x * (topo->size[i] - 1);
			} else {
				layout->step[i].y = height + STUB;
				height += layout->step[i].y * (topo->size[i] - 1);
			}
		}
	}
	for (site = 0; site < topo->nsites; site++) {
		struct point at = place(layout, site);

		layout->low.x = fmin(layout->low.x, at.x);
		layout->low.y = fmin(layout->low.y, at.y);
		layout->high.x = fmax(layout->high.x, at.x);
		layout->high.y = fmax(layout->high.y, at.y);
	}
}

/* Is this a wrap-around link?  Then @away: the direction in which its stub leaves. */
static bool goes_around(const struct layout *layout, uint32_t site, uint8_t dir, uint32_t peer,
			struct point *away)
{
	const struct fc_topo *topo = layout->topo;
	unsigned int i;

	if (layout->circle || layout->fold || layout->spot)
		return false;
	if (layout->hexagon) {
		struct point a = place(layout, site), b = place(layout, peer);

		*away = hexagon_step(dir);
		return hypot(b.x - a.x, b.y - a.y) > SPACING * 1.5;
	}
	for (i = 0; i < topo->ndims; i++) {
		int from = coordinate(topo, site, i), to = coordinate(topo, peer, i);
		double length = hypot(layout->step[i].x, layout->step[i].y);
		/* A wrap-around link leaves on the side away from the peer. */
		int sign = from > to ? 1 : -1;

		if (from == to)
			continue;
		away->x = sign * layout->step[i].x / length;
		away->y = sign * layout->step[i].y / length;
		return from - to != 1 && to - from != 1;
	}
	return false;
}

/* Does the link lead past other sites?  Then it is bent around them. */
static bool is_long(const struct layout *layout, uint32_t site, uint32_t peer)
{
	const struct fc_topo *topo = layout->topo;
	unsigned int i;

	if (layout->circle || layout->fold || layout->hexagon || layout->spot)
		return false;
	for (i = 3; i < topo->ndims; i++)
		if (coordinate(topo, site, i) != coordinate(topo, peer, i))
			return true;
	return false;
}

static const char *short_number(uint64_t value, char buf[16])
{
	static const char units[] = " kMGTP";
	double scaled = value;
	unsigned int i = 0;

	if (value > 9999)
		for (; scaled >= 999.5 && i < 5; i++)
			scaled /= 1000;
	if (!i)
		snprintf(buf, 16, "%llu", (unsigned long long)value);
	else
		snprintf(buf, 16, scaled < 9.95 ? "%.1f%c" : "%.0f%c", scaled, units[i]);
	return buf;
}

/* Colour of a share: from grey through amber to red. */
static const char *colour(double share, char buf[8])
{
	static const double stops[3][3] = {
		{ 0xb4, 0xbe, 0xcb }, { 0xf0, 0xa0, 0x20 }, { 0xc8, 0x14, 0x28 },
	};
	int low = share < 0.5 ? 0 : 1;
	double part = share * 2 - low;
	int rgb[3], i;

	for (i = 0; i < 3; i++)
		rgb[i] = stops[low][i] + (stops[low + 1][i] - stops[low][i]) * part;
	snprintf(buf, 8, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
	return buf;
}

/* Colour of a tree of a broadcast; colours repeat if there are more trees. */
static const char *tree_colour(uint32_t tree)
{
	static const char *const colours[] = {
		"#c81428", "#1f6fc4", "#1e8a3c", "#8e3fb5", "#d77a00", "#0b8f95", "#7a5230",
		"#d0338a",
	};

	return colours[(tree - 1) % (sizeof(colours) / sizeof(*colours))];
}

static double width_of(double share)
{
	return 1.2 + 4.8 * share;
}

static const struct load *load_of(const struct fc_topo *topo, const struct load *loads,
				  uint32_t site, uint8_t dir)
{
	static const struct load unknown;

	return loads ? &loads[(size_t)site * topo->ndirs + dir] : &unknown;
}

static uint64_t largest(const struct fc_topo *topo, const struct load *loads)
{
	size_t i, n = (size_t)topo->nsites * topo->ndirs;
	uint64_t most = 0;

	for (i = 0; loads && i < n; i++)
		if (loads[i].known && loads[i].flits > most)
			most = loads[i].flits;
	return most;
}

static uint32_t last_tree(const struct fc_topo *topo, const struct load *loads)
{
	size_t i, n = (size_t)topo->nsites * topo->ndirs;
	uint32_t most = 0;

	for (i = 0; loads && i < n; i++)
		if (loads[i].tree > most)
			most = loads[i].tree;
	return most;
}

/* Label of a link that is up. */
static const char *number_of(const struct load *load, char buf[16])
{
	return short_number(load->targets ? load->targets :
			    load->tree ? load->copy : load->flits, buf);
}

static void label(struct point at, const char *anchor, const char *text)
{
	printf("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"n\">%s</text>\n",
	       at.x, at.y + 3.5, anchor, text);
}

static void link_style(const struct load *load, uint64_t most, char *style, size_t size)
{
	double share = most ? (double)load->flits / most : 0;
	char tint[8];

	if (!load->known)
		snprintf(style, size, "stroke=\"#8894a4\" stroke-width=\"1.5\"");
	else if (!load->up)
		snprintf(style, size,
			 "stroke=\"#c81428\" stroke-width=\"1.2\" stroke-dasharray=\"4 4\"");
	else if (load->tree)
		snprintf(style, size, "stroke=\"%s\" stroke-width=\"2\"",
			 tree_colour(load->tree));
	else
		snprintf(style, size, "stroke=\"%s\" stroke-width=\"%.1f\"",
			 colour(share, tint), width_of(share));
}

static void svg_link(const struct layout *layout, const struct load *load, uint64_t most,
		     uint32_t site, uint8_t dir, uint32_t peer)
{
	struct point a = place(layout, site), b = place(layout, peer), away, unit, side, from, to;
	double length, bend = 0;
	bool around = goes_around(layout, site, dir, peer, &away);
	char text[48], number[16], style[96];
	char name[DIRECTION_SIZE];

	if (around) {
		unit = away;
		from = (struct point){ a.x + unit.x * RADIUS, a.y + unit.y * RADIUS };
		to = (struct point){ from.x + unit.x * STUB, from.y + unit.y * STUB };
	} else {
		length = hypot(b.x - a.x, b.y - a.y);
		unit = (struct point){ (b.x - a.x) / length, (b.y - a.y) / length };
		from = (struct point){ a.x + unit.x * RADIUS, a.y + unit.y * RADIUS };
		to = (struct point){ b.x - unit.x * RADIUS, b.y - unit.y * RADIUS };
		if (is_long(layout, site, peer))
			bend = length * 0.12;
	}
	side = (struct point){ -unit.y, unit.x };
	link_style(load, most, style, sizeof(style));

	/* Without loads both directions share a line; else each is shifted to its right. */
	if (load->known) {
		from.x += side.x * INJQ;
		from.y += side.y * INJQ;
		to.x += side.x * INJQ;
		to.y += side.y * INJQ;
	} else if (!around && site > peer) {
		return;
	}
	layout->topo->ops->dir_name(layout->topo, dir, name);
	printf("<path d=\"M%.1f %.1f Q%.1f %.1f %.1f %.1f\" fill=\"none\" %s%s>"
	       "<title>site %u %s to site %u", from.x, from.y,
	       (from.x + to.x) / 2 + side.x * bend, (from.y + to.y) / 2 + side.y * bend,
	       to.x, to.y, style, load->known && load->up ? " marker-end=\"url(#a)\"" : "",
	       site, name, peer);
	if (load->known && load->up && load->targets)
		printf(": packet %u, targets %u", load->tree, load->targets);
	else if (load->known && load->up && load->tree)
		printf(": copy %u, tree %u", load->copy, load->tree);
	else if (load->known && load->up)
		printf(": %llu flits", (unsigned long long)load->flits);
	else if (load->known)
		fputs(": not up", stdout);
	fputs("</title></path>\n", stdout);

	if (around) {
		const char *anchor = fabs(unit.x) < 0.3 ? "middle" : unit.x > 0 ? "start" : "end";
		struct point at = { to.x + unit.x * 8, to.y + unit.y * 11 };

		if (load->known && load->up)
			snprintf(text, sizeof(text), "%s (%u)",
				 number_of(load, number), peer);
		else
			snprintf(text, sizeof(text), "(%u)", peer);
		label(at, anchor, text);
	} else if (load->known && load->up) {
		/*
		 * Place the label near a third of the link, clear of the label of the other
		 * direction.
		 */
		struct point at = {
			from.x + (to.x - from.x) * 0.36 + side.x * (9 + bend * 0.92),
			from.y + (to.y - from.y) * 0.36 + side.y * (9 + bend * 0.92),
		};

		label(at, fabs(side.x) < 0.3 ? "middle" : side.x > 0 ? "start" : "end",
		      number_of(load, number));
	}
}

static void svg_heading(const struct layout *layout, const struct load *loads, uint64_t most,
			uint32_t trees, const char *spec)
{
	double x = layout->low.x - MARGIN + 14, y = layout->low.y - MARGIN - HEADING + 24;
	char number[16], tint[8];
	int i;

	printf("<text x=\"%.1f\" y=\"%.1f\" class=\"h\">%s</text>\n", x, y, spec);
	if (!loads)
		return;
	y += 22;
	if (trees) {
		printf("<text x=\"%.1f\" y=\"%.1f\" class=\"k\">trees:</text>\n", x, y);
		for (i = 0; i < (int)trees; i++)
			printf("<text x=\"%.1f\" y=\"%.1f\" class=\"k\" "
			       "style=\"fill:%s\">%d</text>\n", x + 44 + i * 16, y,
			       tree_colour(i + 1), i + 1);
		return;
	}
	printf("<text x=\"%.1f\" y=\"%.1f\" class=\"k\">flits sent: 0</text>\n", x, y);
	for (i = 0; i < 20; i++)
		printf("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
		       "stroke-width=\"%.1f\"/>\n", x + 76 + i * 4, y - 4, x + 80 + i * 4, y - 4,
		       colour(i / 19.0, tint), width_of(i / 19.0));
	printf("<text x=\"%.1f\" y=\"%.1f\" class=\"k\">%s</text>\n", x + 162, y,
	       short_number(most, number));
}

static const struct {
	const char *fill;
	const char *line;
	const char *text;
} styles[DRAW_MARKS] = {
	[DRAW_PLAIN]	= { "#eaf1fb", "#2a5b9c", "" },
	[DRAW_OWN]	= { "#ffe08a", "#2a5b9c", "" },
	[DRAW_TARGET]	= { "#bfe6c3", "#2a5b9c", ": target" },
	[DRAW_DEAD]	= { "#f3d0d4", "#c81428", ": dead" },
};

static void svg_site(struct point at, uint32_t site, uint8_t mark)
{
	double arm = RADIUS * 0.7;

	fputs("<g>", stdout);
	if (*styles[mark].text)
		printf("<title>site %u%s</title>", site, styles[mark].text);
	printf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.0f\" fill=\"%s\" "
	       "stroke=\"%s\" stroke-width=\"1.5\"/>",
	       at.x, at.y, RADIUS, styles[mark].fill, styles[mark].line);
	if (mark == DRAW_DEAD)
		printf("<path d=\"M%.1f %.1fL%.1f %.1fM%.1f %.1fL%.1f %.1f\" stroke=\"%s\"/>",
		       at.x - arm, at.y - arm, at.x + arm, at.y + arm,
		       at.x - arm, at.y + arm, at.x + arm, at.y - arm, styles[mark].line);
	printf("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" class=\"s\">%u</text></g>\n",
	       at.x, at.y + 4, site);
}

void draw_svg(const struct fc_topo *topo, const struct load *loads, const uint8_t *marks)
{
	uint64_t most = largest(topo, loads);
	char spec[FC_SPEC_MAX];
	struct layout layout;
	double width, height;
	uint32_t site, peer;
	uint8_t dir;

	plan(&layout, topo);
	fc_topo_print(topo, spec);
	width = fmax(layout.high.x - layout.low.x + 2 * MARGIN, 240);
	height = layout.high.y - layout.low.y + 2 * MARGIN + HEADING;
	printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
	       "viewBox=\"%.1f %.1f %.1f %.1f\">\n", width, height, layout.low.x - MARGIN,
	       layout.low.y - MARGIN - HEADING, width, height);
	fputs("<style>text{font-family:sans-serif;fill:#1c2430}"
	      ".h{font-size:16px;font-weight:bold}.k{font-size:12px}"
	      ".n{font-size:10px}.s{font-size:12px;font-weight:bold}</style>\n"
	      "<defs><marker id=\"a\" viewBox=\"0 0 6 6\" refX=\"5.5\" refY=\"3\" "
	      "markerWidth=\"7\" markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" "
	      "orient=\"auto\"><path d=\"M0 0L6 3L0 6z\" fill=\"#4a5564\"/></marker></defs>\n",
	      stdout);
	printf("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#ffffff\"/>\n",
	       layout.low.x - MARGIN, layout.low.y - MARGIN - HEADING, width, height);
	svg_heading(&layout, loads, most, last_tree(topo, loads), spec);

	for (site = 0; site < topo->nsites; site++) {
		for (dir = 0; dir < topo->ndirs; dir++) {
			peer = fc_topo_neighbour(topo, site, dir);
			if (peer != FC_SITE_NONE)
				svg_link(&layout, load_of(topo, loads, site, dir), most,
					 site, dir, peer);
		}
	}
	for (site = 0; site < topo->nsites; site++)
		svg_site(place(&layout, site), site, marks ? marks[site] : DRAW_PLAIN);
	fputs("</svg>\n", stdout);
	free(layout.spot);
}

void draw_dot(const struct fc_topo *topo, const struct load *loads, const uint8_t *marks)
{
	uint64_t most = largest(topo, loads);
	char spec[FC_SPEC_MAX], tint[8];
	struct layout layout;
	uint32_t site, peer;
	uint8_t dir;

	plan(&layout, topo);
	fc_topo_print(topo, spec);
	/* Positions are in points, with y pointing up; neato reads inches without inputscale. */
	printf("digraph \"%s\" {\n\tlayout=neato;\n\tinputscale=72;\n\tnode [shape=circle];\n",
	       spec);
	for (site = 0; site < topo->nsites; site++) {
		struct point at = place(&layout, site);

		printf("\t%u [pos=\"%.0f,%.0f!\"", site, at.x, -at.y);
		if (marks && marks[site])
			printf(",style=filled,fillcolor=\"%s\",tooltip=\"site %u%s\"",
			       styles[marks[site]].fill, site, styles[marks[site]].text);
		fputs("];\n", stdout);
	}
	for (site = 0; site < topo->nsites; site++) {
		for (dir = 0; dir < topo->ndirs; dir++) {
			const struct load *load = load_of(topo, loads, site, dir);
			double share = most ? (double)load->flits / most : 0;
			char name[DIRECTION_SIZE];

			peer = fc_topo_neighbour(topo, site, dir);
			if (peer == FC_SITE_NONE || (!load->known && site > peer))
				continue;
			topo->ops->dir_name(topo, dir, name);
			printf("\t%u -> %u [", site, peer);
			if (!load->known)
				fputs("dir=none", stdout);
			else if (!load->up)
				printf("taillabel=\"%s\",style=dashed", name);
			else if (load->tree)
				printf("taillabel=\"%s\",label=\"%u\",color=\"%s\",penwidth=2",
				       name, load->targets ? load->targets : load->copy,
				       tree_colour(load->tree));
			else
				printf("taillabel=\"%s\",label=\"%llu\",color=\"%s\",penwidth=%.1f",
				       name, (unsigned long long)load->flits,
				       colour(share, tint), width_of(share));
			fputs("];\n", stdout);
		}
	}
	fputs("}\n", stdout);
	free(layout.spot);
}
