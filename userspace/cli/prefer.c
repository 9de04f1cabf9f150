// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <linux/flitcast_netlink.h>
#include "cli.h"
#include "config.h"
#include "out.h"
#include "prefer.h"
#include "prefer_text.h"
#include "util.h"

/* Enough for all ranges of an entry. */
#define TARGETS_TEXT	(FC_PREFER_RANGES_MAX * sizeof("1048575-1048575,"))

static void print_targets(const struct fc_prefer *entry, char buf[TARGETS_TEXT])
{
	char *at = buf;
	u8 i;

	strcpy(buf, "all");
	for (i = 0; i < entry->nranges; i++) {
		const struct fc_range *range = &entry->range[i];

		at += sprintf(at, "%s%u", i ? "," : "", range->first);
		if (range->last > range->first)
			at += sprintf(at, "-%u", range->last);
	}
}

void prefer_put_targets(struct request *req, const struct fc_prefer *entry)
{
	put_bytes(req, FLITCAST_A_ROUTE_TARGETS, entry->range,
		  entry->nranges * sizeof(*entry->range));
}

void prefer_put(struct request *req, const struct fc_prefer *entry)
{
	u8 bytes[2 * FC_DIRS_MAX], n;
	u32 dirs;

	prefer_put_targets(req, entry);
	for (n = 0; n < entry->count; n++)
		bytes[n] = entry->order[n] + 1;
	if (n)
		put_bytes(req, FLITCAST_A_ROUTE_PORTS, bytes, n);
	for (n = 0, dirs = entry->never; dirs; dirs &= dirs - 1)
		bytes[n++] = fc_low(dirs) + 1;
	if (n)
		put_bytes(req, FLITCAST_A_ROUTE_NEVER, bytes, n);
	if (entry->strict)
		put_u32(req, FLITCAST_A_ROUTE_STRICT, 1);
	for (n = 0, dirs = entry->weighted; dirs; dirs &= dirs - 1) {
		bytes[n++] = fc_low(dirs) + 1;
		bytes[n++] = entry->weight[fc_low(dirs)];
	}
	if (n)
		put_bytes(req, FLITCAST_A_ROUTE_WEIGHTS, bytes, n);
}

static int bytes_of(const struct nlattr *attr, int max)
{
	int n = attr ? nla_len(attr) : 0;

	return n < max ? n : max;
}

bool prefer_get(struct fc_prefer *entry, struct nlattr *const *attrs)
{
	const struct nlattr *order = attrs[FLITCAST_A_ROUTE_PORTS];
	const struct nlattr *never = attrs[FLITCAST_A_ROUTE_NEVER];
	const struct nlattr *weights = attrs[FLITCAST_A_ROUTE_WEIGHTS];
	const struct nlattr *targets = attrs[FLITCAST_A_ROUTE_TARGETS];
	int i, size = sizeof(entry->range);

	memset(entry, 0, sizeof(*entry));
	if (!targets)
		return false;
	size = bytes_of(targets, size);
	entry->nranges = size / sizeof(*entry->range);
	memcpy(entry->range, nla_data(targets), size);
	for (i = 0; i < bytes_of(order, FC_DIRS_MAX); i++)
		entry->order[entry->count++] = ((const u8 *)nla_data(order))[i] - 1;
	for (i = 0; i < bytes_of(never, FC_DIRS_MAX); i++)
		entry->never |= fc_bit(((const u8 *)nla_data(never))[i] - 1);
	if (get_u32(attrs[FLITCAST_A_ROUTE_STRICT]))
		entry->strict = entry->never;
	for (i = 0; i + 1 < bytes_of(weights, 2 * FC_DIRS_MAX); i += 2) {
		const u8 *pair = (const u8 *)nla_data(weights) + i;
		u8 dir = (pair[0] - 1) % FC_DIRS_MAX;

		entry->weighted |= fc_bit(dir);
		entry->weight[dir] = pair[1];
	}
	return true;
}

void prefer_print(const struct fc_prefer *entry)
{
	char targets[TARGETS_TEXT];
	const char *comma = "";
	u32 dirs;
	u8 i;

	print_targets(entry, targets);
	out_string("to", " to %s", targets);
	if (entry->count) {
		out_text(" prefer ");
		out_open_array("prefer");
		for (i = 0; i < entry->count; i++)
			out_uint(NULL, i ? ",%llu" : "%llu", entry->order[i] + 1);
		out_close_array();
	}
	if (entry->never) {
		out_text(" never ");
		out_open_array("never");
		for (dirs = entry->never; dirs; dirs &= dirs - 1) {
			out_text("%s", comma);
			out_uint(NULL, "%llu", fc_low(dirs) + 1);
			comma = ",";
		}
		out_close_array();
	}
	if (entry->strict) {
		out_text(" strict");
		out_bool("strict", true);
	}
	if (!entry->weighted)
		return;
	out_text(" weights ");
	out_open_array("weights");
	for (dirs = entry->weighted, comma = ""; dirs; dirs &= dirs - 1) {
		out_text("%s", comma);
		out_open_object(NULL);
		out_uint("port", "%llu", fc_low(dirs) + 1);
		out_uint("weight", ":%llu", entry->weight[fc_low(dirs)]);
		out_close_object();
		comma = ",";
	}
	out_close_array();
}

