// SPDX-License-Identifier: GPL-2.0
/*
 * Link-level retry: two sites of line:2 on a link that loses, duplicates, delays and reorders
 * frames.
 */
#include <stdlib.h>
#include <string.h>

#include "core/link/llr.h"
#include "core/care/care.h"
#include "tap.h"

#define WINDOW_MAX	64
#define FRAMES		512

/* Size of the flits; their payload is their sequence number. */
#define BYTES		10

struct frame {
	bool flying;
	u64 at;
	struct fc_event ev;
};

struct kept {
	u32 seq;
	struct fc_flit flit;
};

struct end {
	struct fc_in in[2];
	struct fc_out out[2];
	struct fc_rx rx[2];
	struct fc_tx tx[2];
	struct fc_flit queue[2][WINDOW_MAX];
	u64 link_stat[2][FC_LSTAT_COUNT];
	u64 stat[FC_STAT_COUNT];
	struct fc_node node;
	struct fc_site site;
	struct kept replay[WINDOW_MAX];	/* index: sequence number modulo size */
	u32 next;		/* next packet to send, or to receive */
	u32 frames;		/* frames sent */
	u32 rescues;
	struct frame wire[FRAMES];	/* frames in flight to this end */
};

struct bench {
	struct fc_topo topo;
	struct fc_pref pref;
	struct fc_timing timing;
	struct end end[2];
	u32 loss;		/* percentage of lost frames */
	u32 flit_loss;		/* percentage of flits lost in addition: other frames are shorter */
	u32 doubled;
	u32 delay;		/* maximum delay of a frame */
	u32 length;		/* delay of the link, for all frames */
	u32 lost;		/* lost flits */
	u32 resets;
	bool may_reset;
	bool mute[2];		/* no frame reaches this end */
	u64 suspected[FC_SUSPICION_COUNT];	/* times that end 0 suspected the link */
	u64 now;
};

static struct fc_effects effects;
/* All flits have the same head, of a one-flit packet to site 1; the handle has the number. */
static u8 head[FC_PACKET_SIZE + FC_TARGET_SIZE];

static void event(struct bench *b, unsigned int at, struct fc_event ev);

static void *handle_of(u32 n)
{
	return (void *)(uintptr_t)(n + 1);
}

static void put(struct bench *b, unsigned int to, const struct fc_event *ev)
{
	b->end[!to].frames++;
	for (unsigned int copies = tap_random(100) < b->doubled ? 2 : 1; copies; copies--) {
		if (b->mute[to] || tap_random(100) < b->loss ||
		    (ev->type == FC_EV_FLIT && tap_random(100) < b->flit_loss)) {
			b->lost += ev->type == FC_EV_FLIT;
			continue;
		}
		for (unsigned int i = 0; i < FRAMES; i++) {
			struct frame *f = &b->end[to].wire[i];

			if (f->flying)
				continue;
			f->flying = true;
			f->at = b->now + b->length + 1 + tap_random(b->delay);
			f->ev = *ev;
			break;
		}
	}
}

static void perform(struct bench *b, unsigned int at, const struct fc_effect *e)
{
	struct end *end = &b->end[at];
	struct fc_event ev = { .port = 1, .seq = e->seq, .ack = e->ack, .flags = e->flags };
	struct kept *kept = &end->replay[e->seq % WINDOW_MAX];
	u32 got;

	switch ((enum fc_effect_type)e->type) {
	case FC_FX_SEND:
		*kept = (struct kept){ .seq = e->seq, .flit = e->flit };
		ev.type = FC_EV_FLIT;
		ev.flit = e->flit;
		put(b, !at, &ev);
		break;
	case FC_FX_RESEND:
		CHECK(kept->flit.h && kept->seq == e->seq, "flit %u is not kept", e->seq);
		ev.type = FC_EV_FLIT;
		ev.flit = kept->flit;
		put(b, !at, &ev);
		break;
	case FC_FX_RELEASE:
		for (unsigned int i = 0; i < WINDOW_MAX; i++)
			if (end->replay[i].flit.h && fc_before(end->replay[i].seq, e->seq))
				end->replay[i].flit.h = NULL;
		break;
	case FC_FX_STATUS:
		ev.type = FC_EV_STATUS;
		ev.status = e->status;
		put(b, !at, &ev);
		break;
	case FC_FX_STORE:
		got = (u32)((uintptr_t)e->flit.h - 1);
		CHECK(got == end->next, "packet %u came, not %u", got, end->next);
		end->next = got + 1;
		break;
	case FC_FX_RESCUE:
		end->rescues++;
		break;
	case FC_FX_SUSPECT:
		CHECK(e->mask == fc_bit(1), "ports %llx", (unsigned long long)e->mask);
		b->suspected[e->flags] += !at;
		break;
	case FC_FX_RESET:
		CHECK(b->may_reset, "end %u finds a contradiction", at);
		b->resets++;
		break;
	case FC_FX_SERVE:
	case FC_FX_SERVE_LOCAL:
	case FC_FX_DROP:
		break;
	case FC_FX_DISCARD:
	case FC_FX_COPY:
	case FC_FX_ROUTE:
	case FC_FX_RESERVE:
	case FC_FX_ADMITTED:
	case FC_FX_UNREACHABLE:
		CHECK(false, "effect %u", e->type);
		break;
	}
}

