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
 * struct fc_known - entry of the database: last announcement of a site
 * @incarnation: incarnation of the site
 * @version: number of the announcement; 0: there was none; wraps
 * @ports: ports whose link does not work
 * @suspect: ports whose link is suspected
 * @pending: ports of the neighbours to which it is still to be sent
 * @next: next site of the list of those with pending neighbours, or FC_SITE_NONE
 * @listed: the site is in that list
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
 * struct fc_faults_end - state of flooding to a neighbour
 * @digest_at: time of the next digest
 * @wait: time from the last frame to that digest
 * @sync_at: earliest time to send it the whole database again
 * @frame_at: earliest time to send it another frame
 * @news_at: token bucket (core/bucket.h) of updates that this site accepts from it
 * @unannounced: number of sites whose announcement is still to be sent
 * @burst: number of frames sent in the current burst
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
 * struct fc_faults - database of a site, and state of flooding
 * @topo: topology of the network
 * @known: entries, one for each site of the topology; the caller's memory
 * @interval: maximum time between two digests to a neighbour
 * @spacing: minimum time between two versions of this site's announcement, and from an update to
 *	the digest that shows whether it arrived; shorter than @interval
 * @now: time of the last call
 * @own_at: earliest time to announce a new version
 * @own_due: time to announce a new version, or the end of time if there is none
 * @id: this site
 * @incarnation: incarnation of this site
 * @beyond: latest version of this site's announcement known to exist in the network
 * @overtake: that version is of an earlier incarnation
 * @links: ports on which the topology has a neighbour
 * @up: ports of @links whose link is up
 * @suspect: ports of @up whose link is suspected
 * @doubtful: ports of neighbours to which other sites suspect their links, since the caller last
 *	cleared it
 * @digest: digest of @known
 * @nfaulty: number of other sites that announce a dead or suspected link
 * @generation: changes with every change that affects routes
 * @limited: number of updates of neighbours beyond the rate limit
 * @first: first site of the list of those with pending neighbours
 * @last: last site of that list
 * @end: neighbours, by port
 *
 * The caller's lock protects all members.  The topology bounds the memory: announcements change
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

/* Maximum number of frames to a neighbour in a burst; a pause of spacing / 16 follows. */
#define FC_FAULTS_BURST		8
#define FC_FAULTS_PACE_SHIFT	4

/*
 * Each frame without an announcement multiplies the time to the next one by four, up to the
 * interval.  So a lost announcement is detected soon, even if the first digests are lost too, and
 * an idle link carries few digests.
 */
#define FC_FAULTS_CALM_SHIFT	2

/* Once that time is the interval, a digest may be early by the interval, halved so often. */
#define FC_FAULTS_EARLY_SHIFT	2

/*
 * Rate limit of updates from a neighbour: 2 to this power in a spacing, and in a burst these and
 * one for each site.  Updates beyond it are ignored: the digests differ, and the neighbour sends
 * them again.
 */
#define FC_FAULTS_NEWS_SHIFT	8

/**
 * fc_faults_init() - initialise an empty database, all links down
 * @f: zeroed but for topo, known (itself zeroed), interval, spacing, id and
 *	incarnation
 */
void fc_faults_init(struct fc_faults *f);

/**
 * fc_faults_link() - process a change of a link of this site
 * @f: database
 * @port: port of the link
 * @up: the link is up now
 * @now: time
 */
void fc_faults_link(struct fc_faults *f, u8 port, bool up, u64 now);

/* As fc_faults_link(), for a link that is up and suspected, or trusted again. */
void fc_faults_suspect(struct fc_faults *f, u8 port, bool suspect, u64 now);

/**
 * fc_faults_received() - process a frame of a neighbour
 * @f: database
 * @port: input port
 * @msg: payload of the frame
 * @now: time
 *
 * Return: false, and nothing is changed, if the frame names sites or links that the topology does
 * not have.
 */
bool fc_faults_received(struct fc_faults *f, u8 port, const struct fc_faults_msg *msg, u64 now);

/* Runs the timer: announces a new version if it is due. */
void fc_faults_time(struct fc_faults *f, u64 now);

/*
 * Makes digests due now that are due within a quarter of the interval: for a caller that is awake
 * anyway, and saves a wake-up.
 */
void fc_faults_early(struct fc_faults *f, u64 now);

/**
 * fc_faults_frame() - get the next frame for a neighbour
 * @f: database
 * @port: port of the neighbour; the link is up
 * @msg: result
 * @now: time
 *
 * Return: false if none is due.
 */
bool fc_faults_frame(struct fc_faults *f, u8 port, struct fc_faults_msg *msg, u64 now);

/* Return: next time to call fc_faults_time() and fc_faults_frame(). */
u64 fc_faults_next(const struct fc_faults *f);

/**
 * fc_faults_any() - is any link known to be dead or suspected?
 * @f: database
 *
 * Return: false if all links work, as far as this site knows.
 */
bool fc_faults_any(const struct fc_faults *f);

/* Return: ports of this site whose link is up and suspected by either end. */
u32 fc_faults_suspects(const struct fc_faults *f);

/**
 * fc_faults_down() - get the dead and suspected links, for fc_routes_compute()
 * @f: database
 * @down: by site, ports whose link does not work
 * @suspect: by site, ports whose link is suspected
 */
void fc_faults_down(const struct fc_faults *f, u32 *down, u32 *suspect);

#endif /* FC_CORE_FAULTS_FAULTS_H */
