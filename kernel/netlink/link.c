// SPDX-License-Identifier: GPL-2.0
/*
 * Object "link".
 */
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include "compat.h"
#include "core/link/hello.h"
#include "core/wire/names.h"
#include "link/link.h"
#include "netlink/reply.h"
#include "ends/port.h"

/* Name of the backend of RDMA links. */
#define RDMA	"rdma"

/* A link is found by its port, or by its device. */
#define WHICH_LINK								\
	[FLITCAST_A_LINK_SITE] = { .type = NLA_U32 },				\
	[FLITCAST_A_LINK_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),			\
	[FLITCAST_A_LINK_IFNAME] = { .type = NLA_NUL_STRING, .len = IFNAMSIZ - 1 }, \
	[FLITCAST_A_LINK_ADDRESS] = NLA_POLICY_EXACT_LEN(ETH_ALEN),			\
	[FLITCAST_A_LINK_PORT] = NLA_POLICY_RANGE(NLA_U32, 1, FC_DIRS_MAX)

/* Settings of a link (struct flitcast_link_settings). */
#define SETTINGS								\
	[FLITCAST_A_LINK_WINDOW] = NLA_POLICY_RANGE(NLA_U32, 1, FLITCAST_WINDOW_MAX), \
	[FLITCAST_A_LINK_CRC] = NLA_POLICY_MAX(NLA_U32, 1),			\
	[FLITCAST_A_LINK_HELLO] = NLA_POLICY_RANGE(NLA_U32, FC_HELLO_MS_MIN, FC_HELLO_MS_MAX), \
	[FLITCAST_A_LINK_DEAD] = NLA_POLICY_RANGE(NLA_U32, FC_HELLO_DEAD_MIN, FC_HELLO_DEAD_MAX)

const struct nla_policy flitcast_netlink_link_get_policy[FLITCAST_A_LINK_ADDRESS + 1] = {
	WHICH_LINK,
};

const struct nla_policy flitcast_netlink_link_new_policy[FLITCAST_A_LINK_DEAD + 1] = {
	WHICH_LINK,
	SETTINGS,
	[FLITCAST_A_LINK_RDMA] = { .type = NLA_NUL_STRING, .len = FLITCAST_DEVICE_NAME - 1 },
	[FLITCAST_A_LINK_PEER_GID] = NLA_POLICY_EXACT_LEN(FLITCAST_GID_SIZE),
	[FLITCAST_A_LINK_WAIT] = NLA_POLICY_MAX(NLA_U32, 1),
};

const struct nla_policy flitcast_netlink_link_set_policy[FLITCAST_A_LINK_DEAD + 1] = {
	WHICH_LINK,
	SETTINGS,
};

static const char *counter_name(unsigned int i)
{
	return fc_link_stat_name(i);
}

/* @site: NULL if the site is gone; link_fill() then omits direction and counters. */
struct object {
	struct flitcast_site *site;
	u32 id;
	struct flitcast_link_info info;
};

