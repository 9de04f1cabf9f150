// SPDX-License-Identifier: GPL-2.0
/*
 * Object "route": the preference table of a site.  It has a list of ports for each direction of
 * the topology (CARE, Table G), and entries for targets (core/link/prefer.h).
 */
#include "compat.h"
#include "netlink/reply.h"
#include "site/route.h"
#include "ends/port.h"

/* Names of directions have at most 7 characters, see struct fc_topo_ops. */
#define DIRECTION	{ .type = NLA_NUL_STRING, .len = 7 }
#define PORTS		{ .type = NLA_BINARY, .len = FC_DIRS_MAX }
#define TARGETS		{ .type = NLA_BINARY,	\
			  .len = FC_PREFER_RANGES_MAX * sizeof(struct fc_range) }
#define WEIGHTS		{ .type = NLA_BINARY, .len = 2 * FC_DIRS_MAX }

const struct nla_policy flitcast_netlink_route_get_policy[FLITCAST_A_ROUTE_TARGETS + 1] = {
	[FLITCAST_A_ROUTE_SITE] = { .type = NLA_U32 },
	[FLITCAST_A_ROUTE_DIRECTION] = DIRECTION,
	[FLITCAST_A_ROUTE_TARGETS] = TARGETS,
};

const struct nla_policy flitcast_netlink_route_set_policy[FLITCAST_A_ROUTE_WEIGHTS + 1] = {
	[FLITCAST_A_ROUTE_SITE] = { .type = NLA_U32 },
	[FLITCAST_A_ROUTE_DIRECTION] = DIRECTION,
	[FLITCAST_A_ROUTE_PORTS] = PORTS,
	[FLITCAST_A_ROUTE_TARGETS] = TARGETS,
	[FLITCAST_A_ROUTE_NEVER] = PORTS,
	[FLITCAST_A_ROUTE_STRICT] = NLA_POLICY_RANGE(NLA_U32, 0, 1),
	[FLITCAST_A_ROUTE_WEIGHTS] = WEIGHTS,
};

static const struct nla_policy entry_policy[FLITCAST_A_ROUTE_WEIGHTS + 1] = {
	[FLITCAST_A_ROUTE_DIRECTION] = DIRECTION,
	[FLITCAST_A_ROUTE_PORTS] = PORTS,
	[FLITCAST_A_ROUTE_TARGETS] = TARGETS,
	[FLITCAST_A_ROUTE_NEVER] = PORTS,
	[FLITCAST_A_ROUTE_STRICT] = NLA_POLICY_RANGE(NLA_U32, 0, 1),
	[FLITCAST_A_ROUTE_WEIGHTS] = WEIGHTS,
};

const struct nla_policy flitcast_netlink_route_replace_policy[FLITCAST_A_ROUTE_ENTRY + 1] = {
	[FLITCAST_A_ROUTE_SITE] = { .type = NLA_U32 },
	[FLITCAST_A_ROUTE_GENERATION] = { .type = NLA_U32 },
	[FLITCAST_A_ROUTE_ENTRY] = NLA_POLICY_NESTED(entry_policy),
};

struct object {
	struct flitcast_site *site;
	struct fc_topo topo;
	u8 dir;
	u8 ports[FC_PORTS_MAX];
	u8 n;
	u32 generation;
};

static void read_list(struct object *object)
{
	object->n = flitcast_route_get(object->site, object->dir, object->ports,
				       &object->generation);
}

static int route_fill(struct sk_buff *skb, const void *arg)
{
	const struct object *object = arg;
	char direction[8];

	object->topo.ops->dir_name(&object->topo, object->dir, direction);
	if (nla_put_u32(skb, FLITCAST_A_ROUTE_SITE, flitcast_site_id(object->site)) ||
	    nla_put_string(skb, FLITCAST_A_ROUTE_DIRECTION, direction) ||
	    nla_put(skb, FLITCAST_A_ROUTE_PORTS, object->n, object->ports) ||
	    nla_put_u32(skb, FLITCAST_A_ROUTE_GENERATION, object->generation))
		return -EMSGSIZE;
	return 0;
}

static int put_ports(struct sk_buff *skb, int attr, u32 dirs)
{
	u8 ports[FC_DIRS_MAX], n = 0;

	for (; dirs; dirs &= dirs - 1)
		ports[n++] = fc_low(dirs) + 1;
	return n ? nla_put(skb, attr, n, ports) : 0;
}

