// SPDX-License-Identifier: GPL-2.0
/* The handshake: two ends of a wire that delays and loses frames, and is unplugged. */
#include <string.h>

#include "core/link/hello.h"
#include "tap.h"
#include "core/topo/topo.h"

#define NEVER		(~(u64)0)
#define INTERVAL	1000
#define MS		(INTERVAL / FC_HELLO_MS)
#define WIRE		32

struct flying {
	struct fc_hello_msg msg;
	unsigned int to;
	bool full;
	u64 at;
};

struct bench {
	struct fc_hello end[2];
	struct flying wire[WIRE];
	unsigned int n;
	u64 last_at[2];		/* arrival of the last HELLO for each end */
	u64 now;
	u32 loss;		/* percentage of lost HELLOs */
	u32 delay;		/* maximum delay */
	bool carrier[2];
	unsigned int ups[2];
	unsigned int downs[2];
	bool up[2];		/* state that the end reported to its caller */
	bool narrow[2];		/* frames as long as a flit do not reach this end */
	u32 full_loss;		/* percentage of such frames lost, in both directions */
	bool grey[2];		/* went down since full frames are lost, and is not up again */
	u32 sent;		/* number of HELLOs */
	u32 full_epoch[2];	/* epoch of the last HELLO as long as a flit */
};

static struct fc_hello new_end(u32 site, u16 port, u32 want_site, u16 want_port, u32 epoch)
{
	return (struct fc_hello){
		.own = {
			.ver_min = 1, .ver_max = 1, .mode = 1, .site = site, .port = port,
			.window = 8, .flit = 1500, .epoch = epoch, .topology = 0x1234,
			.nsites = 16, .reason = FC_REASON_CARRIER, .interval = FC_HELLO_MS,
		},
		.want_site = want_site, .want_port = want_port, .ms = MS,
		.interval = INTERVAL, .dead = FC_HELLO_DEAD,
		.send_at = NEVER, .dead_at = NEVER, .state = FC_LINK_DOWN,
	};
}

static void bench_init(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	b->end[0] = new_end(0, 1, 1, 2, 100);
	b->end[1] = new_end(1, 2, 0, 1, 0xffffffff);
	b->delay = 20;
}

static void send(struct bench *b, unsigned int from, bool full, bool pair)
{
	struct flying f = {
		.msg = fc_hello_next(&b->end[from], pair), .to = !from, .full = full,
	};
	u8 bytes[FC_HELLO_SIZE];

	b->sent++;
	if (!b->carrier[0] || !b->carrier[1] || tap_random(100) < b->loss || b->n == WIRE ||
	    (full && (b->narrow[f.to] || tap_random(100) < b->full_loss)))
		return;
	fc_wire_hello_encode(bytes, &f.msg);
	CHECK(fc_wire_hello_decode(&f.msg, bytes), "end %u says nonsense", from);
	/* The number is in the link header. */
	f.msg.number = b->end[from].own.number;
	/* A wire delays frames, and keeps their order. */
	f.at = b->now + 1 + tap_random(b->delay);
	if (f.at < b->last_at[f.to])
		f.at = b->last_at[f.to];
	b->last_at[f.to] = f.at;
	b->wire[b->n++] = f;
}

static void perform(struct bench *b, unsigned int i, u8 todo)
{
	CHECK(!(todo & ~(FC_HELLO_GO_DOWN | FC_HELLO_GO_UP | FC_HELLO_SEND | FC_HELLO_CHECK |
			 FC_HELLO_SUSPECT | FC_HELLO_TRUST)), "%x", todo);
	CHECK(!(todo & FC_HELLO_CHECK) || todo & FC_HELLO_SEND, "half a pair");
	if (todo & FC_HELLO_GO_DOWN) {
		CHECK(b->up[i], "end %u goes down, but is not up", i);
		b->up[i] = false;
		b->downs[i]++;
		b->grey[i] = b->end[i].own.reason == FC_REASON_GREY;
	}
	if (todo & FC_HELLO_GO_UP) {
		CHECK(!b->up[i], "end %u goes up, but is up", i);
		CHECK(!(b->grey[i] ||
			(b->end[i].own.flags | b->end[i].peer.flags) & FC_HELLO_LONG) ||
		      b->full_epoch[i] == b->end[i].peer.epoch,
		      "end %u goes up, but no flit may come", i);
		b->grey[i] = false;
		b->up[i] = true;
		b->ups[i]++;
	}
	CHECK(b->up[i] == (b->end[i].state == FC_LINK_UP), "end %u: state %u", i,
	      b->end[i].state);
	CHECK(!b->up[i] || !b->end[i].own.reason, "end %u is up with reason %s", i,
	      fc_reason_text(b->end[i].own.reason));
	CHECK(b->end[i].own.epoch, "end %u has epoch 0", i);
	if (todo & FC_HELLO_CHECK)
		send(b, i, true, true);
	if (todo & FC_HELLO_SEND)
		send(b, i, fc_hello_full(&b->end[i]), todo & FC_HELLO_CHECK);
}

