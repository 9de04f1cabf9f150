// SPDX-License-Identifier: GPL-2.0
/*
 * Link-level retry: delivers the flits of a channel once and in order over a link that loses,
 * duplicates and reorders frames (Documentation/design.rst, "Links retry").
 *
 *	sender					receiver
 *	acked <= seq < sent: kept for resend	consumed <= seq < end: queue, with gaps
 *	flit (seq, ack of the reverse channel)	->
 *						<- ack: flits below "consumed"
 *						<- status: ack, and a mask of the queue (have)
 *						<- NACK: resend what is missing below "upto"
 *	poll, when no ack comes			->
 *						<- status that echoes the number of the poll
 *
 * consumed	number of flits that have left the receiver's queue, in order: the cumulative ack
 * acked	of struct fc_tx: highest ack received; of struct fc_rx: last ack sent.  An ack also
 *		gives credit: the switches check it (sent - acked < window), this file does not.
 * NACK		status that requests the flits missing in ack <= seq < upto.  The receiver sends it
 *		timing->retry after a gap appears, because a flit that others have overtaken may
 *		still arrive, and again at intervals that double until they reach timing->poll <<
 *		FC_LLR_BACKOFF.  The answer to a poll replaces a NACK that is lost.
 * poll		numbered status of a sender, timing->poll after the first flit in flight, new ack or
 *		resend (not after later flits), and again: after each answer at an interval that
 *		doubles up to FC_LLR_BACKOFF times.  The receiver learns which flits were sent, and
 *		answers at once, with a NACK if any is missing: this recovers the last flits of a
 *		burst, lost acks and lost NACKs.
 * test		poll for a frame that no ack covers, a control frame: else a direction of a link
 *		that carries only these would be silent until HELLO finds out, seconds later.  A
 *		second poll without an answer tests the other links of the site: if the link is
 *		silent packets will take one of these, which may have fallen silent unnoticed
 * echo		highest poll number received, in every status.  An echo above resend_poll names a
 *		poll that was sent after the last resend: resent flits still missing are lost.
 * silent	a poll without an answer for twice timing->poll is sent again.  When the fourth one
 *		would be due, the peer is silent (FC_FX_SUSPECT): 20, 40, 40 and 40 ms after a flit
 *		where timing->poll is 20 ms.  Further polls follow after 80, 160 and 320 ms: on a
 *		host that is slow to answer they do not add to the load.  For the same reason waits
 *		that do not count double, too, after FC_LLR_UNECHOED polls without an echo.
 * answer	an echo, or a report that flits came (ack, have), on any channel of the link: other
 *		frames may come from a peer that receives nothing.  A timer that expires late does
 *		not count, because this host was stalled, and the answer may wait to be read; nor
 *		does one if FC_LLR_QUEUE bytes came since the last poll, because the answer may wait
 *		behind flits in the peer's queue.
 * slow		an answer that names a poll sent before the peer seemed silent shows that the peer
 *		is slow, and not silent (as TCP detects a spurious time-out, RFC 3522), if the peer
 *		answers polls that were sent later, too, before the answer came: else these were
 *		lost, and the echo repeats an answer that was lost as well.  For a time
 *		polls are sent later, and wait for their answers longer: else a host whose answers
 *		take too long under load would be suspected again and again, and what that costs
 *		adds to its load.
 * try		begins with a NACK with such an echo, if resent flits are missing.  Flits are
 *		resent at most once before the first try and once in each try, however many NACKs
 *		arrive: on a link slower than the settings assume, resends do not add to the load.
 * futile	try during which the peer reports no new flit (ack, have)
 * backoff	after n futile tries in a row, a try resends at most 64 >> n flits, or 1, and the
 *		next poll follows after timing->poll << n (n <= FC_LLR_BACKOFF): flits do not fill a
 *		link that carries only statuses, which are shorter.
 *
 * stuck	peer that takes nothing for which packets wait (stuck.h).  An answer that
 *		requests no flits proves that all flits sent before the poll have arrived.
 *
 * A flit that the first resend and FC_LLR_SUSPECT tries did not deliver, while the peer answers
 * polls, makes the link suspected of losing full frames (FC_FX_SUSPECT), even if shorter ones
 * arrive.
 *
 * FC_FX_RESET asks the caller to reset the link: the ends contradict each other, or FC_LLR_HOPELESS
 * tries were futile.  The state changes in fc_llr_reset(), when the link goes down or comes up.
 * The caller keeps a copy of each sent flit.  FC_FX_RELEASE frees those below a number, which are
 * acked or abandoned; FC_FX_RESCUE, at a reset, sends whole packets among the others by another
 * route (a relay frees them).  FC_FX_DROP frees a received flit.
 *
 * All numbers are absolute, so a duplicated or late status does no harm.
 */
