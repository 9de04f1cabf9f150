/* SPDX-License-Identifier: GPL-2.0 */
/*
 * External programs make the drawings: they read a text and write a picture.
 */
#ifndef FLITCAST_SIM_PIPE_H
#define FLITCAST_SIM_PIPE_H

#include <stdio.h>

#include "core/base.h"

/**
 * pipe_run() - run a program on a text
 * @argv: the program, looked up in PATH, and its arguments, ended by NULL
 * @package: package of the program, for the error message if it is missing
 * @put: writes the program's input, or NULL
 * @subject: argument of @put
 * @path: file for its standard output; NULL: standard output
 *
 * No shell is involved.  Nothing is written unless the program succeeds, and a regular file is
 * replaced only by all of its output.  Return: false if the program is missing or fails, or the
 * file cannot be written, with a line on standard error.
 */
bool pipe_run(const char *const *argv, const char *package,
	      void (*put)(const void *subject, FILE *file), const void *subject, const char *path);

/* Can a file be written?  Return: false if not, with a line on standard error. */
bool pipe_writable(const char *path);

#endif /* FLITCAST_SIM_PIPE_H */
