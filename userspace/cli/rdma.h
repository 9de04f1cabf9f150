/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ports of RDMA devices, and their GIDs.
 */
#ifndef FLITCAST_CLI_RDMA_H
#define FLITCAST_CLI_RDMA_H

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include "request.h"
#include "util.h"

/* Size of "DEV/PORT" with its NUL: the kernel's limit of a name, and three digits. */
#define RDMA_SIZE	68
#define GID_LENGTH	16

/**
 * rdma_parse() - parse "DEV/PORT", or "DEV" for its port 1
 * @text: text
 * @port: result: "DEV/PORT"
 *
 * Return: NULL, or an error message.
 */
const char *rdma_parse(const char *text, char port[RDMA_SIZE]);
/* rdma_parse() of an argument; exits with an error message if it names no RDMA port. */
void rdma_take(const char *text, char port[RDMA_SIZE]);
/* Does /sys show this RDMA port? */
bool rdma_exists(const char *port);

/* Parse an IPv6 address, or an IPv4 address, which is mapped.  Return: false if it is neither. */
bool gid_parse(const char *text, uint8_t gid[GID_LENGTH]);
/* Print a GID into @text. */
const char *gid_print(const uint8_t gid[GID_LENGTH], char text[INET6_ADDRSTRLEN]);
/* Read the GID of an attribute; false if there is none. */
bool gid_read(struct nlattr *attr, uint8_t gid[GID_LENGTH]);

#endif /* FLITCAST_CLI_RDMA_H */