static void event(struct bench *b, unsigned int at, struct fc_event ev)
{
	bool more, timers = ev.type == FC_EV_TIME;

	ev.now = b->now;
	do {
		more = fc_site_event(&b->end[at].site, &ev, &effects);
		for (u32 i = 0; i < effects.n; i++)
			perform(b, at, &effects.fx[i]);
		ev.type = FC_EV_MORE;
	} while (more);
	CHECK(!timers || fc_site_next_at(&b->end[at].site) > b->now,
	      "due again at once");
}

static void bench_init(struct bench *b, u32 window)
{
	struct fc_packet pk = { .ntargets = 1, .msg_len = BYTES };
	struct fc_target t = { .site = 1, .port = 1, .flags = FC_TARGET_LAST };

	memset(b, 0, sizeof(*b));
	fc_wire_packet_encode(head, &pk);
	fc_wire_target_encode(head, 0, &t);
	if (fc_topo_parse(&b->topo, "ring:3"))
		abort();
	fc_pref_default(&b->pref, &b->topo);
	/* Time-outs are long: the operator stores no packet, so all packets wait for the link. */
	b->timing = (struct fc_timing){
		.seek = 1000000, .timeout = 1000000, .retry = 20, .ack_delay = 50,
		.poll = 200, .seek_max = 100,
	};
	b->delay = 1;
	for (unsigned int at = 0; at < 2; at++) {
		struct fc_event up = { .type = FC_EV_LINK_UP, .port = 1, .count = window };
		struct end *end = &b->end[at];
		struct fc_site *site = &end->site;

		end->node = (struct fc_node){
			.topo = &b->topo, .timing = &b->timing, .pref = &b->pref,
			.stat = end->stat, .id = at, .nports = 2,
		};
		site->node = &end->node;
		site->in = end->in;
		site->out = end->out;
		site->data.rx = end->rx;
		site->data.tx = end->tx;
		site->data.window = window;
		for (u8 p = 0; p < 2; p++) {
			end->rx[p].queue = end->queue[p];
			end->rx[p].stat = end->link_stat[p];
		}
		fc_site_init(site, at);
		event(b, at, up);
	}
}

/* Offer site 0 a packet of one flit.  Return: it accepted the packet. */
static bool offer(struct bench *b)
{
	struct end *end = &b->end[0];
	struct fc_event ev = {
		.type = FC_EV_FLIT, .port = FC_PORT_LOCAL, .seq = fc_site_seq(&end->site),
		.flit = { .parts = FC_PART_HEAD | FC_PART_TERM, .data = BYTES, .head = head },
	};

	if (!fc_site_room(&end->site))
		return false;
	ev.flit.h = handle_of(end->next++);
	event(b, 0, ev);
	return true;
}

static void tick(struct bench *b)
{
	static const struct fc_event due = { .type = FC_EV_TIME };

	b->now++;
	for (unsigned int at = 0; at < 2; at++) {
		for (unsigned int i = 0; i < FRAMES; i++) {
			struct frame *f = &b->end[at].wire[i];

			if (!f->flying || f->at > b->now)
				continue;
			f->flying = false;
			event(b, at, f->ev);
		}
		if (fc_site_next_at(&b->end[at].site) <= b->now)
			event(b, at, due);
	}
}

