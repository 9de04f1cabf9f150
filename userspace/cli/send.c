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
#include "network.h"
#include "sender.h"
#include "sites.h"
#include "transfer.h"

/* The largest message by default (net.flitcast.message_max). */
#define PART_MAX	(1U << 20)
/* Minimum size: if the kernel refuses smaller messages, their size is not the reason. */
#define PART_MIN	4096
/* One day, the limit of the kernel. */
#define SLOW_MAX_MS	86400000

/* Read until the buffer is full or the file ends.  Return: bytes; -1: read error or signal. */
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
 * @path: path as given
 * @name: name sent in the header
 * @total: size, or TRANSFER_UNKNOWN
 * @id: number of the transfer
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

/* Send one part; its data is in the buffer behind the name. */
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

/* Request the receivers to discard their data, if there is buffer space for the message. */
static void give_up(struct sender *sender, struct file *file, uint64_t offset)
{
	bool aborted = !send_part(sender, file, file->total, offset, 0, TRANSFER_ABORT);

	fail("send: %s: interrupted after %llu bytes%s", file->path, (unsigned long long)offset,
	     aborted ? "" : "; the receivers find out when they hear nothing more");
}

/*
 * Send the data of one read as one part, or as several if parts must be smaller.  Return: false if
 * no target is left, or a signal arrived.
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
		/* All targets have failed: the rest would reach no receiver. */
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

/* Join the arguments, which the shell has split, with blanks.  Return: text, to be freed. */
static char *join(int argc, char **argv)
{
	char *text = NULL, *longer;
	int i;

	for (i = 0; i < argc; i++) {
		longer = xprintf("%s%s%s", text ? text : "", text ? " " : "", argv[i]);
		free(text);
		text = longer;
	}
	return text;
}

/* Return: the targets, with the other sites of the network in place of "all". */
static const char *expand(const char *targets, uint32_t own)
{
	struct network_own network;

	if (!targets || !sites_are_all(targets))
		return targets;
	if (!network_own(&network, own, "send"))
		exit(EXIT_FAILED);
	return sites_expand(targets, network.topo.nsites, network.site);
}

static int run(const struct option_given *given)
{
	uint32_t own = option_get(given, "--site", FLITCAST_SITE_ANY);
	bool broadcast = option_was_given(given, "--broadcast");
	const char *file = option_text(given, "--file"), *wrong;
	struct flitcast_slow_target slow = { 0 };
	struct sender sender = {
		.to = expand(option_text(given, "--to"), own),
		.copies = option_get(given, "--copies", 0),
		.wait = option_get(given, "--wait", 0),
	};
	char *text = join(given->argc, given->argv);
	int status;

	if (broadcast && sender.wait)
		bad_usage("--wait is for --to: a broadcast does not wait");
	if (!broadcast && (sender.copies || option_was_given(given, "--port")))
		bad_usage("--copies and --port are for --broadcast");
	if (option_was_given(given, "--slow"))
		parse_slow(option_text(given, "--slow"), &slow);
	if (broadcast) {
		sender.broadcast = option_get(given, "--port", DEFAULT_PORT);
		sender.to = "all others";
	} else if (flitcast_parse_targets(sender.to, DEFAULT_PORT, &sender.targets, &sender.count,
					  &wrong)) {
		bad_usage("to %s: %s", sender.to, wrong);
	}

	/* An incomplete file is useless: drop a target that missed a part. */
	sender.leave_out = file && !broadcast;
	if (file) {
		catch_signals();
		sender.stop = &interrupted;
	}
	sender_open(&sender, own, option_get(given, "--timeout", 0), &slow);
	if (file)
		send_file(&sender, file);
	else if (sender.wait ? sender_send_first(&sender, text, strlen(text)) :
			       sender_send(&sender, text, strlen(text)))
		sender_refused(&sender);
	else
		sender.bytes = strlen(text);
	status = sender_finish(&sender, option_was_given(given, "--confirm"), !file);
	close(sender.fd);
	free(sender.targets);
	free(sender.tally);
	free(sender.left);
	free(text);
	return status;
}

static const struct option_entry options[] = {
	OPTION("--to", "SITE[:PORT][,...]", TARGETS_HELP, TEXT, 0, .how = OPTION_NEED,
	       .group = 1),
	OPTION("--broadcast", NULL, "to every other site, in copies over disjoint paths", FLAG, 0,
	       .group = 1),
	OPTION("--port", "P", "with --broadcast: port of the receivers (4100)", NUMBER, 0,
	       OPTION_RANGE(1, UINT16_MAX)),
	OPTION("--copies", "K", "with --broadcast: number of copies", NUMBER, 0,
	       OPTION_RANGE(1, COPIES_MAX)),
	OPTION("--wait", "S", "with --to: seconds to wait for receivers that are not there yet",
	       SECONDS, 0, OPTION_RANGE(1, 0)),
	OPTION_SITE("--site", 0),
	OPTION("--timeout", "S", "seconds after which a target is given up", SECONDS, 0,
	       OPTION_RANGE(100, 0)),
	OPTION("--slow", "{ wait | skip:MS | detach:MS }",
	       "wait for a slow target, or go on without it after a time", TEXT, 0),
	OPTION("--confirm", NULL, "print the result of the message at each target", FLAG, 0),
	OPTION("--file", "FILE", "the file to send; -: standard input", FILE, 0,
	       .how = OPTION_NEED, .group = 2),
	OPTION("TEXT", NULL, "the text to send", REST, 0, .how = OPTION_PLAIN, .group = 2),
};

const struct option_command send_command = {
	.name = "send",
	.help = "Send a text or a file to several sites",
	OPTION_TABLE(options),
	.run = run,
};