static void carrier(struct bench *b, unsigned int i, bool up)
{
	b->carrier[i] = up;
	if (!up)
		b->n = 0;
	perform(b, i, fc_hello_carrier(&b->end[i], up, b->now));
}

/* Remove a HELLO from the wire; the others keep their order. */
static void lift(struct bench *b, unsigned int i)
{
	memmove(&b->wire[i], &b->wire[i + 1], (--b->n - i) * sizeof(b->wire[0]));
}

static void wait(struct bench *b, u64 time)
{
	for (u64 end = b->now + time; b->now < end; b->now++) {
		for (unsigned int i = 0; i < b->n; i++) {
			struct flying f = b->wire[i];

			if (f.at > b->now)
				continue;
			lift(b, i--);
			if (f.full)
				b->full_epoch[f.to] = f.msg.epoch;
			perform(b, f.to, fc_hello_received(&b->end[f.to], &f.msg, f.full,
							   b->now));
		}
		for (unsigned int i = 0; i < 2; i++)
			if (b->end[i].send_at <= b->now || b->end[i].dead_at <= b->now)
				perform(b, i, fc_hello_time(&b->end[i], b->now, false));
	}
}

static void plug(struct bench *b)
{
	carrier(b, 0, true);
	wait(b, tap_random(50));
	carrier(b, 1, true);
}

TEST(hello__comes_up)
{
	for (unsigned int i = 0; i < 200; i++) {
		struct bench b;

		bench_init(&b);
		plug(&b);
		wait(&b, INTERVAL);
		CHECK(b.up[0] && b.up[1], "%s; %s", fc_reason_text(b.end[0].own.reason),
		      fc_reason_text(b.end[1].own.reason));
		/* The link stays up. */
		wait(&b, 20 * INTERVAL);
		CHECK(b.ups[0] == 1 && b.ups[1] == 1, "%u and %u times", b.ups[0], b.ups[1]);
	}
}

TEST(hello__comes_up_despite_losses)
{
	for (unsigned int i = 0; i < 200; i++) {
		struct bench b;

		bench_init(&b);
		b.loss = 60;
		plug(&b);
		wait(&b, 20 * INTERVAL);
		b.loss = 0;
		wait(&b, 2 * INTERVAL);
		CHECK(b.up[0] && b.up[1], "%s; %s", fc_reason_text(b.end[0].own.reason),
		      fc_reason_text(b.end[1].own.reason));
	}
}

/* Adds to a number of 1, 2 or 4 bytes, in the byte order of this machine. */
static void add_to(void *member, size_t size, int n)
{
	switch (size) {
	case sizeof(u8):
		*(u8 *)member += n;
		break;
	case sizeof(u16):
		*(u16 *)member += n;
		break;
	case sizeof(u32):
		*(u32 *)member += n;
		break;
	default:
		CHECK(false, "a member of %zu bytes", size);
	}
}

TEST(hello__disagreement_stays_down_with_a_reason)
{
	static const struct {
		u8 reason;
		bool both_see;
		size_t at;
		size_t size;
	} fields[] = {
#define FIELD(reason, member, both) \
	{ reason, both, offsetof(struct fc_hello_msg, member), \
	  sizeof(((struct fc_hello_msg *)NULL)->member) }
		FIELD(FC_REASON_VERSION, ver_min, true),
		FIELD(FC_REASON_MODE, mode, true),
		FIELD(FC_REASON_FLIT, flit, true),
		FIELD(FC_REASON_TOPOLOGY, topology, true),
		FIELD(FC_REASON_TOPOLOGY, nsites, true),
		FIELD(FC_REASON_CABLE_SITE, site, false),
		FIELD(FC_REASON_CABLE_PORT, port, false),
#undef FIELD
	};

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(fields); i++) {
		struct bench b;
		void *member;

		bench_init(&b);
		member = (u8 *)&b.end[0].own + fields[i].at;
		add_to(member, fields[i].size, 1);
		if (fields[i].reason == FC_REASON_VERSION)
			b.end[0].own.ver_max = 2;
		plug(&b);
		wait(&b, 20 * INTERVAL);
		CHECK(!b.ups[0] && !b.ups[1], "field %u: up", i);
		CHECK(b.end[1].own.reason == fields[i].reason, "field %u: %s", i,
		      fc_reason_text(b.end[1].own.reason));
		CHECK(b.end[0].own.reason == (fields[i].both_see ? fields[i].reason :
					      FC_REASON_PEER), "field %u: %s", i,
		      fc_reason_text(b.end[0].own.reason));
		/* With the right value the link comes up. */
		add_to(member, fields[i].size, -1);
		b.end[0].own.ver_max = 1;
		wait(&b, 20 * INTERVAL);
		CHECK(b.up[0] && b.up[1], "field %u: %s; %s", i,
		      fc_reason_text(b.end[0].own.reason),
		      fc_reason_text(b.end[1].own.reason));
	}
}

