// SPDX-License-Identifier: GPL-2.0
/*
 * Faults of a faulty site: it alters, drops, forges and replays broadcasts.
 *
 * Faulty sites collude: the replacement of a broadcast and the forged broadcasts depend only on
 * that broadcast, so faulty sites vote for each other.
 */
#include <stdlib.h>
#include <string.h>
#include "liar_impl.h"

/* Interval of forged broadcasts on an idle network. */
#define IDLE_NS		100000000ULL
/* Maximum number of pending lies; the liar drops further ones. */
#define TODO_MAX	4
/* Bytes of a forged broadcast. */
#define FORGED_BYTES	24

u32 liar_random(struct liar *l, u32 below)
{
	l->rng ^= l->rng << 13;
	l->rng ^= l->rng >> 7;
	l->rng ^= l->rng << 17;
	return (u32)(l->rng >> 32) % below;
}

u32 liar_next_hop(struct liar *l, u32 paths)
{
	if (l->lies & LIE_DROP && !liar_random(l, l->lies == LIE_DROP ? 1 : 4))
		return paths & fc_bit(FC_PORT_LOCAL);
	return paths;
}

/* Alter the contents of the head, but not its length. */
static void alter_head(struct liar *l, u8 *head)
{
	struct fc_packet pk;
	struct fc_bcast_hdr bcast;

	fc_wire_packet_decode(&pk, head);
	fc_wire_bcast_decode(&bcast, head);
	switch (liar_random(l, 6)) {
	case 0:
		bcast.seq++;
		break;
	case 1:
		/* With one copy, a receiver would accept the broadcast without votes. */
		bcast.copies = 1;
		break;
	case 2:
		pk.id ^= 1;
		break;
	case 3:
		/* Any site but this one, as in forge(). */
		do {
			pk.src = liar_random(l, l->topo.nsites);
		} while (pk.src == l->site);
		break;
	case 4:
		pk.incarnation++;
		break;
	default:
		bcast.number += 5;
		bcast.outstanding = 0;
		break;
	}
	fc_wire_packet_encode(head, &pk);
	fc_wire_bcast_encode(head, &bcast);
}

/* The label with which a packet is forwarded, unless the liar alters it. */
static u8 next_label(const struct liar *l, const struct flits *held, const u8 *head, u8 port)
{
	const struct fc_hold *hold = &l->bcast.relay.hold[held - l->bcast.held];
	const struct liar_paths *w;
	struct fc_packet pk;
	struct fc_bcast_hdr bcast;

	fc_wire_packet_decode(&pk, head);
	fc_wire_bcast_decode(&bcast, head);
	w = liar_paths(l, pk.src, bcast.copies);
	return w ? fc_path_label(w->entry, w->n, hold->in, bcast.label, port) : 0;
}

struct flit *liar_sends(struct liar *l, struct flits *held, u32 index, u8 port, bool head)
{
	struct flit *f = held->flit[index], *sent;
	u32 at = head ? HEAD_SIZE : 0;

	if (!head && !(held->altered & fc_bit(port))) {
		f->refs++;
		return f;
	}
	sent = flit_new(f->data, f->len);
	if (!sent)
		return NULL;
	if (head && f->forged) {
		memcpy(sent->data, f->claim, HEAD_SIZE);
		return sent;
	}
	if (head) {
		fc_wire_bcast_hop(sent->data, next_label(l, held, sent->data, port));
		if (l->lies & LIE_ALTER && (l->lies == LIE_ALTER || liar_random(l, 4)))
			held->altered |= fc_bit(port);
	}
	if (!(held->altered & fc_bit(port)))
		return sent;
	if (sent->len > at)
		sent->data[at] ^= 0x55;
	if (head && (sent->len == at || !liar_random(l, 4)))
		alter_head(l, sent->data);
	return sent;
}

static void remember(struct liar *l, const struct flits *held)
{
	struct flits *m = &l->memory[l->next % MEMORY];
	u32 i;

	for (i = 0; i < m->n; i++)
		flit_put(m->flit[i]);
	free(m->flit);
	m->flit = calloc(held->n, sizeof(*m->flit));
	m->n = m->flit ? held->n : 0;
	for (i = 0; i < m->n; i++) {
		m->flit[i] = held->flit[i];
		m->flit[i]->refs++;
	}
	if (m->n)
		l->next++;
}

void liar_capture(struct liar *l, const struct flits *held)
{
	struct fc_packet pk;
	struct known *k;

	fc_wire_packet_decode(&pk, held->flit[0]->data);
	k = &l->known[pk.src];
	k->there = true;
	k->pk = pk;
	fc_wire_bcast_decode(&k->bcast, held->flit[0]->data);
	remember(l, held);
	if (l->todo < TODO_MAX)
		l->todo++;
}