/* Advance the time to the next event. */
static void pass(struct bench *b)
{
	u64 next = FC_NEVER;

	for (unsigned int at = 0; at < 2; at++) {
		if (fc_site_next_at(&b->end[at].site) < next)
			next = fc_site_next_at(&b->end[at].site);
		for (unsigned int i = 0; i < FRAMES; i++)
			if (b->end[at].wire[i].flying && b->end[at].wire[i].at < next)
				next = b->end[at].wire[i].at;
	}
	if (next != FC_NEVER && next > b->now)
		b->now = next - 1;
	tick(b);
}

static bool quiet(const struct bench *b)
{
	for (unsigned int at = 0; at < 2; at++) {
		if (!fc_site_idle(&b->end[at].site) ||
		    b->end[at].tx[1].sent != b->end[at].tx[1].acked)
			return false;
		for (unsigned int i = 0; i < FRAMES; i++)
			if (b->end[at].wire[i].flying)
				return false;
	}
	return true;
}

static void run(struct bench *b, u32 packets)
{
	for (unsigned int i = 0; i < 1000000; i++) {
		while (b->end[0].next < packets && offer(b))
			;
		if (b->end[0].next == packets && quiet(b))
			break;
		pass(b);
	}
	CHECK(b->end[1].next == packets, "%u of %u packets came", b->end[1].next, packets);
	CHECK(quiet(b), "the link does not come to rest");
	for (unsigned int i = 0; i < WINDOW_MAX; i++)
		CHECK(!b->end[0].replay[i].flit.h, "flit %u is kept", b->end[0].replay[i].seq);
}

/*
 * Each packet arrives once, whole and in order, whatever the link does; also if acks are sent
 * separately and the ack field of flits has any value.
 */
TEST(llr_link__loses_doubles_reorders)
{
	static const struct {
		u32 loss, doubled, delay;
	} links[] = {
		{ 0, 0, 1 }, { 10, 0, 1 }, { 50, 0, 1 }, { 0, 50, 1 }, { 0, 0, 30 },
		{ 10, 10, 30 }, { 30, 30, 100 },
	};
	static const u32 windows[] = { 1, 2, 3, 7, 8, 64 };
	static struct bench b;

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(links); i++) {
		for (unsigned int w = 0; w < FC_ARRAY_SIZE(windows); w++) {
			const u64 *stat;

			bench_init(&b, windows[w]);
			b.loss = links[i].loss;
			b.doubled = links[i].doubled;
			b.delay = links[i].delay;
			run(&b, 500);
			stat = b.end[1].link_stat[1];
			CHECK(!stat[FC_LSTAT_RX_OUT_OF_WINDOW] && !stat[FC_LSTAT_RX_PROTOCOL],
			      "link %u window %u: contradictions", i, windows[w]);
			if (!links[i].loss && links[i].delay < b.timing.retry)
				CHECK(!b.end[0].link_stat[1][FC_LSTAT_TX_RESENT],
				      "link %u window %u: sent again for nothing", i, windows[w]);
		}
	}
}

/* The receiver requests overdue flits; the sender retransmits only these. */
TEST(llr_nack__asks_for_what_is_missing)
{
	static struct bench b;
	u64 asked;

	bench_init(&b, 8);
	for (unsigned int i = 0; i < 8; i++)
		offer(&b);
	/* Flits 2 and 5 are lost. */
	for (unsigned int i = 0; i < FRAMES; i++)
		if (b.end[1].wire[i].flying &&
		    (b.end[1].wire[i].ev.seq == 2 || b.end[1].wire[i].ev.seq == 5))
			b.end[1].wire[i].flying = false;
	tick(&b);
	CHECK(b.end[1].next == 2, "%u packets", b.end[1].next);
	asked = b.now + b.timing.retry;
	while (b.now < asked - 1)
		tick(&b);
	CHECK(!b.end[1].link_stat[1][FC_LSTAT_TX_NACKS], "asked too early");
	tick(&b);
	CHECK(b.end[1].link_stat[1][FC_LSTAT_TX_NACKS] == 1, "not asked");
	tick(&b);
	CHECK(b.end[0].link_stat[1][FC_LSTAT_TX_RESENT] == 2, "%llu sent again",
	      (unsigned long long)b.end[0].link_stat[1][FC_LSTAT_TX_RESENT]);
	tick(&b);
	CHECK(b.end[1].next == 8, "%u packets", b.end[1].next);
	run(&b, 8);
	CHECK(!b.end[0].link_stat[1][FC_LSTAT_TX_POLLS], "probes");
}

