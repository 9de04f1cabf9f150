// SPDX-License-Identifier: GPL-2.0
/*
 * AF_FLITCAST: options.
 */
#include <linux/slab.h>
#include <net/sock.h>
#include <uapi/linux/flitcast.h>
#include "sock/impl.h"
#include "sock/report.h"
#include "sock/sysctl.h"

/* Range of FLITCAST_TIMEOUT. */
#define TIMEOUT_MIN_MS		100
#define TIMEOUT_MAX_MS		(24 * 3600 * 1000)

static int set_targets(struct flitcast_sock *fs, sockptr_t optval, unsigned int optlen)
{
	struct flitcast_target *targets = NULL, *old;
	u32 n = optlen / sizeof(*targets);

	if (optlen % sizeof(*targets) || n > FLITCAST_TARGETS_MAX)
		return refuse(fs, -EINVAL, "target list of a wrong size");
	if (n) {
		targets = kvmalloc(optlen, GFP_KERNEL_ACCOUNT);
		if (!targets)
			return -ENOMEM;
		if (copy_from_sockptr(targets, optval, optlen)) {
			kvfree(targets);
			return -EFAULT;
		}
	}
	lock_sock(&fs->sk);
	old = fs->targets;
	fs->targets = targets;
	fs->ntargets = n;
	release_sock(&fs->sk);
	kvfree(old);
	return 0;
}

static int set_slow(struct flitcast_sock *fs, sockptr_t optval, unsigned int optlen)
{
	struct flitcast_slow_target slow;
	int err;

	if (optlen != sizeof(slow))
		return refuse(fs, -EINVAL, "option of a wrong size");
	if (copy_from_sockptr(&slow, optval, sizeof(slow)))
		return -EFAULT;
	err = flitcast_report_slow(fs, &slow);
	if (err)
		return err;
	lock_sock(&fs->sk);
	fs->slow.ms = slow.ms;
	/* A sender reads the policy without the lock of the socket. */
	WRITE_ONCE(fs->slow.policy, slow.policy);
	flitcast_port_forgive(&fs->port);
	release_sock(&fs->sk);
	return 0;
}

static_assert((int)FC_RECEPT_FIRST == FLITCAST_RECEPTION_FIRST);
static_assert((int)FC_RECEPT_ALL == FLITCAST_RECEPTION_ALL);
static_assert((int)FC_RECEPT_MAJORITY == FLITCAST_RECEPTION_MAJORITY);
static_assert((int)FC_RECEPT_QUORUM == FLITCAST_RECEPTION_QUORUM);

static int set_reception(struct flitcast_sock *fs, sockptr_t optval, unsigned int optlen)
{
	struct flitcast_reception r;
	bool quorum;

	if (optlen != sizeof(r))
		return refuse(fs, -EINVAL, "option of a wrong size");
	if (copy_from_sockptr(&r, optval, sizeof(r)))
		return -EFAULT;
	if (r.policy >= FC_RECEPT_COUNT)
		return refuse(fs, -EINVAL, "unknown reception policy");
	quorum = r.policy == FLITCAST_RECEPTION_QUORUM;
	if (quorum != !!r.quorum || r.quorum > FC_COPIES_MAX)
		return refuse(fs, -EINVAL, "quorum is 1 to 16 copies, and 0 with other policies");
	if (!r.ms || r.ms > TIMEOUT_MAX_MS)
		return refuse(fs, -EINVAL, "time to wait for copies is 1 ms to one day");
	lock_sock(&fs->sk);
	flitcast_port_reception(&fs->port, r.policy, r.quorum, fs->port.copies,
				(u64)r.ms * NSEC_PER_MSEC);
	release_sock(&fs->sk);
	return 0;
}

