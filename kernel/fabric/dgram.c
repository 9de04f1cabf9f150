// SPDX-License-Identifier: GPL-2.0
/*
 * Datagrams of a site's network device, sending half: a frame waits in the queue of the link that
 * it takes first, and enters the network as the flits of one packet.
 *
 *	head	kind FC_KIND_DATAGRAM, the flow's hash, the target sites
 *	data	struct virtio_net_hdr, then the Ethernet frame
 *
 * A datagram has no acknowledgment, and its source does not repeat it.  Credits and link-level
 * retry make it lossless while its links work; where one fails, it is sent by another path.  Its
 * targets drop doubles by its number.
 */
#include "compat.h"
#include "drop.h"
#include "core/vnet/aim.h"
#include "fabric/dgram.h"
#include "fabric/enter.h"
#include "fabric/replay.h"
#include "fabric/sum.h"

void flitcast_dgram_init(struct flitcast_site *site)
{
	u8 q;

	for (q = 0; q < FC_PORTS_MAX; q++)
		__skb_queue_head_init(&site->oper.dgrams.queue[q]);
}

unsigned int flitcast_dgram_targets(const struct flitcast_site *site)
{
	/* The first flit has data of the frame, too. */
	u32 room = site->cfg.flit - FC_LINK_SIZE - FLITCAST_OFFLOAD_SIZE - FC_PACKET_SIZE - 1;

	return min_t(u32, room / FC_TARGET_SIZE, FC_TARGETS_MAX);
}

/* Return: a target site of a frame. */
static u16 target(const struct sk_buff *skb, unsigned int i)
{
	const struct flitcast_dgram *d = FLITCAST_DGRAM(skb);

	return d->list ? ((const u16 *)(skb->data - d->list))[i] : d->to;
}

static void put_packet(const struct flitcast_site *site, u8 *head, u32 hash, u8 targets, u32 len)
{
	const struct fc_packet pk = {
		.src = site->cfg.id, .incarnation = site->incarnation,
		.sock = hash & ~FC_SOCK_BCAST, .src_port = FLITCAST_DGRAM_FRAME,
		.ntargets = targets, .msg_len = len,
		.kind = FC_KIND_DATAGRAM,
	};

	fc_wire_packet_encode(head, &pk);
}

/* Write the head of a frame with @len bytes of data. */
static void put_head(const struct flitcast_site *site, u8 *head, const struct sk_buff *skb, u32 len)
{
	const struct flitcast_dgram *d = FLITCAST_DGRAM(skb);
	unsigned int i;

	put_packet(site, head, d->hash, d->ntargets, len);
	for (i = 0; i < d->ntargets; i++) {
		const struct fc_target t = {
			.site = target(skb, i), .port = d->port, .len = len, .seq = d->number,
			.flags = i == d->ntargets - 1U ? FC_TARGET_LAST : 0,
		};

		fc_wire_target_encode(head, i, &t);
	}
	flitcast_sum_packet(site, head, d->crc);
}

/*
 * Ask the mode for the link of a flow to one site.
 * Return: false: its channel has no room for @flits now.
 */
static bool aim(struct flitcast_site *site, u32 to, u32 hash, u32 flits, u8 *port)
{
	const struct fc_target t = { .site = to, .port = FLITCAST_DGRAM_FRAME,
				     .flags = FC_TARGET_LAST };
	u8 head[FC_PACKET_SIZE + FC_TARGET_SIZE];

	put_packet(site, head, hash, 1, 0);
	fc_wire_target_encode(head, 0, &t);
	return site->mode->aim(site, FC_SET_BULK, head, flits, port);
}

u8 flitcast_dgram_link(struct flitcast_site *site, u32 to, u32 hash)
{
	u8 port = FC_PORT_LOCAL;

	aim(site, to, hash, 1, &port);
	return port;
}

/* As aim(), for a list of sites. */
static void aim_list(struct flitcast_site *site, const u16 *to, u32 hash, struct fc_aim *aim)
{
	u8 head[FC_PACKET_SIZE + FC_TARGET_SIZE];
	u32 dst[FC_TARGETS_MAX], i;

	put_packet(site, head, hash, aim->n, 0);
	for (i = 0; i < aim->n; i++)
		dst[i] = to[i];
	aim->head = head;
	aim->dst = dst;
	site->mode->aim_list(site, FC_SET_BULK, aim);
}

