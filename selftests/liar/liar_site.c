// SPDX-License-Identifier: GPL-2.0
/* A faulty site, up to its frames: links like those of any other site, over packet sockets. */
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
#include "graph_paths.h"
#include "liar_impl.h"
#include "core/topo/tree.h"
#include "core/vnet/vnet.h"
#include "core/wire/wire_check.h"

#define HELLO_NS	1000000000ULL
/* Values of a site of the kernel. */
#define RETRY_NS	2000000ULL
#define PROBE_NS	20000000ULL
#define FRAME_MAX	(ETH_HLEN + FC_LINK_SIZE + 65536)
#define SOCKET_BYTES	(4 << 20)
/* Frames received from one port before the next port has its turn. */
#define BUDGET		64
/* Lead of the version of this site's updates over those of the replaced site. */
#define WORD_AHEAD	1000

struct flit *flit_new(const void *data, u32 len)
{
	struct flit *f = calloc(1, sizeof(*f) + len);

	if (!f)
		return NULL;
	f->refs = 1;
	f->len = len;
	memcpy(f->data, data, len);
	return f;
}

void flit_put(struct flit *f)
{
	if (f && !--f->refs)
		free(f);
}

/* Transmission. */

/* A frame that the device does not accept is lost, as on any link. */
static void transmit(struct liar *l, u8 port, struct fc_link_hdr *h, const void *payload)
{
	static uint8_t frame[FRAME_MAX];
	struct port *p = &l->port[port];
	struct ether_header *eth = (void *)frame;

	memcpy(eth->ether_dhost, p->peer, ETH_ALEN);
	memcpy(eth->ether_shost, p->mac, ETH_ALEN);
	eth->ether_type = htons(l->ethertype);
	h->epoch = (u16)p->hello.own.epoch;
	memcpy(frame + ETH_HLEN + FC_LINK_SIZE, payload, h->len);
	fc_wire_frame_encode(frame + ETH_HLEN, h);
	if (send(p->fd, frame, ETH_HLEN + FC_LINK_SIZE + h->len, MSG_DONTWAIT) < 0)
		return;
}

static void send_hello(struct liar *l, u8 port, bool full, bool pair)
{
	struct fc_link_hdr h = { .type = FC_FRAME_HELLO, .len = FC_HELLO_SIZE };
	struct fc_hello_msg msg = fc_hello_next(&l->port[port].hello, pair);
	static u8 p[FRAME_MAX];

	fc_wire_hello_encode(p, &msg);
	if (full)
		h.len = (u16)(l->flit - FC_LINK_SIZE);
	transmit(l, port, &h, p);
}

static void send_status(struct liar *l, u8 vc, const struct fc_effect *e)
{
	struct fc_link_hdr h = {
		.type = FC_FRAME_STATUS, .vc = vc, .flags = e->flags, .len = FC_STATUS_SIZE,
		.seq = e->seq, .ack = e->ack,
	};
	u8 p[FC_STATUS_SIZE];

	fc_wire_status_encode(p, &e->status);
	transmit(l, e->port, &h, p);
}

static void send_kept(struct liar *l, const struct kept *k, u8 port, u32 ack)
{
	struct fc_link_hdr h = {
		.type = FC_FRAME_FLIT, .vc = FC_VC_BCAST, .flags = k->parts, .seq = k->seq,
		.ack = ack, .len = k->flit ? k->flit->len : 0,
	};

	if (k->there)
		transmit(l, port, &h, k->flit ? k->flit->data : NULL);
}

/* Report all links of the site as dead, so that peers forward only broadcasts to it. */
static void send_word(struct liar *l, u8 port)
{
	struct fc_faults_msg msg = { .n = 1, .fault = { l->word } };
	struct fc_link_hdr h = { .type = FC_FRAME_FAULTS, .len = (u16)fc_faults_size(1) };
	u8 p[FC_FAULTS_SIZE + FC_FAULT_SIZE];

	fc_wire_faults_encode(p, &msg);
	transmit(l, port, &h, p);
}