/* The attributes that need the site: direction and counters. */
static int put_own(struct sk_buff *skb, struct flitcast_site *site, u32 port)
{
	struct flitcast_site_info own;
	u64 values[FC_LSTAT_COUNT];
	char direction[8];
	struct nlattr *nest;

	flitcast_site_info(site, &own);
	own.cfg.topo.ops->dir_name(&own.cfg.topo, port - 1, direction);
	if (nla_put_string(skb, FLITCAST_A_LINK_DIRECTION, direction))
		return -EMSGSIZE;
	if (flitcast_link_stats(site, port, values))
		return 0;
	nest = nla_nest_start(skb, FLITCAST_A_LINK_STATS);
	if (!nest || flitcast_netlink_put_counters(skb, counter_name, values, FC_LSTAT_COUNT))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* A network device, which may be absent. */
static int put_netdev(struct sk_buff *skb, const struct flitcast_link_device *device)
{
	if ((device->ifindex && nla_put_u32(skb, FLITCAST_A_LINK_IFINDEX, device->ifindex)) ||
	    (*device->name && nla_put_string(skb, FLITCAST_A_LINK_IFNAME, device->name)) ||
	    (!is_zero_ether_addr(device->address) &&
	     nla_put(skb, FLITCAST_A_LINK_ADDRESS, ETH_ALEN, device->address)))
		return -EMSGSIZE;
	return 0;
}

/* A network device, or the port of an RDMA device and the state of its connection. */
static int put_link_device(struct sk_buff *skb, const struct flitcast_link_device *device)
{
	if (device->ifindex || device->absent)
		return put_netdev(skb, device);
	if (nla_put_string(skb, FLITCAST_A_LINK_RDMA, device->name) ||
	    nla_put(skb, FLITCAST_A_LINK_PEER_GID, FLITCAST_GID_SIZE, device->peer) ||
	    nla_put_string(skb, FLITCAST_A_LINK_CONNECTION, device->connection))
		return -EMSGSIZE;
	if (memchr_inv(device->gid, 0, FLITCAST_GID_SIZE) &&
	    nla_put(skb, FLITCAST_A_LINK_GID, FLITCAST_GID_SIZE, device->gid))
		return -EMSGSIZE;
	return device->qp ? nla_put_u32(skb, FLITCAST_A_LINK_QP, device->qp) : 0;
}

static int put_ms(struct sk_buff *skb, int attr, u64 ns)
{
	return nla_put_u32(skb, attr, min_t(u64, div_u64(ns, NSEC_PER_MSEC), U32_MAX));
}

/* Put the packets that the peer delays, as far as the site knows them. */
static int put_delay(struct sk_buff *skb, const struct fc_delay *d)
{
	if (put_ms(skb, FLITCAST_A_LINK_IN_STORES, d->in_stores) ||
	    put_ms(skb, FLITCAST_A_LINK_IN_AGE, d->in_age) ||
	    put_ms(skb, FLITCAST_A_LINK_OUT_AGE, d->out_age))
		return -EMSGSIZE;
	if (d->in_source != FC_SITE_NONE &&
	    (nla_put_u32(skb, FLITCAST_A_LINK_IN_SOURCE, d->in_source) ||
	     nla_put_u32(skb, FLITCAST_A_LINK_IN_FLITS, d->in_flits) ||
	     nla_put_u32(skb, FLITCAST_A_LINK_IN_TOTAL, d->in_total)))
		return -EMSGSIZE;
	if ((d->out_source != FC_SITE_NONE &&
	     nla_put_u32(skb, FLITCAST_A_LINK_OUT_SOURCE, d->out_source)) ||
	    (d->out_target != FC_SITE_NONE &&
	     nla_put_u32(skb, FLITCAST_A_LINK_OUT_TARGET, d->out_target)) ||
	    (d->out_flits && nla_put_u32(skb, FLITCAST_A_LINK_OUT_FLITS, d->out_flits)))
		return -EMSGSIZE;
	return 0;
}

static int link_fill(struct sk_buff *skb, const void *arg)
{
	const struct object *object = arg;
	const struct flitcast_link_info *info = &object->info;

	if (nla_put_u32(skb, FLITCAST_A_LINK_SITE, object->id) ||
	    put_link_device(skb, &info->device) ||
	    nla_put_u32(skb, FLITCAST_A_LINK_PORT, info->port) ||
	    nla_put_u32(skb, FLITCAST_A_LINK_STATE, info->state) ||
	    nla_put_u32(skb, FLITCAST_A_LINK_EXPECTED_SITE, info->expected_site) ||
	    nla_put_u32(skb, FLITCAST_A_LINK_EXPECTED_PORT, info->expected_port) ||
	    nla_put_u32(skb, FLITCAST_A_LINK_WINDOW, info->window) ||
	    nla_put_u32(skb, FLITCAST_A_LINK_CRC, info->crc) ||
	    nla_put_u32(skb, FLITCAST_A_LINK_HELLO, info->hello) ||
	    nla_put_u32(skb, FLITCAST_A_LINK_DEAD, info->dead) ||
	    nla_put_u32(skb, FLITCAST_A_LINK_SUSPECT, info->suspect) ||
	    put_delay(skb, &info->delay))
		return -EMSGSIZE;
	if (*info->reason && nla_put_string(skb, FLITCAST_A_LINK_REASON, info->reason))
		return -EMSGSIZE;
	if (info->peer_site != FC_SITE_NONE &&
	    (nla_put_u32(skb, FLITCAST_A_LINK_PEER_SITE, info->peer_site) ||
	     nla_put_u32(skb, FLITCAST_A_LINK_PEER_PORT, info->peer_port)))
		return -EMSGSIZE;
	if (info->damaged_source != FC_SITE_NONE &&
	    nla_put_u32(skb, FLITCAST_A_LINK_DAMAGED_SOURCE, info->damaged_source))
		return -EMSGSIZE;
	return object->site ? put_own(skb, object->site, info->port) : 0;
}

/* Does a request name a network device? */
static bool names_device(struct nlattr **attrs)
{
	return attrs[FLITCAST_A_LINK_IFINDEX] || attrs[FLITCAST_A_LINK_IFNAME] ||
	       attrs[FLITCAST_A_LINK_ADDRESS];
}

static struct net_device *dev_by_address(struct net *net, const u8 *address)
{
	struct net_device *dev;

	for_each_netdev(net, dev)
		if (flitcast_netdev_has_address(dev, address))
			return dev;
	return NULL;
}

/*
 * Find the network device that a request names by index, name or address.  Context: RTNL held.
 *
 * Return: the device; NULL: there is none; ERR_PTR: the request contradicts itself.
 */
static struct net_device *find_dev(struct net *net, struct nlattr **attrs,
				   struct netlink_ext_ack *extack)
{
	const struct nlattr *index = attrs[FLITCAST_A_LINK_IFINDEX];
	const struct nlattr *name = attrs[FLITCAST_A_LINK_IFNAME];
	const struct nlattr *address = attrs[FLITCAST_A_LINK_ADDRESS];
	struct net_device *dev;

	/* More than INT_MAX is a negative index, which no device has. */
	if (index)
		dev = __dev_get_by_index(net, nla_get_u32(index));
	else if (address)
		dev = dev_by_address(net, nla_data(address));
	else
		dev = __dev_get_by_name(net, nla_data(name));
	if (dev && name && strcmp(dev->name, nla_data(name))) {
		NL_SET_ERR_MSG_ATTR(extack, name,
				    KBUILD_MODNAME ": device has another name than given");
		return ERR_PTR(-EINVAL);
	}
	if (dev && address && !flitcast_netdev_has_address(dev, nla_data(address))) {
		NL_SET_ERR_MSG_ATTR(extack, address,
				    KBUILD_MODNAME ": device has another address than given");
		return ERR_PTR(-EINVAL);
	}
	return dev;
}

static int no_device(struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	const struct nlattr *index = attrs[FLITCAST_A_LINK_IFINDEX];
	const struct nlattr *address = attrs[FLITCAST_A_LINK_ADDRESS];

	NL_SET_ERR_MSG_ATTR(extack, index ? index : address ? address :
				    attrs[FLITCAST_A_LINK_IFNAME],
			    KBUILD_MODNAME ": no such device here");
	return -ENODEV;
}

/*
 * Is the device of a link the one that a request names?  @dev: that, or NULL: it is absent.  A
 * device that exists is not that of a link which waits for another address, even if it has the last
 * name of that link's device.
 */
static bool has_device(const struct flitcast_link_device *device, const struct net_device *dev,
		       struct nlattr **attrs)
{
	const struct nlattr *name = attrs[FLITCAST_A_LINK_IFNAME];
	const struct nlattr *address = attrs[FLITCAST_A_LINK_ADDRESS];

	if (!device->absent)
		return dev && device->ifindex == dev->ifindex;
	if (dev)
		return is_zero_ether_addr(device->address) ?
			!strcmp(device->name, dev->name) :
			flitcast_netdev_has_address(dev, device->address);
	if (address && !ether_addr_equal(device->address, nla_data(address)))
		return false;
	if (name)
		return !strcmp(device->name, nla_data(name));
	return address;
}

static u32 find_port(struct flitcast_site *site, const struct net_device *dev,
		     struct nlattr **attrs)
{
	struct flitcast_link_info info;
	u32 port;

	for (port = 1; port <= FC_DIRS_MAX; port++)
		if (!flitcast_link_info(site, port, &info) && has_device(&info.device, dev, attrs))
			return port;
	return 0;
}

/*
 * Find the link of any site of the namespace that has the device that a request names.  Context:
 * RTNL held.
 *
 * Return: its site with a reference, and its port in @port; NULL: there is none.
 */
static struct flitcast_site *find_site(struct net *net, const struct net_device *dev,
				       struct nlattr **attrs, u32 *port)
{
	struct flitcast_site *site;
	u32 id;

	for (site = flitcast_site_next(net, 0); site; site = flitcast_site_next(net, id + 1)) {
		*port = find_port(site, dev, attrs);
		if (*port)
			return site;
		id = flitcast_site_id(site);
		flitcast_site_put(site);
	}
	return NULL;
}

/*
 * Find the link that a request names, by the port of a site or by the device.  Context: RTNL held,
 * so that neither site nor link can go away.
 *
 * Return: its site with a reference, and its port in @port; or ERR_PTR.
 */
static struct flitcast_site *find_link(struct net *net, struct nlattr **attrs, u32 *port,
				       struct netlink_ext_ack *extack)
{
	bool named = names_device(attrs);
	struct flitcast_link_info info;
	struct net_device *dev = NULL;
	struct flitcast_site *site;

	ASSERT_RTNL();
	if (named) {
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
			if (named && !has_device(&info.device, dev, attrs)) {
				NL_SET_ERR_MSG_MOD(extack, "port has another device than given");
				goto absent;
			}
			return site;
		}
		if (!named) {
			NL_SET_ERR_MSG_MOD(extack, "no link given: a port or a device");
			flitcast_site_put(site);
			return ERR_PTR(-EINVAL);
		}
		*port = find_port(site, dev, attrs);
		if (*port)
			return site;
		NL_SET_ERR_MSG_MOD(extack, "device is no link of that site");
absent:
		flitcast_site_put(site);
		return ERR_PTR(-ENOENT);
	}

	if (!named) {
		NL_SET_ERR_MSG_MOD(extack, "no link given: a port or a device");
		return ERR_PTR(-EINVAL);
	}
	site = find_site(net, dev, attrs, port);
	if (site)
		return site;
	if (!dev)
		return ERR_PTR(no_device(attrs, extack));
	NL_SET_ERR_MSG_MOD(extack, "device is no link of a site here");
	return ERR_PTR(-ENOENT);
}

