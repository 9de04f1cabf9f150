// SPDX-License-Identifier: GPL-2.0
/*
 * Connections: the end of a link with the greater number sends the connection request, the other
 * end listens.
 */
#include <linux/inetdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/route.h>
#include <rdma/ib.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_cm.h>
#include "rdma/rdma.h"

/* "FLIT" */
#define RDMA_MAGIC	0x464c4954
/*
 * The port on which links listen, and the source ports of connection requests.  Both are
 * privileged, because any user may use unprivileged ones by /dev/infiniband.
 */
#define RDMA_SERVICE	949
#define RDMA_SOURCE	600
#define RDMA_SOURCES	300
/* Timeout of resolving an address or a route, milliseconds. */
#define RDMA_RESOLVE_MS	2000
/*
 * Timeout of establishing a connection: the connection manager itself would wait for a minute.  The
 * time doubles with each failed attempt, so that slow hosts succeed, too.
 */
#define RDMA_PATIENCE	(2 * HZ)
#define RDMA_PATIENCE_SHIFT 3
/* Connection requests that a listener queues until it answers them. */
#define RDMA_BACKLOG_MAX 64
/* Retransmissions of an unacknowledged packet; some drivers treat 7 as unlimited. */
#define RDMA_RETRIES	6
/* Retry without limit while the peer has no receive buffer: nothing is lost. */
#define RDMA_RNR_RETRIES 7

static u8 ack_timeout = 14;
module_param(ack_timeout, byte, 0644);
MODULE_PARM_DESC(ack_timeout, "Packets are sent again after 4.096 us * 2^N (default 14: 67 ms)");

/**
 * struct rdma_call - private data of a connection request
 * @magic: RDMA_MAGIC
 * @flit: flit size
 * @own: end that sends the request, as in struct flitcast_link_spec
 * @far: end that listens
 */
struct rdma_call {
	__be32 magic;
	__be32 flit;
	__be64 own;
	__be64 far;
} __packed;

/* Reasons for a refusal, by the byte of private data that carries it. */
static const char *const refusals[] = {
	"the peer refused the connection",
	"the peer has no such link",
	"the peer has another flit size",
	"the peer ends an older connection first",
	"the peer has not the memory, or no queue pair",
};

enum { REFUSED, REFUSED_LINK, REFUSED_FLIT, REFUSED_BUSY, REFUSED_MEMORY };

bool rdma_conn_calls(const struct rdma_link *l)
{
	return l->own > l->far;
}

unsigned long rdma_conn_patience(const struct rdma_link *l)
{
	return RDMA_PATIENCE << min_t(u8, READ_ONCE(l->futile), RDMA_PATIENCE_SHIFT);
}

/* Creating and destroying connections. */

static void conn_free(struct rdma_conn *c)
{
	if (!IS_ERR_OR_NULL(c->cq))
		ib_free_cq(c->cq);
	if (c->send && c->recv)
		rdma_data_end(c);
	if (!IS_ERR_OR_NULL(c->pd))
		ib_dealloc_pd(c->pd);
	kvfree(c->send);
	kvfree(c->recv);
	kfree(c);
}

static struct rdma_conn *conn_alloc(struct rdma_link *l)
{
	const struct ib_device_attr *attrs = &l->on->dev->attrs;
	/* not charged, as all here: bounded per link, and only administrators make links */
	struct rdma_conn *c = kzalloc(sizeof(*c), GFP_KERNEL);

