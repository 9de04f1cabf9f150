// SPDX-License-Identifier: GPL-2.0
/*
 * Sends a frame on the network device of a site, which is unregistered meanwhile, to the next site.
 *
 *	latesend NETNS DEVICE
 *
 * The frame is in a page that is not there: sendto() of the packet socket holds the device, and
 * waits for the page.  Prints "waits" then, and provides the page when it has read a line.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/userfaultfd.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FRAME	100

static struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_halen = 6 };
static int sender;
static void *frame;

__attribute__((noreturn))
static void fail(const char *what)
{
	fprintf(stderr, "latesend: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void *send_frame(void *arg)
{
	ssize_t n = sendto(sender, frame, FRAME, 0, (struct sockaddr *)&to, sizeof(to));

	printf("%s\n", n < 0 ? strerror(errno) : "sent");
	return arg;
}

int main(int argc, char **argv)
{
	size_t size = sysconf(_SC_PAGESIZE);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_copy copy = { 0 };
	struct ifreq device = { 0 };
	struct uffd_msg msg;
	char path[256], line[16];
	unsigned char *page;
	pthread_t thread;
	int netns, fault;

	if (argc != 3)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	snprintf(path, sizeof(path), "/run/netns/%s", argv[1]);
	netns = open(path, O_RDONLY | O_CLOEXEC);
	if (netns < 0 || setns(netns, CLONE_NEWNET))
		fail(path);
	close(netns);
	to.sll_ifindex = if_nametoindex(argv[2]);
	sender = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (!to.sll_ifindex || sender < 0)
		fail(argv[2]);
	strncpy(device.ifr_name, argv[2], sizeof(device.ifr_name) - 1);
	if (ioctl(sender, SIOCGIFHWADDR, &device))
		fail("address");
	frame = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	fault = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (frame == MAP_FAILED || fault < 0 || ioctl(fault, UFFDIO_API, &api))
		fail("userfaultfd");
	range.range.start = (unsigned long)frame;
	range.range.len = size;
	if (ioctl(fault, UFFDIO_REGISTER, &range))
		fail("register");
	if (pthread_create(&thread, NULL, send_frame, NULL))
		fail("thread");
	if (read(fault, &msg, sizeof(msg)) != sizeof(msg) || msg.event != UFFD_EVENT_PAGEFAULT)
		fail("page fault");
	puts("waits");
	if (!fgets(line, sizeof(line), stdin))
		fail("no line");
	page = calloc(1, size);
	if (!page)
		fail("memory");
	memcpy(page, device.ifr_hwaddr.sa_data, 6);
	page[5]++;
	copy.dst = range.range.start;
	copy.src = (unsigned long)page;
	copy.len = size;
	if (ioctl(fault, UFFDIO_COPY, &copy))
		fail("page");
	pthread_join(thread, NULL);
	return 0;
}
