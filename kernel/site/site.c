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

static_assert(FC_MESSAGE_MAX == FLITCAST_MESSAGE_MAX);
/* The smallest flit carries a list, and data enough for a flit of its own. */
static_assert(FLITCAST_FLIT_MIN >= FC_LINK_SIZE + FC_PACKET_SIZE + FC_TARGET_SIZE);
static_assert(FLITCAST_FLIT_MIN >= FC_LINK_SIZE + FC_DATA_MIN);
static_assert(sizeof(struct flitcast_delivery) <= sizeof_field(struct sk_buff, cb));

/**
 * struct site_net - the sites of a namespace
 * @sites: list; changed under RTNL, read under RCU
 */
struct site_net {
	struct list_head sites;
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
	flitcast_channel_free(site, &site->core.data);
	kfree(site->core.in);
	kfree(site->core.out);
	flitcast_vnet_free(site);
	flitcast_relay_free(site);
	flitcast_faults_free(site);
	flitcast_tx_free(site);
	flitcast_auth_free(site->auth);
	flitcast_rxflow_free(site);
	kfree(site->no_queue);
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
	__skb_queue_head_init(&site->netbuf);
	INIT_LIST_HEAD(&site->transit);
	hash_init(site->owners);
	for (c = 0; c < FLITCAST_TX_DOORS; c++)
		flitcast_round_init(&site->round[c]);
	INIT_LIST_HEAD(&site->recast);
	INIT_LIST_HEAD(&site->msgs);
	site->due = RB_ROOT_CACHED;
	INIT_LIST_HEAD(&site->late);
	INIT_LIST_HEAD(&site->forward);
	hash_init(site->ports);
	hash_init(site->sources);
	hash_init(site->casts);
	INIT_LIST_HEAD(&site->cast_ages);
	site->cast_at = FC_NEVER;
	site->ends_at = FC_NEVER;
	INIT_LIST_HEAD(&site->owed);
	INIT_LIST_HEAD(&site->woken);
	site->timer_at = FC_NEVER;
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
	site->core.in = kcalloc(site->core.nports, sizeof(*site->core.in), GFP_KERNEL_ACCOUNT);
	site->core.out = kcalloc(site->core.nports, sizeof(*site->core.out), GFP_KERNEL_ACCOUNT);
	site->no_queue = kcalloc(cfg->window, sizeof(*site->no_queue), GFP_KERNEL_ACCOUNT);
	/* Where there are classes packets go in those. */
	if (!site->core.in || !site->core.out || !site->no_queue ||
	    flitcast_channel_alloc(site, &site->core.data, fc_mode_classes(cfg->mode) ? 0 : ~0U))
		goto fail;
	fc_site_init(&site->core, get_random_u64());
	if (flitcast_rxflow_alloc(site) ||
	    (fc_mode_classes(cfg->mode) && flitcast_vnet_alloc(site)) ||
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

int flitcast_site_add(struct net *net, const struct flitcast_site_config *cfg,
		      struct netlink_ext_ack *extack)
{
	struct flitcast_site *site, *pos;
	struct fc_vclass classes;
	struct list_head *at;
	int err;

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
	}
	site->echo = flitcast_echo_start(site);
	if (!site->echo) {
		flitcast_site_put(site);
		return -ENOMEM;
	}
	rtnl_lock();
	if (find_locked(net, cfg->id)) {
		rtnl_unlock();
		flitcast_echo_stop(site->echo);
		flitcast_site_put(site);
		NL_SET_ERR_MSG_MOD(extack, "site exists");
		return -EEXIST;
	}
	/* In order of identity, as flitcast_site_next() walks. */
	at = &site_net(net)->sites;
	list_for_each_entry(pos, at, node) {
		if (pos->cfg.id > cfg->id) {
			at = &pos->node;
			break;
		}
	}
	list_add_tail_rcu(&site->node, at);
	refcount_inc(&site->refs);
	flitcast_faults_begin(site);
	rtnl_unlock();
	flitcast_event_site(site, FLITCAST_SITE_ADDED);
	flitcast_site_put(site);
	return 0;
}

static void drop_handle(void *arg, void *h)
{
	kfree_skb(h);
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
	struct flitcast_port *port;
	struct hlist_node *next;
	int bucket;
	u8 p;

	list_del_rcu(&site->node);
	flitcast_engine_enter(site);
	flitcast_rx_settle(site);
	flitcast_ctrl_time(site, FC_NEVER);
	flitcast_engine_leave(site);
	for (p = 1; p < site->core.nports; p++)
		if (site->end[p].link)
			flitcast_site_link_gone(site, p);

	flitcast_engine_enter(site);
	site->dead = true;
	hash_for_each_safe(site->ports, bucket, next, port, node) {
		while (flitcast_rx_detach(site, port))
			continue;
		hash_del(&port->node);
		site->sockets--;
		port->ops->detach(port);
		flitcast_engine_wake(site, port, FLITCAST_WAKE_IN | FLITCAST_WAKE_OUT |
				     FLITCAST_WAKE_ERR);
	}
	flitcast_tx_purge(site);
	flitcast_engine_leave(site);

	hrtimer_cancel(&site->timer);
	flitcast_ctrl_stop(site);
	cancel_work_sync(&site->event);
	flitcast_faults_stop(site);
	flitcast_echo_stop(site->echo);

	flitcast_engine_enter(site);
	flitcast_cast_purge(site);
	flitcast_oper_purge(site);
	fc_site_purge(&site->core, drop_handle, NULL);
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
	struct list_head *msg;
	u8 p;

	memset(info, 0, sizeof(*info));
	info->cfg = site->cfg;
	info->incarnation = site->incarnation;
	spin_lock_bh(&site->lock);
	/* The echo port is not a socket. */
	info->sockets = site->sockets - 1;
	info->drain = site->drain;
	info->keyed = site->auth;
	list_for_each(msg, &site->msgs)
		info->pending++;
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
	for (p = 1; p < site->core.nports; p++)
		if (site->end[p].link)
			memset(site->end[p].link->stat, 0, sizeof(site->end[p].link->stat));
	spin_unlock_bh(&site->lock);
}

/*
 * Ports.
 */

int flitcast_port_attach(struct flitcast_port *port, struct flitcast_site *site, u16 number)
{
	int err = -ENETDOWN;
	u32 i;

	flitcast_engine_enter(site);
	if (site->dead)
		goto out;
	err = -EADDRINUSE;
	if (number) {
		if (flitcast_port_find(site, number))
			goto out;
	} else {
		u32 first = FLITCAST_PORT_DYNAMIC + fc_random(&site->rng) %
			    (0x10000 - FLITCAST_PORT_DYNAMIC);

		for (i = first; flitcast_port_find(site, i);) {
			i = i == 0xffff ? FLITCAST_PORT_DYNAMIC : i + 1;
			if (i == first)
				goto out;
		}
		number = i;
	}
	port->number = number;
	err = flitcast_tx_attach(site, port);
	if (err)
		goto out;
	INIT_LIST_HEAD(&port->waiting);
	INIT_LIST_HEAD(&port->invited);
	INIT_LIST_HEAD(&port->flows);
	port->closing = false;
	INIT_LIST_HEAD(&port->woken);
	port->site = site;
	refcount_inc(&site->refs);
	hash_add(site->ports, &port->node, number);
	site->sockets++;
out:
	flitcast_engine_leave(site);
	return err;
}

void flitcast_port_detach(struct flitcast_port *port)
{
	struct flitcast_site *site = port->site;

	if (!site)
		return;
	flitcast_engine_enter(site);
	/* Others have their turn between two of these. */
	while (!site->dead && flitcast_rx_detach(site, port)) {
		flitcast_engine_leave(site);
		flitcast_engine_enter(site);
	}
	/* A dead site has let go of its ports already. */
	if (!site->dead) {
		flitcast_tx_detach(site, port);
		hash_del(&port->node);
		site->sockets--;
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
	err = register_pernet_subsys(&site_net_ops);
	if (err)
		flitcast_engine_exit();
	return err;
}

void flitcast_site_exit(void)
{
	unregister_pernet_subsys(&site_net_ops);
	flitcast_engine_exit();
}