/*
 * If flits take much longer than the time-outs, each is sent as often as it is lost, and once more.
 */
TEST(llr_resend__no_more_than_is_lost)
{
	static const u32 windows[] = { 1, 3, 8, 64 };
	static const u32 lengths[] = { 1, 15, 50, 150, 1000, 5000 };
	static struct bench b;

	for (unsigned int w = 0; w < FC_ARRAY_SIZE(windows); w++) {
		for (unsigned int i = 0; i < FC_ARRAY_SIZE(lengths); i++) {
			u64 resent;

			bench_init(&b, windows[w]);
			b.loss = 10;
			b.length = lengths[i];
			run(&b, 500);
			resent = b.end[0].link_stat[1][FC_LSTAT_TX_RESENT];
			CHECK(resent == b.lost, "window %u length %u: %u lost, %llu sent again",
			      windows[w], lengths[i], b.lost, (unsigned long long)resent);
		}
	}
}

/* Number of flits that end 0 has retransmitted, and of times it suspected the link. */
static u64 resent(const struct bench *b)
{
	return b->end[0].link_stat[1][FC_LSTAT_TX_RESENT];
}

static u64 futile(const struct bench *b)
{
	return b->suspected[FC_SUSPICION_GREY];
}

static void run_for(struct bench *b, u64 time)
{
	u64 until = b->now + time;

	while (b->now < until)
		tick(b);
}

/*
 * The peer answers, but no flit reaches it: each retry has half of the flits of the previous one,
 * and waits twice as long.  When flits arrive again the link resumes at once.
 */
TEST(llr_futile__backs_off)
{
	static const u32 windows[] = { 1, 8, 64 };
	static struct bench b;

	for (unsigned int w = 0; w < FC_ARRAY_SIZE(windows); w++) {
		u32 window = windows[w], sent;
		u64 was, again;

		bench_init(&b, windows[w]);
		b.flit_loss = 100;
		while (offer(&b))
			;
		sent = b.end[0].tx[1].sent;
		CHECK(sent == window, "%u sent", sent);
		/* The first four retries, 1, 1, 2 and 4 intervals apart, and a fifth one. */
		run_for(&b, 8 * b.timing.poll);
		CHECK(futile(&b) == 0, "suspected after %llu", (unsigned long long)b.now);
		run_for(&b, 12 * b.timing.poll);
		CHECK(futile(&b) == 1, "%llu times", (unsigned long long)futile(&b));
		/* 64, 64, 32, 16 and 8 flits, but no more than the window each. */
		was = resent(&b);
		CHECK(was <= 3 * window + 2 * 16, "window %u: %llu sent again", window,
		      (unsigned long long)was);
		/* Packets that wait are not abandoned yet. */
		run_for(&b, 9 * 16 * b.timing.poll);
		again = resent(&b) - was;
		CHECK(again >= 7 && again <= 8 + 9, "%llu sent again in 9 long waits",
		      (unsigned long long)again);
		CHECK(futile(&b) == 3, "%llu times", (unsigned long long)futile(&b));
		b.flit_loss = 0;
		was = b.now;
		run(&b, b.end[0].next + 20);
		CHECK(b.now - was <= 40 * b.timing.poll, "healed after %llu",
		      (unsigned long long)(b.now - was));
	}
}

/* If some flits arrive, the sender does not back off, and retransmits only lost ones. */
TEST(llr_futile__some_come)
{
	static const u32 windows[] = { 1, 3, 8, 64 };
	static const u32 losses[] = { 5, 20, 60 };
	static struct bench b;

	for (unsigned int w = 0; w < FC_ARRAY_SIZE(windows); w++) {
		for (unsigned int i = 0; i < FC_ARRAY_SIZE(losses); i++) {
			bench_init(&b, windows[w]);
			b.flit_loss = losses[i];
			run(&b, 1000);
			CHECK(resent(&b) == b.lost, "window %u loss %u: %u lost, %llu sent again",
			      windows[w], losses[i], b.lost, (unsigned long long)resent(&b));
			/* Bound for single flits: at a loss of three in five, one in eight. */
			CHECK(futile(&b) <= (losses[i] < 60 ? 10 : windows[w] == 64 ? 20 : 250),
			      "window %u loss %u: suspected %llu times", windows[w], losses[i],
			      (unsigned long long)futile(&b));
		}
	}
}

