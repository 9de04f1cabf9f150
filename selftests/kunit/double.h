/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Environment of the site layer's tests: two devices that are each other's cable, two sites at
 * their ends, and a port.
 */
#ifndef SELFTESTS_KUNIT_DOUBLE_H
#define SELFTESTS_KUNIT_DOUBLE_H

#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/skbuff.h>
#include "ends/message.h"
#include "ends/port.h"
#include "site/site.h"

/**
 * struct double_port - a port that records its callbacks
 * @port: port
 * @charged: receive buffer in use; DOUBLE_ROOM at most
 * @received: delivered, unread messages
 * @arrived: completed when a message is delivered
 * @sent: number of completed messages
 * @err: error of the last completed message
 * @over: completed when a message is completed
 * @detached: the site was deleted
 */
struct double_port {
	struct flitcast_port port;
	u32 charged;
	struct sk_buff_head received;
	struct completion arrived;
	unsigned int sent;
	int err;
	struct completion over;
	bool detached;
};

/* Initialize and exit the layers, before and after a suite, as the module does. */
int double_begin(struct kunit_suite *suite);
void double_end(struct kunit_suite *suite);

#define DOUBLE_ROOM	(4 << 20)
/* Time-out of any event that must happen. */
#define DOUBLE_SOON	(60 * HZ)

/* A site of line:2, or of @spec, as netlink would configure it. */
struct flitcast_site_config double_config(const char *spec, u32 id);

/* Set: passes each frame that a cable carries through it; NULL from it: the frame is lost. */
extern struct sk_buff *(*double_reshape)(struct sk_buff *skb);

/* Devices joined by a cable, up, with their carrier.  Return: 0 or an error. */
int double_devices_add(struct net_device *dev[2]);
void double_devices_del(struct net_device *dev[2]);

/* Like flitcast_link_add().  Context: RTNL held. */
int double_link_add(struct flitcast_site *site, struct net_device *dev, u32 port, u32 window);

/**
 * double_line() - create sites 0 and 1 of a line:2, with a device each, and set the link up
 * @test: test, which fails if that is impossible
 * @dev: devices
 */
void double_line(struct kunit *test, struct net_device *dev[2]);
/* Delete both sites, if they exist, and then the devices. */
void double_line_end(struct net_device *dev[2]);

/* Wait for the link of site @id.  Return: true if it is up. */
bool double_link_up(u32 id, u32 port, unsigned long timeout);

void double_port_init(struct double_port *port);
/* Detach the port, if it is attached, and drop the messages that it received. */
void double_port_end(struct double_port *port);

/**
 * double_send() - send a message of the bytes @seed, @seed + 1...
 * @port: attached port
 * @site: target
 * @number: port of the target
 * @len: bytes
 *
 * Return: 0, the error of flitcast_msg_send(), or -ENOMEM.
 */
int double_send(struct double_port *port, u32 site, u16 number, u32 len, u8 seed);

/* Is the oldest received message the given one?  Removes that message. */
bool double_received(struct double_port *port, u32 len, u8 seed);

#endif /* SELFTESTS_KUNIT_DOUBLE_H */