	if (!c)
		return NULL;
	c->l = l;
	c->dev = l->on->dev;
	c->state = RDMA_CONNECTING;
	c->until = jiffies + rdma_conn_patience(l);
	c->nrecv = clamp_t(u32, RDMA_RECV_BYTES / l->link.flit, RDMA_RECV_LEAST, RDMA_RECV_MAX);
	if (rdma_protocol_iwarp(c->dev, l->port))
		c->nrecv = RDMA_RECV_IWARP_MAX;
	/* ib_drain_qp() needs one more request of each kind. */
	c->nrecv = min_t(u32, c->nrecv, attrs->max_qp_wr - 1);
	/* A power of two, because request numbers wrap around. */
	c->nsend = rounddown_pow_of_two(min_t(u32, RDMA_SEND_MAX, attrs->max_qp_wr - 1));
	c->max_sge = min_t(u32, RDMA_SEND_SGE, attrs->max_send_sge);
	/* not charged: see above */
	c->send = kvcalloc(c->nsend, sizeof(*c->send), GFP_KERNEL);
	/* not charged: see above */
	c->recv = kvcalloc(c->nrecv, sizeof(*c->recv), GFP_KERNEL);
	c->pd = ib_alloc_pd(c->dev, 0);
	c->cq = ib_alloc_cq(c->dev, c, c->nsend + c->nrecv + 2,
			    l->link.port % c->dev->num_comp_vectors, IB_POLL_SOFTIRQ);
	if (!c->send || !c->recv || IS_ERR(c->pd) || IS_ERR(c->cq)) {
		conn_free(c);
		return NULL;
	}
	rdma_data_init(c);
	return c;
}

/* Drain and destroy the queue pair, which no longer sends. */
static void qp_end(struct rdma_conn *c)
{
	if (!c->qp)
		return;
	ib_drain_qp(c->qp);
	rdma_destroy_qp(c->id);
	c->qp = NULL;
}

void rdma_conn_end(struct rdma_conn *c)
{
	rdma_lock_handler(c->id);
	c->dying = true;
	rdma_unlock_handler(c->id);
	if (c->qp)
		rdma_disconnect(c->id);
	qp_end(c);
	/* rdma_destroy_id() waits for callbacks; none runs after it. */
	rdma_destroy_id(c->id);
	conn_free(c);
}

static int qp_begin(struct rdma_conn *c)
{
	struct ib_qp_init_attr attr = {
		.send_cq = c->cq, .recv_cq = c->cq, .qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.cap = {
			.max_send_wr = c->nsend + 1, .max_recv_wr = c->nrecv + 1,
			.max_send_sge = c->max_sge, .max_recv_sge = 1 + c->l->nfrags,
		},
	};
	int err = rdma_create_qp(c->id, c->pd, &attr);

	if (err)
		return err;
	c->qp = c->id->qp;
	/*
	 * The defaults of Soft-RoCE are 2 s and 655 ms.  Devices without these options ignore them.
	 */
	if (ack_timeout)
		rdma_set_ack_timeout(c->id, ack_timeout);
	rdma_set_min_rnr_timer(c->id, IB_RNR_TIMER_000_06);
	return rdma_recv_begin(c);
}

/*
 * Events.  The handler lock of the id is held.
 */

static int conn_call(struct rdma_conn *c)
{
	const struct rdma_call call = {
		.magic = cpu_to_be32(RDMA_MAGIC), .flit = cpu_to_be32(c->l->link.flit),
		.own = cpu_to_be64(c->l->own), .far = cpu_to_be64(c->l->far),
	};
	struct rdma_conn_param param = {
		.private_data = &call, .private_data_len = sizeof(call),
		.retry_count = RDMA_RETRIES, .rnr_retry_count = RDMA_RNR_RETRIES,
	};
	int err;

	if (c->id->device != c->dev || c->id->port_num != c->l->port)
		return -EXDEV;
	err = qp_begin(c);
	return err ? err : rdma_connect_locked(c->id, &param);
}

static const char *refusal(struct rdma_cm_id *id, struct rdma_cm_event *ev)
{
	u8 len = 0;
	const u8 *why = rdma_consumer_reject_data(id, ev, &len);

	if (!why)
		return rdma_reject_msg(id, ev->status);
	return refusals[len && *why < ARRAY_SIZE(refusals) ? *why : REFUSED];
}

