// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "graph.h"

/* Far more than the largest graph needs. */
#define FILE_MAX	(4 << 20)

/**
 * struct place - a link of a file, and its place in the file
 * @link: canonical link
 * @line: its line, from 1
 */
struct place {
	struct fc_graph_link link;
	unsigned int line;
};

/**
 * struct reader - a file being read
 * @path: path of the file
 * @at: next character; the text ends with a NUL
 * @line: current line, from 1
 * @place: links read so far
 * @nlinks: number of @place
 * @sites: number of sites given in the file, or 0
 * @sites_line: line that gives it
 * @error: buffer for the error message
 */
struct reader {
	const char *path;
	const char *at;
	unsigned int line;
	struct place *place;
	size_t nlinks;
	uint64_t sites;
	unsigned int sites_line;
	char *error;
};

static bool __attribute__((format(printf, 3, 4)))
wrong(struct reader *r, unsigned int line, const char *format, ...)
{
	va_list args;
	int n;

	n = snprintf(r->error, GRAPH_ERROR_SIZE, line ? "%.200s:%u: " : "%.200s: ", r->path, line);
	va_start(args, format);
	vsnprintf(r->error + n, GRAPH_ERROR_SIZE - n, format, args);
	va_end(args);
	return false;
}

/* Skip blanks; in JSON also ends of lines. */
static void skip(struct reader *r, bool lines)
{
	for (; *r->at == ' ' || *r->at == '\t' || *r->at == '\r' || (lines && *r->at == '\n');
	     r->at++)
		r->line += *r->at == '\n';
}

static bool number(struct reader *r, const char *what, uint64_t *value)
{
	*value = 0;
	if (!isdigit((unsigned char)*r->at))
		return wrong(r, r->line, "%s is missing", what);
	for (; isdigit((unsigned char)*r->at); r->at++) {
		*value = *value * 10 + (*r->at - '0');
		if (*value > UINT32_MAX)
			return wrong(r, r->line, "%s is too large", what);
	}
	return true;
}

static bool add(struct reader *r, uint64_t a, uint64_t b, unsigned int line)
{
	struct place *place;

	if (a == b)
		return wrong(r, line, "a link from site %u to itself", (unsigned int)a);
	if (a >= FC_GRAPH_SITES_MAX || b >= FC_GRAPH_SITES_MAX)
		return wrong(r, line, "a graph has sites 0 to %d at most", FC_GRAPH_SITES_MAX - 1);
	if (r->nlinks == FC_GRAPH_LINKS_MAX)
		return wrong(r, line, "a graph has at most %d links", FC_GRAPH_LINKS_MAX);
	place = &r->place[r->nlinks++];
	place->link = (struct fc_graph_link){ { a < b ? a : b, a < b ? b : a } };
	place->line = line;
	return true;
}

static bool read_lines(struct reader *r)
{
	while (*r->at) {
		uint64_t a, b;

		skip(r, false);
		if (*r->at != '#' && *r->at != '\n' && *r->at) {
			if (!number(r, "the number of a site", &a))
				return false;
			skip(r, false);
			if (!number(r, "the number of the other site", &b))
				return false;
			skip(r, false);
			if (*r->at != '#' && *r->at != '\n' && *r->at)
				return wrong(r, r->line, "a line is two numbers of sites");
			if (!add(r, a, b, r->line))
				return false;
		}
		while (*r->at && *r->at != '\n')
			r->at++;
		if (*r->at) {
			r->at++;
			r->line++;
		}
	}
	return true;
}

static bool expect(struct reader *r, char c)
{
	skip(r, true);
	if (*r->at != c)
		return wrong(r, r->line, "'%c' is missing", c);
	r->at++;
	skip(r, true);
	return true;
}

/* Continue with the next element of a list, or end the list. */
static bool more(struct reader *r, char end, bool *again)
{
	skip(r, true);
	*again = *r->at == ',';
	return *again ? expect(r, ',') : expect(r, end);
}

static bool read_links(struct reader *r)
{
	bool again = true;

	if (!expect(r, '['))
		return false;
	while (again) {
		unsigned int line = r->line;
		uint64_t a, b;

		if (!expect(r, '[') || !number(r, "the number of a site", &a) || !expect(r, ',') ||
		    !number(r, "the number of the other site", &b) || !expect(r, ']') ||
		    !add(r, a, b, line) || !more(r, ']', &again))
			return false;
	}
	return true;
}

static bool read_json(struct reader *r)
{
	bool again = true, links = false;

	if (!expect(r, '{'))
		return false;
	while (again) {
		unsigned int line = r->line;

		if (!strncmp(r->at, "\"sites\"", 7) && !r->sites) {
			r->at += 7;
			r->sites_line = line;
			if (!expect(r, ':') || !number(r, "the number of sites", &r->sites))
				return false;
			if (!r->sites)
				return wrong(r, line, "a graph has at least two sites");
		} else if (!strncmp(r->at, "\"links\"", 7) && !links) {
			r->at += 7;
			links = true;
			if (!expect(r, ':') || !read_links(r))
				return false;
		} else {
			return wrong(r, line, "\"sites\" and \"links\" are expected, each once");
		}
		if (!more(r, '}', &again))
			return false;
	}
	skip(r, true);
	if (*r->at)
		return wrong(r, r->line, "more behind the end of the object");
	return links || wrong(r, r->line, "\"links\" is missing");
}

