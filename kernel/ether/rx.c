// SPDX-License-Identifier: GPL-2.0
/*
 * Network device of a site, receiving half:
 *
 *	flitcast_ether_receive()  [site's lock] joins the flits of a datagram, queues the frame
 *	flitcast_ether_poll()     [NAPI] checks its offload header, passes it to the stack
 *
 * A device that cannot keep up drops frames here: it never holds the network.
 */
#include <linux/etherdevice.h>
#include <linux/random.h>
#include <linux/virtio_net.h>
#include "compat.h"
#include "drop.h"
#include "ether/ether.h"
#include "fabric/enter.h"

/* Memory of frames, and of reports, that wait for NAPI. */
#define RX_BYTES_MAX	(4 * 1024 * 1024)
#define RX_REPORTS_MAX	(1024 * 1024)

/* Bytes of a copied frame that are linear: its headers. */
#define COPY_LINEAR	128

/* Bytes of a datagram in its digest: offload header, and headers of Ethernet, IPv6 and TCP. */
#define DIGEST_DATA	96

/**
 * struct received - a datagram that waits for NAPI, in the cb of its skb
 * @site: that sent it
 * @incarnation: of that site
 * @number: of the datagram
 * @port: enum flitcast_dgram_port
 */
struct received {
	u32 site;
	u32 incarnation;
	u32 number;
	u16 port;
};

#define RECEIVED(skb)	((struct received *)(skb)->cb)

/* Does fragment @b begin where @a ends? */
static bool adjacent(const skb_frag_t *a, const skb_frag_t *b)
{
	return skb_frag_page(a) == skb_frag_page(b) &&
	       skb_frag_off(a) + skb_frag_size(a) == skb_frag_off(b);
}

/* Fragments that a frame has with those of a flit behind its own. */
static unsigned int frags_with(const struct skb_shared_info *to, const struct skb_shared_info *more)
{
	const skb_frag_t *last = to->nr_frags ? &to->frags[to->nr_frags - 1] : NULL;
	unsigned int i, n = to->nr_frags;

	for (i = 0; i < more->nr_frags; i++) {
		const skb_frag_t *f = &more->frags[i];

		n += !last || !adjacent(last, f);
		last = f;
	}
	return n;
}

/*
 * Append the pages of a flit to a frame: move them, or share them with a clone.  Return: false, and
 * nothing is changed, if the flit has linear data or too many pages; or if only one of them has
 * pages that return to the pool of a device, or shares these, as clones do not count them.
 */
static bool append_pages(struct sk_buff *to, struct sk_buff *skb)
{
	struct skb_shared_info *shinfo = skb_shinfo(to), *more = skb_shinfo(skb);
	bool shared = skb_cloned(skb);
	/* Memory of the pages, which may be more than the data that the flit has in them. */
	int i, size = skb->truesize - SKB_TRUESIZE(skb_end_offset(skb));

	if (skb_headlen(skb) || skb_has_frag_list(skb) || skb_has_frag_list(to) ||
	    skb->pp_recycle != to->pp_recycle || (skb->pp_recycle && shared) ||
	    frags_with(shinfo, more) > MAX_SKB_FRAGS)
		return false;
	for (i = 0; i < more->nr_frags; i++) {
		const skb_frag_t *f = &more->frags[i];
		skb_frag_t *last = shinfo->nr_frags ? &shinfo->frags[shinfo->nr_frags - 1] : NULL;

		if (last && adjacent(last, f)) {
			skb_frag_size_add(last, skb_frag_size(f));
			if (!shared)
				skb_frag_unref(skb, i);
		} else {
			if (shared)
				skb_frag_ref(skb, i);
			shinfo->frags[shinfo->nr_frags++] = *f;
		}
	}
	if (!shared)
		more->nr_frags = 0;
	to->len += skb->len;
	to->data_len += skb->len;
	to->truesize += max_t(int, size, skb->len);
	return true;
}

/* The link layer passes on no flit with a fragment list, which would nest in that of the frame. */
static bool has_list(const struct sk_buff *flit)
{
	return WARN_ON_ONCE(skb_has_frag_list(flit));
}

/*
 * Append a flit to the fragment list of a frame, which ends at *@last: NAPI copies such a frame,
 * without the site's lock.
 */
static void append_list(struct sk_buff *to, struct sk_buff ***last, struct sk_buff *skb)
{
	skb->next = NULL;
	skb->prev = NULL;
	**last = skb;
	*last = &skb->next;
	to->len += skb->len;
	to->data_len += skb->len;
	to->truesize += skb->truesize;
}

