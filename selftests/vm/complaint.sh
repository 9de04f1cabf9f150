#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2034
#
# The regular expression of complaints in a kernel log.

# What the kernel prints when something is wrong with it.  Every alternative
# here has a kernel that prints it; test-rig provokes several.
complaint='WARNING: |BUG: |BUG\(|BUG_ON|\bOops\b|Kernel panic'
complaint+='|general protection fault|unable to handle|divide error'
# of KCSAN, which says at boot how it is configured, only its reports: BUG
complaint+='|KASAN|KFENCE|UBSAN|ODEBUG|DEBUG_LOCKS_WARN_ON'
complaint+='|INFO: (task|rcu|possible|inconsistent|suspicious|trying|HARDIRQ|SOFTIRQ)'
complaint+='|possible (circular|recursive|irq lock)|invalid wait context'
complaint+='|inconsistent lock state|bad unlock balance'
complaint+='|lock held when returning|held lock freed'
complaint+='|blocked for more than|soft lockup|hard LOCKUP'
complaint+='|rcu.*(stall|self-detected)|refcount_t: |list_(add|del) corruption'
complaint+='|scheduling while atomic|sleeping function called'
complaint+='|unregister_netdevice: waiting|ref_tracker: .*(has|leak)'
complaint+='|leaked reference|kmemleak: [1-9][0-9]* new suspected'
complaint+='|unreferenced object 0x|Objects remaining|still has objects'
complaint+='|stack-protector|Bad page|double free|Freeing .* when'
complaint+='|cut here|Call Trace:|nobody cared|segfault at'
# of arm64, whose words differ
complaint+='|Unable to handle|Internal error: |Call trace:'
# a failing KUnit case reports in the log only
complaint+='|\bnot ok [0-9]'
