/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Netlink messages that carry an object: a reply, a part of a dump, or an event.  The file of each
 * object fills in its attributes.
 */
#ifndef FLITCAST_NETLINK_REPLY_H
#define FLITCAST_NETLINK_REPLY_H

#include "netlink/netlink.h"

/**
 * typedef flitcast_netlink_fill_t - put the attributes of an object
 * @skb: message, its headers put
 * @object: the object
 *
 * After an error the caller removes the attributes that were put.
 *
 * Return: 0 or -EMSGSIZE.
 */
typedef int (*flitcast_netlink_fill_t)(struct sk_buff *skb, const void *object);

/**
 * flitcast_netlink_reply() - answer a request with one object
 * @info: the request
 * @cmd: FLITCAST_CMD_* of the answer
 * @fill: puts the attributes
 * @object: for @fill
 *
 * Context: may sleep.
 * Return: 0 or a negative error, for the request.
 */
int flitcast_netlink_reply(struct genl_info *info, u8 cmd, flitcast_netlink_fill_t fill,
			   const void *object);

/**
 * flitcast_netlink_part() - one object of a dump
 * @skb: the part of the dump being filled
 * @cb: the dump
 * @cmd: FLITCAST_CMD_* of the answer
 * @fill: puts the attributes
 * @object: for @fill
 *
 * If @cb->seq is not that of the message before, the message has NLM_F_DUMP_INTR; objects without
 * a state that may change leave it 0.
 *
 * Return: 0, or -EMSGSIZE where the part has no room for it.
 */
int flitcast_netlink_part(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
			  flitcast_netlink_fill_t fill, const void *object);

/**
 * flitcast_netlink_event() - send an event about an object to listeners
 * @net: namespace
 * @group: FLITCAST_NETLINK_GROUP_*
 * @cmd: FLITCAST_CMD_*_NTF
 * @fill: puts the attributes
 * @object: for @fill
 *
 * An event for which there is no memory is lost; listeners may dump at any time.
 *
 * Context: may sleep.
 */
void flitcast_netlink_event(struct net *net, unsigned int group, u8 cmd,
			    flitcast_netlink_fill_t fill, const void *object);

/**
 * typedef flitcast_netlink_objects_t - the objects of one site
 * @skb: the part of the dump being filled
 * @cb: the dump
 * @site: site; the caller has the reference
 * @from: number of the first object wanted; on an error, of the first one that was not put
 *
 * Return: 0 when all objects were put, or the error of flitcast_netlink_part().
 */
typedef int (*flitcast_netlink_objects_t)(struct sk_buff *skb, struct netlink_callback *cb,
					  struct flitcast_site *site, u32 *from);

/**
 * flitcast_netlink_dump() - a dump that walks sites, and the objects of each
 * @skb: the part of the dump being filled
 * @cb: the dump; @cb->args has the site and the object to go on with
 * @want: u32 identity of the only site asked for, or NULL: all of the namespace
 * @objects: puts the objects of one site
 *
 * Return: bytes of this part, 0 when the dump is complete, or a negative error.
 */
int flitcast_netlink_dump(struct sk_buff *skb, struct netlink_callback *cb,
			  const struct nlattr *want, flitcast_netlink_objects_t objects);

#endif /* FLITCAST_NETLINK_REPLY_H */
