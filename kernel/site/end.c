// SPDX-License-Identifier: GPL-2.0
/* A site's end of a link: adding, changing and removing it. */
#include <linux/etherdevice.h>
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <uapi/linux/flitcast_netlink.h>
#include "core/vnet/vnet.h"
#include "fabric/enter.h"
#include "fabric/faults.h"
#include "fabric/hello.h"
#include "fabric/input.h"
#include "fabric/relay.h"
#include "site/end.h"
#include "site/impl.h"

static_assert(FC_LINK_DOWN == (int)FLITCAST_LINK_STATE_DOWN);
static_assert(FC_LINK_INIT == (int)FLITCAST_LINK_STATE_INIT);
static_assert(FC_LINK_UP == (int)FLITCAST_LINK_STATE_UP);

/* Check that a window is large enough for the mode. */
int flitcast_window_check(const struct flitcast_site_config *cfg, u32 window,
			  struct netlink_ext_ack *extack)
{
	if (window >= flitcast_mode(cfg->mode)->window_min(flitcast_site_frame(cfg)))
		return 0;
	NL_SET_ERR_MSG_MOD(extack, "mode vnet needs a window that holds a packet; care does not");
	return -EINVAL;
}

/* Check the window of a link; 0: that of the site, or unchanged. */
static int link_window_check(const struct flitcast_site *site, u32 window,
			     struct netlink_ext_ack *extack)
{
	if (window > site->cfg.window) {
		NL_SET_ERR_MSG_MOD(extack, "the window of a link is at most that of its site");
		return -EINVAL;
	}
	return window ? flitcast_window_check(&site->cfg, window, extack) : 0;
}

static void classes_free(const struct flitcast_site *site, struct flitcast_replay *class)
{
	u8 c;

	for (c = 0; class && c < site->nclasses; c++)
		flitcast_replay_free(&class[c]);
	kfree(class);
}

static void sets_free(const struct flitcast_site *site, struct flitcast_replay **sets)
{
	u8 s;

	for (s = 0; s < FC_SET_COUNT; s++) {
		classes_free(site, sets[s]);
		sets[s] = NULL;
	}
}

/* Allocate the replay buffers of a link and set, one per class.  Return: NULL: no memory. */
static struct flitcast_replay *classes_alloc(const struct flitcast_site *site, u8 port)
{
	u8 c, n = site->nclasses;
	struct flitcast_replay *class;
	u64 carried;

	class = kcalloc(n, sizeof(*class), GFP_KERNEL_ACCOUNT);
	if (!class)
		return NULL;
	/* The port does not send in other classes. */
	carried = site->mode->carried(site, port);
	for (c = 0; c < n; c++) {
		u32 size = carried & fc_bit64(c) ? site->cfg.window : 0;

		if (flitcast_replay_init(&class[c], size)) {
			classes_free(site, class);
			return NULL;
		}
	}
	return class;
}

/* Allocate the replay buffers of all sets of a link.  Return: false: no memory. */
static bool sets_alloc(const struct flitcast_site *site, u8 port, struct flitcast_replay **sets)
{
	u8 s;

	for (s = 0; s < FC_SET_COUNT; s++) {
		sets[s] = classes_alloc(site, port);
		if (!sets[s]) {
			sets_free(site, sets);
			return false;
		}
	}
	return true;
}

/*
 * Remove a link from its site and destroy it.  Its port has @binding from the same moment on, so
 * that no event reports a state between.  Context: RTNL held.
 */
static void unbind(struct flitcast_site *site, u8 port, const struct flitcast_binding *binding)
{
	struct flitcast_link *link = site->end[port].link;

	/* Leaving transmits the last HELLO, while the port still has its link. */
	flitcast_enter(site);
	flitcast_hello_perform(site, port, fc_hello_leave(&site->end[port].hello));
	flitcast_leave(site);
	flitcast_enter(site);
	flitcast_hello_perform(site, port,
			       fc_hello_carrier(&site->end[port].hello, false, flitcast_now()));
	site->mode->count(site, port, site->local_stat);
	flitcast_relay_count(site, port, site->local_stat);
	flitcast_copies_end(site, fc_bit(port));
	site->end[port].link = NULL;
	site->end[port].binding = *binding;
	flitcast_ctrl_drop(site, port);
	flitcast_replay_free(&site->end[port].bcast);
	sets_free(site, site->end[port].class);
	site->out.dirty &= ~fc_bit(port);
	flitcast_leave(site);
	flitcast_link_destroy(link);
}

