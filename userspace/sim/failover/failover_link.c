// SPDX-License-Identifier: GPL-2.0
/*
 * The model of a link and its two hosts, as kernel/fabric runs the core on them:
 *
 *	flit, status, HELLO, digest --> wire, in order --> inbox of the peer --> core
 *
 * A stalled host runs no timer and reads no frame.  When it resumes, its timers run first, then it
 * reads the frames that wait.
 */
#include <string.h>

#include "failover.h"
#include "core/link/hello.h"
#include "core/link/llr.h"
#include "core/wire/names.h"
#include "base/random.h"
#include "base/util.h"

#define PORT		1
#define WINDOW		32
/* Time of a frame on the wire. */
#define DELAY		100000
/* Frames on the wire and in the inbox of a host, a power of two. */
#define FRAMES		4096
/* Settings of a site by default, and the size of a flit. */
#define POLL		(20 * FAILOVER_MS)
#define RETRY		(2 * FAILOVER_MS)
#define DIGEST		(8 * FAILOVER_S)
#define FLIT		4096
/* Longest wait for the end of a failure. */
#define WAIT		(20 * FAILOVER_S)

enum frame_kind {
	FRAME_FLIT,
	FRAME_STATUS,
	FRAME_HELLO,
	FRAME_DIGEST,
};

/**
 * struct frame - a frame
 * @at: when it comes to the peer
 * @epoch: epoch of its sender
 * @kind: enum frame_kind
 * @full: a HELLO as long as a flit
 * @flags: of a status
 * @seq: number of the flit, or of the next one
 * @ack: cumulative ack
 * @status: payload of a status
 * @hello: payload of a HELLO
 */
struct frame {
	u64 at;
	u32 epoch;
	u8 kind;
	bool full;
	u8 flags;
	u32 seq;
	u32 ack;
	struct fc_status status;
	struct fc_hello_msg hello;
};

/**
 * struct host - a host, and the frames to it
 * @ch: its channel
 * @hello: its end of the link
 * @frame: ring of the frames to it, in the order of arrival
 * @head: frames that it has read
 * @tail: frames that were sent to it
 * @digest_at: when it sends the next digest of its link states (core/faults/faults.h)
 * @flit_at: when it sends the next flit
 * @stall_at: when it stalls next
 * @until: it is stalled until then, or 0
 * @dead: it has stopped
 * @deaf: no frame reaches it
 * @silent: its peer does not answer polls
 * @left_at: since when it suspects the link, or has it down, or FC_NEVER
 */
struct host {
	struct fc_channel ch;
	struct fc_rx rx[PORT + 1];
	struct fc_tx tx[PORT + 1];
	struct fc_flit queue[WINDOW];
	u64 stat[PORT + 1][FC_LSTAT_COUNT];
	struct fc_hello hello;
	struct frame frame[FRAMES];
	u32 head;
	u32 tail;
	u64 digest_at;
	u64 flit_at;
	u64 stall_at;
	u64 until;
	bool dead;
	bool deaf;
	bool silent;
	u64 left_at;
};

static struct link {
	const struct failover_model *model;
	struct fc_timing timing;
	struct fc_effects fx;
	struct host host[2];
	struct failover_result result;
	struct rng rng;
	u64 now;
	u64 turn_at;
	bool counts;
} net;

static u32 number_of(const struct host *h)
{
	return h == &net.host[1];
}

static struct host *peer_of(const struct host *h)
{
	return &net.host[!number_of(h)];
}

static u64 below(u64 most)
{
	return rng_u64(&net.rng) % most;
}

static u64 least(u64 a, u64 b)
{
	return a < b ? a : b;
}

static u64 exponential(u64 mean)
{
	return (u64)(((__uint128_t)rng_exponential(&net.rng) * mean) >> 32);
}

static void put(struct host *from, struct frame frame)
{
	struct host *to = peer_of(from);

	if (to->deaf || to->dead || below(100) < net.model->loss)
		return;
	/* A device drops what its host does not read in time. */
	if (to->tail - to->head == FRAMES)
		return;
	frame.at = net.now + DELAY;
	frame.epoch = from->hello.own.epoch;
	to->frame[to->tail++ % FRAMES] = frame;
}

/* Note since when an end avoids the link. */
static void note(struct host *h)
{
	if (h->hello.state == FC_LINK_UP && !h->hello.suspicion)
		h->left_at = FC_NEVER;
	else if (h->left_at == FC_NEVER)
		h->left_at = net.now;
}

