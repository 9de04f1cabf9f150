/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An adversary: a program that takes the place of a site of a lab and sends valid frames, but stops
 * in the middle of packets, trickles them, does not give the credit back that its peers wait for,
 * or floods its links with frames other than flits.  A site whose neighbour does so is to lose
 * nothing but the link to it.
 *
 * The adversary is an end of every packet that it sends or receives, and forwards none.
 */
#ifndef SELFTESTS_ADVERSARY_H
#define SELFTESTS_ADVERSARY_H

#include <net/ethernet.h>
#include <stdbool.h>
#include <stdint.h>
#include "core/link/hello.h"
#include "core/topo/vclass.h"
#include "core/wire/wire_faults.h"
#include "lab_impl.h"

/* Ports of the messages that forged control entries name: this one and the next two. */
#define ADV_FLOOD_PORT	7030

/* Bytes of a hash of SHA-256. */
#define ADV_HASH_SIZE	32

/**
 * enum adv_lie - behaviour of an adversary
 * @ADV_FRONT: sends the first flit of a packet on each channel, and later an abort and the next one
 * @ADV_TRICKLE: sends the flits of such packets one at a time, with pauses
 * @ADV_ONES: sends datagrams of 64 KiB in flits with few bytes
 * @ADV_WITHHOLD: reports all flits as received, and acknowledges none
 * @ADV_SLOW: as @ADV_WITHHOLD, but acknowledges a flit of each channel now and then
 * @ADV_MUTE: sends nothing but HELLOs
 * @ADV_NACK: requests all flits again in each status, and acknowledges none
 * @ADV_HONEST: acknowledges all flits and sends none: no lie, to test the tests
 * @ADV_HELLO: takes its links down and up again and again, by a flood of HELLOs
 * @ADV_CONTROL: sends a flood of control entries about messages between other sites
 * @ADV_FAULTS: sends a flood of reports that its links work, and that they do not
 * @ADV_BLAME: reports that no link of any other site works
 * @ADV_COUNT: number of behaviours
 */
enum adv_lie {
	ADV_FRONT,
	ADV_TRICKLE,
	ADV_ONES,
	ADV_WITHHOLD,
	ADV_SLOW,
	ADV_MUTE,
	ADV_NACK,
	ADV_HONEST,
	ADV_HELLO,
	ADV_CONTROL,
	ADV_FAULTS,
	ADV_BLAME,
	ADV_COUNT
};

/**
 * struct adv_orders - what an adversary is to do
 * @lie: enum adv_lie
 * @every: time between two flits of a channel (@ADV_TRICKLE), two acks (@ADV_SLOW), or two changes
 *	of the links (@ADV_HELLO), in ns
 * @again: time from a front to its abort and the next one (@ADV_FRONT), in ns; 0: no abort; or
 *	from a report to the next one (@ADV_BLAME); 0: there is none
 * @as: site in whose name packets are sent
 * @data: data bytes of the flits (@ADV_ONES)
 * @rate: HELLOs, control entries or reports of a flood on each link in a second
 */
struct adv_orders {
	enum adv_lie lie;
	u64 every;
	u64 again;
	u32 as;
	u32 data;
	u32 rate;
};

/**
 * struct adv_channel - a channel of a link
 * @carried: honest packets to the peer may use the channel
 * @busy: a packet of @left bytes was begun, and not ended
 * @active: it has carried a flit in either direction since the link came up
 * @dirty: a status is due
 * @next: flits received from the peer without a gap: the honest ack
 * @have: flits received from there on: bit i is flit @next + i
 * @end: number of the last flit that the peer is known to have sent, and one
 * @echo: last poll of the peer
 * @sent: flits sent
 * @acked: flits of these that the peer has acknowledged
 * @left: bytes of the packet that are not sent
 * @turn: packets sent, which have different targets and kinds
 * @at: time of the next flit or ack
 */
struct adv_channel {
	bool carried;
	bool busy;
	bool active;
	bool dirty;
	u32 next;
	u64 have;
	u32 end;
	u16 echo;
	u32 sent;
	u32 acked;
	u32 left;
	u32 turn;
	u64 at;
};

