// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzes a site with frames of a faulty peer: frames on a lab link, from the peer's namespace and
 * with the peer's hardware address.
 *
 *	site FROM                        victim
 *	+---------------+               +---------------+
 *	| site          |      veth     |          site |
 *	| this program -+-- DEV --------+-              |
 *	+---------------+               +---------------+
 *
 * The program sniffs the frames of the site, while its own messages cross the link, and replays
 * them: cut short, with flipped bits, with contradictory fields, in the wrong order, too late, or
 * with the current epoch and the next sequence number, so that they pass the first checks; and it
 * sends noise.  After each batch every site has to answer every other site in time; links may be
 * reset.  In the end the victim's counters must show the frames.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include "lab.h"
#include "msg.h"
#include "core/wire/wire_link.h"

/* Frames may be longer than the flits of the network. */
#define MTU		9000
#define FRAME_MAX	(MTU + ETH_HLEN)
#define RING		512
#define PORT		6000
#define SITES_MAX	16
/* Time until reset links are up again; the site resets a silent link after 5 s. */
#define HEAL_MS		60000
/* Time-out of messages of this program, in particular of those over a cut route. */
#define GIVE_UP_MS	3000

struct frame {
	uint32_t len;
	uint8_t data[FRAME_MAX];
};

struct options {
	const char *lab;
	uint64_t count;
	uint64_t batch;
	uint64_t seed;
	unsigned int from;
	const char *dev;
	const char *only;
	bool blast;
	bool verbose;
};

static struct options opt = { .count = 10000, .batch = 500, .dev = "p1" };

static struct prng prng;
static int sniffer = -1, sender = -1;
static uint8_t our_mac[ETH_ALEN], peer_mac[ETH_ALEN];
static unsigned int victim;
static char victim_dev[IFNAMSIZ];

/* Captured frames; the newest one is @ring[nring - 1]. */
static struct frame *ring;
static uint64_t nring;

/* State of the real link, from the last captured frames. */
static struct {
	uint16_t epoch;
	uint8_t vc;		/* channel of packets on which a flit was last sent */
	struct {
		uint32_t next;	/* number of the next flit */
		uint32_t ack;
	} ch[256];
	uint32_t bcast;	/* sequence number of broadcasts, which only this program sends */
	uint32_t nsites;
} real = { .vc = FC_VC_CLASS };

static uint64_t sent, refused;

static uint32_t below(uint32_t bound)
{
	return prng_below(&prng, bound);
}

/* Return: true in one of @n cases. */
static bool chance(uint32_t n)
{
	return !below(n);
}

static int packet_socket(uint16_t protocol)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(protocol),
		.sll_ifindex = if_nametoindex(opt.dev),
	};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		die("packet socket on %s: %s", opt.dev, strerror(errno));
	return fd;
}

static void set_mtu(const char *dev, int mtu)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = { .ifr_mtu = mtu };

	strncpy(request.ifr_name, dev, IFNAMSIZ - 1);
	if (fd < 0 || ioctl(fd, SIOCSIFMTU, &request))
		die("MTU of %s: %s", dev, strerror(errno));
	close(fd);
}

static void enter_site(unsigned int site)
{
	int netns = lab_open(opt.lab, site);

	if (netns < 0 || lab_enter(netns))
		die("lab %s: site %u: %s", opt.lab, site, strerror(errno));
	close(netns);
}

/* Find the other end of the link in the site's list of links. */
static void find_victim(void)
{
	const char *p;

	if (cli("-j -n %s-%u link show %s", opt.lab, opt.from, opt.dev))
		die("%s", cli_output());
	p = strstr(cli_output(), "\"peer_site\"");
	if (!p)
		die("site %u has no peer on %s: %s", opt.from, opt.dev, cli_output());
	victim = json_sum(cli_output(), "peer_site");
	snprintf(victim_dev, sizeof(victim_dev), "p%u",
		 (unsigned int)json_sum(cli_output(), "peer_port"));
}

static void open_link(void)
{
	struct ifreq request = { 0 };
	int on = 1;

	find_victim();
	enter_site(victim);
	set_mtu(victim_dev, MTU);
	enter_site(opt.from);
	set_mtu(opt.dev, MTU);
	sniffer = packet_socket(ETH_P_ALL);
	sender = packet_socket(0);
	/* Bypass the taps: this program must not sniff its own frames. */
	if (setsockopt(sender, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)))
		die("PACKET_QDISC_BYPASS: %s", strerror(errno));
	strncpy(request.ifr_name, opt.dev, IFNAMSIZ - 1);
	if (ioctl(sender, SIOCGIFHWADDR, &request))
		die("address of %s: %s", opt.dev, strerror(errno));
	memcpy(our_mac, request.ifr_hwaddr.sa_data, ETH_ALEN);
	memset(peer_mac, 0xff, ETH_ALEN);
}

static void close_link(void)
{
	enter_site(victim);
	set_mtu(victim_dev, 1500);
	enter_site(opt.from);
	set_mtu(opt.dev, 1500);
}

