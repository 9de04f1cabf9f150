/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The words of an entry of preferences among next hops (core/link/prefer.h), as the tool and the
 * simulator read them.  Each function returns NULL, or a text with the error, perhaps in @error.
 */
#ifndef FLITCAST_PREFER_TEXT_H
#define FLITCAST_PREFER_TEXT_H

#include "core/link/prefer.h"

/* Enough for the text of an error. */
#define PREFER_ERROR_SIZE	128

/* Targets: "all", or sites and ranges in increasing order, such as "1-5,9". */
const char *prefer_text_targets(struct fc_prefer *entry, const char *text);
/* Ports such as "1,3", in order of preference. */
const char *prefer_text_order(struct fc_prefer *entry, const char *text,
			      char error[PREFER_ERROR_SIZE]);
/* Excluded ports. */
const char *prefer_text_never(struct fc_prefer *entry, const char *text,
			      char error[PREFER_ERROR_SIZE]);
/* Ports with weights, such as "1:2,3:1". */
const char *prefer_text_weights(struct fc_prefer *entry, const char *text,
				char error[PREFER_ERROR_SIZE]);
/* Does the entry, apart from its targets, have what a site accepts? */
const char *prefer_text_check(const struct fc_prefer *entry);

#endif /* FLITCAST_PREFER_TEXT_H */
