// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast recv
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli.h"
#include "flitcast.h"
#include "out.h"
#include "transfer.h"

/* recv writes one transfer at a time, and reports each of up to this many others once. */
#define STRANGERS	16
/*
 * If nothing arrives for this time, recv probes the sender, which may be waiting for another
 * receiver or for its input.  The sender is gone if its socket is closed, or if its site is
 * unresponsive for FLITCAST_TIMEOUT.
 */
#define ASK_MS		5000
#define ANSWER_MS	2000
#define GONE_MS		30000
/* Initial size of the buffer, which grows with the first longer message. */
#define BUFFER_START	65536

/**
 * struct output - destination of data
 * @path: file of --output, or NULL: standard output
 * @draft: written under this name until it is complete, or NULL
 * @fd: descriptor
 */
struct output {
	const char *path;
	char *draft;
	int fd;
};

/**
 * struct transfer - the file being received
 * @active: a transfer is in progress
 * @site: its sender
 * @port: its sender
 * @id: number of the transfer
 * @total: bytes, or TRANSFER_UNKNOWN
 * @got: bytes so far
 * @own: site of this receiver, as given
 * @last_rx: time of the last message or answer from the sender, now_ns()
 * @name: file name from the sender, without characters that are unsafe in a terminal or a path
 */
struct transfer {
	bool active;
	uint32_t site;
	uint16_t port;
	uint32_t id;
	uint64_t total;
	uint64_t got;
	uint32_t own;
	uint64_t last_rx;
	char name[TRANSFER_NAME_MAX + 1];
};

/* Signal handler: delete an incomplete file. */
static const char *volatile draft_to_remove;

static void on_signal(int number)
{
	if (draft_to_remove)
		unlink(draft_to_remove);
	_exit(128 + number);
}

static void remove_draft(void)
{
	if (draft_to_remove)
		unlink(draft_to_remove);
}

/*
 * A regular file gets its name when it is complete.  Other files (a pipe, /dev/null) are written to
 * directly.
 */
static void open_output(struct output *output)
{
	struct stat st;
	mode_t mask;

	output->fd = STDOUT_FILENO;
	if (!output->path || !strcmp(output->path, "-"))
		return;
	if (!stat(output->path, &st) && !S_ISREG(st.st_mode)) {
		output->fd = open(output->path, O_WRONLY | O_CLOEXEC);
	} else {
		output->draft = xprintf("%s.XXXXXX", output->path);
		output->fd = mkostemp(output->draft, O_CLOEXEC);
		if (output->fd >= 0) {
			draft_to_remove = output->draft;
			mask = umask(0);
			umask(mask);
			fchmod(output->fd, 0666 & ~mask);
		}
	}
	if (output->fd < 0)
		fail("recv: %s: %s", output->path, strerror(errno));
	atexit(remove_draft);
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
}

static void write_data(const struct output *output, const char *data, size_t length)
{
	while (length) {
		ssize_t n = write(output->fd, data, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			fail("recv: %s: %s", output->path ? output->path : "standard output",
			     strerror(errno));
		data += n;
		length -= n;
	}
}

static void close_output(struct output *output)
{
	if (output->fd == STDOUT_FILENO)
		return;
	if (close(output->fd) || (output->draft && rename(output->draft, output->path)))
		fail("recv: %s: %s", output->path, strerror(errno));
	draft_to_remove = NULL;
}

static void print_base64(const char *key, const unsigned char *p, size_t length)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = xalloc(length / 3 + 1, 4), *to = text;
	size_t i;

	for (i = 0; i < length; i += 3) {
		uint32_t word = p[i] << 16;

		if (i + 1 < length)
			word |= p[i + 1] << 8;
		if (i + 2 < length)
			word |= p[i + 2];
		*to++ = digits[word >> 18];
		*to++ = digits[word >> 12 & 63];
		*to++ = i + 1 < length ? digits[word >> 6 & 63] : '=';
		*to++ = i + 2 < length ? digits[word & 63] : '=';
	}
	out_bytes(key, text, to - text);
	free(text);
}

static void print_from(uint32_t site, uint16_t port, uint64_t length)
{
	out_uint("site", NULL, site);
	out_uint("port", NULL, port);
	out_uint("length", NULL, length);
}

