// SPDX-License-Identifier: GPL-2.0
/*
 * Object "route": the preference table (CARE, Table G), a list of ports for
 * each direction of the topology.
 */
#include "compat.h"
#include "core/link/node.h"
#include "netlink/reply.h"
#include "ends/port.h"

/* Names of directions have at most 7 characters, see struct fc_topo_ops. */
#define DIRECTION	{ .type = NLA_NUL_STRING, .len = 7 }

const struct nla_policy flitcast_netlink_route_get_policy[FLITCAST_A_ROUTE_DIRECTION + 1] = {
	[FLITCAST_A_ROUTE_SITE] = { .type = NLA_U32 },
	[FLITCAST_A_ROUTE_DIRECTION] = DIRECTION,
};

const struct nla_policy flitcast_netlink_route_set_policy[FLITCAST_A_ROUTE_PORTS + 1] = {
	[FLITCAST_A_ROUTE_SITE] = { .type = NLA_U32 },
	[FLITCAST_A_ROUTE_DIRECTION] = DIRECTION,
	[FLITCAST_A_ROUTE_PORTS] = { .type = NLA_BINARY, .len = FC_DIRS_MAX },
};

static const struct nla_policy entry_policy[FLITCAST_A_ROUTE_PORTS + 1] = {
	[FLITCAST_A_ROUTE_DIRECTION] = DIRECTION,
	[FLITCAST_A_ROUTE_PORTS] = { .type = NLA_BINARY, .len = FC_DIRS_MAX },
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
};

static int route_fill(struct sk_buff *skb, const void *arg)
{
	const struct object *object = arg;
	char direction[8];
	u8 ports[FC_PORTS_MAX];
	u32 generation;
	u8 n;

	object->topo.ops->dir_name(&object->topo, object->dir, direction);
	n = flitcast_route_get(object->site, object->dir, ports, &generation);
	if (nla_put_u32(skb, FLITCAST_A_ROUTE_SITE, flitcast_site_id(object->site)) ||
	    nla_put_string(skb, FLITCAST_A_ROUTE_DIRECTION, direction) ||
	    nla_put(skb, FLITCAST_A_ROUTE_PORTS, n, ports) ||
	    nla_put_u32(skb, FLITCAST_A_ROUTE_GENERATION, generation))
		return -EMSGSIZE;
	return 0;
}

/* Site and direction that a request names; the site with a reference. */
static struct flitcast_site *find_route(struct genl_info *info, struct fc_topo *topo, u8 *dir)
{
	const struct nlattr *name = info->attrs[FLITCAST_A_ROUTE_DIRECTION];
	struct flitcast_site_info snapshot;
	struct flitcast_site *site;
	int found;

	if (GENL_REQ_ATTR_CHECK(info, FLITCAST_A_ROUTE_DIRECTION)) {
		NL_SET_ERR_MSG_MOD(info->extack, "no direction given");
		return ERR_PTR(-EINVAL);
	}
	site = flitcast_netlink_site(genl_info_net(info), info->attrs[FLITCAST_A_ROUTE_SITE],
				     info->extack);
	if (IS_ERR(site))
		return site;
	flitcast_site_info(site, &snapshot);
	*topo = snapshot.cfg.topo;
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

int flitcast_netlink_route_get(struct sk_buff *skb, struct genl_info *info)
{
	struct object object;
	int err;

	object.site = find_route(info, &object.topo, &object.dir);
	if (IS_ERR(object.site))
		return PTR_ERR(object.site);
	err = flitcast_netlink_reply(info, FLITCAST_CMD_ROUTE_GET, route_fill, &object);
	flitcast_site_put(object.site);
	return err;
}

/* Dump the preference table of a site; @from is a direction. */
static int site_routes(struct sk_buff *skb, struct netlink_callback *cb,
		       struct flitcast_site *site, u32 *from)
{
	struct object object = { .site = site };
	struct flitcast_site_info info;

	flitcast_site_info(site, &info);
	object.topo = info.cfg.topo;
	for (; *from < object.topo.ndirs; ++*from) {
		object.dir = *from;
		if (flitcast_netlink_part(skb, cb, FLITCAST_CMD_ROUTE_GET, route_fill, &object))
			return -EMSGSIZE;
	}
	return 0;
}

int flitcast_netlink_route_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr **attrs = genl_info_dump(cb)->attrs;

