// SPDX-License-Identifier: GPL-2.0
#include "core/bucket.h"
#include "core/faults/faults.h"

#define NEVER	(~(u64)0)

/* Digest of the entry of a site; the digest of the database is the sum of these. */
static u32 mix(u32 site, const struct fc_known *k)
{
	const u32 word[] = { site, k->incarnation, k->version, k->ports, k->suspect };
	u32 h = 0x811c9dc5;
	unsigned int i;

	for (i = 0; i < FC_ARRAY_SIZE(word); i++) {
		h = (h ^ word[i]) * 0x9e3779b1;
		h ^= h >> 15;
	}
	return h;
}

static u32 links_of(const struct fc_topo *topo, u32 site)
{
	u32 mask = 0;
	u8 d;

	for (d = 0; d < topo->ndirs; d++)
		if (fc_topo_neighbour(topo, site, d) != FC_SITE_NONE)
			mask |= fc_bit(d + 1);
	return mask;
}

void fc_faults_init(struct fc_faults *f)
{
	f->links = links_of(f->topo, f->id);
	f->own_due = NEVER;
	f->first = FC_SITE_NONE;
	f->last = FC_SITE_NONE;
}

/*
 * Updates that are not yet sent to all neighbours.
 */

static void announce(struct fc_faults *f, u32 site, u32 ports)
{
	struct fc_known *k = &f->known[site];
	u32 rest;

	for (rest = ports & ~k->pending; rest; rest &= rest - 1)
		f->end[fc_low(rest)].unannounced++;
	k->pending |= ports;
	if (k->listed || !k->pending)
		return;
	k->listed = true;
	k->next = FC_SITE_NONE;
	if (f->last == FC_SITE_NONE)
		f->first = site;
	else
		f->known[f->last].next = site;
	f->last = site;
}

static void announced(struct fc_faults *f, struct fc_known *k, u8 port)
{
	if (!(k->pending & fc_bit(port)))
		return;
	k->pending &= ~fc_bit(port);
	f->end[port].unannounced--;
}

/* Step through the list; removes a site without pending neighbours. */
static u32 step(struct fc_faults *f, u32 before, u32 site)
{
	struct fc_known *k = &f->known[site];
	u32 next = k->next;

	if (k->pending)
		return site;
	k->listed = false;
	if (before == FC_SITE_NONE)
		f->first = next;
	else
		f->known[before].next = next;
	if (f->last == site)
		f->last = before;
	return before;
}

/* A site suspects links: the neighbours at the other end may be dead. */
static void doubt(struct fc_faults *f, u32 site, u32 ports)
{
	u32 own, peer;

	for (; ports; ports &= ports - 1) {
		peer = fc_topo_neighbour(f->topo, site, (u8)fc_low(ports) - 1);
		for (own = f->up; own; own &= own - 1)
			if (fc_topo_neighbour(f->topo, f->id, (u8)fc_low(own) - 1) == peer)
				f->doubtful |= own & -own;
	}
}

static void change(struct fc_faults *f, const struct fc_fault *news)
{
	struct fc_known *k = &f->known[news->site];

	if (k->version)
		f->digest -= mix(news->site, k);
	if (news->site != f->id) {
		if (k->ports != news->ports || k->suspect != news->suspect)
			f->generation++;
		doubt(f, news->site, news->suspect & ~k->suspect);
		f->nfaulty += !!(news->ports | news->suspect);
		f->nfaulty -= !!(k->ports | k->suspect);
	}
	k->incarnation = news->incarnation;
	k->version = news->version;
	k->ports = news->ports;
	k->suspect = news->suspect;
	f->digest += mix(news->site, k);
}

