// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <arpa/inet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/ether.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/ethtool.h>
#include <linux/flitcast.h>
#include <linux/flitcast_netlink.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <linux/veth.h>
#include "rtnl.h"
#include "util.h"

void rtnl_check_name(const char *dev)
{
	if (strlen(dev) >= IFNAMSIZ)
		bad_usage("\"%s\" is no name of a device: it is too long", dev);
	if (!*dev || !strcmp(dev, ".") || !strcmp(dev, "..") || strpbrk(dev, "/: \t\n\v\f\r"))
		bad_usage("\"%s\" is no name of a device", dev);
}

static int dev_ioctl(const char *dev, unsigned long request, struct ifreq *ifr)
{
	int fd, err = 0;

	/* Any kind of socket works, and this one is always available. */
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	snprintf(ifr->ifr_name, sizeof(ifr->ifr_name), "%s", dev);
	if (ioctl(fd, request, ifr))
		err = -errno;
	close(fd);
	return err;
}

int rtnl_get_mtu(const char *dev, uint32_t *mtu)
{
	struct ifreq ifr = { 0 };
	int err;

	err = dev_ioctl(dev, SIOCGIFMTU, &ifr);
	if (!err)
		*mtu = ifr.ifr_mtu;
	return err;
}

int rtnl_set_mtu(const char *dev, uint32_t mtu)
{
	struct ifreq ifr = { .ifr_mtu = mtu };

	return dev_ioctl(dev, SIOCSIFMTU, &ifr);
}

bool rtnl_is_ethernet(const char *dev)
{
	struct ifreq ifr = { 0 };

	return !dev_ioctl(dev, SIOCGIFHWADDR, &ifr) && ifr.ifr_hwaddr.sa_family == ARPHRD_ETHER;
}

const uint8_t no_address[ETH_ALEN];

bool address_parse(const char *text, uint8_t address[ETH_ALEN])
{
	struct ether_addr parsed;

	if (!ether_aton_r(text, &parsed))
		return false;
	memcpy(address, &parsed, ETH_ALEN);
	/* Neither a group nor "none". */
	return !(address[0] & 1) && memcmp(address, no_address, ETH_ALEN);
}

const char *address_print(const uint8_t address[ETH_ALEN], char text[ADDRESS_TEXT])
{
	snprintf(text, ADDRESS_TEXT, "%02x:%02x:%02x:%02x:%02x:%02x", address[0], address[1],
		 address[2], address[3], address[4], address[5]);
	return text;
}

bool address_read(struct nlattr *attr, uint8_t address[ETH_ALEN])
{
	memset(address, 0, ETH_ALEN);
	if (!attr || nla_len(attr) != ETH_ALEN)
		return false;
	memcpy(address, nla_data(attr), ETH_ALEN);
	return true;
}

static int set_offload(int socket, const char *dev, uint32_t cmd, uint32_t on)
{
	struct ethtool_value value = { .cmd = cmd, .data = on };
	struct ifreq ifr = { .ifr_data = (void *)&value };

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", dev);
	return ioctl(socket, SIOCETHTOOL, &ifr) ? -errno : 0;
}

int rtnl_set_napi(int socket, const char *dev)
{
	int err = set_offload(socket, dev, ETHTOOL_SGRO, 1);

	return err ? err : set_offload(socket, dev, ETHTOOL_STSO, 0);
}

static void put_flags(struct request *req, const char *dev, uint32_t flags)
{
	struct ifinfomsg info = { .ifi_flags = flags, .ifi_change = IFF_UP };

	request_begin(req, RTM_NEWLINK, 0);
	put_raw(req, &info, sizeof(info));
	put_string(req, IFLA_IFNAME, dev);
}

void rtnl_put_up(struct request *req, const char *dev)
{
	put_flags(req, dev, IFF_UP);
}

void rtnl_put_down(struct request *req, const char *dev)
{
	put_flags(req, dev, 0);
}

/*
 * A veth uses one queue by default; creating no others saves memory, and RCU grace periods when it
 * closes.
 */
static void put_device(struct request *req, const char *name, uint32_t mtu)
{
	put_string(req, IFLA_IFNAME, name);
	put_u32(req, IFLA_MTU, mtu);
	put_u32(req, IFLA_NUM_TX_QUEUES, 1);
	put_u32(req, IFLA_NUM_RX_QUEUES, 1);
}

/* Put the kind of a device that has no data of its kind. */
static void put_kind(struct request *req, const char *kind)
{
	struct nlattr *linkinfo = put_nest(req, IFLA_LINKINFO);

	put_string(req, IFLA_INFO_KIND, kind);
	put_nest_end(req, linkinfo);
}

void rtnl_put_dummy(struct request *req, const char *dev, uint32_t mtu)
{
	struct ifinfomsg info = { 0 };

	request_begin(req, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
	put_raw(req, &info, sizeof(info));
	put_device(req, dev, mtu);
	put_kind(req, "dummy");
}

void rtnl_put_get(struct request *req, const char *dev)
{
	struct ifinfomsg info = { 0 };

	request_begin(req, RTM_GETLINK, dev ? 0 : NLM_F_DUMP);
	put_raw(req, &info, sizeof(info));
	if (dev)
		put_string(req, IFLA_IFNAME, dev);
	else
		put_kind(req, RTNL_KIND);
}

void rtnl_put_del(struct request *req, const char *dev, int index)
{
	struct ifinfomsg info = { .ifi_index = index };

	request_begin(req, RTM_DELLINK, 0);
	put_raw(req, &info, sizeof(info));
	if (!index)
		put_string(req, IFLA_IFNAME, dev);
}

void rtnl_put_flitcast(struct request *req, const char *dev, uint32_t site, int index)
{
	struct ifinfomsg info = { .ifi_index = index };
	struct nlattr *linkinfo, *data;

	request_begin(req, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
	put_raw(req, &info, sizeof(info));
	put_string(req, IFLA_IFNAME, dev);
	linkinfo = put_nest(req, IFLA_LINKINFO);
	put_string(req, IFLA_INFO_KIND, RTNL_KIND);
	data = put_nest(req, IFLA_INFO_DATA);
	if (site != FLITCAST_SITE_ANY)
		put_u32(req, IFLA_FLITCAST_SITE, site);
	put_nest_end(req, data);
	put_nest_end(req, linkinfo);
}

void rtnl_put_address(struct request *req, int index, uint32_t address, uint8_t prefix)
{
	struct ifaddrmsg info = {
		.ifa_family = AF_INET, .ifa_prefixlen = prefix, .ifa_index = index,
	};

	request_begin(req, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL);
	put_raw(req, &info, sizeof(info));
	put_u32(req, IFA_LOCAL, htonl(address));
	put_u32(req, IFA_ADDRESS, htonl(address));
}

void rtnl_put_veth(struct request *req, const char *dev, const char *peer,
		   int peer_netns, uint32_t mtu)
{
	struct ifinfomsg info = { 0 };
	struct nlattr *linkinfo, *data, *other;

	request_begin(req, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
	put_raw(req, &info, sizeof(info));
	put_device(req, dev, mtu);
	linkinfo = put_nest(req, IFLA_LINKINFO);
	put_string(req, IFLA_INFO_KIND, "veth");
	data = put_nest(req, IFLA_INFO_DATA);
	other = put_nest(req, VETH_INFO_PEER);
	put_raw(req, &info, sizeof(info));
	put_device(req, peer, mtu);
	put_u32(req, IFLA_NET_NS_FD, peer_netns);
	put_nest_end(req, other);
	put_nest_end(req, data);
	put_nest_end(req, linkinfo);
}
