/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Network devices.
 */
#ifndef FLITCAST_CLI_RTNL_H
#define FLITCAST_CLI_RTNL_H

#include <stdbool.h>
#include <stdint.h>
#include <net/ethernet.h>
#include "request.h"

/* Size of a printed hardware address. */
#define ADDRESS_TEXT	18
/* Kind of the network device of a site. */
#define RTNL_KIND	"flitcast"

/* Exit with the status of wrong usage if no network device can have this name. */
void rtnl_check_name(const char *dev);

/* Get and set the MTU of a device of this namespace.  Return: 0 or -errno. */
int rtnl_get_mtu(const char *dev, uint32_t *mtu);
int rtnl_set_mtu(const char *dev, uint32_t mtu);
/* Does the device carry frames with Ethernet headers? */
bool rtnl_is_ethernet(const char *dev);
/*
 * Make a veth use NAPI, which keeps frames in order: enable GRO at this end, and disable TSO, with
 * which a sender would bypass the NAPI of the other end.
 */
int rtnl_set_napi(int socket, const char *dev);

/* Zeros: no hardware address. */
extern const uint8_t no_address[ETH_ALEN];

/* Parse a hardware address, "02:00:00:00:00:01".  Return: false if it is none. */
bool address_parse(const char *text, uint8_t address[ETH_ALEN]);
/* Print a hardware address into @text. */
const char *address_print(const uint8_t address[ETH_ALEN], char text[ADDRESS_TEXT]);
/* Read the hardware address of an attribute; zeros and false if there is none. */
bool address_read(struct nlattr *attr, uint8_t address[ETH_ALEN]);

/* Put messages for request_send() on a socket of the namespace of @dev. */
void rtnl_put_up(struct request *req, const char *dev);
void rtnl_put_down(struct request *req, const char *dev);
/* Create a dummy device, down. */
void rtnl_put_dummy(struct request *req, const char *dev, uint32_t mtu);
/*
 * Get a device of any kind, or, if @dev is NULL, those of RTNL_KIND; the kernel may add others to
 * these.
 */
void rtnl_put_get(struct request *req, const char *dev);
/* Delete a device of any kind: that with this interface index, or, if it is 0, of this name. */
void rtnl_put_del(struct request *req, const char *dev, int index);
/*
 * Create the network device of a site (FLITCAST_SITE_ANY: the only one), down, with this interface
 * index (0: any).
 */
void rtnl_put_flitcast(struct request *req, const char *dev, uint32_t site, int index);
/* Add an IPv4 address, in host order, to the device with this interface index. */
void rtnl_put_address(struct request *req, int index, uint32_t address, uint8_t prefix);
/* Create a pair, both ends down: @dev here, @peer in the namespace of @peer_netns. */
void rtnl_put_veth(struct request *req, const char *dev, const char *peer,
		   int peer_netns, uint32_t mtu);

#endif /* FLITCAST_CLI_RTNL_H */
