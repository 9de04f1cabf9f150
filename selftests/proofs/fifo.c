// SPDX-License-Identifier: GPL-2.0
/* Proofs of the fifo-buffer of mode care (core/care/fifo.c) and its tables. */
#include "proof.h"
#include "core/care/fsm.c"
#include "core/care/fifo.c"

static struct fc_timing timing;
static u64 stat[FC_STAT_COUNT];
static struct fc_node node = { .timing = &timing, .stat = stat };
static struct fc_out out[1];
static struct fc_site site;
static struct fc_effects fx;

/* Any state between two events: no packet is done, and the operator has begun one or not. */
static void any_state(void)
{
	timing.timeout = any_u32();
	timing.fifo_room = any_u16();
	site.node = &node;
	site.out = out;
	site.now = any_u32();
	site.rng = any_u64();
	site.fired = NULL;
	site.fifo.room = any_of(0, 65535);
	site.fifo.state = any_u8();
	site.fifo.backoff = any_u8();
	site.fifo.calm = any_u8();
	site.oper = any_u8();
	ASSUME(site.fifo.state == FC_FF_FREE || site.fifo.state == FC_FF_OPEN ||
	       site.fifo.state == FC_FF_WAIT);
	ASSUME(site.oper == FC_OP_OLD || site.oper == FC_OP_FILLING);
	/* A packet that came in part is in both machines. */
	ASSUME((site.fifo.state == FC_FF_FREE) == (site.oper == FC_OP_OLD));
	ASSUME(site.fifo.backoff <= FC_BACKOFF_MAX && site.fifo.calm < FC_BACKOFF_CALM);
	fx.n = 0;
}

PROOF(fifo_update, 2)
{
	any_state();
	fc_fifo_update(&site);
	PROVE(site.fifo.state != FC_FF_OPEN || site.fifo.room);
	PROVE(site.fifo.state != FC_FF_WAIT || !site.fifo.room);
	POSSIBLE(site.fifo.state == FC_FF_OPEN);
}

/* The time-out doubles up to its bound, and is not before it has passed. */
PROOF(fifo_timeout, 2)
{
	any_state();
	timing.timeout = any_of(100, 100000);
	site.next_at = any_u64();
	fc_fifo_timeout(&site);
	PROVE(site.fifo.backoff >= 1 && site.fifo.backoff <= FC_BACKOFF_MAX);
	PROVE(site.fifo.timeout_at >= site.now + (timing.timeout << site.fifo.backoff));
	PROVE(site.next_at <= site.fifo.timeout_at);
	POSSIBLE(site.fifo.backoff == 4);
}
