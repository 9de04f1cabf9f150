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

/* The first port of senders and of connecting ends: each port is used only once. */
#define SENDER_BASE	10000
#define LISTEN_PORT	4999
#define RECEIVER_BASE	5000
/* The maximum length that the kernel accepts. */
#define BYTES_MAX	FLITCAST_MESSAGE_MAX

/* Receivers of a site; each has port RECEIVER_BASE plus its kind. */
enum kind {
	KIND_FAST,		/* reads at once */
	KIND_SLOW,		/* reads now and then; has a small buffer with -r */
	KIND_LARGE,		/* messages that would delay others */
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
	int room;		/* FLITCAST_RCVBUF of slow receivers; 0: default */
	bool bcasts;
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
	uint32_t life;		/* the life of the receiver that is to get it */
	bool open;		/* the receiver was open when it was sent */
	uint16_t err;
	bool unknown;		/* reported: outcome unknown */
	bool reported;
	uint8_t came;		/* number of lives of the receiver that got it */
};

struct message {
	uint32_t len;
	uint32_t ntargets;
	uint64_t sent_ms;
	bool final;		/* sent after the last fault: all of it must arrive */
	bool completed;		/* reported, or its sender is closed */
	struct target *target;
};

struct sender {
	int fd;			/* -1: closed, its site was deleted */
	uint32_t site;
	uint32_t port;
	bool bcast;
	bool high;
	bool detaches;		/* detaches slow targets until it sets its policy again */
	struct message *msg;	/* by id */
	uint32_t count;
	uint32_t room;
	uint32_t reported;
	uint32_t completed;		/* number of completed messages, from the first on */
	bool retired;		/* its site was deleted, and another sender replaces it */
	uint64_t again_ms;
};

struct receiver {
	int fd;			/* -1: closed, to be opened again */
	uint32_t site;
	enum kind kind;
	uint32_t life;
	uint64_t read_ms;	/* earliest time of the next read */
	uint64_t open_ms;	/* earliest time to open it again */
	uint32_t *next;		/* by sender: lowest id that may still arrive */
	uint32_t known;		/* number of senders in @next */
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
	uint64_t bcasts;
	uint64_t delivered;	/* targets reported as delivered */
	uint64_t refused;
	uint64_t failed;	/* targets reported as such (oracle.c) */
	uint64_t unknown;	/* failed targets whose outcome was reported as unknown */
	uint64_t unknown_came;	/* unknown targets that had the message */
	uint64_t refused_came;	/* refused targets that had the message, and may have it */
	uint64_t canceled;
	uint64_t again;		/* also received by another life of the receiver */
	uint64_t excused;	/* reports on a life of the target that has ended */
	uint64_t longest_ms;	/* longest time from sendmsg() to the report */
	uint64_t deaths;	/* restarts of sites, as seen by their receivers */
	uint64_t connected;
	uint64_t completed;	/* connections whose records all arrived, in both directions */
	uint64_t broken;
	uint64_t records;
	uint64_t wrong;
	uint64_t reported[4];	/* number of failed targets, by FAILED_... */
};

enum { FAILED_TIMEDOUT, FAILED_UNREACHABLE, FAILED_SLOW, FAILED_DOWN };

extern struct seen seen;

/* Print an error, and count it. */
void wrong(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

void *oracle_alloc(size_t count, size_t size);
/* Open a socket at that site.  Return: -1 with errno ENETDOWN while the site does not exist. */
int oracle_socket(int type, uint32_t site, uint32_t port);
/* Return: a port that no socket had before. */
uint32_t oracle_port(void);
/* Has the site of this socket been deleted?  Reads and discards the pending data. */
bool oracle_gone(int fd);

/*
 * oracle_send.c
 */
void oracle_send_open(void);
/* Send pending messages, and read reports.  Return: true if something was sent or read. */
bool oracle_send_step(bool more);
/* After the last fault, each sender sends one message to all receivers. */
void oracle_send_final(void);
bool oracle_send_over(void);
/* Print each message that is not completed. */
void oracle_send_blame(void);
/* Check the reports of each sender against the messages received. */
void oracle_send_judge(void);
/* Return: message @id of the sender at @site and @port, or NULL. */
struct message *oracle_send_find(uint32_t site, uint32_t port, uint32_t id, uint32_t *sender);
uint64_t oracle_key(uint32_t sender, uint32_t id);

/*
 * oracle_recv.c
 */
void oracle_recv_open(void);
/* Have all receivers their sockets? */
bool oracle_recv_all_open(void);
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
