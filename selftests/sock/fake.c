// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include "../crc32c.h"
#include "core/wire/wire_sum.h"
#include "fake.h"
#include "lab.h"

#define FRAME_MAX	(ETH_HLEN + 65535)
/* The device of a port of site 0, and its peer device. */
#define REAL_DEV	"real%u"
#define FAKE_DEV	"fake%u"
#define UP_MS		20000

unsigned int fake_mtu = ETH_DATA_LEN;

static void transmit(struct fake *f, struct fc_link_hdr *h, const void *payload)
{
	uint8_t frame[FRAME_MAX];
	struct ethhdr *eth = (void *)frame;

	memcpy(eth->h_dest, f->peer, ETH_ALEN);
	memcpy(eth->h_source, f->mac, ETH_ALEN);
	eth->h_proto = htons(FC_ETHERTYPE);
	h->epoch = (uint16_t)f->own.epoch;
	memcpy(frame + ETH_HLEN + FC_LINK_SIZE, payload, h->len);
	fc_wire_frame_encode(frame + ETH_HLEN, h);
	if (send(f->fd, frame, ETH_HLEN + FC_LINK_SIZE + h->len, 0) < 0)
		die("cannot send: %s", strerror(errno));
}

static void send_status(struct fake *f, uint8_t vc, uint16_t echo)
{
	struct fc_link_hdr h = {
		.type = FC_FRAME_STATUS, .vc = vc, .len = FC_STATUS_SIZE,
		.seq = vc == FC_VC_BCAST ? f->bcast_sent : vc == f->vc ? f->sent : 0,
		.ack = f->taken[vc],
	};
	struct fc_status s = { .echo = echo };
	uint8_t p[FC_STATUS_SIZE];

	fc_wire_status_encode(p, &s);
	transmit(f, &h, p);
}

/* The site sent HELLO: answer with the HELLO it expects. */
static void hello_in(struct fake *f, const uint8_t *p, const uint8_t *from)
{
	struct fc_link_hdr h = { .type = FC_FRAME_HELLO, .len = FC_HELLO_SIZE };
	uint8_t own[FC_HELLO_SIZE];
	uint32_t epoch = f->link.epoch;

	if (!fc_wire_hello_decode(&f->link, p))
		die("a HELLO that is none");
	/* The site restarted the link because this program was silent for too long. */
	if (f->link.epoch != epoch) {
		memset(f->taken, 0, sizeof(f->taken));
		f->sent = 0;
		f->bcast_sent = 0;
		f->acked = 0;
		memset(f->in, 0, sizeof(f->in));
	}
	memcpy(f->peer, from, ETH_ALEN);
	f->own.ver_min = f->link.ver_min;
	f->own.ver_max = f->link.ver_max;
	f->own.mode = f->link.mode;
	f->own.flags = f->link.flags & FC_HELLO_INTEGRITY;
	f->own.window = f->link.window;
	f->own.flit = f->link.flit;
	f->own.topology = f->link.topology;
	f->own.nsites = f->link.nsites;
	f->own.peer_epoch = f->link.epoch;
	fc_wire_hello_encode(own, &f->own);
	transmit(f, &h, own);
}

static void bcast_in(struct fake *f, const struct fc_link_hdr *h, const uint8_t *p)
{
	if (!(h->flags & FC_PART_HEAD))
		return;
	if (!fc_wire_bcast_check(p, h->flags, h->len, f->link.nsites))
		die("a broadcast that is none");
	fc_wire_packet_decode(&f->bcast_packet, p);
	fc_wire_bcast_decode(&f->bcast, p);
	f->ncasts++;
}

