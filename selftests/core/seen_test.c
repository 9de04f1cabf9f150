// SPDX-License-Identifier: GPL-2.0
/*
 * The record of frames that came: beside a model that knows all of them, and beside the window of
 * numbers of IPsec, which hides true frames behind forged numbers.
 */
#include "core/faults/seen.h"
#include "tap.h"

#define NSETS		64
/* Numbers of one source that the record remembers. */
#define REMEMBERED	(NSETS * FC_SEEN_SET)
#define NUMBERS		(8 * REMEMBERED)

static struct fc_seen_set sets[NSETS];
static bool came[NUMBERS];

static struct fc_seen empty(u32 nsets)
{
	memset(sets, 0, sizeof(sets));
	memset(came, 0, sizeof(came));
	return (struct fc_seen){ .set = sets, .nsets = nsets };
}

/* A digest: equal arguments have equal ones, others have others. */
static u64 digest(u32 src, u32 n, u32 content)
{
	u64 z = ((u64)n << 32 | src << 16 | content) * 0x9e3779b97f4a7c15ULL;

	z ^= z >> 32;
	return z * 0xbf58476d1ce4e5b9ULL;
}

/* A frame comes: compare the result with the model. */
static void take(struct fc_seen *s, u32 base, u32 n)
{
	bool first = fc_seen_first(s, 1, base + n, digest(1, base + n, 0));

	CHECK(first == !came[n], "base %u: number %u: %s", base, n, first ? "new" : "a double");
	came[n] = true;
}

/* Numbers in any order, each within what the record remembers. */
TEST(seen__any_order)
{
	static const u32 bases[] = { 0, 1, 0x7fffffff, 0xffffffff - NUMBERS / 2, 0xffffffff };
	static const u32 spreads[] = { 1, 2, NSETS - 1, NSETS, NSETS + 1, REMEMBERED / 2 };

	for (unsigned int b = 0; b < FC_ARRAY_SIZE(bases); b++) {
		for (unsigned int i = 0; i < FC_ARRAY_SIZE(spreads); i++) {
			struct fc_seen s = empty(NSETS);
			u32 at = 0;

			while (at + spreads[i] < NUMBERS) {
				take(&s, bases[b], at + tap_random(spreads[i]));
				at += tap_random(3) ? 0 : 1 + tap_random(spreads[i] / 2 + 1);
			}
		}
	}
}

/* The last REMEMBERED numbers of a source are remembered, and the one before is not. */
TEST(seen__as_many)
{
	struct fc_seen s = empty(NSETS);
	u32 n, base = 0xffffff00;

	for (n = 0; n <= REMEMBERED; n++)
		take(&s, base, n);
	for (n = REMEMBERED; n; n--)
		take(&s, base, n);
	CHECK(fc_seen_first(&s, 1, base, digest(1, base, 0)), "the oldest is a double");
}

/* All orders of six frames, with doubles: two sources, far numbers of one set, two contents. */
TEST(seen__every_order)
{
	static const struct {
		u32 src, n, content;
	} frame[] = {
		{ 0, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 }, { 0, 0x80000000, 0 }, { 1, 0, 0 },
		{ 0, 0xffffffff, 1 },
	};
	const unsigned int n = FC_ARRAY_SIZE(frame);

	for (unsigned int order = 0; order < 6 * 6 * 6 * 6 * 6 * 6; order++) {
		struct fc_seen s = empty(1 + order % 2);
		unsigned int rest = order, had = 0;

		for (unsigned int i = 0; i < n; i++, rest /= n) {
			unsigned int k = rest % n;
			bool first = fc_seen_first(&s, frame[k].src, frame[k].n,
						   digest(frame[k].src, frame[k].n,
							  frame[k].content));

			CHECK(first == !(had & fc_bit(k)), "order %u: frame %u of %u: %s", order,
			      k, i, first ? "new" : "a double");
			had |= fc_bit(k);
		}
	}
}

/* A digest may be 0, and is not that of a free place. */
TEST(seen__digest_zero)
{
	struct fc_seen s = empty(NSETS);

	CHECK(fc_seen_first(&s, 0, 0, 0), "a double");
	CHECK(!fc_seen_first(&s, 0, 0, 0), "new");
}

/*
 * Paths: a source sends frames over several disjoint paths.  The first loses a part of them, the
 * second reorders, others are late, and a forger sends in the name of the source.
 */

#define FRAMES		TAP_ROUNDS(4000)
#define PATHS_MAX	4
/* Places in the order of arrival, several for each frame: a frame has place STEP * its number. */
#define STEP		8
#define LATE		(24 * STEP)
#define PLACES		(STEP * FRAMES + LATE)

enum forger { NONE, NEXT, AHEAD, ANY, FORGERS };

static const char *const forgers[] = { "none", "next numbers", "far ahead", "any number" };

/* By place and path: number of the frame that arrives, plus one. */
static u32 arrives[PLACES][PATHS_MAX];
static u8 accepted[FRAMES];

