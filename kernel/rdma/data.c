// SPDX-License-Identifier: GPL-2.0
/*
 * Frames over a connection: receive buffers, which become the data of skbs, and send requests,
 * which refer to the memory of skbs.  No payload is copied.
 */
#include <linux/slab.h>
#include "drop.h"
#include "core/wire/wire_link.h"
#include "core/wire/wire_plain.h"
#include "rdma/rdma.h"

/*
 * Receiving.
 */

void rdma_recv_layout(struct rdma_link *l, u32 flit)
{
	u32 left = flit > RDMA_LINEAR ? flit - RDMA_LINEAR : 0, order;

	/*
	 * The first fragment is one page: a frame of less than a page leaves the other fragments in
	 * the buffer.
	 */
	for (l->nfrags = 0; left; l->nfrags++) {
		order = l->nfrags ? min_t(u32, get_order(left), RDMA_FRAG_ORDER) : 0;
		l->order[l->nfrags] = order;
		left -= min_t(u32, left, PAGE_SIZE << order);
	}
}

static u32 frag_size(const struct rdma_link *l, u32 i)
{
	return PAGE_SIZE << l->order[i];
}

static void recv_unmap(struct rdma_conn *c, const struct rdma_recv *r, u32 nfrags)
{
	ib_dma_unmap_single(c->dev, r->sge[0].addr, RDMA_LINEAR, DMA_FROM_DEVICE);
	while (nfrags--)
		ib_dma_unmap_page(c->dev, r->sge[1 + nfrags].addr, frag_size(c->l, nfrags),
				  DMA_FROM_DEVICE);
}

static struct page *frag_alloc(struct rdma_conn *c, u32 i, u64 *addr, gfp_t gfp)
{
	struct page *page = alloc_pages(gfp | __GFP_COMP | __GFP_NOWARN, c->l->order[i]);

	if (!page)
		return NULL;
	*addr = ib_dma_map_page(c->dev, page, 0, frag_size(c->l, i), DMA_FROM_DEVICE);
	if (!ib_dma_mapping_error(c->dev, *addr))
		return page;
	__free_pages(page, c->l->order[i]);
	return NULL;
}

static struct sk_buff *head_alloc(struct rdma_conn *c, u64 *addr, gfp_t gfp)
{
	struct sk_buff *skb = alloc_skb(FLITCAST_LINK_HEADROOM + RDMA_LINEAR, gfp | __GFP_NOWARN);

	if (!skb)
		return NULL;
	skb_reserve(skb, FLITCAST_LINK_HEADROOM);
	*addr = ib_dma_map_single(c->dev, skb->data, RDMA_LINEAR, DMA_FROM_DEVICE);
	if (!ib_dma_mapping_error(c->dev, *addr))
		return skb;
	consume_skb(skb);
	return NULL;
}

/* Allocate and map the linear part and the first @nfrags fragments of a buffer, or nothing. */
static bool recv_alloc(struct rdma_conn *c, struct rdma_recv *r, u32 nfrags, gfp_t gfp)
{
	u32 i;

	for (i = 0; i < nfrags; i++) {
		r->page[i] = frag_alloc(c, i, &r->sge[1 + i].addr, gfp);
		if (!r->page[i])
			goto fail;
	}
	r->skb = head_alloc(c, &r->sge[0].addr, gfp);
	if (r->skb)
		return true;
fail:
	while (i--) {
		ib_dma_unmap_page(c->dev, r->sge[1 + i].addr, frag_size(c->l, i),
				  DMA_FROM_DEVICE);
		__free_pages(r->page[i], c->l->order[i]);
	}
	return false;
}

static void recv_free(struct rdma_conn *c, struct rdma_recv *r)
{
	u32 i;

	if (!r->skb)
		return;
	recv_unmap(c, r, c->l->nfrags);
	consume_skb(r->skb);
	for (i = 0; i < c->l->nfrags; i++)
		__free_pages(r->page[i], c->l->order[i]);
}

static int recv_post(struct rdma_conn *c, struct rdma_recv *r)
{
	struct ib_recv_wr wr = {
		.wr_cqe = &r->cqe, .sg_list = r->sge, .num_sge = 1 + c->l->nfrags,
	};

	return ib_post_recv(c->qp, &wr, NULL);
}

