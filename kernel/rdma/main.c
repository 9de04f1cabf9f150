// SPDX-License-Identifier: GPL-2.0
/*
 * Links over ports of RDMA devices: the backend, the devices, and the work of each link.
 */
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include "core/version.h"
#include "rdma/rdma.h"

/* Delay of the next attempt to connect. */
#define RDMA_RETRY	(HZ / 4)
/* The delay doubles at most this often while this end cannot even try. */
#define RDMA_RETRY_SHIFT 4

static struct ib_client client;

/* All devices. */
static LIST_HEAD(devs);
static DEFINE_SPINLOCK(devs_lock);

/*
 * The work of a link.
 */

/*
 * Report a change of the carrier.  The owner keeps the link until rdma_stop() has waited for RCU
 * readers.
 */
static void carrier(struct rdma_link *l, bool up)
{
	if (l->carrier == up)
		return;
	WRITE_ONCE(l->carrier, up);
	rcu_read_lock();
	if (!READ_ONCE(l->dead))
		l->link.ops->carrier(&l->link, up);
	rcu_read_unlock();
}

/*
 * Begin to connect, and schedule the next attempt.  Events of the port or its addresses
 * (dev_event()) run the work earlier.
 */
static void begin(struct rdma_link *l)
{
	if (READ_ONCE(l->dead))
		return;
	if (rdma_conn_begin(l)) {
		l->broke = false;
		rdma_link_kick(l, RDMA_RETRY << min_t(u8, l->futile, RDMA_RETRY_SHIFT));
		if (l->futile < U8_MAX)
			l->futile++;
	} else if (rdma_conn_calls(l)) {
		rdma_link_kick(l, rdma_conn_patience(l));
	}
}

/*
 * Abort a connection that is not established in time.  Return: jiffies left for connecting, or 0.
 */
static unsigned long wait_for_conn(struct rdma_conn *c)
{
	unsigned long now = jiffies, until = c->until;

	if (READ_ONCE(c->state) != RDMA_CONNECTING)
		return 0;
	if (time_before(now, until))
		return until - now;
	rdma_link_broken(c, "the peer does not answer");
	return 0;
}

/* ib_query_port() would take RTNL; the cache is updated before event handlers run. */
static bool port_active(const struct rdma_link *l)
{
	enum ib_port_state state;

	return !ib_get_cached_port_state(l->on->dev, l->port, &state) && state == IB_PORT_ACTIVE;
}

static void link_work(struct work_struct *work)
{
	struct rdma_link *l = container_of(to_delayed_work(work), struct rdma_link, work);
	struct rdma_conn *broken, *c;
	unsigned long wait = 0;
	bool connected;

	WRITE_ONCE(l->port_up, port_active(l));
	rcu_read_lock();
	c = rcu_dereference(l->conn);
	if (c)
		wait = wait_for_conn(c);
	connected = c && READ_ONCE(c->state) == RDMA_CONNECTED;
	rcu_read_unlock();
	carrier(l, connected && l->port_up);
	/*
	 * A port that is down, or has no address yet, can notify the peer neither of the end nor of
	 * the beginning of a connection: wait.  Once a send of the connection manager has failed,
	 * Soft-RoCE sends no more for it.
	 */
	if (!l->port_up)
		return;
	if (c && !connected && !rdma_conn_able(l)) {
		rdma_link_kick(l, RDMA_RETRY);
		return;
	}
	broken = rdma_link_take_conn(l, false);
	if (connected) {
		l->futile = 0;
		l->broke = false;
	} else if (broken) {
		l->broke = true;
		if (l->futile < U8_MAX)
			l->futile++;
	}
	if (broken)
		rdma_conn_end(broken);
	if (wait)
		rdma_link_kick(l, wait);
	else if (broken && rdma_conn_calls(l))
		rdma_link_kick(l, RDMA_RETRY);
	else if (broken || !c)
		begin(l);
}

static void link_end(struct work_struct *work)
{
	struct rdma_link *l = container_of(work, struct rdma_link, end);
	struct rdma_conn *c;

	cancel_delayed_work_sync(&l->work); /* @dead: rdma_link_kick() does not queue it again */
	rdma_conn_unlisten(l);
	c = rdma_link_take_conn(l, true);
	if (c)
		rdma_conn_end(c);
	rdma_link_put(l);
}

/*
 * The backend.
 */

/* Split "DEV/PORT".  Return: the port, or 0 if the name is malformed. */
static u32 split(char *name)
{
	char *slash = strrchr(name, '/');
	u32 port;

	if (!slash || slash == name || kstrtou32(slash + 1, 10, &port))
		return 0;
	*slash = 0;
	return port;
}

/* Context: RTNL held, which keeps the device: dev_remove() takes RTNL. */
static struct rdma_dev *find_dev(const char *name)
{
	struct rdma_dev *d, *found = NULL;