static void send_all(unsigned int paths, u32 lose)
{
	memset(arrives, 0, sizeof(arrives));
	memset(accepted, 0, sizeof(accepted));
	memset(came, 0, sizeof(came));
	for (u32 n = 0; n < FRAMES; n++) {
		for (unsigned int p = 0; p < paths; p++) {
			u32 at = STEP * n + p * 5 * STEP;

			if (!p && tap_random(100) < lose)
				continue;
			if (p == 1)
				at = STEP * n + tap_random(LATE);
			/* No path carries two frames at once: the next free place. */
			while (at < PLACES && arrives[at][p])
				at++;
			if (at == PLACES)
				continue;
			arrives[at][p] = n + 1;
			came[n] = true;
		}
	}
}

/* The window of numbers: the last 64, a new one ahead moves it, an older one restarts it. */
struct window {
	u32 end;
	bool begun;
	u64 bits;
};

static bool window_first(struct window *w, u32 n)
{
	u32 back = w->end - 1 - n;

	if (!w->begun || (fc_before(n, w->end) && back >= 64)) {
		*w = (struct window){ .end = n + 1, .begun = true, .bits = 1 };
		return true;
	}
	if (!fc_before(n, w->end)) {
		u32 ahead = n + 1 - w->end;

		w->bits = ahead < 64 ? w->bits << ahead | 1 : 1;
		w->end = n + 1;
		return true;
	}
	if (w->bits & fc_bit64(back))
		return false;
	w->bits |= fc_bit64(back);
	return true;
}

static u32 forged_number(enum forger forger, u32 n)
{
	switch (forger) {
	case NEXT:
		return n + tap_random(32);
	case AHEAD:
		return n + 0x1000 + tap_random(0x7fff0000);
	default:
		return tap_random(0xffffffff);
	}
}

/* Return: how many true frames were rejected; *@doubles: how many came twice. */
static u32 receive_all(struct fc_seen *s, struct window *w, u32 base, enum forger forger,
		       unsigned int forged, u32 *doubles)
{
	u32 rejected = 0;

	*doubles = 0;
	for (u32 at = 0; at < PLACES; at++) {
		for (unsigned int i = 0; forger != NONE && at % STEP == 0 && i < forged; i++) {
			u32 n = base + forged_number(forger, at / STEP);

			/* Each differs, and from all true ones. */
			if (w)
				window_first(w, n);
			else
				fc_seen_first(s, 1, n, digest(1, n, 1 + tap_random(0xffff)));
		}
		for (unsigned int p = 0; p < PATHS_MAX; p++) {
			u32 n = arrives[at][p] - 1;

			if (arrives[at][p])
				accepted[n] += w ? window_first(w, base + n) :
					fc_seen_first(s, 1, base + n, digest(1, base + n, 0));
		}
	}
	for (u32 n = 0; n < FRAMES; n++) {
		rejected += came[n] && !accepted[n];
		*doubles += accepted[n] > 1;
	}
	return rejected;
}

static void paths(enum forger forger, unsigned int forged, bool once)
{
	static const u32 bases[] = { 0, 0xffffffff - FRAMES / 2 };

	for (unsigned int k = 2; k <= PATHS_MAX; k++) {
		for (u32 lose = 0; lose <= 100; lose += 25) {
			struct fc_seen s = empty(NSETS);
			u32 base = bases[lose / 25 % 2], rejected, doubles;

			send_all(k, lose);
			rejected = receive_all(&s, NULL, base, forger, forged, &doubles);
			CHECK(!rejected, "%u paths, %u %% lost, forger: %s: %u rejected", k, lose,
			      forgers[forger], rejected);
			CHECK(!once || !doubles, "%u paths, %u %% lost, forger: %s: %u doubles", k,
			      lose, forgers[forger], doubles);
		}
	}
}

/* Each frame of which a copy comes is accepted once, whatever the paths lose and reorder. */
TEST(seen__paths)
{
	paths(NONE, 0, true);
}

/* As many forged frames as true ones, with any numbers, change nothing. */
TEST(seen__paths_forged)
{
	for (enum forger forger = NEXT; forger < FORGERS; forger++)
		paths(forger, 1, true);
}

/* More than the record remembers: true frames may come twice, but none is rejected. */
TEST(seen__paths_flooded)
{
	u32 doubles, some = 0;

	for (enum forger forger = NEXT; forger < FORGERS; forger++)
		paths(forger, 40, false);
	for (enum forger forger = NEXT; forger < FORGERS; forger++) {
		struct fc_seen s = empty(NSETS);

		send_all(2, 0);
		receive_all(&s, NULL, 0, forger, 40, &doubles);
		some += doubles;
	}
	CHECK(some, "the flood does not fill the record");
}

/* The tests above find it: the window of numbers rejects true frames, if there is a forger. */
TEST(seen__paths_window)
{
	for (enum forger forger = NONE; forger <= NEXT; forger++) {
		struct window w = { 0 };
		u32 rejected, doubles;

		send_all(2, 25);
		rejected = receive_all(NULL, &w, 0, forger, 1, &doubles);
		CHECK(!rejected == (forger == NONE), "forger: %s: %u rejected", forgers[forger],
		      rejected);
	}
}
