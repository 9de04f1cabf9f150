// SPDX-License-Identifier: GPL-2.0
/*
 * A faulty peer of an RDMA link: it calls the listening end, in place of the true peer, with the
 * verbs of user space.
 *
 *	liar [-s SEED] [-n COUNT] SOURCE DESTINATION OWN FAR FLIT CASE
 *
 * SOURCE and DESTINATION are addresses of RDMA ports (fe80::1%eth0), OWN and FAR the ends as in
 * struct rdma_call of kernel/rdma/conn.c, FLIT is the flit size.  A case fails if the kernel gives
 * a wrong answer to a call; the caller of the program checks the link.  Exit status: 0, 1, or 2 if
 * the program could not run.
 *
 * The program drives queue pairs itself, not by librdmacm: a peer need not report that it is ready,
 * and may request RDMA READ although the kernel has not offered it.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <sys/ioctl.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_mad.h>
#include <rdma/rdma_cma.h>
#include "core/wire/wire_check.h"
#include "core/wire/wire_faults.h"

#define MAGIC		0x464c4954
#define SERVICE		"949"
/* Size of a send or receive buffer, larger than the kernel's buffer for a frame. */
#define BUFFER		8192
#define SENDS		16
#define RECVS		16
/* Time-out for an answer of the kernel. */
#define PATIENCE_MS	10000
/* Maximum run time of the program. */
#define LIFE_S		200

struct call {
	uint32_t magic;
	uint32_t flit;
	uint64_t own;
	uint64_t far;
} __attribute__((packed));

/* Refusals, as in kernel/rdma/conn.c. */
enum { REFUSED, REFUSED_LINK, REFUSED_FLIT, REFUSED_BUSY, REFUSED_MEMORY };

/* Answers to a call, besides the refusals. */
enum { ACCEPTED = -1, NO_ANSWER = -2 };

struct peer {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t *memory;	/* SENDS send buffers, then RECVS receive buffers */
	uint32_t posted;	/* posted sends */
	uint32_t done;
	bool gone;		/* ended by the kernel, or in error state */
	enum ibv_wc_status status;	/* of the first send that failed */
};

static struct rdma_addrinfo *addresses;
static const char *source, *destination;
static struct call right;
static uint32_t flit;
static uint32_t count = 100;
static uint64_t seed;

static void __attribute__((format(printf, 1, 2), noreturn)) die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fprintf(stderr, "# liar: ");
	vfprintf(stderr, fmt, args);
	fprintf(stderr, "\n");
	va_end(args);
	exit(2);
}

static int __attribute__((format(printf, 1, 2))) wrong(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printf("# ");
	vprintf(fmt, args);
	printf("\n");
	va_end(args);
	return 1;
}

static uint64_t random64(void)
{
	uint64_t x = seed += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static uint32_t below(uint32_t bound)
{
	return (random64() >> 32) * bound >> 32;
}

static void noise(void *p, uint32_t len)
{
	uint8_t *byte = p;

	while (len--)
		*byte++ = (uint8_t)(random64() >> 40);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* Connections. */

static void resolve_addresses(void)
{
	struct rdma_addrinfo hints = { .ai_port_space = RDMA_PS_TCP, .ai_flags = RAI_PASSIVE };
	struct rdma_addrinfo *src;
	int err = rdma_getaddrinfo((char *)source, NULL, &hints, &src);

	if (err)
		die("%s: %s", source, err == EAI_SYSTEM ? strerror(errno) : gai_strerror(err));
	hints.ai_flags = 0;
	hints.ai_src_len = src->ai_src_len;
	hints.ai_src_addr = src->ai_src_addr;
	err = rdma_getaddrinfo((char *)destination, SERVICE, &hints, &addresses);
	if (err)
		die("%s: %s", destination, err == EAI_SYSTEM ? strerror(errno) : gai_strerror(err));
}

/* Return: the next event of the connection manager within @ms, or NULL. */
static struct rdma_cm_event *next_event(struct peer *p, int ms)
{
	struct pollfd fd = { .fd = p->channel->fd, .events = POLLIN };
	struct rdma_cm_event *ev;

	if (poll(&fd, 1, ms) <= 0)
		return NULL;
	if (rdma_get_cm_event(p->channel, &ev))
		die("rdma_get_cm_event: %s", strerror(errno));
	return ev;
}

static void expect(struct peer *p, enum rdma_cm_event_type type)
{
	struct rdma_cm_event *ev = next_event(p, PATIENCE_MS);

	if (!ev || ev->event != type)
		die("%s instead of %s", ev ? rdma_event_str(ev->event) : "nothing",
		    rdma_event_str(type));
	rdma_ack_cm_event(ev);
}

static void modify(struct peer *p, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int mask;

	if (rdma_init_qp_attr(p->id, &attr, &mask))
		die("rdma_init_qp_attr: %s", strerror(errno));
	/* Request more than the kernel offers. */
	if (state == IBV_QPS_RTS)
		attr.max_rd_atomic = 1;
	if (ibv_modify_qp(p->qp, &attr, mask))
		die("ibv_modify_qp to state %d: %s", state, strerror(errno));
}

static void post_recv(struct peer *p, uint32_t i)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)p->memory + (SENDS + i) * BUFFER, .length = BUFFER,
		.lkey = p->mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = SENDS + i, .sg_list = &sge, .num_sge = 1 }, *bad;

	if (ibv_post_recv(p->qp, &wr, &bad))
		die("ibv_post_recv: %s", strerror(errno));
}