/* Receive a flit.  Return: true if it ends a packet. */
static bool flit_in(struct fake *f, const struct fc_link_hdr *h, const uint8_t *p)
{
	struct fake_in *in = &f->in[h->vc == FC_VC_BCAST ? 0 : fc_vc_set(h->vc)];
	bool next = h->seq == f->taken[h->vc];
	uint32_t head = 0;
	unsigned int i;

	if (h->vc == f->vc)
		f->acked = h->ack;
	if (f->withhold)
		return false;
	f->taken[h->vc] += next;
	send_status(f, h->vc, 0);
	/* The site retransmitted a flit that was received. */
	if (!next)
		return false;
	if (h->vc == FC_VC_BCAST) {
		bcast_in(f, h, p);
		return false;
	}
	if (h->flags & FC_PART_HEAD) {
		head = fc_wire_head_size(p, h->len);
		if (!head || !fc_wire_head_check(p, h->flags, h->len, f->link.nsites))
			die("a packet that is none");
		fc_wire_packet_decode(&in->packet, p);
		for (i = 0; i < in->packet.ntargets && i < FAKE_MOST; i++)
			fc_wire_target_decode(&in->target[i], p, i);
		in->begun = true;
		in->data = 0;
	}
	in->data += h->len - head;
	if (!(h->flags & FC_PART_TERM))
		return false;
	if (!in->begun || h->flags & FC_PART_ABORT || in->data != fc_packet_data(&in->packet))
		die("a packet that is not whole");
	in->begun = false;
	return true;
}

static bool frame_in(struct fake *f, struct fake_event *e, const uint8_t *frame, uint32_t len)
{
	const uint8_t *p = frame + ETH_HLEN + FC_LINK_SIZE;
	const struct fake_in *in;
	struct fc_link_hdr h;
	struct fc_status s;

	if (!fc_wire_link_decode(&h, frame + ETH_HLEN, len - ETH_HLEN, len - ETH_HLEN))
		die("a frame that is none");
	switch ((enum fc_frame)h.type) {
	case FC_FRAME_HELLO:
		hello_in(f, p, frame + ETH_ALEN);
		return false;
	case FC_FRAME_STATUS:
		fc_wire_status_decode(&s, p);
		if (h.vc == f->vc)
			f->acked = h.ack;
		if (h.flags & (FC_STATUS_POLL | FC_STATUS_ACK_REQUEST))
			send_status(f, h.vc, s.poll);
		return false;
	case FC_FRAME_FLIT:
		if (!flit_in(f, &h, p))
			return false;
		in = &f->in[fc_vc_set(h.vc)];
		e->is_packet = true;
		e->packet = in->packet;
		e->n = in->packet.ntargets;
		memcpy(e->target, in->target, sizeof(e->target));
		return true;
	case FC_FRAME_CTRL:
		e->is_packet = false;
		e->n = fc_wire_ctrls_decode(e->ctrl, p, h.len);
		if (!e->n)
			die("a control frame that is none");
		return true;
	case FC_FRAME_FAULTS:
	case FC_FRAME_CSR:
		return false;
	}
	return false;
}

/* Read pending frames until one is an event.  Return: false if none is. */
static bool drain(struct fake *f, struct fake_event *e)
{
	uint8_t frame[FRAME_MAX];
	struct sockaddr_ll addr;
	socklen_t len;
	ssize_t n;

	for (;;) {
		len = sizeof(addr);
		n = recvfrom(f->fd, frame, sizeof(frame), MSG_DONTWAIT, (void *)&addr, &len);
		if (n < 0)
			return false;
		if (addr.sll_pkttype == PACKET_OUTGOING || n < ETH_HLEN + FC_LINK_SIZE)
			continue;
		if (frame_in(f, e, frame, n)) {
			e->ms = now_ms();
			return true;
		}
	}
}

bool fake_next(struct fake *f, struct fake_event *e, unsigned int ms)
{
	struct pollfd pfd = { .fd = f->fd, .events = POLLIN };
	uint64_t until = now_ms() + ms, now;

	for (;;) {
		if (drain(f, e))
			return true;
		now = now_ms();
		if (now >= until)
			return false;
		poll(&pfd, 1, until - now);
	}
}

void fake_ctrl(struct fake *f, const struct fc_ctrl *ctrl, unsigned int n)
{
	struct fc_link_hdr h = { .type = FC_FRAME_CTRL, .len = (uint16_t)(n * FC_CTRL_SIZE) };
	uint8_t p[FC_CTRLS_MAX * FC_CTRL_SIZE];
	unsigned int i;

	for (i = 0; i < n && i < FC_CTRLS_MAX; i++) {
		fc_wire_ctrl_encode(p + i * FC_CTRL_SIZE, &ctrl[i]);
		fc_wire_ctrl_set_sum(p + i * FC_CTRL_SIZE);
	}
	transmit(f, &h, p);
}

void fake_faults(struct fake *f, const struct fc_faults_msg *msg)
{
	struct fc_link_hdr h = {
		.type = FC_FRAME_FAULTS, .len = (uint16_t)fc_faults_size(msg->n),
	};
	uint8_t p[FRAME_MAX];

	fc_wire_faults_encode(p, msg);
	transmit(f, &h, p);
}