void flitcast_site_link_gone(struct flitcast_site *site, u8 port)
{
	static const struct flitcast_binding none;
	struct flitcast_end *end = &site->end[port];

	if (!flitcast_end_used(end))
		return;
	flitcast_event_link(site, port, false);
	flitcast_uncharge_link(site, port);
	if (end->link) {
		unbind(site, port, &none);
		return;
	}
	spin_lock_bh(&site->lock);
	end->binding = none;
	spin_unlock_bh(&site->lock);
}

/* Initialise the handshake of a link that is down. */
static void hello_init(const struct flitcast_site *site, struct flitcast_end *end,
		       const struct flitcast_link *link,
		       const struct flitcast_link_settings *settings)
{
	const struct fc_topo *topo = &site->cfg.topo;
	u8 dir = link->port - 1;

	end->hello = (struct fc_hello) {
		.own = {
			.ver_min = fc_mode_ops(site->cfg.mode)->version,
			.ver_max = fc_mode_ops(site->cfg.mode)->version,
			.site = site->cfg.id, .port = link->port,
			.window = settings->window,
			.flags = (settings->crc ? FC_HELLO_SUM : 0) |
				 (flitcast_link_long(link) ? FC_HELLO_LONG : 0) |
				 (site->cfg.integrity ? FC_HELLO_INTEGRITY : 0),
			.interval = settings->hello,
			.mode = site->cfg.mode,
			.flit = site->cfg.flit, .epoch = get_random_u32() | 1,
			.topology = fc_topo_hash(topo), .nsites = topo->nsites,
			.reason = FC_REASON_CARRIER,
		},
		.want_site = fc_topo_neighbour(topo, site->cfg.id, dir),
		.want_port = topo->ops->arrival(topo, site->cfg.id, dir) + 1,
		.ms = NSEC_PER_MSEC, .interval = (u64)settings->hello * NSEC_PER_MSEC,
		.dead = settings->dead,
		.keyed = site->auth,
		.send_at = FC_NEVER, .dead_at = FC_NEVER,
		.state = FC_LINK_DOWN,
	};
}

/* The settings that a link has. */
static struct flitcast_link_settings settings_of(const struct fc_hello *hello)
{
	return (struct flitcast_link_settings){
		.window = hello->own.window, .hello = hello->own.interval,
		.dead = hello->dead, .crc = !!(hello->own.flags & FC_HELLO_SUM),
	};
}

/* The device is being unregistered: a link of a network device stays configured. */
static void link_gone(struct flitcast_link *link)
{
	struct flitcast_site *site = link->owner;
	u8 port = link->port;
	struct flitcast_binding binding = site->end[port].binding;
	struct flitcast_link_info info;

	if (flitcast_link_info(site, port, &info) || !info.device.ifindex) {
		flitcast_site_link_gone(site, port);
		return;
	}
	strscpy(binding.name, info.device.name, sizeof(binding.name));
	binding.settings = settings_of(&site->end[port].hello);
	unbind(site, port, &binding);
	flitcast_event_link(site, port, true);
}

static const struct flitcast_link_ops link_ops = {
	.pass = flitcast_pass,
	.receive = flitcast_input_receive,
	.carrier = flitcast_input_carrier,
	.gone = link_gone,
};

/* Is @dev the device that a link is configured with? */
static bool binding_matches(const struct flitcast_binding *binding, const struct net_device *dev)
{
	if (!is_zero_ether_addr(binding->address))
		return flitcast_netdev_has_address(dev, binding->address);
	return !strcmp(binding->name, dev->name);
}

/* Record the network device that a link is configured with. */
static void set_binding(const struct flitcast_site *site, struct flitcast_end *end,
			const struct flitcast_link_spec *spec,
			const struct flitcast_link_settings *settings)
{
	const char *name = spec->dev ? spec->dev->name : spec->name;

	memset(&end->binding, 0, sizeof(end->binding));
	if (spec->kind != &flitcast_netdev_kind)
		return;
	end->binding.configured = true;
	if (name)
		strscpy(end->binding.name, name, sizeof(end->binding.name));
	ether_addr_copy(end->binding.address, spec->address);
	end->binding.settings = *settings;
}

