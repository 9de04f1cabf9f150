/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters and their names, once for netlink, the command line, the simulator
 * and the tests.
 */
#ifndef FC_CORE_WIRE_NAMES_H
#define FC_CORE_WIRE_NAMES_H

#include "core/base.h"

/* X(identifier, name): counters of a site. */
#define FC_STATS(X)								\
	X(PKT_UNICAST,		"packets_unicast")	/* connections by type */	\
	X(PKT_PASSTHRU,		"packets_passthru")				\
	X(PKT_ALL_REMOTE,	"packets_all_remote")				\
	X(PKT_SOME_LOCAL,	"packets_some_local")				\
	X(PKT_FORCED,		"packets_forced")	/* stored: no free output */ \
	X(PKT_RESENT,		"packets_resent")	/* from the transit pool */ \
	X(PKT_COPIED,		"packets_copied")	/* copied around a suspected link */ \
	X(PKT_RESCUED,		"packets_rescued")	/* from a link that went down */ \
	X(PKT_ABORTED,		"packets_aborted")	/* multicasts aborted here */ \
	X(PKT_DISCARDED,	"packets_discarded")	/* arrived with abort-packet */ \
	X(PKT_UNROUTABLE,	"packets_unroutable")	/* no usable port for a target */ \
	X(PKT_EAGER,		"packets_eager")	/* forwarded before they were routed */ \
	X(PKT_DEAD,		"packets_dead")		/* misrouted by speculation: dropped */	\
	X(PKT_ADAPTED,		"packets_adapted")	/* left their dimension for a busy link */ \
	X(PKT_HOPS,		"packets_hops")		/* crossed too many links */ \
	X(DATAGRAM_DROPPED,	"datagrams_dropped")	/* the site has no device */ \
	X(TRANSIT_FULL,		"transit_full")		/* a source repeats messages */ \
	X(SEEK,			"seeks")		/* connection attempts that failed */ \
	X(TIMEOUT,		"fifo_timeouts")	/* abort-request raised */ \
	X(MSG_SENT,		"messages_sent")	/* accepted from sockets */ \
	X(MSG_CONFIRMED,	"messages_confirmed")	/* by every target */	\
	X(MSG_FAILED,		"messages_failed")	/* aborted for a target */ \
	X(MSG_CHANGED,		"messages_changed")	/* changed by their sender */ \
	X(MSG_DELIVERED,	"messages_delivered")	/* queued to a socket here */ \
	X(MSG_REFUSED,		"messages_refused")	/* no socket on the port */ \
	X(MSG_NO_SPACE,		"messages_no_space")	/* refused: receive buffer full */ \
	X(FLOW_NO_SPACE,	"flows_no_space")	/* refused: no flow left */	\
	X(FLOW_FORGOTTEN,	"flows_forgotten")	/* evicted for others */ \
	X(FLOW_UNKNOWN,		"flows_unknown")	/* may be evicted: source asked */ \
	X(PKT_SENT,		"packets_sent")		/* by sockets here, first time */ \
	X(PKT_REPEATED,		"packets_repeated")	/* by sockets here, again */ \
	X(PKT_DUPLICATE,	"packets_duplicate")	/* received again and dropped */ \
	X(PKT_BAD,		"packets_bad")		/* contradict themselves */ \
	X(PKT_DAMAGED,		"packets_damaged")	/* and control entries; for this site */ \
	X(BCAST_RELAYED,		"broadcasts_relayed")	/* packets that came in */ \
	X(BCAST_HELD,		"broadcasts_held")	/* broadcasts that found a link busy */ \
	X(BCAST_DUPLICATE,	"broadcasts_duplicate")	/* second one by the same link */ \
	X(BCAST_FORGED,		"broadcasts_forged")	/* not on a path of the source */ \
	X(BCAST_FULL,		"broadcasts_full")	/* no hold: dropped */	\
	X(BCAST_UNDECIDED,	"broadcasts_undecided")	/* too few copies agreed in time */ \
	X(BCAST_CUT,		"broadcasts_cut")	/* the rest did not arrive */ \
	X(CTRL_SENT,		"control_sent")					\
	X(CTRL_FORWARDED,	"control_forwarded")				\
	X(CTRL_DROPPED,		"control_dropped")				\
	X(CSR_ADMITTED,		"csr_admitted")		/* packets with a reserved route */ \
	X(CSR_APART,		"csr_apart")		/* lists cut into their targets */ \
	X(CSR_UNRESERVED,	"csr_unreserved")	/* packets that waited in vain */ \
	X(CSR_RESERVED,		"csr_reserved")		/* windows of links here */ \
	X(CSR_USED,		"csr_used")		/* windows used by their packet */ \
	X(CSR_RELEASED,	"csr_released")	/* windows released */	\
	X(CSR_UNUSED,		"csr_unused")		/* windows passed or not confirmed */ \
	X(CSR_BLOCKED,		"csr_blocked")		/* probes that found no window */ \
	X(CSR_LATE,		"csr_late")		/* packets that missed their window */ \
	X(CSR_DOUBLE,		"csr_double")		/* in another's window: always 0 */ \
	X(CSR_GUARD,		"csr_guard")		/* gauge: current guard, ns */ \
	X(REROUTED,		"reroutes")		/* routes around dead links computed */ \
	X(NO_MEMORY,		"no_memory")		/* an allocation failed */

