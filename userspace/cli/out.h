/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output, as text or JSON from one call.  Only text uses the format, which
 * may be NULL; only JSON uses the key, which is NULL in an array.
 */
#ifndef FLITCAST_CLI_OUT_H
#define FLITCAST_CLI_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Set by -j and -p. */
extern bool out_json;
extern bool out_pretty;
/* Set by -d, -br and -o as in ip(8): details, a line of columns, a line for each record. */
extern bool out_details;
extern bool out_brief;
extern bool out_oneline;
/* Set by -c: text has colours. */
extern bool out_colors;

enum out_color {
	OUT_GOOD,
	OUT_WARNING,
	OUT_BAD,
	OUT_NAME,
};

/* Set if a broken pipe on standard output ends the program without a failure. */
extern bool out_reader_may_go;

void out_open_object(const char *key);
void out_close_object(void);
void out_open_array(const char *key);
void out_close_array(void);

void out_uint(const char *key, const char *format, uint64_t value);
void out_float(const char *key, const char *format, double value);
void out_string(const char *key, const char *format, const char *value);
/* Print a string, in @color if text has colours. */
void out_colored(const char *key, const char *format, const char *value, enum out_color color);
/* Format of values that text output shows only with -d. */
const char *out_detail(const char *format);
void out_bytes(const char *key, const void *data, size_t length);
void out_bool(const char *key, bool value);
void out_null(const char *key);
/* Print in text output only. */
void out_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Are the bytes UTF-8 without NUL, so that they are a string in JSON? */
bool out_is_text(const void *data, size_t length);

/* End one JSON document, and flush. */
void out_end(void);
/* Write all output, or exit on an error. */
void out_flush(void);

#endif /* FLITCAST_CLI_OUT_H */
