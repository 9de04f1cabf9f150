/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages to a list of targets, and their results: the kernel reports every message when each of
 * its targets has confirmed it or failed.
 */
#ifndef FLITCAST_CLI_SENDER_H
#define FLITCAST_CLI_SENDER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "flitcast.h"

/**
 * struct tally - results of the messages to one target
 * @delivered: messages confirmed
 * @failed: messages failed
 * @unknown: failed messages that the target may have received
 * @absent: broadcasts that found no socket at the target
 * @error: errno of the first failure
 */
struct tally {
	uint64_t delivered;
	uint64_t failed;
	uint64_t unknown;
	uint64_t absent;
	int error;
};

/**
 * struct sender - a socket and its targets
 * @fd: socket
 * @to: targets as given, for messages
 * @targets: all receivers
 * @tally: results by target
 * @count: number of targets; for a broadcast 0 until a report names them
 * @broadcast: port of a broadcast, or 0
 * @copies: copies of a broadcast
 * @wait: time in which the first message is repeated to targets without a receiver, ms
 * @left: targets that have not failed, if @leave_out
 * @nleft: number of @left
 * @leave_out: send no more messages to a target that failed
 * @stop: set by a signal: calls end with EINTR; NULL: signals end the program
 * @sent: messages accepted
 * @reported: messages reported
 * @lossy: messages reported but not confirmed by every target
 * @begun_at: time at which the last message was sent, now_ns()
 * @reserved: reserved arrival of the last reported message, or 0
 * @completed: completion time of the last reported message
 * @name: name of the file, for progress on a terminal; NULL: no progress
 * @total: size of the file, 0: unknown
 * @bytes: bytes of data sent, without headers of files
 */
struct sender {
	int fd;
	const char *to;
	struct flitcast_target *targets;
	struct tally *tally;
	size_t count;
	uint16_t broadcast;
	uint8_t copies;
	uint32_t wait;
	struct flitcast_target *left;
	size_t nleft;
	bool leave_out;
	const volatile sig_atomic_t *stop;
	uint64_t sent;
	uint64_t reported;
	uint64_t lossy;
	uint64_t begun_at;
	uint64_t reserved;
	uint64_t completed;
	const char *name;
	uint64_t total;
	uint64_t bytes;
};

/**
 * sender_open() - open a socket that receives a report of every message
 * @sender: @to, @targets and @count are set
 * @site: FLITCAST_SITE_ANY: the only one
 * @timeout: time after which an unresponsive target fails, ms; 0: the default
 * @slow: policy for slow targets
 *
 * Exits the program on an error.
 */
void sender_open(struct sender *sender, uint32_t site, uint32_t timeout,
		 const struct flitcast_slow_target *slow);

/* Has a signal requested the end? */
static inline bool sender_stopped(const struct sender *sender)
{
	return sender->stop && *sender->stop;
}

/*
 * Send one message, and process reports meanwhile.  Return: 0, or -1 with errno; ENOTCONN if every
 * target has failed and was left out; EINTR if sender_stopped(), after one attempt.
 */
int sender_send(struct sender *sender, const void *data, size_t length);

/*
 * sender_send() for the first message: repeats it to targets without a receiver until all have it
 * or @wait expires.  Also fails with EINTR if a signal ends the wait: later messages then go only
 * to targets that have it.
 */
int sender_send_first(struct sender *sender, const void *data, size_t length);

/* The kernel refused the last message, with errno: print why, and exit. */
void sender_refused(const struct sender *sender) __attribute__((noreturn));

/* Show the progress of the file, and the target that the kernel waits for. */
void sender_progress(const struct sender *sender);

/**
 * sender_finish() - wait until every message is reported
 * @sender: sender
 * @confirm: print times and counts, and each target of a broadcast
 * @quiet: no progress
 *
 * Prints the result of each target: complete ones on standard output, others on standard error.
 *
 * Return: exit status: 0, EXIT_FAILED if no target has everything, else EXIT_PARTLY.
 */
int sender_finish(struct sender *sender, bool confirm, bool quiet);

#endif /* FLITCAST_CLI_SENDER_H */