/* Make @spec's device the link of a port.  Context: RTNL held. */
static int bind_device(struct flitcast_site *site, struct flitcast_link_spec *spec, u32 port,
		       const struct flitcast_link_settings *settings,
		       struct netlink_ext_ack *extack)
{
	const struct fc_topo *topo = &site->cfg.topo;
	struct flitcast_replay bcast, *class[FC_SET_COUNT] = { NULL };
	struct flitcast_end *end = &site->end[port];
	struct flitcast_link *link;
	int err;

	/*
	 * Unacked flits are limited by the peer's window and by that of the site; the window of the
	 * link limits what the peer sends.
	 */
	err = flitcast_replay_init(&bcast, site->cfg.window);
	if (err)
		return err;
	err = -ENOMEM;
	if (!sets_alloc(site, port, class))
		goto free_bcast;
	spec->own = (u64)site->cfg.id << 8 | port;
	spec->far = (u64)fc_topo_neighbour(topo, site->cfg.id, port - 1) << 8 |
		    (topo->ops->arrival(topo, site->cfg.id, port - 1) + 1);
	link = flitcast_link_create(spec, site->cfg.flit, site->auth, &link_ops, site, port,
				    extack);
	if (IS_ERR(link)) {
		err = PTR_ERR(link);
		goto free_class;
	}

	flitcast_enter(site);
	hello_init(site, end, link, settings);
	end->notified_state = end->hello.state;
	end->notified_reason = end->hello.own.reason;
	site->mode->count(site, port, link->stat);
	flitcast_relay_count(site, port, link->stat);
	end->bcast = bcast;
	memcpy(end->class, class, sizeof(end->class));
	end->link = link;
	set_binding(site, end, spec, settings);
	site->out.headroom = max(site->out.headroom, flitcast_output_headroom(link));
	flitcast_leave(site);
	flitcast_link_start(link);
	flitcast_event_link(site, port, true);
	return 0;

free_class:
	sets_free(site, class);
free_bcast:
	flitcast_replay_free(&bcast);
	return err;
}

/* Settings with those that are given in place of the others. */
static struct flitcast_link_settings merge(struct flitcast_link_settings settings,
					   const struct flitcast_link_settings *given)
{
	if (given->window)
		settings.window = given->window;
	if (given->hello)
		settings.hello = given->hello;
	if (given->dead)
		settings.dead = given->dead;
	if (given->crc >= 0)
		settings.crc = given->crc;
	return settings;
}

int flitcast_link_add(struct flitcast_site *site, struct flitcast_link_spec *spec, u32 port,
		      const struct flitcast_link_settings *given, struct netlink_ext_ack *extack)
{
	struct flitcast_link_settings settings = {
		.window = site->cfg.window, .hello = FC_HELLO_MS, .dead = FC_HELLO_DEAD,
	};
	const struct fc_topo *topo = &site->cfg.topo;
	struct flitcast_end *end;
	bool configured;
	int err;

	ASSERT_RTNL();
	if (site->dead) {
		NL_SET_ERR_MSG_MOD(extack, "site is being deleted");
		return -ENOENT;
	}
	if (!port || port >= site->node.nports) {
		NL_SET_ERR_MSG_MOD(extack, "the topology has no such port");
		return -EINVAL;
	}
	if (fc_topo_neighbour(topo, site->cfg.id, port - 1) == FC_SITE_NONE) {
		NL_SET_ERR_MSG_MOD(extack, "the site has no neighbour on that port: it is at the edge");
		return -EINVAL;
	}
	if (link_window_check(site, given->window, extack))
		return -EINVAL;
	settings = merge(settings, given);
	end = &site->end[port];
	if (end->link) {
		NL_SET_ERR_MSG_MOD(extack, "port has a link already");
		return -EEXIST;
	}
	/* A link whose device is absent has paid. */
	configured = end->binding.configured;
	err = configured ? 0 : flitcast_charge_link(site, port, extack);
	if (err)
		return err;
	if (spec->dev || spec->kind != &flitcast_netdev_kind) {
		err = bind_device(site, spec, port, &settings, extack);
		if (err && !configured)
			flitcast_uncharge_link(site, port);
		return err;
	}
	spin_lock_bh(&site->lock);
	set_binding(site, end, spec, &settings);
	spin_unlock_bh(&site->lock);
	flitcast_event_link(site, port, true);
	return 0;
}

