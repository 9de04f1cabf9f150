// SPDX-License-Identifier: GPL-2.0
/*
 * Object "fault": what a site believes of dead links, as their ends say it.
 */
#include <net/sock.h>
#include "compat.h"
#include "netlink/netlink.h"
#include "site/port.h"

const struct nla_policy flitcast_netlink_fault_policy[FLITCAST_A_FAULT_SITE + 1] = {
	[FLITCAST_A_FAULT_SITE] = { .type = NLA_U32 },
};

static int fault_fill(struct sk_buff *skb, struct netlink_callback *cb, u32 site,
		      const struct fc_fault *fault)
{
	void *hdr;

	hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			  &flitcast_netlink_family, NLM_F_MULTI, FLITCAST_CMD_FAULT_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_u32(skb, FLITCAST_A_FAULT_SITE, site) ||
	    nla_put_u32(skb, FLITCAST_A_FAULT_ORIGIN, fault->site) ||
	    nla_put_u32(skb, FLITCAST_A_FAULT_INCARNATION, fault->incarnation) ||
	    nla_put_u32(skb, FLITCAST_A_FAULT_VERSION, fault->version) ||
	    nla_put_u32(skb, FLITCAST_A_FAULT_PORTS, fault->ports)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/* cb->args: identity, and who says it, to go on with. */
int flitcast_netlink_fault_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct nlattr *want = genl_info_dump(cb)->attrs[FLITCAST_A_FAULT_SITE];
	struct net *net = sock_net(cb->skb->sk);
	struct flitcast_site *site;

	while ((site = flitcast_netlink_dump_site(net, want, cb->args[0]))) {
		u32 id = flitcast_site_id(site);
		struct fc_fault fault = { 0 };

		/* The site at which the last part ended may be gone. */
		if (id == cb->args[0])
			fault.site = cb->args[1];
		for (; flitcast_site_fault(site, &fault); fault.site++) {
			if (fault_fill(skb, cb, id, &fault)) {
				cb->args[0] = id;
				cb->args[1] = fault.site;
				flitcast_site_put(site);
				return skb->len;
			}
		}
		flitcast_site_put(site);
		cb->args[0] = (long)id + 1;
		cb->args[1] = 0;
	}
	return skb->len;
}