/* Links call from privileged ports; an unprivileged user gets another port. */
static void choose_port(struct rdma_cm_id *id)
{
	struct sockaddr *addr = addresses->ai_src_addr;
	uint16_t port = htons(geteuid() ? 0 : 512 + below(400));
	int one = 1;

	if (addr->sa_family == AF_INET6)
		((struct sockaddr_in6 *)addr)->sin6_port = port;
	else
		((struct sockaddr_in *)addr)->sin_port = port;
	if (rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, &one, sizeof(one)))
		die("RDMA_OPTION_ID_REUSEADDR: %s", strerror(errno));
}

/* Create a queue pair that can call. */
static struct peer *peer_make(bool receives)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC, .sq_sig_all = 1,
		.cap = {
			.max_send_wr = SENDS, .max_recv_wr = RECVS,
			.max_send_sge = 1, .max_recv_sge = 1,
		},
	};
	struct peer *p = calloc(1, sizeof(*p));
	uint32_t i;

	if (!p)
		die("no memory");
	p->channel = rdma_create_event_channel();
	if (!p->channel || rdma_create_id(p->channel, &p->id, p, RDMA_PS_TCP))
		die("rdma_create_id: %s", strerror(errno));
	choose_port(p->id);
	if (rdma_resolve_addr(p->id, addresses->ai_src_addr, addresses->ai_dst_addr, PATIENCE_MS))
		die("rdma_resolve_addr: %s", strerror(errno));
	expect(p, RDMA_CM_EVENT_ADDR_RESOLVED);
	if (rdma_resolve_route(p->id, PATIENCE_MS))
		die("rdma_resolve_route: %s", strerror(errno));
	expect(p, RDMA_CM_EVENT_ROUTE_RESOLVED);
	p->pd = ibv_alloc_pd(p->id->verbs);
	p->cq = ibv_create_cq(p->id->verbs, SENDS + RECVS, NULL, NULL, 0);
	/* Allocate little if nothing is received: many of these are created. */
	p->memory = calloc(SENDS + (receives ? RECVS : 0), BUFFER);
	if (!p->pd || !p->cq || !p->memory)
		die("no completion queue, or no memory");
	p->mr = ibv_reg_mr(p->pd, p->memory, (SENDS + (receives ? RECVS : 0)) * BUFFER,
			   IBV_ACCESS_LOCAL_WRITE);
	attr.send_cq = p->cq;
	attr.recv_cq = p->cq;
	p->qp = ibv_create_qp(p->pd, &attr);
	if (!p->mr || !p->qp)
		die("no queue pair: %s", strerror(errno));
	modify(p, IBV_QPS_INIT);
	for (i = 0; receives && i < RECVS; i++)
		post_recv(p, i);
	return p;
}

static void peer_free(struct peer *p)
{
	rdma_destroy_id(p->id);
	ibv_destroy_qp(p->qp);
	ibv_dereg_mr(p->mr);
	ibv_destroy_cq(p->cq);
	ibv_dealloc_pd(p->pd);
	rdma_destroy_event_channel(p->channel);
	free(p->memory);
	free(p);
}

static void call_begin(struct peer *p, const void *data, uint8_t len)
{
	struct rdma_conn_param param = {
		.private_data = data, .private_data_len = len, .retry_count = 6,
		.rnr_retry_count = 7, .initiator_depth = 1, .responder_resources = 1,
		.qp_num = p->qp->qp_num,
	};

	if (rdma_connect(p->id, &param))
		die("rdma_connect: %s", strerror(errno));
}

