// SPDX-License-Identifier: GPL-2.0
/*
 * The key of a network: HELLOs carry an authentication code, HMAC-SHA-256 (RFC 2104) cut to 16
 * bytes, so that a link comes up only between sites that have the same key.  All other frames carry
 * codes of the link layer (link/code.h), whose keys are made here of the network's key and of both
 * ends of the link.
 *
 * The epochs of both ends are random and belong to one life of the link: a frame that was recorded
 * in another life, on another link or in the other direction does not pass.  A HELLO repeated
 * within one life of the link is no proof that the peer is alive: HELLOs are numbered for that
 * (fc_hello_received()).
 */
#include <crypto/algapi.h>
#include <crypto/hash.h>
#include <crypto/sha2.h>
#include <uapi/linux/flitcast_netlink.h>
#include "fabric/auth.h"

static_assert(FC_AUTH_SIZE <= SHA256_DIGEST_SIZE);
static_assert(FLITCAST_CODE_KEYS == SHA256_DIGEST_SIZE);

struct crypto_shash *flitcast_auth_alloc(const u8 *key, struct netlink_ext_ack *extack)
{
	struct crypto_shash *tfm = crypto_alloc_shash("hmac(sha256)", 0, 0);
	int err;

	if (IS_ERR(tfm)) {
		NL_SET_ERR_MSG_MOD(extack, "this kernel has no hmac(sha256), which a key needs");
		return tfm;
	}
	err = crypto_shash_setkey(tfm, key, FLITCAST_KEY_SIZE);
	if (!err)
		return tfm;
	crypto_free_shash(tfm);
	return ERR_PTR(err);
}

void flitcast_auth_free(struct crypto_shash *tfm)
{
	if (tfm)
		crypto_free_shash(tfm);
}

/* Compute the hash of a prefix and of @len bytes. */
static bool hash(struct crypto_shash *tfm, const u8 prefix[FC_AUTH_PREFIX], const u8 *p, u32 len,
		 u8 digest[SHA256_DIGEST_SIZE])
{
	SHASH_DESC_ON_STACK(desc, tfm);
	bool done;

	desc->tfm = tfm;
	done = !crypto_shash_init(desc) &&
	       !crypto_shash_update(desc, prefix, FC_AUTH_PREFIX) &&
	       !crypto_shash_finup(desc, p, len, digest);
	shash_desc_zero(desc);
	return done;
}

bool flitcast_auth_sign(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			struct fc_link_hdr *hdr)
{
	const struct fc_hello_msg *own = &site->end[port].hello.own;
	u8 prefix[FC_AUTH_PREFIX], digest[SHA256_DIGEST_SIZE];

	lockdep_assert_held(&site->lock);
	hdr->auth = true;
	hdr->len = skb->len;
	fc_wire_auth_prefix(prefix, hdr, own->site, own->port, own->epoch, 0);
	if (!hash(site->auth, prefix, skb->data, FC_HELLO_SIZE, digest))
		return false;
	memcpy(skb->data + FC_HELLO_SIZE, digest, FC_AUTH_SIZE);
	return true;
}

bool flitcast_auth_check(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			 const struct fc_link_hdr *hdr)
{
	const struct fc_hello *end = &site->end[port].hello;
	u8 prefix[FC_AUTH_PREFIX], digest[SHA256_DIGEST_SIZE];

	lockdep_assert_held(&site->lock);
	if (!site->auth || !hdr->auth)
		return !site->auth && !hdr->auth;
	if (!pskb_may_pull(skb, FC_HELLO_SIZE + FC_AUTH_SIZE))
		return false;
	fc_wire_auth_prefix(prefix, hdr, end->want_site, end->want_port,
			    fc_wire_hello_epoch(skb->data), 0);
	return hash(site->auth, prefix, skb->data, FC_HELLO_SIZE, digest) &&
	       !crypto_memneq(digest, skb->data + FC_HELLO_SIZE, FC_AUTH_SIZE);
}

void flitcast_auth_keys(struct flitcast_site *site, u8 port)
{
	const struct fc_hello *end = &site->end[port].hello;
	u8 prefix[FC_AUTH_PREFIX], tx[SHA256_DIGEST_SIZE], rx[SHA256_DIGEST_SIZE];
	bool done;

	lockdep_assert_held(&site->lock);
	/* No HELLO has such a prefix: its link header is not zero. */
	fc_wire_auth_prefix(prefix, NULL, end->own.site, end->own.port, end->own.epoch,
			    end->peer.epoch);
	done = hash(site->auth, prefix, NULL, 0, tx);
	fc_wire_auth_prefix(prefix, NULL, end->want_site, end->want_port, end->peer.epoch,
			    end->own.epoch);
	done = done && hash(site->auth, prefix, NULL, 0, rx);
	if (done)
		flitcast_code_begin(site->end[port].link, tx, rx, (u16)end->own.epoch,
				    (u16)end->peer.epoch);
	memzero_explicit(tx, sizeof(tx));
	memzero_explicit(rx, sizeof(rx));
}