/* Modes have separate version numbers: the reported reason is the mode. */
TEST(hello__another_mode_and_its_version_is_another_mode)
{
	struct bench b;

	bench_init(&b);
	b.end[0].own.ver_min = 2;
	b.end[0].own.ver_max = 2;
	b.end[0].own.mode++;
	plug(&b);
	wait(&b, 20 * INTERVAL);
	for (unsigned int i = 0; i < 2; i++)
		CHECK(!b.ups[i] && b.end[i].own.reason == FC_REASON_MODE, "end %u: %s", i,
		      fc_reason_text(b.end[i].own.reason));
}

TEST(hello__a_new_life_of_the_peer_resets)
{
	for (unsigned int i = 0; i < 200; i++) {
		struct bench b;

		bench_init(&b);
		plug(&b);
		wait(&b, 2 * INTERVAL);
		/* Site 1 is deleted and created again without a carrier change. */
		b.end[1] = new_end(1, 2, 0, 1, 7000 + i);
		b.up[1] = false;
		perform(&b, 1, fc_hello_carrier(&b.end[1], true, b.now));
		wait(&b, 3 * INTERVAL);
		CHECK(b.up[0] && b.up[1], "%s; %s", fc_reason_text(b.end[0].own.reason),
		      fc_reason_text(b.end[1].own.reason));
		CHECK(b.downs[0] == 1, "reset %u times", b.downs[0]);
	}
}

/* Both ends reset at once; a reset has no effect on an end that is not up. */
TEST(hello__reset)
{
	struct bench b;

	bench_init(&b);
	perform(&b, 0, fc_hello_reset(&b.end[0], b.now));
	CHECK(b.end[0].state == FC_LINK_DOWN, "without carrier in state %u", b.end[0].state);
	plug(&b);
	perform(&b, 0, fc_hello_reset(&b.end[0], b.now));
	CHECK(b.end[0].own.epoch == 100, "epoch %u", b.end[0].own.epoch);
	wait(&b, 2 * INTERVAL);
	CHECK(b.up[0] && b.up[1] && !b.downs[0], "not up");
	perform(&b, 0, fc_hello_reset(&b.end[0], b.now));
	CHECK(!b.up[0] && b.end[0].own.epoch == 101, "epoch %u", b.end[0].own.epoch);
	wait(&b, 2 * INTERVAL);
	CHECK(b.up[0] && b.up[1], "%s; %s", fc_reason_text(b.end[0].own.reason),
	      fc_reason_text(b.end[1].own.reason));
	CHECK(b.downs[0] == 1 && b.downs[1] == 1, "reset %u and %u times", b.downs[0], b.downs[1]);
	/* A change of the checksum flag also resets the link; then the ends agree on it. */
	perform(&b, 0, fc_hello_set(&b.end[0], 3, FC_HELLO_SUM, b.now));
	CHECK(!b.up[0] && b.downs[0] == 2, "not reset");
	wait(&b, 2 * INTERVAL);
	CHECK(b.up[0] && b.up[1] && b.end[1].peer.flags == FC_HELLO_SUM, "flags %x",
	      b.end[1].peer.flags);
}

/* An end that is up knows the window of the other. */
static void check_windows(const struct bench *b)
{
	for (unsigned int i = 0; i < 2; i++)
		if (b->up[i] && b->end[i].peer.epoch == b->end[!i].own.epoch)
			CHECK(b->end[i].peer.window == b->end[!i].own.window,
			      "end %u knows of %u, not %u", i, b->end[i].peer.window,
			      b->end[!i].own.window);
}

TEST(hello__window)
{
	struct bench b;

	bench_init(&b);
	perform(&b, 0, fc_hello_set(&b.end[0], 5, 0, b.now));
	CHECK(b.end[0].state == FC_LINK_DOWN && !b.n, "without carrier in state %u",
	      b.end[0].state);
	plug(&b);
	wait(&b, 2 * INTERVAL);
	CHECK(b.up[1] && b.end[1].peer.window == 5, "window %u", b.end[1].peer.window);
	perform(&b, 0, fc_hello_set(&b.end[0], 5, 0, b.now));
	CHECK(b.up[0] && !b.downs[0], "reset for nothing");
	perform(&b, 0, fc_hello_set(&b.end[0], 3, 0, b.now));
	CHECK(!b.up[0] && b.downs[0] == 1, "not reset");
	wait(&b, 2 * INTERVAL);
	CHECK(b.up[0] && b.up[1] && b.end[1].peer.window == 3, "window %u",
	      b.end[1].peer.window);
	CHECK(b.downs[0] == 1 && b.downs[1] == 1, "reset %u and %u times", b.downs[0], b.downs[1]);
}

/* One end comes up by a HELLO whose window the other end has just changed. */
TEST(hello__window_while_it_comes_up)
{
	for (unsigned int i = 0; i < 200; i++) {
		struct bench b;

		bench_init(&b);
		plug(&b);
		wait(&b, tap_random(INTERVAL));
		perform(&b, 0, fc_hello_set(&b.end[0], 1 + i % 7, 0, b.now));
		check_windows(&b);
		for (unsigned int j = 0; j < 2 * INTERVAL; j++) {
			wait(&b, 1);
			check_windows(&b);
		}
		CHECK(b.up[0] && b.up[1], "%s; %s", fc_reason_text(b.end[0].own.reason),
		      fc_reason_text(b.end[1].own.reason));
	}
}