static void link_event(struct host *h, bool up)
{
	net.fx.n = 0;
	fc_llr_reset(&h->ch, PORT, up ? h->hello.peer.window : WINDOW, &net.fx);
	if (up)
		h->ch.up |= fc_bit(PORT);
	else
		h->ch.up &= ~fc_bit(PORT);
	h->silent = false;
}

static void perform(struct host *h, u8 todo)
{
	if (todo & FC_HELLO_GO_DOWN) {
		if (net.counts && h->hello.own.reason == FC_REASON_DEAD)
			net.result.deaths++;
		else if (net.counts)
			net.result.resets++;
		link_event(h, false);
	}
	if (todo & FC_HELLO_CHECK) {
		struct frame hello = { .kind = FRAME_HELLO, .full = true };

		hello.hello = fc_hello_next(&h->hello, true);
		put(h, hello);
	}
	if (todo & FC_HELLO_SEND) {
		struct frame hello = { .kind = FRAME_HELLO, .full = fc_hello_full(&h->hello) };

		hello.hello = fc_hello_next(&h->hello, todo & FC_HELLO_CHECK);
		put(h, hello);
	}
	if (todo & FC_HELLO_GO_UP)
		link_event(h, true);
	if (net.counts) {
		net.result.suspicions += !!(todo & FC_HELLO_SUSPECT);
		net.result.trusts += !!(todo & FC_HELLO_TRUST);
	}
	note(h);
}

/* Perform the effects of an event of the channel. */
static void finish(struct host *h)
{
	u8 suspicion = FC_SUSPICION_NONE;
	struct frame frame;
	bool reset = false;

	fc_llr_send_status(&h->ch, &net.fx);
	for (u32 i = 0; i < net.fx.n; i++) {
		const struct fc_effect *e = &net.fx.fx[i];

		switch (e->type) {
		case FC_FX_SEND:
		case FC_FX_RESEND:
			put(h, (struct frame){ .kind = FRAME_FLIT, .seq = e->seq, .ack = e->ack });
			break;
		case FC_FX_STATUS:
			frame = (struct frame){ .kind = FRAME_STATUS, .flags = e->flags };
			frame.seq = e->seq;
			frame.ack = e->ack;
			frame.status = e->status;
			put(h, frame);
			break;
		case FC_FX_SUSPECT:
			if (!suspicion || e->flags < suspicion)
				suspicion = e->flags;
			break;
		case FC_FX_RESET:
			reset = true;
			break;
		default:
			break;
		}
	}
	net.fx.n = 0;
	if (suspicion == FC_SUSPICION_SILENT && !h->silent) {
		h->silent = true;
		net.result.silences += net.counts;
	} else if (!h->tx[PORT].unanswered) {
		h->silent = false;
	}
	if (suspicion)
		perform(h, fc_hello_suspect(&h->hello, suspicion, net.now));
	if (reset)
		perform(h, fc_hello_reset(&h->hello, net.now));
}

static void begin(struct host *h)
{
	net.fx.n = 0;
	h->ch.now = net.now;
}

static void read_flit(struct host *h, const struct frame *frame)
{
	struct fc_event ev = {
		.type = FC_EV_FLIT, .port = PORT, .now = net.now, .seq = frame->seq,
		.ack = frame->ack, .flit = { .parts = FC_PART_HEAD | FC_PART_TERM },
	};
	struct fc_rx *rx = &h->rx[PORT];

	fc_llr_acked(&h->ch, PORT, ev.ack, &net.fx);
	h->stat[PORT][FC_LSTAT_RX_BYTES] += FLIT;
	fc_llr_flit(&h->ch, &ev, &net.fx);
	while (!net.model->held && rx->queued && fc_rx_first(rx)->parts & FC_FLIT_VALID)
		fc_rx_consume(&h->ch, PORT);
}

static void read_status(struct host *h, const struct frame *frame)
{
	struct fc_event ev = {
		.type = FC_EV_STATUS, .port = PORT, .now = net.now, .flags = frame->flags,
		.seq = frame->seq, .ack = frame->ack, .status = frame->status,
	};

	fc_llr_acked(&h->ch, PORT, ev.ack, &net.fx);
	fc_llr_status(&h->ch, &ev, &net.fx);
}

