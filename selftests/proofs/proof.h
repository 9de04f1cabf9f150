/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common to the proofs.  selftests/proofs/run passes each PROOF() to CBMC as the first function of
 * a program, whose variables without a value, and the results of any_*(), have every value.
 */
#ifndef PROOFS_PROOF_H
#define PROOFS_PROOF_H

#include "core/base.h"
#include <stdlib.h>

/* A proof.  @unwind: one more than the iterations of its longest loop, which CBMC checks, too. */
#define PROOF(name, unwind)	void name(void)

/* Goes on only with the values for which @cond is true. */
#define ASSUME(cond)	__CPROVER_assume(cond)
/* Fails the proof if @cond is false for any values. */
#define PROVE(cond)	__CPROVER_assert(cond, #cond)
/*
 * Fails the proof if @cond is false for all values: of assumptions that contradict each other any
 * statement follows.
 */
#define POSSIBLE(cond)	__CPROVER_assert(!(cond), "POSSIBLE " #cond)

/* A condition that only a bug in the code can cause. */
#undef FC_BUG_ON_US
#define FC_BUG_ON_US(cond)	({ bool c_ = (cond); __CPROVER_assert(!c_, "no bug: " #cond); c_; })

bool nondet_bool(void);
u8 nondet_u8(void);
u16 nondet_u16(void);
u32 nondet_u32(void);
u64 nondet_u64(void);

#define any_bool	nondet_bool
#define any_u8		nondet_u8
#define any_u16		nondet_u16
#define any_u32		nondet_u32
#define any_u64		nondet_u64

/* A number from @low to @high. */
static inline u32 any_of(u32 low, u32 high)
{
	u32 n = any_u32();

	ASSUME(n >= low && n <= high);
	return n;
}

/* Memory of @size bytes with any content: CBMC reports each access beyond it. */
static inline u8 *any_bytes(u32 size)
{
	u8 *p = malloc(size);

	ASSUME(p);
	return p;
}

/* Are @n bytes equal?  Any index stands for all of them. */
static inline bool same_bytes(const u8 *a, const u8 *b, u32 n)
{
	u32 i = any_u32();

	return i >= n || a[i] == b[i];
}

#endif /* PROOFS_PROOF_H */