static void learn(const struct frame *f)
{
	struct fc_link_hdr h;

	if (!fc_wire_link_decode(&h, f->data + ETH_HLEN, f->len - ETH_HLEN, f->len - ETH_HLEN))
		return;
	if (real.epoch != h.epoch)
		real.bcast = 0;
	real.epoch = h.epoch;
	if (h.vc == FC_VC_BCAST)
		return;
	if (h.type == FC_FRAME_FLIT || h.type == FC_FRAME_STATUS)
		real.vc = h.vc;
	if (h.type == FC_FRAME_FLIT)
		real.ch[real.vc].next = h.seq + 1;
	else if (h.type == FC_FRAME_STATUS)
		real.ch[real.vc].next = h.seq;
	if (h.type == FC_FRAME_FLIT || h.type == FC_FRAME_STATUS)
		real.ch[real.vc].ack = h.ack;
}

/* Store the frames captured on the link, in either direction. */
static void sniff(void)
{
	static struct frame in;

	for (;;) {
		struct sockaddr_ll addr;
		socklen_t len = sizeof(addr);
		ssize_t n = recvfrom(sniffer, in.data, sizeof(in.data), 0,
				     (struct sockaddr *)&addr, &len);
		struct ethhdr *eth = (void *)in.data;

		if (n < 0)
			return;
		if (n < ETH_HLEN + FC_LINK_SIZE || eth->h_proto != htons(FC_ETHERTYPE))
			continue;
		in.len = n;
		if (addr.sll_pkttype == PACKET_OUTGOING) {
			learn(&in);
			memcpy(peer_mac, eth->h_dest, ETH_ALEN);
		} else {
			/* Give the frame the addresses of a frame of this site. */
			memcpy(eth->h_dest, peer_mac, ETH_ALEN);
			memcpy(eth->h_source, our_mac, ETH_ALEN);
		}
		memcpy(&ring[nring++ % RING], &in, offsetof(struct frame, data) + n);
	}
}

/* Recompute the check of a changed frame in most cases, so that the site does not drop it early. */
static void seal(struct frame *f)
{
	uint8_t *p = f->data + ETH_HLEN;
	struct fc_link_hdr h;

	if (f->len < ETH_HLEN + FC_LINK_SIZE || chance(8))
		return;
	p[FC_LINK_FLAGS] &= ~FC_LINK_SUMMED;
	/* A flit with a wrong check is not decoded. */
	fc_wire_link_set_sum(p, fc_link_check(p));
	if (fc_wire_link_decode(&h, p, FC_LINK_SIZE, f->len - ETH_HLEN))
		fc_wire_frame_encode(p, &h);
}

static void transmit(struct frame *f)
{
	uint32_t len = f->len < ETH_HLEN ? ETH_HLEN : f->len;

	seal(f);
	sent++;
	if (send(sender, f->data, len, 0) < 0)
		refused++;
}

/*
 * Traffic of this program, so that there are frames to sniff.  The messages need not arrive: forged
 * frames may contain forged messages.
 */

static struct {
	unsigned int sites;
	int receiver[SITES_MAX];
	int sender[SITES_MAX];
} traffic;

static char buffer[1 << 17];

static void open_traffic(void)
{
	unsigned int timeout = GIVE_UP_MS, i;

	traffic.sites = lab_sites(opt.lab);
	if (traffic.sites > SITES_MAX)
		traffic.sites = SITES_MAX;
	real.nsites = traffic.sites;
	for (i = 0; i < traffic.sites; i++) {
		enter_site(i);
		traffic.receiver[i] = msg_socket(-1, i, PORT, SOCK_NONBLOCK);
		traffic.sender[i] = msg_socket(-1, i, FLITCAST_PORT_ANY, SOCK_NONBLOCK);
		if (traffic.receiver[i] < 0 || traffic.sender[i] < 0)
			die("socket at site %u: %s", i, strerror(errno));
		if (setsockopt(traffic.sender[i], SOL_FLITCAST, FLITCAST_TIMEOUT, &timeout,
			       sizeof(timeout)))
			die("FLITCAST_TIMEOUT: %s", strerror(errno));
	}
	enter_site(opt.from);
}

static void close_traffic(void)
{
	unsigned int i;

	for (i = 0; i < traffic.sites; i++) {
		close(traffic.sender[i]);
		close(traffic.receiver[i]);
	}
}

static void drain_traffic(void)
{
	unsigned int i;

	for (i = 0; i < traffic.sites; i++)
		while (msg_recv(traffic.receiver[i], buffer, sizeof(buffer), NULL, 0) >= 0)
			continue;
}