/* A flit that the link cannot carry does not block it for ever: a link reset drops the flit. */
TEST(llr_futile__hopeless)
{
	struct fc_event down = { .type = FC_EV_LINK_DOWN, .port = 1 };
	struct fc_event up = { .type = FC_EV_LINK_UP, .port = 1, .count = 8 };
	static struct bench b;

	bench_init(&b, 8);
	b.flit_loss = 100;
	b.may_reset = true;
	for (unsigned int i = 0; i < 8; i++)
		CHECK(offer(&b), "packet %u does not go", i);
	run_for(&b, (FC_LLR_HOPELESS + 4) * 16 * b.timing.poll);
	CHECK(b.resets == 1, "%u resets", b.resets);
	event(&b, 0, down);
	event(&b, 1, down);
	CHECK(!b.end[0].rescues, "what cannot be carried is rescued");
	for (unsigned int i = 0; i < WINDOW_MAX; i++)
		CHECK(!b.end[0].replay[i].flit.h, "flit %u is kept", b.end[0].replay[i].seq);
	event(&b, 0, up);
	event(&b, 1, up);
	b.flit_loss = 0;
	b.end[0].next = 0;
	run(&b, 20);
}

/* No flit follows the last one of a burst to show its loss: a poll does. */
TEST(llr_probe__heals_the_tail)
{
	static struct bench b;

	bench_init(&b, 8);
	b.loss = 100;
	offer(&b);
	b.loss = 0;
	run(&b, 1);
	CHECK(b.now <= b.timing.poll + b.timing.ack_delay + 5, "healed after %llu",
	      (unsigned long long)b.now);
	CHECK(b.end[0].link_stat[1][FC_LSTAT_TX_POLLS] == 1 &&
	      b.end[0].link_stat[1][FC_LSTAT_TX_RESENT] == 1, "one poll, one flit again");
}

/* The receiver sends its ack after a delay, without a poll, in few frames. */
TEST(llr_ack__after_a_while)
{
	static struct bench b;

	bench_init(&b, 8);
	for (u32 n = 1; n <= 3; n++) {
		u64 begin = b.now;

		run(&b, n);
		CHECK(b.now - begin >= b.timing.ack_delay &&
		      b.now - begin <= b.timing.ack_delay + 3,
		      "told after %llu",
		      (unsigned long long)(b.now - begin));
		CHECK(b.end[1].frames == n, "%u frames for %u packets", b.end[1].frames, n);
	}
	CHECK(!b.end[0].link_stat[1][FC_LSTAT_TX_POLLS], "probes");
}

/* Sequence numbers wrap: the test begins four before 2^32. */
TEST(llr_number__wraps)
{
	static const u32 windows[] = { 1, 2, 8 };
	static struct bench b;

	for (unsigned int n = 0; n < FC_ARRAY_SIZE(windows); n++) {
		bench_init(&b, windows[n]);
		run(&b, 4);
		b.end[0].tx[1].sent = -4U;
		b.end[0].tx[1].acked = -4U;
		b.end[1].rx[1].consumed = -4U;
		b.end[1].rx[1].acked = -4U;
		b.end[1].rx[1].end = -4U;
		memset(b.end[0].replay, 0, sizeof(b.end[0].replay));
		/* The last of these flits has number 2^32 - 1, so its ack is 0. */
		run(&b, 8);
		run(&b, 20);
	}
}

/* A link that goes down returns the unacked flits, and restarts its sequence numbers. */
TEST(llr_reset__rescues)
{
	struct fc_event down = { .type = FC_EV_LINK_DOWN, .port = 1 };
	struct fc_event up = { .type = FC_EV_LINK_UP, .port = 1, .count = 8 };
	static struct bench b;

	bench_init(&b, 8);
	run(&b, 4);
	b.loss = 100;
	offer(&b);
	event(&b, 0, down);
	event(&b, 1, down);
	CHECK(b.end[0].rescues == 1 && !b.end[1].rescues, "%u and %u rescues", b.end[0].rescues,
	      b.end[1].rescues);
	memset(b.end[0].replay, 0, sizeof(b.end[0].replay));
	event(&b, 0, up);
	event(&b, 1, up);
	CHECK(!b.end[0].tx[1].sent && !b.end[1].rx[1].consumed, "numbers go on");
	b.loss = 0;
	b.end[1].next = b.end[0].next;
	run(&b, 20);
}

