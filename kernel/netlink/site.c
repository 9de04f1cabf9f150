// SPDX-License-Identifier: GPL-2.0
/*
 * Object "site".
 */
#include "compat.h"
#include "core/vnet/vnet.h"
#include "netlink/reply.h"
#include "fabric/shared_graph.h"
#include "fabric/mode.h"

static struct netlink_range_validation flit_range = {
	.min = FLITCAST_FLIT_MIN,
	.max = FLITCAST_FLIT_MAX,
};

static struct netlink_range_validation seek_range = {
	.min = FLITCAST_SEEK_MIN,
	.max = FLITCAST_SEEK_LONGEST,
};

static struct netlink_range_validation timeout_range = {
	.min = FLITCAST_TIMEOUT_MIN,
	.max = FLITCAST_TIMEOUT_LONGEST,
};

static struct netlink_range_validation retry_range = {
	.min = FLITCAST_RETRY_MIN,
	.max = FLITCAST_RETRY_LONGEST,
};

static struct netlink_range_validation probe_range = {
	.min = FLITCAST_POLL_MIN,
	.max = FLITCAST_POLL_LONGEST,
};

static struct netlink_range_validation grace_range = {
	.max = FLITCAST_GRACE_LONGEST,
};

const struct nla_policy flitcast_netlink_site_id_policy[FLITCAST_A_SITE_ID + 1] = {
	[FLITCAST_A_SITE_ID] = { .type = NLA_U32 },
};

#define GRAPH_BYTES_MAX	(FC_GRAPH_LINKS_MAX * sizeof(struct fc_graph_link))

/* Attributes of a request that creates or changes a site. */
#define SETTINGS									\
	[FLITCAST_A_SITE_ID] = { .type = NLA_U32 },					\
	[FLITCAST_A_SITE_TOPOLOGY] = {							\
		.type = NLA_NUL_STRING, .len = FLITCAST_NETLINK_SPEC_MAX,		\
	},										\
	[FLITCAST_A_SITE_MODE] = { .type = NLA_NUL_STRING, .len = 15 },			\
	[FLITCAST_A_SITE_FLIT] = NLA_POLICY_FULL_RANGE(NLA_U32, &flit_range),		\
	[FLITCAST_A_SITE_WINDOW] = NLA_POLICY_RANGE(NLA_U32, 1, FLITCAST_WINDOW_MAX),	\
	[FLITCAST_A_SITE_SEEK] = NLA_POLICY_FULL_RANGE(NLA_U32, &seek_range),		\
	[FLITCAST_A_SITE_SEEK_MAX] = NLA_POLICY_MAX(NLA_U32, FLITCAST_SEEKS_LIMIT),	\
	[FLITCAST_A_SITE_TIMEOUT] = NLA_POLICY_FULL_RANGE(NLA_U32, &timeout_range),	\
	[FLITCAST_A_SITE_RETRY] = NLA_POLICY_FULL_RANGE(NLA_U32, &retry_range),		\
	[FLITCAST_A_SITE_POLL] = NLA_POLICY_FULL_RANGE(NLA_U32, &probe_range),		\
	[FLITCAST_A_SITE_TRANSIT] = NLA_POLICY_MAX(NLA_U32, FLITCAST_TRANSIT_LIMIT),	\
	[FLITCAST_A_SITE_GRACE] = NLA_POLICY_FULL_RANGE(NLA_U32, &grace_range),		\
	[FLITCAST_A_SITE_GRAPH] = { .type = NLA_BINARY, .len = GRAPH_BYTES_MAX },	\
	[FLITCAST_A_SITE_KEY] = NLA_POLICY_EXACT_LEN(FLITCAST_KEY_SIZE),			\
	[FLITCAST_A_SITE_INTEGRITY] = { .type = NLA_NUL_STRING, .len = 3 }

const struct nla_policy flitcast_netlink_site_new_policy[FLITCAST_A_SITE_INTEGRITY + 1] = {
	SETTINGS,
};

const struct nla_policy flitcast_netlink_site_set_policy[FLITCAST_A_SITE_INTEGRITY + 1] = {
	SETTINGS,
	[FLITCAST_A_SITE_DRAIN] = NLA_POLICY_MAX(NLA_U32, 1),
};

