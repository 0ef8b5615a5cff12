// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See metric.h.
#include "tools/bench/metric.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

bool pl_metric_key(const char *text, const char *key, double *out)
{
	size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) == 0 && line[len] == ' ') {
			*out = strtod(line + len + 1, NULL);
			return true;
		}
	}
	return false;
}

bool pl_metric_regex(const char *text, const char *regex, double *out)
{
	regmatch_t m[2];
	bool found = false;
	regex_t re;

	if (regcomp(&re, regex, REG_EXTENDED | REG_NEWLINE))
		return false;
	/* Programs print their progress first and their result last. */
	for (int flags = 0; regexec(&re, text, 2, m, flags) == 0; flags = REG_NOTBOL) {
		char *end;
		double v;

		if (m[1].rm_so >= 0) {
			v = strtod(text + m[1].rm_so, &end);
			if (end != text + m[1].rm_so) {
				*out = v;
				found = true;
			}
		}
		if (m[0].rm_eo == 0)
			break;
		text += m[0].rm_eo;
	}
	regfree(&re);
	return found;
}

const char *pl_metric_check(const char *regex)
{
	static char why[128];
	regex_t re;
	int err = regcomp(&re, regex, REG_EXTENDED | REG_NEWLINE);
	size_t groups = err ? 0 : re.re_nsub;

	if (err) {
		regerror(err, &re, why, sizeof(why));
		return why;
	}
	regfree(&re);
	return groups ? NULL : "it has no group ( ) around the figure";
}

const char *pl_metric_last_line(char *text)
{
	size_t len = strlen(text);
	char *nl;

	while (len && strchr(" \t\r\n", text[len - 1]))
		text[--len] = '\0';
	nl = strrchr(text, '\n');
	return nl ? nl + 1 : text;
}
