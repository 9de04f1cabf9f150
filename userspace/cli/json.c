// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "json.h"
#include "out.h"
#include "util.h"

#define DEPTH_MAX	32
/* A site with all its links takes about 4 KiB; a file larger than that of 16,384 is none. */
#define FILE_MAX	(64U << 20)

/**
 * struct reader - where the parser is
 * @name: of the file
 * @p: next character
 * @end: behind the last
 * @line: of @p
 * @depth: arrays and objects that are open
 */
struct reader {
	const char *name;
	const char *p;
	const char *end;
	unsigned int line;
	unsigned int depth;
};

static struct json *wrong(const struct reader *r, const char *what)
{
	complain("%s:%u: %s", r->name, r->line, what);
	return NULL;
}

static int peek(struct reader *r)
{
	while (r->p < r->end && strchr(" \t\r\n", *r->p)) {
		/* strchr() finds the NUL as well. */
		if (!*r->p)
			break;
		if (*r->p == '\n')
			r->line++;
		r->p++;
	}
	return r->p < r->end ? (unsigned char)*r->p : -1;
}

static bool take(struct reader *r, char c)
{
	if (peek(r) != c)
		return false;
	r->p++;
	return true;
}

static struct json *value_of(struct reader *r, enum json_type type)
{
	struct json *value = xalloc(1, sizeof(*value));

	value->type = type;
	value->line = r->line;
	return value;
}

/* Four hexadecimal digits, or -1. */
static long hex4(struct reader *r)
{
	long code = 0;
	int i;

	if (r->end - r->p < 4)
		return -1;
	for (i = 0; i < 4; i++) {
		char c = *r->p++;

		code <<= 4;
		if (c >= '0' && c <= '9')
			code |= c - '0';
		else if (c >= 'a' && c <= 'f')
			code |= c - 'a' + 10;
		else if (c >= 'A' && c <= 'F')
			code |= c - 'A' + 10;
		else
			return -1;
	}
	return code;
}

static char *put_utf8(char *to, long code)
{
	if (code < 0x80) {
		*to++ = code;
	} else if (code < 0x800) {
		*to++ = 0xc0 | code >> 6;
		*to++ = 0x80 | (code & 0x3f);
	} else if (code < 0x10000) {
		*to++ = 0xe0 | code >> 12;
		*to++ = 0x80 | (code >> 6 & 0x3f);
		*to++ = 0x80 | (code & 0x3f);
	} else {
		*to++ = 0xf0 | code >> 18;
		*to++ = 0x80 | (code >> 12 & 0x3f);
		*to++ = 0x80 | (code >> 6 & 0x3f);
		*to++ = 0x80 | (code & 0x3f);
	}
	return to;
}

/* Behind "\": the character it stands for, or -1. */
static long escape(struct reader *r)
{
	static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *name;
	long code, low;
	char c;

	if (r->p == r->end)
		return -1;
	c = *r->p++;
	if (c != 'u') {
		name = c ? strchr(names, c) : NULL;
		return name ? meant[name - names] : -1;
	}
	code = hex4(r);
	if (code < 0xd800 || code > 0xdfff)
		return code;
	/* A pair of surrogates, or half of one. */
	if (code > 0xdbff || r->end - r->p < 2 || r->p[0] != '\\' || r->p[1] != 'u')
		return -1;
	r->p += 2;
	low = hex4(r);
	if (low < 0xdc00 || low > 0xdfff)
		return -1;
	return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
}

/* Behind the opening quotation mark.  NULL after a complaint. */
static char *string(struct reader *r)
{
	const char *from = r->p;
	char *text, *to;

	/* No escape is shorter than what it stands for. */
	while (from < r->end && *from != '"')
		from += *from == '\\' ? 2 : 1;
	if (from >= r->end) {
		wrong(r, "a string does not end");
		return NULL;
	}
	text = xalloc(1, from - r->p + 1);
	to = text;
	while (*r->p != '"') {
		unsigned char c = *r->p++;
		long code = c;

		if (c < 0x20) {
			wrong(r, "a string has a control character");
			return NULL;
		}
		if (c != '\\') {
			*to++ = c;
			continue;
		}
		code = escape(r);
		if (code <= 0) {
			wrong(r, code ? "a string has an unknown escape" : "a string has a NUL");
			return NULL;
		}
		to = put_utf8(to, code);
	}
	r->p++;
	if (!out_is_text(text, to - text)) {
		wrong(r, "a string is not UTF-8");
		return NULL;
	}
	return text;
}

static struct json *number(struct reader *r)
{
	struct json *value = value_of(r, JSON_NUMBER);
	const char *p = r->p;
	const char *digits;
	char *end;