/* Write a message that is no part of a file; its buffer has space for a newline. */
static void take_message(const struct output *output, const struct flitcast_from *from,
			 char *data, size_t length)
{
	if (output->path) {
		write_data(output, data, length);
	} else if (!out_json) {
		/* Write it in one call: another receiver may write to the same terminal. */
		data[length] = '\n';
		write_data(output, data, length + 1);
	}
	if (!out_json)
		return;
	out_open_object(NULL);
	print_from(from->site, from->port, length);
	if (from->has_info) {
		out_uint("id", NULL, from->info.id);
		out_uint("hops", NULL, from->info.hops);
		out_uint("arrived_ns", NULL, from->info.arrived);
		if (from->info.reserved)
			out_uint("reserved_ns", NULL, from->info.reserved);
		if (from->info.addrtype == FLITCAST_ADDR_BROADCAST) {
			out_uint("copies", NULL, from->info.copies);
			out_uint("votes", NULL, from->info.votes);
			out_uint("dissent", NULL, from->info.dissent);
		}
	}
	if (output->path)
		out_string("output", NULL, output->path);
	else if (out_is_text(data, length))
		out_bytes("text", data, length);
	else
		print_base64("base64", (const unsigned char *)data, length);
	out_close_object();
	out_end();
}

static bool is_part(const char *data, size_t length)
{
	return length >= sizeof(struct transfer_header) &&
	       !memcmp(data, TRANSFER_MAGIC, TRANSFER_MAGIC_SIZE);
}

static void complain_stranger(const struct flitcast_from *from)
{
	static uint64_t noted[STRANGERS];
	uint64_t stranger = (uint64_t)from->site << 16 | from->port;
	static unsigned int n;
	unsigned int i;

	for (i = 0; i < STRANGERS; i++)
		if (n && noted[i] == stranger)
			return;
	noted[n++ % STRANGERS] = stranger;
	complain("recv: dropped: another file, from site %u port %u, while one is being received",
		 from->site, from->port);
}

static void set_transfer_name(struct transfer *transfer, const char *name, size_t length)
{
	size_t i;

	memcpy(transfer->name, name, length);
	transfer->name[length] = '\0';
	for (i = 0; i < length; i++)
		if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f || name[i] == '/')
			transfer->name[i] = '?';
	if (!out_is_text(transfer->name, length))
		for (i = 0; i < length; i++)
			transfer->name[i] &= 0x7f;
}

/* Result of probing the sender's socket with an empty message, which no program reads. */
enum answer {
	ANSWER_THERE,
	ANSWER_GONE,
	ANSWER_NONE,
};

static enum answer ask_sender(struct transfer *transfer)
{
	struct flitcast_target target = { .site = transfer->site, .port = transfer->port };
	int fd = open_socket("recv", transfer->own, FLITCAST_PORT_ANY), one = 1;
	uint64_t until = now_ns() + ANSWER_MS * 1000000ULL;
	struct pollfd poll_fd = { .fd = fd };
	enum answer answer = ANSWER_NONE;
	struct flitcast_report report;
	struct flitcast_result result;
	struct linger none = { .l_onoff = 1 };

	/* close() must drop an unconfirmed probe. */
	if (setsockopt(fd, SOL_FLITCAST, FLITCAST_CONFIRM, &one, sizeof(one)) ||
	    setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none)))
		fail("recv: %s", strerror(errno));
	if (!flitcast_send(fd, "", 0, &target, 1, MSG_NOSIGNAL)) {
		while (flitcast_recv_report(fd, &report, &result, 1) != 1) {
			uint64_t now = now_ns();

			if (now >= until)
				goto out;
			poll(&poll_fd, 1, (until - now + 999999) / 1000000);
		}
		if (!result.error)
			answer = ANSWER_THERE;
		else if (result.error == ECONNREFUSED)
			answer = ANSWER_GONE;
	}
out:
	close(fd);
	if (answer == ANSWER_THERE)
		transfer->last_rx = now_ns();
	return answer;
}

/*
 * Another file begins.  Return: true if the sender of the current file is gone, and its data has
 * been discarded.
 */
static bool replaces(const struct output *output, struct transfer *transfer)
{
	if (ask_sender(transfer) != ANSWER_GONE)
		return false;
	progress_end();
	complain("recv: dropped: %s from site %u stopped after %llu bytes, and its sender has gone",
		 transfer->name, transfer->site, (unsigned long long)transfer->got);
	/* Data written to a pipe or a terminal cannot be discarded. */
	if (!output->draft && (output->path || !out_json))
		exit(EXIT_FAILED);
	if (output->draft && (ftruncate(output->fd, 0) || lseek(output->fd, 0, SEEK_SET)))
		fail("recv: %s: %s", output->path, strerror(errno));
	transfer->active = false;
	return true;
}