static int conn_event(struct rdma_cm_id *id, struct rdma_cm_event *ev)
{
	struct rdma_conn *c = id->context;
	int err = 0;

	if (c->dying)
		return 0;
	switch (ev->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		err = rdma_resolve_route(id, RDMA_RESOLVE_MS);
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		err = conn_call(c);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		if (cmpxchg(&c->state, RDMA_CONNECTING, RDMA_CONNECTED) == RDMA_CONNECTING) {
			rdma_link_reason(c->l, NULL);
			rdma_link_kick(c->l, 0);
		}
		break;
	case RDMA_CM_EVENT_REJECTED:
		rdma_link_broken(c, refusal(id, ev));
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_ADDR_CHANGE:
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		rdma_link_broken(c, rdma_event_msg(ev->event));
		break;
	default: /* dev_remove() handles RDMA_CM_EVENT_DEVICE_REMOVAL */
		break;
	}
	if (err == -EXDEV)
		rdma_link_broken(c, "the route to the peer leaves by another port");
	else if (err)
		rdma_link_broken(c, "no queue pair, or no memory for it");
	return 0;
}

/**
 * struct caller - a connection request of a peer
 * @at: listener that received the request
 * @port: port of the device
 * @gid: address of the peer
 * @call: private data of the request
 */
struct caller {
	const struct rdma_listener *at;
	u32 port;
	union ib_gid gid;
	const struct rdma_call *call;
};

static bool is_called(const struct rdma_link *l, const void *arg)
{
	const struct caller *caller = arg;

	return READ_ONCE(l->listener) == caller->at && l->port == caller->port &&
	       !rdma_conn_calls(l) &&
	       l->own == be64_to_cpu(caller->call->far) &&
	       l->far == be64_to_cpu(caller->call->own) &&
	       !memcmp(&l->peer, &caller->gid, sizeof(caller->gid));
}

/*
 * Answer a connection request to @l.  On success the connection owns @id.  Return: 0, or the reason
 * of a refusal.
 */
static int conn_answer(struct rdma_link *l, struct rdma_cm_id *id, const struct rdma_call *call)
{
	struct rdma_conn_param param = {
		.retry_count = RDMA_RETRIES, .rnr_retry_count = RDMA_RNR_RETRIES,
	};
	struct rdma_conn *c;
	bool busy;

	if (l->link.flit != be32_to_cpu(call->flit))
		return REFUSED_FLIT;
	rcu_read_lock();
	c = rcu_dereference(l->conn);
	busy = c;
	/* The peer has lost the old connection: end it; the peer's next request succeeds. */
	if (busy)
		rdma_link_broken(c, "the peer connects anew");
	rcu_read_unlock();
	if (busy)
		return REFUSED_BUSY;
	c = conn_alloc(l);
	if (!c)
		return REFUSED_MEMORY;
	c->id = id;
	if (qp_begin(c))
		goto undo;
	/* The connection manager delays other events of the id until this callback returns. */
	id->context = c;
	id->event_handler = conn_event;
	if (!rdma_link_set_conn(l, c))
		goto undo;
	/* From here on the link owns the connection: on failure the link's work ends it. */
	if (rdma_accept(id, &param))
		rdma_link_broken(c, "the connection could not be accepted");
	rdma_link_kick(l, 0);
	return 0;
undo:
	qp_end(c);
	conn_free(c);
	return REFUSED_MEMORY;
}

/* Does a request come from a port below PROT_SOCK, which needs privilege? */
static bool privileged(const struct rdma_cm_id *id)
{
	const struct sockaddr_storage *ss = &id->route.addr.dst_addr;

	switch (ss->ss_family) {
	case AF_INET:
		return ntohs(((struct sockaddr_in *)ss)->sin_port) < PROT_SOCK;
	case AF_INET6:
		return ntohs(((struct sockaddr_in6 *)ss)->sin6_port) < PROT_SOCK;
	case AF_IB:
		return (u16)be64_to_cpu(((struct sockaddr_ib *)ss)->sib_sid) < PROT_SOCK;
	}
	return false;
}