static void confirm(struct liar *l, struct fc_ctrl *ctrl)
{
	struct fc_link_hdr h = { .type = FC_FRAME_CTRL, .len = FC_CTRL_SIZE };
	u32 paths = fc_topo_minimal(&l->topo, l->site, ctrl->dst) << 1;
	u8 p[FC_CTRL_SIZE];

	paths &= l->bcast.relay.ch.up & ~fc_bit(FC_PORT_LOCAL);
	if (!paths)
		return;
	ctrl->kind = FC_CTRL_CONFIRM;
	ctrl->hops = 1;
	ctrl->site = l->site;
	ctrl->next = ctrl->seq + 1;
	fc_wire_ctrl_encode(p, ctrl);
	transmit(l, fc_low(paths), &h, p);
}

/* Running the core's relay. */

static void link_todo(struct liar *l, u8 port, u8 todo);

static void forget(struct kept *k)
{
	flit_put(k->flit);
	memset(k, 0, sizeof(*k));
}

static void free_held(struct flits *held)
{
	while (held->n)
		flit_put(held->flit[--held->n]);
	free(held->flit);
	memset(held, 0, sizeof(*held));
}

static void hold(struct liar *l, struct voice *v, const struct fc_effect *e)
{
	struct flits *held = &v->held[e->hold];

	held->flit = xrealloc(held->flit, (held->n + 1) * sizeof(*held->flit));
	held->flit[held->n++] = e->flit.h;
}

/* A broadcast has arrived: confirm it to its source, whatever the liar does with it. */
static void deliver(struct liar *l, const struct flits *held)
{
	struct fc_ctrl ctrl = { 0 };
	struct fc_packet pk;
	struct fc_bcast_hdr bcast;

	fc_wire_packet_decode(&pk, held->flit[0]->data);
	fc_wire_bcast_decode(&bcast, held->flit[0]->data);
	ctrl.dst = pk.src;
	ctrl.incarnation = pk.incarnation;
	ctrl.sock = pk.sock;
	ctrl.port = bcast.port;
	ctrl.seq = bcast.seq;
	confirm(l, &ctrl);
	liar_capture(l, held);
}

static void perform(struct liar *l, struct voice *v, const struct fc_effect *e, u32 *resets)
{
	struct kept *k = &v->kept[e->port][e->seq % WINDOW_MAX];
	struct flit *sent = NULL;
	unsigned int i;

	switch (e->type) {
	case FC_FX_HOLD:
		hold(l, v, e);
		break;
	case FC_FX_RELAY:
		sent = liar_sends(l, &v->held[e->hold], e->index, e->port,
				  e->flit.parts & FC_PART_HEAD);
		/* fall through */
	case FC_FX_CUT:
		forget(k);
		*k = (struct kept){ sent, e->seq, e->flit.parts, true };
		send_kept(l, k, e->port, e->ack);
		break;
	case FC_FX_RESEND:
		send_kept(l, k, e->port, e->ack);
		break;
	case FC_FX_RELEASE:
	case FC_FX_RESCUE:
		for (i = 0; i < WINDOW_MAX; i++)
			if (e->type == FC_FX_RESCUE ||
			    fc_before(v->kept[e->port][i].seq, e->seq))
				forget(&v->kept[e->port][i]);
		break;
	case FC_FX_DELIVER:
		deliver(l, &v->held[e->hold]);
		break;
	case FC_FX_FREE:
		free_held(&v->held[e->hold]);
		break;
	case FC_FX_DROP:
		flit_put(e->flit.h);
		break;
	case FC_FX_STATUS:
		send_status(l, v->relay.ch.vc, e);
		break;
	case FC_FX_RESET:
		*resets |= fc_bit(e->port);
		break;
	case FC_FX_ROUTE:
	case FC_FX_RESERVE:
	case FC_FX_ADMITTED:
		break;
	}
}

static void event(struct liar *l, struct voice *v, struct fc_event *ev)
{
	struct fc_effects fx;
	u32 i, resets = 0;
	bool more;

	ev->now = now_ns();
	do {
		more = fc_relay_event(&v->relay, ev, &fx);
		for (i = 0; i < fx.n; i++)
			perform(l, v, &fx.fx[i], &resets);
		ev->type = FC_EV_MORE;
	} while (more);
	for (; resets; resets &= resets - 1)
		link_todo(l, fc_low(resets),
			  fc_hello_reset(&l->port[fc_low(resets)].hello, now_ns()));
}