/* Time from the first flit on a link that fails then until end 0 suspects it. */
static u64 until_suspected(struct bench *b, u32 silent)
{
	while (!b->suspected[FC_SUSPICION_SILENT]) {
		tick(b);
		CHECK(b->now < 20 * b->timing.poll, "not suspected, %u polls", silent);
		if (b->now >= 20 * b->timing.poll)
			break;
	}
	return b->now;
}

/* No answer comes: after one wait and three of twice that time the link is suspected. */
TEST(llr_silent__is_suspected)
{
	for (unsigned int direction = 1; direction < 4; direction++) {
		static struct bench b;
		u64 began, took;

		bench_init(&b, 8);
		b.mute[1] = direction & 1;
		b.mute[0] = direction & 2;
		began = b.now;
		CHECK(offer(&b), "the packet does not go");
		took = until_suspected(&b, direction) - began;
		CHECK(took >= 7 * b.timing.poll && took <= 7 * b.timing.poll + 2,
		      "direction %u: suspected after %llu", direction, (unsigned long long)took);
		CHECK(!futile(&b), "full frames are suspected");
	}
}

/* Time from the end of a failure until all flits have come. */
static u64 until_healed(struct bench *b, u64 failed, bool hasten)
{
	struct fc_event trust = { .type = FC_EV_TRUST, .port = 1 };
	u64 began;

	bench_init(b, 8);
	b->mute[0] = true;
	b->mute[1] = true;
	while (offer(b))
		;
	run_for(b, failed);
	b->mute[0] = false;
	b->mute[1] = false;
	began = b->now;
	if (hasten)
		event(b, 0, trust);
	while (b->end[1].next != b->end[0].next && b->now < began + 40 * b->timing.poll)
		tick(b);
	return b->now - began;
}

/* Polls that back off while the link is silent do not delay flits when it is trusted again. */
TEST(llr_trust__resends_at_once)
{
	static struct bench b;
	u64 slowest = 0;

	bench_init(&b, 8);
	for (unsigned int failed = 10; failed < 200; failed += 19) {
		u64 took, poll = b.timing.poll;

		took = until_healed(&b, failed * poll, false);
		slowest = took > slowest ? took : slowest;
		took = until_healed(&b, failed * poll, true);
		CHECK(took <= poll, "silent for %u polls: %llu", failed, (unsigned long long)took);
		CHECK(!b.suspected[FC_SUSPICION_GREY], "grey");
	}
	CHECK(slowest > 10 * b.timing.poll, "%llu at most otherwise", (unsigned long long)slowest);
}

/* A host that is stalled does not suspect its peer: a late timer is no proof of silence. */
TEST(llr_silent__a_stalled_host_suspects_no_link)
{
	static struct bench b;

	for (unsigned int round = 0; round < TAP_ROUNDS(1000); round++) {
		u64 stall = b.timing.poll / 2 + 2;

		bench_init(&b, 8);
		stall = b.timing.poll / 2 + 2 + tap_random(5 * (u32)b.timing.poll);
		CHECK(offer(&b), "the packet does not go");
		/* Timers run late, again and again, before end 0 reads the frames that wait. */
		for (unsigned int i = 0; i < 6; i++) {
			b.now = fc_site_next_at(&b.end[0].site) + stall;
			event(&b, 0, (struct fc_event){ .type = FC_EV_TIME });
		}
		run_for(&b, 10 * b.timing.poll);
		CHECK(!b.suspected[FC_SUSPICION_SILENT], "suspected, stalled for %llu",
		      (unsigned long long)stall);
	}
}

/*
 * Time until end 0 suspects a link whose peer answers nothing on this channel, while a counter of
 * the link grows by @step in each interval between polls, @intervals times.
 */
static u64 until_suspected_while(enum fc_link_stat stat, unsigned int step, unsigned int intervals)
{
	static struct bench b;
	u64 began, next;

	bench_init(&b, 8);
	b.mute[0] = true;
	began = b.now;
	CHECK(offer(&b), "the packet does not go");
	next = b.now + 2 * b.timing.poll;
	while (!b.suspected[FC_SUSPICION_SILENT] && b.now < began + 40 * b.timing.poll) {
		if (b.now >= next && intervals) {
			b.end[0].site.data.rx[1].stat[stat] += step;
			next += 2 * b.timing.poll;
			intervals--;
		}
		tick(&b);
	}
	return (b.now - began) / b.timing.poll;
}