/* Return: an error, upon which the connection manager destroys the new id, or 0. */
static int listen_event(struct rdma_cm_id *id, struct rdma_cm_event *ev)
{
	struct caller caller = {
		.at = id->context, .port = id->port_num, .call = ev->param.conn.private_data,
	};
	u8 why = REFUSED_LINK;
	struct rdma_link *l;

	if (ev->event != RDMA_CM_EVENT_CONNECT_REQUEST)
		return 0;
	if (id->device != caller.at->on->dev || !privileged(id) ||
	    ev->param.conn.private_data_len < sizeof(*caller.call) ||
	    be32_to_cpu(caller.call->magic) != RDMA_MAGIC)
		return -EINVAL;
	/*
	 * Check the path's address, to which the queue pair will send.  rdma_read_gids() would
	 * return the address that a RoCE peer claims.
	 */
	if (rdma_protocol_iwarp(id->device, id->port_num))
		rdma_ip2gid((struct sockaddr *)&id->route.addr.dst_addr, &caller.gid);
	else
		caller.gid = id->route.path_rec->dgid;
	l = rdma_link_find(is_called, &caller);
	if (l) {
		why = conn_answer(l, id, caller.call);
		rdma_link_put(l);
		if (!why)
			return 0;
	}
	rdma_reject(id, &why, sizeof(why), IB_CM_REJ_CONSUMER_DEFINED);
	return -ECONNREFUSED;
}

/*
 * Addresses.
 */

/* A link may use addresses of its site's namespace and of the initial one only. */
static bool net_allowed(const struct rdma_link *l, const struct net *net)
{
	return net_eq(net, l->net) || net_eq(net, &init_net);
}

/*
 * Are two addresses of one kind (IPv4, link-local or global IPv6), so that they can reach each
 * other?
 */
static bool same_kind(const union ib_gid *a, const union ib_gid *b)
{
	const struct in6_addr *x = (const struct in6_addr *)a, *y = (const struct in6_addr *)b;

	return ipv6_addr_v4mapped(x) == ipv6_addr_v4mapped(y) &&
	       !(ipv6_addr_type(x) & IPV6_ADDR_LINKLOCAL) ==
	       !(ipv6_addr_type(y) & IPV6_ADDR_LINKLOCAL);
}

/**
 * struct local - address of this end
 * @gid: address
 * @net: namespace of the address, with a reference
 * @ifindex: network device with the address; 0: InfiniBand
 */
struct local {
	union ib_gid gid;
	struct net *net;
	int ifindex;
};

/*
 * Get the address of a network device that is of the kind of @peer, as a GID.  Return: false if
 * there is none.
 */
static bool netdev_gid(const struct net_device *ndev, const union ib_gid *peer, union ib_gid *gid)
{
	const struct in6_addr *in6 = (const struct in6_addr *)peer;
	__be32 addr;

	memset(gid, 0, sizeof(*gid));
	if (ipv6_addr_v4mapped(in6)) {
		addr = inet_select_addr(ndev, in6->s6_addr32[3], RT_SCOPE_UNIVERSE);
		ipv6_addr_set_v4mapped(addr, (struct in6_addr *)gid);
		return addr;
	}
	gid->raw[0] = 0xfe;
	gid->raw[1] = 0x80;
	addrconf_addr_eui48(gid->raw + 8, (const char *)ndev->dev_addr);
	return ipv6_addr_type(in6) & IPV6_ADDR_LINKLOCAL;
}

/*
 * Is the address of a GID usable on its network device?  No while the device is down, or before
 * DAD.
 */
static bool netdev_has(const struct net_device *ndev, const union ib_gid *gid)
{
	const struct in6_addr *in6 = (const struct in6_addr *)gid;

	if (!netif_running(ndev))
		return false;
	if (ipv6_addr_v4mapped(in6))
		return inet_addr_type(dev_net(ndev), in6->s6_addr32[3]) == RTN_LOCAL;
	return ipv6_chk_addr(dev_net(ndev), in6, ndev, 1);
}

/*
 * The addresses of an iWARP device are those of its network device: find the network device whose
 * RDMA device this is.
 */