int flitcast_netlink_link_get(struct sk_buff *skb, struct genl_info *info)
{
	struct object object;
	int err;
	u32 port;

	rtnl_lock();
	object.site = find_link(genl_info_net(info), info->attrs, &port, info->extack);
	if (IS_ERR(object.site)) {
		rtnl_unlock();
		return PTR_ERR(object.site);
	}
	object.id = flitcast_site_id(object.site);
	err = flitcast_link_info(object.site, port, &object.info);
	rtnl_unlock();
	if (!err)
		err = flitcast_netlink_reply(info, FLITCAST_CMD_LINK_GET, link_fill, &object);
	flitcast_site_put(object.site);
	return err;
}

/* Dump the links of a site; @from is a port number, from 1. */
static int site_links(struct sk_buff *skb, struct netlink_callback *cb,
		      struct flitcast_site *site, u32 *from)
{
	struct object object = { .site = site, .id = flitcast_site_id(site) };

	for (*from = max(*from, 1U); *from <= FC_DIRS_MAX; ++*from) {
		if (flitcast_link_info(site, *from, &object.info))
			continue;
		if (flitcast_netlink_part(skb, cb, FLITCAST_CMD_LINK_GET, link_fill, &object))
			return -EMSGSIZE;
	}
	return 0;
}