/* Flits above the MTU of a device: an end comes up once it has received such a frame. */
TEST(hello__long_flits)
{
	for (unsigned int i = 0; i < 200; i++) {
		bool narrow = i & 4, other = i & 8;
		unsigned int needs = 1 + i % 3, end = i & 16 ? 1 : 0;
		struct bench b;

		bench_init(&b);
		for (unsigned int j = 0; j < 2; j++)
			b.end[j].own.flags = needs & 1U << j ? FC_HELLO_LONG : 0;
		b.narrow[end] = narrow;
		b.narrow[!end] = narrow && other;
		plug(&b);
		wait(&b, 20 * INTERVAL);
		CHECK(b.up[0] == !narrow && b.up[1] == !narrow, "%s; %s",
		      fc_reason_text(b.end[0].own.reason), fc_reason_text(b.end[1].own.reason));
		if (!narrow)
			continue;
		b.narrow[0] = false;
		b.narrow[1] = false;
		wait(&b, 2 * INTERVAL);
		CHECK(b.up[0] && b.up[1], "%s; %s", fc_reason_text(b.end[0].own.reason),
		      fc_reason_text(b.end[1].own.reason));
		/* After that, frames shorter than a flit suffice to keep the link up. */
		b.narrow[end] = true;
		wait(&b, 20 * INTERVAL);
		CHECK(b.up[0] && b.up[1] && !b.downs[0], "%s; %s",
		      fc_reason_text(b.end[0].own.reason), fc_reason_text(b.end[1].own.reason));
		/* Changed abilities of a device restart the handshake. */
		perform(&b, 0, fc_hello_set(&b.end[0], 8, FC_HELLO_LONG ^ b.end[0].own.flags,
					    b.now));
		wait(&b, 2 * INTERVAL);
		CHECK(b.up[0] == !((b.end[0].own.flags | b.end[1].own.flags) & FC_HELLO_LONG),
		      "flags %x, %x: %s", b.end[0].own.flags, b.end[1].own.flags,
		      fc_reason_text(b.end[0].own.reason));
	}
}

/* An end that receives only short HELLOs takes the link down and reports why. */
TEST(hello__long_flits_do_not_come)
{
	struct bench b;

	bench_init(&b);
	b.end[1].own.flags = FC_HELLO_LONG;
	plug(&b);
	wait(&b, 10 * INTERVAL);
	CHECK(b.up[0] && b.up[1], "%s; %s", fc_reason_text(b.end[0].own.reason),
	      fc_reason_text(b.end[1].own.reason));
	b.end[0] = new_end(0, 1, 1, 2, 9000);
	b.up[0] = false;
	b.narrow[0] = true;
	perform(&b, 0, fc_hello_carrier(&b.end[0], true, b.now));
	wait(&b, 10 * INTERVAL);
	CHECK(!b.up[0] && !b.up[1], "up");
	CHECK(b.end[1].own.reason == FC_REASON_LONG, "%s", fc_reason_text(b.end[1].own.reason));
}

static void suspect(struct bench *b, unsigned int i)
{
	perform(b, i, fc_hello_suspect(&b->end[i], FC_SUSPICION_GREY, b->now));
}

/* Return: time for which end 0 is down when the link loses full frames in these directions. */
static u64 grey_link(struct bench *b, bool to_peer, bool from_peer)
{
	u64 begun;

	b->narrow[1] = to_peer;
	b->narrow[0] = from_peer;
	suspect(b, 0);
	wait(b, INTERVAL);
	CHECK(!b->up[0] && !b->up[1], "up: %d, %d", b->up[0], b->up[1]);
	CHECK(b->end[0].own.reason == FC_REASON_GREY, "%s",
	      fc_reason_text(b->end[0].own.reason));
	CHECK(b->end[1].own.reason == FC_REASON_LONG, "%s",
	      fc_reason_text(b->end[1].own.reason));
	begun = b->now;
	b->narrow[1] = false;
	b->narrow[0] = false;
	while (!(b->up[0] && b->up[1]) && b->now - begun < 100 * INTERVAL)
		wait(b, 1);
	CHECK(b->up[0] && b->up[1], "%s; %s", fc_reason_text(b->end[0].own.reason),
	      fc_reason_text(b->end[1].own.reason));
	return b->now - begun;
}

/* Short HELLOs arrive and long ones do not: both ends take the link down, and report why. */
TEST(hello_grey__goes_down_and_comes_back)
{
	for (unsigned int direction = 1; direction < 4; direction += 2) {
		struct bench b;
		u64 held = 0;

		bench_init(&b);
		plug(&b);
		wait(&b, 2 * INTERVAL);
		/* The link stays down longer each time. */
		for (unsigned int i = 0; i < FC_HELLO_GREYS_MAX + 2; i++) {
			u64 down = grey_link(&b, direction & 1, direction & 2);

			CHECK(down > held - held / 8 && down <= (2U << i) * INTERVAL,
			      "time %u: down for %llu after %llu", i, (unsigned long long)down,
			      (unsigned long long)held);
			if (i < FC_HELLO_GREYS_MAX)
				held = (2U << i) * INTERVAL - INTERVAL;
		}
		/* After a long good period the grey link is trusted as at first. */
		wait(&b, (2U << FC_HELLO_GREYS_MAX << FC_HELLO_CALM_SHIFT) * INTERVAL);
		CHECK(b.up[0] && b.up[1], "down again by itself");
		held = grey_link(&b, true, false);
		CHECK(held <= 2 * INTERVAL, "down for %llu", (unsigned long long)held);
	}
}

