// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast send
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli.h"
#include "flitcast.h"
#include "out.h"
#include "transfer.h"

/* The largest message by default (net.flitcast.message_max). */
#define PART_MAX	(1U << 20)
/* Below this, it is not the size of the message that is refused. */
#define PART_MIN	4096

/**
 * struct sender - to whom
 * @fd: socket
 * @targets: receivers
 * @count: how many
 * @to: as given, for messages
 */
struct sender {
	int fd;
	struct flitcast_target *targets;
	size_t count;
	const char *to;
};

static void refused(const struct sender *sender)
{
	char why[128];
	int err = errno;

	flitcast_refusal(sender->fd, why, sizeof(why));
	fail("send to %s: %s", sender->to, *why ? why : strerror(err));
}

static int send_one(const struct sender *sender, const void *data, size_t length)
{
	ssize_t sent;

	do
		sent = flitcast_send(sender->fd, data, length, sender->targets, sender->count,
				     MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -1 : 0;
}

/*
 * Every message is confirmed or given up some time: the time-out of the socket
 * sees to it.
 */
static int wait_until_confirmed(const struct sender *sender, bool quiet)
{
	struct flitcast_sock_stats stats;
	struct pollfd poll_fd = { .fd = sender->fd };
	bool gone = false;
	socklen_t length;
	int err = 0;

	for (;;) {
		length = sizeof(stats);
		if (getsockopt(sender->fd, SOL_FLITCAST, FLITCAST_STATS, &stats, &length))
			refused(sender);
		if (stats.tx_confirmed + stats.tx_failed >= stats.tx_messages)
			break;
		/* The site is gone: nothing more is confirmed than was by then. */
		if (gone)
			fail("send to %s: %s", sender->to, strerror(ENETDOWN));
		/* Confirmations wake nobody: look again now and then. */
		poll(&poll_fd, 1, 2);
		if (poll_fd.revents & POLLERR) {
			length = sizeof(err);
			getsockopt(sender->fd, SOL_SOCKET, SO_ERROR, &err, &length);
			gone = err == ENETDOWN;
		}
		if (!quiet)
			progress("waiting for confirmation",
				 stats.tx_confirmed + stats.tx_failed, stats.tx_messages,
				 "messages");
	}
	progress_end();
	if (stats.tx_failed) {
		length = sizeof(err);
		if (!err)
			getsockopt(sender->fd, SOL_SOCKET, SO_ERROR, &err, &length);
		complain("send to %s: %llu of %llu messages did not reach every target: %s",
			 sender->to, (unsigned long long)stats.tx_failed,
			 (unsigned long long)stats.tx_messages,
			 strerror(err ? err : ETIMEDOUT));
		return EXIT_FAILED;
	}
	return 0;
}

/* Reads until the buffer is full or the file ends; -1: it cannot be read. */
static ssize_t read_full(int fd, char *buf, size_t size)
{
	size_t got = 0;

	while (got < size) {
		ssize_t n = read(fd, buf + got, size - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		got += n;
	}
	return got;
}

/**
 * struct file - a file being sent
 * @fd: descriptor
 * @path: as given
 * @name: sent along
 * @total: size, or TRANSFER_UNKNOWN
 * @id: of the transfer
 * @room: bytes in a part
 * @buf: header, name and data of one part
 */
struct file {
	int fd;
	const char *path;
	const char *name;
	uint64_t total;
	uint32_t id;
	size_t room;
	char *buf;
};

static void open_file(struct file *file, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct stat st;

	file->path = path;
	file->name = slash ? slash + 1 : path;
	if (!strcmp(path, "-")) {
		file->fd = STDIN_FILENO;
		file->name = "";
	} else {
		file->fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (file->fd < 0 || fstat(file->fd, &st))
		fail("send: %s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		fail("send: %s: %s", path, strerror(EISDIR));
	if (strlen(file->name) > TRANSFER_NAME_MAX)
		fail("send: %s: %s", path, strerror(ENAMETOOLONG));
	file->total = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : TRANSFER_UNKNOWN;
	if (getrandom(&file->id, sizeof(file->id), 0) != sizeof(file->id))
		file->id = now_ns();
	file->room = PART_MAX - sizeof(struct transfer_header) - strlen(file->name);
	file->buf = xalloc(1, PART_MAX);
}

/* One part; its data is in the buffer behind the name. */
static int send_part(const struct sender *sender, struct file *file, uint64_t total,
		     uint64_t offset, size_t length, uint16_t flags)
{
	struct transfer_header header = {
		.magic = TRANSFER_MAGIC,
		.id = htobe32(file->id),
		.flags = htobe16(flags),
		.name_length = htobe16(strlen(file->name)),
		.total = htobe64(total),
		.offset = htobe64(offset),
	};

	memcpy(file->buf, &header, sizeof(header));
	memcpy(file->buf + sizeof(header), file->name, strlen(file->name));
	return send_one(sender, file->buf, sizeof(header) + strlen(file->name) + length);
}

/* The data of one read as one part, or as more where parts have to be smaller. */
static void send_parts(const struct sender *sender, struct file *file, uint64_t total,
		       uint64_t offset, size_t length, bool last)
{
	char *data = file->buf + sizeof(struct transfer_header) + strlen(file->name);
	size_t n;

	do {
		n = length < file->room ? length : file->room;
		if (!send_part(sender, file, total, offset, n,
			       last && n == length ? TRANSFER_LAST : 0)) {
			length -= n;
			offset += n;
			memmove(data, data + n, length);
			last = last && length;
			continue;
		}
		if (errno != EMSGSIZE || file->room / 2 < PART_MIN)
			refused(sender);
		file->room /= 2;
	} while (length || last);
}

static int send_file(const struct sender *sender, const char *path)
{
	struct file file;
	uint64_t offset = 0;
	bool last;

	open_file(&file, path);
	do {
		size_t want = file.room;
		ssize_t got;

		if (file.total - offset < want)
			want = file.total - offset;
		got = read_full(file.fd, file.buf + sizeof(struct transfer_header) +
				strlen(file.name), want);
		if (got < 0 || (file.total != TRANSFER_UNKNOWN && (size_t)got < want)) {
			int err = errno;

			send_part(sender, &file, file.total, offset, 0, TRANSFER_ABORT);
			fail("send: %s: %s", path,
			     got < 0 ? strerror(err) : "has become shorter while it was sent");
		}
		last = file.total == TRANSFER_UNKNOWN ? (size_t)got < want :
							offset + got == file.total;
		send_parts(sender, &file, last ? offset + got : file.total, offset, got, last);
		offset += got;
		progress(path, offset, file.total == TRANSFER_UNKNOWN ? 0 : file.total, "bytes");
	} while (!last);
	free(file.buf);
	return wait_until_confirmed(sender, false);
}

/* What the shell made several words is one text again. */
static char *join(struct args *args)
{
	char *text = xprintf("%s", take_any(args, "text, or --file FILE,"));

	while (args->argc) {
		char *longer = xprintf("%s %s", text, take_any(args, "text"));

		free(text);
		text = longer;
	}
	return text;
}

int do_send(struct args *args)
{
	uint32_t own = FLITCAST_SITE_ANY, timeout = 0;
	const char *file = NULL, *wrong;
	struct sender sender = { 0 };
	bool options = true;
	char *text = NULL;
	int status;

	while (options && args->argc && args->argv[0][0] == '-' && args->argv[0][1]) {
		if (take_option(args, "--to"))
			sender.to = take_any(args, "list of targets");
		else if (take_option(args, "--file"))
			file = take_any(args, "file");
		else if (take_option(args, "--site"))
			own = parse_number(take_any(args, "site"), 0, FLITCAST_SITE_ANY - 1,
					   "site");
		else if (take_option(args, "--timeout"))
			timeout = parse_seconds(take_any(args, "time-out"), 100, "time-out");
		else if (take_option(args, "--"))
			options = false;
		else
			bad_usage("send has no option %s", args->argv[0]);
	}
	if (args->argc == 1 && !strcmp(args->argv[0], "help")) {
		puts("Usage: flitcast send --to SITE[:PORT][,...] [--site SITE] [--timeout S]\n"
		     "                     { --file FILE | TEXT }");
		return 0;
	}
	if (!sender.to)
		bad_usage("send: --to is missing");
	if (!file)
		text = join(args);
	take_end(args);
	if (flitcast_parse_targets(sender.to, DEFAULT_PORT, &sender.targets, &sender.count,
				   &wrong))
		bad_usage("send to %s: %s", sender.to, wrong);

	sender.fd = open_socket("send", own, FLITCAST_PORT_ANY);
	if (timeout && setsockopt(sender.fd, SOL_FLITCAST, FLITCAST_TIMEOUT, &timeout,
				  sizeof(timeout)))
		refused(&sender);
	if (file) {
		status = send_file(&sender, file);
	} else {
		if (send_one(&sender, text, strlen(text)))
			refused(&sender);
		status = wait_until_confirmed(&sender, true);
	}
	close(sender.fd);
	free(sender.targets);
	free(text);
	return status;
}
