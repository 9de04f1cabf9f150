/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading JSON: a text becomes a tree, or a complaint that names the line.
 */
#ifndef FLITCAST_CLI_JSON_H
#define FLITCAST_CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_type {
	JSON_NULL,
	JSON_BOOL,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

/**
 * struct json - a value
 * @type: what it is
 * @line: of the text, from 1
 * @key: its name in an object, else NULL
 * @whole: it is a whole number that @number holds
 * @number: that, or 0 and 1 for false and true
 * @string: a string, NUL-terminated and without another NUL
 * @child: first of an array or object
 * @next: the one behind it there
 */
struct json {
	enum json_type type;
	unsigned int line;
	char *key;
	bool whole;
	uint64_t number;
	char *string;
	struct json *child;
	struct json *next;
};

/**
 * json_parse() - read one document
 * @name: of the file, for complaints
 * @text: document
 * @length: bytes
 *
 * Numbers that are not whole, negative or beyond 2^64 are taken, but @whole says
 * no.  A name that comes twice in an object is refused, as is what is nested deeper
 * than 32.
 *
 * Return: its value, never freed; or NULL after a complaint.
 */
struct json *json_parse(const char *name, const char *text, size_t length);

/* The whole file, "-": standard input.  NULL after a complaint. */
struct json *json_read(const char *path);

#endif /* FLITCAST_CLI_JSON_H */
