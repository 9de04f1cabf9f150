// SPDX-License-Identifier: GPL-2.0
/*
 * net.flitcast.*: limits of sockets, per namespace.
 */
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sysctl.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <uapi/linux/flitcast.h>
#include "compat.h"
#include "sock/sysctl.h"

/*
 * Default message_max.  Default buffers hold four such messages (two is the least that works well).
 */
#define MESSAGE_DEFAULT	SZ_1M
#define MEM_DEFAULT	SZ_4M
/* Largest buffer that a program may request by default: two messages of the largest size. */
#define MEM_MAX_DEFAULT	(2 * FLITCAST_MESSAGE_MAX)

/* The most that root of a namespace may allow; the share of the user bounds it as well. */
#define QUEUE_MAX	SZ_1G

static int message_least = 1;
static int message_most = FLITCAST_MESSAGE_MAX;
static int mem_least = FLITCAST_MEM_LEAST;
static int mem_most = QUEUE_MAX;

/**
 * struct sysctl_net - settings of a namespace
 * @message_max: largest message that may be sent
 * @rmem: receive buffer of a new socket
 * @wmem: send buffer of a new socket
 * @rmem_max: largest receive buffer that a program may ask for
 * @wmem_max: largest send buffer that a program may ask for
 * @header: registration
 * @table: of this namespace
 */
struct sysctl_net {
	int message_max;
	int rmem;
	int wmem;
	int rmem_max;
	int wmem_max;
	struct ctl_table_header *header;
	struct ctl_table *table;
};

static unsigned int sysctl_net_id;

static const struct ctl_table template[] = {
	{
		.procname = "message_max",
		.maxlen = sizeof(int),
		.mode = 0644,
		.proc_handler = proc_dointvec_minmax,
		.extra1 = &message_least,
		.extra2 = &message_most,
	},
	{
		.procname = "rmem_default",
		.maxlen = sizeof(int),
		.mode = 0644,
		.proc_handler = proc_dointvec_minmax,
		.extra1 = &mem_least,
		.extra2 = &mem_most,
	},
	{
		.procname = "wmem_default",
		.maxlen = sizeof(int),
		.mode = 0644,
		.proc_handler = proc_dointvec_minmax,
		.extra1 = &mem_least,
		.extra2 = &mem_most,
	},
	{
		.procname = "rmem_max",
		.maxlen = sizeof(int),
		.mode = 0644,
		.proc_handler = proc_dointvec_minmax,
		.extra1 = &mem_least,
		.extra2 = &mem_most,
	},
	{
		.procname = "wmem_max",
		.maxlen = sizeof(int),
		.mode = 0644,
		.proc_handler = proc_dointvec_minmax,
		.extra1 = &mem_least,
		.extra2 = &mem_most,
	},
	{ }
};

static struct sysctl_net *sysctl_net(struct net *net)
{
	return net_generic(net, sysctl_net_id);
}

u32 flitcast_sysctl_message_max(struct net *net)
{
	return READ_ONCE(sysctl_net(net)->message_max);
}

int flitcast_sysctl_rmem(struct net *net)
{
	return READ_ONCE(sysctl_net(net)->rmem);
}

int flitcast_sysctl_wmem(struct net *net)
{
	return READ_ONCE(sysctl_net(net)->wmem);
}

int flitcast_sysctl_rmem_max(struct net *net)
{
	return READ_ONCE(sysctl_net(net)->rmem_max);
}

int flitcast_sysctl_wmem_max(struct net *net)
{
	return READ_ONCE(sysctl_net(net)->wmem_max);
}

static int __net_init sysctl_net_init(struct net *net)
{
	struct sysctl_net *sn = sysctl_net(net);

	sn->message_max = MESSAGE_DEFAULT;
	sn->rmem = MEM_DEFAULT;
	sn->wmem = MEM_DEFAULT;
	sn->rmem_max = MEM_MAX_DEFAULT;
	sn->wmem_max = MEM_MAX_DEFAULT;
	sn->table = kmemdup(template, sizeof(template), GFP_KERNEL_ACCOUNT);
	if (!sn->table)
		return -ENOMEM;
	sn->table[0].data = &sn->message_max;
	sn->table[1].data = &sn->rmem;
	sn->table[2].data = &sn->wmem;
	sn->table[3].data = &sn->rmem_max;
	sn->table[4].data = &sn->wmem_max;
	sn->header = register_net_sysctl_sz(net, "net/flitcast", sn->table,
					    ARRAY_SIZE(template) - 1);
	if (!sn->header) {
		kfree(sn->table);
		return -ENOMEM;
	}
	return 0;
}

static void __net_exit sysctl_net_exit(struct net *net)
{
	struct sysctl_net *sn = sysctl_net(net);

	unregister_net_sysctl_table(sn->header);
	kfree(sn->table);
}

static struct pernet_operations sysctl_net_ops = {
	.init = sysctl_net_init,
	.exit = sysctl_net_exit,
	.id = &sysctl_net_id,
	.size = sizeof(struct sysctl_net),
};

int flitcast_sysctl_init(void)
{
	return register_pernet_subsys(&sysctl_net_ops);
}

void flitcast_sysctl_exit(void)
{
	unregister_pernet_subsys(&sysctl_net_ops);
}
