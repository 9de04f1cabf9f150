/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entries of preference tables for targets (core/link/prefer.h): as text, as JSON, and in requests.
 */
#ifndef FLITCAST_CLI_PREFER_H
#define FLITCAST_CLI_PREFER_H

#include <stdbool.h>
#include <jansson.h>
#include "core/link/prefer.h"
#include "request.h"

/**
 * struct prefers - the entries of a table
 * @entry: entries
 * @count: number of entries
 */
struct prefers {
	struct fc_prefer *entry;
	uint32_t count;
};

/* Bytes of attributes of an entry, at most. */
#define PREFER_SIZE	512

/* Put targets, and the whole entry, into a request. */
void prefer_put_targets(struct request *req, const struct fc_prefer *entry);
void prefer_put(struct request *req, const struct fc_prefer *entry);

/* Read an entry from the attributes of a message.  Return: false if it is none. */
bool prefer_get(struct fc_prefer *entry, struct nlattr *const *attrs);

/* Print the members of an object, or a text without the end of the line. */
void prefer_print(const struct fc_prefer *entry);

/**
 * prefer_read() - read an entry from an object of a file
 * @where: file and place of the object, for error messages
 * @object: the object, which has the member "to"
 * @entry: result
 * @nsites: number of sites of the network
 * @ndirs: number of its directions
 *
 * Return: 0, or -1 after an error message.
 */
int prefer_read(const char *where, json_t *object, struct fc_prefer *entry, uint32_t nsites,
		uint8_t ndirs);

/* Return: NULL, or why a table has no place for one more entry. */
const char *prefers_conflict(const struct prefers *prefers, const struct fc_prefer *entry);
void prefers_add(struct prefers *prefers, const struct fc_prefer *entry);
/* Have the tables the same entries, in any order? */
bool prefers_same(const struct prefers *a, const struct prefers *b);
/* Return: the entries as a table for the core, to be freed; NULL if there are none. */
struct fc_prefer_table *prefers_table(const struct prefers *prefers, uint32_t nsites);

#endif /* FLITCAST_CLI_PREFER_H */
