// SPDX-License-Identifier: GPL-2.0
/*
 * Object "fault": the dead links that a site knows of, as their ends reported them.
 */
#include "compat.h"
#include "netlink/reply.h"
#include "ends/port.h"

const struct nla_policy flitcast_netlink_fault_policy[FLITCAST_A_FAULT_SITE + 1] = {
	[FLITCAST_A_FAULT_SITE] = { .type = NLA_U32 },
};

struct object {
	u32 site;
	struct fc_fault fault;
};

static int fault_fill(struct sk_buff *skb, const void *arg)
{
	const struct object *object = arg;
	const struct fc_fault *fault = &object->fault;

	if (nla_put_u32(skb, FLITCAST_A_FAULT_SITE, object->site) ||
	    nla_put_u32(skb, FLITCAST_A_FAULT_ORIGIN, fault->site) ||
	    nla_put_u32(skb, FLITCAST_A_FAULT_INCARNATION, fault->incarnation) ||
	    nla_put_u32(skb, FLITCAST_A_FAULT_VERSION, fault->version) ||
	    nla_put_u32(skb, FLITCAST_A_FAULT_PORTS, fault->ports) ||
	    nla_put_u32(skb, FLITCAST_A_FAULT_SUSPECT, fault->suspect))
		return -EMSGSIZE;
	return 0;
}

/* Dump the faults that a site knows of; @from is the identity of the reporting site. */
static int site_faults(struct sk_buff *skb, struct netlink_callback *cb,
		       struct flitcast_site *site, u32 *from)
{
	struct object object = { .site = flitcast_site_id(site), .fault.site = *from };

	for (; flitcast_site_fault(site, &object.fault); object.fault.site++) {
		*from = object.fault.site;
		if (flitcast_netlink_part(skb, cb, FLITCAST_CMD_FAULT_GET, fault_fill, &object))
			return -EMSGSIZE;
	}
	return 0;
}

int flitcast_netlink_fault_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return flitcast_netlink_dump(skb, cb, genl_info_dump(cb)->attrs[FLITCAST_A_FAULT_SITE],
				     site_faults);
}