	spin_lock_bh(&devs_lock);
	list_for_each_entry(d, &devs, node)
		if (!strcmp(d->name, name))
			found = d;
	spin_unlock_bh(&devs_lock);
	return found;
}

/* A connection request is matched by its ends and peer: links of a port must differ in these. */
static bool same_ends(const struct rdma_link *l, const void *arg)
{
	const struct rdma_link *other = arg;

	return l->on == other->on && l->port == other->port && l->own == other->own &&
	       l->far == other->far && !memcmp(&l->peer, &other->peer, sizeof(l->peer));
}

static struct flitcast_link *rdma_create(const struct flitcast_link_spec *spec, u32 flit,
					 struct netlink_ext_ack *extack)
{
	char name[FLITCAST_DEVICE_NAME];
	struct rdma_link *l, *twin;
	struct rdma_dev *d;
	u32 port;

	strscpy(name, spec->name, sizeof(name));
	port = split(name);
	if (!port) {
		NL_SET_ERR_MSG_MOD(extack, "an RDMA port is written DEVICE/PORT");
		return ERR_PTR(-EINVAL);
	}
	d = find_dev(name);
	if (!d || !rdma_dev_access_netns(d->dev, spec->net)) {
		NL_SET_ERR_MSG_MOD(extack, "no such RDMA device here");
		return ERR_PTR(-ENODEV);
	}
	if (!rdma_is_port_valid(d->dev, port)) {
		NL_SET_ERR_MSG_MOD(extack, "the RDMA device has no such port");
		return ERR_PTR(-EINVAL);
	}
	if (!rdma_cap_ib_cm(d->dev, port) && !rdma_cap_iw_cm(d->dev, port)) {
		NL_SET_ERR_MSG_MOD(extack, "the RDMA port has no connection manager");
		return ERR_PTR(-EOPNOTSUPP);
	}
	l = kzalloc(sizeof(*l), GFP_KERNEL_ACCOUNT);
	if (!l)
		return ERR_PTR(-ENOMEM);
	rdma_recv_layout(l, flit);
	if (d->dev->attrs.max_recv_sge < (int)(1 + l->nfrags) ||
	    d->dev->attrs.max_qp_wr <= 2 * RDMA_SEND_SPARE) {
		NL_SET_ERR_MSG_MOD(extack, "the RDMA device has too small queue pairs for such flits");
		kfree(l);
		return ERR_PTR(-EINVAL);
	}
	l->link.headroom = FC_LINK_SIZE;
	INIT_LIST_HEAD(&l->node);
	l->on = d;
	l->port = port;
	l->net = spec->net;
	memcpy(&l->peer, spec->peer, sizeof(l->peer));
	l->own = spec->own;
	l->far = spec->far;
	twin = rdma_link_find(same_ends, l);
	if (twin) {
		rdma_link_put(twin);
		NL_SET_ERR_MSG_MOD(extack, "the RDMA port has a link of these numbers to that peer");
		kfree(l);
		return ERR_PTR(-EBUSY);
	}
	kref_init(&l->ref);
	spin_lock_init(&l->lock);
	INIT_DELAYED_WORK(&l->work, link_work);
	INIT_WORK(&l->end, link_end);
	atomic_inc(&d->links);
	return &l->link;
}

static void rdma_start(struct flitcast_link *link)
{
	rdma_link_add(rdma_link_of(link));
	rdma_link_kick(rdma_link_of(link), 0);
}

static void rdma_stop(struct flitcast_link *link)
{
	struct rdma_link *l = rdma_link_of(link);

	rdma_link_del(l);
	spin_lock_irq(&l->lock);
	WRITE_ONCE(l->dead, true);
	spin_unlock_irq(&l->lock);
	/* Wait for receivers, transmitters, and carrier(). */
	synchronize_net();
}

static void rdma_free(struct flitcast_link *link)
{
	struct rdma_link *l = rdma_link_of(link);

	WRITE_ONCE(l->dead, true);
	queue_work(rdma_wq, &l->end);
}

static const char *connection(struct rdma_link *l, const struct rdma_conn *c)
{
	if (!c)
		return rdma_conn_calls(l) ? "waiting" : "listening";
	switch (READ_ONCE(c->state)) {
	case RDMA_CONNECTING:
		return "connecting";
	case RDMA_CONNECTED:
		return "connected";
	}
	return "closing";
}

