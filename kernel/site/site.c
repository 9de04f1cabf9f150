// SPDX-License-Identifier: GPL-2.0
/*
 * Life of a site: made, found, set, taken out.
 */
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/netns/generic.h>
#include <uapi/linux/flitcast.h>
#include <uapi/linux/flitcast_netlink.h>
#include "compat.h"
#include "core/vnet.h"
#include "site/auth.h"
#include "site/echo.h"
#include "site/graph.h"
#include "site/impl.h"
#include "site/share.h"

static_assert(FC_MESSAGE_MAX == FLITCAST_MESSAGE_MAX);
/* The smallest flit carries a list, and data enough for a flit of its own. */
static_assert(FLITCAST_FLIT_MIN >= FC_LINK_SIZE + FC_PACKET_SIZE + FC_TARGET_SIZE);
static_assert(FLITCAST_FLIT_MIN >= FC_LINK_SIZE + FC_DATA_MIN);
static_assert(sizeof(struct flitcast_delivery) <= sizeof_field(struct sk_buff, cb));

/**
 * struct site_net - the sites of a namespace
 * @sites: list; changed under RTNL, read under RCU
 * @nsites: how many; under RTNL
 */
struct site_net {
	struct list_head sites;
	unsigned int nsites;
};

static unsigned int site_net_id;
static struct site_net *site_net(struct net *net)
{
	return net_generic(net, site_net_id);
}

void flitcast_channel_free(struct flitcast_site *site, struct fc_channel *ch)
{
	u8 p;

	for (p = 0; ch->rx && p < ch->nports; p++)
		if (ch->rx[p].queue != site->no_queue)
			kfree(ch->rx[p].queue);
	kfree(ch->rx);
	kfree(ch->tx);
}

int flitcast_channel_alloc(struct flitcast_site *site, struct fc_channel *ch, u32 ports)
{
	u8 p;

	ch->window = site->cfg.window;
	ch->nports = site->core.nports;
	ch->rx = kcalloc(ch->nports, sizeof(*ch->rx), GFP_KERNEL_ACCOUNT);
	ch->tx = kcalloc(ch->nports, sizeof(*ch->tx), GFP_KERNEL_ACCOUNT);
	if (!ch->rx || !ch->tx)
		return -ENOMEM;
	for (p = 0; p < ch->nports; p++) {
		ch->rx[p].queue = site->no_queue;
		if (ports & fc_bit(p))
			ch->rx[p].queue = kcalloc(ch->window, sizeof(struct fc_flit),
						  GFP_KERNEL_ACCOUNT);
		/* A link brings counters of its own. */
		ch->rx[p].stat = site->local_stat;
		if (!ch->rx[p].queue)
			return -ENOMEM;
	}
	return 0;
}

static void site_free(struct flitcast_site *site)
{
	flitcast_care_free(site);
	flitcast_vnet_free(site);
	flitcast_relay_free(site);
	flitcast_faults_free(site);
	flitcast_tx_free(site);
	flitcast_auth_free(site->auth);
	flitcast_rxflow_free(site);
	kfree(site->no_queue);
	xa_destroy(&site->ports);
	if (site->cfg.topo.graph)
		flitcast_graph_put(site->cfg.topo.graph);
	kfree(site);
}

void flitcast_site_put(struct flitcast_site *site)
{
	if (refcount_dec_and_test(&site->refs))
		site_free(site);
}

static void set_timing(struct flitcast_site *site)
{
	const struct flitcast_site_tuning *tuning = &site->cfg.tuning;

	site->timing.seek = (u64)tuning->seek * NSEC_PER_USEC;
	site->timing.seek_max = tuning->seek_max;
	site->timing.timeout = (u64)tuning->timeout * NSEC_PER_USEC;
	site->timing.retry = (u64)tuning->retry * NSEC_PER_USEC;
	/* Who needs the room asks for it; the others do not ask yet. */
	site->timing.tell = (u64)tuning->probe * NSEC_PER_USEC / 2;
	site->timing.probe = (u64)tuning->probe * NSEC_PER_USEC;
}

/* What is armed keeps its time; what is stored beyond a smaller pool goes out. */
void flitcast_site_tune(struct flitcast_site *site, const struct flitcast_site_tuning *tuning)
{
	flitcast_engine_enter(site);
	site->cfg.tuning = *tuning;
	set_timing(site);
	/* What waits for a way may have waited long enough. */
	flitcast_tx_rerouted(site);
	flitcast_engine_leave(site);
}