/* Announces the state of this site's links; at most once per spacing. */
static void announce_own(struct fc_faults *f)
{
	struct fc_known *k = &f->known[f->id];
	struct fc_fault news = {
		.site = f->id, .incarnation = f->incarnation, .version = f->beyond + 1,
		.ports = f->links & ~f->up, .suspect = f->suspect,
	};

	if (f->now < f->own_due)
		return;
	f->own_due = NEVER;
	if (k->version && k->ports == news.ports && k->suspect == news.suspect && !f->overtake)
		return;
	f->overtake = false;
	if (!news.version)
		news.version = 1;
	f->beyond = news.version;
	change(f, &news);
	announce(f, f->id, f->up);
	f->own_at = f->now + f->spacing;
}

static void own_soon(struct fc_faults *f)
{
	f->own_due = f->now < f->own_at ? f->own_at : f->now;
	announce_own(f);
}

void fc_faults_link(struct fc_faults *f, u8 port, bool up, u64 now)
{
	struct fc_faults_end *end = &f->end[port];
	u32 at, before = FC_SITE_NONE;

	f->now = now;
	if (!(f->links & fc_bit(port)) || up == !!(f->up & fc_bit(port)))
		return;
	f->generation++;
	f->up ^= fc_bit(port);
	f->suspect &= f->up;
	for (at = f->first; at != FC_SITE_NONE;) {
		u32 next = f->known[at].next;

		announced(f, &f->known[at], port);
		before = step(f, before, at);
		at = next;
	}
	end->digest_at = up ? now : NEVER;
	end->wait = f->spacing;
	end->sync_at = now;
	end->frame_at = now;
	end->burst = 0;
	own_soon(f);
}

void fc_faults_suspect(struct fc_faults *f, u8 port, bool suspect, u64 now)
{
	f->now = now;
	if (!(f->up & fc_bit(port)) || suspect == !!(f->suspect & fc_bit(port)))
		return;
	f->generation++;
	f->suspect ^= fc_bit(port);
	own_soon(f);
}

/* By version; incarnations are distinguished, but their order has no meaning. */
static bool newer(const struct fc_fault *a, const struct fc_known *b)
{
	if (!b->version)
		return true;
	if (a->version != b->version)
		return fc_before(b->version, a->version);
	if (a->incarnation != b->incarnation)
		return a->incarnation > b->incarnation;
	if (a->ports != b->ports)
		return a->ports > b->ports;
	return a->suspect > b->suspect;
}

static void accept(struct fc_faults *f, u8 port, const struct fc_fault *fault)
{
	struct fc_known *k = &f->known[fault->site];

	if (k->version == fault->version && k->incarnation == fault->incarnation &&
	    k->ports == fault->ports && k->suspect == fault->suspect) {
		announced(f, k, port);
		return;
	}
	if (!newer(fault, k)) {
		announce(f, fault->site, fc_bit(port));
		return;
	}
	if (fault->site == f->id) {
		/* An earlier incarnation announced it; a later version replaces it. */
		f->overtake = true;
		if (fc_before(f->beyond, fault->version))
			f->beyond = fault->version;
		own_soon(f);
		return;
	}
	if (!fc_bucket_take(&f->end[port].news_at, f->now, f->spacing >> FC_FAULTS_NEWS_SHIFT,
			    f->topo->nsites + fc_bit(FC_FAULTS_NEWS_SHIFT), 1)) {
		f->limited++;
		return;
	}
	change(f, fault);
	announced(f, k, port);
	announce(f, fault->site, f->up & ~fc_bit(port));
}

bool fc_faults_received(struct fc_faults *f, u8 port, const struct fc_faults_msg *msg, u64 now)
{
	struct fc_faults_end *end = &f->end[port];
	u32 site;
	u8 i;

	f->now = now;
	for (i = 0; i < msg->n; i++)
		if (msg->fault[i].site >= f->topo->nsites ||
		    (msg->fault[i].ports | msg->fault[i].suspect) &
		    ~links_of(f->topo, msg->fault[i].site))
			return false;
	if (!(f->up & fc_bit(port)))
		return true;
	for (i = 0; i < msg->n; i++)
		accept(f, port, &msg->fault[i]);
	if (msg->n || msg->digest == f->digest)
		return true;
	/* Updates in flight may explain the difference: the next digests of both ends show it. */
	if (end->digest_at > now + f->spacing) {
		end->digest_at = now + f->spacing;
		end->wait = f->spacing;
	}
	if (end->unannounced || now < end->sync_at)
		return true;
	end->sync_at = now + f->spacing;
	for (site = 0; site < f->topo->nsites; site++)
		if (f->known[site].version)
			announce(f, site, fc_bit(port));
	return true;
}

