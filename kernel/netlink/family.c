// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family without its operations, and functions that its objects share.
 */
#include <linux/module.h>
#include <uapi/linux/flitcast.h>
#include "netlink/netlink.h"

static const struct genl_multicast_group groups[] = {
	[FLITCAST_NETLINK_GROUP_SITE] = { .name = FLITCAST_MCGRP_SITE, },
	[FLITCAST_NETLINK_GROUP_LINK] = { .name = FLITCAST_MCGRP_LINK, },
};

/*
 * flitcast_netlink_init() sets the operations.  resv_start_op stays zero: reserved bits of the
 * header are checked from the first command on.
 */
struct genl_family flitcast_netlink_family __ro_after_init = {
	.name = FLITCAST_FAMILY_NAME,
	.version = FLITCAST_FAMILY_VERSION,
	.netnsok = true,
	.module = THIS_MODULE,
	.mcgrps = groups,
	.n_mcgrps = ARRAY_SIZE(groups),
};

struct flitcast_site *flitcast_netlink_site(struct net *net, const struct nlattr *attr,
					    struct netlink_ext_ack *extack)
{
	struct flitcast_site *site;

	if (attr) {
		u32 id = nla_get_u32(attr);

		/* FLITCAST_SITE_ANY is no identity: it would find the only site. */
		site = id == FLITCAST_SITE_ANY ? NULL : flitcast_site_get(net, id);
		if (site)
			return site;
		NL_SET_ERR_MSG_ATTR(extack, attr, KBUILD_MODNAME ": no such site here");
		return ERR_PTR(-ENOENT);
	}

	site = flitcast_site_get(net, FLITCAST_SITE_ANY);
	if (site)
		return site;
	site = flitcast_site_next(net, 0);
	if (!site) {
		NL_SET_ERR_MSG_MOD(extack, "no site here");
		return ERR_PTR(-ENOENT);
	}
	flitcast_site_put(site);
	NL_SET_ERR_MSG_MOD(extack, "several sites here: choose one");
	return ERR_PTR(-EINVAL);
}

int flitcast_netlink_put_counters(struct sk_buff *skb, const char *(*name)(unsigned int i),
				  const u64 *values, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		struct nlattr *nest;

		if (!name(i))
			continue;
		nest = nla_nest_start(skb, FLITCAST_A_STATS_COUNTER);
		if (!nest)
			return -EMSGSIZE;
		if (nla_put_string(skb, FLITCAST_A_STAT_NAME, name(i)) ||
		    nla_put_u64_64bit(skb, FLITCAST_A_STAT_VALUE, values[i],
				      FLITCAST_A_STAT_PAD)) {
			nla_nest_cancel(skb, nest);
			return -EMSGSIZE;
		}
		nla_nest_end(skb, nest);
	}
	return 0;
}