/*
 * Join the flits of a datagram behind its head, the first @linear bytes of its data in one piece.
 * Return: NULL: no memory; they are dropped.
 */
static struct sk_buff *join(struct flitcast_ether *ether, struct sk_buff_head *flits,
			    unsigned int linear)
{
	struct sk_buff *skb = __skb_dequeue(flits), *flit, **last;

	skb_pull(skb, fc_wire_head_len(skb->data));
	if (skb_unclone(skb, GFP_ATOMIC) || has_list(skb))
		goto drop;
	/* Pages may be of a file, or of copies for other sites: IPsec must not decrypt in place. */
	skb_shinfo(skb)->flags |= SKBFL_SHARED_FRAG;
	last = &skb_shinfo(skb)->frag_list;
	while ((flit = __skb_dequeue(flits))) {
		/* The frame, too, is for sockets that free memory. */
		skb->pfmemalloc |= flit->pfmemalloc;
		if (append_pages(skb, flit)) {
			consume_skb(flit);
		} else if (has_list(flit)) {
			flitcast_drop(flit, FLITCAST_DROP_NO_MEMORY);
			goto drop;
		} else {
			append_list(skb, &last, flit);
		}
	}
	if (pskb_may_pull(skb, linear))
		return skb;
drop:
	flitcast_drop_queue(flits, FLITCAST_DROP_NO_MEMORY);
	flitcast_ether_drop(ether, FLITCAST_ETHER_RX_MEMORY, skb);
	return NULL;
}

int flitcast_seen_init(struct flitcast_seen *seen)
{
	get_random_bytes(&seen->key, sizeof(seen->key));
	seen->record.nsets = FLITCAST_SEEN_MAX / FC_SEEN_SET;
	seen->record.set = kvcalloc(seen->record.nsets, sizeof(*seen->record.set),
				    GFP_KERNEL_ACCOUNT);
	return seen->record.set ? 0 : -ENOMEM;
}

void flitcast_seen_free(struct flitcast_seen *seen)
{
	kvfree(seen->record.set);
}

/*
 * Digest of a datagram: of fields that no site on the path changes, and of the headers of its
 * frame.  A copy around a suspected link differs in hops and targets only.
 */
static u64 digest(const struct flitcast_ether *ether, const struct fc_packet *pk,
		  const struct fc_target *t, const struct sk_buff *skb)
{
	struct {
		u32 src, incarnation, sock, number, port, len;
		u8 data[DIGEST_DATA];
	} __aligned(SIPHASH_ALIGNMENT) in = {
		.src = pk->src, .incarnation = pk->incarnation, .sock = pk->sock,
		.number = t->seq, .port = t->port, .len = pk->msg_len,
	};

	/* pskb_may_pull() has shown that there is data: it cannot fail. */
	skb_copy_bits(skb, 0, in.data, min_t(u32, skb->len, sizeof(in.data)));
	return siphash(&in, sizeof(in), &ether->seen.key);
}

/* The site that sent a datagram may have restarted: forget what it had reported. */
static void update_source(struct flitcast_ether *ether, const struct received *rx)
{
	if (ether->incarnation[rx->site] == rx->incarnation)
		return;
	ether->incarnation[rx->site] = rx->incarnation;
	flitcast_members_restart(&ether->members, rx->site, rx->incarnation);
	flitcast_report_missing(ether, rx->site);
}

/* Does a datagram fit?  Reports have room of their own: neither kind displaces the other. */
static bool fits(const struct flitcast_ether *ether, u16 port)
{
	return port == FLITCAST_DGRAM_REPORT ? ether->rx_reports <= RX_REPORTS_MAX :
					       ether->rx_bytes <= RX_BYTES_MAX;
}

static unsigned int *rx_bytes(struct flitcast_ether *ether, const struct received *rx)
{
	return rx->port == FLITCAST_DGRAM_REPORT ? &ether->rx_reports : &ether->rx_bytes;
}

/* A datagram was dropped: if it was a report, it may be of a group that the site has joined. */
static void lost(struct flitcast_ether *ether, const struct received *rx)
{
	const struct flitcast_member report = { .incarnation = rx->incarnation,
						.number = rx->number };

	if (rx->port == FLITCAST_DGRAM_REPORT &&
	    flitcast_members_lost(&ether->members, rx->site, &report))
		flitcast_report_missing(ether, rx->site);
}

