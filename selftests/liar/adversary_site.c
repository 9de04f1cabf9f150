// SPDX-License-Identifier: GPL-2.0
/* An adversary, up to its lies: links like those of any other site, over packet sockets. */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include "core/bounds.h"
#include "core/csr/wire_csr.h"
#include "core/mode.h"
#include "core/vnet/vnet.h"
#include "core/wire/wire_check.h"
#include "adversary.h"

#define MS		1000000ULL
#define FRAME_MAX	(ETH_HLEN + FC_LINK_SIZE + 65536)
#define SOCKET_BYTES	(4 << 20)
/* Frames received from one port before the next port has its turn. */
#define BUDGET		64
/* Lead of the version of this site's announcements over those of the replaced site. */
#define WORD_AHEAD	1000
#define WORD_NS		(1000 * MS)

/* Transmission. */

/* Add the authentication code to a HELLO. */
static void sign(struct adversary *a, u8 port, struct fc_link_hdr *h, u8 *p)
{
	const struct fc_hello_msg *own = &a->port[port].hello.own;
	u8 prefix[FC_AUTH_PREFIX], digest[ADV_HASH_SIZE];

	h->auth = true;
	if (h->len < FC_HELLO_SIZE + FC_AUTH_SIZE)
		h->len = FC_HELLO_SIZE + FC_AUTH_SIZE;
	fc_wire_auth_prefix(prefix, h, own->site, own->port, own->epoch, 0);
	adv_hash(a->key, prefix, p, FC_HELLO_SIZE, digest);
	memcpy(p + FC_HELLO_SIZE, digest, FC_AUTH_SIZE);
}

/* Make the keys of the frames sent.  The link has come up. */
static void make_keys(struct adversary *a, u8 port)
{
	struct adv_port *p = &a->port[port];
	const struct fc_hello_msg *own = &p->hello.own;
	u8 prefix[FC_AUTH_PREFIX];

	fc_wire_auth_prefix(prefix, NULL, own->site, own->port, own->epoch, p->hello.peer.epoch);
	adv_hash(a->key, prefix, NULL, 0, p->keys);
	p->number = 0;
}

/* Insert number and code between the header and the payload of @len bytes. */
static void add_code(struct adv_port *p, u8 *header, u32 len)
{
	u8 *payload = header + FC_LINK_SIZE + FC_CODE_SIZE;

	memmove(payload, header + FC_LINK_SIZE, len);
	header[1] |= FC_FRAME_AUTH;
	p->number++;
	fc_put32(header + FC_LINK_SIZE, (u32)p->number);
	adv_frame_code(p->keys, header, p->number, payload, len,
		       header + FC_LINK_SIZE + sizeof(u32));
}

/* Remove number and code.  Return: bytes removed. */
static u32 take_code(u8 *header, u32 len)
{
	if (len < FC_LINK_SIZE + FC_CODE_SIZE || header[1] == (FC_FRAME_HELLO | FC_FRAME_AUTH) ||
	    !(header[1] & FC_FRAME_AUTH))
		return 0;
	header[1] &= ~FC_FRAME_AUTH;
	memmove(header + FC_LINK_SIZE, header + FC_LINK_SIZE + FC_CODE_SIZE,
		len - FC_LINK_SIZE - FC_CODE_SIZE);
	return FC_CODE_SIZE;
}

/* A frame that the device does not accept is lost, as on any link. */
void adv_send(struct adversary *a, u8 port, struct fc_link_hdr *h, const u8 *payload, u32 len)
{
	static u8 frame[FRAME_MAX];
	struct adv_port *p = &a->port[port];
	struct ether_header *eth = (void *)frame;
	u8 *body = frame + ETH_HLEN + FC_LINK_SIZE;
	size_t size;

	memcpy(eth->ether_dhost, p->peer, ETH_ALEN);
	memcpy(eth->ether_shost, p->mac, ETH_ALEN);
	eth->ether_type = htons(a->ethertype);
	h->epoch = (u16)p->hello.own.epoch;
	if (h->len > len)
		memset(body + len, 0, h->len - len);
	if (len)
		memcpy(body, payload, len);
	if (a->keyed && h->type == FC_FRAME_HELLO)
		sign(a, port, h, body);
	fc_wire_frame_encode(frame + ETH_HLEN, h);
	size = ETH_HLEN + FC_LINK_SIZE + h->len;
	if (a->keyed && h->type != FC_FRAME_HELLO) {
		add_code(p, frame + ETH_HLEN, h->len);
		size += FC_CODE_SIZE;
	}
	if (send(p->fd, frame, size, MSG_DONTWAIT) < 0)
		return;
}

