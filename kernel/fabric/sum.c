// SPDX-License-Identifier: GPL-2.0
#include "compat.h"
#include "fabric/site.h"
#include "fabric/sum.h"

bool flitcast_site_verifies(const struct flitcast_site *site)
{
	return site->cfg.integrity;
}

u32 flitcast_crc(u32 crc, const void *data, u32 len)
{
	return ~crc32c(~crc, data, len);
}

u32 flitcast_crc_skb(u32 crc, struct sk_buff *skb, u32 off)
{
	u32 linear = skb_headlen(skb), done = 0, n;
	struct skb_seq_state state;
	const u8 *data;

	if (off < linear) {
		crc = flitcast_crc(crc, skb->data + off, linear - off);
		off = linear;
	}
	if (off == skb->len)
		return crc;
	skb_prepare_seq_read(skb, off, skb->len, &state);
	while ((n = skb_seq_read(done, &data, &state))) {
		crc = flitcast_crc(crc, data, n);
		done += n;
	}
	return crc;
}

void flitcast_sum_packet(const struct flitcast_site *site, u8 *head, u32 crc)
{
	if (!flitcast_site_verifies(site))
		return;
	if (unlikely(site->ctrl.locate.until) &&
	    time_before64(get_jiffies_64(), site->ctrl.locate.until))
		head[FC_AT_FLAGS] |= FC_PACKET_LOCATE;
	fc_wire_set_sum(head, crc);
}

void flitcast_sum_locate(struct flitcast_site *site)
{
	site->ctrl.locate.until = get_jiffies_64() + FLITCAST_LOCATE_SECONDS * HZ;
}

bool flitcast_sum_test(const struct flitcast_site *site, const struct sk_buff_head *flits, u8 port)
{
	const u8 *head = skb_peek(flits)->data;
	u32 crc = 0, off = fc_wire_head_len(head);
	struct sk_buff *skb;

	if (!flitcast_site_verifies(site))
		return true;
	/* A packet of this site to itself has not left its memory. */
	if (port == FC_PORT_LOCAL && fc_wire_src(head) == site->cfg.id)
		return true;
	skb_queue_walk(flits, skb) {
		crc = flitcast_crc_skb(crc, skb, off);
		off = 0;
	}
	return likely(fc_wire_intact(head, crc));
}
