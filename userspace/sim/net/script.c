// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script.h"
#include "base/util.h"

/* Skip blanks; a line contains only blanks and numbers. */
static void skip(const char **text)
{
	while (**text == ' ' || **text == '\t')
		++*text;
}

static bool number(const char **text, u64 most, u64 *value)
{
	u64 n = 0;

	if (**text < '0' || **text > '9')
		return false;
	for (; **text >= '0' && **text <= '9'; ++*text) {
		n = 10 * n + (u64)(**text - '0');
		if (n > most)
			return false;
	}
	*value = n;
	return true;
}

/* Extend a list by one element; its capacity doubles. */
static void *grown(void *list, size_t n, size_t size)
{
	if (n & (n - 1))
		return list;
	return xrealloc(list, (n ? 2 * n : 1) * size);
}

static const char *add_target(struct script *script, struct script_line *line, u64 site)
{
	if (site == line->from)
		return "the source is among its targets";
	for (u32 i = 0; i < line->ntargets; i++)
		if (script->target[line->first + i] == site)
			return "a target is given twice";
	if (line->ntargets == FC_TARGETS_MAX)
		return "there are more than 64 targets";
	script->target = grown(script->target, script->ntargets, sizeof(*script->target));
	script->target[script->ntargets++] = (u32)site;
	line->ntargets++;
	return NULL;
}

/* Parse a line.  Return: NULL, or an error message. */
static const char *add_line(struct script *script, const struct config *config, const char *text)
{
	struct script_line line = { .first = script->ntargets };
	u64 last = script->nlines ? script->line[script->nlines - 1].at : 0;
	u32 sites = config->topo.nsites;
	const char *wrong;
	u64 value;

	if (!number(&text, (u64)1 << 40, &line.at))
		return "the cycle is no number";
	if (line.at < last)
		return "the cycle is earlier than that of the line before";
	skip(&text);
	if (!number(&text, sites - 1, &value))
		return "the source is no site of the topology";
	line.from = (u32)value;
	skip(&text);
	if (!number(&text, FC_MESSAGE_MAX, &value))
		return "the length is no number up to 16777216";
	line.bytes = (u32)value;
	skip(&text);
	do {
		if (!number(&text, sites - 1, &value))
			return "a target is no site of the topology";
		wrong = add_target(script, &line, value);
		if (wrong)
			return wrong;
	} while (*text == ',' && *++text);
	skip(&text);
	if (*text && *text != '#' && *text != '\n')
		return "something follows the targets";
	if (FC_LINK_SIZE + fc_head_size(line.ntargets) > config->flit)
		return "the list of targets does not fit a flit; raise --flit";
	script->line = grown(script->line, script->nlines, sizeof(*script->line));
	script->line[script->nlines++] = line;
	return NULL;
}

struct script *script_read(const char *path, const struct config *config)
{
	struct script *script = xcalloc(1, sizeof(*script));
	FILE *file = fopen(path, "r");
	const char *wrong = NULL;
	unsigned long n = 0;
	char *text = NULL;
	size_t room = 0;

	if (!file) {
		fprintf(stderr, "flitcast-sim: --script %s: %s\n", path, strerror(errno));
		script_free(script);
		return NULL;
	}
	while (!wrong && getline(&text, &room, file) >= 0) {
		const char *at = text;

		n++;
		skip(&at);
		if (*at && *at != '#' && *at != '\n')
			wrong = add_line(script, config, at);
	}
	if (!wrong && ferror(file))
		wrong = "the file cannot be read";
	else if (!wrong && !script->nlines)
		wrong = "the file has no messages";
	fclose(file);
	free(text);
	if (wrong) {
		fprintf(stderr,
			"flitcast-sim: %s:%lu: %s (a line is CYCLE SOURCE BYTES TARGET[,TARGET]...)\n",
			path, n, wrong);
		script_free(script);
		return NULL;
	}
	return script;
}

void script_free(struct script *script)
{
	if (!script)
		return;
	free(script->line);
	free(script->target);
	free(script);
}