int flitcast_netlink_link_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr **attrs = genl_info_dump(cb)->attrs;

	if (names_device(attrs) || attrs[FLITCAST_A_LINK_PORT]) {
		NL_SET_ERR_MSG_MOD(cb->extack, "a dump of links is chosen by site alone");
		return -EINVAL;
	}
	return flitcast_netlink_dump(skb, cb, attrs[FLITCAST_A_LINK_SITE], site_links);
}

/*
 * Fill in @spec for the RDMA port that a request names; the backend looks the port up.  Context:
 * RTNL held.
 */
static int find_rdma(struct flitcast_link_spec *spec, struct nlattr **attrs,
		     struct netlink_ext_ack *extack)
{
	if (names_device(attrs)) {
		NL_SET_ERR_MSG_MOD(extack, "a link has a network device or an RDMA port, not both");
		return -EINVAL;
	}
	if (spec->wait) {
		NL_SET_ERR_MSG_MOD(extack, "an RDMA link does not wait for its device");
		return -EINVAL;
	}
	if (!attrs[FLITCAST_A_LINK_PEER_GID]) {
		NL_SET_ERR_MSG_MOD(extack, "a link of an RDMA port needs the GID of its peer");
		return -EINVAL;
	}
	spec->kind = flitcast_link_kind_find(RDMA);
	if (!spec->kind) {
		NL_SET_ERR_MSG_MOD(extack, "flitcast_rdma is not loaded, nor can it be");
		return -EOPNOTSUPP;
	}
	spec->name = nla_data(attrs[FLITCAST_A_LINK_RDMA]);
	nla_memcpy(spec->peer, attrs[FLITCAST_A_LINK_PEER_GID], sizeof(spec->peer));
	return 0;
}

