// SPDX-License-Identifier: GPL-2.0
/*
 * Sources, targets and stores of a world.
 */
#include "world_impl.h"

static void no_skip(void *arg, struct fc_rxmsg *msg)
{
	world_breaks("message %u of a flow was skipped", msg->seq);
}

bool world_end_over(unsigned int m, unsigned int t)
{
	const struct fc_txtarget *tx = &world.end[m][t].tx;

	return world_cfg->datagrams ? tx->sent : fc_txtarget_completed(tx);
}

/* Do packets of a flow keep their order?  In mode care operators store packets that are aborted. */
static bool keeps_order(void)
{
	return !world_cfg->faults && !world.repeated && !world.doubled && !world.stored;
}

/* Are two datagrams of one flow, and for the same sites? */
static bool same_path(const struct world_message *a, const struct world_message *b)
{
	return a->from == b->from && a->ntargets == b->ntargets &&
	       !memcmp(a->to, b->to, sizeof(a->to));
}

/* The network device of a target drops a datagram that it has received before. */
static void deliver_datagram(unsigned int at, u8 m, unsigned int t)
{
	struct end *end = &world.end[m][t];

	if (end->delivered && !world.repeated && !world.doubled)
		world_breaks("site %u: datagram %u twice, though no link failed", at, m);
	for (u8 k = 0; k < m && keeps_order(); k++)
		if (same_path(&world_cfg->message[k], &world_cfg->message[m]) &&
		    !world.end[k][t].delivered)
			world_breaks("site %u: datagram %u overtakes %u of its flow", at, m, k);
	end->delivered = true;
}

/* Confirmations arrive at once; premature repetitions (early=) cover late ones. */
static void confirm(u8 flow, const struct fc_ctrl *ctrl)
{
	for (unsigned int m = 0; m < world_cfg->nmessages; m++) {
		const struct world_message *msg = &world_cfg->message[m];

		for (unsigned int t = 0; t < msg->ntargets; t++) {
			struct end *end = &world.end[m][t];

			if (msg->flow[t] != flow || world_end_over(m, t))
				continue;
			fc_txtarget_answer(&end->tx, ctrl);
			if (world_end_over(m, t))
				world.tx[flow].oldest = msg->seq[t] + 1u;
		}
	}
}

void world_deliver(unsigned int at, u8 m, unsigned int t)
{
	const struct world_message *msg = &world_cfg->message[m];
	u8 flow = msg->flow[t];
	struct fc_rxflow *rx = &world.rx[flow];
	struct fc_part part = world_part(msg);
	struct fc_ctrl ctrl = { .kind = FC_CTRL_CONFIRM };
	struct fc_target target;
	struct fc_rxmsg *slot;

	if (msg->to[t] != at) {
		world_breaks("site %u: message %u for site %u", at, m, msg->to[t]);
		return;
	}
	if (world_cfg->datagrams) {
		deliver_datagram(at, m, t);
		return;
	}
	fc_wire_target_decode(&target, content_of(world_front(m, (u8)fc_bit(t)))->head, 0);
	switch (fc_rxflow_packet(rx, &target, &part, 0, &slot, no_skip, NULL)) {
	case FC_RX_ADMIT:
		if (world.node[at].unread) {
			ctrl.kind = FC_CTRL_NO_SPACE;
			ctrl.seq = target.seq;
			ctrl.next = rx->next;
			confirm(flow, &ctrl);
			return;
		}
		fc_rxflow_admit(rx, slot, &target, &part, (void *)(uintptr_t)(m + 1));
		fc_rxmsg_stored(slot, 0);
		break;
	case FC_RX_DUPLICATE:
		/*
		 * A source repeats a message that waits for earlier ones, to request the cumulative
		 * ack.
		 */
		if (!world.repeated && !world.doubled && world.tx[flow].next == 1)
			world_breaks("site %u: message %u twice, though nothing was repeated", at,
				     m);
		break;
	case FC_RX_TAKE:
	case FC_RX_BAD:
		world_breaks("site %u: message %u contradicts itself", at, m);
		return;
	}
	while ((slot = fc_rxflow_ready(rx))) {
		u8 got = (u8)((uintptr_t)slot->h - 1);

		for (t = 0; world_cfg->message[got].to[t] != at; t++)
			;
		if (world.end[got][t].delivered)
			world_breaks("site %u: message %u delivered twice", at, got);
		if (world_cfg->message[got].seq[t] != rx->next)
			world_breaks("site %u: message %u out of order", at, got);
		world.end[got][t].delivered = true;
		if (world_cfg->slow & fc_bit(at))
			world.node[at].unread++;
		fc_rxflow_delivered(rx, slot);
	}
	fc_rxflow_confirm(rx, target.seq, &ctrl);
	confirm(flow, &ctrl);
}

