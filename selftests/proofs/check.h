/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For proofs of code that uses checks (core/wire/wire_check.h), and need not know what they
 * compute: selftests/proofs/run has all calls of fc_check_word() go to this function, which may be
 * any function of its arguments.  What is so proved holds for the true one, too, whose
 * multiplications would take CBMC hours.
 */
#ifndef PROOFS_CHECK_H
#define PROOFS_CHECK_H

#include "core/base.h"

u64 __CPROVER_uninterpreted_step(u64 state, u64 word);

u64 proof_check_word(u64 state, u64 word)
{
	return __CPROVER_uninterpreted_step(state, word);
}

#endif /* PROOFS_CHECK_H */