/* Set the send or receive buffer exactly as requested; SO_SNDBUF and SO_RCVBUF double the value. */
static int set_room(struct flitcast_sock *fs, int opt, u32 value)
{
	struct net *net = sock_net(&fs->sk);
	bool tx = opt == FLITCAST_SNDBUF;
	u32 most = tx ? flitcast_sysctl_wmem_max(net) : flitcast_sysctl_rmem_max(net);

	if (value < FLITCAST_MEM_LEAST || value > most)
		return refuse(fs, -EINVAL, tx ?
			      "send room is 4096 bytes to net.flitcast.wmem_max" :
			      "receive room is 4096 bytes to net.flitcast.rmem_max");
	if (tx) {
		WRITE_ONCE(fs->sk.sk_sndbuf, value);
		fs->sk.sk_write_space(&fs->sk);
	} else {
		WRITE_ONCE(fs->sk.sk_rcvbuf, value);
	}
	return 0;
}

int flitcast_option_set(struct socket *sock, int level, int opt, sockptr_t optval,
			unsigned int optlen)
{
	struct flitcast_sock *fs = to_fs(sock->sk);
	u32 value;

	forget(fs);
	if (level != SOL_FLITCAST)
		return -ENOPROTOOPT;
	if (opt == FLITCAST_TARGETS)
		return set_targets(fs, optval, optlen);
	if (opt == FLITCAST_SLOW_TARGET)
		return set_slow(fs, optval, optlen);
	if (opt == FLITCAST_RECEPTION)
		return set_reception(fs, optval, optlen);
	if (opt != FLITCAST_INFO && opt != FLITCAST_TIMEOUT && opt != FLITCAST_CONFIRM &&
	    opt != FLITCAST_SNDBUF && opt != FLITCAST_RCVBUF && opt != FLITCAST_COPIES &&
	    opt != FLITCAST_ZEROCOPY)
		return -ENOPROTOOPT;
	if (optlen != sizeof(value))
		return refuse(fs, -EINVAL, "option of a wrong size");
	if (copy_from_sockptr(&value, optval, sizeof(value)))
		return -EFAULT;
	if (opt == FLITCAST_INFO) {
		WRITE_ONCE(fs->info, value);
		return 0;
	}
	if (opt == FLITCAST_SNDBUF || opt == FLITCAST_RCVBUF)
		return set_room(fs, opt, value);
	if (opt == FLITCAST_COPIES) {
		if (!value || value > FC_COPIES_MAX)
			return refuse(fs, -EINVAL, "copies are 1 to 16");
		lock_sock(&fs->sk);
		WRITE_ONCE(fs->copies, value);
		flitcast_port_reception(&fs->port, fs->port.reception, fs->port.quorum, value,
					fs->port.reception_ns);
		release_sock(&fs->sk);
		return 0;
	}
	if (opt == FLITCAST_CONFIRM) {
		WRITE_ONCE(fs->confirm, value);
		return 0;
	}
	if (opt == FLITCAST_ZEROCOPY) {
		lock_sock(&fs->sk);
		sock_valbool_flag(&fs->sk, SOCK_ZEROCOPY, value);
		release_sock(&fs->sk);
		return 0;
	}
	if (value < TIMEOUT_MIN_MS || value > TIMEOUT_MAX_MS)
		return refuse(fs, -EINVAL, "time-out is 100 ms to one day");
	lock_sock(&fs->sk);
	WRITE_ONCE(fs->timeout_ms, value);
	fs->port.timeout = (u64)value * NSEC_PER_MSEC;
	release_sock(&fs->sk);
	return 0;
}

/* Copy the value of an option, @size bytes, to a program whose buffer has @len bytes. */
static int put_value(char __user *optval, int __user *optlen, int len, const void *value,
		     int size)
{
	len = min(len, size);
	if (put_user(len, optlen) || copy_to_user(optval, value, len))
		return -EFAULT;
	return 0;
}

static int put_word(char __user *optval, int __user *optlen, int len, u32 value)
{
	return put_value(optval, optlen, len, &value, sizeof(value));
}

static int get_targets(struct flitcast_sock *fs, char __user *optval, int __user *optlen,
		       int len)
{
	int err = 0;

	lock_sock(&fs->sk);
	len = min_t(int, len, fs->ntargets * sizeof(*fs->targets));
	if (put_user(len, optlen) || (len && copy_to_user(optval, fs->targets, len)))
		err = -EFAULT;
	release_sock(&fs->sk);
	return err;
}

