// SPDX-License-Identifier: GPL-2.0
/*
 * Object "link".
 */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/sock.h>
#include "compat.h"
#include "core/names.h"
#include "netlink/netlink.h"
#include "site/port.h"

/* A link is found by its port, or by its device. */
#define WHICH_LINK								\
	[FLITCAST_A_LINK_SITE] = { .type = NLA_U32 },				\
	[FLITCAST_A_LINK_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),			\
	[FLITCAST_A_LINK_IFNAME] = { .type = NLA_NUL_STRING, .len = IFNAMSIZ - 1 }, \
	[FLITCAST_A_LINK_PORT] = NLA_POLICY_RANGE(NLA_U32, 1, FC_DIRS_MAX)

const struct nla_policy flitcast_netlink_link_get_policy[FLITCAST_A_LINK_PORT + 1] = {
	WHICH_LINK,
};

const struct nla_policy flitcast_netlink_link_new_policy[FLITCAST_A_LINK_CRC + 1] = {
	WHICH_LINK,
	[FLITCAST_A_LINK_WINDOW] = NLA_POLICY_RANGE(NLA_U32, 1, FLITCAST_WINDOW_MAX),
	[FLITCAST_A_LINK_CRC] = NLA_POLICY_MAX(NLA_U32, 1),
};

static const char *counter_name(unsigned int i)
{
	return fc_link_stat_name(i);
}

/* @site: NULL where it is gone: what only it knows is left out. */
static int link_fill(struct sk_buff *skb, u32 portid, u32 seq, int flags, u8 cmd, u32 id,
		     struct flitcast_site *site, const struct flitcast_link_info *info)
{
	struct nlattr *nest;
	void *hdr;

	hdr = genlmsg_put(skb, portid, seq, &flitcast_netlink_family, flags, cmd);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_u32(skb, FLITCAST_A_LINK_SITE, id) ||
	    nla_put_u32(skb, FLITCAST_A_LINK_IFINDEX, info->ifindex) ||
	    nla_put_string(skb, FLITCAST_A_LINK_IFNAME, info->ifname) ||
	    nla_put_u32(skb, FLITCAST_A_LINK_PORT, info->port) ||
	    nla_put_u32(skb, FLITCAST_A_LINK_STATE, info->state) ||
	    nla_put_u32(skb, FLITCAST_A_LINK_WINDOW, info->window) ||
	    nla_put_u32(skb, FLITCAST_A_LINK_CRC, info->crc))
		goto cancel;
	if (info->reason && nla_put_string(skb, FLITCAST_A_LINK_REASON, info->reason))
		goto cancel;
	if (info->peer_site != FC_SITE_NONE &&
	    (nla_put_u32(skb, FLITCAST_A_LINK_PEER_SITE, info->peer_site) ||
	     nla_put_u32(skb, FLITCAST_A_LINK_PEER_PORT, info->peer_port)))
		goto cancel;
	if (site) {
		struct flitcast_site_info own;
		u64 values[FC_LSTAT_COUNT];
		char direction[8];

		flitcast_site_info(site, &own);
		own.cfg.topo.ops->dir_name(&own.cfg.topo, info->port - 1, direction);
		if (nla_put_string(skb, FLITCAST_A_LINK_DIRECTION, direction))
			goto cancel;
		if (!flitcast_link_stats(site, info->port, values)) {
			nest = nla_nest_start(skb, FLITCAST_A_LINK_STATS);
			if (!nest ||
			    flitcast_netlink_put_counters(skb, counter_name, values,
							  FC_LSTAT_COUNT))
				goto cancel;
			nla_nest_end(skb, nest);
		}
	}
	genlmsg_end(skb, hdr);
	return 0;
cancel:
	genlmsg_cancel(skb, hdr);
	return -EMSGSIZE;
}

/* The device that a request names.  Context: RTNL held. */
static struct net_device *find_dev(struct net *net, struct nlattr **attrs,
				   struct netlink_ext_ack *extack)
{
	const struct nlattr *index = attrs[FLITCAST_A_LINK_IFINDEX];
	const struct nlattr *name = attrs[FLITCAST_A_LINK_IFNAME];
	struct net_device *dev;