#include "core/link/llr.h"

static struct fc_effect *effect(const struct fc_channel *ch, struct fc_effects *fx, u8 type,
				u8 port)
{
	struct fc_effect *e = fc_effect_add(fx, type, port, NULL);

	e->vc = ch->vc;
	return e;
}

void fc_channel_init(struct fc_channel *ch)
{
	u8 p;

	ch->now = 0;
	ch->next_at = FC_NEVER;
	ch->up = fc_bit(FC_PORT_LOCAL);
	ch->status = 0;
	ch->flagged = 0;
	ch->timed = 0;
	ch->silent = 0;
	ch->stuck = 0;
	ch->stuck_long = 0;
	for (p = 0; p < ch->nports; p++) {
		struct fc_rx *rx = &ch->rx[p];
		struct fc_tx *tx = &ch->tx[p];
		struct fc_flit *queue = rx->queue;
		u64 *stat = rx->stat;

		memset(rx, 0, sizeof(*rx));
		if (queue)
			memset(queue, 0, ch->window * sizeof(*queue));
		rx->queue = queue;
		rx->stat = stat;
		rx->ack_at = FC_NEVER;
		rx->nack_at = FC_NEVER;
		memset(tx, 0, sizeof(*tx));
		tx->poll_at = FC_NEVER;
		tx->window = ch->window;
	}
}

void fc_channel_purge(struct fc_channel *ch, void (*drop)(void *arg, void *h), void *arg)
{
	u32 i;
	u8 p;

	for (p = 0; p < ch->nports; p++) {
		struct fc_rx *rx = &ch->rx[p];

		if (!rx->queue)
			continue;
		for (i = 0; i < ch->window; i++)
			if (rx->queue[i].h)
				drop(arg, rx->queue[i].h);
		memset(rx->queue, 0, ch->window * sizeof(*rx->queue));
		rx->queued = 0;
	}
}

/*
 * Requests a reset of the link: the peer's numbers contradict ours, which no lost frame explains,
 * and without a reset no flit would move again.
 */
static void contradiction(struct fc_channel *ch, u8 port, struct fc_effects *fx)
{
	ch->rx[port].stat[FC_LSTAT_RX_PROTOCOL]++;
	effect(ch, fx, FC_FX_RESET, port);
}

/* Forgets late answers of long ago, and notes new ones of the link. */
static void update_slow(struct fc_channel *ch, u8 port)
{
	u32 late = (u32)ch->rx[port].stat[FC_LSTAT_RX_LATE_ANSWERS];
	struct fc_tx *tx = &ch->tx[port];

	if (tx->slow && ch->now >= tx->slow_until)
		tx->slow = 0;
	/* Users reset the counter. */
	if (fc_before(tx->late, late)) {
		u64 until = ch->now + (ch->timing->poll << FC_LLR_SLOW_SHIFT);

		/* Answers to the polls of one stall come late on all channels: they count once. */
		if (!tx->slow || (tx->slow < FC_LLR_SLOW && until - tx->slow_until >
				  ch->timing->poll << (tx->slow + FC_LLR_STALL_SHIFT)))
			tx->slow++;
		tx->slow_until = until;
	}
	tx->late = late;
}

void fc_llr_update_stuck(struct fc_channel *ch, u8 port)
{
	u64 held = ch->tx[port].held;

	ch->stuck &= ~fc_bit(port);
	ch->stuck_long &= ~fc_bit(port);
	if (held >= FC_LLR_STUCK * ch->timing->poll)
		ch->stuck |= fc_bit(port);
	if (held >= FC_LLR_STUCK_MESSAGES * ch->timing->poll)
		ch->stuck_long |= fc_bit(port);
}

/*
 * The wait for credit is older, by the time since it last was, halved @slower times.  Where the
 * peer takes nothing of this channel, and packets of any channel of the link are abandoned
 * meanwhile, others wait no longer than they must.
 */
static void age(struct fc_channel *ch, u8 port, u8 slower)
{
	struct fc_tx *tx = &ch->tx[port];
	bool known = fc_llr_abandons(ch, port) && tx->idle >= FC_LLR_STUCK * ch->timing->poll;
	u64 more = ch->now - tx->held_at;

	tx->held_at = ch->now;
	if (!tx->waits)
		return;
	if (more > ch->timing->poll << FC_LLR_BACKOFF)
		more = ch->timing->poll << FC_LLR_BACKOFF;
	tx->idle += more >> slower;
	if (tx->held < FC_LLR_STUCK_SUSPECT * ch->timing->poll)
		tx->held += known ? more : more >> slower;
	fc_llr_update_stuck(ch, port);
}

