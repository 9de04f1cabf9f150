/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parts of the stress test: its options, its load, and its verdict.
 */
#ifndef SELFTESTS_SOCK_STRESS_H
#define SELFTESTS_SOCK_STRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/flitcast.h>

#define SITES_MAX	4096
/* Complaints of each kind printed at most. */
#define COMPLAINTS_MAX	20
/* Under --overload, the interval at which a full socket is offered a message again. */
#define OFFER_MS	1
#define NO_SITE		UINT32_MAX
/*
 * Messages of a sender to the site of --lose without a report so far: those sent before it reads
 * the first report, bounded by its send buffer.
 */
#define HOPELESS_MAX	1024

struct range {
	uint32_t low;
	uint32_t high;
};

/* Target patterns; further targets are random. */
enum pattern {
	PATTERN_UNIFORM,	/* any */
	PATTERN_TRANSPOSE,	/* the site at the transposed position in the square of sites */
	PATTERN_HOT,		/* one message in four goes to the same receiver */
};

struct options {
	const char *lab;
	unsigned int senders;
	uint64_t messages;
	struct range targets;
	struct range bytes;
	uint64_t seed;
	unsigned int ports;
	unsigned int parts;		/* percent of the targets with a part of their own */
	unsigned int slow_readers;
	unsigned int slow_ms;
	unsigned int deadline_s;
	unsigned int timeout_ms;	/* FLITCAST_TIMEOUT; 0: default */
	unsigned int sndbuf;		/* SO_SNDBUF of the senders; 0: default */
	bool in_order;			/* targets in the order of --to, or in reverse order */
	bool endless;
	unsigned int pattern;		/* enum pattern */
	unsigned int seconds;		/* send for this time instead of @messages; 0: no */
	bool unbroken;			/* no site aborts, stores or drops a packet */
	unsigned int overload;		/* offer at least this multiple of the delivery rate */
	bool lossy;
	unsigned int lose;		/* the namespace of this site is deleted; NO_SITE: none */
	bool json;
	unsigned int nfrom, nto;
	uint32_t from[SITES_MAX], to[SITES_MAX];
};

extern struct options opt;

/* Part of a message that a receiver still expects. */
struct due {
	uint32_t number;	/* of the sender's messages */
	uint32_t offset;
	uint32_t len;
};

/* Messages from one sender to one receiver, in order; completed before @head. */
struct pair {
	struct due *due;
	size_t head;
	size_t count;
	size_t room;
};

struct sender {
	int fd;
	uint32_t site;
	uint16_t port;
	bool retired;		/* its site was deleted, and another sender replaces it */
	bool reported;		/* knows that the site of --lose is deleted, and omits it */
	bool waits;		/* waits for POLLOUT */
	uint64_t offer_at;	/* under --overload: earliest time of the next offer */
	bool ready;		/* the message below is prepared, but not yet accepted */
	uint32_t number;	/* number of the next message */
	uint64_t left;		/* messages still to send */
	char *data;
	size_t len;
	unsigned int ntargets;
	struct flitcast_target *targets;
	unsigned int *to;	/* receivers, in the order of @targets */
	struct pair *pairs;	/* indexed by receiver */
	/* Messages to the site of --lose after its deletion: each must be reported. */
	uint32_t hopeless[HOPELESS_MAX];
	unsigned int nhopeless;
};

struct receiver {
	int fd;
	uint32_t site;
	uint16_t port;
	bool slow;
	bool gone;		/* deleted with the site of --lose */
	uint64_t read_at;
	uint64_t delivered;
};

extern struct sender *senders;
extern unsigned int nsenders;
extern struct receiver *receivers;
extern unsigned int nreceivers;

/* Totals of the run. */
struct seen {
	uint64_t sent;
	uint64_t due;
	uint64_t delivered;
	uint64_t in_time;	/* delivered before the end of the run */
	uint64_t bytes;
	uint64_t lost;
	uint64_t refused;
	uint64_t turned_away;	/* offered to a socket with a full buffer */
	uint64_t wrong;
	uint64_t reopened;
	uint64_t reports;	/* reports about the site of --lose */
	uint64_t hopeless;	/* messages to the site of --lose after its deletion */
	uint64_t maybe;		/* earlier messages that it may not have confirmed */
	double began;
	double ended;
};

extern struct seen seen;

/* Print an error, and count it. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Parse the command line into opt; exits if it is invalid. */
void stress_parse(int argc, char **argv);

/* Set the options that were not given from the lab. */
void stress_default(void);

/* Open all sockets. */
void stress_open(void);

/* Delete the namespace of the site of --lose, and close the receivers there. */
void stress_lose(void);

/* Return: the number of the pattern of that name, or -1. */
int stress_pattern(const char *name);

/* Exit if the lab lacks sites that the pattern needs. */
void stress_check_pattern(void);

/* Choose @n different receivers of a message. */
struct prng;
void stress_choose(struct prng *prng, const struct sender *s, unsigned int *to, unsigned int n);

/* Stop all senders. */
void stress_stop(void);

/* Each ready sender offers a message.  Return: true if some can offer more at once. */
bool stress_send(void);

/* Read the sender's reports; they must name no site but that of --lose. */
void stress_read_reports(struct sender *s);

/* Handle all pending events, waiting up to @wait_ms for the first. */
void stress_turn(int wait_ms);

#endif /* SELFTESTS_SOCK_STRESS_H */
