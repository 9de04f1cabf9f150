// SPDX-License-Identifier: GPL-2.0
/*
 * AF_FLITCAST: the number of the family, addresses, and bind().
 */
#include <linux/capability.h>
#include <linux/module.h>
#include <net/sock.h>
#include <uapi/linux/flitcast.h>
#include "sock/addr.h"
#include "sock/impl.h"

int flitcast_sock_family = FLITCAST_FAMILY_DEFAULT;
module_param_named(family, flitcast_sock_family, int, 0444);
MODULE_PARM_DESC(family, "Address family number: one that the kernel does not use (default 19)");

static struct flitcast_site *site_named(struct net *net, u32 id)
{
	struct flitcast_site *site = flitcast_site_get(net, id);

	/* Without a site 0, identity 0 means the only site of the namespace. */
	if (!site && !id)
		site = flitcast_site_get(net, FLITCAST_SITE_ANY);
	return site;
}

int flitcast_addr_attach(struct flitcast_sock *fs, struct flitcast_site *site, u16 number)
{
	int err;

	fs->port.uid = fs->sk.sk_uid;
	fs->port.timeout = (u64)fs->timeout_ms * NSEC_PER_MSEC;
	err = flitcast_port_attach(&fs->port, site, number);
	if (err)
		return refuse(fs, err, err == -EADDRINUSE ? "another socket has the port" :
							    "no memory for the port");
	/* Pairs with smp_load_acquire() of readers without lock_sock. */
	smp_store_release(&fs->bound, true);
	return 0;
}

int flitcast_addr_bind_locked(struct flitcast_sock *fs, u32 id, u16 number)
{
	struct net *net = sock_net(&fs->sk);
	struct flitcast_site *site;
	int err;

	if (flitcast_device_asked(&fs->sk))
		return refuse_device(fs);
	if (number && number < FLITCAST_PORT_RESERVED &&
	    !ns_capable(net->user_ns, CAP_NET_BIND_SERVICE))
		return refuse(fs, -EACCES, "ports below 1024 need CAP_NET_BIND_SERVICE");
	site = site_named(net, id);
	if (!site) {
		site = flitcast_site_next(net, 0);
		if (!site)
			return refuse(fs, -ENETDOWN, "no site in this network namespace");
		flitcast_site_put(site);
		return refuse(fs, -EADDRNOTAVAIL, id && id != FLITCAST_SITE_ANY ?
			      "no such site here" : "several sites here: name one in the address");
	}
	err = flitcast_addr_attach(fs, site, number);
	flitcast_site_put(site);
	return err;
}

bool flitcast_addr_valid(const struct sockaddr_flitcast *addr, int len)
{
	return len == sizeof(*addr) && addr->sfc_family == flitcast_sock_family &&
	       !addr->sfc_zero && !addr->sfc_zero2;
}

int flitcast_addr_bind(struct socket *sock, struct sockaddr_unsized *uaddr, int len)
{
	struct sockaddr_flitcast *addr = (struct sockaddr_flitcast *)uaddr;
	struct flitcast_sock *fs = to_fs(sock->sk);
	int err;

	forget(fs);
	if (!flitcast_addr_valid(addr, len) || addr->sfc_addrtype != FLITCAST_ADDR_SITE ||
	    addr->sfc_copies)
		return refuse(fs, -EINVAL, "malformed address");
	lock_sock(sock->sk);
	err = fs->bound ? refuse(fs, -EINVAL, "socket is bound already") :
			  flitcast_addr_bind_locked(fs, addr->sfc_site, addr->sfc_port);
	release_sock(sock->sk);
	return err;
}