static void both(struct liar *l, struct fc_event ev)
{
	struct fc_event same = ev;
	u8 i;

	event(l, &l->bcast, &ev);
	for (i = 0; i < l->nother; i++) {
		ev = same;
		event(l, &l->other[i], &ev);
	}
}

/* Return: the state of a channel; NULL if the mode has no such channel. */
static struct voice *voice_of(struct liar *l, u8 vc)
{
	if (vc == FC_VC_BCAST)
		return &l->bcast;
	if (vc < FC_VC_CLASS || vc - FC_VC_CLASS >= l->nother)
		return NULL;
	return &l->other[vc - FC_VC_CLASS];
}

static void link_todo(struct liar *l, u8 port, u8 todo)
{
	struct fc_event ev = { .port = port };

	if (todo & FC_HELLO_GO_DOWN) {
		ev.type = FC_EV_LINK_DOWN;
		both(l, ev);
	}
	if (todo & FC_HELLO_CHECK)
		send_hello(l, port, true, true);
	if (todo & FC_HELLO_SEND)
		send_hello(l, port, fc_hello_full(&l->port[port].hello), todo & FC_HELLO_CHECK);
	if (todo & FC_HELLO_GO_UP) {
		ev.type = FC_EV_LINK_UP;
		ev.count = l->port[port].hello.peer.window;
		both(l, ev);
		send_word(l, port);
	}
}

void liar_begin(struct liar *l, struct flit **flit, u32 n)
{
	u32 i;

	l->flood = l->bcast.relay.ch.up & ~fc_bit(FC_PORT_LOCAL);
	for (i = 0; i < n; i++) {
		struct fc_event ev = { .type = FC_EV_FLIT, .port = FC_PORT_LOCAL };

		ev.flit.h = flit[i];
		ev.flit.data = flit[i]->len - (i ? 0 : HEAD_SIZE);
		ev.flit.head = i ? NULL : flit[i]->data;
		ev.flit.parts = (i ? 0 : FC_PART_HEAD) | (i + 1 == n ? FC_PART_TERM : 0);
		event(l, &l->bcast, &ev);
	}
}

/* Reception. */

static void hello_in(struct liar *l, u8 port, const u8 *p, u32 len, const u8 *from)
{
	struct fc_hello_msg msg;

	if (!fc_wire_hello_decode(&msg, p))
		return;
	memcpy(l->port[port].peer, from, ETH_ALEN);
	link_todo(l, port, fc_hello_received(&l->port[port].hello, &msg,
					     len + FC_LINK_SIZE >= l->flit, now_ns()));
}

static void flit_in(struct liar *l, u8 port, const struct fc_link_hdr *h, const u8 *p)
{
	struct fc_event ev = {
		.type = FC_EV_FLIT, .port = port, .seq = h->seq, .ack = h->ack,
		.flit = { .parts = h->flags, .data = h->len },
	};
	struct voice *v = voice_of(l, h->vc);
	bool bcast = h->vc == FC_VC_BCAST;
	struct flit *f;

	if (!v)
		return;

	if (h->flags & FC_PART_HEAD) {
		u32 size = fc_wire_head_size(p, h->len);

		if (!size || size > h->len ||
		    !(bcast ? fc_wire_bcast_check(p, h->flags, h->len, l->topo.nsites) :
		      fc_wire_head_check(p, h->flags, h->len, l->topo.nsites)))
			return;
		ev.flit.data -= size;
	}
	f = flit_new(p, h->len);
	if (!f)
		return;
	ev.flit.h = f;
	if (h->flags & FC_PART_HEAD)
		ev.flit.head = f->data;
	event(l, v, &ev);
}

static void status_in(struct liar *l, u8 port, const struct fc_link_hdr *h, const u8 *p)
{
	struct fc_event ev = {
		.type = FC_EV_STATUS, .port = port, .flags = h->flags, .seq = h->seq,
		.ack = h->ack,
	};

	fc_wire_status_decode(&ev.status, p);
	if (voice_of(l, h->vc))
		event(l, voice_of(l, h->vc), &ev);
}

/* Confirm every message that a site asks about. */
static void ctrl_in(struct liar *l, const u8 *p, u32 len)
{
	struct fc_ctrl ctrl[FC_CTRLS_MAX];
	u32 i, n = fc_wire_ctrls_decode(ctrl, p, len);

	for (i = 0; i < n; i++) {
		if (ctrl[i].kind != FC_CTRL_ASK || ctrl[i].dst != l->site ||
		    ctrl[i].site >= l->topo.nsites)
			continue;
		ctrl[i].dst = ctrl[i].site;
		confirm(l, &ctrl[i]);
	}
}

