// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "record.h"

/**
 * struct record - the first run
 * @effects: by event, sum of the hashes of its effects
 * @events: number of events; in the second run, so far
 * @first: number of events of the first run
 * @room: allocated entries of @effects
 * @same: number of events to compare
 * @again: this is the second run
 */
static struct record {
	u64 *effects;
	u32 events;
	u32 first;
	u32 room;
	u32 same;
	bool again;
} record;

u64 record_hash(u64 sum, const void *data, size_t size)
{
	const u8 *p = data;

	while (size--)
		sum = (sum ^ *p++) * 0x100000001b3ULL;
	return sum;
}

static u64 hash_effect(const struct fc_effect *e)
{
	u64 what[] = {
		e->type, e->port, e->vc, e->flags, e->seq, e->ack, e->mask, e->flit.data,
		e->flit.parts,
	};
	u64 sum = record_hash(0xcbf29ce484222325ULL, what, sizeof(what));

	if (e->type == FC_FX_STATUS) {
		sum = record_hash(sum, &e->status.have, sizeof(e->status.have));
		sum = record_hash(sum, &e->status.upto, sizeof(e->status.upto));
	}
	if (e->flit.head)
		sum = record_hash(sum, e->flit.head, FC_PACKET_SIZE);
	return sum;
}

void record_first(void)
{
	record.again = false;
	record.events = 0;
	record.same = ~(u32)0;
}

void record_again(void)
{
	record.again = true;
	record.first = record.events;
	record.events = 0;
}

u64 record_sum(const struct fc_effects *fx)
{
	u64 sum = 0;

	for (u32 i = 0; i < fx->n; i++)
		sum += hash_effect(&fx->fx[i]);
	return sum;
}

void record_flit(const struct fc_effects *fx, u8 port, u8 vc)
{
	for (u32 i = 0; i < fx->n; i++)
		if (fx->fx[i].type == FC_FX_SEND && fx->fx[i].port == port &&
		    fx->fx[i].vc == vc && record.same > record.events)
			record.same = record.events;
}

void record_event(u64 sum)
{
	u32 at = record.events++;

	if (record.again) {
		CHECK(at >= record.same || record.effects[at] == sum,
		      "event %u: a shortcut has other effects", at);
		return;
	}
	if (at == record.room) {
		record.room = record.room ? 2 * record.room : 1024;
		record.effects = realloc(record.effects, record.room * sizeof(*record.effects));
		if (!record.effects)
			abort();
	}
	record.effects[at] = sum;
}

void record_end(bool same)
{
	CHECK(record.same < record.first || (record.events == record.first && same),
	      "%u events, and %u step by step; the same counters: %d", record.first, record.events,
	      same);
}