	if (!index && !name) {
		NL_SET_ERR_MSG_MOD(extack, "say which device");
		return ERR_PTR(-EINVAL);
	}
	/* More than INT_MAX is a negative index, which no device has. */
	dev = index ? __dev_get_by_index(net, nla_get_u32(index)) :
		      __dev_get_by_name(net, nla_data(name));
	if (!dev) {
		NL_SET_ERR_MSG_ATTR(extack, index ? index : name,
				    KBUILD_MODNAME ": no such device here");
		return ERR_PTR(-ENODEV);
	}
	if (name && strcmp(dev->name, nla_data(name))) {
		NL_SET_ERR_MSG_ATTR(extack, name,
				    KBUILD_MODNAME ": device has another name than given");
		return ERR_PTR(-EINVAL);
	}
	return dev;
}

static u32 find_port(struct flitcast_site *site, int ifindex)
{
	struct flitcast_link_info info;
	u32 port;

	for (port = 1; port <= FC_DIRS_MAX; port++)
		if (!flitcast_link_info(site, port, &info) && info.ifindex == ifindex)
			return port;
	return 0;
}

/*
 * The link that a request means: port of a site, or whichever site has the
 * device.  Context: RTNL held, so that both stay as they are.
 *
 * Return: its site with a reference, and its port in @port; or ERR_PTR.
 */
static struct flitcast_site *find_link(struct net *net, struct nlattr **attrs, u32 *port,
				       struct netlink_ext_ack *extack)
{
	struct flitcast_link_info info;
	struct net_device *dev = NULL;
	struct flitcast_site *site;
	u32 id;

	ASSERT_RTNL();
	if (attrs[FLITCAST_A_LINK_IFINDEX] || attrs[FLITCAST_A_LINK_IFNAME]) {
		dev = find_dev(net, attrs, extack);
		if (IS_ERR(dev))
			return ERR_CAST(dev);
	}

	if (attrs[FLITCAST_A_LINK_PORT] || attrs[FLITCAST_A_LINK_SITE]) {
		site = flitcast_netlink_site(net, attrs[FLITCAST_A_LINK_SITE], extack);
		if (IS_ERR(site))
			return site;
		if (attrs[FLITCAST_A_LINK_PORT]) {
			*port = nla_get_u32(attrs[FLITCAST_A_LINK_PORT]);
			if (flitcast_link_info(site, *port, &info)) {
				NL_SET_ERR_MSG_ATTR(extack, attrs[FLITCAST_A_LINK_PORT],
						    KBUILD_MODNAME ": port has no link");
				goto absent;
			}
			if (dev && info.ifindex != dev->ifindex) {
				NL_SET_ERR_MSG_MOD(extack, "port has another device than given");
				goto absent;
			}
			return site;
		}
		if (!dev) {
			NL_SET_ERR_MSG_MOD(extack, "say which link: a port or a device");
			flitcast_site_put(site);
			return ERR_PTR(-EINVAL);
		}
		*port = find_port(site, dev->ifindex);
		if (*port)
			return site;
		NL_SET_ERR_MSG_MOD(extack, "device is no link of that site");
absent:
		flitcast_site_put(site);
		return ERR_PTR(-ENOENT);
	}

	if (!dev) {
		NL_SET_ERR_MSG_MOD(extack, "say which link: a port or a device");
		return ERR_PTR(-EINVAL);
	}
	for (site = flitcast_site_next(net, 0); site; site = flitcast_site_next(net, id + 1)) {
		*port = find_port(site, dev->ifindex);
		if (*port)
			return site;
		id = flitcast_site_id(site);
		flitcast_site_put(site);
	}
	NL_SET_ERR_MSG_MOD(extack, "device is no link of a site here");
	return ERR_PTR(-ENOENT);
}

int flitcast_netlink_link_get(struct sk_buff *skb, struct genl_info *info)
{
	struct flitcast_link_info link;
	struct flitcast_site *site;
	struct sk_buff *msg;
	int err;
	u32 port;

	rtnl_lock();
	site = find_link(genl_info_net(info), info->attrs, &port, info->extack);
	if (IS_ERR(site)) {
		rtnl_unlock();
		return PTR_ERR(site);
	}
	err = flitcast_link_info(site, port, &link);
	rtnl_unlock();
	if (err)
		goto put;

	err = -ENOMEM;
	msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		goto put;
	err = link_fill(msg, info->snd_portid, info->snd_seq, 0, FLITCAST_CMD_LINK_GET,
			flitcast_site_id(site), site, &link);
	if (err)
		nlmsg_free(msg);
	else
		err = genlmsg_reply(msg, info);
put:
	flitcast_site_put(site);
	return err;
}

