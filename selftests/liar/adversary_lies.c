// SPDX-License-Identifier: GPL-2.0
/*
 * The lies of an adversary.  Each of its frames is one that an honest site could send, but for
 * ADV_ONES, whose flits after the front are shorter than the rules permit.
 */
#include <string.h>
#include "adversary.h"

#define PORT		4242
#define RETRY_NS	5000000ULL

/* Bit i of the mask of received flits that follow the acked ones. */
static u64 bit(u32 i)
{
	return i < 64 ? 1ULL << i : 0;
}

void adv_take(const struct adversary *a, struct adv_channel *c, u32 seq, u64 now)
{
	u32 i = seq - c->next;

	c->active = true;
	c->dirty = true;
	if (fc_before(c->end, seq + 1))
		c->end = seq + 1;
	/* An honest site counts a flit that it has acknowledged no more. */
	if (i < 64)
		c->have |= bit(i);
	if (a->orders.lie == ADV_WITHHOLD || a->orders.lie == ADV_NACK)
		return;
	if (a->orders.lie == ADV_SLOW) {
		if (c->at == FC_NEVER)
			c->at = now + a->orders.every;
		return;
	}
	for (; c->have & 1; c->have >>= 1)
		c->next++;
}

void adv_report(const struct adversary *a, const struct adv_channel *c, struct fc_link_hdr *h,
		struct fc_status *s)
{
	u32 i;

	h->ack = c->next;
	s->have = c->have;
	if (a->orders.lie == ADV_NACK) {
		s->have = 0;
		s->upto = c->end;
		if (c->end != c->next)
			h->flags |= FC_STATUS_NACK;
		return;
	}
	for (i = 0; i < 64 && fc_before(c->next + i, c->end); i++) {
		if (c->have & bit(i))
			continue;
		h->flags |= FC_STATUS_NACK;
		s->upto = c->end;
	}
}

/*
 * Return: a target for the packets of a channel, the farthest one first, and then each other site
 * to which the peer forwards packets of the class; FC_SITE_NONE: there is none.
 */
static u32 target(const struct adversary *a, u8 port, u8 vc, u32 turn)
{
	u32 peer = a->port[port].hello.want_site, site, n = 0, far = 0, distance;
	u32 found = FC_SITE_NONE;
	u8 next[FC_DIRS_MAX];

	for (site = 0; site < a->topo.nsites; site++) {
		if (site == peer || site == a->site)
			continue;
		if (fc_mode_ops(a->mode)->classes &&
		    !fc_vclass_next_hops(&a->classes, peer, site, fc_vc_class(vc), next))
			continue;
		distance = a->topo.ops->distance(&a->topo, peer, site);
		if (turn ? n++ % turn == turn - 1 : distance > far) {
			far = distance;
			found = site;
		}
	}
	return found;
}

/* Begin a packet: send its front. */
static void begin(struct adversary *a, u8 port, u8 vc)
{
	struct adv_channel *c = &a->port[port].channel[vc];
	u32 to = target(a, port, vc, c->turn % 4), size = fc_head_size(1);
	u32 room = a->flit - FC_LINK_SIZE - size, len = FC_PACKET_MAX;
	struct fc_packet pk = {
		.src = a->orders.as, .incarnation = a->word.incarnation, .sock = 77 + c->turn,
		.src_port = PORT, .ntargets = 1, .id = c->turn, .msg_len = len,
		.kind = c->turn % 2 || a->orders.lie == ADV_ONES ? FC_KIND_DATAGRAM :
								   FC_KIND_MESSAGE,
		.hops = 1,
	};
	struct fc_target t = { .site = to, .port = PORT, .flags = FC_TARGET_LAST, .len = len };
	u8 p[65536] = { 0 };
	u32 data = a->orders.lie == ADV_ONES && a->orders.data < room ? a->orders.data : room;

	if (to == FC_SITE_NONE)
		to = a->port[port].hello.want_site;
	t.site = to;
	fc_wire_packet_encode(p, &pk);
	fc_wire_target_encode(p, 0, &t);
	c->turn++;
	c->busy = true;
	c->left = len - data;
	adv_send_flit(a, port, vc, FC_PART_HEAD, p, size + data);
}

/* Send the next flit of the packet. */
static void proceed(struct adversary *a, u8 port, u8 vc)
{
	struct adv_channel *c = &a->port[port].channel[vc];
	u32 most = a->orders.lie == ADV_ONES ? a->orders.data : a->flit - FC_LINK_SIZE;
	u32 data = c->left < most ? c->left : most;
	static const u8 zeros[65536];

	c->left -= data;
	c->busy = c->left;
	adv_send_flit(a, port, vc, c->busy ? 0 : FC_PART_TERM, zeros, data);
}

static bool has_credit(const struct adv_port *p, const struct adv_channel *c, u32 flits)
{
	return c->sent - c->acked + flits <= p->hello.peer.window;
}

/* Flits of a packet that are sent one by one, or none after the front. */
static u64 send_some(struct adversary *a, u8 port, u8 vc, u64 now)
{
	struct adv_port *p = &a->port[port];
	struct adv_channel *c = &p->channel[vc];
	u64 pause = a->orders.lie == ADV_FRONT ? a->orders.again : a->orders.every;

	if (c->at > now && c->at != FC_NEVER)
		return c->at;
	/* The peer has not consumed what it has: it will, or it resets the link. */
	if (!has_credit(p, c, 2))
		return now + RETRY_NS;
	if (a->orders.lie == ADV_FRONT && c->busy) {
		if (!a->orders.again)
			return FC_NEVER;
		c->busy = false;
		adv_send_flit(a, port, vc, FC_PART_TERM | FC_PART_ABORT, NULL, 0);
	}
	if (c->busy)
		proceed(a, port, vc);
	else
		begin(a, port, vc);
	c->at = now + pause;
	return c->at;
}

/* As many flits as the peer has credit for. */
static u64 send_ones(struct adversary *a, u8 port, u8 vc, u64 now)
{
	struct adv_port *p = &a->port[port];
	struct adv_channel *c = &p->channel[vc];
	unsigned int budget;

	for (budget = 16; budget && has_credit(p, c, 1); budget--) {
		if (c->busy)
			proceed(a, port, vc);
		else
			begin(a, port, vc);
	}
	return now + RETRY_NS;
}

u64 adv_act(struct adversary *a, u8 port, u8 vc, u64 now)
{
	struct adv_channel *c = &a->port[port].channel[vc];

	switch (a->orders.lie) {
	case ADV_FRONT:
	case ADV_TRICKLE:
		return c->carried ? send_some(a, port, vc, now) : FC_NEVER;
	case ADV_ONES:
		return c->carried ? send_ones(a, port, vc, now) : FC_NEVER;
	case ADV_SLOW:
		if (c->at > now)
			return c->at;
		if (c->have & 1) {
			c->have >>= 1;
			c->next++;
			c->dirty = true;
		}
		c->at = c->have ? now + a->orders.every : FC_NEVER;
		return c->at;
	case ADV_WITHHOLD:
	case ADV_MUTE:
	case ADV_NACK:
	case ADV_HONEST:
	case ADV_HELLO:
	case ADV_CONTROL:
	case ADV_FAULTS:
	case ADV_BLAME:
	case ADV_COUNT:
		break;
	}
	return FC_NEVER;
}