/* By @integrity of struct flitcast_site_config. */
static const char *const integrity[] = { "off", "end" };

static int site_fill(struct sk_buff *skb, const void *object)
{
	const struct flitcast_site_info *info = object;
	char spec[FC_SPEC_MAX];

	fc_topo_print(&info->cfg.topo, spec);
	if (nla_put_u32(skb, FLITCAST_A_SITE_ID, info->cfg.id) ||
	    nla_put_string(skb, FLITCAST_A_SITE_TOPOLOGY, spec) ||
	    nla_put_string(skb, FLITCAST_A_SITE_MODE, fc_mode_ops(info->cfg.mode)->name) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_FLIT, info->cfg.flit) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_WINDOW, info->cfg.window) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_INCARNATION, info->incarnation) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_PORTS, info->cfg.topo.ndirs) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_LINKS, info->links) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_LINKS_UP, info->links_up) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_SOCKETS, info->sockets) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_SEEK, info->cfg.tuning.seek) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_SEEK_MAX, info->cfg.tuning.seek_max) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_TIMEOUT, info->cfg.tuning.timeout) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_RETRY, info->cfg.tuning.retry) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_POLL, info->cfg.tuning.poll) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_TRANSIT, info->cfg.tuning.transit) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_DRAIN, info->drain) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_PENDING, info->pending) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_GRACE, info->cfg.tuning.grace) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_KEYED, info->keyed) ||
	    nla_put_string(skb, FLITCAST_A_SITE_INTEGRITY, integrity[info->cfg.integrity]) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_MEMORY, info->memory) ||
	    nla_put_u32(skb, FLITCAST_A_SITE_SHARE, info->share))
		return -EMSGSIZE;
	return 0;
}

int flitcast_netlink_site_get(struct sk_buff *skb, struct genl_info *info)
{
	struct flitcast_site_info snapshot;
	struct flitcast_site *site;
	int err;

	site = flitcast_netlink_site(genl_info_net(info), info->attrs[FLITCAST_A_SITE_ID],
				     info->extack);
	if (IS_ERR(site))
		return PTR_ERR(site);
	flitcast_site_info(site, &snapshot);
	/*
	 * The snapshot refers to the graph of the site: keep the site until the reply is filled in.
	 */
	err = flitcast_netlink_reply(info, FLITCAST_CMD_SITE_GET, site_fill, &snapshot);
	flitcast_site_put(site);
	return err;
}

static int site_itself(struct sk_buff *skb, struct netlink_callback *cb,
		       struct flitcast_site *site, u32 *from)
{
	struct flitcast_site_info info;

	flitcast_site_info(site, &info);
	return flitcast_netlink_part(skb, cb, FLITCAST_CMD_SITE_GET, site_fill, &info);
}

int flitcast_netlink_site_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return flitcast_netlink_dump(skb, cb, genl_info_dump(cb)->attrs[FLITCAST_A_SITE_ID],
				     site_itself);
}

/* Apply the tuning attributes that the request has. */
static void get_tuning(struct flitcast_site_tuning *tuning, struct nlattr **attrs)
{
	if (attrs[FLITCAST_A_SITE_SEEK])
		tuning->seek = nla_get_u32(attrs[FLITCAST_A_SITE_SEEK]);
	if (attrs[FLITCAST_A_SITE_SEEK_MAX])
		tuning->seek_max = nla_get_u32(attrs[FLITCAST_A_SITE_SEEK_MAX]);
	if (attrs[FLITCAST_A_SITE_TIMEOUT])
		tuning->timeout = nla_get_u32(attrs[FLITCAST_A_SITE_TIMEOUT]);
	if (attrs[FLITCAST_A_SITE_RETRY])
		tuning->retry = nla_get_u32(attrs[FLITCAST_A_SITE_RETRY]);
	if (attrs[FLITCAST_A_SITE_POLL])
		tuning->poll = nla_get_u32(attrs[FLITCAST_A_SITE_POLL]);
	if (attrs[FLITCAST_A_SITE_TRANSIT])
		tuning->transit = nla_get_u32(attrs[FLITCAST_A_SITE_TRANSIT]);
	if (attrs[FLITCAST_A_SITE_GRACE])
		tuning->grace = nla_get_u32(attrs[FLITCAST_A_SITE_GRACE]);
}

