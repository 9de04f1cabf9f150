// SPDX-License-Identifier: GPL-2.0
/*
 * A QEMU plugin that records the instruction blocks which the guest's only processor executes
 * between two markers, for selftests/bench/profile.
 *
 * The marker is the instruction `xchg %bx, %bx`, which does nothing; the first one begins a record,
 * the second one ends it, the third one begins the next.  The plugin writes, in the host's byte
 * order:
 *
 *	PREFIX.blocks	a line for each block: number, address, instructions, bytes, and
 *			how it ends (call, ret, iret, other)
 *	PREFIX.run	32-bit numbers of the blocks in the order of their execution
 *
 * QEMU installs no header for plugins; these are the declarations of its API, version 1, as far as
 * they are used.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_info;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };

typedef void (*tb_trans_cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*udata_cb)(unsigned int vcpu, void *userdata);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, tb_trans_cb cb);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, udata_cb cb,
					  enum qemu_plugin_cb_flags flags, void *userdata);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, udata_cb cb,
					    enum qemu_plugin_cb_flags flags, void *userdata);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

static const uint8_t marker[] = { 0x66, 0x87, 0xdb };

static FILE *blocks, *run;
static uint32_t nblocks;
static bool recording;

static void executed(unsigned int vcpu, void *userdata)
{
	uint32_t number = (uint32_t)(uintptr_t)userdata;

	(void)vcpu;
	if (recording)
		fwrite(&number, sizeof(number), 1, run);
}

static void marked(unsigned int vcpu, void *userdata)
{
	(void)vcpu;
	(void)userdata;
	recording = !recording;
	/* The guest may be killed after its last marker. */
	fflush(run);
	fflush(blocks);
}

static const char *end_of(const uint8_t *code, size_t size)
{
	size_t i = 0;

	/* Skip prefixes: segments (padding of retpolines), operand size, REX. */
	while (i + 1 < size && (code[i] == 0x2e || code[i] == 0x3e || code[i] == 0xf3 ||
				(code[i] & 0xf0) == 0x40))
		i++;
	switch (code[i]) {
	case 0xe8:
		return "call";
	case 0xff:
		return (code[i + 1] & 0x38) == 0x10 ? "call" : "other";
	case 0xc2:
	case 0xc3:
		return "ret";
	case 0xcf:
		return "iret";
	}
	return "other";
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb), bytes = 0;
	const char *end = "other";
	uint32_t number = nblocks++;

	(void)id;
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		const uint8_t *code = qemu_plugin_insn_data(insn);
		size_t size = qemu_plugin_insn_size(insn);

		bytes += size;
		end = end_of(code, size);
		if (size == sizeof(marker) && !memcmp(code, marker, size))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, marked,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
	}
	fprintf(blocks, "%" PRIu32 " %" PRIx64 " %zu %zu %s\n", number, qemu_plugin_tb_vaddr(tb),
		n, bytes, end);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS,
					     (void *)(uintptr_t)number);
}

static FILE *create(const char *prefix, const char *suffix)
{
	char name[4096];
	FILE *f;

	snprintf(name, sizeof(name), "%s.%s", prefix, suffix);
	f = fopen(name, "wb");
	if (!f) {
		perror(name);
		exit(1);
	}
	return f;
}

/* The only argument is to=PREFIX. */
__attribute__((visibility("default")))
int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "to=", 3))
		return -1;
	blocks = create(argv[0] + 3, "blocks");
	run = create(argv[0] + 3, "run");
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