/* Read an array of ports, if there is one.  Return: 0, or -1 after an error message. */
static int read_ports(const char *where, json_t *object, const char *key, u8 ndirs, u32 *dirs,
		      u8 *order)
{
	json_t *list = json_object_get(object, key), *member;
	size_t i;

	*dirs = 0;
	if (!list)
		return 0;
	json_array_foreach(list, i, member) {
		json_int_t port = json_integer_value(member);

		if (port < 1 || port > ndirs || *dirs & fc_bit(port - 1)) {
			complain("%s: a port is a number from 1 to %u, and none comes twice",
				 where, ndirs);
			return -1;
		}
		*dirs |= fc_bit(port - 1);
		if (order)
			order[i] = port - 1;
	}
	if (*dirs)
		return 0;
	complain("%s: \"%s\" is an array of ports", where, key);
	return -1;
}

static int read_weights(const char *where, json_t *object, u8 ndirs, struct fc_prefer *entry)
{
	static const char *const keys[] = { "port", "weight", NULL };
	json_t *list = json_object_get(object, "weights"), *member;
	uint32_t port, weight;
	size_t i;

	json_array_foreach(list, i, member) {
		if (config_unknown(where, member, keys) ||
		    config_number(where, member, "port", 1, ndirs, &port) ||
		    config_number(where, member, "weight", 1, FC_WEIGHT_MAX, &weight))
			return -1;
		if (entry->weighted & fc_bit(port - 1)) {
			complain("%s: port %u has two weights", where, port);
			return -1;
		}
		entry->weighted |= fc_bit(port - 1);
		entry->weight[port - 1] = weight;
	}
	if (!list || entry->weighted)
		return 0;
	complain("%s: \"weights\" is an array of ports and weights", where);
	return -1;
}

int prefer_read(const char *where, json_t *object, struct fc_prefer *entry, uint32_t nsites,
		uint8_t ndirs)
{
	static const char *const keys[] = { "to", "prefer", "never", "strict", "weights", NULL };
	const char *text = json_string_value(json_object_get(object, "to")), *wrong;
	json_t *given = json_object_get(object, "strict");
	bool strict = json_is_true(given);
	u32 dirs;

	memset(entry, 0, sizeof(*entry));
	if (config_unknown(where, object, keys))
		return -1;
	wrong = text ? prefer_text_targets(entry, text) : "\"to\" is a string";
	if (!wrong && entry->nranges && entry->range[entry->nranges - 1].last >= nsites)
		wrong = "the network has no such target";
	if (wrong) {
		complain("%s: %s", where, wrong);
		return -1;
	}
	if (given && !json_is_boolean(given)) {
		complain("%s: \"strict\" is true or false", where);
		return -1;
	}
	if (read_ports(where, object, "prefer", ndirs, &dirs, entry->order) ||
	    read_ports(where, object, "never", ndirs, &entry->never, NULL) ||
	    read_weights(where, object, ndirs, entry))
		return -1;
	for (; dirs; dirs &= dirs - 1)
		entry->count++;
	entry->strict = strict ? entry->never : 0;
	if (fc_prefer_is_set(entry) && !(entry->count && entry->weighted) &&
	    (!strict || entry->never))
		return 0;
	complain("%s: an entry has ports in order, or weights, or excluded ports", where);
	return -1;
}

static bool overlap(const struct fc_prefer *a, const struct fc_prefer *b)
{
	u8 i, j;

	for (i = 0; i < a->nranges; i++)
		for (j = 0; j < b->nranges; j++)
			if (a->range[i].first <= b->range[j].last &&
			    b->range[j].first <= a->range[i].last)
				return true;
	return !a->nranges && !b->nranges;
}

const char *prefers_conflict(const struct prefers *prefers, const struct fc_prefer *entry)
{
	uint32_t i, others = !!entry->nranges;

	for (i = 0; i < prefers->count; i++) {
		if (overlap(&prefers->entry[i], entry))
			return "another entry has one of the targets";
		others += !!prefers->entry[i].nranges;
	}
	return others < FC_PREFER_MAX ? NULL : "a table has no more entries than 64";
}

void prefers_add(struct prefers *prefers, const struct fc_prefer *entry)
{
	prefers->entry = xrealloc(prefers->entry, (prefers->count + 1) * sizeof(*entry));
	prefers->entry[prefers->count++] = *entry;
}

bool prefers_same(const struct prefers *a, const struct prefers *b)
{
	uint32_t i, j;

	if (a->count != b->count)
		return false;
	for (i = 0; i < a->count; i++) {
		for (j = 0; j < b->count; j++)
			if (!memcmp(&a->entry[i], &b->entry[j], sizeof(*a->entry)))
				break;
		if (j == b->count)
			return false;
	}
	return true;
}

struct fc_prefer_table *prefers_table(const struct prefers *prefers, uint32_t nsites)
{
	size_t size = sizeof(struct fc_prefer_table) +
		      (prefers->count + 1) * sizeof(struct fc_prefer);
	struct fc_prefer_table *table;
	uint32_t i;

	if (!prefers->count)
		return NULL;
	table = xalloc(1, size + nsites);
	table->of = (u8 *)table + size;
	table->count = 1;
	for (i = 0; i < prefers->count; i++)
		table->entry[prefers->entry[i].nranges ? table->count++ : 0] = prefers->entry[i];
	fc_prefer_index(table, nsites);
	return table;
}
