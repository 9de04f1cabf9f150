/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mad postman (Jesshope, Miller and Yantchev, 1988, section 4): the site forwards the front of
 * a packet in its dimension before it looks at the destination.
 *
 * At most sites a packet neither turns nor ends, so most of the time that was right.  Else the
 * forwarded front is *dead*: the site sends the packet to its real next hop, and ends the dead one
 * with an abort-packet terminator, if there is more of it to come.  A front carries the number of
 * consecutive sites that have forwarded it speculatively, and the topology alone determines whether
 * each of them was right (fc_postman_right()).  So a site that looks at the front can compute
 * whether it is dead, and drops it.
 *
 * A site forwards a front early only if there is room for all of its packet, in the class that the
 * order of channels has for that step; and a dead packet waits for nothing.  So the argument of
 * mode vnet holds as it is (core/vnet/vnet.h).
 */
#ifndef FC_CORE_VNET_POSTMAN_H
#define FC_CORE_VNET_POSTMAN_H

#include "core/topo/vclass.h"
#include "core/wire/wire.h"

/**
 * struct fc_straight - straight on
 * @port: by which port a packet leaves that goes on in its dimension, or FC_PORT_LOCAL:
 *	none, because the network ends there, or it has no dimensions
 * @class: class there
 */
struct fc_straight {
	u8 port;
	u8 class;
};

/* Sites in a row that send a front on before they look at it. */
static inline u8 fc_part_eager(u8 parts)
{
	return (parts & FC_PART_EAGER) >> FC_PART_EAGER_SHIFT;
}

/**
 * fc_postman_fill() - the output straight on of each input channel
 * @v: classes of the network
 * @site: where
 * @nports: ports with the local one
 * @table: result: by class and port, as arrays of struct fc_vnet are
 *
 * Meshes, tori and hexagonal meshes have such outputs.  In a hypercube each dimension is one link
 * long, and a graph has none.
 */
void fc_postman_fill(const struct fc_vclass *v, u32 site, u8 nports, struct fc_straight *table);

/* Is that a direction in which a packet from there to @dst may go at all? */
bool fc_postman_right(const struct fc_topo *topo, u32 site, u32 dst, u8 dir);

/**
 * fc_postman_dead() - was a front forwarded to a wrong output?
 * @topo: topology of the network
 * @site: where it is
 * @port: by which it came
 * @dst: where it goes
 * @eager: sites in a row, the last of them the neighbour there, that did not look at it
 *
 * Return: true if one of them was wrong to forward it on this path.  A faulty neighbour may forge
 * @eager: then a packet of its own is lost, or one is delivered twice, which the ends detect.
 */
bool fc_postman_dead(const struct fc_topo *topo, u32 site, u8 port, u32 dst, u8 eager);

#endif /* FC_CORE_VNET_POSTMAN_H */
