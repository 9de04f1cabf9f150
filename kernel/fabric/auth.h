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
 * flitcast_auth_sign() - put the authentication code on a HELLO that is about to be queued
 * @site: the sending site, which has a key
 * @port: port by which the HELLO leaves
 * @skb: payload, its first FC_HELLO_SIZE + FC_AUTH_SIZE bytes linear and private
 * @hdr: link header with its epoch set; @auth and @len are filled in
 *
 * Context: the site's lock.  Return: false if the hash failed; the HELLO is not to be sent then.
 */
bool flitcast_auth_sign(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			struct fc_link_hdr *hdr);

/**
 * flitcast_auth_check() - check that a HELLO comes from a site with our key
 * @site: the receiving site
 * @port: port by which the HELLO arrived
 * @skb: payload, of FC_HELLO_SIZE linear bytes at least
 * @hdr: link header
 *
 * A site without a key accepts only HELLOs without a code.
 *
 * Context: the site's lock.  Return: true if the HELLO is authentic.
 */
bool flitcast_auth_check(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			 const struct fc_link_hdr *hdr);

/**
 * flitcast_auth_keys() - a link comes up: give it the keys for the codes of its frames
 * @site: a site with a key
 * @port: port of the link, whose two ends know each other's epoch
 *
 * Each direction has keys of its own.  If the hash fails, the link carries HELLOs only.
 *
 * Context: the site's lock.
 */
void flitcast_auth_keys(struct flitcast_site *site, u8 port);

#endif /* FLITCAST_FABRIC_AUTH_H */
