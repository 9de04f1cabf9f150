/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A small network for model checking: the caller chooses every event.  Sites, routers and ends are
 * the core's; links, operators and sources are minimal.  A state is encoded as a short string of
 * bytes, equal for equivalent states.
 *
 * Time does not exist: any armed timer may fire next.
 */
#ifndef FLITCAST_SIM_WORLD_H
#define FLITCAST_SIM_WORLD_H

#include "core/ends/ends.h"
#include "core/care/care.h"
#include "core/topo/vclass.h"

#define WORLD_SITES	9
#define WORLD_PORTS	5	/* with the local one */
#define WORLD_CHANNELS	8	/* virtual ones of a link */
#define WORLD_WINDOW	6
#define WORLD_MESSAGES	8
#define WORLD_TARGETS	3
#define WORLD_FLITS	6	/* flits of a packet */
#define WORLD_POOL	4	/* stored packets of a site */
#define WORLD_LINKS	(WORLD_SITES * (WORLD_PORTS - 1))
#define WORLD_WIRE	(2 * WORLD_WINDOW + 4)	/* frames of a link's one direction */
#define WORLD_CODE	1024	/* bytes of a state at most */
#define WORLD_EVENTS	256	/* possible at a time */

/* Kinds of events; an event is a kind and a place. */
enum world_kind {
	WORLD_ARRIVE = 1,	/* the first frame of a link arrives */
	WORLD_LOSE,		/* the first frame of a link is lost */
	WORLD_DOWN,		/* a link goes down and loses its frames */
	WORLD_UP,
	WORLD_SEND,		/* a source begins, or repeats, a message */
	WORLD_EARLY,		/* a source repeats a message that is en route */
	WORLD_RESEND,		/* an operator begins to send a stored packet */
	WORLD_FEED,		/* an operator injects the next flit of its packet */
	WORLD_TAKE,		/* an operator consumes a word from the fifo-buffer */
	WORLD_SEEK,		/* a net-input counts a seek */
	WORLD_TIMEOUT,		/* a fifo-buffer times out */
	WORLD_POLL,		/* a net-output polls for an ack */
	WORLD_REPORT,		/* a net-input sends its delayed ack */
	WORLD_NACK,		/* a net-input requests missing flits */
	WORLD_DOUBLE,		/* the first frame of a link arrives twice */
	WORLD_OVERTAKE,		/* the second frame of a link overtakes the first */
	WORLD_READ,		/* a slow reader consumes a message */
	WORLD_NEWS,		/* a site learns which links work, and has new routes */
	WORLD_RESTART,		/* a site restarts, its links down */
	WORLD_ROUTE,		/* a site decides the route of a front it forwarded eagerly */
	WORLD_ROUTE_ALL,		/* a site decides the routes of all such fronts together */
	WORLD_FULL,		/* other sets fill an operator's pool: the next packet is dropped */
	WORLD_SUSPECT,		/* an end suspects its link, and its site has new routes */
	WORLD_TRUST,		/* its suspicion ends */
};

#define WORLD_PLACE_BITS	11

static inline u16 world_event(enum world_kind kind, unsigned int place)
{
	return (u16)(kind << WORLD_PLACE_BITS | place);
}

static inline enum world_kind world_kind_of(u16 event)
{
	return (enum world_kind)(event >> WORLD_PLACE_BITS);
}

static inline unsigned int world_place_of(u16 event)
{
	return event & (fc_bit(WORLD_PLACE_BITS) - 1);
}

/**
 * struct world_message - a message of one packet
 * @from: source
 * @ntargets: number of targets
 * @flits: flits of the packet
 * @to: target sites, all different
 * @flow: number of each target's flow
 * @seq: sequence number of the message in each flow
 */
struct world_message {
	u8 from;
	u8 ntargets;
	u8 flits;
	u8 to[WORLD_TARGETS];
	u8 flow[WORLD_TARGETS];
	u8 seq[WORLD_TARGETS];
};

