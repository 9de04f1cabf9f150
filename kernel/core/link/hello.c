// SPDX-License-Identifier: GPL-2.0
#include "core/bucket.h"
#include "core/link/hello.h"

#define NEVER	(~(u64)0)

#define X(id, text)	text,
static const char *const reasons[] = { FC_REASONS(X) };
#undef X

const char *fc_reason_text(u8 reason)
{
	return reason < FC_REASON_COUNT ? reasons[reason] : "unknown";
}

const char *fc_suspicion_text(u8 suspicion)
{
	static const char *const texts[FC_SUSPICION_COUNT] = {
		[FC_SUSPICION_NONE] = "",
		[FC_SUSPICION_SILENT] = "suspect: the peer does not answer polls",
		[FC_SUSPICION_GREY] = "suspect: full frames to the peer are lost",
		[FC_SUSPICION_STUCK] = "suspect: the peer takes none of the flits that it receives",
		[FC_SUSPICION_DAMAGED] = "suspect: frames of the peer come damaged",
	};

	return suspicion < FC_SUSPICION_COUNT ? texts[suspicion] : "unknown";
}

static void new_epoch(struct fc_hello *h)
{
	if (!++h->own.epoch)
		h->own.epoch = 1;
}

static u64 ms(const struct fc_hello *h, u32 n)
{
	return (u64)n * h->ms;
}

/* Return: the time at which the peer is taken for dead if it was last alive at @now. */
static u64 death(const struct fc_hello *h, u64 now)
{
	bool named = h->peer.interval >= FC_HELLO_MS_MIN && h->peer.interval <= FC_HELLO_MS_MAX;
	u64 interval = named ? ms(h, h->peer.interval) : h->interval;

	/* Allow for the time that the last HELLO takes to arrive. */
	return now + h->dead * interval + (interval >> FC_HELLO_GRACE_SHIFT);
}

/* Has half of the time until death passed?  Then HELLOs ask for an answer. */
static bool silent(const struct fc_hello *h, u64 now)
{
	return h->state == FC_LINK_UP && h->dead_at <= now + ((death(h, now) - now) >> 1);
}

/* Is the next HELLO of a suspected link one of a pair?  A single one shows that this end lives. */
static bool probes(const struct fc_hello *h, u64 now)
{
	return h->suspicion && (h->answered < FC_HELLO_ANSWERS || now >= h->trust_at ||
				silent(h, now));
}

/* Return: the time of the next HELLO if the peer may have missed several. */
static u64 often(const struct fc_hello *h, u64 now)
{
	u64 probe = ms(h, FC_HELLO_PROBE_MS), quarter = h->interval >> FC_HELLO_ALIVE_SHIFT;

	return now + (probe < quarter ? probe : quarter);
}

static u64 next_send(const struct fc_hello *h, u64 now)
{
	u64 wait = h->interval, probe = ms(h, FC_HELLO_PROBE_MS);

	if (h->state != FC_LINK_UP)
		return now + (wait >> FC_HELLO_INIT_SHIFT);
	if (h->asks)
		return often(h, now);
	if (probes(h, now))
		return now + (probe < wait ? probe : wait);
	if (!h->suspicion)
		return now + wait;
	wait >>= FC_HELLO_ALIVE_SHIFT;
	return now + wait < h->trust_at ? now + wait : h->trust_at;
}

/* Answer a HELLO that names another epoch, within the rate limit. */
static u8 answer_epoch(struct fc_hello *h, u64 now)
{
	return fc_bucket_take(&h->answers_at, now, h->interval >> FC_HELLO_INIT_SHIFT,
			      FC_HELLO_BURST, 1) ? FC_HELLO_SEND : 0;
}

/* Clears the requests of the previous step. */
static void begin(struct fc_hello *h)
{
	h->answer = 0;
	h->asks = false;
	h->brief = false;
	h->leaves = false;
}

/* Leave the state up; the new epoch informs the peer. */
static u8 leave_up(struct fc_hello *h, u8 state, u8 reason)
{
	u8 was = h->state;

	h->state = state;
	h->own.reason = reason;
	h->dead_at = NEVER;
	h->suspicion = FC_SUSPICION_NONE;
	h->seen = false;
	if (was != FC_LINK_UP)
		return 0;
	new_epoch(h);
	return FC_HELLO_GO_DOWN;
}

/* Return: the minimum time that a grey link stays down. */
static u64 hold(const struct fc_hello *h)
{
	return h->interval << (h->greys < FC_HELLO_GREYS_MAX ? h->greys : FC_HELLO_GREYS_MAX);
}

/*
 * HELLOs of the peer no longer arrive.  With a key the peer accepts only a HELLO that names its
 * epoch, so our HELLOs still carry the epoch that we know.
 */