void adv_send_hello(struct adversary *a, u8 port, const struct fc_hello_msg *msg, bool full)
{
	struct fc_link_hdr h = { .type = FC_FRAME_HELLO, .len = FC_HELLO_SIZE, .seq = msg->number };
	u8 p[FC_HELLO_SIZE];

	fc_wire_hello_encode(p, msg);
	if (full)
		h.len = (u16)(a->flit + (a->keyed ? FC_CODE_SIZE : 0) - FC_LINK_SIZE);
	adv_send(a, port, &h, p, FC_HELLO_SIZE);
}

static void send_hello(struct adversary *a, u8 port, bool full, bool pair)
{
	struct fc_hello_msg msg = fc_hello_next(&a->port[port].hello, pair);

	adv_send_hello(a, port, &msg, full);
}

void adv_send_faults(struct adversary *a, u8 port, const struct fc_faults_msg *msg)
{
	struct fc_link_hdr h = { .type = FC_FRAME_FAULTS, .len = (u16)fc_faults_size(msg->n) };
	u8 p[FC_FAULTS_SIZE + FC_FAULTS_MAX * FC_FAULT_SIZE];

	fc_wire_faults_encode(p, msg);
	adv_send(a, port, &h, p, h.len);
}

/* Announce that all links of the site work, so that packets are sent to it. */
static void send_word(struct adversary *a, u8 port)
{
	struct fc_faults_msg msg = { .n = 1, .fault = { a->word } };

	if (a->orders.lie != ADV_MUTE)
		adv_send_faults(a, port, &msg);
}

void adv_send_flit(struct adversary *a, u8 port, u8 vc, u8 parts, const u8 *p, u32 len)
{
	struct adv_channel *c = &a->port[port].channel[vc];
	struct fc_link_hdr h = {
		.type = FC_FRAME_FLIT, .vc = vc, .flags = parts, .len = (u16)len,
		.seq = c->sent++, .ack = c->next,
	};

	c->active = true;
	adv_send(a, port, &h, p, len);
}

void adv_send_status(struct adversary *a, u8 port, u8 vc)
{
	struct adv_channel *c = &a->port[port].channel[vc];
	struct fc_link_hdr h = {
		.type = FC_FRAME_STATUS, .vc = vc, .len = FC_STATUS_SIZE, .seq = c->sent,
	};
	struct fc_status s = { .echo = c->echo };
	u8 p[FC_STATUS_SIZE];

	c->dirty = false;
	if (a->orders.lie == ADV_MUTE)
		return;
	adv_report(a, c, &h, &s);
	fc_wire_status_encode(p, &s);
	adv_send(a, port, &h, p, FC_STATUS_SIZE);
}

/* Forget what the link carried: it begins anew. */
static void restart(struct adv_port *p)
{
	unsigned int vc;

	for (vc = 0; vc < FC_VC_COUNT; vc++)
		p->channel[vc] = (struct adv_channel){
			.carried = p->channel[vc].carried, .turn = p->channel[vc].turn,
			.at = FC_NEVER,
		};
}

static void link_todo(struct adversary *a, u8 port, u8 todo)
{
	if (todo & FC_HELLO_GO_DOWN)
		restart(&a->port[port]);
	if (todo & FC_HELLO_CHECK)
		send_hello(a, port, true, true);
	if (todo & FC_HELLO_SEND)
		send_hello(a, port, fc_hello_full(&a->port[port].hello), todo & FC_HELLO_CHECK);
	if (todo & FC_HELLO_GO_UP) {
		restart(&a->port[port]);
		if (a->keyed)
			make_keys(a, port);
		send_word(a, port);
	}
}