static void faults_in(struct liar *l, u8 port, const u8 *p, u32 len)
{
	struct fc_faults_msg msg;
	unsigned int i;

	if (!fc_wire_faults_decode(&msg, p, len))
		return;
	for (i = 0; i < msg.n; i++) {
		const struct fc_fault *f = &msg.fault[i];

		if (f->site != l->site || (f->version == l->word.version &&
					   f->incarnation == l->word.incarnation))
			continue;
		if (!fc_before(f->version, l->word.version)) {
			l->word.version = f->version + 1;
			l->send_at = 0;
		} else {
			send_word(l, port);
		}
	}
}

static void frame_in(struct liar *l, u8 port, const u8 *frame, u32 len)
{
	const u8 *p = frame + ETH_HLEN + FC_LINK_SIZE;
	struct fc_hello *hello = &l->port[port].hello;
	struct fc_link_hdr h;

	if (!fc_wire_link_decode(&h, frame + ETH_HLEN, len - ETH_HLEN, len - ETH_HLEN))
		return;
	if (h.type == FC_FRAME_HELLO) {
		hello_in(l, port, p, h.len, frame + ETH_ALEN);
		return;
	}
	if (hello->state != FC_LINK_UP || h.epoch != (u16)hello->peer.epoch)
		return;
	fc_hello_alive(hello, now_ns());
	if (h.type == FC_FRAME_FLIT)
		flit_in(l, port, &h, p);
	else if (h.type == FC_FRAME_STATUS)
		status_in(l, port, &h, p);
	else if (h.type == FC_FRAME_CTRL)
		ctrl_in(l, p, h.len);
	else if (h.type == FC_FRAME_FAULTS)
		faults_in(l, port, p, h.len);
}

void liar_receive(struct liar *l, u8 port)
{
	static uint8_t frame[FRAME_MAX];
	struct sockaddr_ll addr;
	unsigned int budget;

	for (budget = 0; budget < BUDGET; budget++) {
		socklen_t size = sizeof(addr);
		ssize_t n = recvfrom(l->port[port].fd, frame, sizeof(frame), MSG_DONTWAIT,
				     (void *)&addr, &size);

		if (n < 0)
			return;
		if (n >= ETH_HLEN + FC_LINK_SIZE && addr.sll_pkttype != PACKET_OUTGOING &&
		    addr.sll_pkttype != PACKET_OTHERHOST)
			frame_in(l, port, frame, n);
	}
}

static u64 sooner(u64 a, u64 b)
{
	return a < b ? a : b;
}

u64 liar_time(struct liar *l, u64 now)
{
	struct fc_event ev = { .type = FC_EV_TIME };
	u64 next;
	u8 p;

	for (p = 1; p <= l->topo.ndirs; p++)
		if (l->port[p].fd >= 0)
			link_todo(l, p, fc_hello_time(&l->port[p].hello, now, false));
	both(l, ev);
	if (now >= l->send_at) {
		l->send_at = now + HELLO_NS;
		for (p = 1; p <= l->topo.ndirs; p++)
			if (l->port[p].hello.state == FC_LINK_UP)
				send_word(l, p);
	}
	liar_time_to_lie(l, now);
	next = sooner(sooner(l->send_at, l->lie_at), l->bcast.relay.ch.next_at);
	for (p = 0; p < l->nother; p++)
		next = sooner(next, l->other[p].relay.ch.next_at);
	for (p = 1; p <= l->topo.ndirs; p++)
		if (l->port[p].fd >= 0)
			next = sooner(next, sooner(l->port[p].hello.send_at,
						   l->port[p].hello.dead_at));
	return next;
}

/* Initialization. */

const struct liar_paths *liar_paths(const struct liar *l, u32 src, u8 copies)
{
	const struct liar_paths *w;

	if (!l->paths || src >= l->topo.nsites || copies < FC_PATH_COPIES_MIN ||
	    copies > FC_PATH_COPIES_MAX)
		return NULL;
	w = &l->paths[(copies - FC_PATH_COPIES_MIN) * l->topo.nsites + src];
	return w->n ? w : NULL;
}

