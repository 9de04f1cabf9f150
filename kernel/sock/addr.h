/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Addresses of sockets.
 */
#ifndef FLITCAST_SOCK_ADDR_H
#define FLITCAST_SOCK_ADDR_H

#include <linux/net.h>
#include <uapi/linux/flitcast.h>
#include "compat.h"
#include "site/site.h"

struct flitcast_sock;

/* The address family number; set when the module is loaded. */
extern int flitcast_sock_family;

/* Is this an address of the family, with zero padding? */
bool flitcast_addr_valid(const struct sockaddr_flitcast *addr, int len);
/* Bind to a site (0 without a site 0: the only one) and a port (0: a free one); under lock_sock. */
int flitcast_addr_bind_locked(struct flitcast_sock *fs, u32 id, u16 number);
/* Bind to @site; under lock_sock, or before the socket is published. */
int flitcast_addr_attach(struct flitcast_sock *fs, struct flitcast_site *site, u16 number);
int flitcast_addr_bind(struct socket *sock, struct sockaddr_unsized *uaddr, int len);

#endif /* FLITCAST_SOCK_ADDR_H */
