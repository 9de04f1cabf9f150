/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mad postman (Jesshope, Miller and Yantchev, 1988, section 4): the site forwards the front of
 * a packet in its dimension before it routes the packet.
 *
 * At most sites a packet neither turns nor ends, so the speculation is right.  Otherwise the
 * forwarded front is *dead*: the site sends the packet to its real next hop, and ends the dead copy
 * with an abort-packet terminator if it has further flits.  A front carries the number of
 * consecutive sites that have forwarded it speculatively, and the topology alone determines whether
 * each of them was right (fc_postman_right()).  So a site that routes the front can compute whether
 * it is dead, and drops it.
 *
 * A site forwards a front speculatively only if the next site has space for the whole packet, in
 * the class that the order of channels has for that step; and a dead packet waits for nothing.  So
 * the proof of deadlock freedom of mode vnet applies (core/vnet/vnet.h).
 */
#ifndef FC_CORE_VNET_POSTMAN_H
#define FC_CORE_VNET_POSTMAN_H

#include "core/topo/vclass.h"
#include "core/wire/wire.h"

/**
 * struct fc_straight - speculative output of an input channel
 * @port: port on which a packet continues in its dimension; FC_PORT_LOCAL: none, because the
 *	network ends there, or has no dimensions
 * @class: class on that link
 */
struct fc_straight {
	u8 port;
	u8 class;
};

/* Return: number of consecutive sites that have forwarded a front speculatively. */
static inline u8 fc_part_eager(u8 parts)
{
	return (parts & FC_PART_EAGER) >> FC_PART_EAGER_SHIFT;
}

/**
 * fc_postman_fill() - compute the speculative output of each input channel
 * @v: classes of the network
 * @site: site
 * @nports: number of ports, including the local one
 * @table: result: by class and port, as the arrays of struct fc_vnet
 *
 * Meshes, tori and hexagonal meshes have such outputs.  In a hypercube each dimension is one link
 * long, and a graph has none.
 */
void fc_postman_fill(const struct fc_vclass *v, u32 site, u8 nports, struct fc_straight *table);

/* Is @dir a direction in which a packet at @site may proceed to @dst? */
bool fc_postman_right(const struct fc_topo *topo, u32 site, u32 dst, u8 dir);

/**
 * fc_postman_dead() - was a front forwarded to a wrong output?
 * @topo: topology of the network
 * @site: current site
 * @port: input port
 * @dst: destination
 * @eager: number of consecutive sites, up to the neighbour at @port, that forwarded it by
 *	speculation
 *
 * Return: true if one of them forwarded it to a wrong output.  A faulty neighbour may forge @eager:
 * then a packet of its own is lost, or one is delivered twice, which the ends detect.
 */
bool fc_postman_dead(const struct fc_topo *topo, u32 site, u8 port, u32 dst, u8 eager);

#endif /* FC_CORE_VNET_POSTMAN_H */