static u32 bcast_next_hop(const struct fc_relay *relay, u32 src, u8 copies, u8 label, u8 in)
{
	struct liar *l = (struct liar *)relay->tables;
	const struct liar_paths *w = liar_paths(l, src, copies);
	const struct fc_bcast *b;
	u32 entry;

	if (in == FC_PORT_LOCAL)
		return l->flood;
	if (copies < 1 || copies > FC_COPIES_MAX)
		return FC_RELAY_NEVER;
	if (w) {
		entry = fc_path_next(w->entry, w->n, in, label);
		return entry ? liar_next_hop(l, entry | fc_bit(FC_PORT_LOCAL)) : FC_RELAY_NEVER;
	}
	b = &l->table[copies - 1];
	if (b->entry) {
		entry = fc_bcast_next(b, src, l->site, in - 1);
		if (!entry)
			return FC_RELAY_NEVER;
	} else if (copies > 1 || !fc_tree_next(&l->topo, src, l->site, in - 1, &entry)) {
		return FC_RELAY_NEVER;
	}
	return liar_next_hop(l, (entry & ~FC_BCAST_DELIVER) << 1 | fc_bit(FC_PORT_LOCAL));
}

/* Packets other than broadcasts are not forwarded. */
static u32 no_next_hop(const struct fc_relay *relay, u32 src, u8 copies, u8 label, u8 in)
{
	return FC_RELAY_NEVER;
}

static void make_tables(struct liar *l)
{
	struct fc_bcast_work *work = xalloc(fc_bcast_slots(&l->topo), sizeof(*work));
	u32 k;

	for (k = 1; k <= l->topo.ndirs && k <= FC_COPIES_MAX; k++) {
		struct fc_bcast *b = &l->table[k - 1];

		if (fc_bcast_init(b, &l->topo, k))
			continue;
		b->entry = xalloc(fc_bcast_slots(&l->topo), sizeof(*b->entry));
		if (fc_bcast_fill(b, work)) {
			free(b->entry);
			b->entry = NULL;
		}
	}
	free(work);
}

/* Compute the paths of the replaced site: the liar knows its part of them. */
static void make_paths(struct liar *l, unsigned int copies)
{
	struct flitcast_paths p;
	u32 source, k;

	l->paths = xalloc((size_t)(FC_PATH_COPIES_MAX - FC_PATH_COPIES_MIN + 1) * l->topo.nsites,
			  sizeof(*l->paths));
	for (k = FC_PATH_COPIES_MIN; k <= copies; k++) {
		for (source = 0; source < l->topo.nsites; source++) {
			struct liar_paths *w;

			w = &l->paths[(k - FC_PATH_COPIES_MIN) * l->topo.nsites + source];
			if (graph_paths(&p, l->topo.graph, source, k))
				continue;
			if (graph_path_entries(&l->topo, &p, l->site, w->entry, &w->n))
				w->n = 0;
			flitcast_paths_free(&p);
		}
	}
}

static void make_voice(struct liar *l, struct voice *v, u8 vc)
{
	struct fc_relay *r = &v->relay;
	u8 p;

	r->next_hop = vc == FC_VC_BCAST ? bcast_next_hop : no_next_hop;
	r->tables = l;
	r->ch.timing = &l->timing;
	r->ch.rx = v->rx;
	r->ch.tx = v->tx;
	r->ch.window = l->window;
	r->ch.nports = l->topo.ndirs + 1;
	r->stat = v->stat;
	r->id = l->site;
	r->nsites = l->topo.nsites;
	r->nlabels = l->topo.graph ? FC_LABELS_MAX : 1;
	r->nholds = fc_relay_holds(r->nsites, r->ch.nports *
				   (l->topo.graph ? FC_RELAY_SHARE : 1));
	r->in = xalloc(r->ch.nports, sizeof(*r->in));
	r->out = xalloc(r->ch.nports, sizeof(*r->out));
	r->hold = xalloc(r->nholds, sizeof(*r->hold));
	r->seen = xalloc((size_t)r->nsites * r->ch.nports * r->nlabels, sizeof(*r->seen));
	v->held = xalloc(r->nholds, sizeof(*v->held));
	for (p = 0; p < r->ch.nports; p++) {
		v->rx[p].queue = xalloc(l->window, sizeof(*v->rx[p].queue));
		v->rx[p].stat = v->link_stat[p];
		r->out[p].fifo = xalloc(r->nholds, sizeof(*r->out[p].fifo));
	}
	fc_relay_init(r);
	r->ch.vc = vc;
}