static int order(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	unsigned int end = x->link.site[0] == y->link.site[0];

	if (x->link.site[end] != y->link.site[end])
		return x->link.site[end] < y->link.site[end] ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Check the links as the core does, but with line numbers in the errors. */
static bool check(struct reader *r)
{
	unsigned int degree[FC_GRAPH_SITES_MAX] = { 0 };
	uint32_t last = 0;
	size_t i;

	if (!r->nlinks)
		return wrong(r, 0, "no links");
	for (i = 0; i < r->nlinks; i++) {
		const uint32_t *end = r->place[i].link.site;
		unsigned int e;

		for (e = 0; e < 2; e++)
			if (++degree[end[e]] > FC_DIRS_MAX)
				return wrong(r, r->place[i].line,
					     "site %u has more than %d links", end[e], FC_DIRS_MAX);
		last = end[1] > last ? end[1] : last;
	}
	if (r->sites && r->sites != last + 1)
		return wrong(r, r->sites_line, "the links are of %u sites", last + 1);
	qsort(r->place, r->nlinks, sizeof(*r->place), order);
	for (i = 1; i < r->nlinks; i++)
		if (!memcmp(&r->place[i].link, &r->place[i - 1].link, sizeof(r->place->link)))
			return wrong(r, r->place[i].line,
				     "a second link from site %u to site %u: see line %u",
				     r->place[i].link.site[0], r->place[i].link.site[1],
				     r->place[i - 1].line);
	return true;
}

/**
 * struct network - a graph and its memory
 * @graph: the graph
 * @room: memory of its tables
 * @link: its links
 */
struct network {
	struct fc_graph graph;
	void *room;
	struct fc_graph_link link[];
};

static void network_free(struct network *network)
{
	if (network)
		free(network->room);
	free(network);
}

const char *graph_links(struct fc_topo *topo, const struct fc_graph_link *link, size_t nlinks)
{
	struct network *network = calloc(1, sizeof(*network) + nlinks * sizeof(*link));
	const char *bad = "not enough memory";

	if (!network)
		return bad;
	memcpy(network->link, link, nlinks * sizeof(*link));
	bad = fc_graph_begin(&network->graph, network->link,
			     nlinks > UINT32_MAX ? UINT32_MAX : nlinks);
	if (!bad) {
		network->room = malloc(fc_graph_room(&network->graph));
		bad = network->room ? fc_graph_fill(&network->graph, network->room) :
				      "not enough memory";
	}
	if (bad)
		network_free(network);
	else
		fc_graph_topo(topo, &network->graph);
	return bad;
}

void graph_free(struct fc_topo *topo)
{
	/* @graph is the first member of struct network. */
	network_free((struct network *)topo->graph);
	topo->graph = NULL;
}

/* Read the whole file.  Return: its text with a NUL, or NULL. */
static char *read_file(struct reader *r)
{
	FILE *file = fopen(r->path, "re");
	size_t n;
	char *text;

	if (!file) {
		wrong(r, 0, "%s", strerror(errno));
		return NULL;
	}
	text = malloc(FILE_MAX + 1);
	n = text ? fread(text, 1, FILE_MAX + 1, file) : 0;
	if (!text || ferror(file)) {
		wrong(r, 0, "%s", strerror(errno));
	} else if (n > FILE_MAX) {
		wrong(r, 0, "too large for a graph");
	} else if (memchr(text, 0, n)) {
		wrong(r, 0, "not a text");
	} else {
		fclose(file);
		text[n] = '\0';
		return text;
	}
	fclose(file);
	free(text);
	return NULL;
}

static bool read_graph(struct fc_topo *topo, struct reader *r)
{
	struct fc_graph_link *link;
	const char *bad = NULL;
	char *text;
	size_t i;

	text = read_file(r);
	if (!text)
		return false;
	r->at = text;
	r->line = 1;
	skip(r, true);
	if (*r->at == '{') {
		if (!read_json(r))
			goto fail;
	} else {
		r->at = text;
		r->line = 1;
		if (!read_lines(r))
			goto fail;
	}
	if (!check(r))
		goto fail;
	link = malloc(r->nlinks * sizeof(*link));
	if (link)
		for (i = 0; i < r->nlinks; i++)
			link[i] = r->place[i].link;
	bad = link ? graph_links(topo, link, r->nlinks) : "not enough memory";
	free(link);
	if (bad)
		wrong(r, 0, "%s", bad);
	free(text);
	return !bad;
fail:
	free(text);
	return false;
}

bool graph_topology(struct fc_topo *topo, const char *spec, char error[GRAPH_ERROR_SIZE])
{
	struct reader r = { .path = spec + strlen(GRAPH_PREFIX), .error = error };
	const char *bad;
	bool good;

	if (strncmp(spec, GRAPH_PREFIX, strlen(GRAPH_PREFIX))) {
		bad = fc_topo_parse(topo, spec);
		if (bad)
			snprintf(error, GRAPH_ERROR_SIZE, "%s", bad);
		return !bad;
	}
	r.place = malloc(FC_GRAPH_LINKS_MAX * sizeof(*r.place));
	good = r.place ? read_graph(topo, &r) : wrong(&r, 0, "not enough memory");
	free(r.place);
	return good;
}