static void read_frame(struct host *h)
{
	struct frame frame = h->frame[h->head++ % FRAMES];

	if (frame.kind == FRAME_HELLO) {
		perform(h, fc_hello_received(&h->hello, &frame.hello, frame.full, net.now));
		return;
	}
	/* A frame of an earlier life of the link. */
	if (h->hello.state != FC_LINK_UP || frame.epoch != h->hello.peer.epoch)
		return;
	fc_hello_alive(&h->hello, net.now);
	if (frame.kind == FRAME_DIGEST)
		return;
	begin(h);
	if (frame.kind == FRAME_FLIT)
		read_flit(h, &frame);
	else
		read_status(h, &frame);
	fc_llr_time(&h->ch);
	finish(h);
}

/* Is the link avoided by one of its ends? */
static bool avoided(void)
{
	return net.host[0].left_at != FC_NEVER || net.host[1].left_at != FC_NEVER;
}

static void send_flit(struct host *h)
{
	struct fc_effect *e;

	h->flit_at = net.now + net.model->busy;
	if (!(h->ch.up & fc_bit(PORT)) || !fc_tx_credit(&h->tx[PORT]) ||
	    (net.model->leaves && avoided()))
		return;
	begin(h);
	e = fc_effect_add(&net.fx, FC_FX_SEND, PORT, NULL);
	fc_llr_sent(&h->ch, PORT, e);
	finish(h);
}

/* Run the timers of the channel; with @late of the model as if a poll timer had run in time. */
static void llr_timers(struct host *h)
{
	struct fc_tx *tx = &h->tx[PORT];
	u64 due = tx->poll_at;

	begin(h);
	if (net.model->late && due <= net.now)
		h->ch.now = due;
	fc_llr_time(&h->ch);
	if (h->ch.now != net.now) {
		if (tx->poll_at != FC_NEVER && tx->poll_at != due)
			tx->poll_at += net.now - due;
		h->ch.now = net.now;
		fc_llr_time(&h->ch);
	}
	finish(h);
}

/*
 * HELLO and digest.  A host that is awake for one of them sends the other one, too, if that is due
 * within half its interval (kernel/site/engine.c).
 */
static void clocks(struct host *h)
{
	perform(h, fc_hello_time(&h->hello, net.now, true));
	if (h->hello.state != FC_LINK_UP || h->digest_at > net.now + DIGEST / 4)
		return;
	h->digest_at = net.now + DIGEST;
	put(h, (struct frame){ .kind = FRAME_DIGEST });
}

/* When HELLO or digest is due. */
static u64 clock_at(const struct host *h)
{
	u64 at = least(h->hello.send_at, h->hello.dead_at);

	return h->hello.state == FC_LINK_UP ? least(at, h->digest_at) : at;
}

static void run_timers(struct host *h)
{
	if (clock_at(h) <= net.now)
		clocks(h);
	if (h->ch.next_at <= net.now)
		llr_timers(h);
	if (h->flit_at <= net.now)
		send_flit(h);
}

static void stall(struct host *h)
{
	const struct failover_model *model = net.model;
	u64 time = model->stall;

	if (model->stall_most) {
		time = exponential(model->stall);
		if (time > model->stall_most)
			time = model->stall_most;
	}
	h->until = net.now + time;
	/* Uniform around the mean; never during this stall. */
	h->stall_at += model->each / 2 + below(model->each);
	if (h->stall_at <= h->until)
		h->stall_at = h->until + 1;
}

static void stalls(void)
{
	struct host *a = &net.host[0], *b = &net.host[1];

	if (a->stall_at <= net.now)
		stall(a);
	if (net.model->together) {
		b->until = a->until;
		return;
	}
	if (b->stall_at <= net.now)
		stall(b);
}

/* When a host has something to do next. */
static u64 next_of(const struct host *h)
{
	u64 at = least(least(h->ch.next_at, h->flit_at), clock_at(h));

	if (h->dead)
		return FC_NEVER;
	if (h->until > net.now)
		return h->until;
	if (h->head != h->tail && h->frame[h->head % FRAMES].at < at)
		at = h->frame[h->head % FRAMES].at;
	return at;
}

static void act(struct host *h)
{
	if (h->dead || h->until > net.now)
		return;
	run_timers(h);
	while (h->head != h->tail && h->frame[h->head % FRAMES].at <= net.now)
		read_frame(h);
}

