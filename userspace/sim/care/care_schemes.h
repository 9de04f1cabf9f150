/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The switching schemes that CARE, section 1, compares, as models of unicast packets: a link
 * carries a flit a cycle and takes a cycle, and a packet follows a fixed path, dimension by
 * dimension.
 *
 *	store-and-forward	a site receives the packet whole before it sends it on
 *	virtual cut-through	a site sends it on as it arrives, and stores it where the
 *				link is taken (the paper's reference 3)
 *	wormhole		a link has a buffer for one flit; the flits of a
 *				blocked packet stay there, and others wait
 *	circuit switching	a probe of one flit takes the links, an answer
 *				returns, and then the packet follows
 *
 * Store-and-forward and virtual cut-through have unlimited buffers in all sites, and no limit to what
 * enters and leaves at a site.  In the other two, as in CARE, a site sends and receives a packet at a
 * time.  Packets that wait for a link take it in the order in which they became the first of their
 * source.
 */
#ifndef FLITCAST_SIM_CARE_SCHEMES_H
#define FLITCAST_SIM_CARE_SCHEMES_H

#include "core/channel.h"
#include "core/topo/topo.h"

/* The models, and CARE in two fidelities and with static routing. */
enum care_scheme {
	CARE_STORE,
	CARE_VIRTUAL,
	CARE_WORMHOLE,
	CARE_CIRCUIT,
	CARE_MODELS,
	CARE_EDGE = CARE_MODELS,
	CARE_WORD,
	CARE_STATIC,
	CARE_SCHEMES
};

/**
 * struct care_packet - a packet
 * @born: cycle in which it exists at its source
 * @done: result: cycle in which its target has its last flit, or FC_NEVER
 * @from: source
 * @to: target
 */
struct care_packet {
	u64 born;
	u64 done;
	u32 from;
	u32 to;
};

/**
 * struct care_packets - packets of one length
 * @topo: topology
 * @packet: packets, by @born
 * @count: number of packets
 * @flits: flits of a packet
 */
struct care_packets {
	const struct fc_topo *topo;
	struct care_packet *packet;
	u32 count;
	u32 flits;
};

/**
 * care_schemes_run() - send packets by a model
 * @packets: packets, with FC_NEVER as their @done; result: their @done
 * @scheme: a scheme before CARE_MODELS
 *
 * Return: number of packets that do not arrive, or arrive earlier than one alone would: 0.
 */
u64 care_schemes_run(const struct care_packets *packets, enum care_scheme scheme);

/* Cycles of a packet of @flits over @hops that meets no other. */
u64 care_schemes_idle(enum care_scheme scheme, u32 hops, u32 flits);

#endif /* FLITCAST_SIM_CARE_SCHEMES_H */