/* Write the head with which the core begins a broadcast of this site. */
static void own_head(struct liar *l, u8 *head)
{
	struct fc_packet pk;
	struct fc_bcast_hdr bcast;

	fc_wire_packet_decode(&pk, head);
	fc_wire_bcast_decode(&bcast, head);
	pk.src = l->site;
	pk.incarnation = 1;
	bcast.number = l->number++;
	fc_wire_packet_encode(head, &pk);
	fc_wire_bcast_encode(head, &bcast);
}

/* Return: the last broadcast of a site, else of any site, else a default. */
static struct known pattern(const struct liar *l, u32 src)
{
	struct known k = {
		.pk = {
			.incarnation = 1, .sock = FC_SOCK_BCAST | 1, .src_port = DEFAULT_PORT,
			.ntargets = 1, .id = 1, .kind = FC_KIND_MESSAGE,
		},
		.bcast = { .port = DEFAULT_PORT, .copies = 1 },
	};
	u32 site;

	if (l->known[src].there)
		return l->known[src];
	for (site = 0; site < l->topo.nsites; site++)
		if (l->known[site].there)
			k = l->known[site];
	return k;
}

/*
 * Forge a broadcast of another site, based on the last one of that site: with its number, or one of
 * the next numbers.
 */
static void forge(struct liar *l)
{
	u32 src = liar_random(l, l->topo.nsites), ahead = liar_random(l, 3);
	u8 data[HEAD_SIZE + FORGED_BYTES];
	struct known k = pattern(l, src);
	struct flit *f;

	if (src == l->site)
		return;
	k.pk.src = src;
	k.pk.id += ahead;
	k.pk.msg_len = FORGED_BYTES;
	k.pk.offset = 0;
	k.pk.hops = 0;
	k.bcast.seq += ahead;
	k.bcast.number += ahead + 1;
	k.bcast.outstanding = 0;
	if (!liar_random(l, 4))
		k.bcast.copies = 1 + liar_random(l, l->topo.ndirs);
	if (l->topo.graph)
		k.bcast.label = liar_random(l, FC_LABELS_MAX);
	memset(data + HEAD_SIZE, 'a' + (src + k.bcast.seq) % 26, FORGED_BYTES);
	fc_wire_packet_encode(data, &k.pk);
	fc_wire_bcast_encode(data, &k.bcast);
	f = flit_new(data, sizeof(data));
	if (!f)
		return;
	f->forged = true;
	memcpy(f->claim, data, HEAD_SIZE);
	own_head(l, f->data);
	liar_begin(l, &f, 1);
}

/* Send a broadcast that arrived before on all links, unchanged or as a retransmission. */
static void replay(struct liar *l)
{
	u32 have = l->next < MEMORY ? l->next : MEMORY, i;
	const struct flits *m;
	struct flit **flits;
	struct fc_bcast_hdr bcast;

	if (!have)
		return;
	m = &l->memory[liar_random(l, have)];
	if (!m->n)
		return;
	flits = calloc(m->n, sizeof(*flits));
	if (!flits)
		return;
	for (i = 0; i < m->n; i++) {
		flits[i] = i ? m->flit[i] : flit_new(m->flit[0]->data, m->flit[0]->len);
		if (!flits[i])
			goto out;
		flits[i]->refs += !!i;
	}
	flits[0]->forged = true;
	memcpy(flits[0]->claim, flits[0]->data, HEAD_SIZE);
	if (liar_random(l, 2)) {
		fc_wire_bcast_decode(&bcast, flits[0]->claim);
		bcast.number += 1 + liar_random(l, 8);
		fc_wire_bcast_encode(flits[0]->claim, &bcast);
	}
	own_head(l, flits[0]->data);
	liar_begin(l, flits, m->n);
out:
	free(flits);
}

void liar_time_to_lie(struct liar *l, u64 now)
{
	if (now >= l->lie_at) {
		l->lie_at = now + IDLE_NS;
		if (l->todo < TODO_MAX)
			l->todo++;
	}
	while (l->todo && fc_relay_room(&l->bcast.relay)) {
		u32 lies = l->lies & (LIE_FORGE | LIE_REPLAY);

		l->todo--;
		if (lies == (LIE_FORGE | LIE_REPLAY))
			lies = liar_random(l, 2) ? LIE_FORGE : LIE_REPLAY;
		if (lies & LIE_FORGE)
			forge(l);
		else if (lies & LIE_REPLAY)
			replay(l);
	}
}