/* While full frames are lost the link stays down, with few HELLOs. */
TEST(hello_grey__stays_down)
{
	for (unsigned int direction = 1; direction < 4; direction++) {
		struct bench b;
		u32 sent;

		bench_init(&b);
		plug(&b);
		wait(&b, 2 * INTERVAL);
		b.narrow[1] = direction & 1;
		b.narrow[0] = direction & 2;
		suspect(&b, direction & 1 ? 0 : 1);
		wait(&b, INTERVAL);
		sent = b.sent;
		wait(&b, 200 * INTERVAL);
		CHECK(!b.up[0] && !b.up[1] && b.ups[0] == 1, "up %u times", b.ups[0]);
		/* Each end sends eight HELLOs per second, and answers those of its peer. */
		CHECK(b.sent - sent <= 200 * 8 * 4, "%u HELLOs", b.sent - sent);
	}
}

/* A wrong suspicion ends after some answers and its hold, and does not take the link down. */
TEST(hello_grey__innocent)
{
	static const u32 losses[] = { 0, 5, 20 };

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(losses); i++) {
		for (unsigned int round = 0; round < 300; round++) {
			struct bench b;

			bench_init(&b);
			plug(&b);
			wait(&b, 2 * INTERVAL);
			b.full_loss = losses[i];
			b.loss = round % 3 * 10;
			suspect(&b, 0);
			suspect(&b, round & 1);
			wait(&b, 3 * INTERVAL);
			CHECK(b.up[0] && b.up[1] && b.ups[0] == 1 && b.ups[1] == 1,
			      "down at %u of 100", losses[i]);
			CHECK(!b.end[0].suspicion && !b.end[1].suspicion, "still suspected");
		}
	}
}

/* A peer that answers nothing is no grey link either: the silence timer handles that. */
TEST(hello_grey__silence_is_no_proof)
{
	struct bench b;

	bench_init(&b);
	plug(&b);
	wait(&b, 2 * INTERVAL);
	b.loss = 100;
	suspect(&b, 0);
	wait(&b, FC_HELLO_DEAD * INTERVAL + 1);
	CHECK(b.end[0].own.reason == FC_REASON_DEAD, "%s", fc_reason_text(b.end[0].own.reason));
	b.loss = 0;
	wait(&b, 2 * INTERVAL);
	CHECK(b.up[0] && b.up[1], "%s; %s", fc_reason_text(b.end[0].own.reason),
	      fc_reason_text(b.end[1].own.reason));
}

/* After unplugging and plugging the ends do not wait: full frames bring the link up at once. */
TEST(hello_grey__another_cable)
{
	struct bench b;

	bench_init(&b);
	plug(&b);
	wait(&b, 2 * INTERVAL);
	for (unsigned int i = 0; i < 4; i++)
		grey_link(&b, true, false);
	b.narrow[1] = true;
	suspect(&b, 0);
	wait(&b, INTERVAL);
	carrier(&b, 0, false);
	wait(&b, INTERVAL);
	carrier(&b, 0, true);
	wait(&b, INTERVAL);
	CHECK(!b.up[0] && !b.up[1], "up");
	b.narrow[1] = false;
	wait(&b, INTERVAL);
	CHECK(b.up[0] && b.up[1], "%s; %s", fc_reason_text(b.end[0].own.reason),
	      fc_reason_text(b.end[1].own.reason));
}

/* The HELLOs of all links of a site are sent at the wakeup for the first one, once per second. */
TEST(hello__one_timer_for_all)
{
	enum { LINKS = 6 };
	struct fc_hello end[LINKS];
	u64 now = 1;

	for (unsigned int i = 0; i < LINKS; i++) {
		end[i] = new_end(0, (u16)(i + 1), 1, 2, 100);
		end[i].state = FC_LINK_UP;
		end[i].send_at = 1 + tap_random(INTERVAL);
	}
	for (unsigned int round = 0; round < 100; round++) {
		u64 first = NEVER;

		for (unsigned int i = 0; i < LINKS; i++)
			if (end[i].send_at < first)
				first = end[i].send_at;
		now = first;
		for (unsigned int i = 0; i < LINKS; i++) {
			u64 was = end[i].send_at;
			u8 todo = fc_hello_time(&end[i], now, true);

			CHECK(!(todo & FC_HELLO_SEND) == (was - now > INTERVAL / 2),
			      "sent at %llu, due at %llu", (unsigned long long)now,
			      (unsigned long long)was);
			CHECK(round < 2 || todo & FC_HELLO_SEND, "link %u for itself", i);
		}
	}
}

