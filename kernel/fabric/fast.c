// SPDX-License-Identifier: GPL-2.0
/* Module parameter "fast", which enables the fast paths. */
#include <linux/module.h>
#include "fabric/fast.h"

DEFINE_STATIC_KEY_TRUE(flitcast_fast_key);

static int fast_set(const char *text, const struct kernel_param *param)
{
	bool on;
	int err = kstrtobool(text, &on);

	if (err)
		return err;
	if (on)
		static_branch_enable(&flitcast_fast_key);
	else
		static_branch_disable(&flitcast_fast_key);
	return 0;
}

static int fast_get(char *text, const struct kernel_param *param)
{
	return sysfs_emit(text, "%c\n", flitcast_fast() ? 'Y' : 'N');
}

static const struct kernel_param_ops fast_ops = {
	.set = fast_set,
	.get = fast_get,
};

module_param_cb(fast, &fast_ops, NULL, 0644);
MODULE_PARM_DESC(fast,
		 "Take shortcuts past the ordinary path (default: Y; N to search for faults)");
