// SPDX-License-Identifier: GPL-2.0
/*
 * The file LAB_STATE_DIR/NAME describes the lab; it is created before the first namespace and
 * deleted after the last, so that "down" always finds all of them.  Changes of sites are appended
 * line by line: the last line of a site is valid.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "lab.h"
#include "lab_impl.h"
#include "network.h"
#include "sites.h"

static const char *const fates[LAB_FATES] = {
	[LAB_LIVES]	= "alive",
	[LAB_DEAD]	= "dead",
	[LAB_LENT]	= "lent",
};

char *lab_path(const struct lab *lab)
{
	return xprintf(LAB_STATE_DIR "/%s", lab->name);
}

char *lab_netns(const struct lab *lab, uint32_t site)
{
	return xprintf("%s-%u", lab->name, site);
}

void lab_set_name(struct lab *lab, const char *name)
{
	const char *p;

	if (!name)
		name = LAB_DEFAULT;
	for (p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '-' && *p != '_')
			break;
	if (*p || p == name || p - name > LAB_NAME_MAX || *name == '-')
		bad_usage("name of a lab: up to %d letters, digits, - and _, not \"%s\"",
			  LAB_NAME_MAX, name);
	strcpy(lab->name, name);
}

/**
 * struct links - links of a graph, which precede its name
 * @link: links
 * @n: number of links
 */
struct links {
	struct fc_graph_link link[FC_GRAPH_LINKS_MAX];
	size_t n;
};

/* Parse one line.  Return: NULL, or an error message. */
static const char *read_line(struct lab *lab, struct links *links, const char *line)
{
	char key[16], value[FC_SPEC_MAX];
	struct fc_graph_link link;
	unsigned int number;
	int i;

	if (sscanf(line, "link %u %u", &link.site[0], &link.site[1]) == 2) {
		if (links->n < FC_GRAPH_LINKS_MAX)
			links->link[links->n++] = link;
		return NULL;
	}
	if (!strncmp(line, "key ", 4)) {
		lab->key = xprintf("%.*s", (int)strcspn(line + 4, "\n"), line + 4);
		return NULL;
	}
	if (!strncmp(line, "rdma ", 5)) {
		snprintf(lab->rdma, sizeof(lab->rdma), "%.*s", (int)strcspn(line + 5, "\n"),
			 line + 5);
		return NULL;
	}
	if (sscanf(line, "%15s %63s", key, value) != 2)
		return "the file was not written by lab up";
	if (!strcmp(key, "topology")) {
		const char *wrong = network_is_graph(value) ?
				    graph_links(&lab->topo, links->link, links->n) :
				    fc_topo_parse(&lab->topo, value);

		if (wrong)
			return wrong;
		if (lab->topo.nsites > LAB_SITES_MAX)
			return "too many sites";
		strcpy(lab->spec, value);
		lab->fate = xalloc(lab->topo.nsites, 1);
		return NULL;
	}
	if (!strcmp(key, "mode")) {
		snprintf(lab->mode, sizeof(lab->mode), "%.15s", value);
		return NULL;
	}
	if (!strcmp(key, "integrity")) {
		snprintf(lab->integrity, sizeof(lab->integrity), "%.3s", value);
		return NULL;
	}
	number = strtoul(value, NULL, 10);
	if (!strcmp(key, "mtu"))
		lab->mtu = number;
	else if (!strcmp(key, "flit"))
		lab->flit = number;
	else if (!strcmp(key, "window"))
		lab->window = number;
	else if (!strcmp(key, "crc"))
		lab->crc = number;
	else if (!strcmp(key, "ip"))
		lab->ip = number;
	else if (!strcmp(key, "copies"))
		lab->copies = number;
	for (i = 0; i < LAB_FATES; i++)
		if (!strcmp(key, fates[i]) && lab->fate && number < lab->topo.nsites)
			lab->fate[number] = i;
	return NULL;
}

bool lab_load(struct lab *lab)
{
	char *path = lab_path(lab), line[128];
	static struct links links;
	const char *wrong = NULL;
	FILE *file;

	file = fopen(path, "re");
	if (!file && errno == ENOENT) {
		free(path);
		return false;
	}
	if (!file)
		fail("lab %s: %s: %s", lab->name, path, strerror(errno));
	lab->mode[0] = '\0';
	lab->mtu = 0;
	lab->rdma[0] = '\0';
	lab->flit = 0;
	lab->copies = 1;
	lab->ip = false;
	lab->fate = NULL;
	links.n = 0;
	while (!wrong && fgets(line, sizeof(line), file))
		wrong = read_line(lab, &links, line);
	fclose(file);
	if (!wrong && (!lab->fate || !(lab->mtu || *lab->rdma) || !lab->flit))
		wrong = "the file was not written by lab up";
	if (wrong)
		fail("lab %s: %s: %s", lab->name, path, wrong);
	free(path);
	return true;
}