void flitcast_site_drain(struct flitcast_site *site, bool drain)
{
	flitcast_engine_enter(site);
	if (site->drain != drain) {
		WRITE_ONCE(site->drain, drain);
		flitcast_site_link_event(site, FC_PORT_LOCAL);
	}
	flitcast_engine_leave(site);
}

void flitcast_site_drained(struct flitcast_site *site)
{
	if (site->drain && list_empty(&site->msgs))
		flitcast_site_link_event(site, FC_PORT_LOCAL);
}

static struct flitcast_site *site_alloc(struct net *net, const struct flitcast_site_config *cfg)
{
	struct flitcast_site *site;
	u8 c;

	site = kzalloc(struct_size(site, end, cfg->topo.ndirs + 1), GFP_KERNEL_ACCOUNT);
	if (!site)
		return NULL;
	refcount_set(&site->refs, 1);
	site->net = net;
	site->cfg = *cfg;
	site->cfg.key = NULL;
	if (cfg->topo.graph)
		flitcast_graph_hold(cfg->topo.graph);
	site->incarnation = get_random_u32();
	spin_lock_init(&site->lock);
	__skb_queue_head_init(&site->casting);
	flitcast_oper_init(site);
	hash_init(site->owners);
	for (c = 0; c < FLITCAST_TX_DOORS; c++)
		flitcast_round_init(&site->round[c]);
	INIT_LIST_HEAD(&site->recast);
	xa_init_flags(&site->ports, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_BH | XA_FLAGS_ACCOUNT);
	flitcast_tx_init(site);
	flitcast_rx_init(site);
	hash_init(site->casts);
	INIT_LIST_HEAD(&site->cast_ages);
	site->cast_at = FC_NEVER;
	site->ends_at = FC_NEVER;
	INIT_LIST_HEAD(&site->owed);
	INIT_LIST_HEAD(&site->woken);
	site->timer_at = FC_NEVER;
	site->machines_at = FC_NEVER;
	site->rng = get_random_u64() | 1;
	INIT_WORK(&site->event, flitcast_event_work);
	flitcast_ctrl_init(site);
	hrtimer_setup(&site->timer, flitcast_engine_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);

	set_timing(site);
	/* The operator takes every word as it comes. */
	site->timing.fifo_room = 0;
	fc_pref_default(&site->pref, &site->cfg.topo);

	site->core.topo = &site->cfg.topo;
	site->core.pref = &site->pref;
	site->core.timing = &site->timing;
	site->core.stat = site->stat;
	site->core.id = cfg->id;
	site->core.nports = cfg->topo.ndirs + 1;
	site->no_queue = kcalloc(cfg->window, sizeof(*site->no_queue), GFP_KERNEL_ACCOUNT);
	/* Where there are classes packets go in those. */
	if (!site->no_queue ||
	    flitcast_care_machines(site, &site->core, fc_mode_classes(cfg->mode) ? 0 : ~0U) ||
	    flitcast_rxflow_alloc(site) ||
	    (fc_mode_classes(cfg->mode) ? flitcast_vnet_alloc(site) : flitcast_care_alloc(site)) ||
	    flitcast_relay_alloc(site) || flitcast_faults_alloc(site))
		goto fail;
	return site;
fail:
	site_free(site);
	return NULL;
}

static struct flitcast_site *find_locked(struct net *net, u32 id)
{
	struct flitcast_site *site;

	list_for_each_entry(site, &site_net(net)->sites, node)
		if (site->cfg.id == id)
			return site;
	return NULL;
}

/* Put it into the list of its namespace.  Context: RTNL held. */
static int publish(struct net *net, struct flitcast_site *site, struct netlink_ext_ack *extack)
{
	struct site_net *sites = site_net(net);
	struct list_head *at = &sites->sites;
	struct flitcast_site *pos;

	if (find_locked(net, site->cfg.id)) {
		NL_SET_ERR_MSG_MOD(extack, "site exists already");
		return -EEXIST;
	}
	if (sites->nsites == FLITCAST_NET_SITES_MAX) {
		NL_SET_ERR_MSG_MOD(extack, "a namespace has 256 sites at most");
		return -ENOSPC;
	}
	/* In order of identity, as flitcast_site_next() walks. */
	list_for_each_entry(pos, at, node) {
		if (pos->cfg.id > site->cfg.id) {
			at = &pos->node;
			break;
		}
	}
	list_add_tail_rcu(&site->node, at);
	sites->nsites++;
	refcount_inc(&site->refs);
	return 0;
}