static void rdma_describe(struct flitcast_link *link, struct flitcast_link_device *device)
{
	struct rdma_link *l = rdma_link_of(link);
	const char *reason = READ_ONCE(l->reason);
	const struct rdma_conn *c;
	const struct ib_qp *qp;

	spin_lock(&devs_lock);
	snprintf(device->name, sizeof(device->name), "%s/%u", l->on->name, l->port);
	spin_unlock(&devs_lock);
	memcpy(device->peer, &l->peer, sizeof(device->peer));
	spin_lock(&l->lock);
	memcpy(device->gid, &l->gid, sizeof(device->gid));
	spin_unlock(&l->lock);
	rcu_read_lock();
	c = rcu_dereference(l->conn);
	strscpy(device->connection, connection(l, c), sizeof(device->connection));
	qp = c ? READ_ONCE(c->qp) : NULL;
	if (qp)
		device->qp = qp->qp_num;
	rcu_read_unlock();
	if (!READ_ONCE(l->port_up))
		reason = "the RDMA port is down";
	if (reason && !READ_ONCE(l->carrier))
		strscpy(device->reason, reason, sizeof(device->reason));
}

static const struct flitcast_link_kind rdma_kind = {
	.name = "rdma",
	.create = rdma_create,
	.start = rdma_start,
	.stop = rdma_stop,
	.free = rdma_free,
	.describe = rdma_describe,
	.transmit = rdma_transmit,
	.flush = rdma_flush,
	.room = rdma_room,
};

/*
 * Devices.
 */

static void dev_event(struct ib_event_handler *handler, struct ib_event *event)
{
	struct rdma_dev *d = container_of(handler, struct rdma_dev, events);

	if (event->event == IB_EVENT_PORT_ACTIVE || event->event == IB_EVENT_PORT_ERR ||
	    event->event == IB_EVENT_GID_CHANGE)
		rdma_links_kick(d, event->element.port_num);
}

static int dev_add(struct ib_device *dev)
{
	/* not charged: one for each device */
	struct rdma_dev *d = kzalloc(sizeof(*d), GFP_KERNEL);

	if (!d)
		return -ENOMEM;
	d->dev = dev;
	strscpy(d->name, dev_name(&dev->dev), sizeof(d->name));
	mutex_init(&d->mutex);
	INIT_LIST_HEAD(&d->listeners);
	INIT_IB_EVENT_HANDLER(&d->events, dev, dev_event);
	ib_register_event_handler(&d->events);
	ib_set_client_data(dev, &client, d);
	spin_lock_bh(&devs_lock);
	list_add_tail(&d->node, &devs);
	spin_unlock_bh(&devs_lock);
	return 0;
}

static void dev_rename(struct ib_device *dev, void *data)
{
	struct rdma_dev *d = data;

	spin_lock_bh(&devs_lock);
	strscpy(d->name, dev_name(&dev->dev), sizeof(d->name));
	spin_unlock_bh(&devs_lock);
}

static bool is_on(const struct rdma_link *l, const void *on)
{
	return l->on == on;
}

/*
 * RDMA devices are unregistered without RTNL, so this may take it, as ipoib's remove callback does.
 */
static void dev_remove(struct ib_device *dev, void *data)
{
	struct rdma_dev *d = data;
	struct rdma_link *l;

	ib_unregister_event_handler(&d->events);
	rtnl_lock();
	spin_lock_bh(&devs_lock);
	list_del(&d->node);
	spin_unlock_bh(&devs_lock);
	/* Links are created and destroyed under RTNL, so no link is added meanwhile. */
	while ((l = rdma_link_find(is_on, d))) {
		l->link.ops->gone(&l->link);
		rdma_link_put(l);
	}
	rtnl_unlock();
	rdma_links_wait(d);
	mutex_destroy(&d->mutex);
	kfree(d);
}

static struct ib_client client = {
	.name = "flitcast",
	.add = dev_add,
	.remove = dev_remove,
	.rename = dev_rename,
};

static int __init rdma_init(void)
{
	int err;

	rdma_wq = alloc_workqueue("flitcast_rdma", WQ_UNBOUND, 0);
	if (!rdma_wq)
		return -ENOMEM;
	err = ib_register_client(&client);
	if (err)
		goto wq;
	err = flitcast_link_kind_register(&rdma_kind);
	if (err)
		goto client;
	return 0;
client:
	ib_unregister_client(&client);
wq:
	destroy_workqueue(rdma_wq);
	return err;
}

static void __exit rdma_exit(void)
{
	flitcast_link_kind_unregister(&rdma_kind);
	/* ib_unregister_client() calls dev_remove(), which removes all links. */
	ib_unregister_client(&client);
	destroy_workqueue(rdma_wq);
}

module_init(rdma_init);
module_exit(rdma_exit);

MODULE_LICENSE("GPL");
MODULE_VERSION(FLITCAST_VERSION);
MODULE_AUTHOR("The Flitcast developers");
MODULE_DESCRIPTION("Flitcast: links over ports of RDMA devices");
MODULE_ALIAS("flitcast-link-rdma");