static void make_traffic(void)
{
	unsigned int i, k;

	for (i = 0; i < traffic.sites; i++) {
		struct flitcast_target targets[SITES_MAX];
		uint32_t len = chance(8) ? prng_log(&prng, 0, sizeof(buffer)) : below(3000);

		for (k = 0; k < traffic.sites; k++)
			targets[k] = (struct flitcast_target) { .site = k, .port = PORT };
		msg_send_list(traffic.sender[i], buffer, len, targets,
			      1 + below(traffic.sites), 0);
	}
	drain_traffic();
}

/* Return: a value that code may handle wrongly, often near @near. */
static uint32_t awkward(uint32_t near)
{
	static const uint32_t values[] = {
		0, 1, 2, 16, 63, 64, 65, 255, 256, 1024, 1499, 1500, 0x7fff, 0x8000, 0xffff,
		0x10000, 0xffffff, 0x1000000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
	};

	switch (below(4)) {
	case 0:
		return values[below(FC_ARRAY_SIZE(values))];
	case 1:
		return near + below(33) - 16;
	case 2:
		return near ^ 1U << below(32);
	default:
		return (uint32_t)prng_next(&prng);
	}
}

static void header(struct frame *f)
{
	struct ethhdr *eth = (void *)f->data;

	memcpy(eth->h_dest, peer_mac, ETH_ALEN);
	memcpy(eth->h_source, our_mac, ETH_ALEN);
	eth->h_proto = htons(FC_ETHERTYPE);
}

static void noise(uint8_t *p, uint32_t len)
{
	while (len--)
		*p++ = (uint8_t)(prng_next(&prng) >> 40);
}

/* Take a captured frame, or noise if there is none. */
static void take(struct frame *f, int type)
{
	uint64_t have = nring < RING ? nring : RING;
	unsigned int tries;

	for (tries = 0; have && tries < 64; tries++) {
		const struct frame *old = &ring[(nring - 1 - below(have)) % RING];

		if (type && old->data[ETH_HLEN + 1] != type)
			continue;
		memcpy(f, old, offsetof(struct frame, data) + old->len);
		return;
	}
	f->len = ETH_HLEN + FC_LINK_SIZE + below(200);
	noise(f->data, f->len);
	header(f);
}

/* Set the current epoch and, in a flit, the next sequence number, to pass the link's checks. */
static void freshen(struct frame *f, uint32_t ahead)
{
	struct fc_link_hdr h;
	uint32_t len = f->len - ETH_HLEN;

	if (!fc_wire_link_decode(&h, f->data + ETH_HLEN, len, len))
		return;
	h.epoch = real.epoch;
	if (h.type == FC_FRAME_FLIT)
		h.seq = real.ch[real.vc].next + ahead;
	else if (h.type == FC_FRAME_STATUS)
		h.seq = real.ch[real.vc].next;
	h.ack = real.ch[real.vc].ack;
	fc_wire_link_encode(f->data + ETH_HLEN, &h);
}

static void replay(struct frame *f)
{
	take(f, 0);
}

static void flip(struct frame *f)
{
	uint32_t n = 1 + below(8);

	take(f, 0);
	freshen(f, below(3));
	while (n--)
		f->data[ETH_HLEN + below(f->len - ETH_HLEN)] ^= 1 << below(8);
}

/* Flip bits in the first bytes, where the headers are. */
static void flip_headers(struct frame *f)
{
	uint32_t n = 1 + below(3), most;

	take(f, 0);
	freshen(f, 0);
	most = f->len - ETH_HLEN < 80 ? f->len - ETH_HLEN : 80;
	while (n--)
		f->data[ETH_HLEN + below(most)] ^= 1 << below(8);
}

static void cut(struct frame *f)
{
	take(f, 0);
	freshen(f, 0);
	f->len = chance(2) ? ETH_HLEN + below(f->len - ETH_HLEN + 1) :
			     ETH_HLEN + below(FC_LINK_SIZE + FC_PACKET_SIZE + FC_TARGET_SIZE);
}

static void extend(struct frame *f)
{
	uint32_t len;

	take(f, 0);
	freshen(f, 0);
	len = f->len + 1 + below(chance(4) ? FRAME_MAX - f->len : 64);
	if (len > FRAME_MAX)
		len = FRAME_MAX;
	noise(f->data + f->len, len - f->len);
	f->len = len;
	/* Sometimes write the new length into the header. */
	if (chance(2)) {
		f->data[ETH_HLEN + 4] = (uint8_t)((len - ETH_HLEN - FC_LINK_SIZE) >> 8);
		f->data[ETH_HLEN + 5] = (uint8_t)(len - ETH_HLEN - FC_LINK_SIZE);
	}
}

static void field_of_link(struct frame *f)
{
	struct fc_link_hdr h;

	take(f, 0);
	freshen(f, 0);
	if (!fc_wire_link_decode(&h, f->data + ETH_HLEN, f->len - ETH_HLEN, f->len - ETH_HLEN))
		return;
	switch (below(7)) {
	case 0:
		h.type = (uint8_t)awkward(h.type);
		break;
	case 1:
		h.vc = (uint8_t)awkward(h.vc);
		break;
	case 2:
		h.flags = (uint8_t)awkward(h.flags);
		break;
	case 3:
		h.len = (uint16_t)awkward(h.len);
		break;
	case 4:
		h.epoch = (uint16_t)awkward(h.epoch);
		break;
	case 5:
		h.seq = awkward(h.seq);
		break;
	case 6:
		h.ack = awkward(h.ack);
		break;
	}
	fc_wire_link_encode(f->data + ETH_HLEN, &h);
}

