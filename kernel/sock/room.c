// SPDX-License-Identifier: GPL-2.0
/*
 * AF_FLITCAST: send buffer space.  Pending messages and unread reports use it; sendmsg(), poll()
 * and SIGIO wait for it.
 */
#include <linux/sched/signal.h>
#include <net/sock.h>
#include "sock/conn.h"
#include "sock/impl.h"
#include "sock/mem.h"
#include "sock/room.h"
#include "sock/sysctl.h"

/* Send buffer space in use, if pending messages use @used. */
static u64 tx_sum(const struct flitcast_sock *fs, int used)
{
	return (u64)used + atomic_read(&fs->tx_held);
}

/* Do unread reports alone exceed the send buffer?  This bounds their number. */
static bool reports_fill(const struct flitcast_sock *fs)
{
	return atomic_read(&fs->tx_held) > READ_ONCE(fs->sk.sk_sndbuf);
}

/* One message always fits, unless unread reports fill the buffer. */
static bool tx_fits(const struct flitcast_sock *fs, int used, u32 charge)
{
	smp_rmb(); /* pairs with the barrier of flitcast_report_sent() */
	return used ? tx_sum(fs, used) + charge <= READ_ONCE(fs->sk.sk_sndbuf) : !reports_fill(fs);
}

bool flitcast_room_reserve(struct flitcast_sock *fs, u32 charge)
{
	int used = atomic_read(&fs->tx_used);

	/* Mode csr (@waits): the previous message has not reserved its path yet. */
	if (READ_ONCE(fs->port.waits) || !tx_fits(fs, used, charge) ||
	    !flitcast_mem_send(fs, charge))
		return false;
	while (!atomic_try_cmpxchg(&fs->tx_used, &used, used + charge)) {
		if (!tx_fits(fs, used, charge)) {
			flitcast_mem_sent(fs, charge);
			return false;
		}
	}
	return true;
}

void flitcast_room_unreserve(struct flitcast_sock *fs, u32 charge)
{
	atomic_sub(charge, &fs->tx_used);
	flitcast_mem_sent(fs, charge);
}

/* Charge of the largest message that poll() promises space for. */
static u32 tx_most(const struct flitcast_sock *fs)
{
	return flitcast_room_charge(flitcast_sysctl_message_max(sock_net(&fs->sk)), 64);
}

bool flitcast_room_writable(struct flitcast_sock *fs)
{
	u32 most = tx_most(fs);

	return !READ_ONCE(fs->port.waits) && tx_fits(fs, atomic_read(&fs->tx_used), most) &&
	       flitcast_mem_sendable(fs, most);
}

bool flitcast_room_await(struct flitcast_sock *fs)
{
	if (flitcast_room_writable(fs))
		return true;
	/*
	 * Completions of the socket's own messages wake it; if the share is used up, arm a wake-up:
	 */
	if (flitcast_mem_sendable(fs, tx_most(fs)))
		return false;
	flitcast_mem_wait(fs, tx_most(fs));
	return flitcast_room_writable(fs);
}

/*
 * Request a wake-up of poll() and SIGIO when there is space.  The caller must check again after
 * this.
 */
static void no_space(struct flitcast_sock *fs)
{
	set_bit(SOCK_NOSPACE, &fs->sk.sk_socket->flags);
	sk_set_bit(SOCKWQ_ASYNC_NOSPACE, &fs->sk);
	smp_mb__after_atomic(); /* the flags are set before the caller looks for room */
}

bool flitcast_room_poll(struct flitcast_sock *fs)
{
	if (flitcast_room_writable(fs))
		return true;
	no_space(fs);
	return flitcast_room_await(fs);
}

u32 flitcast_room_used(const struct flitcast_sock *fs)
{
	return min_t(u64, tx_sum(fs, atomic_read(&fs->tx_used)), INT_MAX);
}

int flitcast_room_wait(struct flitcast_sock *fs, u32 charge, long *timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	struct sock *sk = &fs->sk;
	int err = 0;

	atomic_inc(&fs->tx_waiting);
	flitcast_wait_begin(sk, &wait);
	for (;;) {
		no_space(fs);
		if (flitcast_room_reserve(fs, charge))
			break;
		err = sock_error(sk);
		if (!err)
			err = flitcast_conn_may_send(fs);
		/* sock_error() clears the error: only one of several waiting senders gets it. */
		if (!err && flitcast_site_dead(fs->port.site))
			err = -ENETDOWN;
		if (err)
			break;
		err = -EAGAIN;
		if (!*timeo)
			break;
		if (signal_pending(current)) {
			err = sock_intr_errno(*timeo);
			break;
		}
		if (flitcast_mem_never(charge)) {
			err = refuse(fs, -ENOBUFS,
				     "message longer than 7/16 of the module parameter mem");
			break;
		}
		/*
		 * No message is pending whose completion could end the wait: the caller must read
		 * reports.
		 */
		if (!atomic_read(&fs->tx_used) && reports_fill(fs)) {
			err = refuse(fs, -ENOBUFS, "unread reports fill the send room: read them");
			break;
		}
		*timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, *timeo);
		err = 0;
	}
	flitcast_wait_end(sk, &wait);
	atomic_dec(&fs->tx_waiting);
	return err;
}