static void unlearn_epoch(struct fc_hello *h)
{
	if (!h->keyed)
		h->own.peer_epoch = 0;
}

/*
 * Full frames are lost.  A short HELLO reports this to the peer.  Neither end comes up before it
 * has received a long HELLO of the other.
 */
static u8 go_grey(struct fc_hello *h, u64 now)
{
	u8 todo;

	if (h->greys && now - h->up_at > hold(h) << FC_HELLO_CALM_SHIFT)
		h->greys = 0;
	if (h->greys < FC_HELLO_GREYS_MAX)
		h->greys++;
	todo = leave_up(h, FC_LINK_INIT, FC_REASON_GREY) | FC_HELLO_SEND;
	unlearn_epoch(h);
	h->grey = true;
	h->brief = true;
	h->hold_until = now + hold(h);
	h->send_at = next_send(h, now);
	return todo;
}

u8 fc_hello_carrier(struct fc_hello *h, bool up, u64 now)
{
	u8 todo;

	begin(h);
	if (!up) {
		todo = leave_up(h, FC_LINK_DOWN, FC_REASON_CARRIER);
		h->own.peer_epoch = 0;
		h->peer.epoch = 0;
		h->send_at = NEVER;
		/* The cable may be replaced: come up as soon as full frames arrive. */
		h->hold_until = 0;
		return todo;
	}
	if (h->state != FC_LINK_DOWN || h->left)
		return 0;
	h->state = FC_LINK_INIT;
	h->own.reason = FC_REASON_SILENT;
	h->send_at = next_send(h, now);
	return FC_HELLO_SEND;
}

static u8 disagreement(const struct fc_hello *h, const struct fc_hello_msg *m)
{
	/* Each mode has its own versions: compare versions only if the modes agree. */
	if ((m->ver_min > h->own.ver_max || m->ver_max < h->own.ver_min) &&
	    m->mode == h->own.mode)
		return FC_REASON_VERSION;
	if (m->topology != h->own.topology || m->nsites != h->own.nsites)
		return FC_REASON_TOPOLOGY;
	if (m->mode != h->own.mode)
		return FC_REASON_MODE;
	if (m->flit != h->own.flit)
		return FC_REASON_FLIT;
	if ((m->flags ^ h->own.flags) & FC_HELLO_INTEGRITY)
		return m->flags & FC_HELLO_INTEGRITY ? FC_REASON_INTEGRITY_END :
						       FC_REASON_INTEGRITY_OFF;
	if (m->site != h->want_site)
		return FC_REASON_CABLE_SITE;
	if (m->port != h->want_port)
		return FC_REASON_CABLE_PORT;
	return FC_REASON_NONE;
}

/* Return: the reason why the peer does not name this end's epoch (enum fc_reason). */
static u8 unheard(const struct fc_hello *h, const struct fc_hello_msg *m)
{
	if (h->grey)
		return FC_REASON_GREY;
	return m->reason == FC_REASON_GREY ? FC_REASON_LONG : FC_REASON_UNRECEIVED;
}

/*
 * The peer asks for an answer, because it sends pairs of HELLOs or receives no frames of this end.
 * The link may lose the answer: send the next HELLO soon as well.
 */
static u8 asked(struct fc_hello *h, u64 now)
{
	u64 soon = often(h, now);

	if (soon < h->send_at)
		h->send_at = soon;
	return fc_bucket_take(&h->asked_at, now, ms(h, FC_HELLO_PROBE_MS) >> 1, FC_HELLO_BURST,
			      1) ? FC_HELLO_SEND : 0;
}

/* Process a HELLO of a pair, by which the peer tests whether full frames arrive. */
static u8 pair_in(struct fc_hello *h, bool full, u64 now)
{
	if (full) {
		h->seen = true;
		return 0;
	}
	h->answer = h->seen ? FC_HELLO_SEEN : FC_HELLO_MISSED;
	h->seen = false;
	return asked(h, now);
}

/* Process the peer's answer to a pair of HELLOs of this end. */
static u8 pair_answered(struct fc_hello *h, u8 flags, u64 now)
{
	if (flags & FC_HELLO_MISSED)
		return ++h->missed < FC_HELLO_CHECKS ? 0 : go_grey(h, now);
	h->missed = 0;
	if (h->answered < FC_HELLO_ANSWERS)
		h->answered++;
	if (h->answered < FC_HELLO_ANSWERS || now < h->trust_at)
		return 0;
	h->suspicion = FC_SUSPICION_NONE;
	h->trust_at = now;
	h->send_at = next_send(h, now);
	return FC_HELLO_TRUST;
}

/*
 * The peer leaves: it answers no HELLO until it is added again.  Only an end that is up acts on
 * this: with a key, it has checked that the HELLO is no replay, which an end that is not up cannot.
 */
