/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The oracle in parts: its senders, its receivers, its connections, and its verdict.
 */
#ifndef SELFTESTS_SOCK_ORACLE_H
#define SELFTESTS_SOCK_ORACLE_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/flitcast.h>
#include "msg.h"

/* The first port of senders and of connecting ends: each has a port of its own, for ever. */
#define SENDER_BASE	10000
#define LISTEN_PORT	4999
#define RECEIVER_BASE	5000
/* As the kernel allows. */
#define BYTES_MAX	FLITCAST_MESSAGE_MAX

/* Receivers of a site; the port is RECEIVER_BASE and this. */
enum kind {
	KIND_FAST,		/* reads at once */
	KIND_SLOW,		/* reads now and then; has little room with -r */
	KIND_LARGE,		/* messages that others would wait for */
	KIND_FIRST,		/* broadcasts: accepts the first copy */
	KIND_QUORUM,		/* broadcasts: accepts two equal copies of three */
	KINDS,
};

struct options {
	const char *lab;
	uint64_t seed;
	uint64_t deliveries;
	unsigned int seconds;
	uint32_t timeout_ms;
	int room;		/* FLITCAST_RCVBUF of slow receivers; 0: as it is */
	bool casts;
};

extern struct options opt;
extern unsigned int nsites;
extern struct prng prng;
extern char *inbox, *outbox;

/* One target of a message: the result reported to the sender, and the data received. */
struct target {
	uint32_t receiver;
	uint32_t off;
	uint32_t len;
	uint32_t life;		/* of the receiver, that is to get it */
	bool open;		/* when it was sent */
	uint16_t err;
	bool unknown;		/* reported: outcome unknown */
	bool told;
	uint8_t came;		/* in how many lives of the receiver */
};

struct message {
	uint32_t len;
	uint32_t ntargets;
	uint64_t sent_ms;
	bool final;		/* sent after the last fault: all of it must arrive */
	bool over;		/* reported, or its sender is gone */
	struct target *target;
};

struct sender {
	int fd;			/* -1: gone, its site was */
	uint32_t site;
	uint32_t port;
	bool cast;
	bool high;
	bool detaches;		/* detaches slow targets, until it sets its policy again */
	struct message *msg;	/* by id */
	uint32_t count;
	uint32_t room;
	uint32_t reported;
	uint32_t over;		/* number of completed messages, from the first on */
	bool retired;		/* its site went: another one has its place */
	uint64_t again_ms;
};

struct receiver {
	int fd;			/* -1: to be opened again */
	uint32_t site;
	enum kind kind;
	uint32_t life;
	uint64_t read_ms;	/* not before */
	uint64_t open_ms;	/* not again before */
	uint32_t *next;		/* by sender: lowest id that may still come */
	uint32_t known;		/* senders in @next */
};

extern struct sender *senders;
extern uint32_t nsenders;
extern struct receiver *receivers;
extern uint32_t nreceivers;

/* Totals of the run. */
struct seen {
	uint64_t due;		/* targets of all messages */
	uint64_t came;
	uint64_t bytes;
	uint64_t casts;
	uint64_t delivered;	/* targets reported as delivered */
	uint64_t refused;
	uint64_t failed;	/* targets reported as ETIMEDOUT, EHOSTUNREACH, ETIME or ENETDOWN */
	uint64_t unknown;	/* failed targets whose outcome was reported as unknown */
	uint64_t unknown_came;	/* unknown targets that had the message */
	uint64_t refused_came;	/* refused targets that may and did have the message */
	uint64_t canceled;
	uint64_t again;		/* received by a second life of a receiver, too */
	uint64_t excused;	/* reports on a life of the target that has ended */
	uint64_t longest_ms;	/* from sendmsg() to the report */
	uint64_t deaths;	/* restarts of sites, as their receivers saw */
	uint64_t connected;
	uint64_t completed;	/* connections: all records arrived, both ways, to the end */
	uint64_t broken;
	uint64_t records;
	uint64_t wrong;
	uint64_t told[4];	/* failed targets, as FAILED_... */
};

enum { FAILED_TIMEDOUT, FAILED_UNREACHABLE, FAILED_SLOW, FAILED_DOWN };

extern struct seen seen;

/* Print an error, and count it. */
void wrong(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

void *oracle_alloc(size_t count, size_t size);
/* A socket at that site, or -1: errno is ENETDOWN while the site is gone. */
int oracle_socket(int type, uint32_t site, uint32_t port);
/* A port that no socket had before. */
uint32_t oracle_port(void);
/* Has the site of this socket gone? Reads and discards the pending data. */
bool oracle_gone(int fd);

/*
 * oracle_send.c
 */
void oracle_send_open(void);
/* Send what can be sent, and read reports.  Return: something was sent or read. */
bool oracle_send_step(bool more);
/* One message of each sender to everybody, when no fault is left. */
void oracle_send_final(void);
bool oracle_send_over(void);
/* Print each message that is not completed. */
void oracle_send_blame(void);
/* Check the reports of each sender against the messages received. */
void oracle_send_judge(void);
/* The message @id of sender @sender, or NULL. */
struct message *oracle_send_find(uint32_t site, uint32_t port, uint32_t id, uint32_t *sender);
uint64_t oracle_key(uint32_t sender, uint32_t id);

/*
 * oracle_recv.c
 */
void oracle_recv_open(void);
/* @hurry: slow receivers read without delay. */
bool oracle_recv_step(bool hurry);

/*
 * oracle_conn.c
 */
void oracle_conn_open(void);
bool oracle_conn_step(bool more);
bool oracle_conn_over(void);
void oracle_conn_blame(void);

#endif /* SELFTESTS_SOCK_ORACLE_H */