/* Return: a refusal, ACCEPTED, or NO_ANSWER.  The caller does not complete the connection. */
static int call_answer(struct peer *p)
{
	struct rdma_cm_event *ev = next_event(p, PATIENCE_MS);
	int answer = NO_ANSWER;

	if (!ev)
		return wrong("no answer in %d ms", PATIENCE_MS), NO_ANSWER;
	if (ev->event == RDMA_CM_EVENT_CONNECT_RESPONSE)
		answer = ACCEPTED;
	else if (ev->event == RDMA_CM_EVENT_REJECTED && ev->status == 28) /* consumer reject */
		answer = ev->param.conn.private_data_len ?
			 *(const uint8_t *)ev->param.conn.private_data : 0;
	else
		wrong("answer: %s, status %d", rdma_event_str(ev->event), ev->status);
	rdma_ack_cm_event(ev);
	return answer;
}

static int call(struct peer *p, const void *data, uint8_t len)
{
	call_begin(p, data, len);
	return call_answer(p);
}

static void establish(struct peer *p)
{
	modify(p, IBV_QPS_RTR);
	modify(p, IBV_QPS_RTS);
	if (rdma_establish(p->id))
		die("rdma_establish: %s", strerror(errno));
}

/* The kernel refuses a correct call only while it ends the previous connection. */
static struct peer *call_until_accepted(bool receives)
{
	int64_t until = now_ms() + PATIENCE_MS;
	int answer;

	do {
		struct peer *p = peer_make(receives);

		answer = call(p, &right, sizeof(right));
		if (answer == ACCEPTED) {
			establish(p);
			return p;
		}
		peer_free(p);
	} while (answer == REFUSED_BUSY && now_ms() < until);
	wrong("a call that is right: answer %d", answer);
	return NULL;
}

/* Has the kernel ended the connection? */
static void inspect(struct peer *p, int ms)
{
	struct rdma_cm_event *ev = next_event(p, ms);

	if (!ev)
		return;
	if (ev->event == RDMA_CM_EVENT_DISCONNECTED || ev->event == RDMA_CM_EVENT_TIMEWAIT_EXIT)
		p->gone = true;
	rdma_ack_cm_event(ev);
}

static bool wait_gone(struct peer *p)
{
	int64_t until = now_ms() + PATIENCE_MS;

	while (!p->gone && now_ms() < until)
		inspect(p, 100);
	return p->gone;
}

/* Each case has its own use of a received frame. */
static void (*frame_in)(struct peer *p, const uint8_t *frame, uint32_t len);

static void complete(struct peer *p)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(p->cq, 1, &wc) > 0) {
		if (wc.wr_id < SENDS) {
			p->done++;
			if (wc.status && !p->status && wc.status != IBV_WC_WR_FLUSH_ERR)
				p->status = wc.status;
		}
		if (wc.status) {
			p->gone = true;
		} else if (wc.wr_id >= SENDS) {
			if (frame_in)
				frame_in(p, p->memory + wc.wr_id * BUFFER, wc.byte_len);
			post_recv(p, wc.wr_id - SENDS);
		}
	}
}

/* Wait until at most @most requests are pending.  Return: false if the connection has ended. */
static bool calm(struct peer *p, uint32_t most)
{
	int64_t until = now_ms() + PATIENCE_MS;

	for (;;) {
		complete(p);
		if (p->posted - p->done <= most || p->gone)
			return !p->gone;
		if (now_ms() > until) {
			wrong("a request is not done in %d ms", PATIENCE_MS);
			p->gone = true;
			return false;
		}
		inspect(p, 1);
	}
}

static uint8_t *send_buffer(struct peer *p)
{
	return p->memory + p->posted % SENDS * BUFFER;
}

/* Send the frame in send_buffer(). */
static void send_frame(struct peer *p, uint32_t len)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)send_buffer(p), .length = len, .lkey = p->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = p->posted % SENDS, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
	}, *bad;

	if (ibv_post_send(p->qp, &wr, &bad)) {
		p->gone = true;
		return;
	}
	p->posted++;
	calm(p, SENDS - 1);
}

/* Calls that are refused. */

static int refuse_one(const char *what, const void *data, uint8_t len, int want)
{
	struct peer *p = peer_make(true);
	int answer = call(p, data, len);

	peer_free(p);
	if (answer == want)
		return 0;
	return wrong("%s: answer %d, not %d", what, answer, want);
}