void adv_new_epoch(struct adversary *a, u8 port, u64 now)
{
	struct fc_hello *hello = &a->port[port].hello;

	if (hello->state != FC_LINK_UP)
		hello->own.epoch++;
	link_todo(a, port, fc_hello_reset(hello, now));
}

/* Reception. */

static void hello_in(struct adversary *a, u8 port, const struct fc_link_hdr *h, const u8 *p,
		     const u8 *from)
{
	struct fc_hello_msg msg;

	if (!fc_wire_hello_decode(&msg, p))
		return;
	if (a->keyed)
		msg.number = h->seq;
	memcpy(a->port[port].peer, from, ETH_ALEN);
	link_todo(a, port, fc_hello_received(&a->port[port].hello, &msg,
					     (u32)h->len + FC_LINK_SIZE >=
						a->flit + (a->keyed ? FC_CODE_SIZE : 0),
					     now_ns()));
}

static void status_in(struct adversary *a, u8 port, const struct fc_link_hdr *h, const u8 *p)
{
	struct adv_channel *c = &a->port[port].channel[h->vc];
	struct fc_status s;

	fc_wire_status_decode(&s, p);
	if (fc_before(c->acked, h->ack) && !fc_before(c->sent, h->ack))
		c->acked = h->ack;
	if (fc_before(c->end, h->seq))
		c->end = h->seq;
	if (!(h->flags & (FC_STATUS_POLL | FC_STATUS_ACK_REQUEST)))
		return;
	c->echo = s.poll;
	adv_send_status(a, port, h->vc);
}

/*
 * The replaced site, or another one in the adversary's place, announced something else: announce
 * with a later version.
 */
static void faults_in(struct adversary *a, u8 port, const u8 *p, u32 len)
{
	struct fc_faults_msg msg;
	unsigned int i;

	if (!fc_wire_faults_decode(&msg, p, len))
		return;
	for (i = 0; i < msg.n; i++) {
		const struct fc_fault *f = &msg.fault[i];

		if (f->site < a->topo.nsites)
			a->known[f->site] = *f;
		if (f->site != a->site || (f->version == a->word.version &&
					   f->incarnation == a->word.incarnation))
			continue;
		if (!fc_before(f->version, a->word.version)) {
			a->word.version = f->version + 1;
			a->word_at = 0;
		} else {
			send_word(a, port);
		}
	}
}

/* Mode csr: confirm the reservation of a packet for this site, and refuse those of others. */
static void csr_in(struct adversary *a, u8 port, const u8 *p, u32 len)
{
	struct fc_link_hdr h = { .type = FC_FRAME_CSR, .len = FC_CSR_SIZE };
	struct fc_csr_frame f;
	u8 answer[FC_CSR_SIZE];

	if (a->orders.lie == ADV_MUTE || !fc_wire_csr_decode(&f, p, len) ||
	    f.msg.type != FC_CSR_PROBE)
		return;
	f.msg.type = f.n == 1 && f.site[0] == a->site ? FC_CSR_ACK : FC_CSR_NACK;
	f.msg.lead = 0;
	f.n = 0;
	f.class = 0;
	fc_wire_csr_encode(answer, &f);
	adv_send(a, port, &h, answer, FC_CSR_SIZE);
}