static u8 left(struct fc_hello *h, u64 now)
{
	u8 todo;

	if (h->state != FC_LINK_UP)
		return 0;
	todo = leave_up(h, FC_LINK_INIT, FC_REASON_LEFT);
	unlearn_epoch(h);
	h->peer.epoch = 0;
	h->send_at = next_send(h, now);
	return todo;
}

u8 fc_hello_received(struct fc_hello *h, const struct fc_hello_msg *m, bool full, u64 now)
{
	u8 todo = 0, reason = disagreement(h, m), was = h->state;

	begin(h);
	if (h->state == FC_LINK_DOWN || h->left)
		return 0;
	/*
	 * With a key, an attacker may replay a recorded HELLO.  Only a HELLO that names the current
	 * epoch of this end was made since this end began that epoch; a restarted peer learns the
	 * epoch from the answer.  Only a HELLO with a new number shows that the peer is alive.
	 */
	if (h->keyed && h->state == FC_LINK_UP) {
		if (m->peer_epoch != h->own.epoch)
			return answer_epoch(h, now);
		if (m->epoch == h->peer.epoch && !fc_before(h->peer.number, m->number)) {
			/* The short HELLO of the pair overtook the long one, which arrives now. */
			if (full && m->flags & FC_HELLO_PAIR && m->number + 1 == h->peer.number)
				h->seen = true;
			return 0;
		}
	}
	if (m->flags & FC_HELLO_LEAVES)
		return left(h, now);
	/* The peer began another epoch: the frames in flight are lost. */
	if (h->state == FC_LINK_UP && (m->epoch != h->peer.epoch || reason))
		todo |= leave_up(h, FC_LINK_INIT, FC_REASON_UNRECEIVED);
	/* Ignore the HELLO until a full frame shows that flits would arrive. */
	if (h->state != FC_LINK_UP &&
	    (now < h->hold_until ||
	     (!full && (h->grey || (h->own.flags | m->flags) & FC_HELLO_LONG)))) {
		h->own.reason = h->grey ? FC_REASON_GREY : FC_REASON_LONG;
		if (h->state != was)
			h->send_at = next_send(h, now);
		return todo;
	}
	h->peer = *m;
	h->own.peer_epoch = m->epoch;
	h->late = 0;
	if (reason) {
		h->own.reason = reason;
	} else if (m->peer_epoch != h->own.epoch) {
		if (h->state == FC_LINK_UP)
			todo |= leave_up(h, FC_LINK_INIT, FC_REASON_UNRECEIVED);
		h->own.reason = unheard(h, m);
		/* The peer has not received the current epoch of this end. */
		todo |= answer_epoch(h, now);
	} else if (m->reason >= FC_REASON_VERSION && m->reason <= FC_REASON_CABLE_PORT) {
		if (h->state == FC_LINK_UP)
			todo |= leave_up(h, FC_LINK_INIT, FC_REASON_PEER);
		h->own.reason = FC_REASON_PEER;
	} else {
		if (h->state != FC_LINK_UP) {
			todo |= FC_HELLO_GO_UP;
			h->state = FC_LINK_UP;
			h->up_at = now;
			h->hold_until = 0;
			h->grey = false;
			/* The peer may wait for a HELLO of this end to come up. */
			if (m->reason)
				todo |= FC_HELLO_SEND;
		}
		h->own.reason = FC_REASON_NONE;
		h->dead_at = death(h, now);
		if (m->flags & FC_HELLO_PAIR)
			todo |= pair_in(h, full, now);
		if (m->flags & FC_HELLO_ASK)
			todo |= asked(h, now);
		if (h->suspicion && m->flags & (FC_HELLO_SEEN | FC_HELLO_MISSED))
			return todo | pair_answered(h, m->flags, now);
	}
	/* An answer that the peer asked for does not postpone the next HELLO. */
	if ((todo & FC_HELLO_SEND && !(m->flags & (FC_HELLO_PAIR | FC_HELLO_ASK))) ||
	    h->state != was)
		h->send_at = next_send(h, now);
	return todo;
}

u8 fc_hello_time(struct fc_hello *h, u64 now, bool early)
{
	u8 todo = 0;

	begin(h);
	/* This host was stalled: frames of the peer may wait to be read. */
	if (h->dead_at <= now && now - h->dead_at > ms(h, FC_HELLO_LATE_MS) &&
	    h->late < FC_HELLO_LATE_CHECKS) {
		h->dead_at = now + h->interval;
		h->late++;
	}
	if (h->dead_at <= now) {
		todo |= leave_up(h, FC_LINK_INIT, FC_REASON_DEAD);
		unlearn_epoch(h);
		h->peer.epoch = 0;
	}
	early = early && h->state == FC_LINK_UP && !h->suspicion && !silent(h, now);
	if (h->send_at <= now + (early ? h->interval >> 1 : 0)) {
		h->asks = !h->suspicion && silent(h, now);
		todo |= FC_HELLO_SEND | (probes(h, now) ? FC_HELLO_CHECK : 0);
		h->send_at = next_send(h, now);
	}
	return todo;
}