static int refuse(void)
{
	/* The connection manager pads short private data with zeros. */
	const struct {
		const char *what;
		struct call call;
		uint8_t len;
		int want;
	} cases[] = {
		{ "nothing", right, 0, REFUSED },
		{ "one byte", right, 1, REFUSED },
		{ "half of the magic number", right, 2, REFUSED },
		{ "the magic number alone", right, 4, REFUSED_LINK },
		{ "without the ends", right, 8, REFUSED_LINK },
		{ "without the far end", right, 16, REFUSED_LINK },
		{ "one byte less", right, 23, REFUSED_LINK },
		{ "another magic number", { right.magic ^ htobe32(1), right.flit, right.own,
			right.far }, 24, REFUSED },
		{ "magic number turned", { htole32(MAGIC), right.flit, right.own, right.far }, 24,
			REFUSED },
		{ "ends swapped", { right.magic, right.flit, right.far, right.own }, 24,
			REFUSED_LINK },
		{ "own end twice", { right.magic, right.flit, right.own, right.own }, 24,
			REFUSED_LINK },
		{ "far end twice", { right.magic, right.flit, right.far, right.far }, 24,
			REFUSED_LINK },
		{ "unknown own end", { right.magic, right.flit, right.own ^ htobe64(1), right.far },
			24, REFUSED_LINK },
		{ "unknown far end", { right.magic, right.flit, right.own,
			right.far ^ htobe64(1ULL << 40) }, 24, REFUSED_LINK },
		{ "high bits of the own end", { right.magic, right.flit,
			right.own ^ htobe64(1ULL << 63), right.far }, 24, REFUSED_LINK },
		{ "smaller flits", { right.magic, htobe32(flit - 1), right.own, right.far }, 24,
			REFUSED_FLIT },
		{ "flits without end", { right.magic, htobe32(~0U), right.own, right.far }, 24,
			REFUSED_FLIT },
		{ "no flits", { right.magic, 0, right.own, right.far }, 24, REFUSED_FLIT },
		{ "zeros", { 0, 0, 0, 0 }, 24, REFUSED },
	};
	int failed = 0;
	uint32_t i;

	for (i = 0; i < FC_ARRAY_SIZE(cases); i++)
		failed |= refuse_one(cases[i].what, &cases[i].call, cases[i].len, cases[i].want);
	for (i = 0; i < count; i++) {
		struct call c;
		uint8_t len = below(57);
		uint8_t data[56];
		int want = REFUSED;

		noise(data, sizeof(data));
		if (i % 4 == 3) {
			/* The magic number is right, the rest is random. */
			noise(&c, sizeof(c));
			c.magic = right.magic;
			memcpy(data, &c, sizeof(c));
			len = sizeof(c) + below(57 - sizeof(c));
			want = REFUSED_LINK;
		}
		failed |= refuse_one("noise", data, len, want);
	}
	return failed;
}

static int stranger(void)
{
	return refuse_one("an address that is not the peer's", &right, sizeof(right), REFUSED_LINK);
}

/* A valid call of an unprivileged user, from the peer's address. */
static int user(void)
{
	if (seteuid(1000))
		die("seteuid: %s", strerror(errno));
	return refuse_one("a user without privilege", &right, sizeof(right), REFUSED);
}

/* The connection manager refuses a call to an address on which no link listens. */
static int no_peer(void)
{
	return refuse_one("an address without a listener", &right, sizeof(right), REFUSED);
}

/*
 * A call whose private data contains the peer's address, though it comes from another address.  The
 * connection manager of the kernel would not write that, so the program composes the MAD of the
 * request.  No program receives the answer.
 */

/* Offsets of the fields of a connection request in its MAD: IBTA 1.4, 12.6.5. */
enum {
	REQ_COMM_ID = 24, REQ_SERVICE = 32, REQ_GUID = 40, REQ_QPN = 56, REQ_TIMEOUT = 67,
	REQ_PSN = 68, REQ_PKEY = 72, REQ_MTU = 74, REQ_RETRIES = 75, REQ_LOCAL_LID = 76,
	REQ_REMOTE_LID = 78, REQ_LOCAL_GID = 80, REQ_REMOTE_GID = 96, REQ_HOPS = 117,
	REQ_ACK = 119, REQ_CMA = 164, REQ_SIZE = 256,
};

/* Offsets of the fields of struct cma_hdr; the user's private data follow. */
enum { CMA_IP = 1, CMA_PORT = 2, CMA_SOURCE = 4, CMA_DESTINATION = 20, CMA_SIZE = 36 };

static const uint8_t *gid_of(const struct sockaddr *addr)
{
	if (addr->sa_family != AF_INET6)
		die("not an IPv6 address");
	return ((const struct sockaddr_in6 *)addr)->sin6_addr.s6_addr;
}

/* Return: the index of this program's address among the GIDs of the port, for RoCE v2. */
static int gid_index(struct ibv_context *verbs, const uint8_t *gid)
{
	struct ibv_gid_entry entry;
	int i;

	for (i = 0; i < 64; i++)
		if (!ibv_query_gid_ex(verbs, 1, i, &entry, 0) &&
		    entry.gid_type == IBV_GID_TYPE_ROCE_V2 && !memcmp(entry.gid.raw, gid, 16))
			return i;
	die("no GID of the address");
}