/* The peer has acknowledged @news flits: the wait for credit is younger. */
static void rejuvenate(struct fc_channel *ch, u8 port, u32 news)
{
	struct fc_tx *tx = &ch->tx[port];
	u64 unit = FC_LLR_STUCK * ch->timing->poll, off = news * (unit / FC_LLR_STUCK_FLITS);

	if (tx->holds)
		age(ch, port, FC_LLR_STUCK_QUEUED);
	tx->idle = 0;
	tx->held_at = ch->now;
	tx->wait_poll = tx->polls;
	if (tx->acked == tx->sent)
		tx->held /= 2;
	tx->held = off > tx->held ? 0 : tx->held - off;
	fc_llr_update_stuck(ch, port);
	/* A packet that has no credit yet waits anew. */
	if (!(ch->stuck & fc_bit(port)))
		tx->waits = false;
}

bool fc_llr_new_ack(struct fc_channel *ch, u8 port, u32 ack, struct fc_effects *fx)
{
	struct fc_tx *tx = &ch->tx[port];
	u32 news = ack - tx->acked;	/* flits that no earlier ack covered */

	if (fc_before(tx->sent, ack)) {
		contradiction(ch, port, fx);
		return false;
	}
	if (fc_before(ack, tx->acked))
		return false;
	tx->acked = ack;
	tx->dry = 0;
	ch->rx[port].stat[FC_LSTAT_RX_ANSWERS]++;
	tx->tries = 0;
	tx->stuck = 0;
	tx->unanswered = 0;
	tx->got = news < 64 ? tx->got >> news : 0;
	tx->resent = news < 64 ? tx->resent >> news : 0;
	effect(ch, fx, FC_FX_RELEASE, port)->seq = ack;
	if (tx->waits || tx->held)
		rejuvenate(ch, port, news);
	update_slow(ch, port);
	if (tx->acked == tx->sent) {
		tx->poll_at = FC_NEVER;
	} else {
		tx->poll_wait = ch->timing->poll << tx->slow;
		tx->poll_at = ch->now + tx->poll_wait;
		fc_llr_due(ch, port, tx->poll_at);
	}
	return true;
}

static void suspect(const struct fc_channel *ch, u32 ports, enum fc_suspicion why,
		    struct fc_effects *fx)
{
	struct fc_effect *e = effect(ch, fx, FC_FX_SUSPECT, (u8)fc_low(ports));

	e->flags = why;
	e->mask = ports;
}

/*
 * The peer has answered a poll, and acknowledged nothing.  @lost: it requests flits that were lost.
 */
static void answer_empty(struct fc_channel *ch, u8 port, const struct fc_event *ev, bool lost,
			 struct fc_effects *fx)
{
	struct fc_tx *tx = &ch->tx[port];

	/* A poll that was sent before the wait says nothing of the flits that were sent since. */
	if (!fc_before16(tx->wait_poll, ev->status.echo))
		return;
	/* Flits were lost.  After futile tries, or many polls without an ack, that is no reason. */
	if (lost && tx->tries <= FC_LLR_SUSPECT && tx->dry < FC_LLR_STUCK_DRY) {
		tx->held_at = ch->now;
		return;
	}
	age(ch, port, ev->status.have || lost || tx->tries ? FC_LLR_STUCK_QUEUED : 0);
	if (tx->idle >= FC_LLR_STUCK_SUSPECT * ch->timing->poll)
		suspect(ch, fc_bit(port), FC_SUSPICION_STUCK, fx);
}

/* Doublings of the poll interval after a resend: one for each futile try in a row. */
static u8 backoff(const struct fc_tx *tx)
{
	u8 futile = tx->tries ? tx->tries - 1 : 0;

	if (futile < tx->slow)
		futile = tx->slow;
	return futile < FC_LLR_BACKOFF ? futile : FC_LLR_BACKOFF;
}

/* Is a flit missing below rx->end? */
static bool gap(const struct fc_rx *rx)
{
	return rx->end - rx->consumed != rx->queued;
}

/* Starts the timer of the NACK where a flit is missing, and stops it where none is. */
static void update_nack(struct fc_channel *ch, u8 port)
{
	struct fc_rx *rx = &ch->rx[port];

	if (!gap(rx)) {
		rx->nack_at = FC_NEVER;
	} else if (rx->nack_at == FC_NEVER) {
		rx->nack_wait = ch->timing->retry;
		rx->nack_at = ch->now + rx->nack_wait;
		fc_llr_due(ch, port, rx->nack_at);
	}
}

