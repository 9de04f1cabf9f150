// SPDX-License-Identifier: GPL-2.0
/* Proofs of small inline parts of the core: numbers, bucket, record of frames, turns, stalls. */
#include "proof.h"
#include "core/bucket.h"
#include "core/faults/seen.c"
#include "core/link/stall.h"
#include "core/link/turn.h"
#include "core/ends/ask.h"

/* Numbers wrap: of two that are less than half of all apart, one is before the other. */
PROOF(numbers_before, 2)
{
	u32 a = any_u32(), d = any_u32();
	u16 b = any_u16(), e = any_u16();

	PROVE(!fc_before(a, a) && !fc_before16(b, b));
	PROVE(d == 0 || d >= 1U << 31 || (fc_before(a, a + d) && !fc_before(a + d, a)));
	PROVE(e == 0 || e >= 1U << 15 ||
	      (fc_before16(b, (u16)(b + e)) && !fc_before16((u16)(b + e), b)));
	POSSIBLE(a + d < a);
}

PROOF(numbers_masks, 2)
{
	u64 mask = any_u64();
	unsigned int n = any_u32(), low;

	PROVE(fc_mask_all(n) == (n >= 64 ? ~0ULL : (1ULL << n) - 1));
	ASSUME(mask);
	low = fc_low64(mask);
	PROVE(low < 64 && mask >> low & 1 && !(mask & fc_mask_all(low)));
	POSSIBLE(low == 63);
}

PROOF(random_below, 2)
{
	u64 state = any_u64(), n = any_u64(), r;

	ASSUME(n && n <= 1ULL << 20);
	r = fc_random_below(&state, n);
	PROVE(r < n);
	POSSIBLE(r);
}

/* In any time no more tokens are taken than a full bucket and the time give, whatever is asked. */
PROOF(bucket_rate, 5)
{
	u64 each = any_of(1, 3), burst = any_of(1, 3), now = any_u8(), start = now, full_at;
	u64 taken = 0;
	u32 i, n;

	full_at = any_u16();
	ASSUME(full_at <= now + burst * each);
	for (i = 0; i < 3; i++) {
		n = any_of(1, 3);
		now += any_u8();
		if (fc_bucket_take(&full_at, now, each, burst, n))
			taken += n;
		PROVE(full_at <= now + burst * each);
		PROVE(taken * each <= burst * each + (now - start));
	}
	POSSIBLE(taken > 6);
}

/* A refusal takes nothing, and a bucket that is full again gives all that it holds. */
PROOF(bucket_full, 2)
{
	u64 each = any_of(1, 7), burst = any_of(1, 7), now = any_u8(), full_at = any_u16();
	u64 was = full_at;
	u32 n = any_of(0, 10);
	bool taken;

	ASSUME(full_at <= now + burst * each);
	taken = fc_bucket_take(&full_at, now, each, burst, n);
	PROVE(taken || full_at == was);
	PROVE(n > burst || was > now || taken);
	PROVE(n <= burst || !taken);
	POSSIBLE(!taken && n == 1);
}

#define SETS	4

/* The newest frames push the oldest one out, and no other. */
PROOF(seen_order, 9)
{
	struct fc_seen_set sets[SETS], was[SETS];
	struct fc_seen s = { sets, SETS };
	u32 src = any_u32(), n = any_u32(), at, i = any_of(0, FC_SEEN_SET - 1), other;
	u64 digest = any_u64();
	bool first;

	memcpy(was, sets, sizeof(was));
	first = fc_seen_first(&s, src, n, digest);
	at = (n + src * 0x9e3779b1U) & (SETS - 1);
	other = any_of(0, SETS - 1);
	PROVE(other == at || sets[other].digest[i] == was[other].digest[i]);
	PROVE(first ? sets[at].digest[i] == (i ? was[at].digest[i - 1] : digest + !digest) :
		      sets[at].digest[i] == was[at].digest[i]);
	POSSIBLE(first && i == 7);
	POSSIBLE(!first);
}

