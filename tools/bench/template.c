// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// See template.h.
#include "tools/bench/template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The variable that TEXT, just behind a brace, names with the closing brace; NULL: none. */
static const struct pl_var *match(const char *text, const struct pl_var *vars)
{
	for (; vars->name; vars++) {
		size_t len = strlen(vars->name);

		if (strncmp(text, vars->name, len) == 0 && text[len] == '}')
			return vars;
	}
	return NULL;
}

char *pl_template(const char *text, const struct pl_var *vars)
{
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	if (!f)
		return NULL;
	while (*text) {
		const struct pl_var *v = *text == '{' ? match(text + 1, vars) : NULL;

		if (v) {
			fputs(v->value, f);
			text += strlen(v->name) + 2;
		} else {
			fputc(*text++, f);
		}
	}
	if (fclose(f)) {
		free(out);
		return NULL;
	}
	return out;
}