/* Starts the timer of a status that reports the flits received ("have"), consumed or not. */
static void acknowledge(struct fc_channel *ch, u8 port)
{
	if (port == FC_PORT_LOCAL)
		return;
	/*
	 * Where the ack timer is armed vnet_pass.c counts a flit without setting this.  No flit may
	 * have been consumed yet.
	 */
	ch->tx[port].reverse_active = true;
	fc_llr_delay_ack(ch, port);
}

bool fc_llr_flit(struct fc_channel *ch, const struct fc_event *ev, struct fc_effects *fx)
{
	struct fc_rx *rx = &ch->rx[ev->port];
	bool taken = fc_before(ev->seq, rx->consumed);	/* consumed already */
	bool beyond = !taken && ev->seq - rx->consumed >= ch->window;
	struct fc_flit *s = taken || beyond ? NULL : fc_rx_slot(ch, rx, ev->seq);

	if (!s || s->parts & FC_FLIT_VALID) {
		rx->stat[beyond ? FC_LSTAT_RX_OUT_OF_WINDOW : FC_LSTAT_RX_REPEATED]++;
		/* The ack of this flit may be lost: send it again. */
		if (taken)
			acknowledge(ch, ev->port);
		fc_effect_drop(fx, ev->port, &ev->flit, beyond ? FC_DROP_PROTOCOL : FC_DROP_USED);
		return false;
	}
	*s = ev->flit;
	s->parts |= FC_FLIT_VALID;
	rx->queued++;
	if (!fc_before(ev->seq, rx->end))
		rx->end = ev->seq + 1;
	update_nack(ch, ev->port);
	/* The queue is blocked: report that the flit came. */
	if (rx->queued > 1)
		acknowledge(ch, ev->port);
	return true;
}

/*
 * Begins a try.  All tries before it (tx->tries) were futile: a new flit at the peer clears them.
 * Return: number of flits that the try may resend.
 */
static u32 try_again(struct fc_channel *ch, u8 port, struct fc_effects *fx)
{
	struct fc_tx *tx = &ch->tx[port];
	bool again = tx->resent & ~tx->got & 1;
	u8 futile = tx->tries;

	tx->resent = 0;
	/* A reset was requested.  This NACK resends nothing, a later one may: resent is clear. */
	if (futile > FC_LLR_HOPELESS)
		return 0;
	tx->tries++;
	if (again && ++tx->stuck > FC_LLR_SUSPECT) {
		tx->stuck = 0;
		suspect(ch, fc_bit(port), FC_SUSPICION_GREY, fx);
	}
	if (futile == FC_LLR_HOPELESS)
		effect(ch, fx, FC_FX_RESET, port);
	return futile < 6 ? (u32)64 >> futile : 1;
}

/* Does the NACK request flits that the peer has not reported as received? */
static bool requests(const struct fc_tx *tx, const struct fc_status *s)
{
	u32 n = fc_before(tx->acked, s->upto) ? s->upto - tx->acked : 0;

	return fc_mask_all(n < 64 ? n : 64) & ~tx->got;
}

/* Resends what the NACK requests, except flits that the peer has or this try has resent. */
static void resend(struct fc_channel *ch, u8 port, const struct fc_status *s,
		   struct fc_effects *fx)
{
	struct fc_tx *tx = &ch->tx[port];
	u32 seq, most = 64;

	if (!fc_before16(tx->resend_poll, s->echo)) {
		/* Resent flits may be in flight; a try with backoff resends no others either. */
		if (tx->tries > 1)
			return;
	} else if (tx->resent & ~tx->got) {
		/* The peer has seen a poll that followed the last resend: these flits are lost. */
		most = try_again(ch, port, fx);
	}
	for (seq = tx->acked; fc_before(seq, s->upto) && most; seq++) {
		u64 bit = fc_bit64(seq - tx->acked);
		struct fc_effect *e;

		if ((tx->got | tx->resent) & bit)
			continue;
		most--;
		tx->resent |= bit;
		tx->resend_poll = tx->polls;
		tx->poll_wait = ch->timing->poll << backoff(tx);
		tx->poll_at = ch->now + tx->poll_wait;
		fc_llr_due(ch, port, tx->poll_at);
		ch->rx[port].stat[FC_LSTAT_TX_RESENT]++;
		e = effect(ch, fx, FC_FX_RESEND, port);
		e->seq = seq;
		e->ack = ch->rx[port].consumed;
	}
}