static void turn(void)
{
	net.host[0].deaf = !net.host[0].deaf;
	net.host[1].deaf = net.host[0].deaf;
	net.turn_at += net.model->turn;
}

/* Run until a time. */
static void run_until(u64 end)
{
	while (net.now < end) {
		u64 at = least(end, net.turn_at);

		for (u32 i = 0; i < 2; i++) {
			at = least(at, next_of(&net.host[i]));
			if (!net.host[i].dead)
				at = least(at, net.host[i].stall_at);
		}
		if (at > net.now) {
			if (net.counts && avoided())
				net.result.avoided += at - net.now;
			net.now = at;
		}
		if (net.turn_at <= net.now)
			turn();
		stalls();
		for (u32 i = 0; i < 2; i++)
			act(&net.host[i]);
	}
}

static void make_host(u32 number)
{
	struct host *h = &net.host[number];
	const struct failover_model *model = net.model;

	h->ch.timing = &net.timing;
	h->ch.rx = h->rx;
	h->ch.tx = h->tx;
	h->ch.window = WINDOW;
	h->ch.nports = PORT + 1;
	h->rx[PORT].queue = h->queue;
	h->rx[0].stat = h->stat[0];
	h->rx[PORT].stat = h->stat[PORT];
	fc_channel_init(&h->ch);
	h->hello = (struct fc_hello){
		.own = {
			.ver_min = 1, .ver_max = 1, .mode = 1, .site = number, .port = PORT,
			.window = WINDOW, .flit = FLIT, .epoch = 1 + number, .nsites = 2,
			.reason = FC_REASON_CARRIER, .interval = model->hello,
		},
		.want_site = !number, .want_port = PORT, .ms = FAILOVER_MS,
		.interval = model->hello * FAILOVER_MS,
		.dead = model->dead,
		.send_at = FC_NEVER, .dead_at = FC_NEVER,
		.state = FC_LINK_DOWN,
	};
	h->flit_at = model->busy ? FAILOVER_S / 2 + below(model->busy) : FC_NEVER;
	h->stall_at = model->each ? FAILOVER_S + below(model->each) : FC_NEVER;
}

/* Begin a link, and let it come up: nothing is lost, and no host stalls, for half a second. */
static void start(const struct failover_model *model, u64 seed)
{
	struct failover_model whole = *model;

	memset(&net, 0, sizeof(net));
	net.rng.state = seed;
	net.timing = (struct fc_timing){ .retry = RETRY, .ack_delay = POLL / 2, .poll = POLL };
	net.model = model;
	net.turn_at = FC_NEVER;
	make_host(0);
	make_host(1);
	if (model->together)
		net.host[1].stall_at = FC_NEVER;
	whole.loss = 0;
	net.model = &whole;
	for (u32 i = 0; i < 2; i++)
		perform(&net.host[i], fc_hello_carrier(&net.host[i].hello, true, net.now));
	run_until(FAILOVER_S / 2);
	if (avoided())
		die("the link does not come up");
	net.model = model;
	run_until(FAILOVER_S);
}

struct failover_result failover_run(const struct failover_model *model, u64 time, u64 seed)
{
	start(model, seed);
	net.counts = true;
	if (model->turn)
		net.turn_at = net.now + model->turn;
	run_until(net.now + time);
	return net.result;
}

bool failover_fail(const struct failover_model *model, enum failover_fault fault, u64 *first,
		   u64 *last, u64 seed)
{
	struct host *a = &net.host[0], *b = &net.host[1];
	u64 begun, end;

	start(model, seed);
	run_until(net.now + 3 * FAILOVER_S + below(FAILOVER_S));
	if (avoided())
		return false;
	begun = net.now;
	a->deaf = fault == FAILOVER_SILENT;
	b->deaf = fault != FAILOVER_DEAD;
	b->dead = fault == FAILOVER_DEAD;
	end = begun + WAIT;
	while (a->left_at == FC_NEVER || (!b->dead && b->left_at == FC_NEVER)) {
		if (net.now >= end)
			die("an end does not suspect the link");
		run_until(net.now + FAILOVER_MS);
	}
	*first = least(a->left_at, b->dead ? FC_NEVER : b->left_at) - begun;
	*last = (b->dead || a->left_at > b->left_at ? a->left_at : b->left_at) - begun;
	return true;
}
