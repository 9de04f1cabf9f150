/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of a site's network device: ethtool -S prints them. */
#ifndef FLITCAST_ETHER_STATS_H
#define FLITCAST_ETHER_STATS_H

#include <linux/atomic.h>
#include <linux/types.h>

struct ethtool_stats;
struct flitcast_ether;
struct net_device;
struct sk_buff;
struct sk_buff_head;

/* X(identifier, name, reason): frames that were dropped, and the reason (drop.h). */
#define FLITCAST_ETHER_DROPS(X)							\
	X(TX_DOWN,	"tx_drop_down",		DOWN)				\
	X(TX_FULL,	"tx_drop_full",		FULL)				\
	X(TX_MEMORY,	"tx_drop_memory",	NO_MEMORY)			\
	X(TX_LENGTH,	"tx_drop_length",	LENGTH)				\
	X(TX_OFFLOAD,	"tx_drop_offload",	OFFLOAD)			\
	X(TX_OWN,	"tx_drop_own",		OWN)				\
	X(TX_NESTED,	"tx_drop_nested",	NESTED)				\
	X(RX_DOWN,	"rx_drop_down",		DOWN)				\
	X(RX_FULL,	"rx_drop_full",		FULL)				\
	X(RX_MEMORY,	"rx_drop_memory",	NO_MEMORY)			\
	X(RX_HEADER,	"rx_drop_header",	MALFORMED)

/* X(identifier, name): other events. */
#define FLITCAST_ETHER_EVENTS(X)						\
	X(RX_DOUBLE,	"rx_doubles")		/* came by another path, too */	\
	X(TX_UNWANTED,	"tx_unwanted")		/* no site listens to the group */ \
	X(TX_REPORTS,	"tx_reports")						\
	X(RX_REPORTS,	"rx_reports")

#define FLITCAST_ETHER_STAT_ENUM(id, ...)	FLITCAST_ETHER_##id,

enum flitcast_ether_stat {
	FLITCAST_ETHER_DROPS(FLITCAST_ETHER_STAT_ENUM)
	FLITCAST_ETHER_EVENTS(FLITCAST_ETHER_STAT_ENUM)
	FLITCAST_ETHER_STAT_COUNT
};

/* Drop a frame that was to be sent, or was received, and count it; takes ownership. */
void flitcast_ether_drop(struct flitcast_ether *ether, enum flitcast_ether_stat why,
			 struct sk_buff *skb);
/* Drop the flits of a datagram; @flits is empty then. */
void flitcast_ether_drop_flits(struct flitcast_ether *ether, enum flitcast_ether_stat why,
			       struct sk_buff_head *flits);

/* Operations of struct ethtool_ops. */
int flitcast_ether_stat_count(struct net_device *dev, int set);
void flitcast_ether_stat_names(struct net_device *dev, u32 set, u8 *data);
void flitcast_ether_stat_values(struct net_device *dev, struct ethtool_stats *stats, u64 *data);

#endif /* FLITCAST_ETHER_STATS_H */
