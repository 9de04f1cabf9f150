// SPDX-License-Identifier: GPL-2.0
/*
 * Handshakes of a site's links: runs core/link/hello.h, and reports links that come up or go down
 * to the switches and the relay.
 */
#include "drop.h"
#include "core/bucket.h"
#include "fabric/auth.h"
#include "fabric/enter.h"
#include "fabric/faults.h"
#include "fabric/hello.h"
#include "fabric/relay.h"

/* Frames handled by flitcast_pass() also show that the peer is alive. */
static void note_rx(struct flitcast_site *site, struct flitcast_end *end)
{
	u64 now = flitcast_site_now(site), ago = jiffies_to_nsecs(jiffies - end->last_rx);

	if (ago < now)
		fc_hello_alive(&end->hello, now - ago);
	end->last_rx = 0;
}

u64 flitcast_hello_due(struct flitcast_site *site)
{
	u64 at = FC_NEVER;
	u8 p;

	site->clock.hello_news = false;
	for (p = 1; p < site->node.nports; p++) {
		if (!site->end[p].link)
			continue;
		if (site->end[p].last_rx)
			note_rx(site, &site->end[p]);
		at = min(at, site->end[p].hello.send_at);
		at = min(at, site->end[p].hello.dead_at);
	}
	return at;
}

void flitcast_hello_resets(struct flitcast_site *site)
{
	u32 rest;

	for (rest = site->todo.resets; rest; rest &= rest - 1)
		if (site->end[fc_low(rest)].link)
			flitcast_hello_perform(site, fc_low(rest),
					       fc_hello_reset(&site->end[fc_low(rest)].hello,
							      flitcast_site_now(site)));
	site->todo.resets = 0;
}

void flitcast_hello_suspects(struct flitcast_site *site)
{
	u64 now = flitcast_site_now(site);
	u32 rest;
	u8 why, p;

	site->todo.suspected = false;
	for (why = FC_SUSPICION_SILENT; why < FC_SUSPICION_COUNT; why++) {
		rest = site->todo.suspects[why];
		site->todo.suspects[why] = 0;
		for (; rest; rest &= rest - 1) {
			p = fc_low(rest);
			if (site->end[p].link)
				flitcast_hello_perform(site, p,
						       fc_hello_suspect(&site->end[p].hello, why,
									now));
		}
	}
}

/* Routes are to avoid a link that is suspected, or may use it again. */
static void suspicion(struct flitcast_site *site, u8 port, bool suspect)
{
	static const u8 stats[FC_SUSPICION_COUNT] = {
		[FC_SUSPICION_SILENT] = FC_LSTAT_SUSPECTED_SILENT,
		[FC_SUSPICION_GREY] = FC_LSTAT_SUSPECTED_GREY,
		[FC_SUSPICION_STUCK] = FC_LSTAT_SUSPECTED_STUCK,
		[FC_SUSPICION_DAMAGED] = FC_LSTAT_SUSPECTED_DAMAGED,
	};
	struct flitcast_end *end = &site->end[port];

	if (suspect)
		end->link->stat[stats[end->hello.suspicion]]++;
	flitcast_faults_suspect(site, port, suspect);
	if (!suspect) {
		struct fc_event ev = { .type = FC_EV_TRUST, .port = port };

		flitcast_relay_event(site, &ev);
		site->mode->link(site, &ev);
	}
}

/*
 * Suspect a link by which more than DAMAGE_BURST damaged frames have come at once, or more than one
 * a second for long.  Fewer cost less than routes around the link do.
 */
#define DAMAGE_BURST	8

static void judge_damage(struct flitcast_site *site, u8 port)
{
	struct flitcast_end *end = &site->end[port];
	u32 news = atomic_xchg(&end->link->sum.damaged, 0);

	if (!news || fc_bucket_take(&end->damage_at, flitcast_site_now(site), NSEC_PER_SEC,
				    DAMAGE_BURST, min_t(u32, news, DAMAGE_BURST + 1)))
		return;
	site->todo.suspects[FC_SUSPICION_DAMAGED] |= fc_bit(port);
	site->todo.suspected = true;
}

/* Report a link that comes up or went down to all its channels. */
static void link_event(struct flitcast_site *site, struct fc_event ev)
{
	if (ev.type == FC_EV_LINK_UP)
		site->node.up |= fc_bit(ev.port);
	else
		site->node.up &= ~fc_bit(ev.port);
	flitcast_copies_end(site, fc_bit(ev.port));
	flitcast_relay_event(site, &ev);
	site->mode->link(site, &ev);
	site->todo.up.pending |= FLITCAST_UP_LINKS;
}

/*
 * Send a HELLO.  @full: pad it to the size of a flit; @pair: it belongs to a pair
 * (core/link/hello.h).
 */