static int forged(void)
{
	struct ib_user_mad_reg_req agent = { .qpn = 1 };
	struct {
		struct ib_user_mad_hdr hdr;
		uint8_t req[REQ_SIZE];
	} mad = { .hdr = { .qpn = htobe32(1), .qkey = htobe32(0x80010000), .grh_present = 1,
		.hop_limit = 64 } };
	const uint8_t *to = gid_of(addresses->ai_dst_addr);
	const uint8_t *from = gid_of(addresses->ai_src_addr);
	uint8_t *req = mad.req, *cma = req + REQ_CMA;
	struct peer *p = peer_make(false);
	int fd = open("/dev/infiniband/umad0", O_RDWR | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, IB_USER_MAD_ENABLE_PKEY) ||
	    ioctl(fd, IB_USER_MAD_REGISTER_AGENT, &agent))
		die("/dev/infiniband/umad0: %s", strerror(errno));
	mad.hdr.id = agent.id;
	mad.hdr.gid_index = gid_index(p->id->verbs, from);
	memcpy(mad.hdr.gid, to, 16);
	/* Versions, class of the connection manager, and method; the attribute follows. */
	memcpy(req, (uint8_t[]) { 1, 7, 2, 3 }, 4);
	fc_put32(req + 12, 1 + below(1 << 30));
	fc_put16(req + 16, 0x10);
	fc_put32(req + REQ_COMM_ID, 1 + below(1 << 30));
	fc_put32(req + REQ_SERVICE, 0);
	fc_put32(req + REQ_SERVICE + 4, RDMA_PS_TCP << 16 | atoi(SERVICE));
	noise(req + REQ_GUID, 8);
	fc_put32(req + REQ_QPN, p->qp->qp_num << 8);
	req[REQ_TIMEOUT] = 20 << 3;
	/* The word also has the time-out for a response, and the retries. */
	fc_put32(req + REQ_PSN, below(1 << 24) << 8 | 20 << 3 | 6);
	fc_put16(req + REQ_PKEY, 0xffff);
	req[REQ_MTU] = 5 << 4 | 7;
	req[REQ_RETRIES] = 15 << 4;
	fc_put16(req + REQ_LOCAL_LID, 0xffff);
	fc_put16(req + REQ_REMOTE_LID, 0xffff);
	memcpy(req + REQ_LOCAL_GID, from, 16);
	memcpy(req + REQ_REMOTE_GID, to, 16);
	req[REQ_HOPS] = 64;
	req[REQ_ACK] = 14 << 3;
	cma[CMA_IP] = 6 << 4;
	fc_put16(cma + CMA_PORT, 1 + below(1000));
	/* The peer has the address of the destination: the device is its own peer. */
	memcpy(cma + CMA_SOURCE, to, 16);
	memcpy(cma + CMA_DESTINATION, to, 16);
	memcpy(cma + CMA_SIZE, &right, sizeof(right));
	if (write(fd, &mad, sizeof(mad)) != sizeof(mad))
		die("request: %s", strerror(errno));
	close(fd);
	peer_free(p);
	return 0;
}

/* Frames. */

static struct {
	struct fc_hello_msg own;
	uint32_t received;
	uint32_t ups;
	uint32_t seq[256];
	uint32_t ack[256];
} site;

static uint32_t frame_put(uint8_t *p, struct fc_link_hdr *h)
{
	h->epoch = (uint16_t)site.own.epoch;
	fc_wire_frame_encode(p, h);
	return FC_LINK_SIZE + h->len;
}

/* Compose the HELLO that the kernel expects from its peer. */
static uint32_t true_hello(uint8_t *p)
{
	struct fc_link_hdr h = { .type = FC_FRAME_HELLO, .len = FC_HELLO_SIZE };

	fc_wire_hello_encode(p + FC_LINK_SIZE, &site.own);
	return frame_put(p, &h);
}