/* The flags of a flit mark the begin and end of a packet: set any of them anywhere. */
static void parts(struct frame *f)
{
	struct fc_link_hdr h;

	take(f, FC_FRAME_FLIT);
	freshen(f, 0);
	if (!fc_wire_link_decode(&h, f->data + ETH_HLEN, f->len - ETH_HLEN, f->len - ETH_HLEN))
		return;
	h.flags = (uint8_t)below(8);
	if (h.flags & FC_PART_ABORT)
		h.len = 0;
	else if (chance(3))
		h.len = (uint16_t)below(h.len + 1);
	fc_wire_link_encode(f->data + ETH_HLEN, &h);
	/* The site counts this flit as the next one of the channel. */
	real.ch[real.vc].next++;
}

/* Take a captured flit that begins a packet; false if there is none. */
static bool take_head(struct frame *f, struct fc_link_hdr *h)
{
	unsigned int tries;

	for (tries = 0; tries < 32; tries++) {
		take(f, FC_FRAME_FLIT);
		if (fc_wire_link_decode(h, f->data + ETH_HLEN, f->len - ETH_HLEN,
					f->len - ETH_HLEN) &&
		    h->type == FC_FRAME_FLIT && (h->flags & FC_PART_HEAD) &&
		    h->len >= fc_head_size(1))
			return true;
	}
	return false;
}

static void field_of_packet(struct frame *f)
{
	uint8_t *head = f->data + ETH_HLEN + FC_LINK_SIZE;
	struct fc_link_hdr h;
	struct fc_packet pk;

	if (!take_head(f, &h))
		return;
	freshen(f, 0);
	fc_wire_packet_decode(&pk, head);
	switch (below(11)) {
	case 0:
		pk.src = chance(2) ? below(real.nsites) : awkward(pk.src);
		break;
	case 1:
		pk.incarnation = awkward(pk.incarnation);
		break;
	case 2:
		pk.sock = awkward(pk.sock);
		break;
	case 3:
		pk.src_port = (uint16_t)awkward(pk.src_port);
		break;
	case 4:
		if (chance(2))
			pk.ntargets = (uint8_t)awkward(pk.ntargets);
		else
			pk.bitmap = (uint8_t)awkward(pk.bitmap);
		break;
	case 5:
		pk.id = awkward(pk.id);
		break;
	case 6:
		pk.msg_len = awkward(pk.msg_len);
		break;
	case 7:
		pk.offset = chance(2) ? FC_PACKET_MAX * below(300) : awkward(pk.offset);
		break;
	case 8:
		pk.sum = awkward(pk.sum);
		break;
	case 9:
		pk.hops = (uint16_t)awkward(pk.hops);
		break;
	case 10:
		pk.kind = chance(4) ? (uint8_t)awkward(pk.kind) :
				      (uint8_t)below(FC_KIND_COUNT);
		break;
	}
	fc_wire_packet_encode(head, &pk);
	real.ch[real.vc].next++;
}

static void field_of_target(struct frame *f)
{
	uint8_t *head = f->data + ETH_HLEN + FC_LINK_SIZE;
	struct fc_link_hdr h;
	struct fc_target t;
	unsigned int n, i;

	if (!take_head(f, &h))
		return;
	freshen(f, 0);
	n = fc_wire_ntargets(head);
	if (!n || n > FC_TARGETS_MAX || fc_wire_head_len(head) > h.len)
		return;
	if (fc_wire_mapped(head) && chance(2)) {
		/* Change a byte of the bitmap, or its length. */
		i = below(head[FC_AT_BITMAP] + 1U);
		if (i)
			head[fc_head_size(1) + i - 1] = (uint8_t)awkward(head[fc_head_size(1)]);
		else
			head[FC_AT_BITMAP] = (uint8_t)awkward(head[FC_AT_BITMAP]);
		real.ch[real.vc].next++;
		return;
	}
	i = fc_wire_mapped(head) ? 0 : below(n);
	fc_wire_target_decode(&t, head, i);
	switch (below(7)) {
	case 0:
		t.site = chance(2) ? below(real.nsites) : awkward(t.site);
		break;
	case 1:
		t.port = chance(2) ? PORT : (uint16_t)awkward(t.port);
		break;
	case 2:
		t.flags = (uint8_t)awkward(t.flags);
		break;
	case 3:
		t.outstanding = (uint8_t)awkward(t.outstanding);
		break;
	case 4:
		t.off = awkward(t.off);
		break;
	case 5:
		t.len = awkward(t.len);
		break;
	case 6:
		t.seq = awkward(t.seq);
		break;
	}
	fc_wire_target_encode(head, i, &t);
	real.ch[real.vc].next++;
}