	if (p < r->end && *p == '-')
		p++;
	digits = p;
	while (p < r->end && *p >= '0' && *p <= '9')
		p++;
	if (p == digits || (*digits == '0' && p > digits + 1))
		return wrong(r, "not a value");
	value->whole = digits == r->p;
	if (p < r->end && *p == '.') {
		digits = ++p;
		while (p < r->end && *p >= '0' && *p <= '9')
			p++;
		if (p == digits)
			return wrong(r, "not a value");
		value->whole = false;
	}
	if (p < r->end && (*p == 'e' || *p == 'E')) {
		p++;
		if (p < r->end && (*p == '+' || *p == '-'))
			p++;
		digits = p;
		while (p < r->end && *p >= '0' && *p <= '9')
			p++;
		if (p == digits)
			return wrong(r, "not a value");
		value->whole = false;
	}
	if (value->whole) {
		errno = 0;
		/* A character that is no digit follows, or the NUL behind the text. */
		value->number = strtoull(r->p, &end, 10);
		value->whole = !errno && end == p;
	}
	r->p = p;
	return value;
}

static struct json *word(struct reader *r)
{
	static const struct {
		const char *text;
		enum json_type type;
		bool number;
	} words[] = {
		{ "null", JSON_NULL, false },
		{ "false", JSON_BOOL, false },
		{ "true", JSON_BOOL, true },
	};
	size_t i, length;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct json *value;

		length = strlen(words[i].text);
		if ((size_t)(r->end - r->p) < length || memcmp(r->p, words[i].text, length))
			continue;
		value = value_of(r, words[i].type);
		value->number = words[i].number;
		r->p += length;
		return value;
	}
	return wrong(r, "not a value");
}

static struct json *any(struct reader *r);

/* Name and colon of a member; NULL after a complaint. */
static char *member_key(struct reader *r, const struct json *object)
{
	const struct json *other;
	char *key;

	if (!take(r, '"')) {
		wrong(r, "a member of an object has no name");
		return NULL;
	}
	key = string(r);
	if (!key)
		return NULL;
	for (other = object->child; other; other = other->next) {
		if (!strcmp(other->key, key)) {
			complain("%s:%u: \"%s\" is named twice", r->name, r->line, key);
			return NULL;
		}
	}
	if (take(r, ':'))
		return key;
	wrong(r, "a name has no value");
	return NULL;
}

/* Behind the opening bracket. */
static struct json *several(struct reader *r, enum json_type type, char close)
{
	struct json *value = value_of(r, type), **tail = &value->child;

	if (++r->depth > DEPTH_MAX)
		return wrong(r, "nested too deep");
	while (!take(r, close)) {
		char *key = NULL;

		if (value->child && !take(r, ','))
			return wrong(r, type == JSON_OBJECT ? "an object does not end" :
							      "an array does not end");
		if (type == JSON_OBJECT) {
			key = member_key(r, value);
			if (!key)
				return NULL;
		}
		*tail = any(r);
		if (!*tail)
			return NULL;
		(*tail)->key = key;
		tail = &(*tail)->next;
	}
	r->depth--;
	return value;
}

static struct json *any(struct reader *r)
{
	struct json *value;

	switch (peek(r)) {
	case '{':
		r->p++;
		return several(r, JSON_OBJECT, '}');
	case '[':
		r->p++;
		return several(r, JSON_ARRAY, ']');
	case '"':
		r->p++;
		value = value_of(r, JSON_STRING);
		value->string = string(r);
		return value->string ? value : NULL;
	case 'n':
	case 'f':
	case 't':
		return word(r);
	case -1:
		return wrong(r, "ends where a value is expected");
	default:
		return number(r);
	}
}

struct json *json_parse(const char *name, const char *text, size_t length)
{
	struct reader r = { .name = name, .p = text, .end = text + length, .line = 1 };
	struct json *value = any(&r);

	if (value && peek(&r) != -1)
		return wrong(&r, "something follows the document");
	return value;
}

struct json *json_read(const char *path)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	const char *name = strcmp(path, "-") ? path : "standard input";
	size_t length = 0, size = 65536, got;
	char *text = xalloc(1, size + 1);
	struct json *value = NULL;

	if (!file) {
		complain("%s: %s", path, strerror(errno));
		return NULL;
	}
	while ((got = fread(text + length, 1, size - length, file))) {
		length += got;
		if (length < size)
			continue;
		if (size >= FILE_MAX)
			break;
		size *= 2;
		text = xrealloc(text, size + 1);
	}
	text[length] = '\0';
	if (ferror(file))
		complain("%s: %s", name, strerror(errno));
	else if (length == FILE_MAX)
		complain("%s: %s", name, strerror(EFBIG));
	else
		value = json_parse(name, text, length);
	if (file != stdin)
		fclose(file);
	free(text);
	return value;
}
