/* SPDX-License-Identifier: GPL-2.0 */
#include <linux/kernel.h>
#include <linux/printk.h>

#define printf(fmt, ...)	pr_info(fmt, ##__VA_ARGS__)