/* Complete a file after its last part has been written. */
static void file_ends(const struct output *output, struct transfer *transfer,
		      const struct flitcast_from *from)
{
	progress_end();
	if (transfer->got != transfer->total)
		fail("recv: %s from site %u is incomplete: %llu of %llu bytes", transfer->name,
		     from->site, (unsigned long long)transfer->got,
		     (unsigned long long)transfer->total);
	transfer->active = false;
	/* If standard output gets the data, print nothing else there. */
	if (output->fd != STDOUT_FILENO)
		out_text("%s: %s from site %u, %llu bytes\n", output->path,
			 *transfer->name ? transfer->name : "data", transfer->site,
			 (unsigned long long)transfer->got);
	if (out_json) {
		out_open_object(NULL);
		print_from(from->site, from->port, transfer->got);
		out_string("file", NULL, transfer->name);
		if (output->path)
			out_string("output", NULL, output->path);
		out_close_object();
	}
	out_end();
}

/* Write a part of a file.  Return: true if it was the last. */
static bool take_part(const struct output *output, struct transfer *transfer,
		      const struct flitcast_from *from, const char *data, size_t length)
{
	struct transfer_header header;
	uint16_t flags, name_length;
	uint64_t total, offset;
	uint32_t id;

	memcpy(&header, data, sizeof(header));
	id = be32toh(header.id);
	flags = be16toh(header.flags);
	name_length = be16toh(header.name_length);
	total = be64toh(header.total);
	offset = be64toh(header.offset);
	data += sizeof(header);
	length -= sizeof(header);
	if (name_length > TRANSFER_NAME_MAX || name_length > length) {
		complain("recv: dropped: malformed part of a file from site %u port %u",
			 from->site, from->port);
		return false;
	}

	if (transfer->active && !offset && !(flags & TRANSFER_ABORT) &&
	    (transfer->site != from->site || transfer->port != from->port || transfer->id != id))
		replaces(output, transfer);
	if (!transfer->active) {
		/* The beginning of the file was sent before this receiver started. */
		if (offset) {
			complain_stranger(from);
			return false;
		}
		transfer->active = true;
		transfer->site = from->site;
		transfer->port = from->port;
		transfer->id = id;
		transfer->got = 0;
		set_transfer_name(transfer, data, name_length);
	}
	if (transfer->site != from->site || transfer->port != from->port || transfer->id != id) {
		complain_stranger(from);
		return false;
	}
	data += name_length;
	length -= name_length;
	if (flags & TRANSFER_ABORT)
		fail("recv: site %u gave up sending %s after %llu bytes", from->site,
		     transfer->name, (unsigned long long)transfer->got);
	/* send --wait repeats the first part if it is not sure of its delivery. */
	if (!offset && transfer->got)
		return false;
	if (offset != transfer->got)
		fail("recv: %s from site %u has a gap: byte %llu came after byte %llu",
		     transfer->name, from->site, (unsigned long long)offset,
		     (unsigned long long)transfer->got);
	transfer->last_rx = now_ns();
	transfer->total = total;
	transfer->got += length;
	/* In JSON mode standard output cannot carry data: require a file. */
	if (output->path || !out_json)
		write_data(output, data, length);
	progress(*transfer->name ? transfer->name : "receiving", transfer->got,
		 total == TRANSFER_UNKNOWN ? 0 : total, "bytes");
	if (!(flags & TRANSFER_LAST))
		return false;
	file_ends(output, transfer, from);
	return true;
}

/* Probe the sender after an interval without data in the middle of a file. */
static void check_transfer(struct transfer *transfer)
{
	enum answer answer = ask_sender(transfer);

	if (answer == ANSWER_THERE ||
	    (answer == ANSWER_NONE && now_ns() < transfer->last_rx + GONE_MS * 1000000ULL))
		return;
	fail("recv: %s from site %u stopped after %llu bytes: its sender %s", transfer->name,
	     transfer->site, (unsigned long long)transfer->got,
	     answer == ANSWER_GONE ? "has gone" : "does not answer");
}