static void send_hello(struct flitcast_site *site, u8 port, bool full, bool pair)
{
	struct flitcast_end *end = &site->end[port];
	struct fc_link_hdr hdr = { .type = FC_FRAME_HELLO, .vc = FC_VC_CTRL };
	u32 size = FC_HELLO_SIZE + (site->auth ? FC_AUTH_SIZE : 0);
	struct sk_buff *skb = flitcast_link_alloc(end->link, size);
	struct fc_hello_msg msg = fc_hello_next(&end->hello, pair);

	/* The next HELLO is due soon anyway. */
	if (!skb) {
		site->stat[FC_STAT_NO_MEMORY]++;
		return;
	}
	hdr.seq = msg.number;
	fc_wire_hello_encode(skb_put(skb, size), &msg);
	if (full)
		flitcast_link_stretch(end->link, skb);
	hdr.epoch = (u16)end->hello.own.epoch;
	if (site->auth && !flitcast_auth_sign(site, port, skb, &hdr)) {
		flitcast_drop(skb, FLITCAST_DROP_NO_MEMORY);
		site->stat[FC_STAT_NO_MEMORY]++;
		return;
	}
	flitcast_output_frame(site, port, skb, &hdr);
}

void flitcast_hello_perform(struct flitcast_site *site, u8 port, u8 todo)
{
	struct flitcast_end *end = &site->end[port];
	struct fc_event ev = { .port = port };

	/* A HELLO of the peer usually postpones its timeout, and the timer may stay as it is. */
	if (min(end->hello.send_at, end->hello.dead_at) < site->clock.timer_at)
		site->clock.hello_news = true;
	if (todo & FC_HELLO_GO_DOWN) {
		end->link->stat[FC_LSTAT_RESETS]++;
		/*
		 * Update the routes first, so that packets that lose their last route wait for
		 * another one.
		 */
		flitcast_faults_link(site, port, false);
		ev.type = FC_EV_LINK_DOWN;
		if (site->auth)
			flitcast_code_end(end->link);
		link_event(site, ev);
	}
	/* The HELLO that reports our state up to the peer must precede the first flit. */
	if (todo & FC_HELLO_CHECK)
		send_hello(site, port, true, true);
	if (todo & FC_HELLO_SEND)
		send_hello(site, port, fc_hello_full(&end->hello), todo & FC_HELLO_CHECK);
	if (todo & FC_HELLO_GO_UP) {
		end->link->sum.always = (end->hello.own.flags | end->hello.peer.flags) &
					FC_HELLO_SUM;
		atomic_set(&end->link->sum.damaged, 0);
		if (site->auth)
			flitcast_auth_keys(site, port);
		ev.type = FC_EV_LINK_UP;
		ev.count = end->hello.peer.window;
		link_event(site, ev);
		flitcast_faults_link(site, port, true);
	}
	/* A look at what has come since the last HELLO. */
	if (todo & FC_HELLO_SEND && end->hello.state == FC_LINK_UP)
		judge_damage(site, port);
	if (todo & (FC_HELLO_SUSPECT | FC_HELLO_TRUST))
		suspicion(site, port, todo & FC_HELLO_SUSPECT);
	/*
	 * Also report a change of the reason alone, e.g. if the configurations of the two ends
	 * disagree.
	 */
	if (todo & (FC_HELLO_GO_DOWN | FC_HELLO_GO_UP | FC_HELLO_SUSPECT | FC_HELLO_TRUST) ||
	    end->hello.state != end->notified_state ||
	    end->hello.own.reason != end->notified_reason) {
		end->notified_state = end->hello.state;
		end->notified_reason = end->hello.own.reason;
		flitcast_site_link_event(site, port);
	}
}

void flitcast_hello_in(struct flitcast_site *site, struct flitcast_link *link,
		       struct sk_buff *skb, const struct fc_link_hdr *hdr)
{
	struct flitcast_end *end = &site->end[link->port];
	struct fc_hello_msg msg;

	link->stat[FC_LSTAT_RX_HELLO]++;
	if (!pskb_may_pull(skb, FC_HELLO_SIZE) || !fc_wire_hello_decode(&msg, skb->data)) {
		flitcast_link_drop(link, skb, PROTOCOL);
		return;
	}
	if (!flitcast_auth_check(site, link->port, skb, hdr)) {
		flitcast_link_drop(link, skb, UNPROVEN);
		fc_hello_unproven(&end->hello);
		flitcast_hello_perform(site, link->port, 0);
		return;
	}
	msg.number = hdr->seq;
	if (!flitcast_link_peer(link, skb, end->hello.state == FC_LINK_UP)) {
		flitcast_link_drop(link, skb, STRANGER);
		return;
	}
	flitcast_hello_perform(site, link->port,
			       fc_hello_received(&end->hello, &msg,
						 skb->len + FC_LINK_SIZE >= link->flit,
						flitcast_site_now(site)));
	napi_consume_skb(skb, 1);
}
