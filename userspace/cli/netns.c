// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "netns.h"
#include "util.h"

#define NETNS_DIR	"/run/netns"
#define PATH_SIZE	512

static void path_of(const char *name, char path[PATH_SIZE])
{
	snprintf(path, PATH_SIZE, strchr(name, '/') ? "%s" : NETNS_DIR "/%s", name);
}

void netns_enter(const char *name)
{
	char path[PATH_SIZE];
	int fd;

	path_of(name, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fail("network namespace %s: %s", name, strerror(errno));
	if (setns(fd, CLONE_NEWNET))
		fail("network namespace %s: cannot enter: %s", name, strerror(errno));
	close(fd);
}

bool netns_exists(const char *name)
{
	char path[PATH_SIZE];

	path_of(name, path);
	return !access(path, F_OK);
}

/*
 * Create the directory as "ip netns" does: a shared mount of its own, so that
 * names deleted in one mount namespace disappear in the others too.
 */
static int prepare_directory(void)
{
	if (mkdir(NETNS_DIR, 0755) && errno != EEXIST)
		return -errno;
	if (!mount("", NETNS_DIR, "none", MS_SHARED | MS_REC, NULL))
		return 0;
	if (errno != EINVAL)
		return -errno;
	if (mount(NETNS_DIR, NETNS_DIR, "none", MS_BIND | MS_REC, NULL) ||
	    mount("", NETNS_DIR, "none", MS_SHARED | MS_REC, NULL))
		return -errno;
	return 0;
}

int netns_create(const char *name)
{
	static bool prepared;
	char path[PATH_SIZE];
	int fd, err;

	if (!prepared) {
		err = prepare_directory();
		if (err)
			return err;
		prepared = true;
	}
	path_of(name, path);
	fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	close(fd);
	if (unshare(CLONE_NEWNET) ||
	    mount("/proc/thread-self/ns/net", path, "none", MS_BIND, NULL)) {
		err = -errno;
		unlink(path);
		return err;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		err = -errno;
		netns_delete(name);
		return err;
	}
	return fd;
}

int netns_delete(const char *name)
{
	char path[PATH_SIZE];

	path_of(name, path);
	/* EINVAL: nothing is mounted there, after an incomplete creation. */
	if (umount2(path, MNT_DETACH) && errno != EINVAL)
		return -errno;
	if (unlink(path))
		return -errno;
	return 0;
}

int netns_exec(const char *name, char **argv)
{
	int err;

	netns_enter(name);
	/* /sys shows the devices of the namespace that mounted it. */
	if (unshare(CLONE_NEWNS) || mount("", "/", "none", MS_SLAVE | MS_REC, NULL))
		fail("cannot make a mount namespace: %s", strerror(errno));
	umount2("/sys", MNT_DETACH);
	if (mount(name, "/sys", "sysfs", 0, NULL))
		fail("cannot mount /sys: %s", strerror(errno));
	execvp(argv[0], argv);
	err = errno;
	/* If the tools are not installed, "flitcast" still means this program. */
	if (err == ENOENT && !strcmp(argv[0], "flitcast"))
		execv("/proc/self/exe", argv);
	return err;
}