/*
 * The peer answers.  Polls that it did not answer were lost, or their answers were: they do not
 * lengthen the waits of later polls, and an echo of them is not a late answer.
 */
static void forget_polls(struct fc_tx *tx)
{
	tx->answered = tx->polls;
	tx->doubted = tx->polls;
}

/* The peer answers: it is not tested for a while. */
static void test_passed(struct fc_channel *ch, u8 port)
{
	struct fc_tx *tx = &ch->tx[port];

	forget_polls(tx);
	tx->poll_at = FC_NEVER;
	tx->test_at = ch->now + FC_LLR_TEST * ch->timing->poll;
}

/*
 * A slow peer also answers the polls that were sent before its late answer came.  If the next echo
 * names a later poll, these were lost: the link was silent, and the old echo only repeats an answer
 * that was lost, too.
 */
static void confirm_late(struct fc_channel *ch, u8 port, u16 echo)
{
	struct fc_tx *tx = &ch->tx[port];

	if (tx->late_echo == tx->late_polls || !fc_before16(tx->late_echo, echo))
		return;
	if (!fc_before16(tx->late_polls, echo))
		ch->rx[port].stat[FC_LSTAT_RX_LATE_ANSWERS]++;
	tx->late_echo = tx->late_polls;
}

/*
 * Does the echo name a poll that was not answered before?  Then the next poll has more time.  Where
 * the peer seemed silent after that poll, its host is slow.  An answer to a later poll would not
 * show that: the earlier ones, or their answers, may be lost.
 * Return: true if the echo names such a poll.
 */
static bool answered(struct fc_channel *ch, u8 port, u16 echo)
{
	struct fc_tx *tx = &ch->tx[port];

	confirm_late(ch, port, echo);
	if (!fc_before16(tx->answered, echo) || fc_before16(tx->polls, echo))
		return false;
	if (!fc_before16(tx->doubted, echo)) {
		tx->late_echo = echo;
		tx->late_polls = tx->polls;
	}
	tx->answered = echo;
	tx->doubted = echo;
	tx->unechoed = 0;
	ch->rx[port].stat[FC_LSTAT_RX_ANSWERS]++;
	tx->unanswered = 0;
	if (tx->poll_at != FC_NEVER && fc_tx_empty(tx))
		test_passed(ch, port);
	if (tx->poll_at == FC_NEVER)
		return true;
	if (tx->poll_wait < ch->timing->poll << FC_LLR_BACKOFF)
		tx->poll_wait *= 2;
	tx->poll_at = ch->now + tx->poll_wait;
	fc_llr_due(ch, port, tx->poll_at);
	return true;
}

/* The peer polls: flits below ev->seq were sent. */
static void polled(struct fc_channel *ch, const struct fc_event *ev, struct fc_effects *fx)
{
	struct fc_rx *rx = &ch->rx[ev->port];

	ch->status |= fc_bit(ev->port);
	/* Later flits overtook the poll, and were consumed: the ack of the status answers it. */
	if (fc_before(ev->seq, rx->consumed))
		return;
	if (ev->seq - rx->consumed > ch->window) {
		contradiction(ch, ev->port, fx);
		return;
	}
	if (fc_before(rx->end, ev->seq))
		rx->end = ev->seq;
	/*
	 * Request a gap at once: the last resend left at least timing->poll before this poll.  New
	 * flits, sent just before it, may still arrive: fc_llr_flit() drops the second copy.
	 */
	if (gap(rx))
		fc_llr_add_flags(ch, ev->port, FC_STATUS_NACK);
	update_nack(ch, ev->port);
}

void fc_llr_status(struct fc_channel *ch, const struct fc_event *ev, struct fc_effects *fx)
{
	struct fc_tx *tx = &ch->tx[ev->port];
	struct fc_rx *rx = &ch->rx[ev->port];
	u32 late = tx->acked - ev->ack;	/* flits acknowledged since by newer frames */
	u64 have = ev->status.have;
	bool answer, lost = false;

	/* For an ack of flits that were not sent, fc_llr_acked() has requested a reset. */
	if (fc_before(tx->sent, ev->ack))
		return;
	/* Bit i of the mask is flit ev->ack + i, from here on flit tx->acked + i. */
	have = late < 64 ? have >> late : 0;
	/* Is a flit reported as received, or requested, that was not sent? */
	if ((tx->sent - tx->acked < 64 && have >> (tx->sent - tx->acked)) ||
	    (ev->flags & FC_STATUS_NACK && fc_before(tx->sent, ev->status.upto))) {
		contradiction(ch, ev->port, fx);
		return;
	}
	if (have & ~tx->got) {
		tx->tries = 0;
		tx->unanswered = 0;
		rx->stat[FC_LSTAT_RX_ANSWERS]++;
	}
	tx->got |= have;
	tx->holds = have;
	answer = answered(ch, ev->port, ev->status.echo);
	if (fc_before16(rx->poll_seen, ev->status.poll))
		rx->poll_seen = ev->status.poll;
	if (ev->flags & FC_STATUS_NACK) {
		lost = requests(tx, &ev->status);
		resend(ch, ev->port, &ev->status, fx);
	}
	if (answer && ev->ack == tx->acked)
		answer_empty(ch, ev->port, ev, lost, fx);
	if (ev->flags & FC_STATUS_ACK_REQUEST) {
		/* The request may have overtaken flits: an ack now does not clear it. */
		rx->ack_wanted = true;
		if (!rx->queued)
			ch->status |= fc_bit(ev->port);
	}
	if (ev->flags & FC_STATUS_POLL)
		polled(ch, ev, fx);
}