/**
 * struct world_config - a scenario
 * @topo: topology
 * @mode: switching mode (enum fc_mode)
 * @classes: in modes vnet and postman: classes of the topology
 * @pref: preference table, the default one
 * @timing: settings of the sites; times are irrelevant
 * @message: messages
 * @nmessages: number of messages
 * @window: flits a net-input buffers
 * @pool: packets an operator stores for others
 * @loss: frames that may be lost, in total
 * @doubles: frames that may be duplicated, in total
 * @overtakes: frames that may overtake another one, in total
 * @flaps: times a link may go down, in total
 * @early: premature repetitions, in total
 * @restarts: restarts of sites, in total; only of sites without messages of their own
 * @full: packets that find the pool full of other sets' packets, in total
 * @suspects: times an end may suspect its link, in total
 * @slow: sites whose reader consumes one message at a time, at any time
 * @down: by site, ports whose link is permanently down; all sites know it and route around it
 * @faults: a link is permanently down
 * @unaware: only the ends of such a link know that it is down
 * @no_trust: an end that suspects its link does so until the link goes down
 * @timeout: the fifo-buffers have a time-out
 * @datagrams: messages are datagrams of one flow for each source, sent once, in order
 * @drop: an operator without storage drops what it should store (the rule of
 *	Documentation/design.rst, "Nothing hangs"); else it keeps the packet in its
 *	network-buffer and takes no more words until it has sent it, as in the paper
 */
struct world_config {
	struct fc_topo topo;
	u8 mode;
	struct fc_vclass classes;
	struct fc_pref pref;
	struct fc_timing timing;
	struct world_message message[WORLD_MESSAGES];
	u8 nmessages;
	u8 window;
	u8 pool;
	u8 loss;
	u8 doubles;
	u8 overtakes;
	u8 flaps;
	u8 early;
	u8 restarts;
	u8 full;
	u8 suspects;
	u32 slow;
	u32 down[WORLD_SITES];
	bool faults;
	bool unaware;
	bool no_trust;
	bool timeout;
	bool datagrams;
	bool drop;
};

/**
 * world_parse() - parse the text of a scenario
 * @config: result
 * @text: "TOPOLOGY [WORD]... MESSAGE...", where MESSAGE is FROM>TO[,TO]...[*FLITS]
 *	and WORD is one of mode= (care, which is the default, vnet or postman), window=, pool=,
 *	loss=, double=, overtake=, flaps=, early=, restarts=, full=, suspect= (a number
 *	follows), slow=SITE, dead=A-B (two neighbours), unaware, no-trust, datagrams; and in mode
 *	care room=, seek= (a number), no-timeout, paper.  The default window is one flit; in mode
 *	care the longest packet
 *
 * Return: NULL, or an error message, valid until the next call.
 */
const char *world_parse(struct world_config *config, const char *text);

/* Set up the initial state of a scenario, which the caller must keep while it is in use. */
void world_init(const struct world_config *config);

/* List the events possible now.  Return: their number. */
unsigned int world_events(u16 events[WORLD_EVENTS]);

/**
 * world_apply() - execute one event
 * @event: an event possible now
 *
 * Return: NULL, or the violated invariant as text, valid until the next call.
 */
const char *world_apply(u16 event);

/* Is everything delivered and confirmed, and nothing in flight? */
bool world_done(void);

/* Write the state.  Return: its size in bytes. */
unsigned int world_save(u8 code[WORLD_CODE]);
void world_load(const u8 *code);

/* Describe an event in the present state; print the state of every machine. */
void world_print_event(u16 event, char *text, size_t size);
void world_print(void (*line)(const char *text));

/* Called for every row of a state machine that fires; may be NULL. */
extern void (*world_fired)(unsigned int machine, unsigned int state, unsigned int cond);

#endif /* FLITCAST_SIM_WORLD_H */