void lab_need(struct lab *lab)
{
	if (!lab_load(lab))
		fail("lab %s is not up: flitcast lab up makes a lab", lab->name);
}

uint32_t *lab_sites(struct lab *lab, const struct option_given *given, size_t *n)
{
	const struct option_value *value;
	uint32_t *sites;
	char *network;
	u32 i;

	lab_set_name(lab, option_text(given, "name"));
	lab_need(lab);
	sites = xalloc(lab->topo.nsites, sizeof(*sites));
	network = xprintf("lab %s", lab->name);
	*n = 0;
	for (i = 0; (value = option_nth(given, "SITE", i)); i++)
		sites_parse(value->text, lab->topo.nsites, network, sites, n);
	free(network);
	return sites;
}

void lab_save(const struct lab *lab)
{
	const struct fc_graph *graph = lab->topo.graph;
	char *path = lab_path(lab);
	char *draft = xprintf(LAB_STATE_DIR "/.%s.%d", lab->name, getpid());
	uint32_t i;
	FILE *file;
	int err = 0;

	if ((mkdir("/run/flitcast", 0755) && errno != EEXIST) ||
	    (mkdir(LAB_STATE_DIR, 0755) && errno != EEXIST))
		fail("lab up: cannot make " LAB_STATE_DIR ": %s", strerror(errno));
	file = fopen(draft, "we");
	if (!file)
		fail("lab up: %s: %s", draft, strerror(errno));
	for (i = 0; graph && i < graph->nlinks; i++)
		fprintf(file, "link %u %u\n", graph->link[i].site[0], graph->link[i].site[1]);
	fprintf(file, "topology %s\nmtu %u\nflit %u\nwindow %u\ncrc %u\nintegrity %s\n", lab->spec,
		lab->mtu, lab->flit, lab->window, lab->crc, lab->integrity);
	if (*lab->rdma)
		fprintf(file, "rdma %s\n", lab->rdma);
	if (lab->ip)
		fprintf(file, "ip 1\n");
	if (lab->copies > 1)
		fprintf(file, "copies %u\n", lab->copies);
	if (*lab->mode)
		fprintf(file, "mode %s\n", lab->mode);
	if (lab->key)
		fprintf(file, "key %s\n", lab->key);
	if (fclose(file) || link(draft, path))
		err = errno;
	unlink(draft);
	if (err == EEXIST)
		fail("lab %s is up already: take it down first, or give another name", lab->name);
	if (err)
		fail("lab up: %s: %s", path, strerror(err));
	free(draft);
	free(path);
}

void lab_note(struct lab *lab, uint32_t site, enum lab_fate fate)
{
	char *path = lab_path(lab), line[32];
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	int n = snprintf(line, sizeof(line), "%s %u\n", fates[fate], site);

	/* Append by a single write(): another process may append, too. */
	if (fd < 0 || write(fd, line, n) != n)
		fail("lab %s: %s: %s", lab->name, path, strerror(errno));
	close(fd);
	lab->fate[site] = fate;
	free(path);
}

int lab_forget(const struct lab *lab)
{
	char *path = lab_path(lab);
	int err = unlink(path) && errno != ENOENT ? -errno : 0;

	free(path);
	return err;
}

char *lab_same_rdma(const struct lab *lab)
{
	char *wanted = xprintf("rdma %s\n", lab->rdma);
	const struct dirent *entry;
	DIR *dir = opendir(LAB_STATE_DIR);
	char *other = NULL, *line = NULL;
	size_t size = 0;

	if (!dir)
		fail("lab: " LAB_STATE_DIR ": %s", strerror(errno));
	while (!other && (entry = readdir(dir))) {
		char *path = xprintf(LAB_STATE_DIR "/%s", entry->d_name);
		/* Drafts begin with a dot. */
		bool skip = *entry->d_name == '.' || !strcmp(entry->d_name, lab->name);
		FILE *file = skip ? NULL : fopen(path, "re");

		while (file && !other && getline(&line, &size, file) > 0)
			if (!strcmp(line, wanted))
				other = xprintf("%s", entry->d_name);
		if (file)
			fclose(file);
		free(path);
	}
	closedir(dir);
	free(line);
	free(wanted);
	return other;
}