/* Consecutive numbers of a source are in different sets. */
PROOF(seen_spread, 9)
{
	struct fc_seen_set sets[SETS];
	struct fc_seen s = { sets, SETS };
	u32 src = any_u32(), n = any_u32(), i = any_of(0, FC_SEEN_SET - 1), k = any_of(1, SETS - 1);
	u64 digest = any_u64();

	memset(sets, 0, sizeof(sets));
	PROVE(fc_seen_first(&s, src, n, digest));
	PROVE(fc_seen_first(&s, src, n + k, digest));
	PROVE(!sets[(n + k + 1 + src * 0x9e3779b1U) & (SETS - 1)].digest[i] || k + 1 == SETS || !i);
	POSSIBLE(k == 3);
}

PROOF(turn_choice, 2)
{
	struct fc_turn turn = { any_u8(), any_u8() };
	u32 waiting = any_of(1, (1 << FC_BAND_COUNT) - 1);
	enum fc_band band;

	ASSUME(turn.streak <= FC_TURN_STREAK);
	band = fc_turn_next(&turn, waiting);
	PROVE(band < FC_BAND_COUNT && waiting & fc_bit(band));
	PROVE(turn.streak <= FC_TURN_STREAK);
	PROVE(!(waiting & fc_bit(FC_BAND_CTRL)) || band == FC_BAND_CTRL);
	POSSIBLE(band == FC_BAND_BULK);
	POSSIBLE(turn.streak == FC_TURN_STREAK);
}

/* Each queue that waits is served, however the others do: bulk after two streaks at most. */
PROOF(turn_fair, 12)
{
	struct fc_turn turn = { any_u8(), any_u8() };
	u32 i, waiting, band = any_of(FC_BAND_SHORT, FC_BAND_BULK);
	bool served = false;

	ASSUME(turn.streak <= FC_TURN_STREAK);
	for (i = 0; i < 2 * (FC_TURN_STREAK + 1); i++) {
		waiting = any_of(1, (1 << FC_BAND_COUNT) - 1);
		ASSUME(!(waiting & fc_bit(FC_BAND_CTRL)) && waiting & fc_bit(band));
		served |= fc_turn_next(&turn, waiting) == band;
		POSSIBLE(i == 8 && !served);
	}
	PROVE(served);
}

PROOF(band_of_frame, 2)
{
	u8 type = any_u8(), vc = any_u8(), flags = any_u8();
	enum fc_band band = fc_band(type, vc, flags);

	PROVE(band < FC_BAND_COUNT);
	PROVE(type != FC_FRAME_FLIT || band != FC_BAND_CTRL);
	PROVE(fc_band(type ^ FC_FRAME_AUTH, vc, flags) == band);
	POSSIBLE(band == FC_BAND_HIGH);
}

/* A set and a class make a channel, and the channel tells them. */
PROOF(channel_round_trip, 2)
{
	u8 set = any_u8(), class = any_u8(), vc;

	ASSUME(set < FC_SET_COUNT && class < FC_SET_CHANNELS);
	vc = fc_set_vc(set) + class;
	PROVE(vc >= FC_VC_CLASS && vc < FC_VC_COUNT);
	PROVE(fc_vc_set(vc) == set && fc_vc_class(vc) == class);
	POSSIBLE(vc == FC_VC_COUNT - 1);
}

/*
 * The depth stays within its bounds, from one release to the next.  The device never held more
 * than its limit and two flits; the least of a period is no more than that.
 */
PROOF(depth_step, 2)
{
	struct fc_depth d = { any_u32(), any_u32(), any_u32(), any_u32() };
	u32 held = any_u32();

	ASSUME(d.unit >= 256 && d.unit <= 1U << 20 && d.seen < FC_DEPTH_PERIOD);
	ASSUME(d.limit >= d.unit && d.limit <= (FC_DEPTH_MAX + 1) * d.unit);
	ASSUME(!d.seen || d.least < d.limit + d.unit);
	ASSUME(held < d.limit + d.unit);
	fc_depth_seen(&d, held);
	PROVE(d.limit && d.limit <= (FC_DEPTH_MAX + 1) * d.unit);
	PROVE(d.seen < FC_DEPTH_PERIOD);
	PROVE(!d.seen || d.least <= held);
	POSSIBLE(!d.seen && held);
	POSSIBLE(!held);
}

