/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Results, as readable text or as JSON, from the same calls.
 */
#ifndef FLITCAST_SIM_OUTPUT_H
#define FLITCAST_SIM_OUTPUT_H

#include "option.h"

/* From now on print lines "GROUP.KEY VALUE" instead, for a program to read. */
void output_record(void);

/* Begin and end one output at a time: the program has one standard output. */
void output_begin(bool json);
void output_end(void);

void output_group(const char *key);
void output_group_end(void);
void output_text(const char *key, const char *value);
void output_number(const char *key, u64 value);
/* Values in thousandths or millionths: avoids floating point, whose output may differ. */
void output_fixed(const char *key, u64 value, u64 unit);
void output_bool(const char *key, bool value);

/* Print the settings of one run that are numbers. */
void output_options(const struct option_command *command, const void *settings);

#endif /* FLITCAST_SIM_OUTPUT_H */