static int local_iwarp(struct rdma_link *l, struct local *local)
{
	struct net *net = read_pnet(&l->on->dev->coredev.rdma_net);
	struct net_device *ndev;
	int err = -EADDRNOTAVAIL;

	if (!net_allowed(l, net))
		return -EACCES;
	rcu_read_lock();
	for_each_netdev_rcu(net, ndev) {
		struct ib_device *dev = ib_device_get_by_netdev(ndev, RDMA_DRIVER_UNKNOWN);

		if (!dev)
			continue;
		ib_device_put(dev);
		if (dev != l->on->dev || !netdev_gid(ndev, &l->peer, &local->gid) ||
		    !netdev_has(ndev, &local->gid))
			continue;
		local->net = maybe_get_net(net);
		local->ifindex = ndev->ifindex;
		err = local->net ? 0 : -EADDRNOTAVAIL;
		break;
	}
	rcu_read_unlock();
	return err;
}

static bool gid_usable(struct rdma_link *l, const struct ib_gid_attr *attr, struct local *local)
{
	struct net_device *ndev;
	bool usable = false;

	if (attr->gid_type == IB_GID_TYPE_IB && rdma_protocol_ib(attr->device, l->port)) {
		local->net = net_allowed(l, &init_net) ? get_net(&init_net) : NULL;
		local->gid = attr->gid;
		return local->net;
	}
	if (attr->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP || !same_kind(&attr->gid, &l->peer))
		return false;
	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(attr);
	if (!IS_ERR(ndev) && net_allowed(l, dev_net(ndev)) && netdev_has(ndev, &attr->gid)) {
		local->net = maybe_get_net(dev_net(ndev));
		local->ifindex = ndev->ifindex;
		local->gid = attr->gid;
		usable = local->net;
	}
	rcu_read_unlock();
	return usable;
}

/* Read the table length from the immutable port data, because ib_query_port() would take RTNL. */
static int local_find(struct rdma_link *l, struct local *local)
{
	struct ib_device *dev = l->on->dev;
	const struct ib_gid_attr *attr;
	bool usable;
	int i;

	memset(local, 0, sizeof(*local));
	if (rdma_protocol_iwarp(dev, l->port))
		return local_iwarp(l, local);
	for (i = 0; i < dev->port_data[l->port].immutable.gid_tbl_len; i++) {
		attr = rdma_get_gid_attr(dev, l->port, i);
		if (IS_ERR(attr))
			continue;
		usable = gid_usable(l, attr, local);
		rdma_put_gid_attr(attr);
		if (usable)
			return 0;
	}
	return -EADDRNOTAVAIL;
}

/* @port: port number; 0: any */
static void to_sockaddr(const struct local *local, const union ib_gid *gid, u16 port,
			struct sockaddr_storage *ss)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ss;
	struct sockaddr_ib *ib = (struct sockaddr_ib *)ss;

	memset(ss, 0, sizeof(*ss));
	if (!local->ifindex) {
		ib->sib_family = AF_IB;
		ib->sib_pkey = cpu_to_be16(0xffff);
		memcpy(&ib->sib_addr, gid, sizeof(*gid));
		ib->sib_sid = cpu_to_be64((u64)RDMA_PS_TCP << 16 | port);
		ib->sib_sid_mask = cpu_to_be64(port ? ~0ULL : ~0xffffULL);
		return;
	}
	rdma_gid2ip((struct sockaddr *)ss, gid);
	if (ss->ss_family == AF_INET) {
		((struct sockaddr_in *)ss)->sin_port = htons(port);
		return;
	}
	in6->sin6_port = htons(port);
	if (ipv6_addr_type(&in6->sin6_addr) & IPV6_ADDR_LINKLOCAL)
		in6->sin6_scope_id = local->ifindex;
}

/* Connection requests and listening. */