/* A port is attached no more: what it sends is the site's now. */
static void port_gone(struct flitcast_site *site, struct flitcast_port *port)
{
	flitcast_tx_detach(site, port);
	if (site->port_last == port)
		site->port_last = NULL;
	xa_erase(&site->ports, port->number);
	if (port->ops->info)
		site->sockets--;
}

/* Others have their turn. */
static void pause(struct flitcast_site *site)
	__must_hold(&site->lock)
{
	flitcast_engine_leave(site);
	flitcast_engine_enter(site);
}

/* The site is dead: its messages, and then its ports, go one after the other. */
static void ports_gone(struct flitcast_site *site)
	__must_hold(&site->lock)
{
	struct flitcast_port *port;
	unsigned long number = 0;

	while (flitcast_tx_purge(site))
		pause(site);
	/* One that is closed between two of these has gone when it is looked for again. */
	while ((port = xa_find(&site->ports, &number, ULONG_MAX, XA_PRESENT))) {
		if (!flitcast_rx_detach(site, port)) {
			port_gone(site, port);
			port->ops->detach(port);
			flitcast_engine_wake(site, port, FLITCAST_WAKE_IN | FLITCAST_WAKE_OUT |
					     FLITCAST_WAKE_ERR);
		}
		pause(site);
	}
	while (flitcast_tx_purge_sources(site))
		pause(site);
}

/* Nothing enters it any more but what ends it, and its timer is still. */
static void site_dies(struct flitcast_site *site)
{
	flitcast_engine_enter(site);
	site->dead = true;
	ports_gone(site);
	flitcast_engine_leave(site);
	hrtimer_cancel(&site->timer);
}

int flitcast_site_add(struct net *net, const struct flitcast_site_config *cfg,
		      struct netlink_ext_ack *extack)
{
	struct flitcast_site *site;
	struct fc_vclass classes;
	int err;

	if (cfg->topo.nsites > FLITCAST_SITES_MAX) {
		NL_SET_ERR_MSG_MOD(extack, "a network has 1024 sites at most");
		return -EINVAL;
	}
	if (cfg->id >= cfg->topo.nsites) {
		NL_SET_ERR_MSG_MOD(extack, "the topology has no site of that number");
		return -EINVAL;
	}
	if (cfg->flit < FLITCAST_FLIT_MIN || cfg->flit > FLITCAST_FLIT_MAX) {
		NL_SET_ERR_MSG_MOD(extack, "flit size is 256 to 65535 bytes");
		return -EINVAL;
	}
	if (!cfg->window || cfg->window > FLITCAST_WINDOW_MAX) {
		NL_SET_ERR_MSG_MOD(extack, "window is 1 to 64 flits");
		return -EINVAL;
	}
	if (fc_mode_classes(cfg->mode)) {
		const char *wrong = fc_vclass_init(&classes, &cfg->topo);

		if (!wrong && !fc_vnet_window(cfg->flit - FC_LINK_SIZE))
			wrong = KBUILD_MODNAME ": mode vnet needs flits of 1061 bytes or more";
		if (wrong) {
			if (extack)
				extack->_msg = wrong;
			return -EINVAL;
		}
		err = flitcast_window_check(cfg, cfg->window, extack);
		if (err)
			return err;
	}
	site = site_alloc(net, cfg);
	if (!site)
		return -ENOMEM;
	if (cfg->key) {
		struct crypto_shash *auth = flitcast_auth_alloc(cfg->key, extack);

		if (IS_ERR(auth)) {
			flitcast_site_put(site);
			return PTR_ERR(auth);
		}
		site->auth = auth;
		/* Flits have no code. */
		site->timing.acks_apart = true;
	}
	site->echo = flitcast_echo_start(site);
	if (!site->echo) {
		flitcast_site_put(site);
		return -ENOMEM;
	}
	rtnl_lock();
	err = publish(net, site, extack);
	if (err) {
		rtnl_unlock();
		site_dies(site);
		flitcast_echo_stop(site->echo);
		flitcast_tx_stop(site);
		flitcast_rx_stop(site);
		flitcast_site_put(site);
		return err;
	}
	flitcast_faults_begin(site);
	rtnl_unlock();
	flitcast_event_site(site, FLITCAST_SITE_ADDED);
	flitcast_site_put(site);
	return 0;
}