/* Before the device was ever idle, too.  It then holds two of the largest flits at most. */
PROOF(depth_start, 2)
{
	struct fc_depth d = { 0, any_u32(), any_u32(), any_u32() };
	u32 held = any_u32();

	ASSUME(d.unit >= 256 && d.unit <= 1U << 20 && d.seen < FC_DEPTH_PERIOD);
	ASSUME(d.least <= 2 * d.unit && held <= 2 * d.unit);
	fc_depth_seen(&d, held);
	PROVE(d.limit <= (FC_DEPTH_MAX + 1) * d.unit);
	POSSIBLE(!held);
	POSSIBLE(held && !d.seen);
}

/* The counts of a packet stay within the numbers that they are compared with. */
PROOF(progress_step, 2)
{
	struct fc_progress p = { any_u64(), 0, any_u32(), any_u8(), any_u8(), any_u8(),
				 any_bool() };
	bool held = any_bool();
	u8 most = (held ? FC_STALL_CUT_HELD : FC_STALL_CUT) + FC_STALL_HOPS;
	enum fc_pace pace;

	ASSUME(p.hops <= FC_STALL_HOPS && p.slow <= FC_STALL_HOPS + 1);
	/* A packet that is stalled is cut. */
	ASSUME(p.stalled < (held ? FC_STALL_CUT_HELD : FC_STALL_CUT) + p.hops);
	pace = fc_progress_check(&p, any_u32(), held);
	PROVE(p.stalled <= most && p.slow <= FC_STALL_HOPS + 1);
	PROVE((pace == FC_PACE_STALLED) ==
	      (p.stalled >= (held ? FC_STALL_CUT_HELD : FC_STALL_CUT) + p.hops));
	POSSIBLE(pace == FC_PACE_STALLED);
	POSSIBLE(pace == FC_PACE_SLOW);
}

/* Links are stored whole for a bounded time, which doubles; @wasted does not wrap. */
PROOF(stall_step, 2)
{
	struct fc_stall s = { any_u64(), any_u64(), any_u8() };
	struct fc_progress p = { 0, 0, 0, 0, any_u8(), any_u8(), true };
	u64 now = any_u64(), interval = any_of(1, 1U << 31), least, most;
	u8 was = s.wasted;
	bool care = any_bool(), aborted = any_bool();

	fc_stall_ended(&s, &p, aborted);
	PROVE(aborted ? s.wasted >= was : s.wasted <= was);
	least = (care ? FC_STALL_HOLD_CARE : FC_STALL_HOLD) * interval;
	most = 2 * ((u64)FC_STALL_HOLD_CARE * interval << FC_STALL_HOLD_SHIFT);
	ASSUME(now < 1ULL << 62 && s.until < 1ULL << 62 && s.hold <= most);
	ASSUME(s.until <= now + most);
	fc_stall_note(&s, now, interval, care ? FC_STALL_HOLD_CARE : FC_STALL_HOLD);
	PROVE(s.hold <= most && s.until <= now + most && s.until >= now);
	PROVE(s.hold >= least || s.hold == 0 || fc_stall_stores(&s, now));
	POSSIBLE(s.hold > least);
}

/* Questions to a target follow each other, and none is before the packet. */
PROOF(ask_order, 2)
{
	u64 sent = any_u32(), anew = any_u32(), wait = any_of(1, 1U << 30);
	u8 asks = any_u8();

	ASSUME(asks < 16);
	PROVE(fc_ask_at(sent, anew, asks, wait) > sent);
	PROVE(fc_ask_at(sent, anew, asks, wait) >= anew);
	PROVE(fc_ask_at(sent, anew, asks + 1, wait) > fc_ask_at(sent, anew, asks, wait));
	POSSIBLE(anew > sent + wait);
}
