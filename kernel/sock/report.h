/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports of completed messages.
 */
#ifndef FLITCAST_SOCK_REPORT_H
#define FLITCAST_SOCK_REPORT_H

#include <linux/socket.h>
#include <uapi/linux/flitcast.h>
#include "ends/port.h"

struct flitcast_sock;

/* The longest time of FLITCAST_SLOW_TARGET. */
#define FLITCAST_SLOW_MAX_MS	(24 * 3600 * 1000)

/* A message completed.  Return: true if it was queued as a report.  Under the site's lock. */
bool flitcast_report_sent(struct flitcast_sock *fs, struct flitcast_sent *out);
/* Is there a report that the program requested?  For others the pending error is set instead. */
bool flitcast_report_any(struct flitcast_sock *fs);
/* recvmsg(MSG_ERRQUEUE): never waits. */
int flitcast_report_recv(struct flitcast_sock *fs, struct msghdr *msg, size_t size);
/* Free the reports of a list. */
void flitcast_report_purge(struct flitcast_sock *fs, struct list_head *list);
/* SO_LINGER: wait at close() for pending messages, or drop them. */
void flitcast_report_linger(struct flitcast_sock *fs);
/* Check a FLITCAST_SLOW_TARGET policy.  Return: 0 or -EINVAL. */
int flitcast_report_slow(struct flitcast_sock *fs, const struct flitcast_slow_target *slow);

#endif /* FLITCAST_SOCK_REPORT_H */