/*
 * The end of a site, in this order:
 * 1. out of the list: nobody finds it any more (it is still open to those who have); what
 *    it was to confirm later it confirms;
 * 2. its links: no frame comes in after that;
 * 3. dead: sockets that are attached, and those who found it before, are turned away;
 *    they keep a reference and nothing else;
 * 4. its timer, tasklet and works: they cannot be set again, because all look at dead;
 * 5. what it holds: flits, packets, messages, flows.
 * The memory goes with the last reference.  Context: RTNL held.
 */
static void site_destroy(struct flitcast_site *site)
{
	u64 until;
	u8 p;

	list_del_rcu(&site->node);
	site_net(site->net)->nsites--;
	flitcast_engine_enter(site);
	/* Confirmations that come to be owed from now on are not waited for. */
	until = flitcast_site_now(site) + FC_LATER_NS;
	while (flitcast_rx_time(site, until))
		pause(site);
	flitcast_ctrl_time(site, FC_NEVER);
	flitcast_engine_leave(site);
	for (p = 1; p < site->core.nports; p++)
		if (site->end[p].link)
			flitcast_site_link_gone(site, p);

	site_dies(site);
	flitcast_ctrl_stop(site);
	cancel_work_sync(&site->event);
	flitcast_faults_stop(site);
	flitcast_echo_stop(site->echo);
	flitcast_tx_stop(site);
	flitcast_rx_stop(site);

	flitcast_engine_enter(site);
	flitcast_cast_purge(site);
	flitcast_oper_purge(site);
	flitcast_txcast_purge(site);
	flitcast_care_purge(site);
	flitcast_relay_purge(site);
	flitcast_vnet_purge(site);
	flitcast_pool_free(&site->kept);
	flitcast_engine_leave(site);
	synchronize_net();
	flitcast_site_put(site);
}

int flitcast_site_del(struct net *net, u32 id, struct netlink_ext_ack *extack)
{
	struct flitcast_site *site;

	rtnl_lock();
	site = find_locked(net, id);
	if (!site) {
		rtnl_unlock();
		NL_SET_ERR_MSG_MOD(extack, "no such site here");
		return -ENOENT;
	}
	refcount_inc(&site->refs);
	site_destroy(site);
	rtnl_unlock();
	flitcast_event_site(site, FLITCAST_SITE_REMOVED);
	flitcast_site_put(site);
	return 0;
}

struct flitcast_site *flitcast_site_get(struct net *net, u32 id)
{
	struct flitcast_site *site, *found = NULL;
	bool several = false;

	rcu_read_lock();
	list_for_each_entry_rcu(site, &site_net(net)->sites, node) {
		if (id == FLITCAST_SITE_ANY) {
			several = found;
			found = site;
			if (several)
				break;
		} else if (site->cfg.id == id) {
			found = site;
			break;
		}
	}
	if (several || (found && !refcount_inc_not_zero(&found->refs)))
		found = NULL;
	rcu_read_unlock();
	return found;
}

struct flitcast_site *flitcast_site_next(struct net *net, u32 from)
{
	struct flitcast_site *site, *found = NULL;

