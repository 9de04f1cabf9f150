// SPDX-License-Identifier: GPL-2.0
/*
 * Object "site".
 */
#include <net/sock.h>
#include "compat.h"
#include "netlink/netlink.h"

static struct netlink_range_validation flit_range = {
	.min = FLITCAST_FLIT_MIN,
	.max = FLITCAST_FLIT_MAX,
};

const struct nla_policy flitcast_netlink_site_id_policy[FLITCAST_A_SITE_ID + 1] = {
	[FLITCAST_A_SITE_ID] = { .type = NLA_U32 },
};

const struct nla_policy flitcast_netlink_site_new_policy[FLITCAST_A_SITE_WINDOW + 1] = {
	[FLITCAST_A_SITE_ID] = { .type = NLA_U32 },
	[FLITCAST_A_SITE_TOPOLOGY] = { .type = NLA_NUL_STRING, .len = FLITCAST_NETLINK_SPEC_MAX },
	[FLITCAST_A_SITE_MODE] = { .type = NLA_NUL_STRING, .len = 15 },
	[FLITCAST_A_SITE_FLIT] = NLA_POLICY_FULL_RANGE(NLA_U32, &flit_range),
	[FLITCAST_A_SITE_WINDOW] = NLA_POLICY_RANGE(NLA_U32, 1, FLITCAST_WINDOW_MAX),
};

static int site_fill(struct sk_buff *skb, u32 portid, u32 seq, int flags, u8 cmd,
		     const struct flitcast_site_info *info)
{
	char spec[FC_SPEC_MAX];
	void *hdr;

	hdr = genlmsg_put(skb, portid, seq, &flitcast_netlink_family, flags, cmd);
	if (!hdr)
		return -EMSGSIZE;
	fc_topo_print(&info->cfg.topo, spec);
	if (nla_put_u32(skb, FLITCAST_A_SITE_ID, info->cfg.id) ||
	    nla_put_string(skb, FLITCAST_A_SITE_TOPOLOGY, spec) ||
	    nla_put_string(skb, FLITCAST_A_SITE_MODE, "care") ||
	    nla_put_u32(skb, FLITCAST_A_SITE_FLIT, info->cfg.flit) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_WINDOW, info->cfg.window) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_INCARNATION, info->incarnation) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_PORTS, info->cfg.topo.ndirs) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_LINKS, info->links) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_LINKS_UP, info->links_up) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_SOCKETS, info->sockets)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

int flitcast_netlink_site_get(struct sk_buff *skb, struct genl_info *info)
{
	struct flitcast_site_info snapshot;
	struct flitcast_site *site;
	struct sk_buff *msg;
	int err;

	site = flitcast_netlink_site(genl_info_net(info), info->attrs[FLITCAST_A_SITE_ID],
				     info->extack);
	if (IS_ERR(site))
		return PTR_ERR(site);
	flitcast_site_info(site, &snapshot);
	flitcast_site_put(site);

	msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	err = site_fill(msg, info->snd_portid, info->snd_seq, 0, FLITCAST_CMD_SITE_GET, &snapshot);
	if (err) {
		nlmsg_free(msg);
		return err;
	}
	return genlmsg_reply(msg, info);
}

/* cb->args[0]: the smallest identity not yet told. */
int flitcast_netlink_site_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct nlattr *want = genl_info_dump(cb)->attrs[FLITCAST_A_SITE_ID];
	struct net *net = sock_net(cb->skb->sk);
	struct flitcast_site_info info;
	struct flitcast_site *site;

	while ((site = flitcast_netlink_dump_site(net, want, cb->args[0]))) {
		flitcast_site_info(site, &info);
		flitcast_site_put(site);
		if (site_fill(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, NLM_F_MULTI,
			      FLITCAST_CMD_SITE_GET, &info))
			break;
		cb->args[0] = info.cfg.id + 1;
	}
	return skb->len;
}

int flitcast_netlink_site_new(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	struct flitcast_site_config cfg = {
		.flit = FLITCAST_FLIT_DEFAULT,
		.window = FLITCAST_WINDOW_DEFAULT,
	};
	const char *wrong;

	if (GENL_REQ_ATTR_CHECK(info, FLITCAST_A_SITE_ID)) {
		NL_SET_ERR_MSG_MOD(info->extack, "a new site needs a number");
		return -EINVAL;
	}
	if (GENL_REQ_ATTR_CHECK(info, FLITCAST_A_SITE_TOPOLOGY)) {
		NL_SET_ERR_MSG_MOD(info->extack, "a new site needs a topology");
		return -EINVAL;
	}
	cfg.id = nla_get_u32(attrs[FLITCAST_A_SITE_ID]);
	wrong = fc_topo_parse(&cfg.topo, nla_data(attrs[FLITCAST_A_SITE_TOPOLOGY]));
	if (wrong) {
		/* A constant text: it outlives the request, as extack demands. */
		if (info->extack) {
			info->extack->_msg = wrong;
			NL_SET_BAD_ATTR(info->extack, attrs[FLITCAST_A_SITE_TOPOLOGY]);
		}
		return -EINVAL;
	}
	if (attrs[FLITCAST_A_SITE_MODE] && nla_strcmp(attrs[FLITCAST_A_SITE_MODE], "care")) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[FLITCAST_A_SITE_MODE],
				    KBUILD_MODNAME ": unknown mode: the modes are: care");
		return -EINVAL;
	}
	if (attrs[FLITCAST_A_SITE_FLIT])
		cfg.flit = nla_get_u32(attrs[FLITCAST_A_SITE_FLIT]);
	if (attrs[FLITCAST_A_SITE_WINDOW])
		cfg.window = nla_get_u32(attrs[FLITCAST_A_SITE_WINDOW]);
	return flitcast_site_add(genl_info_net(info), &cfg, info->extack);
}

/*
 * What a site is made of is agreed with its neighbours when links come up, and
 * sizes its memory.
 */
int flitcast_netlink_site_set(struct sk_buff *skb, struct genl_info *info)
{
	struct flitcast_site *site;

	site = flitcast_netlink_site(genl_info_net(info), info->attrs[FLITCAST_A_SITE_ID],
				     info->extack);
	if (IS_ERR(site))
		return PTR_ERR(site);
	flitcast_site_put(site);
	NL_SET_ERR_MSG_MOD(info->extack,
			   "a site cannot be changed: delete it and add it with other settings");
	return -EOPNOTSUPP;
}

int flitcast_netlink_site_del(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *id = info->attrs[FLITCAST_A_SITE_ID];

	if (GENL_REQ_ATTR_CHECK(info, FLITCAST_A_SITE_ID)) {
		NL_SET_ERR_MSG_MOD(info->extack, "say which site to delete");
		return -EINVAL;
	}
	return flitcast_site_del(genl_info_net(info), nla_get_u32(id), info->extack);
}

void flitcast_netlink_site_event(struct net *net, const struct flitcast_site_info *info,
				 bool added)
{
	struct sk_buff *msg;

	if (!genl_has_listeners(&flitcast_netlink_family, net, FLITCAST_NETLINK_GROUP_SITE))
		return;
	msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		return;
	if (site_fill(msg, 0, 0, 0,
		      added ? FLITCAST_CMD_SITE_ADD_NTF : FLITCAST_CMD_SITE_DEL_NTF, info)) {
		nlmsg_free(msg);
		return;
	}
	genlmsg_multicast_netns(&flitcast_netlink_family, net, msg, 0,
				FLITCAST_NETLINK_GROUP_SITE, GFP_KERNEL);
}