static void learn(struct peer *p, const uint8_t *frame, uint32_t len)
{
	uint64_t own = be64toh(right.own);
	struct fc_hello_msg m;
	struct fc_link_hdr h;

	if (!fc_wire_link_decode(&h, frame, len, len))
		return;
	if (h.type == FC_FRAME_FLIT && h.seq == site.ack[h.vc])
		site.ack[h.vc]++;
	if (h.type != FC_FRAME_HELLO || !fc_wire_hello_decode(&m, frame + FC_LINK_SIZE))
		return;
	if (m.epoch != site.own.peer_epoch) {
		memset(site.seq, 0, sizeof(site.seq));
		memset(site.ack, 0, sizeof(site.ack));
	}
	site.received++;
	if (!m.reason && m.peer_epoch == site.own.epoch)
		site.ups++;
	m.peer_epoch = m.epoch;
	m.epoch = site.own.epoch;
	m.site = own >> 8;
	m.port = own & 0xff;
	m.reason = 0;
	m.flags = 0;
	site.own = m;
	/*
	 * The HELLO that the kernel expects may get lost among the following frames: send it again.
	 */
	if (p->posted - p->done < SENDS && !p->gone)
		send_frame(p, true_hello(send_buffer(p)));
}

/* Compose a HELLO with one wrong field. */
static uint32_t lying_hello(uint8_t *p)
{
	struct fc_link_hdr h = { .type = FC_FRAME_HELLO, .len = FC_HELLO_SIZE };

	fc_wire_hello_encode(p + FC_LINK_SIZE, &site.own);
	noise(p + FC_LINK_SIZE + below(FC_HELLO_SIZE - 4), 1 + below(4));
	return frame_put(p, &h);
}

static uint32_t status(uint8_t *p)
{
	struct fc_link_hdr h = {
		.type = FC_FRAME_STATUS, .len = FC_STATUS_SIZE, .flags = below(8),
		.vc = below(2) ? FC_VC_CLASS : below(FC_VC_COUNT),
	};

	h.seq = site.seq[h.vc] + (below(4) ? 0 : (uint32_t)random64());
	h.ack = site.ack[h.vc] + (below(4) ? 0 : (uint32_t)random64());
	noise(p + FC_LINK_SIZE, FC_STATUS_SIZE);
	return frame_put(p, &h);
}

/* Compose a flit, perhaps the next one, and perhaps of a nearly valid packet. */
static uint32_t packet(uint8_t *p)
{
	static const uint8_t parts[] = {
		FC_PART_HEAD | FC_PART_TERM, FC_PART_HEAD, FC_PART_TERM, 0,
		FC_PART_TERM | FC_PART_ABORT, FC_PART_HEAD | FC_PART_TERM | FC_PART_EAGER,
	};
	struct fc_link_hdr h = {
		.type = FC_FRAME_FLIT,
		.flags = below(16) ? parts[below(FC_ARRAY_SIZE(parts))] : below(16),
		.vc = below(8) ? FC_VC_CLASS + 64 * below(3) : FC_VC_BCAST + below(FC_VC_COUNT - 2),
	};
	struct fc_packet pk = { .src = be64toh(right.own) >> 8, .ntargets = 1 };
	struct fc_target t = { .port = below(4) };
	uint8_t *head = p + FC_LINK_SIZE;

	h.len = h.flags & FC_PART_ABORT ? 0 : below(flit - FC_LINK_SIZE);
	h.seq = below(4) ? site.seq[h.vc]++ : (uint32_t)random64();
	h.ack = below(4) ? site.ack[h.vc] : (uint32_t)random64();
	noise(head, h.len);
	if (below(4) && h.len >= fc_head_size(1)) {
		pk.incarnation = (uint32_t)random64();
		pk.id = below(100);
		pk.msg_len = below(2) ? h.len - fc_head_size(1) : (uint32_t)random64();
		pk.kind = below(FC_KIND_COUNT);
		fc_wire_packet_encode(head, &pk);
		fc_wire_target_encode(head, 0, &t);
		if (!below(3))
			noise(head + below(fc_head_size(1)), 1);
	}
	return frame_put(p, &h);
}

static uint32_t other_types(uint8_t *p)
{
	struct fc_link_hdr h = {
		.type = FC_FRAME_CTRL + below(4), .len = below(600),
		.vc = below(4) ? FC_VC_CTRL : below(256), .seq = below(4) ? 0 : below(1000),
	};

	if (below(2))
		h.len = h.type == FC_FRAME_CTRL ? FC_CTRL_SIZE * (1 + below(3)) :
			FC_FAULTS_SIZE + FC_FAULT_SIZE * below(4);
	noise(p + FC_LINK_SIZE, h.len);
	return frame_put(p, &h);
}

static uint32_t valid(uint8_t *p)
{
	switch (below(32)) {
	case 0:
		/* In most cases this takes the link down for a while. */
		return lying_hello(p);
	case 1 ... 6:
		return status(p);
	case 7 ... 12:
		return other_types(p);
	}
	return packet(p);
}

