/* SPDX-License-Identifier: GPL-2.0 */
/* Kinds and flags of packets. */
#ifndef FC_CORE_WIRE_WIRE_KIND_H
#define FC_CORE_WIRE_WIRE_KIND_H

/* The sender gave a target list, not one site. */
#define FC_PACKET_LIST		0x01
/* With FC_PACKET_LIST and one target: the list was divided, and has other targets. */
#define FC_PACKET_APART		0x02
/*
 * A message or data in one packet: the target may delay the confirmation (FC_ACK_DELAY_NS), or
 * replace it by that of a later message.
 */
#define FC_PACKET_DELAY_ACK		0x04
/*
 * Packets of this site have come damaged: for a while all frames of the links that this packet
 * crosses have checksums, so that the link that damages them is found.
 */
#define FC_PACKET_LOCATE		0x08

/* In FC_CTRL_UNREACHABLE: the packet has crossed FC_HOPS_MAX links, so its routes make a circle. */
#define FC_UNREACHABLE_HOPS	1

/* The field @hops on the wire also has @copied of struct fc_packet, in units of this. */
#define FC_HOPS_COPY		0x4000

/**
 * enum fc_kind - kinds of packets
 * @FC_KIND_MESSAGE: a message outside of connections
 * @FC_KIND_CONNECT: a request for a connection, to a listening port
 * @FC_KIND_ACCEPT: accepts a request, from the port that is the other end of the connection; has
 *	the message id of the request
 * @FC_KIND_REFUSE: refuses a request, because the listening port is closed; has the message id of
 *	the request
 * @FC_KIND_DATA: a message of a connection
 * @FC_KIND_SHUT: this end of the connection sends no more messages
 * @FC_KIND_DATAGRAM: a datagram in one packet, which neither end keeps or acknowledges; @sock is
 *	the hash of its flow, whose packets take one path
 * @FC_KIND_COUNT: number of kinds
 *
 * Messages and datagrams may have several targets; only these and @FC_KIND_DATA have data.
 */
enum fc_kind {
	FC_KIND_MESSAGE,
	FC_KIND_CONNECT,
	FC_KIND_ACCEPT,
	FC_KIND_REFUSE,
	FC_KIND_DATA,
	FC_KIND_SHUT,
	FC_KIND_DATAGRAM,
	FC_KIND_COUNT
};

#endif /* FC_CORE_WIRE_WIRE_KIND_H */
