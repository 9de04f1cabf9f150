// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast send
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli.h"
#include "flitcast.h"
#include "sender.h"
#include "transfer.h"

/* The largest message by default (net.flitcast.message_max). */
#define PART_MAX	(1U << 20)
/* Below this, it is not the size of the message that is refused. */
#define PART_MIN	4096
/* A day, as the kernel has it. */
#define SLOW_MAX_MS	86400000

/* Reads until the buffer is full or the file ends; -1: it cannot be read, or a signal came. */
static ssize_t read_full(int fd, char *buf, size_t size)
{
	size_t got = 0;

	while (got < size) {
		ssize_t n = read(fd, buf + got, size - got);

		if (n < 0 && errno == EINTR && !interrupted)
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
static int send_part(struct sender *sender, struct file *file, uint64_t total,
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
	length += sizeof(header) + strlen(file->name);
	return sender->wait && !sender->sent ? sender_send_first(sender, file->buf, length) :
					       sender_send(sender, file->buf, length);
}

/* The receivers are told to throw away what they have, if there is room to tell them. */
static void give_up(struct sender *sender, struct file *file, uint64_t offset)
{
	bool told = !send_part(sender, file, file->total, offset, 0, TRANSFER_ABORT);

	fail("send: %s: interrupted after %llu bytes%s", file->path, (unsigned long long)offset,
	     told ? "" : "; the receivers find out when they hear nothing more");
}

/*
 * The data of one read as one part, or as more where parts have to be smaller; false
 * where there is nobody left to send it to, or a signal came.
 */
static bool send_parts(struct sender *sender, struct file *file, uint64_t total,
		       uint64_t offset, size_t length, bool last)
{
	char *data = file->buf + sizeof(struct transfer_header) + strlen(file->name);
	size_t n;

	do {
		n = length < file->room ? length : file->room;
		if (!send_part(sender, file, total, offset, n,
			       last && n == length ? TRANSFER_LAST : 0)) {
			sender->bytes += n;
			length -= n;
			offset += n;
			memmove(data, data + n, length);
			last = last && length;
			continue;
		}
		/* Everybody has failed: what is left would reach nobody. */
		if (errno == ENOTCONN || errno == EINTR)
			return false;
		if (errno != EMSGSIZE || file->room / 2 < PART_MIN)
			sender_refused(sender);
		file->room /= 2;
	} while (length || last);
	return true;
}

static void send_file(struct sender *sender, const char *path)
{
	struct file file;
	uint64_t offset = 0;
	bool last;

	open_file(&file, path);
	sender->name = path;
	sender->total = file.total == TRANSFER_UNKNOWN ? 0 : file.total;
	do {
		size_t want = file.room;
		ssize_t got;

		if (file.total - offset < want)
			want = file.total - offset;
		got = read_full(file.fd, file.buf + sizeof(struct transfer_header) +
				strlen(file.name), want);
		if (interrupted)
			give_up(sender, &file, offset);
		if (got < 0 || (file.total != TRANSFER_UNKNOWN && (size_t)got < want)) {
			int err = errno;

			send_part(sender, &file, file.total, offset, 0, TRANSFER_ABORT);
			fail("send: %s: %s", path,
			     got < 0 ? strerror(err) : "has become shorter while it was sent");
		}
		last = file.total == TRANSFER_UNKNOWN ? (size_t)got < want :
							offset + got == file.total;
		if (!send_parts(sender, &file, last ? offset + got : file.total, offset, got,
				last)) {
			if (interrupted)
				give_up(sender, &file, offset);
			break;
		}
		offset += got;
	} while (!last);
	free(file.buf);
}

/* wait, skip:MS or detach:MS */
static void parse_slow(const char *text, struct flitcast_slow_target *slow)
{
	static const struct {
		const char *word;
		uint32_t policy;
	} policies[] = {
		{ "skip:", FLITCAST_SLOW_SKIP },
		{ "detach:", FLITCAST_SLOW_DETACH },
	};
	size_t i, length;

	if (!strcmp(text, "wait"))
		return;
	for (i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		length = strlen(policies[i].word);
		if (strncmp(text, policies[i].word, length))
			continue;
		slow->policy = policies[i].policy;
		slow->ms = parse_number(text + length, 1, SLOW_MAX_MS, "time of a slow target");
		return;
	}
	bad_usage("--slow is wait, skip:MS or detach:MS, not \"%s\"", text);
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

static int help(void)
{
	puts("Usage: flitcast send { --to SITE[:PORT][,...] [--wait S] |\n"
	     "                       --broadcast [--port PORT] [--copies K] }\n"
	     "                     [--site SITE] [--timeout S]\n"
	     "                     [--slow { wait | skip:MS | detach:MS }] [--confirm] [-j]\n"
	     "                     { --file FILE | TEXT }");
	return 0;
}

int do_send(struct args *args)
{
	uint32_t own = FLITCAST_SITE_ANY, timeout = 0;
	struct flitcast_slow_target slow = { 0 };
	bool options = true, confirm = false, broadcast = false;
	uint16_t port = 0;
	const char *file = NULL, *wrong;
	struct sender sender = { 0 };
	char *text = NULL;
	int status;

	if (args->argc == 1 && take_help(args))
		return help();
	while (options && args->argc && args->argv[0][0] == '-' && args->argv[0][1]) {
		if (take_option(args, "--to"))
			sender.to = take_any(args, "list of targets");
		else if (take_option(args, "--broadcast"))
			broadcast = true;
		else if (take_option(args, "--copies"))
			sender.copies = parse_number(take_any(args, "copies"), 1, COPIES_MAX,
						     "number of copies");
		else if (take_option(args, "--port"))
			port = parse_number(take_any(args, "port"), 1, UINT16_MAX, "port");
		else if (take_option(args, "--file"))
			file = take_any(args, "file");
		else if (take_option(args, "--site"))
			own = parse_number(take_any(args, "site"), 0, FLITCAST_SITE_ANY - 1,
					   "site");
		else if (take_option(args, "--timeout"))
			timeout = parse_seconds(take_any(args, "time-out"), 100, "time-out");
		else if (take_option(args, "--wait"))
			sender.wait = parse_seconds(take_any(args, "time to wait"), 1,
						    "time to wait for receivers");
		else if (take_option(args, "--slow"))
			parse_slow(take_any(args, "policy"), &slow);
		else if (take_option(args, "--confirm"))
			confirm = true;
		else if (take_option(args, "--"))
			options = false;
		else if (take_help(args))
			return help();
		else if (!take_output_option(args))
			bad_usage("send: unknown option %s", args->argv[0]);
	}
	if (!sender.to && !broadcast)
		bad_usage("send: --to is missing, or --broadcast");
	if (broadcast && sender.to)
		bad_usage("send: give --to or --broadcast, not both");
	if (broadcast && sender.wait)
		bad_usage("send: --wait is for --to: a broadcast does not wait");
	if (!broadcast && (sender.copies || port))
		bad_usage("send: --copies and --port are for --broadcast");
	if (!file)
		text = join(args);
	take_end(args);
	if (broadcast) {
		sender.broadcast = port ? port : DEFAULT_PORT;
		sender.to = "all others";
	} else if (flitcast_parse_targets(sender.to, DEFAULT_PORT, &sender.targets, &sender.count,
					  &wrong)) {
		bad_usage("send to %s: %s", sender.to, wrong);
	}

	/* Part of a file is no file: who has missed one needs no more. */
	sender.leave_out = file && !broadcast;
	if (file) {
		catch_signals();
		sender.stop = &interrupted;
	}
	sender_open(&sender, own, timeout, &slow);
	if (file)
		send_file(&sender, file);
	else if (sender.wait ? sender_send_first(&sender, text, strlen(text)) :
			       sender_send(&sender, text, strlen(text)))
		sender_refused(&sender);
	else
		sender.bytes = strlen(text);
	status = sender_finish(&sender, confirm, !file);
	close(sender.fd);
	free(sender.targets);
	free(sender.tally);
	free(sender.left);
	free(text);
	return status;
}