static void wait_for_message(int fd, uint32_t timeout, struct transfer *transfer)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	uint64_t until = now_ns() + timeout * 1000000ULL;
	int ready;

	for (;;) {
		int left = -1;

		if (timeout) {
			uint64_t now = now_ns();

			left = now < until ? (until - now + 999999) / 1000000 : 0;
		}
		ready = poll(&poll_fd, 1, transfer->active && (left < 0 || left > ASK_MS) ?
					  ASK_MS : left);
		if (ready > 0)
			return;
		if (ready < 0 && errno != EINTR)
			fail("recv: %s", strerror(errno));
		if (!ready && left && transfer->active)
			check_transfer(transfer);
		if (ready || left)
			continue;
		if (transfer->active)
			fail("recv: %s from site %u stopped after %llu bytes", transfer->name,
			     transfer->site, (unsigned long long)transfer->got);
		fail("recv: no message came for %g s", timeout / 1e3);
	}
}

/* Parse the number of copies of a broadcast that must agree: first, all, majority, or a number. */
static void parse_reception(const char *text, struct flitcast_reception *reception)
{
	static const char *const words[] = { "first", "all", "majority" };
	uint32_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(text, words[i])) {
			reception->policy = i;
			return;
		}
	}
	reception->policy = FLITCAST_RECEPTION_QUORUM;
	reception->quorum = parse_number(text, 1, COPIES_MAX,
					 "reception is first, all, majority, or a number, which");
}

static void set_reception(int fd, const struct flitcast_reception *reception, int copies)
{
	if (setsockopt(fd, SOL_FLITCAST, FLITCAST_RECEPTION, reception, sizeof(*reception)) ||
	    (copies && setsockopt(fd, SOL_FLITCAST, FLITCAST_COPIES, &copies, sizeof(copies))))
		fail("recv: reception: %s", strerror(errno));
}

static int run(const struct option_given *given)
{
	/* By default receive one file only. */
	uint32_t count = option_get(given, "--count", option_was_given(given, "--output"));
	uint32_t own = option_get(given, "--site", FLITCAST_SITE_ANY), done = 0;
	uint32_t timeout = option_get(given, "--timeout", 0);
	uint16_t port = option_get(given, "--port", DEFAULT_PORT);
	struct output output = { .path = option_text(given, "--output") };
	struct flitcast_reception reception = { .ms = 1000 };
	struct transfer transfer = { .own = own };
	struct flitcast_from from;
	size_t size = BUFFER_START;
	int fd, one = 1;
	char *buf;

	if (option_was_given(given, "--reception"))
		parse_reception(option_text(given, "--reception"), &reception);
	fd = open_socket("recv", own, port);
	setsockopt(fd, SOL_FLITCAST, FLITCAST_INFO, &one, sizeof(one));
	set_reception(fd, &reception, option_get(given, "--copies", 0));
	open_output(&output);
	buf = xalloc(1, size + 1);
	while (!count || done < count) {
		ssize_t length;

		wait_for_message(fd, timeout, &transfer);
		/* MSG_TRUNC returns the length of the message, not that of the data received. */
		length = flitcast_recv(fd, buf, size, NULL, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
		if (length > (ssize_t)size) {
			free(buf);
			size = length;
			buf = xalloc(1, size + 1);
		}
		if (length >= 0)
			length = flitcast_recv(fd, buf, size, &from, MSG_DONTWAIT);
		if (length < 0) {
			if (errno == EAGAIN || errno == EINTR)
				continue;
			fail("recv: %s", strerror(errno));
		}
		if (!is_part(buf, length)) {
			take_message(&output, &from, buf, length);
			done++;
		} else if (take_part(&output, &transfer, &from, buf, length)) {
			done++;
		}
	}
	close_output(&output);
	close(fd);
	free(buf);
	return 0;
}

static const struct option_entry options[] = {
	OPTION("--port", "P", "port to receive at (4100)", NUMBER, 0, OPTION_RANGE(1, UINT16_MAX)),
	OPTION("--count", "N", "messages to receive, 0 for no end", NUMBER, 0,
	       OPTION_RANGE(0, UINT32_MAX)),
	OPTION("--output", "FILE", "write to this file", FILE, 0),
	OPTION("--reception", "{ first | all | majority | M }",
	       "copies of a broadcast that are needed", TEXT, 0),
	OPTION("--copies", "K", "copies that a broadcast has", NUMBER, 0,
	       OPTION_RANGE(1, COPIES_MAX)),
	OPTION("--timeout", "S", "seconds without a message before the command fails", SECONDS, 0,
	       OPTION_RANGE(1, 0)),
	OPTION_SITE("--site", 0),
};

const struct option_command recv_command = {
	.name = "recv",
	.help = "Receive messages and files",
	OPTION_TABLE(options),
	.run = run,
};
