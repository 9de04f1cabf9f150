/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The key of a network, in a file: FLITCAST_KEY_SIZE bytes, as hexadecimal digits.
 */
#ifndef FLITCAST_CLI_KEY_H
#define FLITCAST_CLI_KEY_H

#include <stdbool.h>
#include "request.h"

/**
 * key_check() - check that a file with a key can be read
 * @path: file
 * @about: prefix of error messages
 *
 * Return: false after an error message.
 */
bool key_check(const char *path, const char *about);

/**
 * key_put() - put the key of a file into a request for a new site
 * @req: request
 * @path: file
 * @about: prefix of error messages
 *
 * Return: false after an error message.
 */
bool key_put(struct request *req, const char *path, const char *about);

#endif /* FLITCAST_CLI_KEY_H */