static int put_weights(struct sk_buff *skb, const struct fc_prefer *entry)
{
	u8 weights[2 * FC_DIRS_MAX], n = 0;
	u32 dirs;

	for (dirs = entry->weighted; dirs; dirs &= dirs - 1) {
		weights[n++] = fc_low(dirs) + 1;
		weights[n++] = entry->weight[fc_low(dirs)];
	}
	return n ? nla_put(skb, FLITCAST_A_ROUTE_WEIGHTS, n, weights) : 0;
}

struct entry_object {
	struct flitcast_site *site;
	struct fc_prefer entry;
	u32 generation;
};

static int entry_fill(struct sk_buff *skb, const void *arg)
{
	const struct entry_object *object = arg;
	const struct fc_prefer *entry = &object->entry;
	u8 ports[FC_DIRS_MAX], i;

	for (i = 0; i < entry->count; i++)
		ports[i] = entry->order[i] + 1;
	if (nla_put_u32(skb, FLITCAST_A_ROUTE_SITE, flitcast_site_id(object->site)) ||
	    nla_put(skb, FLITCAST_A_ROUTE_TARGETS, entry->nranges * sizeof(*entry->range),
		    entry->range) ||
	    (i && nla_put(skb, FLITCAST_A_ROUTE_PORTS, i, ports)) ||
	    put_ports(skb, FLITCAST_A_ROUTE_NEVER, entry->never) ||
	    (entry->strict && nla_put_u32(skb, FLITCAST_A_ROUTE_STRICT, 1)) ||
	    put_weights(skb, entry) ||
	    nla_put_u32(skb, FLITCAST_A_ROUTE_GENERATION, object->generation))
		return -EMSGSIZE;
	return 0;
}

/* Parse a list of ports.  Return: 0 or -EINVAL; @dirs: their directions. */
static int take_ports(const struct nlattr *attr, u8 ndirs, u32 *dirs, u8 *order,
		      struct netlink_ext_ack *extack)
{
	const u8 *ports = nla_data(attr);
	int i;

	*dirs = 0;
	for (i = 0; i < nla_len(attr); i++) {
		if (!ports[i] || ports[i] > ndirs) {
			NL_SET_ERR_MSG_ATTR(extack, attr,
					    KBUILD_MODNAME ": the topology has no such port");
			return -EINVAL;
		}
		if (*dirs & fc_bit(ports[i] - 1)) {
			NL_SET_ERR_MSG_ATTR(extack, attr, KBUILD_MODNAME ": a port is named twice");
			return -EINVAL;
		}
		*dirs |= fc_bit(ports[i] - 1);
		if (order)
			order[i] = ports[i] - 1;
	}
	return 0;
}

static int take_weights(const struct nlattr *attr, u8 ndirs, struct fc_prefer *entry,
			struct netlink_ext_ack *extack)
{
	const u8 *pair = nla_data(attr);
	int i;

	if (nla_len(attr) % 2) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    KBUILD_MODNAME ": weights are pairs of port and weight");
		return -EINVAL;
	}
	for (i = 0; i < nla_len(attr); i += 2) {
		u8 dir = pair[i] - 1, weight = pair[i + 1];

		if (dir >= ndirs || entry->weighted & fc_bit(dir) || !weight ||
		    weight > FC_WEIGHT_MAX) {
			NL_SET_ERR_MSG_ATTR(extack, attr, KBUILD_MODNAME
					    ": weights are of different ports, and 1 to 100");
			return -EINVAL;
		}
		entry->weighted |= fc_bit(dir);
		entry->weight[dir] = weight;
	}
	return 0;
}

static int take_targets(const struct nlattr *attr, struct fc_prefer *entry,
			struct netlink_ext_ack *extack)
{
	*entry = (struct fc_prefer){ .nranges = nla_len(attr) / sizeof(*entry->range) };
	if (nla_len(attr) % sizeof(*entry->range)) {
		NL_SET_ERR_MSG_ATTR(extack, attr, KBUILD_MODNAME
				    ": targets are pairs of the first and the last site");
		return -EINVAL;
	}
	memcpy(entry->range, nla_data(attr), nla_len(attr));
	return 0;
}

/* Parse the entry for the targets that a request or a nest names. */
static int take_entry(struct nlattr **attrs, u8 ndirs, struct fc_prefer *entry,
		      struct netlink_ext_ack *extack)
{
	const struct nlattr *order = attrs[FLITCAST_A_ROUTE_PORTS];
	const struct nlattr *never = attrs[FLITCAST_A_ROUTE_NEVER];
	const struct nlattr *weights = attrs[FLITCAST_A_ROUTE_WEIGHTS];
	const struct nlattr *strict = attrs[FLITCAST_A_ROUTE_STRICT];
	int err = take_targets(attrs[FLITCAST_A_ROUTE_TARGETS], entry, extack);
	u32 dirs;

