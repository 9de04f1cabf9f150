/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Link-state database: the dead and suspected links of the whole network, at each site.
 *
 * Each site announces which of its own links do not work, and which of the others it suspects, and
 * neighbours flood the announcement until every site has it.  A link is dead, or suspected, if
 * either of its ends announces it as such; a site is dead if all of its neighbours announce their
 * link to it as dead.
 *
 * Frames with announcements (FC_FRAME_FAULTS) are neither numbered nor acked: every frame carries a
 * digest of its sender's database.  Each neighbour gets a digest soon after an announcement, and
 * then at intervals that grow to a maximum.  Where the digests differ, the neighbours send each
 * other their whole databases.
 */
#ifndef FC_CORE_FAULTS_FAULTS_H
#define FC_CORE_FAULTS_FAULTS_H

#include "core/base.h"
#include "core/topo/topo.h"
#include "core/wire/wire_faults.h"

/**
 * struct fc_known - what is known of one site
 * @incarnation: of the site, in its last announcement
 * @version: number of its last announcement, 0: there was none; wraps
 * @ports: ports whose link does not work
 * @suspect: ports whose link is suspected
 * @pending: neighbours to which it is to be sent, by port
 * @next: next site with pending neighbours, or FC_SITE_NONE
 * @listed: it is in that list
 */
struct fc_known {
	u32 incarnation;
	u32 version;
	u32 ports;
	u32 suspect;
	u32 pending;
	u32 next;
	bool listed;
};

/**
 * struct fc_faults_end - one neighbour
 * @digest_at: when it is to get the digest
 * @wait: time from the last frame to that
 * @sync_at: not before does it get the whole database again
 * @frame_at: not before does it get another frame
 * @news_at: when this site accepts a full burst of updates from it again
 * @unannounced: number of sites whose announcement it is to get
 * @burst: frames it got in one go
 */
struct fc_faults_end {
	u64 digest_at;
	u64 wait;
	u64 sync_at;
	u64 frame_at;
	u64 news_at;
	u32 unannounced;
	u8 burst;
};

/**
 * struct fc_faults - all that a site knows
 * @topo: topology of the network
 * @known: by site, as many as the topology has; the runner's memory
 * @interval: longest time between two digests to a neighbour
 * @spacing: shortest time between two versions of this site's announcement, and from an update to
 *	the digest that shows whether it arrived; shorter than the interval
 * @now: time of the last call
 * @own_at: not before does this site announce a new version
 * @own_due: when it has a new version to announce, else the end of time
 * @id: this site
 * @incarnation: of this site
 * @beyond: latest version of this site's announcement known to exist in the network
 * @overtake: that is one of an earlier incarnation
 * @links: ports on which the topology has a neighbour
 * @up: of these, the ones whose link is up
 * @suspect: of these, the suspected ones
 * @doubtful: ports to neighbours to which other sites suspect their links, since the caller last
 *	cleared it
 * @digest: of @known
 * @nfaulty: other sites that announce a dead or suspected link
 * @generation: changes with everything that routes depend on
 * @limited: updates of neighbours beyond the rate limit
 * @first: first site of the list of those with pending neighbours
 * @last: last one of it
 * @end: neighbours, by port
 *
 * The caller's lock protects it.  Bounded by the topology: announcements of neighbours change
 * entries and add none.
 */
struct fc_faults {
	const struct fc_topo *topo;
	struct fc_known *known;
	u64 interval;
	u64 spacing;
	u64 now;
	u64 own_at;
	u64 own_due;
	u32 id;
	u32 incarnation;
	u32 beyond;
	bool overtake;
	u32 links;
	u32 up;
	u32 suspect;
	u32 doubtful;
	u32 digest;
	u32 nfaulty;
	u32 generation;
	u32 limited;
	u32 first;
	u32 last;
	struct fc_faults_end end[FC_PORTS_MAX];
};

/* Frames to a neighbour in one go; then it is left alone for a sixteenth of the spacing. */
#define FC_FAULTS_BURST		8
#define FC_FAULTS_PACE_SHIFT	4

/*
 * Each frame without an announcement multiplies the time to the next one, up to the interval.  So
 * a lost announcement is found soon, even if some of the first digests are lost too, and an idle
 * link carries few digests.
 */
#define FC_FAULTS_CALM_SHIFT	2

/* Once that interval is reached, a digest may go early by the interval, halved so often. */
#define FC_FAULTS_EARLY_SHIFT	2

/*
 * Rate limit of updates from a neighbour: so many in a spacing, as a shift, and in a burst as many
 * as there are sites and those of one spacing.  Updates beyond it are ignored: the digests differ,
 * and the neighbour sends them again.
 */
#define FC_FAULTS_NEWS_SHIFT	8

/**
 * fc_faults_init() - nothing is known, and no link is up
 * @f: zeroed but for topo, known (itself zeroed), interval, spacing, id and
 *	incarnation
 */
void fc_faults_init(struct fc_faults *f);

/**
 * fc_faults_link() - a link of this site came up or went down
 * @f: what is known
 * @port: its port
 * @up: it is up now
 * @now: time
 */
void fc_faults_link(struct fc_faults *f, u8 port, bool up, u64 now);

/* A link of this site that is up is suspected, or trusted again; else as fc_faults_link(). */
void fc_faults_suspect(struct fc_faults *f, u8 port, bool suspect, u64 now);

/**
 * fc_faults_received() - a frame of a neighbour's database has arrived
 * @f: what is known
 * @port: port it came in on
 * @msg: its payload
 * @now: time
 *
 * Return: false if it names sites or links that the topology does not have; nothing was changed
 * then.
 */
bool fc_faults_received(struct fc_faults *f, u8 port, const struct fc_faults_msg *msg, u64 now);

/* Time has passed: this site may have a new version to announce. */
void fc_faults_time(struct fc_faults *f, u64 now);

/*
 * Digests that are due within a quarter of an interval go now: for a runner that is awake anyway,
 * and need not wake for them then.
 */
void fc_faults_early(struct fc_faults *f, u64 now);

/**
 * fc_faults_frame() - the next frame for a neighbour
 * @f: what is known
 * @port: its port; the link is up
 * @msg: result
 * @now: time
 *
 * Return: false if it is to get none now.
 */
bool fc_faults_frame(struct fc_faults *f, u8 port, struct fc_faults_msg *msg, u64 now);

/* Return: when fc_faults_time() or fc_faults_frame() has something to do next. */
u64 fc_faults_next(const struct fc_faults *f);

/**
 * fc_faults_any() - is any link known to be dead or suspected
 * @f: what is known
 *
 * Return: false where all that is known is that everything works.
 */
bool fc_faults_any(const struct fc_faults *f);

/* Return: ports of this site whose link is up, and suspected by either end. */
u32 fc_faults_suspects(const struct fc_faults *f);

/**
 * fc_faults_down() - links of the network, for fc_routes_compute()
 * @f: what is known
 * @down: by site, ports whose link does not work
 * @suspect: by site, ports whose link is suspected
 */
void fc_faults_down(const struct fc_faults *f, u32 *down, u32 *suspect);

#endif /* FC_CORE_FAULTS_FAULTS_H */