	rcu_read_lock();
	list_for_each_entry_rcu(site, &site_net(net)->sites, node) {
		if (site->cfg.id >= from && refcount_inc_not_zero(&site->refs)) {
			found = site;
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

void flitcast_site_info(struct flitcast_site *site, struct flitcast_site_info *info)
{
	u8 p;

	memset(info, 0, sizeof(*info));
	info->cfg = site->cfg;
	info->incarnation = site->incarnation;
	spin_lock_bh(&site->lock);
	info->sockets = site->sockets;
	info->drain = site->drain;
	info->keyed = site->auth;
	info->pending = site->nmsgs;
	for (p = 1; p < site->core.nports; p++) {
		if (!site->end[p].link)
			continue;
		info->links++;
		info->links_up += site->end[p].hello.state == FC_LINK_UP;
	}
	spin_unlock_bh(&site->lock);
}

u32 flitcast_site_count(const struct flitcast_site *site)
{
	return site->cfg.topo.nsites;
}

u32 flitcast_site_id(const struct flitcast_site *site)
{
	return site->cfg.id;
}

bool flitcast_site_draining(const struct flitcast_site *site)
{
	return READ_ONCE(site->drain);
}

bool flitcast_site_dead(const struct flitcast_site *site)
{
	return READ_ONCE(site->dead);
}

/*
 * Counters.
 */

void flitcast_site_stats(struct flitcast_site *site, u64 *values)
{
	spin_lock_bh(&site->lock);
	memcpy(values, site->stat, sizeof(site->stat));
	spin_unlock_bh(&site->lock);
}

void flitcast_site_stats_reset(struct flitcast_site *site)
{
	u8 p;

	spin_lock_bh(&site->lock);
	memset(site->stat, 0, sizeof(site->stat));
	for (p = 1; p < site->core.nports; p++) {
		struct flitcast_end *end = &site->end[p];

		if (!end->link)
			continue;
		memset(end->link->stat, 0, sizeof(end->link->stat));
		/* A value of that counter: another value is news for the handshake. */
		end->futile = 0;
	}
	spin_unlock_bh(&site->lock);
}

/*
 * Ports.
 */

/* Reserve a number in the table of ports: @number, or, if it is 0, a free one.  May sleep. */
static int number_take(struct flitcast_site *site, u16 *number)
{
	u32 first, found;
	int err;

	if (*number) {
		err = xa_insert_bh(&site->ports, *number, NULL, GFP_KERNEL_ACCOUNT);
		return err == -EBUSY ? -EADDRINUSE : err;
	}
	first = FLITCAST_PORT_DYNAMIC + get_random_u32() % (0x10000 - FLITCAST_PORT_DYNAMIC);
	err = xa_alloc_bh(&site->ports, &found, NULL, XA_LIMIT(first, 0xffff), GFP_KERNEL_ACCOUNT);
	if (err == -EBUSY)
		err = xa_alloc_bh(&site->ports, &found, NULL,
				  XA_LIMIT(FLITCAST_PORT_DYNAMIC, first), GFP_KERNEL_ACCOUNT);
	if (err)
		return err == -EBUSY ? -EADDRINUSE : err;
	*number = found;
	return 0;
}

int flitcast_port_attach(struct flitcast_port *port, struct flitcast_site *site, u16 number)
{
	int err = number_take(site, &number);
	bool dead;

	if (err)
		return err;
	port->number = number;
	err = flitcast_tx_prepare(site, port);
	if (err)
		goto number;
	INIT_LIST_HEAD(&port->waiting);
	INIT_LIST_HEAD(&port->invited);
	INIT_LIST_HEAD(&port->flows);
	port->closing = false;
	INIT_LIST_HEAD(&port->woken);
	flitcast_engine_enter(site);
	dead = site->dead;
	if (!dead) {
		flitcast_tx_attach(site, port);
		port->site = site;
		refcount_inc(&site->refs);
		/* Its place is there. */
		xa_store(&site->ports, number, port, 0);
		if (port->ops->info)
			site->sockets++;
	}
	flitcast_engine_leave(site);
	if (!dead)
		return 0;
	err = -ENETDOWN;
	flitcast_tx_cancel(site, port);
number:
	xa_erase_bh(&site->ports, number);
	return err;
}

void flitcast_port_detach(struct flitcast_port *port)
{
	struct flitcast_site *site = port->site;

	if (!site)
		return;
	flitcast_engine_enter(site);
	/* A dead site may have let go of it already, or does so meanwhile. */
	while (flitcast_port_find(site, port->number) == port) {
		if (!flitcast_rx_detach(site, port))
			port_gone(site, port);
		else
			pause(site);
	}
	port->site = NULL;
	flitcast_engine_leave(site);
	flitcast_site_put(site);
}

/*
 * Namespaces.
 */

static int __net_init site_net_init(struct net *net)
{
	INIT_LIST_HEAD(&site_net(net)->sites);
	return 0;
}

static void __net_exit site_net_exit(struct net *net)
{
	struct flitcast_site *site, *next;

	rtnl_lock();
	list_for_each_entry_safe(site, next, &site_net(net)->sites, node)
		site_destroy(site);
	rtnl_unlock();
}

static struct pernet_operations site_net_ops = {
	.init = site_net_init,
	.exit = site_net_exit,
	.id = &site_net_id,
	.size = sizeof(struct site_net),
};

int flitcast_site_init(void)
{
	int err = flitcast_engine_init();

	if (err)
		return err;
	flitcast_share_init();
	err = register_pernet_subsys(&site_net_ops);
	if (err)
		flitcast_engine_exit();
	return err;
}

void flitcast_site_exit(void)
{
	unregister_pernet_subsys(&site_net_ops);
	flitcast_share_exit();
	flitcast_engine_exit();
}