struct fc_flit fc_rx_consume(struct fc_channel *ch, u8 port)
{
	struct fc_rx *rx = &ch->rx[port];
	struct fc_flit *s = fc_rx_first(rx), flit = *s;

	memset(s, 0, sizeof(*s));
	flit.parts &= ~FC_FLIT_VALID;
	rx->queued--;
	/* Restart an empty queue at slot 0, which is in the cache. */
	rx->first = rx->queued && rx->first + 1u < ch->window ? rx->first + 1 : 0;
	fc_llr_consumed(ch, port);
	return flit;
}

/*
 * Does the time since the last poll show that the peer is silent?
 * @queue: result: it may not, because the answer may wait behind what came meanwhile
 */
static bool silent(struct fc_channel *ch, u8 port, bool *queue)
{
	const u64 *stat = ch->rx[port].stat;
	struct fc_tx *tx = &ch->tx[port];
	u32 bytes = (u32)stat[FC_LSTAT_RX_BYTES] - tx->bytes;

	if ((u32)stat[FC_LSTAT_RX_ANSWERS] != tx->answers) {
		tx->unanswered = 0;
		tx->hastened = false;
	}
	tx->answers = (u32)stat[FC_LSTAT_RX_ANSWERS];
	tx->bytes += bytes;
	*queue = bytes >= FC_LLR_QUEUE;
	/* The poll that is sent now is the first one. */
	if (!tx->unanswered)
		return true;
	return !*queue &&
	       ch->now - tx->poll_at <= ch->timing->poll >> FC_LLR_LATE_SHIFT;
}

/*
 * Doublings of the wait for the answer to a poll.  Waits that prove the peer silent are doubled
 * before it is only where its answers came late; others are, because a loaded host sends a poll on
 * each of its channels.
 */
static u8 wait_doublings(const struct fc_tx *tx, bool counts)
{
	u32 n = FC_LLR_ANSWER_SHIFT + tx->slow, most = n < FC_LLR_BACKOFF ? FC_LLR_BACKOFF : n;
	u16 polls = tx->polls - tx->answered;

	if (tx->unanswered > FC_LLR_UNANSWERED)
		n += tx->unanswered - FC_LLR_UNANSWERED;
	else if ((!counts || tx->unanswered <= 1) && polls >= FC_LLR_UNECHOED)
		n += polls - (FC_LLR_UNECHOED - 1);
	return (u8)(n < most ? n : most);
}

/*
 * The peer does not answer polls.  That alone is no reason to give messages up; but if it answered
 * HELLOs meanwhile (fc_llr_hasten()), and still no poll, it does not keep to the protocol.
 */
static void age_silent(struct fc_channel *ch, u8 port)
{
	struct fc_tx *tx = &ch->tx[port];
	u64 unit = FC_LLR_STUCK * ch->timing->poll, was = tx->held;

	age(ch, port, FC_LLR_STUCK_SILENT);
	if (tx->held > unit)
		tx->held = was > unit ? was : unit;
	if (tx->waits && tx->hastened && tx->unanswered == FC_LLR_UNANSWERED + FC_LLR_SILENT &&
	    tx->held < FC_LLR_STUCK_MESSAGES * ch->timing->poll)
		tx->held = FC_LLR_STUCK_MESSAGES * ch->timing->poll;
	fc_llr_update_stuck(ch, port);
}

/* The peer of @port may be silent: packets will take the other links instead. */
static void test_others(struct fc_channel *ch, u8 port)
{
	u8 p;

	for (p = 1; p < ch->nports; p++)
		if (p != port)
			fc_llr_test(ch, p, ch->now);
}