void flitcast_dgram_part(struct flitcast_site *site, const u16 *to, unsigned int n, u32 hash,
			 u64 mask[FC_PORTS_MAX])
{
	struct fc_aim aim = { .n = n, .flits = 1 };

	aim_list(site, to, hash, &aim);
	memcpy(mask, aim.mask, sizeof(aim.mask));
}

/* Flits of a frame. */
static u32 flits_of(const struct flitcast_site *site, const struct sk_buff *skb)
{
	const struct flitcast_dgram *d = FLITCAST_DGRAM(skb);

	return DIV_ROUND_UP(fc_head_size(d->ntargets) + sizeof(d->offload) + skb->len,
			    site->cfg.flit - FC_LINK_SIZE);
}

/* As ready(), for a frame with several targets, which had one link when it was queued. */
static noinline_for_stack bool list_ready(struct flitcast_site *site, const struct sk_buff *skb)
{
	const struct flitcast_dgram *d = FLITCAST_DGRAM(skb);
	struct fc_aim list = { .n = d->ntargets, .flits = flits_of(site, skb) };

	aim_list(site, (const u16 *)(skb->data - d->list), d->hash, &list);
	return list.takes;
}

/* May a frame enter now, without a wait in an injection queue for the channel of its link? */
static bool ready(struct flitcast_site *site, const struct sk_buff *skb)
{
	u8 port;

	if (FLITCAST_DGRAM(skb)->ntargets > 1)
		return list_ready(site, skb);
	return aim(site, target(skb, 0), FLITCAST_DGRAM(skb)->hash, flits_of(site, skb), &port);
}

void flitcast_dgram_sum(const struct flitcast_site *site, struct sk_buff *skb,
			struct flitcast_dgram *dgram)
{
	if (!flitcast_site_verifies(site))
		return;
	dgram->crc = flitcast_crc(0, dgram->offload, sizeof(dgram->offload));
	dgram->crc = flitcast_crc_skb(dgram->crc, skb, 0);
}

u32 flitcast_dgram_queue(struct flitcast_site *site, struct sk_buff *skb)
{
	struct flitcast_dgrams *all = &site->oper.dgrams;
	const struct flitcast_dgram *d = FLITCAST_DGRAM(skb);

	lockdep_assert_held(&site->lock);
	__skb_queue_tail(&all->queue[d->link], skb);
	all->n++;
	all->bytes[d->queue] += d->charge;
	return all->bytes[d->queue];
}

bool flitcast_dgram_full(const struct flitcast_site *site, u8 queue, u32 bytes)
{
	return site->oper.dgrams.bytes[queue] > bytes;
}

unsigned int flitcast_dgram_pick(struct flitcast_site *site)
{
	struct flitcast_dgrams *all = &site->oper.dgrams;
	u8 i, q;

	for (i = 0; i < site->node.nports; i++) {
		struct sk_buff *skb;

		q = (all->next + i) % site->node.nports;
		skb = skb_peek(&all->queue[q]);
		if (!skb || !ready(site, skb))
			continue;
		__skb_unlink(skb, &all->queue[q]);
		all->n--;
		FLITCAST_DGRAM(skb)->number = all->number++;
		all->cur = skb;
		all->sent = 0;
		all->next = q + 1;
		return FLITCAST_DGRAM(skb)->ntargets;
	}
	return 0;
}

/*
 * How many of @linear bytes of a frame's linear data are linear in its flit, behind @head bytes?
 * The rest goes to a page, which sites that forward the flit do not copy, and to which the target
 * appends the data of the next flits.
 */
static u32 linear_part(const struct sk_buff *from, u32 head, u32 linear)
{
	u32 room = head && head < FLITCAST_REPLAY_HEAD ? FLITCAST_REPLAY_HEAD - head : 0;

	if (linear <= room || linear - room > PAGE_SIZE ||
	    skb_shinfo(from)->nr_frags == MAX_SKB_FRAGS)
		return linear;
	return room;
}

/* Append bytes to a flit without pages, in a page.  Return: false: no memory. */
static bool put_page_data(struct sk_buff *to, const void *data, u32 len)
{
	void *frag = netdev_alloc_frag(len);
	struct page *page;

	if (!frag)
		return false;
	memcpy(frag, data, len);
	page = virt_to_head_page(frag);
	skb_add_rx_frag(to, 0, page, frag - page_address(page), len, len);
	return true;
}