static int call(struct rdma_link *l, const struct local *local)
{
	struct sockaddr_storage src, dst;
	struct rdma_conn *c;
	u16 port;

	c = conn_alloc(l);
	if (!c)
		return -ENOMEM;
	c->id = rdma_create_id(local->net, conn_event, c, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(c->id) || !rdma_link_set_conn(l, c)) {
		if (!IS_ERR(c->id))
			rdma_destroy_id(c->id);
		conn_free(c);
		return -EBUSY;
	}
	if (!l->reason)
		rdma_link_reason(l, "the peer has not answered");
	/* Use another port each time: over iWARP the last one may be in TCP's TIME_WAIT. */
	port = RDMA_SOURCE + (l->own + l->calls++) % RDMA_SOURCES;
	to_sockaddr(local, &local->gid, port, &src);
	to_sockaddr(local, &l->peer, RDMA_SERVICE, &dst);
	if (rdma_set_reuseaddr(c->id, 1) ||
	    rdma_resolve_addr(c->id, (struct sockaddr *)&src, (struct sockaddr *)&dst,
			      RDMA_RESOLVE_MS))
		rdma_link_broken(c, "no route to the peer's address");
	return 0;
}

/* Context: the mutex of the device. */
static struct rdma_listener *listener_make(struct rdma_dev *d, const struct local *local)
{
	struct sockaddr_storage src;
	struct rdma_listener *r;
	int err;

	/* not charged: one for each address of a device */
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return ERR_PTR(-ENOMEM);
	r->on = d;
	r->gid = local->gid;
	r->net = local->net;
	r->id = rdma_create_id(local->net, listen_event, r, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(r->id)) {
		err = PTR_ERR(r->id);
		goto free;
	}
	to_sockaddr(local, &local->gid, RDMA_SERVICE, &src);
	err = rdma_bind_addr(r->id, (struct sockaddr *)&src);
	if (!err)
		err = rdma_listen(r->id, RDMA_BACKLOG_MAX);
	if (!err) {
		list_add(&r->node, &d->listeners);
		return r;
	}
	rdma_destroy_id(r->id);
free:
	kfree(r);
	return ERR_PTR(err);
}

void rdma_conn_unlisten(struct rdma_link *l)
{
	struct rdma_listener *r = l->listener;
	struct rdma_dev *d = l->on;

	if (!r)
		return;
	WRITE_ONCE(l->listener, NULL);
	mutex_lock(&d->mutex);
	if (!--r->users)
		list_del(&r->node);
	else
		r = NULL;
	mutex_unlock(&d->mutex);
	if (!r)
		return;
	/* rdma_destroy_id() waits for listen_event(). */
	rdma_destroy_id(r->id);
	kfree(r);
}

static bool listens_on(const struct rdma_listener *r, const struct local *local)
{
	return net_eq(r->net, local->net) && !memcmp(&r->gid, &local->gid, sizeof(r->gid));
}

static int listen(struct rdma_link *l, const struct local *local)
{
	struct rdma_dev *d = l->on;
	struct rdma_listener *r;
	int err = 0;

	if (l->listener && listens_on(l->listener, local))
		return 0;
	rdma_conn_unlisten(l);
	mutex_lock(&d->mutex);
	list_for_each_entry(r, &d->listeners, node)
		if (listens_on(r, local))
			goto found;
	r = listener_make(d, local);
	if (IS_ERR(r)) {
		err = PTR_ERR(r);
		goto unlock;
	}
found:
	r->users++;
	WRITE_ONCE(l->listener, r);
unlock:
	mutex_unlock(&d->mutex);
	return err;
}

bool rdma_conn_able(struct rdma_link *l)
{
	struct local local;

	if (local_find(l, &local))
		return false;
	put_net(local.net);
	return true;
}

int rdma_conn_begin(struct rdma_link *l)
{
	struct local local;
	int err;

	err = local_find(l, &local);
	if (err) {
		rdma_link_reason(l, err == -EACCES ?
				    "the address of the port is in another namespace" :
				    "the port has no address of the kind of the peer's");
		return err;
	}
	spin_lock_irq(&l->lock);
	l->gid = local.gid;
	spin_unlock_irq(&l->lock);
	if (rdma_conn_calls(l)) {
		err = call(l, &local);
		if (err)
			rdma_link_reason(l, "no queue pair, or no memory for it");
	} else {
		err = listen(l, &local);
		/* Keep the reason why the last connection broke: it is more specific. */
		if (err || !l->broke)
			rdma_link_reason(l, err ? "the port cannot listen" :
					    "the peer has not connected");
	}
	put_net(local.net);
	return err;
}