void fake_probe(struct fake *f, uint32_t sent)
{
	struct fc_link_hdr h = {
		.type = FC_FRAME_STATUS, .vc = f->vc, .len = FC_STATUS_SIZE,
		.flags = FC_STATUS_POLL | FC_STATUS_ACK_REQUEST, .seq = sent,
		.ack = f->taken[f->vc],
	};
	struct fc_status s = { .poll = 1 };
	uint8_t p[FC_STATUS_SIZE];

	fc_wire_status_encode(p, &s);
	transmit(f, &h, p);
}

void fake_packet(struct fake *f, const struct fc_packet *pk, const struct fc_target *t,
		 const void *data)
{
	struct fc_link_hdr h = {
		.type = FC_FRAME_FLIT, .vc = f->vc, .flags = FC_PART_HEAD | FC_PART_TERM,
		.len = (uint16_t)(fc_head_size(pk->ntargets) + fc_packet_data(pk)),
		.seq = f->sent++, .ack = f->taken[f->vc],
	};
	uint8_t p[FRAME_MAX];
	unsigned int i;

	fc_wire_packet_encode(p, pk);
	for (i = 0; i < pk->ntargets; i++)
		fc_wire_target_encode(p, i, &t[i]);
	memcpy(p + fc_head_size(i), data, fc_packet_data(pk));
	fc_wire_set_sum(p, crc32c(data, fc_packet_data(pk)));
	transmit(f, &h, p);
}

void fake_flit(struct fake *f, uint8_t vc, uint8_t flags, uint32_t seq, const void *payload,
	       uint16_t len)
{
	struct fc_link_hdr h = {
		.type = FC_FRAME_FLIT, .vc = vc, .flags = flags, .len = len, .seq = seq,
		.ack = f->taken[vc],
	};

	transmit(f, &h, payload);
}

void fake_front(struct fake *f, const struct fc_packet *pk, const struct fc_target *t)
{
	struct fc_link_hdr h = {
		.type = FC_FRAME_FLIT, .vc = f->vc, .flags = FC_PART_HEAD,
		.len = (uint16_t)(f->link.flit - FC_LINK_SIZE), .seq = f->sent++,
		.ack = f->taken[f->vc],
	};
	uint8_t p[FRAME_MAX] = { 0 };

	fc_wire_packet_encode(p, pk);
	fc_wire_target_encode(p, 0, t);
	transmit(f, &h, p);
}

/* Unacked flits of this program at most, fewer than the window of the site. */
#define TRAIN_AHEAD	4

bool fake_train(struct fake *f, const struct fc_packet *pk, const struct fc_target *t)
{
	uint32_t most = f->link.flit - FC_LINK_SIZE, left = fc_packet_data(pk);
	static const uint8_t zeros[FC_PACKET_MAX];
	uint64_t until = now_ms() + UP_MS;
	uint8_t p[FRAME_MAX] = { 0 };
	struct fake_event e;
	unsigned int i;

	for (i = 0; i < pk->ntargets; i++)
		fc_wire_target_encode(p, i, &t[i]);
	fc_wire_packet_encode(p, pk);
	fc_wire_set_sum(p, crc32c(zeros, left));
	i = fc_head_size(pk->ntargets);
	for (bool front = true; front || left; front = false) {
		struct fc_link_hdr h = {
			.type = FC_FRAME_FLIT, .vc = f->vc, .flags = front ? FC_PART_HEAD : 0,
			.ack = f->taken[f->vc],
		};
		uint32_t head = front ? i : 0;
		uint32_t n = left < most - head ? left : most - head;

		while (f->sent - f->acked >= TRAIN_AHEAD) {
			if (now_ms() > until)
				return false;
			fake_probe(f, f->sent);
			fake_next(f, &e, 5);
		}
		left -= n;
		if (!left)
			h.flags |= FC_PART_TERM;
		h.len = (uint16_t)(head + n);
		h.seq = f->sent++;
		transmit(f, &h, p);
		memset(p, 0, head);
	}
	return true;
}