	if (attrs[FLITCAST_A_ROUTE_DIRECTION]) {
		NL_SET_ERR_MSG_MOD(cb->extack, "a dump of routes is chosen by site alone");
		return -EINVAL;
	}
	return flitcast_netlink_dump(skb, cb, attrs[FLITCAST_A_ROUTE_SITE], site_routes);
}

int flitcast_netlink_route_set(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *ports = info->attrs[FLITCAST_A_ROUTE_PORTS];
	struct flitcast_site *site;
	struct fc_topo topo;
	int err;
	u8 dir;

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

/* Restore the default list of a direction. */
int flitcast_netlink_route_del(struct sk_buff *skb, struct genl_info *info)
{
	struct flitcast_site *site;
	struct fc_topo topo;
	int err;
	u8 dir;

	site = find_route(info, &topo, &dir);
	if (IS_ERR(site))
		return PTR_ERR(site);
	err = flitcast_route_set(site, dir, NULL, 0, info->extack);
	flitcast_site_put(site);
	return err;
}

/* Parse one list of a new table into @pref.  @seen: mask of directions that have a list. */
static int take_entry(const struct nlattr *entry, const struct fc_topo *topo,
		      struct fc_pref *pref, u32 *seen, struct netlink_ext_ack *extack)
{
	struct nlattr *attrs[FLITCAST_A_ROUTE_PORTS + 1];
	const struct nlattr *ports;
	int err, dir;

	err = nla_parse_nested(attrs, FLITCAST_A_ROUTE_PORTS, entry, entry_policy, extack);
	if (err)
		return err;
	ports = attrs[FLITCAST_A_ROUTE_PORTS];
	if (!attrs[FLITCAST_A_ROUTE_DIRECTION] || !ports || !nla_len(ports)) {
		NL_SET_ERR_MSG_ATTR(extack, entry, KBUILD_MODNAME
				    ": an entry has a direction and at least one port");
		return -EINVAL;
	}
	dir = fc_topo_dir_parse(topo, nla_data(attrs[FLITCAST_A_ROUTE_DIRECTION]));
	if (dir < 0) {
		NL_SET_ERR_MSG_ATTR(extack, entry,
				    KBUILD_MODNAME ": the topology has no such direction");
		return -EINVAL;
	}
	if (*seen & fc_bit(dir)) {
		NL_SET_ERR_MSG_ATTR(extack, entry, KBUILD_MODNAME ": a direction is named twice");
		return -EINVAL;
	}
	*seen |= fc_bit(dir);
	/* The policy bounds the length. */
	pref->count[dir] = nla_len(ports);
	memcpy(pref->port[dir], nla_data(ports), nla_len(ports));
	return 0;
}

int flitcast_netlink_route_replace(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *want = info->attrs[FLITCAST_A_ROUTE_GENERATION];
	struct flitcast_site_info snapshot;
	struct flitcast_site *site;
	const struct nlattr *attr;
	struct fc_pref *pref;
	u32 generation = 0;
	int err = -ENOMEM;
	u32 seen = 0;
	int rest;

	if (want)
		generation = nla_get_u32(want);
	site = flitcast_netlink_site(genl_info_net(info), info->attrs[FLITCAST_A_ROUTE_SITE],
				     info->extack);
	if (IS_ERR(site))
		return PTR_ERR(site);
	flitcast_site_info(site, &snapshot);
	pref = kzalloc(sizeof(*pref), GFP_KERNEL_ACCOUNT);
	if (!pref)
		goto put;
	fc_pref_default(pref, &snapshot.cfg.topo);
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rest) {
		if (nla_type(attr) != FLITCAST_A_ROUTE_ENTRY)
			continue;
		err = take_entry(attr, &snapshot.cfg.topo, pref, &seen, info->extack);
		if (err)
			goto free;
	}
	err = flitcast_route_replace(site, pref, want ? &generation : NULL, info->extack);
free:
	kfree(pref);
put:
	flitcast_site_put(site);
	return err;
}