static void frame_in(struct adversary *a, u8 port, u8 *frame, u32 len)
{
	const u8 *p = frame + ETH_HLEN + FC_LINK_SIZE;
	struct adv_port *end = &a->port[port];
	struct fc_link_hdr h;

	len -= take_code(frame + ETH_HLEN, len - ETH_HLEN);
	if (!fc_wire_link_decode(&h, frame + ETH_HLEN, len - ETH_HLEN, len - ETH_HLEN))
		return;
	if (h.type == FC_FRAME_HELLO) {
		hello_in(a, port, &h, p, frame + ETH_ALEN);
		return;
	}
	if (end->hello.state != FC_LINK_UP || h.epoch != (u16)end->hello.peer.epoch)
		return;
	fc_hello_alive(&end->hello, now_ns());
	if (h.type == FC_FRAME_FLIT) {
		struct adv_channel *c = &end->channel[h.vc];

		if (fc_before(c->acked, h.ack) && !fc_before(c->sent, h.ack))
			c->acked = h.ack;
		adv_take(a, c, h.seq, now_ns());
	} else if (h.type == FC_FRAME_STATUS) {
		status_in(a, port, &h, p);
	} else if (h.type == FC_FRAME_FAULTS) {
		faults_in(a, port, p, h.len);
	} else if (h.type == FC_FRAME_CSR) {
		csr_in(a, port, p, h.len);
	}
}

/* All frames are taken before the statuses are sent: one status for many flits. */
void adv_receive(struct adversary *a, u8 port)
{
	static u8 frame[FRAME_MAX];
	struct adv_port *p = &a->port[port];
	unsigned int budget, vc;

	for (budget = 0; budget < BUDGET; budget++) {
		struct sockaddr_ll addr;
		socklen_t size = sizeof(addr);
		ssize_t n = recvfrom(p->fd, frame, sizeof(frame), MSG_DONTWAIT, (void *)&addr,
				     &size);

		if (n < 0)
			break;
		if (n >= ETH_HLEN + FC_LINK_SIZE && addr.sll_pkttype != PACKET_OUTGOING &&
		    addr.sll_pkttype != PACKET_OTHERHOST)
			frame_in(a, port, frame, n);
	}
	for (vc = FC_VC_BCAST; vc < FC_VC_COUNT; vc++)
		if (p->channel[vc].dirty && p->hello.state == FC_LINK_UP)
			adv_send_status(a, port, vc);
}

static u64 sooner(u64 x, u64 y)
{
	return x < y ? x : y;
}

static u64 port_time(struct adversary *a, u8 port, u64 now)
{
	struct adv_port *p = &a->port[port];
	u64 next = FC_NEVER;
	unsigned int vc;

	link_todo(a, port, fc_hello_time(&p->hello, now, false));
	for (vc = FC_VC_BCAST; vc < FC_VC_COUNT && p->hello.state == FC_LINK_UP; vc++) {
		next = sooner(next, adv_act(a, port, vc, now));
		if (p->channel[vc].dirty)
			adv_send_status(a, port, vc);
	}
	next = sooner(next, adv_flood(a, port, now));
	return sooner(next, sooner(p->hello.send_at, p->hello.dead_at));
}

u64 adv_time(struct adversary *a, u64 now)
{
	bool word = now >= a->word_at;
	u64 next;
	u8 p;

	if (word)
		a->word_at = now + WORD_NS;
	next = a->word_at;
	for (p = 1; p <= a->topo.ndirs; p++) {
		if (a->port[p].fd < 0)
			continue;
		if (word && a->port[p].hello.state == FC_LINK_UP)
			send_word(a, p);
		next = sooner(next, port_time(a, p, now));
	}
	return next;
}

/* Initialization. */

static const char *open_device(struct adversary *a, u8 port)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET, .sll_protocol = htons(a->ethertype),
	};
	struct adv_port *p = &a->port[port];
	struct ifreq ifr = { 0 };
	int bytes = SOCKET_BYTES;

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "p%u", port);
	addr.sll_ifindex = if_nametoindex(ifr.ifr_name);
	p->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (p->fd < 0 || bind(p->fd, (void *)&addr, sizeof(addr)) ||
	    ioctl(p->fd, SIOCGIFHWADDR, &ifr))
		return strerror(errno);
	setsockopt(p->fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	memcpy(p->mac, ifr.ifr_hwaddr.sa_data, ETH_ALEN);
	memset(p->peer, 0xff, ETH_ALEN);
	return NULL;
}