static bool open_port(struct liar *l, u8 port, char **wrong)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET, .sll_protocol = htons(l->ethertype),
	};
	struct port *p = &l->port[port];
	struct ifreq ifr = { 0 };
	int bytes = SOCKET_BYTES;

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "p%u", port);
	addr.sll_ifindex = if_nametoindex(ifr.ifr_name);
	p->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (p->fd < 0 || bind(p->fd, (void *)&addr, sizeof(addr)) ||
	    ioctl(p->fd, SIOCGIFHWADDR, &ifr)) {
		*wrong = xprintf("device p%u: %s", port, strerror(errno));
		return false;
	}
	setsockopt(p->fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	memcpy(p->mac, ifr.ifr_hwaddr.sa_data, ETH_ALEN);
	memset(p->peer, 0xff, ETH_ALEN);
	/* Do not wait for a link without carrier. */
	p->carrier = !ioctl(p->fd, SIOCGIFFLAGS, &ifr) && ifr.ifr_flags & IFF_RUNNING;
	p->hello = (struct fc_hello){
		.own = {
			.ver_min = fc_mode_ops(l->mode)->version,
			.ver_max = fc_mode_ops(l->mode)->version,
			.site = l->site, .port = port, .mode = l->mode,
			.window = l->window, .flit = l->flit, .epoch = (u32)now_ns() | 1,
			.topology = fc_topo_hash(&l->topo),
			.nsites = l->topo.nsites, .reason = FC_REASON_CARRIER,
		},
		.want_site = fc_topo_neighbour(&l->topo, l->site, port - 1),
		.want_port = l->topo.ops->arrival(&l->topo, l->site, port - 1) + 1,
		.interval = HELLO_NS, .send_at = FC_NEVER, .dead_at = FC_NEVER,
		.state = FC_LINK_DOWN,
	};
	return true;
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

bool liar_open(struct liar *l, const struct lab *lab, u32 site, char **wrong)
{
	struct fc_vclass classes;
	u8 p;

	l->topo = lab->topo;
	l->site = site;
	l->flit = lab->flit;
	l->mode = *lab->mode ? fc_mode_parse(lab->mode) : FC_MODE_DEFAULT;
	l->window = lab->window;
	if (!l->window)
		l->window = fc_mode_ops(l->mode)->classes ? fc_vnet_window(l->flit - FC_LINK_SIZE) :
						      FLITCAST_WINDOW_DEFAULT;
	l->ethertype = frame_type();
	l->timing.retry = RETRY_NS;
	l->timing.ack_delay = RETRY_NS;
	l->timing.poll = PROBE_NS;
	l->known = xalloc(l->topo.nsites, sizeof(*l->known));
	l->word.site = site;
	l->word.incarnation = (u32)now_ns() | 1;
	l->word.version = WORD_AHEAD;
	make_tables(l);
	if (l->topo.graph)
		make_paths(l, lab->copies);
	make_voice(l, &l->bcast, FC_VC_BCAST);
	l->nother = 1;
	if (fc_mode_ops(l->mode)->classes && !fc_vclass_init(&classes, &l->topo))
		l->nother = classes.count;
	l->other = xalloc(l->nother, sizeof(*l->other));
	for (p = 0; p < l->nother; p++)
		make_voice(l, &l->other[p], FC_VC_CLASS + p);
	for (p = 0; p < FC_PORTS_MAX; p++)
		l->port[p].fd = -1;
	for (p = 1; p <= l->topo.ndirs; p++) {
		if (fc_topo_neighbour(&l->topo, site, p - 1) == FC_SITE_NONE)
			continue;
		l->word.ports |= fc_bit(p);
		if (!open_port(l, p, wrong))
			return false;
	}
	for (p = 1; p <= l->topo.ndirs; p++)
		if (l->port[p].fd >= 0)
			link_todo(l, p, fc_hello_carrier(&l->port[p].hello, true, now_ns()));
	return true;
}