/* A packet finds no place in the pool of a site, and is dropped. */
static void dropped(void)
{
	/* Messages are repeated in mode care for other reasons, too. */
	if (fc_mode_ops(world_cfg->mode)->classes || world_cfg->datagrams)
		world.repeated = true;
}

void world_store(unsigned int at, u8 id)
{
	/* The network-buffer itself stores one more packet. */
	unsigned int room = world_cfg->pool + (world_cfg->drop ? 0u : 1u);
	struct node *node = &world.node[at];

	world.stored = true;
	if (node->full) {
		node->full = false;
		dropped();
	} else if (node->nstored < room) {
		node->stored[node->nstored++] = id;
	} else if (!world_cfg->drop) {
		world_breaks("site %u: a packet for a network-buffer that is in use", at);
	} else {
		dropped();
	}
}

/* Is the content a flit or a branch of message @m? */
static bool of(unsigned int m, u8 id)
{
	return id && content_of(id)->message == m;
}

static bool on_line(const struct lines *line, unsigned int p, unsigned int m)
{
	const struct wire *wire = &line->wire[p];

	for (unsigned int i = 0; i < wire->n; i++)
		if (of(m, wire->frame[i].id))
			return true;
	for (unsigned int i = 0; i < line->nreplay[p]; i++)
		if (of(m, line->replay[p][i].id))
			return true;
	for (unsigned int i = 0; line->rx[p].queued && i < world_cfg->window; i++)
		if (of(m, id_of(&line->queue[p][i])))
			return true;
	return false;
}

bool world_in_flight(unsigned int m)
{
	for (unsigned int at = 0; at < world_cfg->topo.nsites; at++) {
		const struct node *node = &world.node[at];

		if (of(m, node->sending))
			return true;
		for (unsigned int i = 0; i < node->nbuffer; i++)
			if (of(m, node->buffer[i]))
				return true;
		for (unsigned int i = 0; i < node->nstored; i++)
			if (of(m, node->stored[i]))
				return true;
		for (unsigned int p = 0; p < node->shared.nports; p++) {
			if (of(m, id_of(&node->in[p].held)))
				return true;
			for (u8 c = 0; c < world_nchannels; c++)
				if (on_line(&node->line[c], p, m))
					return true;
		}
	}
	return false;
}

/* Targets of a datagram if it is the next one of its source; 0: it is not. */
static u8 next_datagram(unsigned int m)
{
	const struct world_message *msg = &world_cfg->message[m];

	for (unsigned int k = 0; k < m; k++)
		if (world_cfg->message[k].from == msg->from && !world_end_over(k, 0))
			return 0;
	return world_end_over(m, 0) ? 0 : (u8)fc_mask_all(msg->ntargets);
}

u8 world_unconfirmed(unsigned int m)
{
	const struct world_message *msg = &world_cfg->message[m];
	u8 mask = 0;

	if (world_cfg->datagrams)
		return next_datagram(m);
	for (unsigned int t = 0; t < msg->ntargets; t++) {
		struct fc_txtarget tx = world.end[m][t].tx;

		if (fc_txtarget_completed(&tx))
			continue;
		fc_txtarget_repeat(&tx);
		if (!fc_txtarget_next(&tx, &world.tx[msg->flow[t]]))
			mask |= (u8)fc_bit(t);
	}
	return mask;
}

/* Is the network lossless in this state? */
static bool keeps_all(void)
{
	return fc_mode_ops(world_cfg->mode)->classes && !world_cfg->faults && !world.repeated;
}

void world_sent(unsigned int m, u8 mask)
{
	for (unsigned int t = 0; t < world_cfg->message[m].ntargets; t++) {
		struct fc_txtarget *tx = &world.end[m][t].tx;

		if (!(mask >> t & 1) || fc_txtarget_completed(tx))
			continue;
		if (tx->sent > tx->base && keeps_all())
			world_breaks("message %u to site %u is lost", m,
				     world_cfg->message[m].to[t]);
		fc_txtarget_sent(tx, 0);
	}
}

void world_read(unsigned int at)
{
	world.node[at].unread--;
	for (unsigned int m = 0; m < world_cfg->nmessages; m++) {
		const struct world_message *msg = &world_cfg->message[m];

		for (unsigned int t = 0; t < msg->ntargets; t++) {
			struct fc_txtarget *tx = &world.end[m][t].tx;
			struct fc_ctrl ctrl = {
				.kind = FC_CTRL_GRANT, .seq = msg->seq[t],
				.next = world.rx[msg->flow[t]].next,
			};

			if (msg->to[t] == at && tx->state == FC_TX_NO_SPACE)
				fc_txtarget_answer(tx, &ctrl);
		}
	}
}