	if (!err && order) {
		err = take_ports(order, ndirs, &dirs, entry->order, extack);
		entry->count = nla_len(order);
	}
	if (!err && never)
		err = take_ports(never, ndirs, &entry->never, NULL, extack);
	if (!err && weights)
		err = take_weights(weights, ndirs, entry, extack);
	if (err)
		return err;
	if (strict && nla_get_u32(strict))
		entry->strict = entry->never;
	if (!fc_prefer_is_set(entry) || (order && weights) || (strict && !entry->never)) {
		NL_SET_ERR_MSG_MOD(extack,
				   "an entry has ports in order, or weights, or excluded ports");
		return -EINVAL;
	}
	return 0;
}

/* The site that a request names, with a reference, and its topology. */
static struct flitcast_site *find_site(struct genl_info *info, struct fc_topo *topo)
{
	struct flitcast_site_info snapshot;
	struct flitcast_site *site;

	site = flitcast_netlink_site(genl_info_net(info), info->attrs[FLITCAST_A_ROUTE_SITE],
				     info->extack);
	if (IS_ERR(site))
		return site;
	flitcast_site_info(site, &snapshot);
	*topo = snapshot.cfg.topo;
	return site;
}

/* Site and direction that a request names; the site with a reference. */
static struct flitcast_site *find_route(struct genl_info *info, struct fc_topo *topo, u8 *dir)
{
	const struct nlattr *name = info->attrs[FLITCAST_A_ROUTE_DIRECTION];
	struct flitcast_site *site;
	int found;

	if (GENL_REQ_ATTR_CHECK(info, FLITCAST_A_ROUTE_DIRECTION)) {
		NL_SET_ERR_MSG_MOD(info->extack, "no direction given, and no targets");
		return ERR_PTR(-EINVAL);
	}
	if (info->attrs[FLITCAST_A_ROUTE_TARGETS]) {
		NL_SET_ERR_MSG_MOD(info->extack, "a route has a direction, or targets");
		return ERR_PTR(-EINVAL);
	}
	site = find_site(info, topo);
	if (IS_ERR(site))
		return site;
	found = fc_topo_dir_parse(topo, nla_data(name));
	if (found < 0) {
		flitcast_site_put(site);
		NL_SET_ERR_MSG_ATTR(info->extack, name,
				    KBUILD_MODNAME ": the topology has no such direction");
		return ERR_PTR(-EINVAL);
	}
	*dir = found;
	return site;
}

/* Is the request about an entry for targets? */
static bool for_targets(const struct genl_info *info)
{
	return info->attrs[FLITCAST_A_ROUTE_TARGETS] && !info->attrs[FLITCAST_A_ROUTE_DIRECTION];
}

/* Reads the entry for the targets that the request names. */
static int entry_get(struct genl_info *info)
{
	struct entry_object *object = kzalloc(sizeof(*object), GFP_KERNEL_ACCOUNT);
	struct fc_prefer which;
	struct fc_topo topo;
	u32 i = 0;
	int err;

	if (!object)
		return -ENOMEM;
	err = take_targets(info->attrs[FLITCAST_A_ROUTE_TARGETS], &which, info->extack);
	if (err)
		goto free;
	object->site = find_site(info, &topo);
	err = PTR_ERR_OR_ZERO(object->site);
	if (err)
		goto free;
	do {
		if (flitcast_prefer_get(object->site, i++, &object->entry, &object->generation))
			continue;
		NL_SET_ERR_MSG_MOD(info->extack, "there is no entry for just these targets");
		err = -ENOENT;
	} while (!err && !fc_prefer_same_targets(&object->entry, &which));
	if (!err)
		err = flitcast_netlink_reply(info, FLITCAST_CMD_ROUTE_GET, entry_fill, object);
	flitcast_site_put(object->site);
free:
	kfree(object);
	return err;
}

int flitcast_netlink_route_get(struct sk_buff *skb, struct genl_info *info)
{
	struct object object;
	int err;

	if (for_targets(info))
		return entry_get(info);
	object.site = find_route(info, &object.topo, &object.dir);
	if (IS_ERR(object.site))
		return PTR_ERR(object.site);
	read_list(&object);
	err = flitcast_netlink_reply(info, FLITCAST_CMD_ROUTE_GET, route_fill, &object);
	flitcast_site_put(object.site);
	return err;
}

/* The state of a table, for nl_dump_check_consistent(); 0 would be no state. */
static unsigned int dump_seq(u32 incarnation, u32 generation)
{
	return incarnation + generation ? incarnation + generation : 1;
}