/* Are the source, the port, and the length of a datagram in range? */
static bool valid(const struct flitcast_site *site, const struct fc_packet *pk,
		  const struct fc_target *t)
{
	u32 len = pk->msg_len - FLITCAST_OFFLOAD_SIZE;

	if (pk->src >= site->cfg.topo.nsites || pk->msg_len < FLITCAST_OFFLOAD_SIZE)
		return false;
	switch (t->port) {
	case FLITCAST_DGRAM_FRAME:
		return len >= ETH_HLEN;
	case FLITCAST_DGRAM_REPORT:
		return len <= FLITCAST_REPORT_SIZE && pk->src != site->cfg.id;
	}
	return false;
}

void flitcast_ether_receive(struct flitcast_site *site, struct sk_buff_head *flits)
{
	struct flitcast_ether *ether = site->oper.dgrams.ether;
	const u8 *head = skb_peek(flits)->data;
	struct received rx;
	unsigned int linear;
	struct sk_buff *skb;
	struct fc_packet pk;
	struct fc_target t;

	lockdep_assert_held(&site->lock);
	fc_wire_packet_decode(&pk, head);
	fc_wire_target_decode(&t, head, 0);
	rx = (struct received) {
		.site = pk.src, .incarnation = pk.incarnation, .number = t.seq, .port = t.port,
	};
	if (!valid(site, &pk, &t)) {
		flitcast_ether_drop_flits(ether, FLITCAST_ETHER_RX_HEADER, flits);
		return;
	}
	update_source(ether, &rx);
	if (!ether->open || !fits(ether, t.port)) {
		flitcast_ether_drop_flits(ether, ether->open ? FLITCAST_ETHER_RX_FULL :
					  FLITCAST_ETHER_RX_DOWN, flits);
		lost(ether, &rx);
		return;
	}
	linear = FLITCAST_OFFLOAD_SIZE + (t.port == FLITCAST_DGRAM_FRAME ? ETH_HLEN : 0);
	skb = join(ether, flits, linear);
	if (!skb) {
		lost(ether, &rx);
		return;
	}
	/* A link that failed may have carried it, and then another path did. */
	if (!fc_seen_first(&ether->seen.record, rx.site, rx.number, digest(ether, &pk, &t, skb))) {
		site->stat[FC_STAT_PKT_DUPLICATE]++;
		atomic_long_inc(&ether->stat[FLITCAST_ETHER_RX_DOUBLE]);
		consume_skb(skb);
		return;
	}
	*RECEIVED(skb) = rx;
	*rx_bytes(ether, &rx) += skb->truesize;
	__skb_queue_tail(&ether->rxq, skb);
	napi_schedule(&ether->napi);
}

/*
 * Do devices of sites send such an offload header?  virtio_net_hdr_to_skb() checks the rest.  The
 * MTU of the sender, not the one here, bounds its segments, as it bounds its other packets.  No
 * frame that is to be segmented has a checksum.
 */
static bool offload_known(const struct net_device *dev, const struct virtio_net_hdr *offload)
{
	switch (offload->gso_type & ~VIRTIO_NET_HDR_GSO_ECN) {
	case VIRTIO_NET_HDR_GSO_NONE:
		return true;
	case VIRTIO_NET_HDR_GSO_TCPV4:
	case VIRTIO_NET_HDR_GSO_TCPV6:
		return (offload->flags & VIRTIO_NET_HDR_F_NEEDS_CSUM) &&
		       flitcast_ether_gso_fits(__virtio16_to_cpu(true, offload->gso_size),
					       dev->max_mtu);
	}
	return false;
}

/*
 * Is the checksum of a frame, if it is complete, known to be right?  The sender's host has verified
 * it, as a card does with frames that a bridge passes on, and the network has verified that none of
 * its bytes has changed since.
 */
static bool checksum_known(const struct flitcast_ether *ether, const struct virtio_net_hdr *offload)
{
	return (offload->flags & VIRTIO_NET_HDR_F_DATA_VALID) &&
	       (ether->dev->features & NETIF_F_RXCSUM) && flitcast_site_verifies(ether->site);
}

/*
 * Copy a frame with a fragment list into pages: devices and ciphers map no more than MAX_SKB_FRAGS
 * pieces, and skb_segment() takes the linear data in a list for one segment, but flits end
 * anywhere.  Takes @skb.  Return: NULL: no memory; it is dropped.
 */