/* Encode the list as a bitmap; a list that names a site twice becomes invalid. */
static uint32_t by_bitmap(uint8_t *head)
{
	unsigned int n = fc_wire_ntargets(head), i, span = 1 + below(real.nsites);
	uint32_t site[FC_TARGETS_MAX];
	struct fc_target t;

	fc_wire_target_decode(&t, head, 0);
	for (i = 0; i < n; i++)
		site[i] = (below(2) ? i : below(span)) % real.nsites;
	return fc_wire_sites_encode(head, &t, site, n);
}

/* Compose a packet from scratch, valid or nearly so. */
static void invent(struct frame *f)
{
	uint8_t *head = f->data + ETH_HLEN + FC_LINK_SIZE;
	unsigned int n = chance(4) ? 1 + below(64) : 1 + below(4), i;
	struct fc_packet pk = {
		.src = below(real.nsites), .incarnation = below(4), .sock = below(8),
		.src_port = (uint16_t)(1 + below(65535)), .ntargets = (uint8_t)n,
		.id = below(1000), .hops = (uint16_t)below(4),
		.kind = (uint8_t)(n == 1 && chance(2) ? below(FC_KIND_COUNT) : FC_KIND_MESSAGE),
	};
	struct fc_link_hdr h = {
		.type = FC_FRAME_FLIT, .vc = real.vc, .flags = FC_PART_HEAD,
		.epoch = real.epoch, .seq = real.ch[real.vc].next++, .ack = real.ch[real.vc].ack,
	};
	/* Some flits exceed the agreed length: the next link could not carry them. */
	uint32_t most = chance(8) ? MTU : 1500;
	uint32_t room = most - FC_LINK_SIZE - fc_head_size(n), all, data, size;

	pk.msg_len = chance(2) ? below(1500) : prng_log(&prng, 0, FC_MESSAGE_MAX);
	if (pk.kind != FC_KIND_MESSAGE && pk.kind != FC_KIND_DATA && !chance(10))
		pk.msg_len = 0;
	pk.offset = pk.msg_len / FC_PACKET_MAX ?
		    FC_PACKET_MAX * below(pk.msg_len / FC_PACKET_MAX) : 0;
	all = fc_packet_data(&pk);
	data = fc_head_size(n) > most - FC_LINK_SIZE ? 0 : all < room ? all : room;
	if (data == all)
		h.flags |= FC_PART_TERM;
	fc_wire_packet_encode(head, &pk);
	for (i = 0; i < n; i++) {
		struct fc_target t = {
			.site = below(real.nsites), .port = chance(3) ? 7 : PORT,
			.flags = i == n - 1 ? FC_TARGET_LAST : 0,
			.outstanding = (uint8_t)below(FC_FLOW_WINDOW), .off = below(pk.msg_len + 1),
			.seq = below(32),
		};

		t.len = below(pk.msg_len - t.off + 1);
		fc_wire_target_encode(head, i, &t);
	}
	size = chance(3) ? by_bitmap(head) : fc_head_size(n);
	noise(head + size, data);
	h.len = (uint16_t)(size + data);
	f->len = ETH_HLEN + FC_LINK_SIZE + h.len;
	header(f);
	fc_wire_link_encode(f->data + ETH_HLEN, &h);
}

/* Compose a broadcast; broadcasts have their own sequence numbers. */
static void invent_bcast(struct frame *f)
{
	uint8_t *head = f->data + ETH_HLEN + FC_LINK_SIZE;
	struct fc_packet pk = {
		.src = below(real.nsites), .incarnation = below(2), .ntargets = 1, .id = below(999),
		.sock = FC_SOCK_BCAST | below(4), .src_port = (uint16_t)(1 + below(65535)),
	};
	struct fc_bcast_hdr bcast = {
		.number = below(100), .port = chance(3) ? 7 : PORT,
		.copies = (uint8_t)(chance(2) ? 1 : 1 + below(FC_COPIES_MAX)),
		.outstanding = (uint8_t)below(FC_FLOW_WINDOW), .seq = below(32),
	};
	struct fc_link_hdr h = {
		.type = FC_FRAME_FLIT, .vc = FC_VC_BCAST,
		.epoch = real.epoch, .seq = chance(8) ? below(16) : real.bcast++, .ack = 0,
	};
	uint32_t data = below(1500 - FC_LINK_SIZE - fc_head_size(1)), size = 0;

	if (!chance(3)) {
		h.flags = FC_PART_HEAD;
		pk.msg_len = chance(3) ? data : prng_log(&prng, data, FC_PACKET_MAX);
		fc_wire_packet_encode(head, &pk);
		fc_wire_bcast_encode(head, &bcast);
		size = fc_head_size(1);
		if (data == pk.msg_len)
			h.flags |= FC_PART_TERM;
	} else if (chance(3)) {
		h.flags = FC_PART_TERM | (chance(2) ? FC_PART_ABORT : 0);
		if (h.flags & FC_PART_ABORT)
			data = 0;
	} else if (data < FC_DATA_MIN) {
		data = FC_DATA_MIN;
	}
	noise(head + size, data);
	h.len = (uint16_t)(size + data);
	f->len = ETH_HLEN + FC_LINK_SIZE + h.len;
	header(f);
	fc_wire_link_encode(f->data + ETH_HLEN, &h);
}