/*
 * The dump of a site's table begins.  Tables of different sites need not fit each other; but if the
 * site before has changed since its last part, the next message is marked.
 */
static void dump_begin(struct netlink_callback *cb)
{
	cb->prev_seq = cb->seq == cb->prev_seq ? 0 : ~cb->seq;
}

/* Dump the entries of a site, from entry *@from on; directions precede them in the count. */
static int site_entries(struct sk_buff *skb, struct netlink_callback *cb,
			struct flitcast_site *site, const struct flitcast_site_info *info,
			u32 *from)
{
	struct entry_object *object = kzalloc(sizeof(*object), GFP_KERNEL_ACCOUNT);
	bool more;
	int err = 0;

	if (!object)
		return -ENOMEM;
	object->site = site;
	while (!err) {
		more = flitcast_prefer_get(site, *from - info->cfg.topo.ndirs, &object->entry,
					   &object->generation);
		cb->seq = dump_seq(info->incarnation, object->generation);
		if (!more)
			break;
		err = flitcast_netlink_part(skb, cb, FLITCAST_CMD_ROUTE_GET, entry_fill, object);
		if (!err)
			++*from;
	}
	kfree(object);
	return err ? -EMSGSIZE : 0;
}

/* Dump the preference table of a site; @from is a direction, or their number and an entry. */
static int site_routes(struct sk_buff *skb, struct netlink_callback *cb,
		       struct flitcast_site *site, u32 *from)
{
	struct object object = { .site = site };
	struct flitcast_site_info info;

	if (!*from)
		dump_begin(cb);
	flitcast_site_info(site, &info);
	object.topo = info.cfg.topo;
	for (; *from < object.topo.ndirs; ++*from) {
		object.dir = *from;
		read_list(&object);
		cb->seq = dump_seq(info.incarnation, object.generation);
		if (flitcast_netlink_part(skb, cb, FLITCAST_CMD_ROUTE_GET, route_fill, &object))
			return -EMSGSIZE;
	}
	return site_entries(skb, cb, site, &info, from);
}

int flitcast_netlink_route_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr **attrs = genl_info_dump(cb)->attrs;

	if (attrs[FLITCAST_A_ROUTE_DIRECTION] || attrs[FLITCAST_A_ROUTE_TARGETS]) {
		NL_SET_ERR_MSG_MOD(cb->extack, "a dump of routes is chosen by site alone");
		return -EINVAL;
	}
	return flitcast_netlink_dump(skb, cb, attrs[FLITCAST_A_ROUTE_SITE], site_routes);
}

static int entry_set(struct genl_info *info)
{
	struct flitcast_site *site;
	struct fc_prefer entry;
	struct fc_topo topo;
	int err;

	site = find_site(info, &topo);
	if (IS_ERR(site))
		return PTR_ERR(site);
	err = take_entry(info->attrs, topo.ndirs, &entry, info->extack);
	if (!err)
		err = flitcast_prefer_set(site, &entry, info->extack);
	flitcast_site_put(site);
	return err;
}

int flitcast_netlink_route_set(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *ports = info->attrs[FLITCAST_A_ROUTE_PORTS];
	struct flitcast_site *site;
	struct fc_topo topo;
	int err;
	u8 dir;

	if (for_targets(info))
		return entry_set(info);
	if (info->attrs[FLITCAST_A_ROUTE_NEVER] || info->attrs[FLITCAST_A_ROUTE_STRICT] ||
	    info->attrs[FLITCAST_A_ROUTE_WEIGHTS]) {
		NL_SET_ERR_MSG_MOD(info->extack, "the list of a direction has ports alone");
		return -EINVAL;
	}
	/* An empty list would restore the default: FLITCAST_CMD_ROUTE_DEL does that. */
	if (GENL_REQ_ATTR_CHECK(info, FLITCAST_A_ROUTE_PORTS) || !nla_len(ports)) {
		NL_SET_ERR_MSG_MOD(info->extack, "a route needs at least one port");
		return -EINVAL;
	}
	site = find_route(info, &topo, &dir);
	if (IS_ERR(site))
		return PTR_ERR(site);
	err = flitcast_route_set(site, dir, nla_data(ports), nla_len(ports), info->extack);
	flitcast_site_put(site);
	return err;
}