/* The poll timer has expired: flits are not acknowledged, or the last poll has no answer. */
static void poll(struct fc_channel *ch, u8 port)
{
	const struct fc_timing *timing = ch->timing;
	struct fc_tx *tx = &ch->tx[port];
	bool queue, counts = silent(ch, port, &queue);

	update_slow(ch, port);
	if (!tx->dry)
		tx->abandoned = (u32)ch->rx[port].stat[FC_LSTAT_TX_ABANDONED];
	if (tx->dry < FC_LLR_STUCK_DRY)
		tx->dry++;
	/* Answers on other channels, or flits, come from the peer, and no answer on this one. */
	if (tx->unechoed < FC_LLR_STUCK_DRY)
		tx->unechoed++;
	else if (!tx->unanswered || queue)
		age(ch, port, FC_LLR_STUCK_SILENT);
	if (counts) {
		if (tx->unanswered == 1)
			test_others(ch, port);
		if (tx->unanswered == FC_LLR_UNANSWERED)
			tx->doubted = tx->polls;
		if (tx->unanswered > FC_LLR_UNANSWERED)
			age_silent(ch, port);
		if (tx->unanswered >= FC_LLR_UNANSWERED)
			ch->silent |= fc_bit(port);
		if (tx->unanswered < FC_LLR_UNANSWERED + FC_LLR_SILENT)
			tx->unanswered++;
	}
	tx->poll_at = ch->now + (timing->poll << wait_doublings(tx, counts));
	fc_llr_add_flags(ch, port, FC_STATUS_POLL);
	/* Numbers wrap: they stay comparable, at both ends, however long no answer comes. */
	if ((u16)(tx->polls - tx->answered) < FC_LLR_POLLS)
		tx->polls++;
	ch->rx[port].stat[FC_LSTAT_TX_POLLS]++;
}

void fc_llr_test(struct fc_channel *ch, u8 port, u64 now)
{
	struct fc_tx *tx = &ch->tx[port];

	if (tx->poll_at != FC_NEVER || !(ch->up & fc_bit(port)))
		return;
	tx->poll_wait = ch->timing->poll << (now < tx->slow_until ? tx->slow : 0);
	tx->poll_at = now + tx->poll_wait;
	/* Answers from now on make the test unnecessary. */
	tx->answers = (u32)ch->rx[port].stat[FC_LSTAT_RX_ANSWERS];
	tx->unanswered = 0;
	fc_llr_due(ch, port, tx->poll_at);
}

/* The poll timer has expired, and no flit waits for its ack.  Return: true if no poll is due. */
static bool tested(struct fc_channel *ch, u8 port)
{
	struct fc_tx *tx = &ch->tx[port];

	if ((u32)ch->rx[port].stat[FC_LSTAT_RX_ANSWERS] != tx->answers) {
		test_passed(ch, port);
		return true;
	}
	if (ch->now >= tx->test_at)
		return false;
	/* Not later: flits that are sent meanwhile are polled for by the same timer. */
	tx->poll_at += ch->timing->poll;
	if (tx->poll_at > tx->test_at)
		tx->poll_at = tx->test_at;
	return true;
}

static void timers(struct fc_channel *ch, u8 port)
{
	const struct fc_timing *timing = ch->timing;
	struct fc_tx *tx = &ch->tx[port];
	struct fc_rx *rx = &ch->rx[port];
	u64 next;

	/* Stop the timer: a flit or fc_llr_send_status() sends the ack in this event. */
	if (rx->ack_at <= ch->now) {
		rx->ack_at = FC_NEVER;
		ch->status |= fc_bit(port);
	}
	if (rx->nack_at <= ch->now) {
		if (rx->nack_wait < timing->poll << FC_LLR_BACKOFF)
			rx->nack_wait *= 2;
		rx->nack_at = ch->now + rx->nack_wait;
		fc_llr_add_flags(ch, port, FC_STATUS_NACK);
	}
	if (tx->poll_at <= ch->now && !(fc_tx_empty(tx) && tested(ch, port)))
		poll(ch, port);
	next = rx->ack_at < rx->nack_at ? rx->ack_at : rx->nack_at;
	if (tx->poll_at < next)
		next = tx->poll_at;
	if (next == FC_NEVER)
		ch->timed &= ~fc_bit(port);
	else
		fc_llr_due(ch, port, next);
}

void fc_llr_hasten(struct fc_channel *ch, u8 port)
{
	struct fc_tx *tx = &ch->tx[port];

	forget_polls(tx);
	if (tx->poll_at == FC_NEVER)
		return;
	/* This poll is the first one whose answer counts. */
	tx->hastened |= tx->unanswered > FC_LLR_UNANSWERED;
	tx->unanswered = 0;
	tx->poll_at = ch->now;
	fc_llr_due(ch, port, ch->now);
}