static void control(struct frame *f)
{
	uint8_t *p = f->data + ETH_HLEN + FC_LINK_SIZE;
	struct fc_ctrl c;

	take(f, FC_FRAME_CTRL);
	freshen(f, 0);
	if (f->len < ETH_HLEN + FC_LINK_SIZE + FC_CTRL_SIZE || !fc_wire_ctrl_decode(&c, p))
		return;
	switch (below(11)) {
	case 0:
		c.kind = (uint8_t)(chance(2) ? 1 + below(8) : awkward(c.kind));
		break;
	case 1:
		c.hops = (uint16_t)awkward(c.hops);
		break;
	case 2:
		c.dst = chance(2) ? below(real.nsites) : awkward(c.dst);
		break;
	case 3:
		c.incarnation = awkward(c.incarnation);
		break;
	case 4:
		c.sock = awkward(c.sock);
		break;
	case 5:
		c.site = chance(2) ? below(real.nsites) : awkward(c.site);
		break;
	case 6:
		c.port = (uint16_t)awkward(c.port);
		break;
	case 7:
		c.seq = awkward(c.seq);
		break;
	case 8:
		c.next = awkward(c.next);
		break;
	case 9:
		c.base = (uint16_t)awkward(c.base);
		break;
	case 10:
		c.have = prng_next(&prng);
		break;
	}
	fc_wire_ctrl_encode(p, &c);
	/* Add other entries, valid or not, or a part of one. */
	if (chance(4)) {
		struct fc_link_hdr h;
		uint32_t len = FC_CTRL_SIZE * (1 + below(6)) - (chance(4) ? below(44) : 0), i;

		fc_wire_link_decode(&h, f->data + ETH_HLEN, FC_LINK_SIZE, f->len - ETH_HLEN);
		for (i = FC_CTRL_SIZE; i < len; i += FC_CTRL_SIZE) {
			c.sock = below(8);
			fc_wire_ctrl_encode(p + i, &c);
		}
		h.len = (uint16_t)len;
		f->len = ETH_HLEN + FC_LINK_SIZE + len;
		fc_wire_link_encode(f->data + ETH_HLEN, &h);
	}
}

static void hello(struct frame *f)
{
	uint8_t *p = f->data + ETH_HLEN + FC_LINK_SIZE;
	struct fc_hello_msg m;

	take(f, FC_FRAME_HELLO);
	if (f->len < ETH_HLEN + FC_LINK_SIZE + FC_HELLO_SIZE || !fc_wire_hello_decode(&m, p))
		return;
	switch (below(12)) {
	case 0:
		m.ver_min = (uint8_t)awkward(m.ver_min);
		break;
	case 1:
		m.ver_max = (uint8_t)awkward(m.ver_max);
		break;
	case 2:
		m.mode = (uint8_t)awkward(m.mode);
		break;
	case 3:
		m.reason = (uint8_t)awkward(m.reason);
		break;
	case 4:
		m.site = awkward(m.site);
		break;
	case 5:
		m.port = (uint16_t)awkward(m.port);
		break;
	case 6:
		m.window = (uint16_t)awkward(m.window);
		break;
	case 7:
		m.flit = awkward(m.flit);
		break;
	case 8:
		m.epoch = awkward(m.epoch);
		break;
	case 9:
		m.peer_epoch = awkward(m.peer_epoch);
		break;
	case 10:
		m.topology = awkward(m.topology);
		break;
	case 11:
		/* One of these flags requests a checksum in every frame. */
		m.flags = (uint8_t)below(3);
		break;
	}
	fc_wire_hello_encode(p, &m);
}

static void status(struct frame *f)
{
	struct fc_link_hdr h = {
		.type = FC_FRAME_STATUS, .vc = real.vc, .flags = (uint8_t)below(8),
		.len = FC_STATUS_SIZE, .epoch = real.epoch, .seq = real.ch[real.vc].next,
		.ack = real.ch[real.vc].ack,
	};
	struct fc_status s = {
		.have = chance(2) ? 0 : (uint64_t)awkward(0) << 32 | awkward(0),
		.upto = real.ch[real.vc].ack + below(40) - 20,
	};

	if (chance(2))
		h.seq += below(40) - 20;
	else
		h.ack += below(40) - 20;
	f->len = 60;
	memset(f->data, 0, f->len);
	header(f);
	fc_wire_link_encode(f->data + ETH_HLEN, &h);
	fc_wire_status_encode(f->data + ETH_HLEN + FC_LINK_SIZE, &s);
}

