// SPDX-License-Identifier: GPL-2.0
/*
 * Many senders at once, random target lists, and an oracle: every target gets each message exactly
 * once, whole and in order per sender, and nothing else.
 *
 * All ends are sockets of this one process, in the namespaces of a lab's sites.  No call blocks:
 * one loop sends and reads, so the test itself cannot deadlock, and it knows which message a
 * receiver must get next without information in the message.  The contents are a stream of
 * pseudo-random bytes, by sender and number.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <linux/sockios.h>
#include "lab.h"
#include "msg.h"
#include "stress.h"

/* Time after the last message for duplicates to arrive. */
#define QUIET_MS	300
/* Time after an endless run for the messages in flight to be confirmed. */
#define CALM_S	30

struct seen seen;

static volatile sig_atomic_t stopped;

static void on_signal(int sig)
{
	(void)sig;
	stopped = 1;
}

void complain(const char *fmt, ...)
{
	va_list args;

	if (++seen.wrong > COMPLAINTS_MAX)
		return;
	va_start(args, fmt);
	/* Overwrite the progress line, if there is one. */
	fputs(isatty(STDERR_FILENO) ? "\r\033[Kstress: " : "stress: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
}

static void progress(bool last)
{
	static uint64_t next;
	static int terminal = -1;

	if (terminal < 0)
		terminal = isatty(STDERR_FILENO);
	if (!terminal || (!last && now_ms() < next))
		return;
	next = now_ms() + 500;
	fprintf(stderr, "\r\033[Kstress: %" PRIu64 " of %" PRIu64 " messages sent, %" PRIu64 " of %"
		PRIu64 " delivered%s", seen.sent, opt.endless ? seen.sent : opt.messages,
		seen.delivered, seen.due, last ? "\n" : "");
}

/* Have all senders sent everything, and is all of it confirmed? */
static bool all_completed(void)
{
	unsigned int i;

	for (i = 0; i < nsenders; i++) {
		struct flitcast_sock_stats stats;
		int queued = 0;

		if (senders[i].retired)
			continue;
		stats = msg_stats(senders[i].fd);
		if (ioctl(senders[i].fd, SIOCOUTQ, &queued) || queued ||
		    stats.tx_confirmed + stats.tx_failed != stats.tx_messages)
			return false;
	}
	return true;
}

static bool all_sent(void)
{
	unsigned int i;

	for (i = 0; i < nsenders; i++)
		if (senders[i].left)
			return false;
	return true;
}

static void calm(void)
{
	double until = now_s() + opt.deadline_s + CALM_S;

	while (!stopped && !all_completed() && now_s() < until)
		stress_turn(20);
}

static void run(void)
{
	double until = now_s() + opt.deadline_s;
	bool busy = true, stops = opt.seconds;

	seen.began = now_s();
	while (!stopped && now_s() < until && seen.wrong < COMPLAINTS_MAX) {
		stress_turn(busy ? 0 : opt.overload ? OFFER_MS :
			    opt.slow_readers || opt.lossy ? 5 : 100);
		if (opt.lose != NO_SITE && seen.sent >= opt.messages / 2)
			stress_lose();
		if (stops && now_s() >= seen.began + opt.seconds) {
			stress_stop();
			stops = false;
		}
		busy = stress_send();
		progress(false);
		if (!opt.endless && (opt.lossy || seen.delivered == seen.due) && all_sent() &&
		    all_completed())
			break;
	}
	seen.ended = now_s();
	seen.in_time = seen.delivered;
	/* Messages in flight at the end of an endless run neither failed nor arrived in time. */
	if (opt.endless && !opt.lossy && !stopped)
		calm();
	progress(true);
}

static void check_quiet(void)
{
	uint64_t until = now_ms() + QUIET_MS;

	while (now_ms() < until)
		stress_turn(20);
}

static void check_missing(void)
{
	unsigned int i, k, reported = 0;
	uint64_t missing = 0;
	size_t n;

	for (i = 0; i < nsenders; i++) {
		struct sender *s = &senders[i];
		int queued = 0;

		if (s->left)
			complain("sender %u (site %u): %" PRIu64 " messages not sent", i, s->site,
				 s->left);
		if (!ioctl(s->fd, SIOCOUTQ, &queued) && queued)
			complain("sender %u (site %u): %d bytes not confirmed", i, s->site, queued);
		for (k = 0; k < nreceivers; k++) {
			const struct pair *pair = &s->pairs[k];

			missing += pair->count - pair->head;
			for (n = pair->head; n < pair->count && reported < COMPLAINTS_MAX; n++,
			     reported++)
				complain("site %u port %u misses message %u of sender %u (site %u): %u bytes from %u on",
					 receivers[k].site, receivers[k].port, pair->due[n].number,
					 i, s->site, pair->due[n].len, pair->due[n].offset);
		}
	}
	if (missing)
		complain("%" PRIu64 " of %" PRIu64 " deliveries are missing after %.1f s", missing,
			 seen.due, seen.ended - seen.began);
}

/* Each failed message has a report, and so has each message to the lost site. */
static void check_reports(uint64_t failed)
{
	unsigned int i;

	for (i = 0; i < nsenders; i++) {
		struct sender *s = &senders[i];

		if (s->nhopeless)
			complain("sender %u (site %u): message %u and %u more to site %u: no report",
				 i, s->site, s->hopeless[0], s->nhopeless - 1, opt.lose);
	}
	if (seen.reports != failed)
		complain("%" PRIu64 " reports of %" PRIu64 " messages that failed", seen.reports,
			 failed);
	if (!seen.reports)
		complain("nobody was told that site %u is gone", opt.lose);
}

static struct flitcast_sock_stats check_stats(void)
{
	struct flitcast_sock_stats sum = { 0 };
	uint64_t received = seen.due;
	unsigned int i;

	for (i = 0; i < nsenders + nreceivers; i++) {
		int fd = i < nsenders ? senders[i].fd : receivers[i - nsenders].fd;
		struct flitcast_sock_stats stats;

		if (fd < 0)
			continue;
		if (i < nsenders)
			stress_read_reports(&senders[i]);
		stats = msg_stats(fd);
		sum.tx_messages += stats.tx_messages;
		sum.tx_confirmed += stats.tx_confirmed;
		sum.tx_failed += stats.tx_failed;
		sum.rx_messages += stats.rx_messages;
		sum.rx_no_space += stats.rx_no_space;
	}
	if (opt.lossy)
		return sum;
	for (i = 0; i < nreceivers; i++)
		if (receivers[i].gone)
			received -= receivers[i].delivered;
	if (sum.tx_messages != seen.sent || sum.tx_confirmed + sum.tx_failed != seen.sent ||
	    sum.tx_failed < seen.hopeless || sum.tx_failed > seen.hopeless + seen.maybe)
		complain("%" PRIu64 " messages sent: the sockets say %llu, %llu confirmed, %llu failed",
			 seen.sent, (unsigned long long)sum.tx_messages,
			 (unsigned long long)sum.tx_confirmed, (unsigned long long)sum.tx_failed);
	if (opt.lose != NO_SITE)
		check_reports(sum.tx_failed);
	if (sum.rx_messages != received)
		complain("%" PRIu64 " deliveries due: the sockets say %llu", received,
			 (unsigned long long)sum.rx_messages);
	return sum;
}

/* Counters of all sites that show what the network did. */
static const char *const counters[] = {
	"packets_unicast", "packets_passthru", "packets_all_remote", "packets_some_local",
	"packets_forced", "packets_resent", "packets_aborted", "packets_discarded",
	"packets_repeated", "packets_duplicate", "packets_bad", "transit_full", "seeks",
	"fifo_timeouts", "messages_no_space", "control_dropped", "no_memory",
};

#define NCOUNTERS	(sizeof(counters) / sizeof(*counters))

/* Counters that must stay zero with --unbroken. */
static const char *const breaks[] = {
	"packets_forced", "packets_resent", "packets_aborted", "packets_discarded",
	"packets_bad", "transit_full", "fifo_timeouts",
};

static bool is_break(const char *counter)
{
	for (unsigned int i = 0; i < sizeof(breaks) / sizeof(*breaks); i++)
		if (!strcmp(counter, breaks[i]))
			return true;
	return false;
}

static void count(uint64_t *value, unsigned int sites)
{
	unsigned int site, i, counted = 0;

	for (site = 0; site < sites; site++) {
		if (cli("-j -n %s-%u stats show", opt.lab, site))
			continue;
		counted++;
		for (i = 0; i < NCOUNTERS; i++)
			value[i] += json_sum(cli_output(), counters[i]);
	}
	if (!opt.unbroken)
		return;
	if (counted != sites)
		complain("%u of %u sites told their counters", counted, sites);
	for (i = 0; i < NCOUNTERS; i++)
		if (value[i] && is_break(counters[i]))
			complain("%s: %" PRIu64, counters[i], value[i]);
}

static void report(const struct flitcast_sock_stats *sum, const uint64_t *value)
{
	double elapsed = seen.ended - seen.began;
	unsigned int i;

	if (opt.json) {
		printf("{\"seed\":%" PRIu64 ",\"messages\":%" PRIu64 ",\"deliveries\":%" PRIu64
		       ",\"due\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"elapsed\":%.3f,\"errors\":%"
		       PRIu64 ",\"lost\":%" PRIu64 ",\"reopened\":%" PRIu64
		       ",\"rx_no_space\":%llu,\"counters\":{", opt.seed, seen.sent,
		       seen.in_time, seen.due, seen.bytes, elapsed, seen.wrong, seen.lost,
		       seen.reopened, (unsigned long long)sum->rx_no_space);
		for (i = 0; i < NCOUNTERS; i++)
			printf("%s\"%s\":%" PRIu64, i ? "," : "", counters[i], value[i]);
		printf("}}\n");
		return;
	}
	printf("stress: seed %" PRIu64 ": %" PRIu64 " messages, %" PRIu64 " of %" PRIu64
	       " deliveries, %.1f MB in %.1f s\n", opt.seed, seen.sent, seen.delivered, seen.due,
	       seen.bytes / 1e6, elapsed);
	if (opt.overload)
		printf("stress: %.1f messages were offered for each one taken\n",
		       (double)(seen.sent + seen.turned_away) / seen.sent);
	if (opt.lossy)
		printf("stress: %" PRIu64 " lost, %" PRIu64 " errors told, %" PRIu64
		       " sockets opened again\n", seen.lost, seen.refused, seen.reopened);
	if (opt.lose != NO_SITE)
		printf("stress: site %u lost: %" PRIu64 " messages to it afterwards, %llu failed, %"
		       PRIu64 " reports\n", opt.lose, seen.hopeless,
		       (unsigned long long)sum->tx_failed, seen.reports);
	printf("stress:");
	for (i = 0; i < NCOUNTERS; i++)
		if (value[i])
			printf(" %s %" PRIu64, counters[i], value[i]);
	printf("\n");
	printf("stress: %s\n", seen.wrong ? "FAILED" : "passed");
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct flitcast_sock_stats sum;
	uint64_t value[NCOUNTERS] = { 0 };
	unsigned int sites;

	opt.seed = now_ms() ^ (uint64_t)getpid() << 32;
	stress_parse(argc, argv);
	skip_without_family(false);
	stress_default();
	sites = lab_sites(opt.lab);
	if (allow_descriptors(nreceivers + 2 * opt.senders + 64))
		die("descriptors: %s", strerror(errno));
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	fprintf(stderr, "stress: seed %" PRIu64 ", %u senders, %u receivers\n", opt.seed,
		opt.senders, nreceivers);
	stress_open();
	run();
	if (!opt.endless)
		check_quiet();
	if (!opt.endless && !opt.lossy)
		check_missing();
	if (seen.turned_away + seen.sent < opt.overload * seen.sent)
		complain("%" PRIu64 " messages were turned away and %" PRIu64 " taken: no overload of %u",
			 seen.turned_away, seen.sent, opt.overload);
	sum = check_stats();
	count(value, sites);
	report(&sum, value);
	return seen.wrong ? 1 : 0;
}
