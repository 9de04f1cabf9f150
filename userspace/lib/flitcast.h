/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * libflitcast: helpers for programs, besides the socket calls.
 *
 * Functions return 0 or a length, or -1 with errno set, unless documented
 * otherwise.
 */
#ifndef FLITCAST_H
#define FLITCAST_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/socket.h>
#include <linux/flitcast.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * flitcast_family() - number of the address family on this machine
 *
 * Return: the parameter of the loaded module, else FLITCAST_FAMILY_DEFAULT.
 */
int flitcast_family(void);

/**
 * flitcast_address() - address of one port of one site
 * @addr: filled in
 * @site: site, or FLITCAST_SITE_ANY to bind to the only one
 * @port: port, or FLITCAST_PORT_ANY to bind to a free one
 */
void flitcast_address(struct sockaddr_flitcast *addr, uint32_t site, uint16_t port);

/**
 * flitcast_parse_site() - read "SITE"
 * @text: a number, nothing before or after it
 * @site: result, untouched unless 0 is returned
 *
 * Return: 0, or -1 with errno EINVAL.
 */
int flitcast_parse_site(const char *text, uint32_t *site);

/**
 * flitcast_parse_port() - read "PORT"
 * @text: a number from 1 to 65535, nothing before or after it
 * @port: result, untouched unless 0 is returned
 *
 * Return: 0, or -1 with errno EINVAL.
 */
int flitcast_parse_port(const char *text, uint16_t *port);

/**
 * flitcast_parse_targets() - read "SITE[-LAST][:PORT][,SITE[-LAST][:PORT]]..."
 * @text: the list
 * @port: port of targets that name none
 * @targets: result, to be freed by the caller; untouched unless 0 is returned
 * @count: number of targets
 * @error: if not NULL, gets a constant error message
 *
 * SITE-LAST stands for all sites from SITE to LAST.  Each target receives the whole message.  No
 * target may occur twice.
 *
 * Return: 0, or -1 with errno EINVAL (malformed), E2BIG (more than
 * FLITCAST_TARGETS_MAX) or ENOMEM.
 */
int flitcast_parse_targets(const char *text, uint16_t port, struct flitcast_target **targets,
			   size_t *count, const char **error);

/**
 * flitcast_socket() - open a SOCK_RDM socket and bind it
 * @site: site, or FLITCAST_SITE_ANY for the only one
 * @port: port, or FLITCAST_PORT_ANY for a free one
 *
 * Return: a descriptor that exec() closes, or -1 with errno set.
 */
int flitcast_socket(uint32_t site, uint16_t port);

/**
 * flitcast_send() - send one message to one or many targets
 * @fd: socket
 * @data: message
 * @length: its length in bytes
 * @targets: receivers
 * @count: number of targets, from 1 to FLITCAST_TARGETS_MAX
 * @flags: flags of sendmsg(2)
 *
 * Return: @length, or -1 with errno set.
 */
ssize_t flitcast_send(int fd, const void *data, size_t length,
		      const struct flitcast_target *targets, size_t count, int flags);

/**
 * flitcast_broadcast() - send one message to every other site
 * @fd: socket
 * @data: message
 * @length: its length in bytes
 * @port: port of the receivers
 * @copies: copies over disjoint paths, 0: the value of FLITCAST_COPIES
 * @flags: flags of sendmsg(2)
 *
 * Return: @length, or -1 with errno set.
 */
ssize_t flitcast_broadcast(int fd, const void *data, size_t length, uint16_t port,
			   uint8_t copies, int flags);

/**
 * struct flitcast_from - sender of a message
 * @site: sending site
 * @port: sending port
 * @truncated: the message was longer than the buffer
 * @has_info: @info is filled in: the option FLITCAST_INFO is set
 * @info: control message FLITCAST_INFO of the kernel
 */
struct flitcast_from {
	uint32_t site;
	uint16_t port;
	uint8_t truncated;
	uint8_t has_info;
	struct flitcast_info info;
};

/**
 * flitcast_recv() - receive one message
 * @fd: socket
 * @data: buffer
 * @size: its size in bytes
 * @from: if not NULL, gets the sender
 * @flags: flags of recvmsg(2)
 *
 * Return: length of the message in the buffer, or -1 with errno set.
 */
ssize_t flitcast_recv(int fd, void *data, size_t size, struct flitcast_from *from, int flags);

/**
 * flitcast_recv_report() - read the report of a message (FLITCAST_CONFIRM)
 * @fd: socket
 * @report: filled in
 * @results: targets of the message, or only the failed ones
 * @max: capacity of @results; FLITCAST_TARGETS_MAX is always enough, except for a broadcast, which
 *	has one target per other site
 *
 * Never blocks: poll(2) reports POLLERR when there is a report.
 *
 * Return: number of results, or -1 with errno set; EAGAIN: there is no report.
 */
ssize_t flitcast_recv_report(int fd, struct flitcast_report *report,
			     struct flitcast_result *results, size_t max);

/**
 * flitcast_refusal() - get the reason why the last call on a socket was refused
 * @fd: socket
 * @buf: gets a text, empty if there is none
 * @size: size of the buffer, not 0
 *
 * Return: @buf.
 */
const char *flitcast_refusal(int fd, char *buf, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* FLITCAST_H */