static int get_reception(struct flitcast_sock *fs, char __user *optval, int __user *optlen,
			 int len)
{
	struct flitcast_reception reception;

	lock_sock(&fs->sk);
	reception.policy = fs->port.reception;
	reception.quorum = fs->port.quorum;
	reception.ms = div_u64(fs->port.reception_ns, NSEC_PER_MSEC);
	release_sock(&fs->sk);
	return put_value(optval, optlen, len, &reception, sizeof(reception));
}

static int get_slow(struct flitcast_sock *fs, char __user *optval, int __user *optlen, int len)
{
	struct flitcast_slow_target slow;

	lock_sock(&fs->sk);
	slow = fs->slow;
	release_sock(&fs->sk);
	return put_value(optval, optlen, len, &slow, sizeof(slow));
}

static int get_errmsg(struct flitcast_sock *fs, char __user *optval, int __user *optlen, int len)
{
	const char *text = READ_ONCE(fs->errmsg);

	text = text ? text : "";
	return put_value(optval, optlen, len, text, strlen(text) + 1);
}

static int get_admission(struct flitcast_sock *fs, char __user *optval, int __user *optlen,
			 int len)
{
	struct flitcast_admission admission;

	lock_sock(&fs->sk);
	flitcast_port_admission(&fs->port, &admission);
	release_sock(&fs->sk);
	return put_value(optval, optlen, len, &admission, sizeof(admission));
}

static int get_stats(struct flitcast_sock *fs, char __user *optval, int __user *optlen, int len)
{
	struct flitcast_sock_stats stats;

	/* Concurrent updates: each counter is read on its own, not as one snapshot. */
	data_race(stats = fs->stats);
	stats.tx_messages = atomic64_read(&fs->tx_messages);
	return put_value(optval, optlen, len, &stats, sizeof(stats));
}

int flitcast_option_get(struct socket *sock, int level, int opt, char __user *optval,
			int __user *optlen)
{
	struct flitcast_sock *fs = to_fs(sock->sk);
	int len;

	if (level != SOL_FLITCAST)
		return -ENOPROTOOPT;
	if (get_user(len, optlen))
		return -EFAULT;
	if (len < 0)
		return -EINVAL;
	/* Options of one word are read without lock_sock, while another call may set them. */
	switch (opt) {
	case FLITCAST_TARGETS:
		return get_targets(fs, optval, optlen, len);
	case FLITCAST_INFO:
		return put_word(optval, optlen, len, READ_ONCE(fs->info));
	case FLITCAST_SNDBUF:
		return put_word(optval, optlen, len, READ_ONCE(fs->sk.sk_sndbuf));
	case FLITCAST_RCVBUF:
		return put_word(optval, optlen, len, READ_ONCE(fs->sk.sk_rcvbuf));
	case FLITCAST_COPIES:
		return put_word(optval, optlen, len, READ_ONCE(fs->copies));
	case FLITCAST_RECEPTION:
		return get_reception(fs, optval, optlen, len);
	case FLITCAST_CONFIRM:
		return put_word(optval, optlen, len, READ_ONCE(fs->confirm));
	case FLITCAST_ZEROCOPY:
		return put_word(optval, optlen, len, sock_flag(&fs->sk, SOCK_ZEROCOPY));
	case FLITCAST_SLOW_TARGET:
		return get_slow(fs, optval, optlen, len);
	case FLITCAST_TIMEOUT:
		return put_word(optval, optlen, len, READ_ONCE(fs->timeout_ms));
	case FLITCAST_ERRMSG:
		return get_errmsg(fs, optval, optlen, len);
	case FLITCAST_ADMISSION:
		return get_admission(fs, optval, optlen, len);
	case FLITCAST_STATS:
		return get_stats(fs, optval, optlen, len);
	}
	return -ENOPROTOOPT;
}