void fc_faults_time(struct fc_faults *f, u64 now)
{
	f->now = now;
	announce_own(f);
}

void fc_faults_early(struct fc_faults *f, u64 now)
{
	u32 rest;

	for (rest = f->up; rest; rest &= rest - 1) {
		struct fc_faults_end *end = &f->end[fc_low(rest)];

		if (end->wait == f->interval && !end->unannounced && end->digest_at > now &&
		    end->digest_at - now <= f->interval >> FC_FAULTS_EARLY_SHIFT)
			end->digest_at = now;
	}
}

bool fc_faults_frame(struct fc_faults *f, u8 port, struct fc_faults_msg *msg, u64 now)
{
	struct fc_faults_end *end = &f->end[port];
	u32 at, before = FC_SITE_NONE;

	f->now = now;
	if (now < end->frame_at || (!end->unannounced && now < end->digest_at))
		return false;
	msg->n = 0;
	for (at = f->first; at != FC_SITE_NONE && end->unannounced && msg->n < FC_FAULTS_MAX;) {
		struct fc_known *k = &f->known[at];
		u32 next = k->next;

		if (k->pending & fc_bit(port)) {
			msg->fault[msg->n++] = (struct fc_fault){
				.site = at, .incarnation = k->incarnation,
				.version = k->version, .ports = k->ports,
				.suspect = k->suspect,
			};
			announced(f, k, port);
		}
		before = step(f, before, at);
		at = next;
	}
	msg->digest = f->digest;
	if (msg->n)
		end->wait = f->spacing;
	else
		end->wait = f->interval >> FC_FAULTS_CALM_SHIFT > end->wait ?
			    end->wait << FC_FAULTS_CALM_SHIFT : f->interval;
	end->digest_at = now + end->wait;
	if (++end->burst == FC_FAULTS_BURST) {
		end->burst = 0;
		end->frame_at = now + (f->spacing >> FC_FAULTS_PACE_SHIFT);
	}
	return true;
}

u64 fc_faults_next(const struct fc_faults *f)
{
	u64 next = f->own_due;
	u32 rest;

	for (rest = f->up; rest; rest &= rest - 1) {
		const struct fc_faults_end *end = &f->end[fc_low(rest)];
		u64 at = end->unannounced ? 0 : end->digest_at;

		if (at < end->frame_at)
			at = end->frame_at;
		if (at < next)
			next = at;
	}
	return next;
}

bool fc_faults_any(const struct fc_faults *f)
{
	return f->nfaulty || f->up != f->links || f->suspect;
}

u32 fc_faults_suspects(const struct fc_faults *f)
{
	u32 rest, ports = f->suspect;

	for (rest = f->up & ~ports; rest; rest &= rest - 1) {
		u8 d = (u8)fc_low(rest) - 1;
		u32 peer = fc_topo_neighbour(f->topo, f->id, d);

		if (f->known[peer].suspect & fc_bit(f->topo->ops->arrival(f->topo, f->id, d) + 1))
			ports |= rest & -rest;
	}
	return ports;
}

void fc_faults_down(const struct fc_faults *f, u32 *down, u32 *suspect)
{
	u32 site;

	for (site = 0; site < f->topo->nsites; site++) {
		down[site] = f->known[site].ports;
		suspect[site] = f->known[site].suspect;
	}
	down[f->id] = f->links & ~f->up;
	suspect[f->id] = f->suspect;
}
