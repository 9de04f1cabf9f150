// SPDX-License-Identifier: GPL-2.0
/*
 * Object "socket": the sockets bound to ports of a site, and what their senders wait for.
 */
#include "compat.h"
#include "netlink/reply.h"
#include "ends/socket.h"

static struct netlink_range_validation port_range = {
	.max = U16_MAX,
};

const struct nla_policy flitcast_netlink_socket_policy[FLITCAST_A_SOCKET_PORT + 1] = {
	[FLITCAST_A_SOCKET_SITE] = { .type = NLA_U32 },
	[FLITCAST_A_SOCKET_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &port_range),
};

static const char *const counters[] = {
	"tx_messages", "tx_confirmed", "tx_failed", "rx_messages", "rx_no_space",
	"reports_lost",
};

static const char *counter_name(unsigned int i)
{
	return counters[i];
}

static int put_counters(struct sk_buff *skb, const struct flitcast_socket_info *info)
{
	const u64 values[] = {
		info->tx_messages, info->tx_confirmed, info->tx_failed, info->rx_messages,
		info->rx_no_space, info->reports_lost,
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
	/* The link may have been removed meanwhile. */
	if (!info->wait_link || flitcast_link_info(site, info->wait_link, &link))
		return 0;
	if (nla_put_u32(skb, FLITCAST_A_SOCKET_WAIT_LINK, info->wait_link) ||
	    nla_put_string(skb, FLITCAST_A_SOCKET_WAIT_IFNAME, link.device.name))
		return -EMSGSIZE;
	return 0;
}

struct object {
	struct flitcast_site *site;
	struct flitcast_socket_info info;
};

static int socket_fill(struct sk_buff *skb, const void *arg)
{
	const struct object *object = arg;
	const struct flitcast_socket_info *info = &object->info;

	if (nla_put_u32(skb, FLITCAST_A_SOCKET_SITE, info->site) ||
	    nla_put_u32(skb, FLITCAST_A_SOCKET_PORT, info->port) ||
	    nla_put_u32(skb, FLITCAST_A_SOCKET_TYPE, info->type) ||
	    nla_put_u32(skb, FLITCAST_A_SOCKET_INODE, info->inode) ||
	    nla_put_u32(skb, FLITCAST_A_SOCKET_SENDERS, info->senders) ||
	    nla_put_u32(skb, FLITCAST_A_SOCKET_PENDING, info->pending) ||
	    nla_put_u32(skb, FLITCAST_A_SOCKET_TX_USED, info->tx_used) ||
	    nla_put_u32(skb, FLITCAST_A_SOCKET_TX_SIZE, info->tx_size) ||
	    nla_put_u32(skb, FLITCAST_A_SOCKET_RX_USED, info->rx_used) ||
	    nla_put_u32(skb, FLITCAST_A_SOCKET_RX_SIZE, info->rx_size))
		return -EMSGSIZE;
	if (info->peer != FLITCAST_PEER_NONE &&
	    nla_put_u32(skb, FLITCAST_A_SOCKET_PEER, info->peer))
		return -EMSGSIZE;
	if (info->peer > FLITCAST_PEER_LISTEN &&
	    (nla_put_u32(skb, FLITCAST_A_SOCKET_PEER_SITE, info->peer_site) ||
	     nla_put_u32(skb, FLITCAST_A_SOCKET_PEER_PORT, info->peer_port)))
		return -EMSGSIZE;
	if (put_wait(skb, object->site, info) || put_counters(skb, info))
		return -EMSGSIZE;
	return 0;
}

int flitcast_netlink_socket_get(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *port = info->attrs[FLITCAST_A_SOCKET_PORT];
	struct object object;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, FLITCAST_A_SOCKET_PORT)) {
		NL_SET_ERR_MSG_MOD(info->extack, "no port given");
		return -EINVAL;
	}
	object.site = flitcast_netlink_site(genl_info_net(info),
					    info->attrs[FLITCAST_A_SOCKET_SITE], info->extack);
	if (IS_ERR(object.site))
		return PTR_ERR(object.site);
	err = flitcast_socket_next(object.site, nla_get_u32(port), &object.info);
	if (err || object.info.port != nla_get_u32(port)) {
		NL_SET_ERR_MSG_ATTR(info->extack, port, KBUILD_MODNAME ": no socket on that port");
		err = -ENOENT;
	} else {
		err = flitcast_netlink_reply(info, FLITCAST_CMD_SOCKET_GET, socket_fill, &object);
	}
	flitcast_site_put(object.site);
	return err;
}

/* Dump the sockets of a site; @from is a port number. */
static int site_sockets(struct sk_buff *skb, struct netlink_callback *cb,
			struct flitcast_site *site, u32 *from)
{
	const struct nlattr *want = genl_info_dump(cb)->attrs[FLITCAST_A_SOCKET_PORT];
	struct object object = { .site = site };

	if (want)
		*from = max(*from, nla_get_u32(want));
	for (; !flitcast_socket_next(site, *from, &object.info); ++*from) {
		*from = object.info.port;
		if (want && *from != nla_get_u32(want))
			break;
		if (flitcast_netlink_part(skb, cb, FLITCAST_CMD_SOCKET_GET, socket_fill, &object))
			return -EMSGSIZE;
	}
	return 0;
}

int flitcast_netlink_socket_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return flitcast_netlink_dump(skb, cb, genl_info_dump(cb)->attrs[FLITCAST_A_SOCKET_SITE],
				     site_sockets);
}
