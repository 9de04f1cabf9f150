// SPDX-License-Identifier: GPL-2.0
/*
 * Lifecycle of a site: creation, lookup, tuning, removal.
 */
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/netns/generic.h>
#include <uapi/linux/flitcast.h>
#include <uapi/linux/flitcast_netlink.h>
#include "compat.h"
#include "core/vnet/vnet.h"
#include "ends/bcast.h"
#include "ends/rx.h"
#include "ends/rxmsg.h"
#include "ends/source.h"
#include "ends/tx.h"
#include "ends/txbcast.h"
#include "ether/ether.h"
#include "fabric/auth.h"
#include "fabric/enter.h"
#include "fabric/faults.h"
#include "fabric/relay.h"
#include "fabric/vnet.h"
#include "mem/account.h"
#include "mem/share.h"
#include "site/echo.h"
#include "site/end.h"
#include "site/impl.h"
#include "site/site.h"

static_assert(FC_MESSAGE_MAX == FLITCAST_MESSAGE_MAX);
/* The smallest flit carries a list, and data enough for a flit of its own. */
static_assert(FLITCAST_FLIT_MIN >= FC_LINK_SIZE + FC_CODE_SIZE + FC_PACKET_SIZE + FC_TARGET_SIZE);
static_assert(FLITCAST_FLIT_MIN >= FC_LINK_SIZE + FC_CODE_SIZE + FC_DATA_MIN);
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

/* Armed timers keep their deadlines; flits stored beyond a smaller pool drain. */
void flitcast_site_tune(struct flitcast_site *site, const struct flitcast_site_tuning *tuning)
{
	flitcast_enter(site);
	site->cfg.tuning = *tuning;
	flitcast_site_set_timing(site);
	/* Messages that wait for a route may now have waited too long: reconsider them. */
	flitcast_tx_rerouted(site);
	flitcast_leave(site);
}

void flitcast_site_drain(struct flitcast_site *site, bool drain)
{
	flitcast_enter(site);
	if (site->drain != drain) {
		WRITE_ONCE(site->drain, drain);
		flitcast_site_link_event(site, FC_PORT_LOCAL);
	}
	flitcast_leave(site);
}

static struct flitcast_site *find_locked(struct net *net, u32 id)
{
	struct flitcast_site *site;

	list_for_each_entry(site, &site_net(net)->sites, entry)
		if (site->cfg.id == id)
			return site;
	return NULL;
}

/* Insert a site into the list of its namespace.  Context: RTNL held. */
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
	/* Keep the list sorted by identity: flitcast_site_next() depends on it. */
	list_for_each_entry(pos, at, entry) {
		if (pos->cfg.id > site->cfg.id) {
			at = &pos->entry;
			break;
		}
	}
	list_add_tail_rcu(&site->entry, at);
	sites->nsites++;
	refcount_inc(&site->refs);
	return 0;
}

/* Mark a site dead, detach its ports and stop its timer; only its teardown enters it afterwards. */
static void site_dies(struct flitcast_site *site)
{
	flitcast_enter(site);
	site->dead = true;
	flitcast_ports_gone(site);
	flitcast_leave(site);
	hrtimer_cancel(&site->clock.timer);
}

int flitcast_site_add(struct net *net, const struct flitcast_site_config *cfg,
		      struct netlink_ext_ack *extack)
{
	const struct flitcast_mode *mode = flitcast_mode(cfg->mode);
	const char *wrong = NULL;
	struct flitcast_site *site;
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
	if (mode->check)
		wrong = mode->check(cfg);
	if (wrong) {
		/* A string constant: extack keeps the pointer. */
		if (extack)
			extack->_msg = wrong;
		return -EINVAL;
	}
	err = flitcast_window_check(cfg, cfg->window, extack);
	if (err)
		return err;
	site = flitcast_site_alloc(net, cfg);
	if (!site)
		return -ENOMEM;
	err = flitcast_charge_site(site, extack);
	if (err) {
		flitcast_site_put(site);
		return err;
	}
	if (cfg->key) {
		struct crypto_shash *auth = flitcast_auth_alloc(cfg->key, extack);

		if (IS_ERR(auth)) {
			flitcast_site_put(site);
			return PTR_ERR(auth);
		}
		site->auth = auth;
	}
	site->ends->echo = flitcast_echo_start(site);
	if (!site->ends->echo) {
		flitcast_site_put(site);
		return -ENOMEM;
	}
	rtnl_lock();
	err = publish(net, site, extack);
	if (err) {
		rtnl_unlock();
		site_dies(site);
		flitcast_echo_stop(site->ends->echo);
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
 * 1. removed from the list: lookups fail, but holders of a reference may still enter it; its
 *    network device is unregistered, in whatever namespace that is; it sends its delayed
 *    confirmations;
 * 2. its links are removed: no frame is received after that;
 * 3. dead: sockets are detached, and calls of holders of a reference fail;
 * 4. its timer, tasklet and works are stopped: none can be armed again, because all check @dead;
 * 5. its flits, packets, messages and flows are freed, and its maker pays no more for them; its
 *    memory is freed with the last reference.  RTNL is held.
 */
static void site_destroy(struct flitcast_site *site)
{
	u64 until;
	u8 p;

	list_del_rcu(&site->entry);
	site_net(site->net)->nsites--;
	flitcast_ether_site_gone(site);
	flitcast_enter(site);
	/* Do not wait for confirmations that become pending from now on. */
	until = flitcast_site_now(site) + FC_ACK_DELAY_NS;
	while (flitcast_rx_time(site, until))
		flitcast_pause(site);
	flitcast_ctrl_time(site, FC_NEVER);
	flitcast_leave(site);
	for (p = 1; p < site->node.nports; p++)
		flitcast_site_link_gone(site, p);

	site_dies(site);
	flitcast_ctrl_stop(site);
	cancel_work_sync(&site->news.work);
	flitcast_faults_stop(site);
	flitcast_echo_stop(site->ends->echo);
	flitcast_tx_stop(site);
	flitcast_rx_stop(site);

	flitcast_enter(site);
	flitcast_bcast_purge(site);
	flitcast_oper_purge(site);
	flitcast_up_purge(&site->todo.up);
	flitcast_dgram_purge(site);
	flitcast_txcast_purge(site);
	site->mode->purge(site);
	flitcast_relay_purge(site);
	flitcast_free_list_purge(&site->out.free);
	flitcast_leave(site);
	synchronize_net();
	flitcast_charge_close(site);
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
	list_for_each_entry_rcu(site, &site_net(net)->sites, entry) {
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
	list_for_each_entry_rcu(site, &site_net(net)->sites, entry) {
		if (site->cfg.id >= from && refcount_inc_not_zero(&site->refs)) {
			found = site;
			break;
		}
	}
	rcu_read_unlock();
	return found;
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
	list_for_each_entry_safe(site, next, &site_net(net)->sites, entry)
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
	err = flitcast_account_module_init();
	if (err)
		goto engine;
	err = register_pernet_subsys(&site_net_ops);
	if (err)
		goto account;
	return 0;
account:
	flitcast_account_module_exit();
engine:
	flitcast_engine_exit();
	return err;
}

void flitcast_site_exit(void)
{
	unregister_pernet_subsys(&site_net_ops);
	flitcast_account_module_exit();
	flitcast_share_exit();
	flitcast_engine_exit();
}