static void stranger(struct frame *f)
{
	take(f, 0);
	freshen(f, 0);
	noise(f->data + ETH_ALEN + 1, ETH_ALEN - 1);
	f->data[ETH_ALEN] = 2;
}

static void junk(struct frame *f)
{
	f->len = ETH_HLEN + below(chance(8) ? MTU : 200);
	noise(f->data, f->len < ETH_HLEN ? ETH_HLEN : f->len);
	header(f);
	/* A frame with the right version and type passes the first checks. */
	if (f->len >= ETH_HLEN + 2 && chance(2)) {
		f->data[ETH_HLEN] = FC_VERSION;
		f->data[ETH_HLEN + 1] = (uint8_t)(1 + below(4));
	}
}

/* Send two flits in the wrong order. */
static void reorder(struct frame *f)
{
	take(f, FC_FRAME_FLIT);
	freshen(f, 1);
	transmit(f);
	take(f, FC_FRAME_FLIT);
	freshen(f, 0);
	real.ch[real.vc].next += 2;
}

static const struct {
	const char *name;
	void (*make)(struct frame *f);
	unsigned int weight;
} kinds[] = {
	{ "replay", replay, 4 },
	{ "flip", flip, 6 },
	{ "flip headers", flip_headers, 10 },
	{ "cut", cut, 6 },
	{ "extend", extend, 6 },
	{ "link field", field_of_link, 10 },
	{ "parts", parts, 10 },
	{ "packet field", field_of_packet, 12 },
	{ "target field", field_of_target, 12 },
	{ "invent", invent, 10 },
	{ "broadcast", invent_bcast, 10 },
	{ "control", control, 10 },
	/* Each of these resets the link, so later frames find it down. */
	{ "hello", hello, 1 },
	{ "status", status, 4 },
	{ "stranger", stranger, 2 },
	{ "junk", junk, 6 },
	{ "reorder", reorder, 4 },
};

static uint64_t made[FC_ARRAY_SIZE(kinds)];

static unsigned int weight(unsigned int i)
{
	return !opt.only || !strcmp(opt.only, kinds[i].name) ? kinds[i].weight : 0;
}

static void fuzz_one(void)
{
	static struct frame f;
	unsigned int total = 0, at, i;

	for (i = 0; i < FC_ARRAY_SIZE(kinds); i++)
		total += weight(i);
	if (!total)
		die("there is no kind %s", opt.only);
	at = below(total);
	for (i = 0; at >= weight(i); i++)
		at -= weight(i);
	made[i]++;
	kinds[i].make(&f);
	transmit(&f);
}

/* Counters of the victim's link to this site. */
static const char *const counters[] = {
	"rx_malformed", "rx_stranger", "rx_out_of_window", "rx_protocol", "resets", "rx_flits",
	"rx_control", "rx_hello",
};

#define NCOUNTERS	(sizeof(counters) / sizeof(*counters))
/* The first NMUST counters must increase. */
#define NMUST		3

static void read_counters(uint64_t *values)
{
	unsigned int i;

	if (cli("-s -j -n %s-%u link show %s", opt.lab, victim, victim_dev))
		die("%s", cli_output());
	for (i = 0; i < NCOUNTERS; i++)
		values[i] = json_sum(cli_output(), counters[i]);
}

static void progress(uint64_t done)
{
	static uint64_t next;

	if (!isatty(STDERR_FILENO) || (done < opt.count && now_ms() < next))
		return;
	next = now_ms() + 500;
	fprintf(stderr, "\r\033[Kframefuzz: %" PRIu64 " of %" PRIu64 " frames%s", done, opt.count,
		done < opt.count ? "" : "\n");
}

/* Do all sites answer, possibly after a while?  Return: NULL or the error. */
static const char *heal(uint64_t *worst)
{
	uint64_t start = now_ms(), took;
	const char *bad;

	/* Allow a few seconds per try: questions asked while the link was down are lost. */
	do {
		bad = lab_healthy(opt.lab, 5000);
	} while (bad && now_ms() - start < HEAL_MS);
	took = now_ms() - start;
	if (took > *worst)
		*worst = took;
	enter_site(opt.from);
	return bad;
}

/* Fuzz without open sockets: the module may be removed meanwhile. */
static int blast(void)
{
	uint64_t i;

	close_traffic();
	for (i = 0; i < opt.count; i++) {
		sniff();
		fuzz_one();
	}
	return 0;
}

