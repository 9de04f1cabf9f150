// SPDX-License-Identifier: GPL-2.0
#include <net/sock.h>
#include <uapi/linux/flitcast.h>
#include "netlink/reply.h"
#include "ends/port.h"

static int put(struct sk_buff *skb, u32 portid, u32 seq, int flags, u8 cmd,
	       flitcast_netlink_fill_t fill, const void *object)
{
	void *hdr = genlmsg_put(skb, portid, seq, &flitcast_netlink_family, flags, cmd);
	int err;

	if (!hdr)
		return -EMSGSIZE;
	err = fill(skb, object);
	if (err)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return err;
}

/*
 * Build a netlink message with one object.  Return: the message, owned by the caller, or ERR_PTR.
 */
static struct sk_buff *compose(u32 portid, u32 seq, u8 cmd, flitcast_netlink_fill_t fill,
			       const void *object)
{
	/* not charged: one at a time, and the receiving socket is charged for it */
	struct sk_buff *msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	int err;

	if (!msg)
		return ERR_PTR(-ENOMEM);
	err = put(msg, portid, seq, 0, cmd, fill, object);
	if (!err)
		return msg;
	nlmsg_free(msg);
	return ERR_PTR(err);
}

int flitcast_netlink_reply(struct genl_info *info, u8 cmd, flitcast_netlink_fill_t fill,
			   const void *object)
{
	struct sk_buff *msg = compose(info->snd_portid, info->snd_seq, cmd, fill, object);

	return IS_ERR(msg) ? PTR_ERR(msg) : genlmsg_reply(msg, info);
}

int flitcast_netlink_part(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
			  flitcast_netlink_fill_t fill, const void *object)
{
	struct nlmsghdr *message = (struct nlmsghdr *)skb_tail_pointer(skb);
	int err = put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, NLM_F_MULTI, cmd, fill,
		      object);

	if (!err)
		nl_dump_check_consistent(cb, message);
	return err;
}

void flitcast_netlink_event(struct net *net, unsigned int group, u8 cmd,
			    flitcast_netlink_fill_t fill, const void *object)
{
	struct sk_buff *msg = compose(0, 0, cmd, fill, object);

	if (!IS_ERR(msg))
		/* not charged: likewise */
		genlmsg_multicast_netns(&flitcast_netlink_family, net, msg, 0, group, GFP_KERNEL);
}

/* The next site of a dump, with a reference, or NULL. */
static struct flitcast_site *next_site(struct net *net, const struct nlattr *want, u32 from)
{
	u32 id;

	/* A completed dump asks once more, with the last identity plus 1. */
	if (from == FLITCAST_SITE_ANY)
		return NULL;
	if (!want)
		return flitcast_site_next(net, from);
	id = nla_get_u32(want);
	return id < from || id == FLITCAST_SITE_ANY ? NULL : flitcast_site_get(net, id);
}

int flitcast_netlink_dump(struct sk_buff *skb, struct netlink_callback *cb,
			  const struct nlattr *want, flitcast_netlink_objects_t objects)
{
	struct net *net = sock_net(cb->skb->sk);
	struct flitcast_site *site;

	while ((site = next_site(net, want, cb->args[0]))) {
		u32 id = flitcast_site_id(site);
		/* The site at which the last part ended may be gone: then the dump is marked. */
		u32 from = id == cb->args[0] ? cb->args[1] : 0;
		int err;

		if (id != cb->args[0] && cb->args[1])
			cb->seq = ~cb->prev_seq;
		err = objects(skb, cb, site, &from);
		flitcast_site_put(site);
		if (err) {
			cb->args[0] = id;
			cb->args[1] = from;
			/* An object that does not fit into an empty part fits into none: fail. */
			return skb->len ? skb->len : err;
		}
		cb->args[0] = (long)id + 1;
		cb->args[1] = 0;
	}
	if (cb->args[1])
		cb->seq = ~cb->prev_seq;
	return skb->len;
}