/* @wrong must be a string constant: extack keeps the pointer. */
static int refuse(struct genl_info *info, u16 attr, const char *wrong)
{
	if (info->extack) {
		info->extack->_msg = wrong;
		NL_SET_BAD_ATTR(info->extack, info->attrs[attr]);
	}
	return -EINVAL;
}

/* Parse the topology of a request.  If it is a graph, @topo holds a reference to the graph. */
static int get_topology(struct genl_info *info, struct fc_topo *topo)
{
	const struct nlattr *name = info->attrs[FLITCAST_A_SITE_TOPOLOGY];
	const struct nlattr *links = info->attrs[FLITCAST_A_SITE_GRAPH];
	const struct fc_graph *graph;
	char spec[FC_SPEC_MAX];
	const char *wrong;

	if (!links) {
		wrong = fc_topo_parse(topo, nla_data(name));
		return wrong ? refuse(info, FLITCAST_A_SITE_TOPOLOGY, wrong) : 0;
	}
	if (nla_len(links) % sizeof(struct fc_graph_link))
		return refuse(info, FLITCAST_A_SITE_GRAPH, KBUILD_MODNAME
			      ": a link of a graph is two numbers of 32 bits");
	graph = flitcast_graph_get(nla_data(links),
				   nla_len(links) / sizeof(struct fc_graph_link), &wrong);
	if (graph == ERR_PTR(-EINVAL))
		return refuse(info, FLITCAST_A_SITE_GRAPH, wrong);
	if (IS_ERR(graph))
		return PTR_ERR(graph);
	fc_graph_topo(topo, graph);
	fc_topo_print(topo, spec);
	if (!nla_strcmp(name, spec))
		return 0;
	flitcast_graph_put(graph);
	return refuse(info, FLITCAST_A_SITE_TOPOLOGY, KBUILD_MODNAME
		      ": these are the links of another topology");
}

static u32 default_window(const struct flitcast_site_config *cfg)
{
	/* Flits too small for the mode are refused as such. */
	u32 window = flitcast_mode(cfg->mode)->window(flitcast_site_frame(cfg));

	return window ? window : FLITCAST_WINDOW_DEFAULT;
}

/*
 * Erase every key in the request.  The request stays in memory after it is freed, and the
 * acknowledgment of a refused one repeats it.
 */
static void wipe_key(const struct genl_info *info)
{
	struct nlattr *attr;
	int left;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, left)
		if (nla_type(attr) == FLITCAST_A_SITE_KEY)
			memzero_explicit(nla_data(attr), nla_len(attr));
}

static int add_site(struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	struct flitcast_site_config cfg = {
		.mode = FC_MODE_DEFAULT,
		.integrity = true,
		.flit = FLITCAST_FLIT_DEFAULT,
		.tuning = {
			.seek = FLITCAST_SEEK_DEFAULT,
			.seek_max = FLITCAST_SEEKS_DEFAULT,
			.timeout = FLITCAST_TIMEOUT_DEFAULT,
			.retry = FLITCAST_RETRY_DEFAULT,
			.poll = FLITCAST_POLL_DEFAULT,
			.transit = FLITCAST_TRANSIT_DEFAULT,
			.grace = FLITCAST_GRACE_DEFAULT,
		},
	};
	int err;

	if (GENL_REQ_ATTR_CHECK(info, FLITCAST_A_SITE_ID)) {
		NL_SET_ERR_MSG_MOD(info->extack, "a new site needs a number");
		return -EINVAL;
	}
	if (GENL_REQ_ATTR_CHECK(info, FLITCAST_A_SITE_TOPOLOGY)) {
		NL_SET_ERR_MSG_MOD(info->extack, "a new site needs a topology");
		return -EINVAL;
	}
	cfg.id = nla_get_u32(attrs[FLITCAST_A_SITE_ID]);
	if (attrs[FLITCAST_A_SITE_MODE]) {
		int mode = fc_mode_parse(nla_data(attrs[FLITCAST_A_SITE_MODE]));

		if (mode < 0)
			return refuse(info, FLITCAST_A_SITE_MODE, KBUILD_MODNAME
				      ": unknown mode: the modes are: " FC_MODES);
		cfg.mode = mode;
	}
	if (attrs[FLITCAST_A_SITE_INTEGRITY]) {
		int at = match_string(integrity, ARRAY_SIZE(integrity),
				      nla_data(attrs[FLITCAST_A_SITE_INTEGRITY]));

		if (at < 0)
			return refuse(info, FLITCAST_A_SITE_INTEGRITY, KBUILD_MODNAME
				      ": integrity is end or off");
		cfg.integrity = at;
	}
	if (attrs[FLITCAST_A_SITE_FLIT])
		cfg.flit = nla_get_u32(attrs[FLITCAST_A_SITE_FLIT]);
	if (attrs[FLITCAST_A_SITE_KEY])
		cfg.key = nla_data(attrs[FLITCAST_A_SITE_KEY]);
	if (attrs[FLITCAST_A_SITE_WINDOW])
		cfg.window = nla_get_u32(attrs[FLITCAST_A_SITE_WINDOW]);
	else
		cfg.window = default_window(&cfg);
	get_tuning(&cfg.tuning, attrs);
	err = get_topology(info, &cfg.topo);
	if (err)
		return err;
	err = flitcast_site_add(genl_info_net(info), &cfg, info->extack);
	if (cfg.topo.graph)
		flitcast_graph_put(cfg.topo.graph);
	return err;
}