void fake_bcast(struct fake *f, const struct fc_packet *pk, const struct fc_bcast_hdr *bcast,
		const void *data)
{
	struct fc_link_hdr h = {
		.type = FC_FRAME_FLIT, .vc = FC_VC_BCAST, .flags = FC_PART_HEAD | FC_PART_TERM,
		.len = (uint16_t)(fc_head_size(1) + fc_packet_data(pk)), .seq = f->bcast_sent++,
		.ack = f->taken[FC_VC_BCAST],
	};
	uint8_t p[FRAME_MAX];

	fc_wire_packet_encode(p, pk);
	fc_wire_bcast_encode(p, bcast);
	memcpy(p + fc_head_size(1), data, fc_packet_data(pk));
	fc_wire_set_sum(p, crc32c(data, fc_packet_data(pk)));
	transmit(f, &h, p);
}

struct fc_ctrl fake_answer(const struct fake_event *e, unsigned int i, enum fc_ctrl_kind kind)
{
	const struct fc_target *t = &e->target[i];

	return (struct fc_ctrl) {
		.kind = kind, .hops = 1, .dst = e->packet.src,
		.incarnation = e->packet.incarnation, .sock = e->packet.sock, .site = t->site,
		.port = t->port, .seq = t->seq, .next = t->seq - t->outstanding,
	};
}

struct fc_ctrl fake_confirm(const struct fake_event *e, unsigned int i)
{
	struct fc_ctrl ctrl = fake_answer(e, i, FC_CTRL_CONFIRM);

	ctrl.next = ctrl.seq + 1;
	return ctrl;
}

static void open_device(struct fake *f, const char *name)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET, .sll_protocol = htons(FC_ETHERTYPE),
		.sll_ifindex = if_nametoindex(name),
	};
	struct ifreq request = { 0 };

	f->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	snprintf(request.ifr_name, IFNAMSIZ, "%s", name);
	if (f->fd < 0 || bind(f->fd, (struct sockaddr *)&addr, sizeof(addr)) ||
	    ioctl(f->fd, SIOCGIFHWADDR, &request))
		die("packet socket on %s: %s", name, strerror(errno));
	memcpy(f->mac, request.ifr_hwaddr.sa_data, ETH_ALEN);
}

const char *fake_site(const char *topology, const char *settings)
{
	if (unshare(CLONE_NEWNET))
		return strerror(errno);
	if (cli("site add 0 topology %s %s %s", topology, strstr(settings, "mode") ? "" : "mode care",
		settings))
		return cli_output();
	return NULL;
}

/* Is the link at that port up? */
static bool link_up(unsigned int port)
{
	return !cli("-j link show " REAL_DEV, port) && strstr(cli_output(), "\"up\"");
}

const char *fake_link(struct fake *f, unsigned int port, unsigned int site,
		      unsigned int peer_port)
{
	uint64_t until = now_ms() + UP_MS;
	char name[IFNAMSIZ], text[256];
	struct fake_event e;

	memset(f, 0, sizeof(*f));
	f->own.epoch = 1;
	f->vc = FC_VC_CLASS;
	f->own.site = site;
	f->own.port = peer_port;
	snprintf(text, sizeof(text),
		 "ip link add " REAL_DEV " mtu %u type veth peer name " FAKE_DEV " mtu %u && "
		 "ip link set " REAL_DEV " up && ip link set " FAKE_DEV " up",
		 port, fake_mtu, port, fake_mtu, port, port);
	if (system(text))
		return "ip cannot make a pair of devices";
	snprintf(name, sizeof(name), FAKE_DEV, port);
	open_device(f, name);
	if (cli("link add " REAL_DEV " port %u", port, port))
		return cli_output();
	while (now_ms() < until) {
		fake_next(f, &e, 10);
		if (link_up(port))
			return NULL;
	}
	return "the link does not come up";
}

const char *fake_all_up(struct fake *f, unsigned int n)
{
	uint64_t until = now_ms() + UP_MS;
	struct fake_event e;
	unsigned int i, up;

	while (now_ms() < until) {
		for (i = 0; i < n; i++)
			fake_next(&f[i], &e, 10);
		for (i = up = 0; i < n; i++)
			up += link_up(i + 1);
		if (up == n)
			return NULL;
	}
	return "not all links are up";
}

const char *fake_up(struct fake *f, const char *settings)
{
	char topology[32];
	const char *bad;

	snprintf(topology, sizeof(topology), "line:%d", FAKE_SITES);
	bad = fake_site(topology, settings);
	return bad ? bad : fake_link(f, 1, 1, 2);
}