static noinline struct sk_buff *in_pages(struct flitcast_ether *ether, struct sk_buff *skb)
{
	unsigned int head = min_t(unsigned int, skb->len, COPY_LINEAR), off = head;
	struct sk_buff *copy;
	int err, i;

	copy = alloc_skb_with_frags(NET_SKB_PAD + head, skb->len - head, PAGE_ALLOC_COSTLY_ORDER,
				    &err, GFP_ATOMIC);
	if (!copy) {
		flitcast_ether_drop(ether, FLITCAST_ETHER_RX_MEMORY, skb);
		return NULL;
	}
	skb_reserve(copy, NET_SKB_PAD);
	skb_copy_bits(skb, 0, skb_put(copy, head), head);
	for (i = 0; i < skb_shinfo(copy)->nr_frags; i++) {
		const skb_frag_t *f = &skb_shinfo(copy)->frags[i];

		skb_copy_bits(skb, off, skb_frag_address(f), skb_frag_size(f));
		off += skb_frag_size(f);
	}
	copy->len += skb->len - head;
	copy->data_len = skb->len - head;
	copy->pfmemalloc |= skb->pfmemalloc;
	consume_skb(skb);
	return copy;
}

/* A frame from an address has come from a site: the address is behind its device. */
static void learn(struct flitcast_ether *ether, const u8 *address, u32 from)
{
	const struct flitcast_site *site = ether->site;

	if (from != site->cfg.id && is_valid_ether_addr(address) &&
	    flitcast_ether_site_of(address, site->cfg.topo.nsites) == FC_SITE_NONE)
		flitcast_learn_add(&ether->learn, address, from);
}

/* Pass a frame to the stack. */
static void deliver_frame(struct flitcast_ether *ether, struct sk_buff *skb)
{
	struct net_device *dev = ether->dev;
	struct virtio_net_hdr offload;
	u32 from = RECEIVED(skb)->site;
	unsigned int len;

	memcpy(&offload, skb->data, sizeof(offload));
	if (unlikely(skb_has_frag_list(skb))) {
		skb = in_pages(ether, skb);
		if (!skb)
			return;
	}
	skb_pull(skb, FLITCAST_OFFLOAD_SIZE);
	len = skb->len;
	skb_scrub_packet(skb, true);
	skb->dev = dev;
	/* Offloads of the link that carried it, and of the sender whose pages it shares. */
	skb_shinfo(skb)->gso_size = 0;
	skb_shinfo(skb)->gso_segs = 0;
	skb_shinfo(skb)->gso_type = 0;
	skb->encapsulation = 0;
	skb->csum_level = 0;
	skb_reset_redirect(skb);
	skb_clear_hash(skb);
	skb_set_queue_mapping(skb, 0);
	/* A peer may choose it in its own namespace: that of a bridged frame orders queues. */
	skb->priority = 0;
	memset(skb_hwtstamps(skb), 0, sizeof(*skb_hwtstamps(skb)));
	/* virtio_net_hdr_to_skb() marks a partial one. */
	skb->ip_summed = checksum_known(ether, &offload) ? CHECKSUM_UNNECESSARY : CHECKSUM_NONE;
	/* virtio_net_hdr_to_skb() takes the protocol from the frame if there is none. */
	skb->protocol = 0;
	skb_reset_mac_header(skb);
	skb_reset_network_header(skb);
	skb_reset_transport_header(skb);
	if (!offload_known(dev, &offload) || virtio_net_hdr_to_skb(skb, &offload, true)) {
		flitcast_ether_drop(ether, FLITCAST_ETHER_RX_HEADER, skb);
		return;
	}
	learn(ether, skb->data + ETH_ALEN, from);
	skb->protocol = eth_type_trans(skb, dev);
	dev_sw_netstats_rx_add(dev, len);
	napi_gro_receive(&ether->napi, skb);
}

static void deliver(struct flitcast_ether *ether, struct sk_buff *skb)
{
	const struct received rx = *RECEIVED(skb);

	if (rx.port == FLITCAST_DGRAM_FRAME) {
		deliver_frame(ether, skb);
		return;
	}
	skb_pull(skb, FLITCAST_OFFLOAD_SIZE);
	flitcast_report_receive(ether, skb, rx.site, rx.incarnation, rx.number);
}

int flitcast_ether_poll(struct napi_struct *napi, int budget)
{
	struct flitcast_ether *ether = container_of(napi, struct flitcast_ether, napi);
	struct flitcast_site *site = ether->site;
	struct sk_buff_head frames;
	struct sk_buff *skb;
	int n = 0;

	__skb_queue_head_init(&frames);
	spin_lock(&site->lock);
	while (n < budget && (skb = __skb_dequeue(&ether->rxq))) {
		*rx_bytes(ether, RECEIVED(skb)) -= skb->truesize;
		__skb_queue_tail(&frames, skb);
		n++;
	}
	spin_unlock(&site->lock);
	while ((skb = __skb_dequeue(&frames)))
		deliver(ether, skb);
	/* A frame queued from here on schedules the NAPI again. */
	if (n < budget)
		napi_complete_done(napi, n);
	return n;
}
