// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Finds the kernel's clock in the object that it maps into every process (the vDSO), once.
#include "base/clock.h"

#include <elf.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/compiler.h"
#include "base/sys.h"

#if defined(__x86_64__)
static const char name[] = "__vdso_clock_gettime";
#else
static const char name[] = "__kernel_clock_gettime";
#endif

typedef int clock_fn(clockid_t clock, struct timespec *ts);

static int by_system_call(clockid_t clock, struct timespec *ts)
{
	return (int)pl_sys2(SYS_clock_gettime, clock, ts);
}

/* The symbol table has no length of its own; the linker puts the strings right behind it. */
static uintptr_t find_symbol(uintptr_t base, const Elf64_Sym *symbols, const char *strings)
{
	const Elf64_Sym *end = (const Elf64_Sym *)(uintptr_t)strings;

	for (const Elf64_Sym *s = symbols; symbols && s + 1 <= end; s++)
		if (s->st_shndx != SHN_UNDEF && strcmp(strings + s->st_name, name) == 0)
			return base + s->st_value;
	return 0;
}

static PL_COLD clock_fn *find_clock(void)
{
	uintptr_t base = getauxval(AT_SYSINFO_EHDR), found = 0;
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)base;
	const Elf64_Sym *symbols = NULL;
	const char *strings = NULL;

	for (unsigned int i = 0; base && i < h->e_phnum; i++) {
		const Elf64_Phdr *p = (const Elf64_Phdr *)(base + h->e_phoff) + i;
		const Elf64_Dyn *d = (const Elf64_Dyn *)(base + p->p_offset);

		/* It is linked for address 0. */
		for (; p->p_type == PT_DYNAMIC && d->d_tag != DT_NULL; d++) {
			if (d->d_tag == DT_SYMTAB)
				symbols = (const Elf64_Sym *)(base + d->d_un.d_ptr);
			if (d->d_tag == DT_STRTAB)
				strings = (const char *)(base + d->d_un.d_ptr);
		}
	}
	if (strings)
		found = find_symbol(base, symbols, strings);
	return found ? (clock_fn *)found : by_system_call;
}

uint64_t pl_now_ns(void)
{
	PL_START_DATA static clock_fn *_Atomic clock;
	clock_fn *fn = atomic_load_explicit(&clock, memory_order_relaxed);
	struct timespec ts = {0};

	if (pl_unlikely(!fn)) {
		fn = find_clock();
		atomic_store_explicit(&clock, fn, memory_order_relaxed);
	}
	fn(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * PL_NS_PER_S + (uint64_t)ts.tv_nsec;
}
