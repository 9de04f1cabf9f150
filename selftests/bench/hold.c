// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the memory that a waiting message uses.
 *
 *	hold LAB COUNT BYTES WHERE
 *
 * Site 0 of LAB sends COUNT messages to site 1, whose program reads none.  The messages wait WHERE:
 *
 * sender	link 0-1 is so slow that hardly any message crosses it
 * receiver	all messages have arrived, and none was read
 *
 * Prints the additional memory that the kernel uses, in bytes per message: the decrease of free
 * pages.  One-time costs are included, so COUNT should be large.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "../sock/lab.h"
#include "../sock/msg.h"

#define PORT	7021
#define ROOM	(512 << 20)
#define WAIT_S	120
#define CALM	20
#define STABLE	(64 << 10)

static char message[1 << 20];

static int open_site(const char *lab, unsigned int site)
{
	int netns = lab_open(lab, site), fd = msg_socket(netns, site, PORT, 0), room = ROOM;

	if (netns < 0 || fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		die("socket of site %u: %s", site, strerror(errno));
	close(netns);
	return fd;
}

/* Free objects that slabs keep for reuse would hide new allocations. */
static void shrink(void)
{
	glob_t found;
	size_t i;
	int fd;

	if (glob("/sys/kernel/slab/*/shrink", 0, NULL, &found))
		die("no /sys/kernel/slab");
	for (i = 0; i < found.gl_pathc; i++) {
		fd = open(found.gl_pathv[i], O_WRONLY | O_CLOEXEC);
		if (fd < 0 || write(fd, "1", 1) != 1)
			die("%s: %s", found.gl_pathv[i], strerror(errno));
		close(fd);
	}
	globfree(&found);
}

/* Return: all memory of the machine except that of programs and files. */
static long long used_now(void)
{
	long long kb[8] = { 0 };
	static const char *const names[] = {
		"MemTotal", "MemFree", "Buffers", "Cached", "AnonPages", "PageTables",
		"KReclaimable",
	};
	char line[128], name[64];
	long long value;
	unsigned int i;
	FILE *file;

	sleep(1);
	shrink();
	sleep(1);
	file = fopen("/proc/meminfo", "re");
	if (!file)
		die("/proc/meminfo: %s", strerror(errno));
	while (fgets(line, sizeof(line), file))
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (sscanf(line, "%63[^:]: %lld", name, &value) == 2 &&
			    !strcmp(name, names[i]))
				kb[i] = value;
	fclose(file);
	return (kb[0] - kb[1] - kb[2] - kb[3] - kb[4] - kb[5] - kb[6]) * 1024;
}

/* Return: used_now() when it is stable: the kernel frees the memory of a deleted lab late. */
static long long used(void)
{
	long long last = 0, now = used_now();
	unsigned int i;

	for (i = 0; i < CALM && (now > last + STABLE || now < last - STABLE); i++) {
		last = now;
		now = used_now();
	}
	return now;
}

static int unconfirmed(int fd)
{
	int value = -1;

	ioctl(fd, SIOCOUTQ, &value);
	return value;
}

int main(int argc, char **argv)
{
	unsigned int count, bytes, i;
	long long before;
	int from, to;
	bool sender;

	if (argc != 5)
		return EXIT_USAGE;
	count = atoi(argv[2]);
	bytes = atoi(argv[3]);
	sender = !strcmp(argv[4], "sender");
	if (!count || !bytes || bytes > sizeof(message))
		return EXIT_USAGE;
	from = open_site(argv[1], 0);
	to = open_site(argv[1], 1);
	before = used();
	for (i = 0; i < count; i++)
		if (msg_send(from, message, bytes, 1, PORT, sender ? MSG_DONTWAIT : 0) !=
		    (ssize_t)bytes)
			die("message %u: %s", i, strerror(errno));
	for (i = 0; !sender && unconfirmed(from); i++) {
		if (i == WAIT_S)
			die("%d bytes are not confirmed", unconfirmed(from));
		sleep(1);
	}
	printf("%lld\n", (used() - before) / count);
	close(from);
	close(to);
	return 0;
}