TEST(hello__silence_is_death)
{
	struct bench b;

	bench_init(&b);
	plug(&b);
	wait(&b, 2 * INTERVAL);
	b.loss = 100;
	wait(&b, (FC_HELLO_DEAD + 2) * INTERVAL);
	CHECK(!b.up[0] && !b.up[1], "up");
	CHECK(b.end[0].own.reason == FC_REASON_DEAD, "%s", fc_reason_text(b.end[0].own.reason));
	b.loss = 0;
	wait(&b, 2 * INTERVAL);
	CHECK(b.up[0] && b.up[1], "%s; %s", fc_reason_text(b.end[0].own.reason),
	      fc_reason_text(b.end[1].own.reason));
}

/*
 * After a suspension, or under load, all timers of a host are due before it has read its peers'
 * frames: that does not count as silence of the peers.
 */
TEST(hello__a_stalled_host_blames_no_link)
{
	struct bench b;

	for (unsigned int round = 0; round < 100; round++) {
		bench_init(&b);
		plug(&b);
		wait(&b, 2 * INTERVAL + tap_random(INTERVAL));
		b.now += (FC_HELLO_DEAD + 1 + tap_random(1000)) * INTERVAL;
		for (unsigned int i = 0; i < 2; i++)
			perform(&b, i, fc_hello_time(&b.end[i], b.now, false));
		CHECK(b.up[0] && b.up[1], "%s; %s", fc_reason_text(b.end[0].own.reason),
		      fc_reason_text(b.end[1].own.reason));
		wait(&b, 10 * INTERVAL);
		CHECK(!b.downs[0] && !b.downs[1], "went down");
		/* But a peer that then stays silent is dead. */
		b.now += 10 * INTERVAL;
		b.loss = 100;
		wait(&b, (FC_HELLO_DEAD + 3) * INTERVAL);
		CHECK(!b.up[0] && !b.up[1], "up");
	}
}

/* One direction is dead: both ends have to detect that, or one would send in vain. */
TEST(hello__half_a_wire_is_no_wire)
{
	struct bench b;

	bench_init(&b);
	plug(&b);
	wait(&b, 2 * INTERVAL);
	for (unsigned int i = 0; i < 40 * INTERVAL; i++) {
		wait(&b, 1);
		for (unsigned int j = 0; j < b.n; j++)
			if (b.wire[j].to == 0)
				lift(&b, j--);
	}
	CHECK(!b.up[0], "end 0 is up");
	CHECK(!b.up[1], "end 1 is up");
}

TEST(hello__carrier_loss_is_seen_at_once)
{
	struct bench b;

	bench_init(&b);
	plug(&b);
	wait(&b, 2 * INTERVAL);
	carrier(&b, 0, false);
	CHECK(!b.up[0] && b.end[0].state == FC_LINK_DOWN &&
	      b.end[0].own.reason == FC_REASON_CARRIER, "%s",
	      fc_reason_text(b.end[0].own.reason));
	CHECK(b.end[0].send_at == NEVER && b.end[0].dead_at == NEVER, "timers run");
	carrier(&b, 0, true);
	wait(&b, 2 * INTERVAL);
	CHECK(b.up[0] && b.up[1], "%s; %s", fc_reason_text(b.end[0].own.reason),
	      fc_reason_text(b.end[1].own.reason));
	/* The other end never lost its carrier, but lost the frames in flight. */
	CHECK(b.downs[1] == 1, "end 1 was reset %u times", b.downs[1]);
}

/*
 * After any sequence of losses and resets both ends come up for the same pair of epochs: an end
 * never accepts flits of an earlier incarnation of the link.
 */
TEST(hello__any_weather)
{
	for (unsigned int i = 0; i < TAP_ROUNDS(300); i++) {
		struct bench b;

		bench_init(&b);
		b.delay = 1 + tap_random(2 * INTERVAL);
		for (unsigned int j = 0; j < 30; j++) {
			unsigned int end = tap_random(2);

			b.loss = tap_random(2) ? 0 : tap_random(101);
			if (tap_random(2))
				carrier(&b, end, !b.carrier[end]);
			if (!tap_random(4))
				perform(&b, end, fc_hello_set(&b.end[end], 1 + tap_random(64),
							      (u8)tap_random(4), b.now));
			wait(&b, tap_random(5 * INTERVAL));
			check_windows(&b);
			if (b.up[0] && b.up[1])
				CHECK(b.end[0].own.peer_epoch != 0 && b.end[1].own.peer_epoch != 0,
				      "up without having heard each other");
		}
		b.loss = 0;
		b.delay = 20;
		for (unsigned int j = 0; j < 2; j++)
			if (!b.carrier[j])
				carrier(&b, j, true);
		wait(&b, 20 * INTERVAL);
		CHECK(b.up[0] && b.up[1], "run %u: %s; %s", i,
		      fc_reason_text(b.end[0].own.reason),
		      fc_reason_text(b.end[1].own.reason));
		CHECK(b.end[0].own.peer_epoch == b.end[1].own.epoch &&
		      b.end[1].own.peer_epoch == b.end[0].own.epoch, "run %u: epochs", i);
	}
}

