// SPDX-License-Identifier: GPL-2.0
/*
 * The key of a network: frames that are no flits carry an authentication code, HMAC-SHA-256 (RFC
 * 2104) cut to 16 bytes, so that a link comes up only between sites that have the same key, and
 * status, control and fault frames are accepted only from such a site.
 *
 * A code covers the epochs of both ends, which are random and belong to one life of the link: a
 * frame recorded in another life, on another link or in the other direction does not pass.  A frame
 * replayed within one life of the link repeats absolute values, and does no harm. It is no proof
 * that the peer is alive: for that, HELLOs are numbered (fc_hello_received()).
 */
#include <crypto/algapi.h>
#include <crypto/hash.h>
#include <crypto/sha2.h>
#include <uapi/linux/flitcast_netlink.h>
#include "fabric/auth.h"

static_assert(FC_AUTH_SIZE <= SHA256_DIGEST_SIZE);

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

/* Compute the authentication code of a frame with @len bytes of payload. */
static bool code(struct crypto_shash *tfm, const u8 prefix[FC_AUTH_PREFIX], const u8 *payload,
		 u32 len, u8 digest[SHA256_DIGEST_SIZE])
{
	SHASH_DESC_ON_STACK(desc, tfm);
	bool done;

	desc->tfm = tfm;
	done = !crypto_shash_init(desc) &&
	       !crypto_shash_update(desc, prefix, FC_AUTH_PREFIX) &&
	       !crypto_shash_finup(desc, payload, len, digest);
	shash_desc_zero(desc);
	return done;
}

bool flitcast_auth_sign(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			struct fc_link_hdr *hdr)
{
	const struct fc_hello_msg *own = &site->end[port].hello.own;
	bool hello = hdr->type == FC_FRAME_HELLO;
	u8 prefix[FC_AUTH_PREFIX], digest[SHA256_DIGEST_SIZE];
	u32 len = hello ? FC_HELLO_SIZE : skb->len;

	lockdep_assert_held(&site->lock);
	/* A HELLO has space for the code after its message, before any padding. */
	if (!hello) {
		if (skb_tailroom(skb) < FC_AUTH_SIZE &&
		    pskb_expand_head(skb, 0, FC_AUTH_SIZE, GFP_ATOMIC))
			return false;
		skb_put(skb, FC_AUTH_SIZE);
	}
	hdr->auth = true;
	hdr->len = skb->len;
	fc_wire_auth_prefix(prefix, hdr, own->site, own->port, own->epoch,
			    hello ? 0 : site->end[port].hello.peer.epoch);
	if (!code(site->auth, prefix, skb->data, len, digest))
		return false;
	memcpy(skb->data + len, digest, FC_AUTH_SIZE);
	return true;
}

bool flitcast_auth_proven(struct flitcast_site *site, u8 port, struct sk_buff *skb,
			  const struct fc_link_hdr *hdr)
{
	const struct fc_hello *end = &site->end[port].hello;
	bool hello = hdr->type == FC_FRAME_HELLO;
	u8 prefix[FC_AUTH_PREFIX], digest[SHA256_DIGEST_SIZE];
	u32 len = hello ? FC_HELLO_SIZE : skb->len - FC_AUTH_SIZE;

	lockdep_assert_held(&site->lock);
	if (!pskb_may_pull(skb, len + FC_AUTH_SIZE))
		return false;
	fc_wire_auth_prefix(prefix, hdr, end->want_site, end->want_port,
			    hello ? fc_wire_hello_epoch(skb->data) : end->peer.epoch,
			    hello ? 0 : end->own.epoch);
	if (!code(site->auth, prefix, skb->data, len, digest) ||
	    crypto_memneq(digest, skb->data + len, FC_AUTH_SIZE))
		return false;
	return hello || !pskb_trim(skb, len);
}