/* X(identifier, name): counters of a link. */
#define FC_LINK_STATS(X)							\
	X(TX_FLITS,		"tx_flits")					\
	X(TX_BYTES,		"tx_bytes")		/* frames of flits, with headers */ \
	X(TX_PACKETS,		"tx_packets")		/* heads */		\
	X(TX_STATUS,		"tx_status")					\
	X(TX_CTRL,		"tx_control")					\
	X(TX_RESENT,		"tx_resent")		/* flits sent again */	\
	X(TX_NACKS,		"tx_nacks")		/* requests of missing flits */ \
	X(TX_POLLS,		"tx_polls")		/* polls of a peer that does not ack */ \
	X(TX_DROPPED,		"tx_dropped")		/* the device refused */ \
	X(TX_ABANDONED,		"tx_abandoned")	/* packets: the peer takes nothing */ \
	X(RX_FLITS,		"rx_flits")					\
	X(RX_BYTES,		"rx_bytes")					\
	X(RX_STATUS,		"rx_status")					\
	X(RX_CTRL,		"rx_control")					\
	X(RX_HELLO,		"rx_hello")					\
	X(RX_ANSWERS,		"rx_answers")		/* acks of new flits, answers to polls */ \
	X(RX_LATE_ANSWERS,	"rx_late_answers")	/* answers after a suspicion */ \
	X(RX_MALFORMED,		"rx_malformed")		/* failed validation */	\
	X(RX_STRANGER,		"rx_stranger")		/* link down or not the peer's address */ \
	X(RX_UNPROVEN,		"rx_unproven")		/* code wrong, missing or repeated */ \
	X(RX_CHECKSUM,		"rx_checksum")		/* corrupted */ \
	X(RX_DAMAGED,		"rx_damaged")		/* after their source made them */ \
	X(RX_NO_MEMORY,		"rx_no_memory")		/* an allocation failed */ \
	X(RX_REPEATED,		"rx_repeated")		/* duplicate flits */ \
	X(RX_OUT_OF_WINDOW,	"rx_out_of_window")	/* beyond credit */	\
	X(RX_PROTOCOL,		"rx_protocol")		/* no such transition */ \
	X(RX_UNFINISHED,	"rx_unfinished")	/* packets whose rest did not come */ \
	X(TX_FAULTS,		"tx_faults")		/* frames that announce dead links */ \
	X(RX_FAULTS,		"rx_faults")					\
	X(RX_LIMITED,		"rx_limited")		/* faults and control above the rate */ \
	X(SUSPECTED_SILENT,	"suspected_silent")	/* suspicions: polls unanswered */ \
	X(SUSPECTED_GREY,	"suspected_grey")	/* suspicions: resent flits lost */ \
	X(SUSPECTED_STUCK,	"suspected_stuck")	/* suspicions: takes nothing */ \
	X(SUSPECTED_DAMAGED,	"suspected_damaged")	/* suspicions: frames damaged */ \
	X(RESETS,		"resets")

#define FC_STAT_ENUM(id, name)		FC_STAT_##id,
#define FC_LINK_STAT_ENUM(id, name)	FC_LSTAT_##id,

enum fc_stat {
	FC_STATS(FC_STAT_ENUM)
	FC_STAT_COUNT
};

enum fc_link_stat {
	FC_LINK_STATS(FC_LINK_STAT_ENUM)
	FC_LSTAT_COUNT
};

/* Return: the name, or NULL where there is no such counter. */
const char *fc_stat_name(enum fc_stat stat);
const char *fc_link_stat_name(enum fc_link_stat stat);

#endif /* FC_CORE_WIRE_NAMES_H */
