// SPDX-License-Identifier: GPL-2.0
/*
 * Object "stats": the counters of a site.  Those of a link come with the link.
 */
#include <net/sock.h>
#include "compat.h"
#include "core/names.h"
#include "netlink/netlink.h"
#include "site/port.h"

const struct nla_policy flitcast_netlink_stats_policy[FLITCAST_A_STATS_SITE + 1] = {
	[FLITCAST_A_STATS_SITE] = { .type = NLA_U32 },
};

static const char *counter_name(unsigned int i)
{
	return fc_stat_name(i);
}

static int stats_fill(struct sk_buff *skb, u32 portid, u32 seq, int flags,
		      struct flitcast_site *site)
{
	u64 values[FC_STAT_COUNT];
	void *hdr;

	hdr = genlmsg_put(skb, portid, seq, &flitcast_netlink_family, flags,
			  FLITCAST_CMD_STATS_GET);
	if (!hdr)
		return -EMSGSIZE;
	flitcast_site_stats(site, values);
	if (nla_put_u32(skb, FLITCAST_A_STATS_SITE, flitcast_site_id(site)) ||
	    flitcast_netlink_put_counters(skb, counter_name, values, FC_STAT_COUNT)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

int flitcast_netlink_stats_get(struct sk_buff *skb, struct genl_info *info)
{
	struct flitcast_site *site;
	struct sk_buff *msg;
	int err = -ENOMEM;

	site = flitcast_netlink_site(genl_info_net(info), info->attrs[FLITCAST_A_STATS_SITE],
				     info->extack);
	if (IS_ERR(site))
		return PTR_ERR(site);
	msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		goto put;
	err = stats_fill(msg, info->snd_portid, info->snd_seq, 0, site);
	if (err)
		nlmsg_free(msg);
	else
		err = genlmsg_reply(msg, info);
put:
	flitcast_site_put(site);
	return err;
}

/* cb->args[0]: the smallest identity not yet told. */
int flitcast_netlink_stats_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct nlattr *want = genl_info_dump(cb)->attrs[FLITCAST_A_STATS_SITE];
	struct net *net = sock_net(cb->skb->sk);
	struct flitcast_site *site;

	while ((site = flitcast_netlink_dump_site(net, want, cb->args[0]))) {
		u32 id = flitcast_site_id(site);
		int err;

		err = stats_fill(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, NLM_F_MULTI,
				 site);
		flitcast_site_put(site);
		if (err)
			break;
		cb->args[0] = (long)id + 1;
	}
	return skb->len;
}

/* One site, or all of the namespace. */
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
