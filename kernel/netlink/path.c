// SPDX-License-Identifier: GPL-2.0
/*
 * Object "path": the paths of broadcasts in several copies through a site whose network is a graph,
 * for each source and each number of copies.
 */
#include "compat.h"
#include "netlink/reply.h"
#include "ends/port.h"

static_assert(sizeof(struct fc_path_entry) == 4);

#define PATH_ID									\
	[FLITCAST_A_PATH_SITE] = { .type = NLA_U32 },					\
	[FLITCAST_A_PATH_SOURCE] = { .type = NLA_U32 },					\
	[FLITCAST_A_PATH_COPIES] =							\
		NLA_POLICY_RANGE(NLA_U32, FC_PATH_COPIES_MIN, FC_PATH_COPIES_MAX)

const struct nla_policy flitcast_netlink_path_get_policy[FLITCAST_A_PATH_SITE + 1] = {
	[FLITCAST_A_PATH_SITE] = { .type = NLA_U32 },
};

const struct nla_policy flitcast_netlink_path_del_policy[FLITCAST_A_PATH_COPIES + 1] = {
	PATH_ID,
};

const struct nla_policy flitcast_netlink_path_set_policy[FLITCAST_A_PATH_ENTRIES + 1] = {
	PATH_ID,
	[FLITCAST_A_PATH_ENTRIES] = {
		.type = NLA_BINARY, .len = FC_PATH_ENTRIES_MAX * sizeof(struct fc_path_entry),
	},
};

struct object {
	u32 site;
	u32 source;
	u32 copies;
	u32 n;
	struct fc_path_entry entry[FC_PATH_ENTRIES_MAX];
};

static int path_fill(struct sk_buff *skb, const void *arg)
{
	const struct object *object = arg;

	if (nla_put_u32(skb, FLITCAST_A_PATH_SITE, object->site) ||
	    nla_put_u32(skb, FLITCAST_A_PATH_SOURCE, object->source) ||
	    nla_put_u32(skb, FLITCAST_A_PATH_COPIES, object->copies) ||
	    nla_put(skb, FLITCAST_A_PATH_ENTRIES, object->n * sizeof(*object->entry),
		    object->entry))
		return -EMSGSIZE;
	return 0;
}

/* Dump the paths of a site; @from is source * kinds + copies. */
static int site_paths(struct sk_buff *skb, struct netlink_callback *cb,
		      struct flitcast_site *site, u32 *from)
{
	const u32 kinds = FC_PATH_COPIES_MAX + 1;
	struct object *object = kmalloc(sizeof(*object), GFP_KERNEL_ACCOUNT);
	int err = 0;

	if (!object)
		return -ENOMEM;
	object->site = flitcast_site_id(site);
	object->source = *from / kinds;
	/* Start at the least number of copies. */
	object->copies = max_t(u32, *from % kinds, FC_PATH_COPIES_MIN);
	while (!err) {
		object->n = flitcast_site_path_next(site, &object->source, &object->copies,
						    object->entry);
		if (!object->n)
			break;
		*from = object->source * kinds + object->copies;
		err = flitcast_netlink_part(skb, cb, FLITCAST_CMD_PATH_GET, path_fill, object);
		if (object->copies++ < FC_PATH_COPIES_MAX)
			continue;
		object->source++;
		object->copies = FC_PATH_COPIES_MIN;
	}
	kfree(object);
	return err;
}

int flitcast_netlink_path_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return flitcast_netlink_dump(skb, cb, genl_info_dump(cb)->attrs[FLITCAST_A_PATH_SITE],
				     site_paths);
}

/* The site that a request is for, which has to name a source and copies. */
static struct flitcast_site *find_site(struct genl_info *info, u32 *source, u32 *copies)
{
	if (GENL_REQ_ATTR_CHECK(info, FLITCAST_A_PATH_SOURCE) ||
	    GENL_REQ_ATTR_CHECK(info, FLITCAST_A_PATH_COPIES)) {
		NL_SET_ERR_MSG_MOD(info->extack, "paths have a source and a number of copies");
		return ERR_PTR(-EINVAL);
	}
	*source = nla_get_u32(info->attrs[FLITCAST_A_PATH_SOURCE]);
	*copies = nla_get_u32(info->attrs[FLITCAST_A_PATH_COPIES]);
	return flitcast_netlink_site(genl_info_net(info), info->attrs[FLITCAST_A_PATH_SITE],
				     info->extack);
}

int flitcast_netlink_path_set(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *paths = info->attrs[FLITCAST_A_PATH_ENTRIES];
	struct flitcast_site *site;
	u32 source, copies;
	int err;

	site = find_site(info, &source, &copies);
	if (IS_ERR(site))
		return PTR_ERR(site);
	if (!paths || nla_len(paths) % sizeof(struct fc_path_entry)) {
		NL_SET_ERR_MSG_MOD(info->extack,
				   "the path entries are missing, or not of four bytes each");
		err = -EINVAL;
	} else {
		err = flitcast_site_path_set(site, source, copies, nla_data(paths),
					     nla_len(paths) / sizeof(struct fc_path_entry),
					     info->extack);
	}
	flitcast_site_put(site);
	return err;
}

int flitcast_netlink_path_del(struct sk_buff *skb, struct genl_info *info)
{
	struct flitcast_site *site;
	u32 source, copies;
	int err;

	site = find_site(info, &source, &copies);
	if (IS_ERR(site))
		return PTR_ERR(site);
	err = flitcast_site_path_del(site, source, copies, info->extack);
	flitcast_site_put(site);
	return err;
}