static int entry_del(struct genl_info *info)
{
	struct flitcast_site *site;
	struct fc_prefer entry;
	struct fc_topo topo;
	int err;

	err = take_targets(info->attrs[FLITCAST_A_ROUTE_TARGETS], &entry, info->extack);
	if (err)
		return err;
	site = find_site(info, &topo);
	if (IS_ERR(site))
		return PTR_ERR(site);
	err = flitcast_prefer_del(site, &entry, info->extack);
	flitcast_site_put(site);
	return err;
}

/* Restore the default list of a direction, or remove an entry. */
int flitcast_netlink_route_del(struct sk_buff *skb, struct genl_info *info)
{
	struct flitcast_site *site;
	struct fc_topo topo;
	int err;
	u8 dir;

	if (for_targets(info))
		return entry_del(info);
	site = find_route(info, &topo, &dir);
	if (IS_ERR(site))
		return PTR_ERR(site);
	err = flitcast_route_set(site, dir, NULL, 0, info->extack);
	flitcast_site_put(site);
	return err;
}

/**
 * struct table - a new table
 * @pref: lists of directions
 * @seen: directions that have a list
 * @count: number of entries
 * @entry: entries
 */
struct table {
	struct fc_pref pref;
	u32 seen;
	u32 count;
	struct fc_prefer entry[FC_PREFER_MAX];
};

/* Parse the list of a direction in a new table. */
static int take_list(struct nlattr **attrs, const struct nlattr *nest, const struct fc_topo *topo,
		     struct table *table, struct netlink_ext_ack *extack)
{
	const struct nlattr *ports = attrs[FLITCAST_A_ROUTE_PORTS];
	int dir;

	if (!attrs[FLITCAST_A_ROUTE_DIRECTION] || !ports || !nla_len(ports)) {
		NL_SET_ERR_MSG_ATTR(extack, nest, KBUILD_MODNAME
				    ": a list has a direction and at least one port");
		return -EINVAL;
	}
	dir = fc_topo_dir_parse(topo, nla_data(attrs[FLITCAST_A_ROUTE_DIRECTION]));
	if (dir < 0) {
		NL_SET_ERR_MSG_ATTR(extack, nest,
				    KBUILD_MODNAME ": the topology has no such direction");
		return -EINVAL;
	}
	if (table->seen & fc_bit(dir)) {
		NL_SET_ERR_MSG_ATTR(extack, nest, KBUILD_MODNAME ": a direction is named twice");
		return -EINVAL;
	}
	table->seen |= fc_bit(dir);
	/* The policy bounds the length. */
	table->pref.count[dir] = nla_len(ports);
	memcpy(table->pref.port[dir], nla_data(ports), nla_len(ports));
	return 0;
}

/* Parse a list or an entry of a new table. */
static int take_nest(const struct nlattr *nest, const struct fc_topo *topo, struct table *table,
		     struct netlink_ext_ack *extack)
{
	struct nlattr *attrs[FLITCAST_A_ROUTE_WEIGHTS + 1];
	int err;

	err = nla_parse_nested(attrs, FLITCAST_A_ROUTE_WEIGHTS, nest, entry_policy, extack);
	if (err)
		return err;
	if (!attrs[FLITCAST_A_ROUTE_TARGETS])
		return take_list(attrs, nest, topo, table, extack);
	if (attrs[FLITCAST_A_ROUTE_DIRECTION]) {
		NL_SET_ERR_MSG_ATTR(extack, nest,
				    KBUILD_MODNAME ": a route has a direction, or targets");
		return -EINVAL;
	}
	if (table->count == FC_PREFER_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, nest, KBUILD_MODNAME ": too many entries");
		return -ENOSPC;
	}
	return take_entry(attrs, topo->ndirs, &table->entry[table->count++], extack);
}

int flitcast_netlink_route_replace(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *want = info->attrs[FLITCAST_A_ROUTE_GENERATION];
	struct flitcast_site *site;
	const struct nlattr *attr;
	struct table *table;
	u32 generation = 0;
	int err = -ENOMEM;
	struct fc_topo topo;
	int rest;

	if (want)
		generation = nla_get_u32(want);
	site = find_site(info, &topo);
	if (IS_ERR(site))
		return PTR_ERR(site);
	table = kvzalloc(sizeof(*table), GFP_KERNEL_ACCOUNT);
	if (!table)
		goto put;
	fc_pref_default(&table->pref, &topo);
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rest) {
		if (nla_type(attr) != FLITCAST_A_ROUTE_ENTRY)
			continue;
		err = take_nest(attr, &topo, table, info->extack);
		if (err)
			goto free;
	}
	err = flitcast_route_replace(site, &table->pref, table->entry, table->count,
				     want ? &generation : NULL, info->extack);
free:
	kvfree(table);
put:
	flitcast_site_put(site);
	return err;
}
