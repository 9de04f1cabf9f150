// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "output.h"

/* Maximum length of the names of all open groups, each followed by a dot. */
#define PREFIX_MAX	128

static bool json;
static bool recording;
static char prefix[PREFIX_MAX];
static bool first;
static unsigned int depth;

static void key_out(const char *key)
{
	if (recording) {
		printf("%s%s ", prefix, key);
	} else if (json) {
		printf("%s\n%*s\"%s\": ", first ? "" : ",", (int)(2 * depth), "", key);
	} else {
		int n = printf("%*s", (int)(2 * (depth - 1)), "");

		n += printf("%s", key);
		printf("%*s", n < 28 ? 28 - n : 1, "");
	}
	first = false;
}

static void line_end(void)
{
	if (!json)
		printf("\n");
}

void output_record(void)
{
	recording = true;
}

void output_begin(bool as_json)
{
	json = as_json && !recording;
	first = true;
	depth = 1;
	if (json)
		printf("{");
}

void output_end(void)
{
	if (json)
		printf("\n}\n");
}

void output_group(const char *key)
{
	size_t length = strlen(prefix);

	if (recording) {
		snprintf(prefix + length, sizeof(prefix) - length, "%s.", key);
	} else if (json) {
		key_out(key);
		printf("{");
	} else {
		printf("%*s%s:\n", (int)(2 * (depth - 1)), "", key);
	}
	depth++;
	first = true;
}

void output_group_end(void)
{
	size_t length = strlen(prefix);

	while (length > 1 && prefix[length - 2] != '.')
		length--;
	prefix[length ? length - 1 : 0] = '\0';
	depth--;
	if (json)
		printf("\n%*s}", (int)(2 * depth), "");
	first = false;
}

void output_text(const char *key, const char *value)
{
	key_out(key);
	if (json)
		putchar('"');
	for (; *value; value++) {
		if (json && (*value == '"' || *value == '\\'))
			putchar('\\');
		if ((unsigned char)*value >= ' ')
			putchar(*value);
	}
	if (json)
		putchar('"');
	line_end();
}

void output_number(const char *key, u64 value)
{
	key_out(key);
	printf("%llu", (unsigned long long)value);
	line_end();
}

void output_fixed(const char *key, u64 value, u64 unit)
{
	int digits = 0;

	for (u64 u = unit; u > 1; u /= 10)
		digits++;
	key_out(key);
	printf("%llu.%0*llu", (unsigned long long)(value / unit), digits,
	       (unsigned long long)(value % unit));
	line_end();
}

void output_bool(const char *key, bool value)
{
	key_out(key);
	fputs(json ? (value ? "true" : "false") : (value ? "yes" : "no"), stdout);
	line_end();
}

void output_options(const struct option_command *command, const void *settings)
{
	for (u32 i = 0; i < command->nentries; i++) {
		const struct option_entry *entry = &command->entries[i];

		if (entry->type == OPTION_NUMBER && entry->form != OPTION_REPORT)
			output_number(entry->name,
				      *(const u64 *)((const char *)settings + entry->at));
	}
}
