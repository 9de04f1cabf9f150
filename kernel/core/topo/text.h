/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Texts and numbers in specifications; kernel and user space have no common function that parses
 * numbers as strictly.
 */
#ifndef FC_CORE_TOPO_TEXT_H
#define FC_CORE_TOPO_TEXT_H

#include "core/base.h"

/**
 * fc_topo_text_length() - strlen(), which the core does not import
 * @text: NUL-terminated
 *
 * Return: characters before the NUL.
 */
size_t fc_topo_text_length(const char *text);

/**
 * fc_topo_text_number() - read a number from 1 to FC_SITES_MAX
 * @text: text; advanced behind the digits if NULL is returned
 * @number: result
 *
 * Return: NULL, or a constant text with the error.
 */
const char *fc_topo_text_number(const char **text, u32 *number);

/**
 * fc_topo_text_put() - append a number to a text
 * @buf: text, NUL-terminated
 * @size: size of the buffer; the result is truncated to it
 * @number: number to append, in decimal digits
 */
void fc_topo_text_put(char *buf, size_t size, u32 number);

/**
 * fc_topo_text_putc() - append a character to a text
 * @buf: text, NUL-terminated
 * @size: size of the buffer; the result is truncated to it
 * @c: character to append
 */
void fc_topo_text_putc(char *buf, size_t size, char c);

#endif /* FC_CORE_TOPO_TEXT_H */
