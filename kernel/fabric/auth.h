/* SPDX-License-Identifier: GPL-2.0 */
/* Authentication with the key of a network: see "Keys" in Documentation/design.rst. */
#ifndef FLITCAST_FABRIC_AUTH_H
#define FLITCAST_FABRIC_AUTH_H

#include "fabric/site.h"

struct crypto_shash;

/**
 * flitcast_auth_alloc() - allocate the hash for a key
 * @key: FLITCAST_KEY_SIZE bytes; copied
 * @extack: reason of a refusal
 *
 * Context: may sleep, and load a module.  Return: the value for site->auth, or an ERR_PTR.
 */
struct crypto_shash *flitcast_auth_alloc(const u8 *key, struct netlink_ext_ack *extack);
/* @tfm may be NULL. */
void flitcast_auth_free(struct crypto_shash *tfm);

/**
 * flitcast_auth_sign() - put the authentication code on a frame that is about to be queued
 * @site: the sending site, which has a key
 * @port: port by which the frame leaves
 * @skb: payload, its linear part private; a HELLO has FC_AUTH_SIZE bytes after the message
 * @hdr: link header with its epoch set; @auth and @len are filled in
 *
 * Context: the site's lock.  Return: false if there is no memory; the frame is not to be sent then.
 */
bool flitcast_auth_sign(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			struct fc_link_hdr *hdr);

/* Slow path of flitcast_auth_check(): there are a key and a code. */
bool flitcast_auth_proven(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			  const struct fc_link_hdr *hdr);

/**
 * flitcast_auth_check() - check that a frame (not a flit) comes from a site with our key
 * @site: the receiving site
 * @port: port by which the frame arrived
 * @skb: payload; the code is trimmed, but for that of a HELLO
 * @hdr: link header
 *
 * A site without a key accepts only frames without a code.
 *
 * Context: the site's lock.  Return: true if the frame is authentic.
 */
static inline bool flitcast_auth_check(struct flitcast_site *site, u8 port, struct sk_buff *skb,
				       const struct fc_link_hdr *hdr)
{
	if (likely(!site->auth))
		return !hdr->auth;
	return hdr->auth && flitcast_auth_proven(site, port, skb, hdr);
}

#endif /* FLITCAST_FABRIC_AUTH_H */