/*
 * A hexmesh wired clockwise instead of counterclockwise.  It is a valid hexmesh, and only its
 * orientation is wrong: h0 and h3 are at their places, h1 is at that of h5, and so on.
 */
TEST(hello_cable__mirrored_hexmesh)
{
	static const u8 mirrored[] = { 0, 5, 4, 3, 2, 1 };
	static struct bench b;

	for (u32 n = 2; n <= 2 + TAP_ROUNDS(13); n++) {
		struct fc_topo topo;
		char spec[16];

		snprintf(spec, sizeof(spec), "hexmesh:%u", n);
		REQUIRE(!fc_topo_parse(&topo, spec), "%s", spec);
		for (u32 end = 0; end < topo.nsites * topo.ndirs; end++) {
			u32 site = end / topo.ndirs;
			u8 dir = (u8)(end % topo.ndirs);
			u8 cabled = mirrored[dir];
			u32 peer = fc_topo_neighbour(&topo, site, cabled);
			u8 back = mirrored[topo.ops->arrival(&topo, site, cabled)];

			memset(&b, 0, sizeof(b));
			b.delay = 1;
			b.end[0] = new_end(site, dir + 1, fc_topo_neighbour(&topo, site, dir),
					   topo.ops->arrival(&topo, site, dir) + 1, 100);
			b.end[1] = new_end(peer, back + 1, fc_topo_neighbour(&topo, peer, back),
					   topo.ops->arrival(&topo, peer, back) + 1, 200);
			carrier(&b, 0, true);
			carrier(&b, 1, true);
			wait(&b, INTERVAL);
			for (unsigned int i = 0; i < 2; i++) {
				CHECK(b.up[i] == (cabled == dir), "%s: %u %u", spec, site, dir);
				CHECK(b.end[i].own.reason ==
				      (cabled == dir ? FC_REASON_NONE : FC_REASON_CABLE_SITE),
				      "%s: %u %u: %s", spec, site, dir,
				      fc_reason_text(b.end[i].own.reason));
			}
		}
	}
}

/* A peer sends any HELLOs that decode. */
TEST(hello__any_peer)
{
	for (unsigned int i = 0; i < 2000; i++) {
		struct bench b;

		bench_init(&b);
		carrier(&b, 0, true);
		for (unsigned int j = 0; j < 50; j++) {
			struct fc_hello_msg m = b.end[1].own;

			m.epoch = 1 + tap_random(3);
			m.peer_epoch = b.end[0].own.epoch - tap_random(3);
			m.reason = (u8)tap_random(256);
			if (!tap_random(4))
				m.mode = (u8)tap_random(3);
			if (!tap_random(8))
				m.site = tap_random(3);
			perform(&b, 0, fc_hello_received(&b.end[0], &m, true, b.now));
			b.now += tap_random(INTERVAL);
			perform(&b, 0, fc_hello_time(&b.end[0], b.now, false));
		}
	}
}

/* Bring up both ends with a key. */
static void plug_keyed(struct bench *b)
{
	bench_init(b);
	b->end[0].keyed = true;
	b->end[1].keyed = true;
	plug(b);
	wait(b, 3 * INTERVAL);
	CHECK(b->up[0] && b->up[1], "not up");
}

TEST(hello_key__what_was_recorded_changes_nothing)
{
	struct fc_hello_msg received[64];
	struct bench b;
	unsigned int n = 0, i, j;

	plug_keyed(&b);
	/* In each incarnation of the link an attacker records the HELLOs of both ends. */
	for (i = 0; i < 20; i++) {
		received[n++] = b.end[0].own;
		received[n++] = b.end[1].own;
		perform(&b, i % 2, fc_hello_reset(&b.end[i % 2], b.now));
		wait(&b, 3 * INTERVAL);
		CHECK(b.up[0] && b.up[1], "life %u: not up", i);
	}
	for (i = 0; i < n; i++) {
		const unsigned int downs[2] = { b.downs[0], b.downs[1] };

		/* Deliver each HELLO to its own receiver: the other end refuses it for its site. */
		j = received[i].site == b.end[0].want_site ? 0 : 1;
		perform(&b, j, fc_hello_received(&b.end[j], &received[i], true, b.now));
		CHECK(b.up[0] && b.up[1], "message %u takes the link down", i);
		wait(&b, 2 * INTERVAL);
		CHECK(b.downs[0] == downs[0] && b.downs[1] == downs[1],
		      "message %u resets the link", i);
	}
}

/* An attacker replays HELLOs of this incarnation of the link: they do not keep the link up. */
TEST(hello_key__what_was_recorded_is_no_life)
{
	struct fc_hello_msg received[16];
	unsigned int n = 0, i, j;
	struct bench b;
	u64 end;

	plug_keyed(&b);
	while (n < 16) {
		for (i = 0; i < b.n && n < 16; i++)
			if (b.wire[i].to == 0)
				received[n++] = b.wire[i].msg;
		wait(&b, 1);
	}
	wait(&b, 3 * INTERVAL);
	CHECK(b.up[0] && b.up[1], "not up");
	for (end = b.now + (FC_HELLO_DEAD + 2) * INTERVAL; b.now < end && b.up[0];) {
		for (i = 0; i < b.n; i++)
			if (b.wire[i].to == 0)
				lift(&b, i--);
		for (j = 0; j < n && b.up[0] && !(b.now % (INTERVAL / 50)); j++)
			perform(&b, 0, fc_hello_received(&b.end[0], &received[j], true, b.now));
		wait(&b, 1);
	}
	CHECK(!b.up[0], "the link stays up by what was recorded");
}

