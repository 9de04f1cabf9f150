/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bounds and defaults of the settings of a site: for the kernel, which refuses other values, and
 * for tools, which check values before they send them.
 */
#ifndef FC_CORE_BOUNDS_H
#define FC_CORE_BOUNDS_H

/* struct flitcast_site_tuning: microseconds, and numbers. */
#define FLITCAST_SEEK_MIN	10
#define FLITCAST_SEEK_LONGEST	1000000
#define FLITCAST_SEEK_DEFAULT	2000
#define FLITCAST_SEEKS_LIMIT	1000
#define FLITCAST_SEEKS_DEFAULT	5
#define FLITCAST_TIMEOUT_MIN	100
#define FLITCAST_TIMEOUT_LONGEST 10000000
#define FLITCAST_TIMEOUT_DEFAULT 20000
#define FLITCAST_RETRY_MIN	10
#define FLITCAST_RETRY_LONGEST	1000000
#define FLITCAST_RETRY_DEFAULT	2000
#define FLITCAST_POLL_MIN	1000
#define FLITCAST_POLL_LONGEST	10000000
#define FLITCAST_POLL_DEFAULT	20000
#define FLITCAST_TRANSIT_LIMIT	1024
#define FLITCAST_TRANSIT_DEFAULT 32
#define FLITCAST_GRACE_LONGEST	60000000
#define FLITCAST_GRACE_DEFAULT	5000000

/* Sites of a network: a message, and each look at its state, takes time for every one. */
#define FLITCAST_SITES_MAX	1024

/* Flit size in bytes; flits in flight. */
#define FLITCAST_FLIT_MIN	256
#define FLITCAST_FLIT_MAX	65535
#define FLITCAST_FLIT_DEFAULT	1500
#define FLITCAST_WINDOW_MAX	64
#define FLITCAST_WINDOW_DEFAULT	8

#endif /* FC_CORE_BOUNDS_H */
