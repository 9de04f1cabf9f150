// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "out.h"
#include "util.h"

bool out_json;
bool out_pretty;
bool out_details;
bool out_brief;
bool out_oneline;
bool out_colors;
bool out_reader_may_go;

static unsigned int depth;
static bool first = true;
/* By depth of the open container: is it an array? */
static bool arrays[64];
/* With -o: a line has ended, and its record may continue. */
static bool line_ended;

static void quote_bytes(const unsigned char *p, size_t length)
{
	size_t i;

	putchar('"');
	for (i = 0; i < length; i++) {
		unsigned char c = p[i];

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c == '\n')
			fputs("\\n", stdout);
		else if (c == '\t')
			fputs("\\t", stdout);
		else if (c < 0x20 || c == 0x7f)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

/* Print text.  With -o backslashes join the lines of a record. */
static void __attribute__((format(printf, 1, 0))) print_text(const char *format, va_list args)
{
	char *text, *line, *end;

	if (!out_oneline) {
		vprintf(format, args);
		return;
	}
	if (vasprintf(&text, format, args) < 0)
		fail("out of memory");
	for (line = text; *line; line = end) {
		if (line_ended)
			putchar('\\');
		end = strchrnul(line, '\n');
		line_ended = *end;
		printf("%.*s", (int)(end - line), line);
		end += line_ended;
	}
	free(text);
}

static void end_record(void)
{
	if (line_ended)
		putchar('\n');
	line_ended = false;
}

static void begin(const char *key)
{
	unsigned int i;

	if (!first)
		putchar(',');
	first = false;
	if (out_pretty && depth) {
		putchar('\n');
		for (i = 0; i < depth; i++)
			fputs("    ", stdout);
	}
	if (key) {
		quote_bytes((const unsigned char *)key, strlen(key));
		fputs(out_pretty ? ": " : ":", stdout);
	}
}

static void open_with(const char *key, char bracket)
{
	if (!out_json) {
		if (bracket == '{' && (!depth || (depth <= 64 && arrays[depth - 1])))
			end_record();
		if (depth < 64)
			arrays[depth] = bracket == '[';
		depth++;
		return;
	}
	begin(key);
	putchar(bracket);
	depth++;
	first = true;
}

static void close_with(char bracket)
{
	unsigned int i;

	depth--;
	if (!out_json)
		return;
	if (out_pretty && !first) {
		putchar('\n');
		for (i = 0; i < depth; i++)
			fputs("    ", stdout);
	}
	putchar(bracket);
	first = false;
}

void out_open_object(const char *key)
{
	open_with(key, '{');
}

void out_close_object(void)
{
	close_with('}');
}

void out_open_array(const char *key)
{
	open_with(key, '[');
}

void out_close_array(void)
{
	close_with(']');
}

void out_uint(const char *key, const char *format, uint64_t value)
{
	if (out_json) {
		begin(key);
		printf("%llu", (unsigned long long)value);
	} else if (format) {
		out_text(format, (unsigned long long)value);
	}
}

void out_float(const char *key, const char *format, double value)
{
	if (out_json) {
		begin(key);
		printf("%.6g", value);
	} else if (format) {
		out_text(format, value);
	}
}

void out_bytes(const char *key, const void *data, size_t length)
{
	if (!out_json)
		return;
	begin(key);
	quote_bytes(data, length);
}

void out_string(const char *key, const char *format, const char *value)
{
	if (out_json)
		out_bytes(key, value, strlen(value));
	else if (format)
		out_text(format, value);
}

void out_colored(const char *key, const char *format, const char *value, enum out_color color)
{
	static const char *const codes[] = { "32", "33", "31", "36" };
	char *text;

	if (out_json || !out_colors) {
		out_string(key, format, value);
		return;
	}
	text = xprintf("\033[%sm%s\033[0m", codes[color], value);
	out_text(format, text);
	free(text);
}

const char *out_detail(const char *format)
{
	return out_details ? format : NULL;
}

void out_bool(const char *key, bool value)
{
	if (!out_json)
		return;
	begin(key);
	fputs(value ? "true" : "false", stdout);
}

void out_null(const char *key)
{
	if (!out_json)
		return;
	begin(key);
	fputs("null", stdout);
}

void out_text(const char *format, ...)
{
	va_list args;

	if (out_json)
		return;
	va_start(args, format);
	print_text(format, args);
	va_end(args);
}

/* Length of the UTF-8 character at p, at most n bytes; 0: none. */
static size_t utf8_length(const unsigned char *p, size_t n)
{
	size_t length, i;
	uint32_t code;

	if (p[0] < 0x80)
		return p[0] ? 1 : 0;
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		length = 2;
	else if ((p[0] & 0xf0) == 0xe0)
		length = 3;
	else if (p[0] >= 0xf0 && p[0] <= 0xf4)
		length = 4;
	else
		return 0;
	if (length > n)
		return 0;
	code = p[0] & (0xff >> (length + 1));
	for (i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	/* Reject overlong forms, surrogates, and code points beyond Unicode. */
	if ((length == 3 && code < 0x800) || (length == 4 && code < 0x10000) ||
	    (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
		return 0;
	return length;
}

bool out_is_text(const void *data, size_t length)
{
	const unsigned char *p = data;

	while (length) {
		size_t n = utf8_length(p, length);

		if (!n)
			return false;
		p += n;
		length -= n;
	}
	return true;
}

void out_flush(void)
{
	end_record();
	if (!fflush(stdout) && !ferror(stdout))
		return;
	if (errno == EPIPE && out_reader_may_go)
		exit(0);
	fail("cannot write: %s", strerror(errno));
}

void out_end(void)
{
	if (out_json) {
		putchar('\n');
		first = true;
	}
	out_flush();
}