/* The long HELLO of a pair arrives after the short one: it counts for the next pair. */
TEST(hello_key__a_pair_out_of_order)
{
	struct fc_hello_msg first, second;
	unsigned int i, missed = 0;
	struct bench b;

	plug_keyed(&b);
	for (i = 0; i < 20; i++) {
		first = fc_hello_next(&b.end[0], true);
		second = fc_hello_next(&b.end[0], true);
		fc_hello_received(&b.end[1], &second, false, b.now);
		missed += !!(b.end[1].answer & FC_HELLO_MISSED);
		fc_hello_received(&b.end[1], &first, true, b.now);
	}
	CHECK(missed == 1, "%u of 20 long ones are missed", missed);
}

TEST(hello_key__without_one_a_recorded_message_resets_the_link)
{
	struct fc_hello_msg old;
	struct bench b;

	bench_init(&b);
	plug(&b);
	wait(&b, 3 * INTERVAL);
	old = b.end[0].own;
	perform(&b, 0, fc_hello_reset(&b.end[0], b.now));
	wait(&b, 3 * INTERVAL);
	CHECK(b.up[0] && b.up[1], "not up");
	perform(&b, 1, fc_hello_received(&b.end[1], &old, true, b.now));
	CHECK(!b.up[1], "this test cannot see it");
}

/* A peer that has restarted does not know the epoch of this end. */
TEST(hello_key__a_new_life_of_the_peer_is_believed)
{
	struct bench b;
	unsigned int i;

	plug_keyed(&b);
	for (i = 0; i < 50; i++) {
		const unsigned int sender = i % 2, downs = b.downs[!sender];

		b.loss = i % 5 * 20;
		b.end[sender] = new_end(sender, sender + 1, !sender, !sender + 1, 1000 + 7 * i);
		b.end[sender].keyed = true;
		b.up[sender] = false;
		perform(&b, sender, fc_hello_carrier(&b.end[sender], true, b.now));
		wait(&b, 40 * INTERVAL);
		b.loss = 0;
		wait(&b, 10 * INTERVAL);
		CHECK(b.up[0] && b.up[1], "life %u: not up: %s, %s", i,
		      fc_reason_text(b.end[0].own.reason), fc_reason_text(b.end[1].own.reason));
		CHECK(b.downs[!sender] > downs, "life %u: the other end has not noticed", i);
		CHECK(b.end[0].peer.epoch == b.end[1].own.epoch &&
		      b.end[1].peer.epoch == b.end[0].own.epoch, "life %u: epochs", i);
	}
}

/* A wire carries nothing to one end: the other end learns that at once, not from silence. */
TEST(hello_key__half_a_wire_is_no_wire)
{
	struct bench b;
	unsigned int i;
	u64 end;

	plug_keyed(&b);
	for (end = b.now + 20 * INTERVAL; b.now < end && b.up[0];) {
		for (i = 0; i < b.n; i++)
			if (!b.wire[i].to)
				lift(&b, i--);
		wait(&b, 1);
	}
	CHECK(!b.up[0], "the deaf end stays up");
	wait(&b, INTERVAL);
	CHECK(!b.up[1] || b.ups[1] > 1, "the other end stays up");
}

TEST(hello_key__unproven_is_a_reason_and_no_more)
{
	struct fc_hello end = new_end(0, 1, 1, 2, 100), before;

	before = end;
	fc_hello_unproven(&end);
	CHECK(!memcmp(&end, &before, sizeof(end)), "without carrier that is the reason");
	fc_hello_carrier(&end, true, 0);
	before = end;
	fc_hello_unproven(&end);
	CHECK(end.own.reason == FC_REASON_KEY, "reason %u", end.own.reason);
	end.own.reason = before.own.reason;
	CHECK(!memcmp(&end, &before, sizeof(end)), "more than the reason changed");
	end.state = FC_LINK_UP;
	end.own.reason = FC_REASON_NONE;
	fc_hello_unproven(&end);
	CHECK(end.state == FC_LINK_UP && !end.own.reason, "an up link");
}

TEST(hello_reason__has_a_text)
{
	CHECK(!*fc_reason_text(FC_REASON_NONE), "no reason is one");
	for (u8 i = FC_REASON_NONE + 1; i < FC_REASON_COUNT; i++) {
		CHECK(*fc_reason_text(i), "reason %u", i);
		for (u8 j = 0; j < i; j++)
			CHECK(strcmp(fc_reason_text(i), fc_reason_text(j)), "%s",
			      fc_reason_text(i));
	}
	CHECK(*fc_reason_text(FC_REASON_COUNT) && *fc_reason_text(255), "peers may have more");
}
