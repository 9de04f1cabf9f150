/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sockets and messages of the tests: addresses, target lists, and contents in which wrong bytes can
 * be detected.
 */
#ifndef SELFTESTS_SOCK_MSG_H
#define SELFTESTS_SOCK_MSG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <linux/flitcast.h>

/* Address family: $FLITCAST_FAMILY, else the module's parameter, else the default. */
int msg_family(void);

struct sockaddr_flitcast msg_addr(uint32_t site, uint16_t port);
/* The address for a message to the targets of the list. */
struct sockaddr_flitcast msg_addr_list(void);

/**
 * msg_socket() - open and bind a socket
 * @netns: namespace, or -1 for that of the thread; the thread stays in @netns
 * @site: site, or FLITCAST_SITE_ANY
 * @port: port, or FLITCAST_PORT_ANY
 * @flags: SOCK_NONBLOCK, or 0
 *
 * Return: a descriptor that exec() closes, or -1 with errno set.
 */
int msg_socket(int netns, uint32_t site, uint16_t port, int flags);
/* msg_socket() for another socket type, SOCK_SEQPACKET. */
int msg_socket_type(int netns, int type, uint32_t site, uint16_t port, int flags);

/* The address a socket is bound to; all zero if getsockname() fails. */
struct sockaddr_flitcast msg_name(int fd);

/* Like sendmsg(). */
ssize_t msg_send(int fd, const void *data, size_t len, uint32_t site, uint16_t port, int flags);
ssize_t msg_send_list(int fd, const void *data, size_t len,
		      const struct flitcast_target *targets, size_t count, int flags);

/* Like recvmsg(); @from may be NULL. */
ssize_t msg_recv(int fd, void *data, size_t size, struct sockaddr_flitcast *from, int flags);

/* msg_recv() for a socket with FLITCAST_INFO set; errno is EBADMSG if the info is missing. */
ssize_t msg_recv_info(int fd, void *data, size_t size, struct sockaddr_flitcast *from,
		      struct flitcast_info *info);

/* Wait for one of @events.  Return: the pending ones; 0 if there is none within @ms. */
int msg_wait(int fd, int events, int ms);

/* Fetch and clear the pending error of a socket. */
int msg_error(int fd);

/*
 * Read one report of the error queue: at most @room results; *@flags, unless @flags is NULL, are
 * those of recvmsg().  Return: results in it, or -1 with errno set.
 */
int msg_report(int fd, struct flitcast_report *report, struct flitcast_result *results,
	       size_t room, int *flags);

struct flitcast_sock_stats msg_stats(int fd);

/*
 * Contents: an endless stream of bytes for each key.
 */
uint64_t msg_key(uint64_t seed, uint32_t sender, uint32_t number);
/* Fill @data with bytes @offset .. @offset + @len of the stream. */
void msg_fill(void *data, size_t len, uint64_t key, size_t offset);
/* Return: the index of the first byte that differs from the stream, or @len. */
size_t msg_check(const void *data, size_t len, uint64_t key, size_t offset);

/* Pseudo-random numbers: equal seeds give equal sequences. */
struct prng {
	uint64_t state;
};

uint64_t prng_next(struct prng *prng);
/* Return: a number in 0 .. @bound - 1; @bound is not 0. */
uint32_t prng_below(struct prng *prng, uint32_t bound);
/* Return: a number in @low .. @high, each magnitude with equal probability. */
uint32_t prng_log(struct prng *prng, uint32_t low, uint32_t high);

#endif /* SELFTESTS_SOCK_MSG_H */
