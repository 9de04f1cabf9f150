// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "ledger.h"

void packet_done(struct packet *pk, u64 mask, const char *where)
{
	CHECK(!(pk->done & mask), "targets %llx of %llx twice, now %s",
	      (unsigned long long)(pk->done & mask), (unsigned long long)pk->all, where);
	pk->done |= mask;
}

struct packet *packet_of(struct ledger *l, const u8 *head)
{
	struct fc_packet pk;

	fc_wire_packet_decode(&pk, head);
	CHECK(pk.id < l->packets, "packet %u of %u", pk.id, l->packets);
	return &l->packet[pk.id];
}

void packets_check(const struct ledger *l)
{
	for (u32 i = 0; i < l->packets; i++) {
		const struct packet *pk = &l->packet[i];

		CHECK(packet_over(pk) || pk->excused || !pk->ended,
		      "packet %u from port %u lost for %llx of %llx", i, pk->port,
		      (unsigned long long)(pk->all & ~pk->done & ~pk->unreachable),
		      (unsigned long long)pk->all);
	}
}

struct fc_flit flit_new(struct ledger *l, u8 parts, u32 data, const u8 *head, u32 head_size)
{
	struct handle *h = calloc(1, sizeof(*h) + head_size);
	struct fc_flit flit = { .h = h, .parts = parts, .data = data };

	if (!h)
		abort();
	l->held++;
	if (head) {
		memcpy(h->head, head, head_size);
		flit.head = h->head;
	}
	return flit;
}

/* Encode the list with a bitmap of its sites, if that is shorter.  Return: bytes. */
static u32 by_bitmap(u8 *head, struct packet *rec, u32 site)
{
	u32 sites[FC_TARGETS_MAX], n = fc_wire_target_sites(sites, head), k = 0, j, size;
	struct fc_target t;

	for (u32 i = 0; i < n; i++) {
		for (j = 0; j < k && sites[j] != sites[i]; j++)
			;
		if (j == k)
			sites[k++] = sites[i];
	}
	fc_wire_target_decode(&t, head, 0);
	size = fc_wire_sites_encode(head, &t, sites, k);
	fc_wire_target_sites(sites, head);
	rec->all = fc_mask_all(k);
	rec->local = 0;
	for (u32 i = 0; i < k; i++)
		if (sites[i] == site)
			rec->local |= fc_bit64(i);
	return size;
}

struct fc_flit front_new(struct ledger *l, struct fuzz *f, const struct fc_topo *topo, u32 site,
			 u8 port, u8 parts, u32 data, u32 bytes, struct packet **record)
{
	u8 head[FC_PACKET_SIZE + FC_TARGETS_MAX * FC_TARGET_SIZE];
	struct fc_flit none = { 0 };
	u8 how = fuzz_u8(f);
	struct fc_packet pk = {
		.src = fuzz_below(f, topo->nsites), .ntargets = (u8)(1 + how % 8),
		.msg_len = bytes, .id = l->packets,
		.hops = how >> 3 == 1 ? FC_HOPS_MAX : 3,
	};
	struct packet *rec = &l->packet[l->packets];
	u32 size;

	if (how >> 3 == 2)
		pk.ntargets = FC_TARGETS_MAX;
	if (l->packets == PACKETS_MAX)
		return none;
	memset(rec, 0, sizeof(*rec));
	rec->all = fc_mask_all(pk.ntargets);
	rec->port = port;
	fc_wire_packet_encode(head, &pk);
	for (u8 i = 0; i < pk.ntargets; i++) {
		struct fc_target t = {
			.port = 1, .flags = i == pk.ntargets - 1 ? FC_TARGET_LAST : 0,
		};

		t.site = i < 8 ? fuzz_below(f, topo->nsites) : i % topo->nsites;
		if (t.site == site)
			rec->local |= fc_bit64(i);
		fc_wire_target_encode(head, i, &t);
	}
	size = how & 0x80 ? by_bitmap(head, rec, site) : fc_head_size(pk.ntargets);
	if (!fc_wire_head_check(head, parts, size + data, topo->nsites))
		return none;
	l->packets++;
	*record = rec;
	return flit_new(l, parts, data, head, size);
}

void handle_release(struct ledger *l, struct handle *h)
{
	CHECK(!h->ours, "a handle given back twice");
	CHECK(l->held, "more handles than were given");
	h->ours = true;
	l->held--;
}

void handles_free(struct fc_effects *fx)
{
	for (u32 i = 0; i < fx->n; i++) {
		struct handle *h = fx->fx[i].flit.h;

		if (!h || !h->ours)
			continue;
		for (u32 j = i + 1; j < fx->n; j++)
			if (fx->fx[j].flit.h == h)
				fx->fx[j].flit.h = NULL;
		free(h);
	}
}

void train_flit(struct ledger *l, struct train *t, const struct fc_effect *e, u64 mask)
{
	const struct fc_flit *flit = &e->flit;

	if (flit->parts & FC_PART_HEAD) {
		CHECK(!t->packet, "port %u: a front within a packet", e->port);
		t->packet = packet_of(l, flit->head);
		t->mask = mask;
		t->left = fc_wire_data_len(flit->head);
		CHECK(mask && !(mask & ~t->packet->all), "port %u: targets %llx of %llx", e->port,
		      (unsigned long long)mask, (unsigned long long)t->packet->all);
	}
	CHECK(t->packet, "port %u: parts %x without a front", e->port, flit->parts);
	CHECK(flit->data <= t->left, "port %u: %u bytes where %u are left", e->port, flit->data,
	      t->left);
	t->left -= flit->data;
}

void packets_excuse(struct ledger *l, u8 class, u8 port)
{
	for (u32 i = 0; i < l->packets; i++) {
		struct packet *pk = &l->packet[i];

		if (pk->port == port && pk->class == class && !packet_over(pk))
			pk->excused = true;
	}
}