static int run(void)
{
	uint64_t before[NCOUNTERS], after[NCOUNTERS], i, worst = 0, since, count = opt.count;
	const char *bad = NULL;
	int status = 0;

	read_counters(before);
	for (i = 0; i < 20 || (nring < 50 && i < 2000); i++) {
		make_traffic();
		sleep_ms(2);
		sniff();
	}
	if (nring < 50)
		die("nothing to sniff on %s: %" PRIu64 " frames", opt.dev, nring);
	if (opt.blast)
		return blast();
	since = meminfo("MemFree");
	for (i = 0; i < count && !bad; i++) {
		/* Pause in every other period, in which only the fuzz uses sequence numbers. */
		if (i / 50 % 2 && !(i % 5))
			make_traffic();
		if (!(i % 3))
			sniff();
		fuzz_one();
		if (!(i % 16))
			drain_traffic();
		if (i % opt.batch == opt.batch - 1)
			bad = heal(&worst);
		progress(i + 1);
		/* Flits beyond the window are one in a thousand frames: go on until one comes. */
		if (i + 1 < count || count >= 4 * opt.count)
			continue;
		read_counters(after);
		if (after[NMUST - 1] == before[NMUST - 1])
			count += opt.batch;
	}
	close_traffic();
	if (bad) {
		fprintf(stderr, "\nframefuzz: seed %" PRIu64 ", after %" PRIu64
			" frames and %d s of rest: %s\n", opt.seed, i, HEAL_MS / 1000, bad);
		status = 1;
	}
	read_counters(after);
	printf("framefuzz: seed %" PRIu64 ": %" PRIu64 " frames sent, %" PRIu64
	       " refused by the device; slowest recovery %" PRIu64 " ms; %" PRId64
	       " KiB of memory less\nframefuzz:", opt.seed, sent, refused, worst,
	       (int64_t)(since - meminfo("MemFree")));
	for (i = 0; i < NCOUNTERS; i++)
		printf(" %s +%" PRIu64, counters[i], after[i] - before[i]);
	printf("\n");
	for (i = 0; opt.verbose && i < FC_ARRAY_SIZE(kinds); i++)
		printf("framefuzz: %s: %" PRIu64 "\n", kinds[i].name, made[i]);
	for (i = 0; i < NMUST && !opt.only; i++) {
		if (after[i] > before[i])
			continue;
		fprintf(stderr, "framefuzz: counter %s of site %u has not moved\n", counters[i],
			victim);
		status = 1;
	}
	if (sent - refused < opt.count / 2) {
		fprintf(stderr, "framefuzz: the device refused most frames\n");
		status = 1;
	}
	printf("framefuzz: %s\n", status ? "FAILED" : "passed");
	return status;
}

static void usage(FILE *to)
{
	fputs("Usage: framefuzz [OPTION]... LAB\n"
	      "\n"
	      "  --count N   frames (10000)\n"
	      "  --batch N   after so many the sites must answer (500)\n"
	      "  --seed N    (from the clock)\n"
	      "  --from S    site whose link it is (0)\n"
	      "  --dev DEV   its device (p1)\n"
	      "  --only KIND one kind of frame; --verbose names them\n"
	      "  --blast     frames only: no messages once there is something to change,\n"
	      "              and nobody need survive it\n"
	      "  --verbose   how many of each kind\n"
	      "\n"
	      "Exit status: 0 all is well, 1 not, 2 usage, 4 cannot run.\n", to);
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (end == text || *end) {
		fprintf(stderr, "framefuzz: %s is not a number\n", text);
		exit(EXIT_USAGE);
	}
	return value;
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "count", 1, NULL, 'c' }, { "batch", 1, NULL, 'b' }, { "seed", 1, NULL, 's' },
		{ "from", 1, NULL, 'f' }, { "dev", 1, NULL, 'd' }, { "only", 1, NULL, 'o' },
		{ "blast", 0, NULL, 'B' }, { "verbose", 0, NULL, 'v' }, { "help", 0, NULL, 'h' },
		{ 0 }
	};
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			opt.count = number(optarg);
			break;
		case 'b':
			opt.batch = number(optarg);
			break;
		case 's':
			opt.seed = number(optarg);
			break;
		case 'f':
			opt.from = number(optarg);
			break;
		case 'd':
			opt.dev = optarg;
			break;
		case 'o':
			opt.only = optarg;
			break;
		case 'B':
			opt.blast = true;
			break;
		case 'v':
			opt.verbose = true;
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			usage(stderr);
			exit(EXIT_USAGE);
		}
	}
	if (optind != argc - 1 || !opt.batch) {
		usage(stderr);
		exit(EXIT_USAGE);
	}
	opt.lab = argv[optind];
}

int main(int argc, char **argv)
{
	int status;

	opt.seed = now_ms() ^ (uint64_t)getpid() << 32;
	parse(argc, argv);
	skip_without_family(false);
	if (lab_sites(opt.lab) < 2)
		die("there is no lab %s of two sites", opt.lab);
	fprintf(stderr, "framefuzz: seed %" PRIu64 "\n", opt.seed);
	prng.state = opt.seed;
	ring = calloc(RING, sizeof(*ring));
	if (!ring)
		die("no memory");
	open_link();
	open_traffic();
	status = run();
	if (!opt.blast)
		close_link();
	return status;
}
