/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which lock protects what: read by Clang's context analysis, which came in 7.0, and with it the
 * name of the result that __cond_acquires() takes.  Empty in older kernels.
 */
#ifndef FLITCAST_CONTEXT_H
#define FLITCAST_CONTEXT_H

#include <linux/compiler.h>

#ifdef context_unsafe
#define FLITCAST_IF_TRUE_ACQUIRES(lock)	__cond_acquires(true, lock)
#else
#define FLITCAST_IF_TRUE_ACQUIRES(lock)
#define __guarded_by(...)
#define __context_unsafe(comment)
#define context_unsafe(...)		(__VA_ARGS__)
#endif

#endif /* FLITCAST_CONTEXT_H */