void fc_llr_time(struct fc_channel *ch)
{
	u32 rest;

	if (ch->now < ch->next_at)
		return;
	ch->next_at = FC_NEVER;
	for (rest = ch->timed & ~fc_bit(FC_PORT_LOCAL); rest; rest &= rest - 1)
		timers(ch, (u8)fc_low(rest));
}

/* Mask of the flits that wait in the queue ("have"): bit i is flit rx->consumed + i. */
static u64 waiting(const struct fc_channel *ch, const struct fc_rx *rx)
{
	u32 i, left = rx->queued;
	u64 have = 0;

	for (i = 0; left && i < ch->window; i++) {
		if (!(fc_rx_slot(ch, rx, rx->consumed + i)->parts & FC_FLIT_VALID))
			continue;
		have |= fc_bit64(i);
		left--;
	}
	return have;
}

void fc_llr_send_status(struct fc_channel *ch, struct fc_effects *fx)
{
	u32 rest;

	ch->status &= ch->up & ~fc_bit(FC_PORT_LOCAL);
	for (rest = ch->status; rest; rest &= rest - 1) {
		u8 p = fc_low(rest);
		struct fc_effect *e = effect(ch, fx, FC_FX_STATUS, p);

		e->flags = ch->tx[p].flags;
		e->seq = ch->tx[p].sent;
		e->ack = ch->rx[p].consumed;
		e->status.have = waiting(ch, &ch->rx[p]);
		e->status.poll = ch->tx[p].polls;
		e->status.echo = ch->rx[p].poll_seen;
		if (e->flags & FC_STATUS_NACK) {
			e->status.upto = ch->rx[p].end;
			ch->rx[p].stat[FC_LSTAT_TX_NACKS]++;
		}
		fc_llr_ack_sent(ch, p);
	}
	ch->silent &= ch->up;
	if (ch->silent)
		suspect(ch, ch->silent, FC_SUSPICION_SILENT, fx);
	ch->silent = 0;
	for (; ch->flagged; ch->flagged &= ch->flagged - 1)
		ch->tx[fc_low(ch->flagged)].flags = 0;
	ch->status = 0;
}

void fc_llr_reset(struct fc_channel *ch, u8 port, u32 window, struct fc_effects *fx)
{
	struct fc_rx *rx = &ch->rx[port];
	struct fc_tx *tx = &ch->tx[port];
	u32 i;

	for (i = 0; rx->queue && i < ch->window; i++) {
		fc_effect_drop(fx, port, &rx->queue[i], FC_DROP_DOWN);
		memset(&rx->queue[i], 0, sizeof(rx->queue[i]));
	}
	/* The link cannot carry these flits: free all copies.  Their sources send them again. */
	if (tx->tries > FC_LLR_HOPELESS)
		effect(ch, fx, FC_FX_RELEASE, port)->seq = tx->sent;
	else if (tx->sent != tx->acked)
		effect(ch, fx, FC_FX_RESCUE, port)->seq = tx->acked;
	rx->queued = 0;
	rx->consumed = 0;
	rx->acked = 0;
	rx->end = 0;
	rx->first = 0;
	rx->ack_wanted = false;
	rx->reverse_active = false;
	rx->ack_at = FC_NEVER;
	rx->nack_at = FC_NEVER;
	tx->sent = 0;
	tx->acked = 0;
	tx->got = 0;
	tx->resent = 0;
	tx->polls = 0;
	tx->resend_poll = 0;
	tx->answered = 0;
	tx->doubted = 0;
	tx->late_echo = 0;
	tx->late_polls = 0;
	tx->unanswered = 0;
	tx->reverse_active = false;
	tx->tries = 0;
	tx->stuck = 0;
	/* A reset does not make the peer honest: @held stays, and ages or not as before. */
	tx->idle = 0;
	tx->waits = false;
	tx->hastened = false;
	tx->holds = false;
	tx->wait_poll = 0;
	tx->dry = 0;
	tx->unechoed = 0;
	rx->poll_seen = 0;
	tx->window = window;
	tx->poll_at = FC_NEVER;
	tx->test_at = 0;
	ch->status &= ~fc_bit(port);
	ch->flagged &= ~fc_bit(port);
	ch->silent &= ~fc_bit(port);
	ch->stuck &= ~fc_bit(port);
	ch->stuck_long &= ~fc_bit(port);
	tx->flags = 0;
}
