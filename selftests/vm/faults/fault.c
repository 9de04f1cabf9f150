// SPDX-License-Identifier: GPL-2.0
/*
 * A module that causes one fault when it is loaded, so that test-rig can check whether the guest
 * runner detects it.  Never load it outside a guest.
 *
 *	insmod fault.ko what=warn
 *
 * The module has faults that a distribution's kernel can detect, and data_race, for the kernel with
 * KCSAN; faults that need KASAN or lockdep are for other kernels.
 */

#include <linux/bug.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

/* twice the shortest time-out of the RCU stall detector, 3 s */
#define STALL_MS	6000

static char *what = "none";
module_param(what, charp, 0);
MODULE_PARM_DESC(what, "which fault");

static DEFINE_MUTEX(never_unlocked);
static DEFINE_SPINLOCK(lock);

static void fault_none(void)
{
}

static void fault_warn(void)
{
	WARN_ON(1);
}

static void fault_null_write(void)
{
	WRITE_ONCE(*(int *)8, 1);
}

/* A breakpoint like that of code patching, but permanent. */
static void fault_int3(void)
{
	asm volatile("int3");
}

/* A wild jump into the padding between functions. */
static void fault_padding(void)
{
	asm volatile("int3; int3; int3");
}

/* add one entry to a list twice */
static void fault_list(void)
{
	struct list_head entry;
	LIST_HEAD(head);

	list_add(&entry, &head);
	list_add(&entry, &head);
}

/* take a reference after the last one was dropped */
static void fault_refcount(void)
{
	refcount_t r = REFCOUNT_INIT(1);

	if (refcount_dec_and_test(&r))
		refcount_inc(&r);
}

static void fault_sleep_in_atomic(void)
{
	spin_lock(&lock);
	msleep(20);
	spin_unlock(&lock);
}

static int hang(void *unused)
{
	mutex_lock(&never_unlocked);
	mutex_unlock(&never_unlocked);
	return 0;
}

static void fault_hung_task(void)
{
	mutex_lock(&never_unlocked);
	kthread_run(hang, NULL, "fault_hang");
}

static void fault_rcu_stall(void)
{
	ktime_t end = ktime_add_ms(ktime_get(), STALL_MS);

	/* a stall needs a grace period */
	start_poll_synchronize_rcu();
	preempt_disable();
	while (ktime_before(ktime_get(), end))
		cpu_relax();
	preempt_enable();
}

/* a device that can never be unregistered */
static void fault_device_reference(void)
{
	struct net_device *dev = dev_get_by_name(&init_net, "fault0");

	WARN_ON(!dev);
}

static unsigned int raced;

static int race(void *until)
{
	while (time_before(jiffies, (unsigned long)until)) {
		raced++;
		cond_resched();
	}
	return 0;
}

/* Two tasks count in one place without a lock, for 2 s. */
static void fault_data_race(void)
{
	void *until = (void *)(jiffies + 2 * HZ);

	kthread_run(race, until, "fault_race");
	race(until);
}

static const struct {
	const char *name;
	void (*commit)(void);
} faults[] = {
	{ "none", fault_none },
	{ "warn", fault_warn },
	{ "null_write", fault_null_write },
	{ "int3", fault_int3 },
	{ "padding", fault_padding },
	{ "list", fault_list },
	{ "refcount", fault_refcount },
	{ "sleep_in_atomic", fault_sleep_in_atomic },
	{ "hung_task", fault_hung_task },
	{ "rcu_stall", fault_rcu_stall },
	{ "device_reference", fault_device_reference },
	{ "data_race", fault_data_race },
};

static int __init fault_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (!strcmp(what, faults[i].name)) {
			faults[i].commit();
			return 0;
		}
	}
	return -EINVAL;
}

static void __exit fault_exit(void)
{
}

module_init(fault_init);
module_exit(fault_exit);
MODULE_DESCRIPTION("Deliberate faults, to test the test rig");
MODULE_LICENSE("GPL");
