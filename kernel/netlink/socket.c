// SPDX-License-Identifier: GPL-2.0
/*
 * Object "socket": what is bound to the ports of a site, and what its senders wait
 * for.
 */
#include <net/sock.h>
#include "compat.h"
#include "netlink/netlink.h"
#include "site/port.h"

static struct netlink_range_validation port_range = {
	.max = U16_MAX,
};

const struct nla_policy flitcast_netlink_socket_policy[FLITCAST_A_SOCKET_PORT + 1] = {
	[FLITCAST_A_SOCKET_SITE] = { .type = NLA_U32 },
	[FLITCAST_A_SOCKET_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &port_range),
};

static const char *const counters[] = {
	"tx_messages", "tx_confirmed", "tx_failed", "rx_messages", "rx_no_room",
};

static const char *counter_name(unsigned int i)
{
	return counters[i];
}

static int put_counters(struct sk_buff *skb, const struct flitcast_socket_info *info)
{
	const u64 values[] = {
		info->tx_messages, info->tx_confirmed, info->tx_failed, info->rx_messages,
		info->rx_no_room,
	};
	struct nlattr *nest = nla_nest_start(skb, FLITCAST_A_SOCKET_STATS);

	static_assert(ARRAY_SIZE(values) == ARRAY_SIZE(counters));
	if (!nest || flitcast_netlink_put_counters(skb, counter_name, values, ARRAY_SIZE(values)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_wait(struct sk_buff *skb, struct flitcast_site *site,
		    const struct flitcast_socket_info *info)
{
	struct flitcast_link_info link;

	if (info->wait == FLITCAST_WAIT_NOTHING)
		return 0;
	if (nla_put_u32(skb, FLITCAST_A_SOCKET_WAIT, info->wait) ||
	    nla_put_u32(skb, FLITCAST_A_SOCKET_WAIT_SITE, info->wait_site) ||
	    nla_put_u32(skb, FLITCAST_A_SOCKET_WAIT_PORT, info->wait_port) ||
	    nla_put_u64_64bit(skb, FLITCAST_A_SOCKET_WAIT_TIME,
			      div_u64(info->wait_ns, NSEC_PER_USEC), FLITCAST_A_SOCKET_PAD) ||
	    nla_put_u32(skb, FLITCAST_A_SOCKET_WAIT_MESSAGE, info->wait_id))
		return -EMSGSIZE;
	/* It may have gone meanwhile. */
	if (!info->wait_link || flitcast_link_info(site, info->wait_link, &link))
		return 0;
	if (nla_put_u32(skb, FLITCAST_A_SOCKET_WAIT_LINK, info->wait_link) ||
	    nla_put_string(skb, FLITCAST_A_SOCKET_WAIT_IFNAME, link.ifname))
		return -EMSGSIZE;
	return 0;
}

static int socket_fill(struct sk_buff *skb, u32 portid, u32 seq, int flags,
		       struct flitcast_site *site, const struct flitcast_socket_info *info)
{
	void *hdr;

	hdr = genlmsg_put(skb, portid, seq, &flitcast_netlink_family, flags,
			  FLITCAST_CMD_SOCKET_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_u32(skb, FLITCAST_A_SOCKET_SITE, info->site) ||
	    nla_put_u32(skb, FLITCAST_A_SOCKET_PORT, info->port) ||
	    nla_put_u32(skb, FLITCAST_A_SOCKET_TYPE, info->type) ||
	    nla_put_u32(skb, FLITCAST_A_SOCKET_INODE, info->inode) ||
	    nla_put_u32(skb, FLITCAST_A_SOCKET_SENDERS, info->senders) ||
	    nla_put_u32(skb, FLITCAST_A_SOCKET_PENDING, info->pending) ||
	    nla_put_u32(skb, FLITCAST_A_SOCKET_TX_USED, info->tx_used) ||
	    nla_put_u32(skb, FLITCAST_A_SOCKET_TX_ROOM, info->tx_room) ||
	    nla_put_u32(skb, FLITCAST_A_SOCKET_RX_USED, info->rx_used) ||
	    nla_put_u32(skb, FLITCAST_A_SOCKET_RX_ROOM, info->rx_room))
		goto cancel;
	if (info->peer != FLITCAST_PEER_NONE &&
	    nla_put_u32(skb, FLITCAST_A_SOCKET_PEER, info->peer))
		goto cancel;
	if (info->peer > FLITCAST_PEER_LISTEN &&
	    (nla_put_u32(skb, FLITCAST_A_SOCKET_PEER_SITE, info->peer_site) ||
	     nla_put_u32(skb, FLITCAST_A_SOCKET_PEER_PORT, info->peer_port)))
		goto cancel;
	if (put_wait(skb, site, info) || put_counters(skb, info))
		goto cancel;
	genlmsg_end(skb, hdr);
	return 0;
cancel:
	genlmsg_cancel(skb, hdr);
	return -EMSGSIZE;
}

int flitcast_netlink_socket_get(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *port = info->attrs[FLITCAST_A_SOCKET_PORT];
	struct flitcast_socket_info found;
	struct flitcast_site *site;
	struct sk_buff *msg;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, FLITCAST_A_SOCKET_PORT)) {
		NL_SET_ERR_MSG_MOD(info->extack, "say which port");
		return -EINVAL;
	}
	site = flitcast_netlink_site(genl_info_net(info), info->attrs[FLITCAST_A_SOCKET_SITE],
				     info->extack);
	if (IS_ERR(site))
		return PTR_ERR(site);
	err = flitcast_socket_next(site, nla_get_u32(port), &found);
	if (err || found.port != nla_get_u32(port)) {
		NL_SET_ERR_MSG_ATTR(info->extack, port, KBUILD_MODNAME ": no socket on that port");
		err = -ENOENT;
		goto put;
	}
	err = -ENOMEM;
	msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		goto put;
	err = socket_fill(msg, info->snd_portid, info->snd_seq, 0, site, &found);
	if (err)
		nlmsg_free(msg);
	else
		err = genlmsg_reply(msg, info);
put:
	flitcast_site_put(site);
	return err;
}

/* cb->args: identity and port to go on with. */
int flitcast_netlink_socket_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr **attrs = genl_info_dump(cb)->attrs;
	const struct nlattr *want = attrs[FLITCAST_A_SOCKET_PORT];
	struct net *net = sock_net(cb->skb->sk);
	struct flitcast_socket_info info;
	struct flitcast_site *site;

	while ((site = flitcast_netlink_dump_site(net, attrs[FLITCAST_A_SOCKET_SITE],
						  cb->args[0]))) {
		u32 id = flitcast_site_id(site);
		u32 port;

		/* The site at which the last part ended may be gone. */
		port = id == cb->args[0] ? cb->args[1] : 0;
		if (want)
			port = max(port, nla_get_u32(want));
		for (; !flitcast_socket_next(site, port, &info); port = info.port + 1) {
			if (want && info.port != nla_get_u32(want))
				break;
			if (socket_fill(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
					NLM_F_MULTI, site, &info)) {
				cb->args[0] = id;
				cb->args[1] = info.port;
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