/*
 * A peer that answers on another channel is not silent; a long queue of it may delay answers.  From
 * the sixth poll on that has no answer on its own channel, waits that prove nothing double.
 */
TEST(llr_silent__other_channels_count)
{
	static const struct {
		enum fc_link_stat stat;
		unsigned int step, intervals, polls;
	} cases[] = {
		{ FC_LSTAT_RX_ANSWERS, 1, 0, 7 },
		{ FC_LSTAT_RX_ANSWERS, 1, 1, 9 },
		{ FC_LSTAT_RX_ANSWERS, 1, 8, 29 },
		{ FC_LSTAT_RX_BYTES, FC_LLR_QUEUE - 1, 8, 7 },
		{ FC_LSTAT_RX_BYTES, FC_LLR_QUEUE, 1, 9 },
		{ FC_LSTAT_RX_BYTES, FC_LLR_QUEUE, 8, 29 },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		u64 took = until_suspected_while(cases[i].stat, cases[i].step, cases[i].intervals);

		CHECK(took == cases[i].polls, "case %u: suspected after %llu polls", i,
		      (unsigned long long)took);
	}
}

/* Send a packet over the link, however long it takes.  Return: end 0 suspected the link. */
static bool suspected_by_packet(struct bench *b)
{
	u64 was = b->suspected[FC_SUSPICION_SILENT];

	run(b, b->end[0].next + 1);
	return b->suspected[FC_SUSPICION_SILENT] > was;
}

/*
 * A peer whose answers come too late is suspected once for each doubling of the waits that they
 * need, and not again before the waits are forgotten.  It is the host that is slow: a reset of the
 * link changes nothing.
 */
TEST(llr_slow__is_suspected_no_more_than_the_doublings_need)
{
	/* Time a frame takes, in tenths of the poll interval, and doublings. */
	static const u32 cases[][2] = { { 30, 0 }, { 60, 1 }, { 110, 2 }, { 200, 3 } };
	const struct fc_event down = { .type = FC_EV_LINK_DOWN, .port = 1 };
	const struct fc_event up = { .type = FC_EV_LINK_UP, .port = 1, .count = 8 };

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(cases); i++) {
		static struct bench b;
		unsigned int forgets;

		bench_init(&b, 8);
		b.length = cases[i][0] * (u32)b.timing.poll / 10;
		for (forgets = 0; forgets < 2; forgets++) {
			for (u32 n = 0; n < 10; n++)
				CHECK(suspected_by_packet(&b) == (n < cases[i][1]),
				      "frame time %u: packet %u", cases[i][0], n);
			for (unsigned int at = 0; at < 2; at++)
				event(&b, at, down);
			for (unsigned int at = 0; at < 2; at++)
				event(&b, at, up);
			CHECK(!suspected_by_packet(&b), "the reset made end 0 forget");
			b.now += b.timing.poll << FC_LLR_SLOW_SHIFT;
		}
	}
}

/* A peer that answers none of the polls that were sent before it seemed silent is not slow. */
TEST(llr_slow__lost_polls_are_not_late_answers)
{
	for (unsigned int direction = 1; direction < 4; direction++) {
		static struct bench b;
		u64 began, took[2];

		bench_init(&b, 8);
		for (unsigned int i = 0; i < 2; i++) {
			b.suspected[FC_SUSPICION_SILENT] = 0;
			b.mute[1] = direction & 1;
			b.mute[0] = direction & 2;
			began = b.now;
			CHECK(offer(&b), "the packet does not go");
			while (!b.suspected[FC_SUSPICION_SILENT] && b.now - began < 1000000)
				tick(&b);
			took[i] = b.now - began;
			run_for(&b, 20 * b.timing.poll);
			b.mute[0] = false;
			b.mute[1] = false;
			run(&b, b.end[0].next);
		}
		CHECK(took[1] <= took[0] + 2, "direction %u: suspected after %llu, then %llu",
		      direction, (unsigned long long)took[0], (unsigned long long)took[1]);
	}
}