/**
 * struct adv_port - an end of a link
 * @fd: packet socket, or -1: no link
 * @mac: address of the device
 * @peer: address of the peer's device
 * @hello: handshake
 * @keys: keys of the frames sent, while the link is up (@keyed of struct adversary)
 * @number: frames sent with these
 * @channel: channels, by enum fc_vc
 * @flood_at: time up to which the flood was sent; 0: it has not begun
 * @half_at: time at which the HELLOs begin or cease to fit (@ADV_HELLO)
 * @fits: they do
 * @flood_turn: number of those that did not
 */
struct adv_port {
	int fd;
	u8 mac[ETH_ALEN];
	u8 peer[ETH_ALEN];
	struct fc_hello hello;
	u8 keys[ADV_HASH_SIZE];
	u64 number;
	struct adv_channel channel[FC_VC_COUNT];
	u64 flood_at;
	u64 half_at;
	bool fits;
	u32 flood_turn;
};

/**
 * struct adversary - the site
 * @orders: what it is to do
 * @topo: topology
 * @classes: of the topology, in modes that have classes
 * @site: number of the site
 * @flit: flit size without the code of a frame
 * @window: window of each link
 * @ethertype: ethertype of the frames
 * @mode: enum fc_mode
 * @keyed: the network has a key
 * @key: the key
 * @word: its announcement that all of its links work
 * @word_at: time of the next announcement
 * @known: last reports of other sites, by site
 * @begun: all links have been up, and a flood may begin
 * @port: ends of links, by port
 */
struct adversary {
	struct adv_orders orders;
	struct fc_topo topo;
	struct fc_vclass classes;
	u32 site;
	u32 flit;
	u32 window;
	u16 ethertype;
	u8 mode;
	bool keyed;
	u8 key[32];
	struct fc_fault word;
	u64 word_at;
	struct fc_fault *known;
	bool begun;
	struct adv_port port[FC_PORTS_MAX];
};

/*
 * adversary_site.c.  Open the devices.  Return: NULL, or the reason why not.
 */
const char *adv_open(struct adversary *a, const struct lab *lab, u32 site);
/* Receive all pending frames of a port. */
void adv_receive(struct adversary *a, u8 port);
/* Run all timers that are due.  Return: time of the next timer. */
u64 adv_time(struct adversary *a, u64 now);
/* Send a flit of a channel; @len bytes at @p. */
void adv_send_flit(struct adversary *a, u8 port, u8 vc, u8 parts, const u8 *p, u32 len);
/* Send a status of a channel with FC_STATUS_*. */
void adv_send_status(struct adversary *a, u8 port, u8 vc);
/* Send a HELLO; @full: in a frame as long as a flit. */
void adv_send_hello(struct adversary *a, u8 port, const struct fc_hello_msg *msg, bool full);
/* Send a report of faults. */
void adv_send_faults(struct adversary *a, u8 port, const struct fc_faults_msg *msg);
/* Send a frame; @p: its payload of @len bytes. */
void adv_send(struct adversary *a, u8 port, struct fc_link_hdr *h, const u8 *p, u32 len);
/* Begin a new epoch of the link, which takes it down. */
void adv_new_epoch(struct adversary *a, u8 port, u64 now);

/*
 * adversary_lies.c.  Send the flits and acks of a channel that are due.
 * Return: time of the next ones.
 */
u64 adv_act(struct adversary *a, u8 port, u8 vc, u64 now);
/* Fill in what a status of the channel reports. */
void adv_report(const struct adversary *a, const struct adv_channel *c, struct fc_link_hdr *h,
		struct fc_status *s);
/* A flit has arrived. */
void adv_take(const struct adversary *a, struct adv_channel *c, u32 seq, u64 now);

/* adversary_flood.c.  Send the frames of a flood that are due.  Return: time of the next ones. */
u64 adv_flood(struct adversary *a, u8 port, u64 now);

/*
 * adversary_auth.c.  The hash of a prefix and of @len bytes: begins with the code of a HELLO, or is
 * the keys of a direction of a link.
 */
void adv_hash(const u8 key[32], const u8 prefix[FC_AUTH_PREFIX], const u8 *p, u32 len,
	      u8 digest[ADV_HASH_SIZE]);
/* The code of any other frame: @header has FC_FRAME_AUTH. */
void adv_frame_code(const u8 keys[ADV_HASH_SIZE], const u8 *header, u64 number, const u8 *payload,
		    u32 len, u8 code[8]);
/* Read a key from a file of hexadecimal digits.  Return: false if it has none. */
bool adv_read_key(const char *path, u8 key[32]);

#endif /* SELFTESTS_ADVERSARY_H */
