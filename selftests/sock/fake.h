/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rest of a network, emulated by a test: every site of a line but the first one, or all sites
 * behind each link of a site of another topology.
 *
 *	site 0 ------ [ sites 1 .. FAKE_SITES - 1 ]
 *	real	veth	 this, frame by frame
 *
 * The calls below keep the link up and ack every flit at once; the test decides how to answer the
 * packets.  Received broadcasts are no events.  The test must keep calling: the site takes a link
 * that is silent for five seconds for dead.
 */
#ifndef SELFTESTS_SOCK_FAKE_H
#define SELFTESTS_SOCK_FAKE_H

#include <stdbool.h>
#include <stdint.h>
#include "core/wire/wire_faults.h"

#define FAKE_SITES	8
/* Maximum targets or entries of an event. */
#define FAKE_MOST	40

/**
 * struct fake_in - a packet being received, in a set of channels
 * @begun: its front was received
 * @packet: its header
 * @target: its targets
 * @data: bytes of data received so far
 */
struct fake_in {
	bool begun;
	struct fc_packet packet;
	struct fc_target target[FAKE_MOST];
	uint32_t data;
};

/**
 * struct fake - the emulated end of a link
 * @fd: packet socket of its device
 * @vc: channel on which it sends flits, enum fc_vc
 * @mac: address of the device
 * @peer: address of the real device
 * @own: its own HELLO
 * @link: the last HELLO of the real end; @link.epoch 0 before the first
 * @taken: flits received, by channel
 * @sent: flits sent in @vc
 * @bcast_sent: flits of broadcasts sent
 * @acked: flits of @sent that the real end has acked
 * @in: packets being received, by enum fc_set
 * @ncasts: broadcasts received
 * @bcast_packet: header of the last broadcast
 * @bcast: broadcast header of the last broadcast
 * @withhold: the test does not take flits, nor ack them
 */
struct fake {
	int fd;
	uint8_t vc;
	uint8_t mac[6];
	uint8_t peer[6];
	struct fc_hello_msg own;
	struct fc_hello_msg link;
	uint32_t taken[FC_VC_COUNT];
	uint32_t sent;
	uint32_t bcast_sent;
	uint32_t acked;
	struct fake_in in[FC_SET_COUNT];
	unsigned int ncasts;
	struct fc_packet bcast_packet;
	struct fc_bcast_hdr bcast;
	bool withhold;
};

/* MTU of the devices of links that fake_link() adds. */
extern unsigned int fake_mtu;

/**
 * struct fake_event - a received packet or control frame
 * @n: targets of the packet, or entries of the frame
 * @is_packet: true for a packet
 * @ms: time of receipt, as now_ms()
 * @packet: header of a whole packet
 * @target: targets of the packet
 * @ctrl: entries of the control frame
 */
struct fake_event {
	unsigned int n;
	bool is_packet;
	uint64_t ms;
	struct fc_packet packet;
	struct fc_target target[FAKE_MOST];
	struct fc_ctrl ctrl[FC_CTRLS_MAX];
};

/*
 * Create site 0, with settings besides its topology ("" for none; in mode care, unless they name a
 * mode), in its own namespace, which the calling thread enters; the link is up.  Return: NULL, or
 * the error.
 */
const char *fake_up(struct fake *f, const char *settings);

/* fake_up() in two steps.  Add site 0 of any topology, with settings or "", without links. */
const char *fake_site(const char *topology, const char *settings);
/*
 * Add a link from port @port of site 0 to port @peer_port of site @site.  Each link has its own
 * struct fake; that of port n is at index n - 1.
 */
const char *fake_link(struct fake *f, unsigned int port, unsigned int site,
		      unsigned int peer_port);

/*
 * Call after the last of @n links: earlier links may have gone down meanwhile.  Discards events
 * until all links are up.
 */
const char *fake_all_up(struct fake *f, unsigned int n);

/* The next event within @ms.  Return: false if there is none. */
bool fake_next(struct fake *f, struct fake_event *e, unsigned int ms);

/* Send entries as one control frame. */
void fake_ctrl(struct fake *f, const struct fc_ctrl *ctrl, unsigned int n);

/* Report up to FC_FAULTS_MAX dead links at a time. */
void fake_faults(struct fake *f, const struct fc_faults_msg *msg);

/* Poll the site for the flits that it has received, and report that @sent flits were sent. */
void fake_probe(struct fake *f, uint32_t sent);

/* Send a packet of one flit, @pk->ntargets targets and fc_packet_data(@pk) bytes of data. */
void fake_packet(struct fake *f, const struct fc_packet *pk, const struct fc_target *t,
		 const void *data);

/* Send a flit of any channel and number: the flits before it may be missing. */
void fake_flit(struct fake *f, uint8_t vc, uint8_t flags, uint32_t seq, const void *payload,
	       uint16_t len);

/* Send the first flit of a packet of several for one target; its data is zeros. */
void fake_front(struct fake *f, const struct fc_packet *pk, const struct fc_target *t);

/*
 * Send a packet of any length, as flits within the site's window; its data is zeros.  Calls
 * fake_next() meanwhile, and discards the events.  Return: false if the window stays closed.
 */
bool fake_train(struct fake *f, const struct fc_packet *pk, const struct fc_target *t);

/* Send a broadcast of one flit, with fc_packet_data(@pk) bytes of data. */
void fake_bcast(struct fake *f, const struct fc_packet *pk, const struct fc_bcast_hdr *bcast,
		const void *data);

/* Confirm target @i of a packet: it has received this message and all before it. */
struct fc_ctrl fake_confirm(const struct fake_event *packet, unsigned int i);
/* Answer of another kind, which does not confirm earlier messages. */
struct fc_ctrl fake_answer(const struct fake_event *packet, unsigned int i,
			   enum fc_ctrl_kind kind);

#endif /* SELFTESTS_SOCK_FAKE_H */