int rdma_recv_begin(struct rdma_conn *c)
{
	u32 i, k;
	int err;

	for (i = 0; i < c->nrecv; i++) {
		struct rdma_recv *r = &c->recv[i];

		for (k = 0; k <= c->l->nfrags; k++) {
			r->sge[k].length = k ? frag_size(c->l, k - 1) : RDMA_LINEAR;
			r->sge[k].lkey = c->pd->local_dma_lkey;
		}
		/* not charged: a bounded number per link, as the ring of a device */
		if (!recv_alloc(c, r, c->l->nfrags, GFP_KERNEL))
			return -ENOMEM;
		err = recv_post(c, r);
		if (err)
			return err;
	}
	return 0;
}

static void frame_in(struct rdma_link *l, struct sk_buff *skb)
{
	rcu_read_lock();
	if (unlikely(READ_ONCE(l->dead)))
		flitcast_drop(skb, FLITCAST_DROP_DOWN);
	else if (l->link.code.used && !flitcast_code_take(&l->link, skb))
		; /* refused, counted and freed */
	else if (!fc_link_fast(skb->data, skb_headlen(skb), skb->len) ||
		 !l->link.ops->pass(&l->link, skb))
		flitcast_link_input(&l->link, skb, true);
	rcu_read_unlock();
}

/*
 * Replace the skb and the fragments that the frame fills by new ones, and pass them up.  Without
 * memory for new ones the frame is dropped, and the peer resends a flit.
 */
static void recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rdma_recv *r = container_of(wc->wr_cqe, struct rdma_recv, cqe), fresh, full;
	u32 left, n, i, nfrags = 0, size = wc->byte_len;
	struct rdma_conn *c = cq->cq_context;
	struct rdma_link *l = c->l;

	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		rdma_link_broken(c, ib_wc_status_msg(wc->status));
		return;
	}
	/* RDMA WRITE with immediate data also consumes a buffer, without filling it. */
	if (unlikely(wc->opcode != IB_WC_RECV)) {
		rdma_link_broken(c, "the peer sent what is no message");
		return;
	}
	left = size - min_t(u32, size, RDMA_LINEAR);
	for (n = left; n && nfrags < l->nfrags; nfrags++)
		n -= min(n, frag_size(l, nfrags));
	full = *r;
	if (likely(recv_alloc(c, &fresh, nfrags, GFP_ATOMIC))) {
		recv_unmap(c, &full, nfrags);
		r->skb = fresh.skb;
		r->sge[0].addr = fresh.sge[0].addr;
		for (i = 0; i < nfrags; i++) {
			r->page[i] = fresh.page[i];
			r->sge[1 + i].addr = fresh.sge[1 + i].addr;
		}
	} else {
		full.skb = NULL;
	}
	if (unlikely(recv_post(c, r)))
		rdma_link_broken(c, "a receive buffer could not be posted");
	if (unlikely(!full.skb))
		return;
	skb_put(full.skb, size - left);
	for (i = 0; i < nfrags; i++, left -= n) {
		n = min(left, frag_size(l, i));
		skb_add_rx_frag(full.skb, i, full.page[i], 0, n, frag_size(l, i));
	}
	frame_in(l, full.skb);
}

/*
 * Sending.
 */

static void send_unmap(struct rdma_conn *c, const struct rdma_send *s)
{
	int i;

	ib_dma_unmap_single(c->dev, s->sge[0].addr, s->sge[0].length, DMA_TO_DEVICE);
	for (i = 1; i < s->wr.num_sge; i++)
		ib_dma_unmap_page(c->dev, s->sge[i].addr, s->sge[i].length, DMA_TO_DEVICE);
}

/* A completion covers its request and all requests before it. */
static void send_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rdma_send *s = container_of(wc->wr_cqe, struct rdma_send, cqe);
	struct rdma_conn *c = cq->cq_context;
	u32 upto = s->seq;

	if (unlikely(wc->status != IB_WC_SUCCESS))
		rdma_link_broken(c, ib_wc_status_msg(wc->status));
	rcu_read_lock();
	while ((s32)(upto - c->tail) >= 0) {
		struct sk_buff *skb;

		s = &c->send[c->tail % c->nsend];
		send_unmap(c, s);
		skb = s->skb;
		/* Pairs with used().  Update @tail before freeing the frame wakes the link. */
		smp_store_release(&c->tail, c->tail + 1);
		flitcast_link_arrive(skb);
		consume_skb(skb);
	}
	rcu_read_unlock();
}

