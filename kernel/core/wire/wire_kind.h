/* SPDX-License-Identifier: GPL-2.0 */
/* Kinds and flags of packets. */
#ifndef FC_CORE_WIRE_WIRE_KIND_H
#define FC_CORE_WIRE_WIRE_KIND_H

/* The sender named a target list, not one site. */
#define FC_PACKET_LIST		0x01
/* With FC_PACKET_LIST, and one target: its list was taken apart, and it is not the only one. */
#define FC_PACKET_APART		0x02
/*
 * A message or data in one packet whose source can wait (FC_ACK_DELAY_NS) for the confirmation,
 * which a confirmation of a later message may replace.
 */
#define FC_PACKET_DELAY_ACK		0x04

/* The field of the links crossed has, in units of this, also how often the packet was copied. */
#define FC_HOPS_COPY		0x4000

/**
 * enum fc_kind - what the packets of a message are about
 * @FC_KIND_MESSAGE: a message outside of connections
 * @FC_KIND_CONNECT: asks a listening port for a connection
 * @FC_KIND_ACCEPT: its answer, from the port that is the other end from now on; its
 *	message id is that of the request
 * @FC_KIND_REFUSE: the listening port has gone instead; its message id is that of the
 *	request
 * @FC_KIND_DATA: a message of a connection
 * @FC_KIND_SHUT: no more messages come from this end of the connection
 * @FC_KIND_DATAGRAM: a datagram in one packet: neither end keeps a message of it or
 *	acknowledges it; @sock is the hash of its flow, whose packets take one path
 * @FC_KIND_COUNT: how many there are
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