void flitcast_link_forget(struct flitcast_site *site, const struct net_device *dev)
{
	struct flitcast_binding *binding;
	u8 p;

	ASSERT_RTNL();
	for (p = 1; p < site->node.nports; p++) {
		binding = &site->end[p].binding;
		if (!binding->refusal || binding->refused != dev->ifindex)
			continue;
		spin_lock_bh(&site->lock);
		binding->refusal = NULL;
		spin_unlock_bh(&site->lock);
		flitcast_event_link(site, p, true);
	}
}

void flitcast_links_leave(struct flitcast_site *site)
{
	u8 p;

	flitcast_enter(site);
	for (p = 1; p < site->node.nports; p++)
		if (site->end[p].link)
			flitcast_hello_perform(site, p, fc_hello_leave(&site->end[p].hello));
	flitcast_leave(site);
}

/* Extack messages begin with the name of the module; a reason of a link does not. */
static const char *refusal(const struct netlink_ext_ack *extack)
{
	const char *text = extack->_msg;

	if (!text)
		return "no memory for the link: set the device down and up again";
	return text + str_has_prefix(text, KBUILD_MODNAME ": ");
}

bool flitcast_link_return(struct flitcast_site *site, struct net_device *dev)
{
	struct flitcast_link_spec spec = {
		.kind = &flitcast_netdev_kind, .dev = dev, .net = site->net, .wait = true,
	};
	struct netlink_ext_ack extack = { 0 };
	struct flitcast_binding binding;
	u8 p;

	ASSERT_RTNL();
	for (p = 1; p < site->node.nports; p++)
		if (!site->end[p].link && site->end[p].binding.configured &&
		    binding_matches(&site->end[p].binding, dev))
			break;
	if (p == site->node.nports || site->dead)
		return false;
	binding = site->end[p].binding;
	ether_addr_copy(spec.address, binding.address);
	if (!bind_device(site, &spec, p, &binding.settings, &extack))
		return true;
	spin_lock_bh(&site->lock);
	site->end[p].binding.refusal = refusal(&extack);
	site->end[p].binding.refused = dev->ifindex;
	spin_unlock_bh(&site->lock);
	flitcast_event_link(site, p, true);
	return true;
}

/* Set the interval of HELLO, and the number of intervals, unless they stay. */
static void set_pace(struct flitcast_site *site, u32 port,
		     const struct flitcast_link_settings *settings)
{
	struct fc_hello *hello = &site->end[port].hello;

	if (settings->hello != hello->own.interval || settings->dead != hello->dead)
		flitcast_hello_perform(site, port,
				       fc_hello_pace(hello, settings->hello, settings->dead,
						     flitcast_now()));
}

int flitcast_link_set(struct flitcast_site *site, u32 port,
		      const struct flitcast_link_settings *given, struct netlink_ext_ack *extack)
{
	struct flitcast_link_settings settings;
	struct flitcast_end *end;
	u8 flags;

	ASSERT_RTNL();
	if (!port || port >= site->node.nports || !flitcast_end_used(&site->end[port])) {
		NL_SET_ERR_MSG_MOD(extack, "port has no link");
		return -ENOENT;
	}
	if (link_window_check(site, given->window, extack))
		return -EINVAL;
	end = &site->end[port];
	if (!end->link) {
		spin_lock_bh(&site->lock);
		end->binding.settings = merge(end->binding.settings, given);
		spin_unlock_bh(&site->lock);
		flitcast_event_link(site, port, true);
		return 0;
	}
	flitcast_enter(site);
	settings = merge(settings_of(&end->hello), given);
	flags = end->hello.own.flags & ~FC_HELLO_SUM;
	flags |= settings.crc ? FC_HELLO_SUM : 0;
	set_pace(site, port, &settings);
	flitcast_hello_perform(site, port,
			       fc_hello_set(&end->hello, settings.window, flags, flitcast_now()));
	flitcast_leave(site);
	return 0;
}

int flitcast_link_del(struct flitcast_site *site, u32 port, struct netlink_ext_ack *extack)
{
	ASSERT_RTNL();
	if (!port || port >= site->node.nports || !flitcast_end_used(&site->end[port])) {
		NL_SET_ERR_MSG_MOD(extack, "port has no link");
		return -ENOENT;
	}
	flitcast_site_link_gone(site, port);
	return 0;
}