/* Number of requests in use.  Context: @tx_lock of the link. */
static u32 used(const struct rdma_conn *c)
{
	/* Pairs with send_done(), which unmaps a request before it may be reused. */
	return c->head - smp_load_acquire(&c->tail);
}

static bool send_map(struct rdma_conn *c, struct rdma_send *s, struct sk_buff *skb)
{
	u32 nfrags = skb_shinfo(skb)->nr_frags, i;
	struct ib_sge *sge = s->sge;

	s->wr.num_sge = 1;
	sge->length = skb_headlen(skb);
	sge->addr = ib_dma_map_single(c->dev, skb->data, sge->length, DMA_TO_DEVICE);
	if (ib_dma_mapping_error(c->dev, sge->addr))
		return false;
	for (i = 0; i < nfrags; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];

		sge++;
		sge->length = skb_frag_size(frag);
		sge->addr = ib_dma_map_page(c->dev, skb_frag_page(frag), skb_frag_off(frag),
					    sge->length, DMA_TO_DEVICE);
		if (ib_dma_mapping_error(c->dev, sge->addr)) {
			send_unmap(c, s);
			return false;
		}
		s->wr.num_sge++;
	}
	return true;
}

bool rdma_transmit(struct flitcast_link *link, struct sk_buff *skb)
	__must_hold(&link->tx_lock)
{
	struct rdma_conn *c = rcu_dereference(rdma_link_of(link)->conn);
	enum flitcast_drop why = FLITCAST_DROP_DOWN;
	struct rdma_send *s;

	/* Pairs with cmpxchg() of conn_event(): rdma_flush() finds the queue pair. */
	if (!c || smp_load_acquire(&c->state) != RDMA_CONNECTED || used(c) == c->nsend)
		goto drop;
	why = FLITCAST_DROP_NO_MEMORY;
	/* A few devices have fewer entries than an skb may have fragments: linearise. */
	if ((skb_has_frag_list(skb) || skb_shinfo(skb)->nr_frags >= c->max_sge) &&
	    skb_linearize(skb))
		goto drop;
	s = &c->send[c->head % c->nsend];
	if (!send_map(c, s, skb))
		goto drop;
	s->skb = skb;
	s->seq = c->head;
	s->wr.next = NULL;
	s->wr.send_flags = (c->head + 1) % RDMA_SEND_SIGNAL ? 0 : IB_SEND_SIGNALED;
	if (c->head != c->posted)
		c->send[(c->head - 1) % c->nsend].wr.next = &s->wr;
	c->head++;
	flitcast_link_charge(link, skb);
	return true;
drop:
	flitcast_drop(skb, why);
	return false;
}

void rdma_flush(struct flitcast_link *link)
{
	struct rdma_conn *c = rcu_dereference(rdma_link_of(link)->conn);
	u32 first;

	if (!c || c->head == c->posted)
		return;
	first = c->posted;
	c->posted = c->head;
	c->send[(c->head - 1) % c->nsend].wr.send_flags = IB_SEND_SIGNALED;
	/* rdma_data_end() frees requests that were not posted. */
	if (unlikely(ib_post_send(c->qp, &c->send[first % c->nsend].wr, NULL)))
		rdma_link_broken(c, "a send request could not be posted");
}

bool rdma_room(const struct flitcast_link *link)
{
	struct rdma_conn *c = rcu_dereference(rdma_link_of(link)->conn);

	return !c || used(c) < c->nsend - RDMA_SEND_SPARE;
}

void rdma_data_init(struct rdma_conn *c)
{
	u32 i;

	for (i = 0; i < c->nrecv; i++)
		c->recv[i].cqe.done = recv_done;
	for (i = 0; i < c->nsend; i++) {
		struct rdma_send *s = &c->send[i];
		u32 k;

		s->cqe.done = send_done;
		s->wr.wr_cqe = &s->cqe;
		s->wr.sg_list = s->sge;
		s->wr.opcode = IB_WR_SEND;
		for (k = 0; k < c->max_sge; k++)
			s->sge[k].lkey = c->pd->local_dma_lkey;
	}
}

void rdma_data_end(struct rdma_conn *c)
{
	u32 i;

	for (; c->tail != c->head; c->tail++) {
		struct rdma_send *s = &c->send[c->tail % c->nsend];

		send_unmap(c, s);
		flitcast_drop(s->skb, FLITCAST_DROP_DOWN);
	}
	for (i = 0; i < c->nrecv; i++)
		recv_free(c, &c->recv[i]);
}
