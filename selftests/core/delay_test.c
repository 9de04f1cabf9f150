// SPDX-License-Identifier: GPL-2.0
/*
 * Report of the packets that a peer delays (core/link/delay.h), by a site in mode care and by a
 * relay; vnet_stuck_test.c has that of mode vnet.
 */
#include <string.h>
#include "core/bcast/relay.h"
#include "core/care/care.h"
#include "core/link/stuck.h"
#include "tap.h"

#define POLL	20
#define NOW	5000
#define PORTS	3
#define PAYLOAD	100

static const struct fc_timing timing = { .poll = POLL };

/* Both machines have a packet of site 7 at port 1: 3 flits have come, and 250 bytes have not. */
static const struct fc_progress progress = { .since = NOW - 3 * POLL, .src = 7 };

/* A machine: a packet of site 9 waits for port 2, whose peer takes nothing. */
static struct machine {
	struct fc_flit queue[PORTS][2];
	struct fc_rx rx[PORTS];
	struct fc_tx tx[PORTS];
} m;

static struct fc_channel channel(void)
{
	memset(&m, 0, sizeof(m));
	for (u8 p = 0; p < PORTS; p++)
		m.rx[p].queue = m.queue[p];
	m.tx[2].held = 2 * FC_LLR_STUCK * POLL;
	m.tx[2].waits = true;
	return (struct fc_channel){
		.timing = &timing, .rx = m.rx, .tx = m.tx, .nports = PORTS, .stuck = fc_bit(2),
	};
}

static void check_in(const struct fc_delay *d, u64 stores)
{
	CHECK(d->in_age == 3 * POLL && d->in_source == 7 && d->in_flits == 3 && d->in_total == 6,
	      "source %u flits %u of %u", d->in_source, d->in_flits, d->in_total);
	CHECK(d->in_stores == stores, "%llu", (unsigned long long)d->in_stores);
	CHECK(!d->out_age && d->out_source == FC_SITE_NONE, "source %u", d->out_source);
}

static void check_out(const struct fc_delay *d)
{
	CHECK(d->out_age == 2 * FC_LLR_STUCK * POLL && d->out_source == 9 &&
	      d->out_target == FC_SITE_NONE, "source %u", d->out_source);
	CHECK(!d->in_age && !d->in_stores && d->in_source == FC_SITE_NONE, "source %u",
	      d->in_source);
}

static void check_none(const struct fc_delay *d)
{
	CHECK(!d->in_age && !d->in_stores && d->in_source == FC_SITE_NONE && !d->out_stuck &&
	      d->out_source == FC_SITE_NONE, "sources %u %u", d->in_source, d->out_source);
}

static struct fc_in in[PORTS];
static struct fc_out out[PORTS];

static struct fc_delay of_site(const struct fc_site *site, u8 port)
{
	struct fc_delay d;

	fc_delay_init(&d);
	fc_site_delay(site, port, NOW, &d);
	return d;
}

TEST(delay__of_a_site_in_mode_care)
{
	static const struct fc_node node = { .timing = &timing, .nports = PORTS };
	struct fc_site site = {
		.node = &node, .in = in, .out = out, .data = channel(), .payload = PAYLOAD,
	};
	struct fc_delay d;

	memset(in, 0, sizeof(in));
	for (u8 p = 0; p < PORTS; p++)
		out[p] = (struct fc_out){
			.state = FC_NO_FREE, .in = FC_PORT_NONE, .claim = FC_PORT_NONE,
		};
	in[1] = (struct fc_in){
		.state = FC_NI_OPEN, .multi = true, .come = 2, .left = 250, .progress = progress,
		.stall.until = NOW + 70,
	};
	in[0].progress.src = 9;
	out[2].claim = 0;
	d = of_site(&site, 1);
	check_in(&d, 70);
	d = of_site(&site, 2);
	check_out(&d);
	/* A packet that has begun is reported in the same way. */
	out[2] = (struct fc_out){ .state = FC_NO_OPEN, .in = 0, .claim = FC_PORT_NONE };
	d = of_site(&site, 2);
	check_out(&d);
	/* The next flit is here; and the peer takes flits again. */
	m.queue[1][0].parts = FC_FLIT_VALID;
	in[1].stall.until = NOW;
	d = of_site(&site, 1);
	check_none(&d);
	site.data.stuck = 0;
	d = of_site(&site, 2);
	check_none(&d);
}

static struct fc_delay of_relay(const struct fc_relay *relay, u8 port)
{
	struct fc_delay d;

	fc_delay_init(&d);
	fc_relay_delay(relay, port, NOW, &d);
	return d;
}

TEST(delay__of_a_relay)
{
	struct fc_relay_in relay_in[PORTS] = {
		[1] = {
			.busy = true, .come = 3, .left = 250, .progress = progress,
			.stall.until = NOW + 70,
		},
	};
	u16 fifo[2] = { 1, 0 };
	struct fc_relay_out relay_out[PORTS] = { [2] = { .fifo = fifo, .n = 1 } };
	struct fc_hold hold[2] = { [1] = { .src = 9 } };
	struct fc_relay relay = {
		.ch = channel(), .in = relay_in, .out = relay_out, .hold = hold,
		.payload = PAYLOAD,
	};
	struct fc_delay d;

	d = of_relay(&relay, 1);
	check_in(&d, 70);
	d = of_relay(&relay, 2);
	check_out(&d);
	/* No packet waits any more, and the packet at the input is younger than an interval. */
	relay_out[2].n = 0;
	relay_in[1].stall.until = 0;
	relay_in[1].progress.since = NOW - 2 * POLL + 1;
	d = of_relay(&relay, 2);
	check_none(&d);
	d = of_relay(&relay, 1);
	check_none(&d);
}
