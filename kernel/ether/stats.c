// SPDX-License-Identifier: GPL-2.0
#include <linux/ethtool.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include "drop.h"
#include "ether/ether.h"

#define REASON(id, name, reason)	[FLITCAST_ETHER_##id] = FLITCAST_DROP_##reason,

static const enum flitcast_drop reasons[] = {
	FLITCAST_ETHER_DROPS(REASON)
};

#define NAME(id, name, ...)		[FLITCAST_ETHER_##id] = name,

static const char names[][ETH_GSTRING_LEN] = {
	FLITCAST_ETHER_DROPS(NAME)
	FLITCAST_ETHER_EVENTS(NAME)
};

/* Also in the sums of all devices, which ip -s link prints. */
static void count(struct flitcast_ether *ether, enum flitcast_ether_stat why)
{
	atomic_long_inc(&ether->stat[why]);
	if (why < FLITCAST_ETHER_RX_DOWN) {
		dev_core_stats_tx_dropped_inc(ether->dev);
	} else if (why == FLITCAST_ETHER_RX_HEADER) {
		DEV_STATS_INC(ether->dev, rx_frame_errors);
		DEV_STATS_INC(ether->dev, rx_errors);
	} else {
		dev_core_stats_rx_dropped_inc(ether->dev);
	}
}

void flitcast_ether_drop(struct flitcast_ether *ether, enum flitcast_ether_stat why,
			 struct sk_buff *skb)
{
	count(ether, why);
	flitcast_drop(skb, reasons[why]);
}

void flitcast_ether_drop_flits(struct flitcast_ether *ether, enum flitcast_ether_stat why,
			       struct sk_buff_head *flits)
{
	count(ether, why);
	flitcast_drop_queue(flits, reasons[why]);
}

int flitcast_ether_stat_count(struct net_device *dev, int set)
{
	return set == ETH_SS_STATS ? FLITCAST_ETHER_STAT_COUNT : -EOPNOTSUPP;
}

void flitcast_ether_stat_names(struct net_device *dev, u32 set, u8 *data)
{
	if (set == ETH_SS_STATS)
		memcpy(data, names, sizeof(names));
}

void flitcast_ether_stat_values(struct net_device *dev, struct ethtool_stats *stats, u64 *data)
{
	struct flitcast_ether *ether = netdev_priv(dev);
	unsigned int i;

	for (i = 0; i < FLITCAST_ETHER_STAT_COUNT; i++)
		data[i] = atomic_long_read(&ether->stat[i]);
}