u8 fc_hello_reset(struct fc_hello *h, u64 now)
{
	begin(h);
	/* The handshake of an end that is not up has not begun; without carrier it stays down. */
	if (h->state != FC_LINK_UP)
		return 0;
	/* Send at once: the new epoch resets the peer's end. */
	h->send_at = now + (h->interval >> FC_HELLO_INIT_SHIFT);
	return leave_up(h, FC_LINK_INIT, FC_REASON_UNRECEIVED) | FC_HELLO_SEND;
}

u8 fc_hello_set(struct fc_hello *h, u16 window, u8 flags, u64 now)
{
	begin(h);
	if (h->left || (h->own.window == window && h->own.flags == flags))
		return 0;
	h->own.window = window;
	h->own.flags = flags;
	if (h->state == FC_LINK_UP)
		return fc_hello_reset(h, now);
	/* The peer may be up already, by the last HELLO of the old epoch. */
	new_epoch(h);
	return h->state == FC_LINK_INIT ? FC_HELLO_SEND : 0;
}

void fc_hello_unproven(struct fc_hello *h)
{
	if (h->state == FC_LINK_INIT)
		h->own.reason = FC_REASON_KEY;
}

u8 fc_hello_suspect(struct fc_hello *h, u8 why, u64 now)
{
	begin(h);
	if (h->state != FC_LINK_UP)
		return 0;
	h->answered = 0;
	/* The reason persists: so does the suspicion. */
	if (h->suspicion && (why == FC_SUSPICION_STUCK || why == FC_SUSPICION_DAMAGED) &&
	    h->trust_at < now + h->hold)
		h->trust_at = now + h->hold;
	if (h->suspicion)
		return 0;
	h->suspicion = why;
	h->missed = 0;
	/* If a reset of the link ended the suspicion, trust_at may still be in the future. */
	if (!h->hold || (now > h->trust_at && now - h->trust_at > h->hold << FC_HELLO_CALM_SHIFT))
		h->hold = ms(h, FC_HELLO_HOLD_MS);
	else if (h->hold < ms(h, FC_HELLO_HOLD_MAX_MS))
		h->hold *= 2;
	h->trust_at = now + h->hold;
	h->send_at = next_send(h, now);
	return FC_HELLO_SEND | FC_HELLO_CHECK | FC_HELLO_SUSPECT;
}

u8 fc_hello_leave(struct fc_hello *h)
{
	begin(h);
	if (h->state == FC_LINK_DOWN)
		return 0;
	h->send_at = NEVER;
	h->brief = true;
	h->leaves = true;
	h->left = true;
	return leave_up(h, FC_LINK_INIT, FC_REASON_LEFT) | FC_HELLO_SEND;
}

u8 fc_hello_pace(struct fc_hello *h, u16 interval, u8 dead, u64 now)
{
	u64 was = h->interval;

	begin(h);
	h->dead = dead;
	h->interval = ms(h, interval);
	h->own.interval = interval;
	if (h->state == FC_LINK_DOWN || h->left)
		return 0;
	if (h->state == FC_LINK_UP)
		h->dead_at = death(h, now);
	/* The peer learns the interval from this HELLO, or from the next one if it is lost. */
	h->send_at = next_send(h, now);
	if (h->send_at > now + was)
		h->send_at = now + was;
	return FC_HELLO_SEND;
}

struct fc_hello_msg fc_hello_next(struct fc_hello *h, bool pair)
{
	struct fc_hello_msg m;

	if (h->keyed)
		h->own.number++;
	m = h->own;
	m.flags |= h->answer;
	if (h->grey)
		m.flags |= FC_HELLO_LONG;
	if (pair)
		m.flags |= FC_HELLO_PAIR;
	if (h->asks)
		m.flags |= FC_HELLO_ASK;
	if (h->leaves)
		m.flags |= FC_HELLO_LEAVES;
	return m;
}

bool fc_hello_full(const struct fc_hello *h)
{
	/* Send long HELLOs until the peer is up as well: it then reports no reason. */
	return (h->grey || (h->own.flags | h->peer.flags) & FC_HELLO_LONG) && !h->brief &&
	       (h->state != FC_LINK_UP || h->peer.reason);
}

void fc_hello_alive(struct fc_hello *h, u64 now)
{
	u64 dead_at = death(h, now);

	if (h->state != FC_LINK_UP || dead_at <= h->dead_at)
		return;
	h->dead_at = dead_at;
	h->late = 0;
}