int flitcast_netlink_site_new(struct sk_buff *skb, struct genl_info *info)
{
	int err = add_site(info);

	wipe_key(info);
	return err;
}

/* Attributes that cannot change: links agree on them when they come up, or they size memory. */
static const u8 fixed[] = {
	FLITCAST_A_SITE_TOPOLOGY, FLITCAST_A_SITE_MODE, FLITCAST_A_SITE_FLIT,
	FLITCAST_A_SITE_WINDOW, FLITCAST_A_SITE_GRAPH, FLITCAST_A_SITE_KEY,
	FLITCAST_A_SITE_INTEGRITY,
};

int flitcast_netlink_site_set(struct sk_buff *skb, struct genl_info *info)
{
	struct flitcast_site_info snapshot;
	struct flitcast_site *site;
	unsigned int i;

	/* A key is refused below, whatever it is. */
	wipe_key(info);
	site = flitcast_netlink_site(genl_info_net(info), info->attrs[FLITCAST_A_SITE_ID],
				     info->extack);
	if (IS_ERR(site))
		return PTR_ERR(site);
	for (i = 0; i < ARRAY_SIZE(fixed); i++) {
		if (!info->attrs[fixed[i]])
			continue;
		flitcast_site_put(site);
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[fixed[i]], KBUILD_MODNAME
				    ": this cannot be changed: delete the site and add it anew");
		return -EOPNOTSUPP;
	}
	flitcast_site_info(site, &snapshot);
	get_tuning(&snapshot.cfg.tuning, info->attrs);
	flitcast_site_tune(site, &snapshot.cfg.tuning);
	if (info->attrs[FLITCAST_A_SITE_DRAIN])
		flitcast_site_drain(site, nla_get_u32(info->attrs[FLITCAST_A_SITE_DRAIN]));
	flitcast_site_put(site);
	return 0;
}

int flitcast_netlink_site_del(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *id = info->attrs[FLITCAST_A_SITE_ID];

	if (GENL_REQ_ATTR_CHECK(info, FLITCAST_A_SITE_ID)) {
		NL_SET_ERR_MSG_MOD(info->extack, "no site given");
		return -EINVAL;
	}
	return flitcast_site_del(genl_info_net(info), nla_get_u32(id), info->extack);
}

static const u8 event_cmd[] = {
	[FLITCAST_SITE_ADDED] = FLITCAST_CMD_SITE_ADD_NTF,
	[FLITCAST_SITE_CHANGED] = FLITCAST_CMD_SITE_CHANGE_NTF,
	[FLITCAST_SITE_REMOVED] = FLITCAST_CMD_SITE_DEL_NTF,
};

void flitcast_netlink_site_event(struct net *net, const struct flitcast_site_info *info,
				 enum flitcast_site_event event)
{
	if (genl_has_listeners(&flitcast_netlink_family, net, FLITCAST_NETLINK_GROUP_SITE))
		flitcast_netlink_event(net, FLITCAST_NETLINK_GROUP_SITE, event_cmd[event],
				       site_fill, info);
}
