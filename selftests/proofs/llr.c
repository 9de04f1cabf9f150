// SPDX-License-Identifier: GPL-2.0
/*
 * Proofs of link-level retry (core/link/llr.c): from any state of a link that keeps what the file
 * promises, any frame of the peer leads to a state that keeps it, too.
 */
#include "proof.h"
#include "core/link/llr.c"

#define WINDOW	4
#define PORT	1

static struct fc_timing timing = { .poll = 20000000, .retry = 1000000, .ack_delay = 500000 };
static struct fc_flit queue[WINDOW];
static u64 stat[FC_LSTAT_COUNT];
static struct fc_rx rx[2];
static struct fc_tx tx[2];
static struct fc_channel ch;
static struct fc_effects fx;

struct fc_rx nondet_rx(void);
struct fc_tx nondet_tx(void);
struct fc_channel nondet_channel(void);
struct fc_event nondet_event(void);
struct fc_flit nondet_flit(void);

/* Number of slots of the queue that have a flit. */
static u32 occupied(void)
{
	u32 i, n = 0;

	for (i = 0; i < WINDOW; i++)
		n += !!(queue[i].parts & FC_FLIT_VALID);
	return n;
}

static bool rx_sane(void)
{
	return rx[PORT].first < WINDOW && rx[PORT].queued == occupied() &&
	       rx[PORT].end - rx[PORT].consumed <= WINDOW &&
	       rx[PORT].queued <= rx[PORT].end - rx[PORT].consumed;
}

/* Flits in flight are within the window, and the masks have no bits of others. */
static bool tx_sane(void)
{
	u32 flight = tx[PORT].sent - tx[PORT].acked;

	return flight <= tx[PORT].window && tx[PORT].window <= 64 &&
	       !((tx[PORT].got | tx[PORT].resent) & ~fc_mask_all(flight)) &&
	       tx[PORT].tries <= FC_LLR_HOPELESS + 1 && tx[PORT].slow <= FC_LLR_SLOW;
}

static void any_state(void)
{
	u32 i;

	rx[PORT] = nondet_rx();
	tx[PORT] = nondet_tx();
	ch = nondet_channel();
	for (i = 0; i < WINDOW; i++) {
		queue[i] = nondet_flit();
		queue[i].h = NULL;
	}
	rx[PORT].queue = queue;
	rx[PORT].stat = stat;
	ch.rx = rx;
	ch.tx = tx;
	ch.timing = &timing;
	ch.window = WINDOW;
	ch.nports = 2;
	ASSUME(ch.now < 1ULL << 62);
	fx.n = 0;
}

/* Any flit of any number stays within the queue, which takes it once. */
PROOF(llr_flit, 6)
{
	struct fc_event ev = nondet_event();
	u32 was;
	bool taken;

	any_state();
	ASSUME(rx_sane());
	ev.port = PORT;
	ev.flit.h = NULL;
	was = rx[PORT].queued;
	taken = fc_llr_flit(&ch, &ev, &fx);
	PROVE(rx[PORT].queued == was + taken && rx[PORT].queued == occupied());
	PROVE(rx[PORT].first < WINDOW && rx[PORT].end - rx[PORT].consumed <= WINDOW);
	PROVE(!taken || ev.seq - rx[PORT].consumed < WINDOW);
	POSSIBLE(taken && rx[PORT].queued == WINDOW);
	POSSIBLE(!taken);
}

PROOF(llr_slot, 6)
{
	any_state();
	ASSUME(rx[PORT].first < WINDOW);
	PROVE(fc_rx_slot(&ch, &rx[PORT], any_u32()) - queue < WINDOW);
	POSSIBLE(rx[PORT].first == 3);
}

PROOF(llr_consume, 6)
{
	u32 was;

	any_state();
	ASSUME(rx_sane() && fc_rx_first(&rx[PORT])->parts & FC_FLIT_VALID);
	/* The first slot is that of the next flit: an empty queue begins at its start. */
	was = rx[PORT].queued;
	fc_rx_consume(&ch, PORT);
	PROVE(rx[PORT].queued == was - 1 && rx[PORT].first < WINDOW);
	PROVE(rx[PORT].queued == occupied());
	POSSIBLE(was == WINDOW);
}

/* Any ack: flits that were not sent are never acknowledged, and no ack takes another back. */
PROOF(llr_ack, 6)
{
	u32 ack = any_u32(), was, sent;
	bool news;

	any_state();
	ASSUME(tx_sane());
	was = tx[PORT].acked;
	sent = tx[PORT].sent;
	news = fc_llr_new_ack(&ch, PORT, ack, &fx);
	PROVE(tx_sane());
	PROVE(tx[PORT].sent == sent && sent - tx[PORT].acked <= sent - was);
	PROVE(news ? tx[PORT].acked == ack : tx[PORT].acked == was);
	PROVE(fx.n <= FC_STEP_EFFECTS);
	POSSIBLE(news && tx[PORT].acked != was);
	POSSIBLE(fx.n == 1 && fx.fx[0].type == FC_FX_RESET);
}

PROOF(llr_reset, 6)
{
	any_state();
	fc_llr_reset(&ch, PORT, any_of(1, 64), &fx);
	PROVE(rx_sane() && tx[PORT].window <= 64);
	PROVE(!rx[PORT].queued && !tx[PORT].sent && !tx[PORT].acked && !tx[PORT].got);
	PROVE(!(ch.status & fc_bit(PORT)) && !(ch.stuck & fc_bit(PORT)));
	POSSIBLE(fx.n);
}
