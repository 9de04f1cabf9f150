// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast socket
 */
#include <linux/flitcast.h>
#include <linux/flitcast_netlink.h>
#include "cli.h"
#include "out.h"

static const char *type_name(uint32_t type)
{
	switch ((enum flitcast_socket_type)type) {
	case FLITCAST_SOCKET_TYPE_RDM:
		return "rdm";
	case FLITCAST_SOCKET_TYPE_SEQPACKET:
		return "seqpacket";
	}
	return "unknown";
}

static const char *wait_name(uint32_t wait)
{
	switch ((enum flitcast_socket_wait)wait) {
	case FLITCAST_SOCKET_WAIT_TURN:
		return "turn";
	case FLITCAST_SOCKET_WAIT_ANSWER:
		return "answer";
	case FLITCAST_SOCKET_WAIT_BUFFER:
		return "buffer";
	case FLITCAST_SOCKET_WAIT_ROUTE:
		return "route";
	}
	return "unknown";
}

static const char *peer_name(uint32_t peer)
{
	switch ((enum flitcast_socket_peer)peer) {
	case FLITCAST_SOCKET_PEER_LISTEN:
		return "listens";
	case FLITCAST_SOCKET_PEER_REQUESTED:
		return "requests";
	case FLITCAST_SOCKET_PEER_CONNECTED:
		return "connected";
	case FLITCAST_SOCKET_PEER_CLOSED:
		return "closed";
	}
	return "unknown";
}

static void print_peer(struct nlattr **a)
{
	if (a[FLITCAST_A_SOCKET_PEER])
		out_string("state", " %s", peer_name(get_u32(a[FLITCAST_A_SOCKET_PEER])));
	else
		out_null("state");
	if (a[FLITCAST_A_SOCKET_PEER_SITE]) {
		out_uint("peer_site", " peer %llu", get_u32(a[FLITCAST_A_SOCKET_PEER_SITE]));
		out_uint("peer_port", ":%llu", get_u32(a[FLITCAST_A_SOCKET_PEER_PORT]));
	} else {
		out_null("peer_site");
		out_null("peer_port");
	}
}

static void print_wait(struct nlattr **a)
{
	if (!a[FLITCAST_A_SOCKET_WAIT]) {
		out_null("wait");
		return;
	}
	out_open_object("wait");
	out_string("for", "    waits for %s", wait_name(get_u32(a[FLITCAST_A_SOCKET_WAIT])));
	out_uint("site", " target %llu", get_u32(a[FLITCAST_A_SOCKET_WAIT_SITE]));
	out_uint("port", ":%llu", get_u32(a[FLITCAST_A_SOCKET_WAIT_PORT]));
	if (a[FLITCAST_A_SOCKET_WAIT_LINK]) {
		out_uint("link_port", " by port %llu", get_u32(a[FLITCAST_A_SOCKET_WAIT_LINK]));
		if (a[FLITCAST_A_SOCKET_WAIT_IFNAME])
			out_string("dev", " dev %s",
				   get_string(a[FLITCAST_A_SOCKET_WAIT_IFNAME]));
		else
			out_null("dev");
	} else {
		out_null("link_port");
		out_null("dev");
	}
	out_float("seconds", " since %.3f s", get_u64(a[FLITCAST_A_SOCKET_WAIT_TIME]) / 1e6);
	out_uint("message", " message %llu\n", get_u32(a[FLITCAST_A_SOCKET_WAIT_MESSAGE]));
	out_close_object();
}

static void print_socket(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_SOCKET_MAX + 1];

	get_attrs(message, a, FLITCAST_A_SOCKET_MAX);
	if (out_brief && !out_json) {
		out_text("%-4u %-5u %-9s %s\n", get_u32(a[FLITCAST_A_SOCKET_SITE]),
			 get_u32(a[FLITCAST_A_SOCKET_PORT]),
			 type_name(get_u32(a[FLITCAST_A_SOCKET_TYPE])),
			 a[FLITCAST_A_SOCKET_WAIT] ?
			 wait_name(get_u32(a[FLITCAST_A_SOCKET_WAIT])) : "-");
		return;
	}
	out_open_object(NULL);
	out_uint("site", "site %llu", get_u32(a[FLITCAST_A_SOCKET_SITE]));
	out_uint("port", " port %llu", get_u32(a[FLITCAST_A_SOCKET_PORT]));
	out_string("type", " %s", type_name(get_u32(a[FLITCAST_A_SOCKET_TYPE])));
	print_peer(a);
	out_uint("tx_used", " tx %llu", get_u32(a[FLITCAST_A_SOCKET_TX_USED]));
	out_uint("tx_size", "/%llu", get_u32(a[FLITCAST_A_SOCKET_TX_SIZE]));
	out_uint("rx_used", " rx %llu", get_u32(a[FLITCAST_A_SOCKET_RX_USED]));
	out_uint("rx_size", "/%llu", get_u32(a[FLITCAST_A_SOCKET_RX_SIZE]));
	out_uint("pending", " pending %llu", get_u32(a[FLITCAST_A_SOCKET_PENDING]));
	out_uint("senders", " senders %llu", get_u32(a[FLITCAST_A_SOCKET_SENDERS]));
	out_uint("inode", " inode %llu\n", get_u32(a[FLITCAST_A_SOCKET_INODE]));
	print_wait(a);
	if (show_stats && a[FLITCAST_A_SOCKET_STATS])
		print_counters("counters", "    ", a[FLITCAST_A_SOCKET_STATS]);
	out_close_object();
}

static int show(const struct option_given *given)
{
	struct request req = { 0 };
	int err;

	request_flitcast(&req, FLITCAST_CMD_SOCKET_GET, NLM_F_DUMP);
	put_given(&req, given);
	out_open_array(NULL);
	err = request_ask(&req, print_socket, NULL, "socket show");
	out_close_array();
	out_end();
	return err ? EXIT_FAILED : 0;
}

static const struct option_entry show_options[] = {
	OPTION_SITE("site", FLITCAST_A_SOCKET_SITE),
	OPTION("port", "P", "of this port alone", NUMBER, 0, OPTION_RANGE(1, UINT16_MAX),
	       .attr = FLITCAST_A_SOCKET_PORT),
};

const struct option_command socket_command = {
	.name = "socket",
	.help = "Show the sockets that are bound here",
	.commands = (const struct option_command[]) {
		{ "show", "Show sockets, and for what they wait", OPTION_TABLE(show_options),
		  .run = show },
		{ 0 }
	},
};