/* However long the peer answered no poll: when it does, it is not suspected any more. */
TEST(llr_silent__numbers_wrap)
{
	static struct bench b;

	bench_init(&b, 8);
	b.mute[1] = true;
	CHECK(offer(&b), "the packet does not go");
	for (unsigned int i = 0; i < 33000; i++) {
		b.now = fc_site_next_at(&b.end[0].site);
		event(&b, 0, (struct fc_event){ .type = FC_EV_TIME });
	}
	CHECK(b.suspected[FC_SUSPICION_SILENT], "not suspected");
	/* Polls arrive, and are answered; flits do not, so that acks prove nothing. */
	b.mute[1] = false;
	b.flit_loss = 100;
	run_for(&b, 20 * b.timing.poll);
	CHECK(!b.end[0].tx[1].unanswered, "%u unanswered", b.end[0].tx[1].unanswered);
}

/*
 * A peer that was stalled once answers late on all channels of the link: the waits of none of them
 * double more than once, and an idle channel does not wait longer afterwards.
 */
TEST(llr_slow__one_stall_counts_once)
{
	enum { CHANNELS = 8, WINDOW = 8, STALL = 250 };
	static const struct fc_timing timing = { .retry = 2, .ack_delay = 5, .poll = 20 };

	for (unsigned int round = 0; round < TAP_ROUNDS(200); round++) {
		static struct fc_flit queue[CHANNELS][2][WINDOW];
		static struct fc_rx rx[CHANNELS][2];
		static struct fc_tx tx[CHANNELS][2];
		static struct fc_channel ch[CHANNELS];
		static struct fc_effects fx;
		u64 stat[2][FC_LSTAT_COUNT] = { 0 };
		u32 left[CHANNELS], i, p, n, slow = 0;
		u64 now;

		memset(ch, 0, sizeof(ch));
		memset(rx, 0, sizeof(rx));
		memset(tx, 0, sizeof(tx));
		for (i = 0; i < CHANNELS; i++) {
			ch[i] = (struct fc_channel){
				.timing = &timing, .nports = 2, .window = WINDOW, .rx = rx[i],
				.tx = tx[i], .vc = (u8)(FC_VC_CLASS + i),
			};
			for (p = 0; p < 2; p++) {
				rx[i][p].queue = queue[i][p];
				rx[i][p].stat = stat[p];
			}
			fc_channel_init(&ch[i]);
			ch[i].up |= fc_bit(1);
			for (left[i] = 0; left[i] < WINDOW; left[i]++) {
				fx.n = 0;
				fc_llr_sent(&ch[i], 1, fc_effect_add(&fx, FC_FX_SEND, 1, NULL));
			}
		}
		/* The peer stalls, then acks each flit; some echo the first poll, the last all. */
		for (now = 1, n = 0; n < CHANNELS * WINDOW; now++) {
			struct fc_event ev = { .type = FC_EV_STATUS, .port = 1,
					       .status = { .echo = 1 } };

			for (i = 0; i < CHANNELS; i++) {
				fx.n = 0;
				ch[i].now = now;
				fc_llr_time(&ch[i]);
				fc_llr_send_status(&ch[i], &fx);
			}
			if (now < STALL)
				continue;
			do {
				i = tap_random(CHANNELS);
			} while (!left[i]);
			ev.ack = WINDOW - --left[i];
			n++;
			fx.n = 0;
			fc_llr_acked(&ch[i], 1, ev.ack, &fx);
			if (!left[i])
				ev.status.echo = tx[i][1].polls;
			if (!left[i] || !tap_random(4))
				fc_llr_status(&ch[i], &ev, &fx);
		}
		for (i = 0; i < CHANNELS; i++)
			slow = tx[i][1].slow > slow ? tx[i][1].slow : slow;
		CHECK(slow == 1, "round %u: doubled %u times", round, slow);
		/* Long after, the first poll of a flit does not wait longer. */
		ch[0].now = now + (timing.poll << (FC_LLR_SLOW_SHIFT + 1));
		tx[0][1].slow = FC_LLR_SLOW;
		tx[0][1].poll_at = FC_NEVER;
		fx.n = 0;
		fc_llr_sent(&ch[0], 1, fc_effect_add(&fx, FC_FX_SEND, 1, NULL));
		CHECK(tx[0][1].poll_at == ch[0].now + timing.poll, "polled after %llu",
		      (unsigned long long)(tx[0][1].poll_at - ch[0].now));
	}
}
