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
 * @charged: receive room in use; DOUBLE_ROOM at most
 * @received: messages delivered, to be read
 * @arrived: a message was delivered
 * @sent: number of completed messages
 * @err: of the last one
 * @over: a message is completed
 * @detached: the site went away
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

/* Before a suite, and after: the layers, as the module begins and ends them. */
int double_begin(struct kunit_suite *suite);
void double_end(struct kunit_suite *suite);

#define DOUBLE_ROOM	(4 << 20)
/* Time-out of any event that must happen. */
#define DOUBLE_SOON	(60 * HZ)

/* A site of line:2, or of @spec, as netlink would configure it. */
struct flitcast_site_config double_config(const char *spec, u32 id);

/* Devices joined by a cable, up, with their carrier.  Return: 0 or an error. */
int double_devices_add(struct net_device *dev[2]);
void double_devices_del(struct net_device *dev[2]);

/* As flitcast_link_add().  Context: RTNL held. */
int double_link_add(struct flitcast_site *site, struct net_device *dev, u32 port, u32 window);

/**
 * double_line() - sites 0 and 1 of a line:2, a device each, the link between them up
 * @test: fails where this cannot be had
 * @dev: devices
 */
void double_line(struct kunit *test, struct net_device *dev[2]);
/* Both sites end, if they are there; then the devices. */
void double_line_end(struct net_device *dev[2]);

/* Is the link of site @id up, now or soon? */
bool double_link_up(u32 id, u32 port);

void double_port_init(struct double_port *port);
/* Detach the port, if it is attached, and drop what it received. */
void double_port_end(struct double_port *port);

/**
 * double_send() - a message of the bytes @seed, @seed + 1...
 * @port: attached port
 * @site: target
 * @number: its port
 * @len: bytes
 *
 * Return: 0, or what flitcast_msg_send() says, or -ENOMEM.
 */
int double_send(struct double_port *port, u32 site, u16 number, u32 len, u8 seed);

/* Is the oldest received message that one?  It is read. */
bool double_received(struct double_port *port, u32 len, u8 seed);

#endif /* SELFTESTS_KUNIT_DOUBLE_H */