/* @most: buffer size of the kernel.  @malformed: the frame is wrong in any state of the link. */
static uint32_t lie(uint8_t *p, uint32_t most, bool *malformed)
{
	uint32_t len;

	*malformed = false;
	switch (below(16)) {
	case 0:
		/* Too short for a frame. */
		*malformed = true;
		noise(p, FC_LINK_SIZE);
		return below(3) ? below(FC_LINK_SIZE) : below(2);
	case 1:
		len = below(most + 1);
		noise(p, len);
		if (len)
			p[0] = below(2) ? FC_VERSION : p[0];
		return len;
	case 2:
		/* A length field beyond the end of the frame. */
		len = valid(p);
		fc_put16(p + 4, len - FC_LINK_SIZE + 1 + below(60000));
		*malformed = true;
		return len;
	case 3:
		/* A length field that is too small. */
		len = valid(p);
		fc_put16(p + 4, below(len - FC_LINK_SIZE + 1));
		return len;
	case 4:
		/* A truncated frame. */
		return below(valid(p) + 1);
	case 5:
		/* A padded frame. */
		len = valid(p);
		return len + below(most - len + 1);
	}
	return valid(p);
}

static int frames(void)
{
	uint32_t sent = 0, malformed = 0, connections = 0, most = 192 + 4096;
	struct peer *p = NULL;
	bool counts;

	frame_in = learn;
	site.own.epoch = 1 + below(1 << 30);
	while (sent < count) {
		uint32_t doubtful = 0, batch;

		p = call_until_accepted(true);
		if (!p)
			return 1;
		connections++;
		/* Half of the connections complete the handshake before invalid frames. */
		if (connections % 2) {
			int64_t until = now_ms() + PATIENCE_MS;
			uint32_t ups = site.ups;

			while (site.ups == ups && !p->gone) {
				complete(p);
				inspect(p, 1);
				if (now_ms() > until)
					return wrong("the link with us does not come up");
			}
		}
		for (batch = 0; batch < 500 && !p->gone; batch++, sent++) {
			uint32_t len = lie(send_buffer(p), most, &counts);

			doubtful += counts;
			send_frame(p, len);
			if (!p->gone && !below(8))
				send_frame(p, true_hello(send_buffer(p)));
		}
		if (calm(p, 0))
			malformed += doubtful;
		peer_free(p);
	}
	printf("# sent: %u, by %u connections; HELLOs of the kernel: %u, %u of them up\n", sent,
	       connections, site.received, site.ups);
	printf("malformed %u\n", malformed);
	if (!malformed)
		return wrong("the kernel has ended every connection");
	return 0;
}

/* The kernel accepts a message of exactly the buffer size; a longer one ends the connection. */
static int too_long(void)
{
	const uint32_t room = 192 + 4096;
	struct peer *p = call_until_accepted(true);
	int failed = 0;

	if (!p)
		return 1;
	send_frame(p, room);
	if (!calm(p, 0))
		failed = wrong("%u bytes: %s", room, ibv_wc_status_str(p->status));
	if (!failed)
		send_frame(p, room + 1);
	if (!failed && calm(p, 0))
		failed = wrong("%u bytes were taken", room + 1);
	printf("# %u bytes: %s\n", room + 1, ibv_wc_status_str(p->status));
	peer_free(p);
	p = call_until_accepted(true);
	if (!p)
		return 1;
	send_frame(p, 0);
	if (!calm(p, 0))
		failed |= wrong("after that nothing is taken");
	/* The connection must end with an error, not because the peer has hung up. */
	send_frame(p, room + 1);
	calm(p, 0);
	if (!wait_gone(p))
		failed |= wrong("the connection lives");
	peer_free(p);
	return failed;
}

/* Valid calls with an unexpected end. */

static int busy(void)
{
	struct peer *first = call_until_accepted(true), *second, *third;
	int answer, failed = 0;

	if (!first)
		return 1;
	/* This frame shows the kernel that its answer has arrived. */
	send_frame(first, 0);
	calm(first, 0);
	second = peer_make(true);
	answer = call(second, &right, sizeof(right));
	if (answer != REFUSED_BUSY)
		failed = wrong("the second call: answer %d", answer);
	if (!wait_gone(first))
		failed = wrong("the first connection lives");
	third = call_until_accepted(true);
	if (!third)
		return 1;
	send_frame(third, 0);
	if (!calm(third, 0))
		failed = wrong("the third connection takes nothing");
	peer_free(first);
	peer_free(second);
	peer_free(third);
	return failed;
}

/* The program waits only for every tenth answer. */
static int storm(void)
{
	uint32_t i, accepted = 0;

	for (i = 0; i < count; i++) {
		struct peer *p = peer_make(i % 2);

		call_begin(p, &right, sizeof(right));
		if (i % 10 == 9 && call_answer(p) == ACCEPTED) {
			accepted++;
			if (i % 20 == 9)
				establish(p);
		}
		peer_free(p);
	}
	printf("# %u of %u calls are known to have been accepted\n", accepted, count);
	return 0;
}