/* The device of a new link.  Context: RTNL held. */
static int find_device(struct flitcast_link_spec *spec, struct nlattr **attrs,
		       struct netlink_ext_ack *extack)
{
	if (attrs[FLITCAST_A_LINK_RDMA])
		return find_rdma(spec, attrs, extack);
	if (attrs[FLITCAST_A_LINK_PEER_GID]) {
		NL_SET_ERR_MSG_MOD(extack, "only a link of an RDMA port has the GID of a peer");
		return -EINVAL;
	}
	if (!names_device(attrs)) {
		NL_SET_ERR_MSG_MOD(extack, "no device given");
		return -EINVAL;
	}
	spec->kind = &flitcast_netdev_kind;
	spec->dev = find_dev(spec->net, attrs, extack);
	if (IS_ERR(spec->dev))
		return PTR_ERR(spec->dev);
	if (attrs[FLITCAST_A_LINK_ADDRESS])
		nla_memcpy(spec->address, attrs[FLITCAST_A_LINK_ADDRESS], ETH_ALEN);
	if (attrs[FLITCAST_A_LINK_IFNAME])
		spec->name = nla_data(attrs[FLITCAST_A_LINK_IFNAME]);
	/* A device is waited for by what it will have again: its name or its address. */
	if (!spec->dev && (!spec->wait || attrs[FLITCAST_A_LINK_IFINDEX]))
		return no_device(attrs, extack);
	if (attrs[FLITCAST_A_LINK_ADDRESS] && !is_valid_ether_addr(spec->address)) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[FLITCAST_A_LINK_ADDRESS],
				    KBUILD_MODNAME ": no address of a device");
		return -EINVAL;
	}
	if (!spec->dev && spec->name && !dev_valid_name(spec->name)) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[FLITCAST_A_LINK_IFNAME],
				    KBUILD_MODNAME ": no name of a device");
		return -EINVAL;
	}
	return 0;
}

/*
 * Is the device of a new link, or its name, that of another link which waits for it?  Context: RTNL
 * held.
 */
