// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "option.h"
#include "prefer_text.h"

static void __printf(2, 3) wrong(char error[PREFER_ERROR_SIZE], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, PREFER_ERROR_SIZE, format, args);
	va_end(args);
}

/* Read the number of a site.  Return: what follows it, or NULL. */
static const char *read_site(const char *text, u32 *site)
{
	u64 value;

	if (!option_number(text, FC_SITES_MAX - 1, &value, &text))
		return NULL;
	*site = (u32)value;
	return text;
}

const char *prefer_text_targets(struct fc_prefer *entry, const char *text)
{
	entry->nranges = 0;
	if (!strcmp(text, "all"))
		return NULL;
	do {
		struct fc_range *range = &entry->range[entry->nranges];

		if (entry->nranges++ == FC_PREFER_RANGES_MAX)
			return "too many ranges of sites";
		text = read_site(text, &range->first);
		range->last = range->first;
		if (text && *text == '-')
			text = read_site(text + 1, &range->last);
		if (!text || (*text && *text != ','))
			return "targets are \"all\", or sites such as 1-5,9";
		if (range->first > range->last ||
		    (entry->nranges > 1 && range->first <= range[-1].last))
			return "targets are in increasing order";
	} while (*text++);
	return NULL;
}

/*
 * Read a number, which one of the characters of @ends or the end follows.  Return: the number; 0
 * after an error.
 */
static u32 read_number(const char **text, const char *ends, u32 most, const char *what,
		       char error[PREFER_ERROR_SIZE])
{
	size_t size = strcspn(*text, ends);
	u64 value = 0;
	const char *end;

	if (!option_number(*text, most, &value, &end) || end != *text + size || !value) {
		wrong(error, "%s is a number from 1 to %u, not \"%.*s\"", what, most, (int)size,
		      *text);
		return 0;
	}
	*text = end;
	return (u32)value;
}

/* Read a port, and add its direction to @dirs.  Return: the direction; -1 after an error. */
static int read_port(const char **text, const char *ends, u32 *dirs, char error[PREFER_ERROR_SIZE])
{
	u32 port = read_number(text, ends, FC_DIRS_MAX, "port", error);

	if (!port)
		return -1;
	if (*dirs & fc_bit(port - 1)) {
		wrong(error, "port %u comes twice", port);
		return -1;
	}
	*dirs |= fc_bit(port - 1);
	return (int)port - 1;
}

const char *prefer_text_order(struct fc_prefer *entry, const char *text,
			      char error[PREFER_ERROR_SIZE])
{
	u32 dirs = 0;
	int dir;

	entry->count = 0;
	do {
		dir = read_port(&text, ",", &dirs, error);
		if (dir < 0)
			return error;
		entry->order[entry->count++] = (u8)dir;
	} while (*text++);
	return NULL;
}

const char *prefer_text_never(struct fc_prefer *entry, const char *text,
			      char error[PREFER_ERROR_SIZE])
{
	entry->never = 0;
	do {
		if (read_port(&text, ",", &entry->never, error) < 0)
			return error;
	} while (*text++);
	return NULL;
}

const char *prefer_text_weights(struct fc_prefer *entry, const char *text,
				char error[PREFER_ERROR_SIZE])
{
	u32 weight;
	int dir;

	entry->weighted = 0;
	do {
		size_t size = strcspn(text, ",");

		if (!memchr(text, ':', size)) {
			wrong(error, "\"%.*s\" has no weight: a weight is PORT:WEIGHT", (int)size,
			      text);
			return error;
		}
		dir = read_port(&text, ":", &entry->weighted, error);
		if (dir < 0)
			return error;
		text++;
		weight = read_number(&text, ",", FC_WEIGHT_MAX, "weight", error);
		if (!weight)
			return error;
		entry->weight[dir] = (u8)weight;
	} while (*text++);
	return NULL;
}

const char *prefer_text_check(const struct fc_prefer *entry)
{
	if (!fc_prefer_is_set(entry))
		return "give \"prefer\", \"never\" or \"weights\"";
	if (entry->count && entry->weighted)
		return "give \"prefer\" or \"weights\", not both";
	return NULL;
}