/* The channels that honest packets from this site can use: classes of the link, in each set. */
static void mark_channels(struct adversary *a, u8 port)
{
	const struct fc_mode_ops *ops = fc_mode_ops(a->mode);
	u64 classes = ops->classes ? fc_vclass_carried(&a->classes, a->site, port - 1) : 1;
	u8 set, class;

	for (set = 0; set < FC_SET_COUNT; set++) {
		if (set == FC_SET_SHORT && ops->reserves)
			continue;
		for (class = 0; class < FC_VCLASSES_MAX; class++)
			if (classes >> class & 1)
				a->port[port].channel[fc_set_vc(set) + class].carried = true;
	}
}

static void start_hello(struct adversary *a, u8 port)
{
	a->port[port].hello = (struct fc_hello){
		.own = {
			.ver_min = fc_mode_ops(a->mode)->version,
			.ver_max = fc_mode_ops(a->mode)->version,
			.site = a->site, .port = port, .mode = a->mode, .window = a->window,
			.flit = a->flit, .epoch = (u32)now_ns() | 1,
			.topology = fc_topo_hash(&a->topo), .nsites = a->topo.nsites,
			.reason = FC_REASON_CARRIER, .interval = FC_HELLO_MS,
			/* Above those of an earlier life. */
			.number = (u32)(now_ns() / MS),
		},
		.want_site = fc_topo_neighbour(&a->topo, a->site, port - 1),
		.want_port = a->topo.ops->arrival(&a->topo, a->site, port - 1) + 1,
		.keyed = a->keyed, .ms = MS, .interval = FC_HELLO_MS * MS, .dead = FC_HELLO_DEAD,
		.send_at = FC_NEVER, .dead_at = FC_NEVER, .state = FC_LINK_DOWN,
	};
}

/* The module has a parameter for another ethertype. */
static u16 frame_type(void)
{
	FILE *file = fopen("/sys/module/flitcast/parameters/ethertype", "re");
	unsigned int type = FC_ETHERTYPE;

	if (file) {
		if (fscanf(file, "%u", &type) != 1)
			type = FC_ETHERTYPE;
		fclose(file);
	}
	return type;
}

const char *adv_open(struct adversary *a, const struct lab *lab, u32 site)
{
	const char *wrong;
	u8 p;

	a->topo = lab->topo;
	a->known = xalloc(a->topo.nsites, sizeof(*a->known));
	a->site = site;
	a->mode = *lab->mode ? fc_mode_parse(lab->mode) : FC_MODE_DEFAULT;
	a->ethertype = frame_type();
	a->keyed = lab->key;
	a->flit = lab->flit - (a->keyed ? FC_CODE_SIZE : 0);
	if (a->keyed && !adv_read_key(lab->key, a->key))
		return "the key of the lab cannot be read";
	a->window = lab->window;
	if (!a->window)
		a->window = fc_mode_ops(a->mode)->classes ? fc_vnet_window(a->flit - FC_LINK_SIZE) :
						      FLITCAST_WINDOW_DEFAULT;
	a->word = (struct fc_fault){
		.site = site, .incarnation = (u32)now_ns() | 1, .version = WORD_AHEAD,
	};
	if (fc_mode_ops(a->mode)->classes) {
		wrong = fc_vclass_init(&a->classes, &a->topo);
		if (wrong)
			return wrong;
		fc_vclass_fill(&a->classes, FC_SITE_NONE,
			       calloc(1, fc_vclass_room(&a->classes, FC_SITE_NONE) + 1));
	}
	for (p = 0; p < FC_PORTS_MAX; p++)
		a->port[p].fd = -1;
	for (p = 1; p <= a->topo.ndirs; p++) {
		if (fc_topo_neighbour(&a->topo, site, p - 1) == FC_SITE_NONE)
			continue;
		wrong = open_device(a, p);
		if (wrong)
			return wrong;
		mark_channels(a, p);
		restart(&a->port[p]);
		start_hello(a, p);
		link_todo(a, p, fc_hello_carrier(&a->port[p].hello, true, now_ns()));
	}
	return NULL;
}
