// SPDX-License-Identifier: GPL-2.0
/*
 * The core and the site layer without their users.  KUnit runs the suites while the module is
 * loaded, before its initialisation, so suites that need the layers begin and end them:
 * double_begin().
 */
#include <linux/module.h>

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of Flitcast's core and site layer");