/*
 * Append @len bytes of @from, from @off on, to a flit: @linear bytes as linear data, the rest of
 * the linear data in a page, pages by reference.  Return: false: no memory.
 */
static bool put_range(struct sk_buff *to, struct sk_buff *from, u32 off, u32 len, u32 linear)
{
	u32 at = skb_headlen(from), part;
	int i, n = 0;

	skb_put_data(to, from->data + off, linear);
	off += linear;
	len -= linear;
	if (len && off < at) {
		part = min(len, at - off);
		if (!put_page_data(to, from->data + off, part))
			return false;
		n++;
		off += part;
		len -= part;
	}
	for (i = 0; len && i < skb_shinfo(from)->nr_frags; i++) {
		const skb_frag_t *f = &skb_shinfo(from)->frags[i];
		u32 size = skb_frag_size(f);

		if (off < at + size) {
			part = min(len, at + size - off);
			skb_frag_ref(from, i);
			skb_add_rx_frag(to, n++, skb_frag_page(f), skb_frag_off(f) + off - at,
					part, part);
			off += part;
			len -= part;
		}
		at += size;
	}
	return true;
}

/* The frame has entered completely. */
static void entered(struct flitcast_site *site)
{
	struct flitcast_dgrams *all = &site->oper.dgrams;
	struct sk_buff *skb = all->cur;
	const struct flitcast_dgram d = *FLITCAST_DGRAM(skb);

	all->cur = NULL;
	all->bytes[d.queue] -= d.charge;
	consume_skb(skb);
	if (d.queue != FLITCAST_DGRAM_REPORTS)
		flitcast_up_entered(&site->todo.up, d.queue, d.charge);
}

struct sk_buff *flitcast_dgram_flit(struct flitcast_site *site, struct fc_flit *flit)
{
	struct flitcast_dgrams *all = &site->oper.dgrams;
	struct sk_buff *whole = all->cur, *skb;
	const struct flitcast_dgram *d = FLITCAST_DGRAM(whole);
	u32 size = all->sent ? 0 : fc_head_size(d->ntargets);
	u32 offload = all->sent ? 0 : sizeof(d->offload);
	u32 part = min_t(u32, whole->len - all->sent,
			 site->cfg.flit - FC_LINK_SIZE - size - offload);
	u32 linear = all->sent < skb_headlen(whole) ?
		     min(part, skb_headlen(whole) - all->sent) : 0;

	linear = linear_part(whole, size + offload, linear);
	skb = flitcast_skb_alloc(site->out.headroom, size + offload + linear);
	if (!skb)
		return NULL;
	memset(flit, 0, sizeof(*flit));
	flit->h = skb;
	if (size) {
		put_head(site, skb_put(skb, size), whole, whole->len + offload);
		skb_put_data(skb, d->offload, offload);
		flit->head = skb->data;
		flit->parts = FC_PART_HEAD;
	}
	if (!put_range(skb, whole, all->sent, part, linear)) {
		flitcast_drop(skb, FLITCAST_DROP_NO_MEMORY);
		return NULL;
	}
	flit->data = skb->len - size;
	all->sent += part;
	if (all->sent == whole->len) {
		flit->parts |= FC_PART_TERM;
		entered(site);
	}
	return skb;
}

void flitcast_dgram_take(struct flitcast_site *site, struct sk_buff_head *list)
{
	struct flitcast_dgrams *all = &site->oper.dgrams;
	u8 q;

	for (q = 0; q < FC_PORTS_MAX; q++)
		skb_queue_splice_tail_init(&all->queue[q], list);
	memset(all->bytes, 0, sizeof(all->bytes));
	if (all->cur)
		FLITCAST_DGRAM(all->cur)->charge = 0;
	all->n = 0;
}

void flitcast_dgram_purge(struct flitcast_site *site)
{
	struct flitcast_dgrams *all = &site->oper.dgrams;
	struct sk_buff_head list;

	__skb_queue_head_init(&list);
	flitcast_dgram_take(site, &list);
	flitcast_drop_queue(&list, FLITCAST_DROP_DOWN);
	flitcast_drop(all->cur, FLITCAST_DROP_DOWN);
	all->cur = NULL;
}