static bool is_awaited(const struct flitcast_link_spec *spec, const struct flitcast_site *site,
		       u32 port, struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	struct flitcast_link_info info;
	struct flitcast_site *other;
	u32 other_port;
	bool same;

	other = find_site(spec->net, spec->dev, attrs, &other_port);
	if (!other)
		return false;
	/* A device that has a link is refused by its backend. */
	same = (other == site && other_port == port) ||
	       flitcast_link_info(other, other_port, &info) || !info.device.absent;
	flitcast_site_put(other);
	if (!same)
		NL_SET_ERR_MSG_MOD(extack, "another link waits for that device: delete it first");
	return !same;
}

/* The settings that a request gives. */
static struct flitcast_link_settings settings_of(struct nlattr **attrs)
{
	struct flitcast_link_settings settings = { .crc = -1 };

	if (attrs[FLITCAST_A_LINK_WINDOW])
		settings.window = nla_get_u32(attrs[FLITCAST_A_LINK_WINDOW]);
	if (attrs[FLITCAST_A_LINK_HELLO])
		settings.hello = nla_get_u32(attrs[FLITCAST_A_LINK_HELLO]);
	if (attrs[FLITCAST_A_LINK_DEAD])
		settings.dead = nla_get_u32(attrs[FLITCAST_A_LINK_DEAD]);
	if (attrs[FLITCAST_A_LINK_CRC])
		settings.crc = nla_get_u32(attrs[FLITCAST_A_LINK_CRC]);
	return settings;
}

int flitcast_netlink_link_new(struct sk_buff *skb, struct genl_info *info)
{
	struct flitcast_link_spec spec = { .net = genl_info_net(info) };
	struct flitcast_link_settings settings = settings_of(info->attrs);
	struct nlattr **attrs = info->attrs;
	struct flitcast_site *site;
	u32 port;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, FLITCAST_A_LINK_PORT)) {
		NL_SET_ERR_MSG_MOD(info->extack, "a new link needs a port");
		return -EINVAL;
	}
	spec.wait = attrs[FLITCAST_A_LINK_WAIT] && nla_get_u32(attrs[FLITCAST_A_LINK_WAIT]);
	port = nla_get_u32(attrs[FLITCAST_A_LINK_PORT]);

	if (attrs[FLITCAST_A_LINK_RDMA]) {
		/*
		 * An RDMA link accepts connections and uses memory that no cgroup is charged for.
		 */
		if (!netlink_capable(skb, CAP_NET_ADMIN)) {
			NL_SET_ERR_MSG_MOD(info->extack,
					   "only the administrator of the host makes RDMA links");
			return -EPERM;
		}
		flitcast_link_kind_load(RDMA);
	}
	rtnl_lock();
	site = flitcast_netlink_site(spec.net, attrs[FLITCAST_A_LINK_SITE], info->extack);
	if (IS_ERR(site)) {
		err = PTR_ERR(site);
		goto unlock;
	}
	err = find_device(&spec, attrs, info->extack);
	if (!err && is_awaited(&spec, site, port, attrs, info->extack))
		err = -EBUSY;
	if (!err)
		err = flitcast_link_add(site, &spec, port, &settings, info->extack);
	flitcast_site_put(site);
unlock:
	rtnl_unlock();
	return err;
}

int flitcast_netlink_link_set(struct sk_buff *skb, struct genl_info *info)
{
	struct flitcast_link_settings settings = settings_of(info->attrs);
	struct flitcast_site *site;
	u32 port;
	int err;

	rtnl_lock();
	site = find_link(genl_info_net(info), info->attrs, &port, info->extack);
	if (IS_ERR(site)) {
		err = PTR_ERR(site);
	} else {
		err = flitcast_link_set(site, port, &settings, info->extack);
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
	struct object object = { .id = id, .info = *info };

	if (!genl_has_listeners(&flitcast_netlink_family, net, FLITCAST_NETLINK_GROUP_LINK))
		return;
	object.site = flitcast_site_get(net, id);
	flitcast_netlink_event(net, FLITCAST_NETLINK_GROUP_LINK,
			       added ? FLITCAST_CMD_LINK_CHANGE_NTF : FLITCAST_CMD_LINK_DEL_NTF,
			       link_fill, &object);
	if (object.site)
		flitcast_site_put(object.site);
}