/* cb->args: identity and port to go on with. */
int flitcast_netlink_link_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr **attrs = genl_info_dump(cb)->attrs;
	struct net *net = sock_net(cb->skb->sk);
	struct flitcast_site *site;

	if (attrs[FLITCAST_A_LINK_IFINDEX] || attrs[FLITCAST_A_LINK_IFNAME] ||
	    attrs[FLITCAST_A_LINK_PORT]) {
		NL_SET_ERR_MSG_MOD(cb->extack, "a dump of links is chosen by site alone");
		return -EINVAL;
	}

	while ((site = flitcast_netlink_dump_site(net, attrs[FLITCAST_A_LINK_SITE],
						  cb->args[0]))) {
		u32 id = flitcast_site_id(site);
		struct flitcast_link_info info;
		u32 port;

		/* The site at which the last part ended may be gone. */
		port = id == cb->args[0] && cb->args[1] ? cb->args[1] : 1;
		for (; port <= FC_DIRS_MAX; port++) {
			if (flitcast_link_info(site, port, &info))
				continue;
			if (link_fill(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				      NLM_F_MULTI, FLITCAST_CMD_LINK_GET, id, site, &info)) {
				cb->args[0] = id;
				cb->args[1] = port;
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

int flitcast_netlink_link_new(struct sk_buff *skb, struct genl_info *info)
{
	struct net *net = genl_info_net(info);
	struct nlattr **attrs = info->attrs;
	struct flitcast_site *site;
	struct net_device *dev;
	u32 window = 0;
	bool crc;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, FLITCAST_A_LINK_PORT)) {
		NL_SET_ERR_MSG_MOD(info->extack, "a new link needs a port");
		return -EINVAL;
	}
	if (attrs[FLITCAST_A_LINK_WINDOW])
		window = nla_get_u32(attrs[FLITCAST_A_LINK_WINDOW]);
	crc = attrs[FLITCAST_A_LINK_CRC] && nla_get_u32(attrs[FLITCAST_A_LINK_CRC]);

	rtnl_lock();
	site = flitcast_netlink_site(net, attrs[FLITCAST_A_LINK_SITE], info->extack);
	if (IS_ERR(site)) {
		err = PTR_ERR(site);
		goto unlock;
	}
	dev = find_dev(net, attrs, info->extack);
	if (IS_ERR(dev))
		err = PTR_ERR(dev);
	else
		err = flitcast_link_add(site, dev, nla_get_u32(attrs[FLITCAST_A_LINK_PORT]),
					window, crc, info->extack);
	flitcast_site_put(site);
unlock:
	rtnl_unlock();
	return err;
}

int flitcast_netlink_link_set(struct sk_buff *skb, struct genl_info *info)
{
	struct flitcast_site *site;
	u32 port, window = 0;
	int err, crc = -1;

	if (info->attrs[FLITCAST_A_LINK_WINDOW])
		window = nla_get_u32(info->attrs[FLITCAST_A_LINK_WINDOW]);
	if (info->attrs[FLITCAST_A_LINK_CRC])
		crc = nla_get_u32(info->attrs[FLITCAST_A_LINK_CRC]);
	rtnl_lock();
	site = find_link(genl_info_net(info), info->attrs, &port, info->extack);
	if (IS_ERR(site)) {
		err = PTR_ERR(site);
	} else {
		err = flitcast_link_set(site, port, window, crc, info->extack);
		flitcast_site_put(site);
	}
	rtnl_unlock();
	return err;
}

int flitcast_netlink_link_del(struct sk_buff *skb, struct genl_info *info)
{
	struct flitcast_site *site;
	u32 port;
	int err;

	rtnl_lock();
	site = find_link(genl_info_net(info), info->attrs, &port, info->extack);
	if (IS_ERR(site)) {
		err = PTR_ERR(site);
	} else {
		err = flitcast_link_del(site, port, info->extack);
		flitcast_site_put(site);
	}
	rtnl_unlock();
	return err;
}

void flitcast_netlink_link_event(struct net *net, u32 id,
				 const struct flitcast_link_info *info, bool added)
{
	struct flitcast_site *site;
	struct sk_buff *msg;
	int err;

	if (!genl_has_listeners(&flitcast_netlink_family, net, FLITCAST_NETLINK_GROUP_LINK))
		return;
	msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		return;
	site = flitcast_site_get(net, id);
	err = link_fill(msg, 0, 0, 0,
			added ? FLITCAST_CMD_LINK_CHANGE_NTF : FLITCAST_CMD_LINK_DEL_NTF,
			id, site, info);
	if (site)
		flitcast_site_put(site);
	if (err) {
		nlmsg_free(msg);
		return;
	}
	genlmsg_multicast_netns(&flitcast_netlink_family, net, msg, 0,
				FLITCAST_NETLINK_GROUP_LINK, GFP_KERNEL);
}
