// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <linux/flitcast_netlink.h>
#include "cli.h"
#include "key.h"

/* Digits of a key. */
#define DIGITS	(2 * FLITCAST_KEY_SIZE)

static int digit(char c)
{
	const char *digits = "0123456789abcdef";
	const char *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;

	return at ? at - digits : -1;
}

static bool parse(const char *text, uint8_t key[FLITCAST_KEY_SIZE])
{
	unsigned int i;

	for (i = 0; i < DIGITS; i++) {
		int value = digit(text[i]);

		if (value < 0)
			return false;
		key[i / 2] = i % 2 ? key[i / 2] | value : value << 4;
	}
	return !text[DIGITS] || !strcmp(text + DIGITS, "\n");
}

static bool key_read(const char *path, uint8_t key[FLITCAST_KEY_SIZE], const char *about)
{
	/* One byte more than a key, to detect a longer file. */
	char text[DIGITS + 3] = "";
	FILE *file = fopen(path, "re");
	bool right;
	size_t n;

	if (!file) {
		complain("%s: key %s: %s", about, path, strerror(errno));
		return false;
	}
	/* Disable the buffer of the file, which would retain the key. */
	setvbuf(file, NULL, _IONBF, 0);
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	right = n >= DIGITS && parse(text, key);
	explicit_bzero(text, sizeof(text));
	if (!right)
		complain("%s: key %s: a key is %d hexadecimal digits: openssl rand -hex %d", about,
			 path, DIGITS, FLITCAST_KEY_SIZE);
	return right;
}

bool key_check(const char *path, const char *about)
{
	uint8_t key[FLITCAST_KEY_SIZE];
	bool right = key_read(path, key, about);

	explicit_bzero(key, sizeof(key));
	return right;
}

bool key_put(struct request *req, const char *path, const char *about)
{
	uint8_t key[FLITCAST_KEY_SIZE];

	if (!key_read(path, key, about))
		return false;
	put_bytes(req, FLITCAST_A_SITE_KEY, key, sizeof(key));
	explicit_bzero(key, sizeof(key));
	return true;
}
