// SPDX-License-Identifier: GPL-2.0
/*
 * Object "stats": the counters of a site.  Object "link" has the counters of links.
 */
#include "compat.h"
#include "core/wire/names.h"
#include "netlink/reply.h"
#include "ends/port.h"

const struct nla_policy flitcast_netlink_stats_policy[FLITCAST_A_STATS_SITE + 1] = {
	[FLITCAST_A_STATS_SITE] = { .type = NLA_U32 },
};

static const char *counter_name(unsigned int i)
{
	return fc_stat_name(i);
}

struct object {
	struct flitcast_site *site;
};

static int stats_fill(struct sk_buff *skb, const void *arg)
{
	const struct object *object = arg;
	u64 values[FC_STAT_COUNT];

	flitcast_site_stats(object->site, values);
	if (nla_put_u32(skb, FLITCAST_A_STATS_SITE, flitcast_site_id(object->site)) ||
	    flitcast_netlink_put_counters(skb, counter_name, values, FC_STAT_COUNT))
		return -EMSGSIZE;
	return 0;
}

int flitcast_netlink_stats_get(struct sk_buff *skb, struct genl_info *info)
{
	struct object object;
	int err;

	object.site = flitcast_netlink_site(genl_info_net(info),
					    info->attrs[FLITCAST_A_STATS_SITE], info->extack);
	if (IS_ERR(object.site))
		return PTR_ERR(object.site);
	err = flitcast_netlink_reply(info, FLITCAST_CMD_STATS_GET, stats_fill, &object);
	flitcast_site_put(object.site);
	return err;
}

static int site_stats(struct sk_buff *skb, struct netlink_callback *cb,
		      struct flitcast_site *site, u32 *from)
{
	struct object object = { .site = site };

	return flitcast_netlink_part(skb, cb, FLITCAST_CMD_STATS_GET, stats_fill, &object);
}

int flitcast_netlink_stats_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return flitcast_netlink_dump(skb, cb, genl_info_dump(cb)->attrs[FLITCAST_A_STATS_SITE],
				     site_stats);
}

/* Reset the counters of one site, or of all sites of the namespace. */
int flitcast_netlink_stats_reset(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *want = info->attrs[FLITCAST_A_STATS_SITE];
	struct net *net = genl_info_net(info);
	struct flitcast_site *site;

	site = want ? NULL : flitcast_site_next(net, 0);
	if (!site)
		site = flitcast_netlink_site(net, want, info->extack);
	if (IS_ERR(site))
		return PTR_ERR(site);
	while (site) {
		u32 id = flitcast_site_id(site);

		flitcast_site_stats_reset(site);
		flitcast_site_put(site);
		site = want ? NULL : flitcast_site_next(net, id + 1);
	}
	return 0;
}