/*
 * Peers that never complete the connection, or complete it and neither send nor receive: the next
 * call ends each of them.  The last connection stays until this process ends.
 */
static int silent(void)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		int64_t until = now_ms() + PATIENCE_MS;
		struct peer *p;
		int answer;

		for (p = peer_make(false);
		     (answer = call(p, &right, sizeof(right))) == REFUSED_BUSY && now_ms() < until;
		     p = peer_make(false))
			peer_free(p);
		if (answer != ACCEPTED)
			return wrong("call %u: answer %d", i, answer);
		if (i % 2)
			establish(p);
	}
	return 0;
}

/* Request access to memory of the kernel. */
static int wild_one(enum ibv_wr_opcode opcode, uint32_t rkey, uint64_t addr, uint32_t len)
{
	struct peer *p = call_until_accepted(true);
	struct ibv_sge sge = { .length = len };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = opcode }, *bad;
	bool atomic = opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
	int failed = 0;

	if (!p)
		return 1;
	sge.addr = (uintptr_t)p->memory;
	sge.lkey = p->mr->lkey;
	if (atomic) {
		wr.wr.atomic.remote_addr = addr & ~7ULL;
		wr.wr.atomic.rkey = rkey;
	} else {
		wr.wr.rdma.remote_addr = addr;
		wr.wr.rdma.rkey = rkey;
	}
	if (ibv_post_send(p->qp, &wr, &bad))
		die("ibv_post_send: %s", strerror(errno));
	p->posted++;
	if (calm(p, 0))
		failed = wrong("request %d, key %x, address %llx: done", opcode, rkey,
			       (unsigned long long)addr);
	else if (p->status != IBV_WC_REM_ACCESS_ERR && p->status != IBV_WC_REM_INV_REQ_ERR &&
		 p->status != IBV_WC_REM_OP_ERR)
		failed = wrong("request %d, key %x, address %llx: %s", opcode, rkey,
			       (unsigned long long)addr, ibv_wc_status_str(p->status));
	peer_free(p);
	return failed;
}

static int wild(void)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_RDMA_READ, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM,
		IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD,
	};
	int failed = 0;
	uint32_t i;

	for (i = 0; i < count; i++) {
		enum ibv_wr_opcode opcode = opcodes[i % FC_ARRAY_SIZE(opcodes)];
		uint32_t rkey = below(3) ? below(64) << 8 | below(256) : (uint32_t)random64();
		uint64_t addr = below(2) ? random64() : 0xffff888000000000ULL + below(1 << 28);

		if (i < 2 * FC_ARRAY_SIZE(opcodes))
			rkey = 0;
		failed |= wild_one(opcode, rkey, addr,
				   i % FC_ARRAY_SIZE(opcodes) > 2 ? 8 : 1 + below(4000));
	}
	return failed;
}

static const struct {
	const char *name;
	int (*run)(void);
} cases[] = {
	{ "refuse", refuse }, { "stranger", stranger }, { "nobody", no_peer }, { "forged", forged },
	{ "frames", frames }, { "long", too_long }, { "busy", busy }, { "storm", storm },
	{ "silent", silent }, { "wild", wild }, { "user", user },
};

int main(int argc, char **argv)
{
	uint32_t i;
	int c;

	seed = (uint64_t)time(NULL) << 20 ^ getpid();
	while ((c = getopt(argc, argv, "s:n:")) != -1) {
		if (c == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (c == 'n')
			count = strtoul(optarg, NULL, 0);
		else
			return 2;
	}
	if (argc - optind != 6)
		die("usage: liar [-s SEED] [-n COUNT] SOURCE DESTINATION OWN FAR FLIT CASE");
	setvbuf(stdout, NULL, _IOLBF, 0);
	alarm(LIFE_S);
	source = argv[optind];
	destination = argv[optind + 1];
	flit = strtoul(argv[optind + 4], NULL, 0);
	right.magic = htobe32(MAGIC);
	right.flit = htobe32(flit);
	right.own = htobe64(strtoull(argv[optind + 2], NULL, 0));
	right.far = htobe64(strtoull(argv[optind + 3], NULL, 0));
	resolve_addresses();
	for (i = 0; i < FC_ARRAY_SIZE(cases); i++) {
		if (strcmp(cases[i].name, argv[optind + 5]))
			continue;
		printf("# %s: seed %llu\n", cases[i].name, (unsigned long long)seed);
		return cases[i].run();
	}
	die("no case %s", argv[optind + 5]);
}
