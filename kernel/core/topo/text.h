/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Texts and numbers in specifications; the kernel and user space share no
 * function that reads numbers as strictly.
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
 * @text: moved behind the digits when NULL is returned
 * @number: result
 *
 * Return: NULL, or a constant text with the error.
 */
const char *fc_topo_text_number(const char **text, u32 *number);

/**
 * fc_topo_text_put() - append a number to a text
 * @buf: text, NUL-terminated
 * @size: of the buffer; what does not fit is cut off
 * @number: appended in decimal digits
 */
void fc_topo_text_put(char *buf, size_t size, u32 number);

/**
 * fc_topo_text_putc() - append a character to a text
 * @buf: text, NUL-terminated
 * @size: of the buffer; what does not fit is cut off
 * @c: appended
 */
void fc_topo_text_putc(char *buf, size_t size, char c);

#endif /* FC_CORE_TOPO_TEXT_H */
