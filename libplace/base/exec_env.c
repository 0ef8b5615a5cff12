// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The libplace developers
// Looks at the file that is to be executed, and takes the preload object out of an environment.
// Runs in vfork children and signal handlers: raw system calls, no allocation.
#include "base/exec_env.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/compiler.h"
#include "base/sys.h"

enum {
	HEAD = 1024, /* holds the headers and, in all programs seen, the name of the loader */
	ROOM = 1024,
	MAX_SCRIPTS = 4, /* an interpreter may be a script again; the kernel's limit */
};

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#else
#define OUR_MACHINE EM_AARCH64
#endif

static const char variable[] = "LD_PRELOAD=", object[] = "libplace-preload.so";
static const char our_loader[] = "ld-linux"; /* how the C library's begins, on every machine */
static const char alien_loader[] = "ld-musl";

static const char *base_name(const char *path, size_t len)
{
	size_t at = len;

	while (at > 0 && path[at - 1] != '/')
		at--;
	return path + at;
}

/* Length of the first element of LIST, as the loader divides it. */
static size_t element(const char *list)
{
	return strcspn(list, ": ");
}

static bool is_object(const char *name, size_t len)
{
	const char *base = base_name(name, len);

	return (size_t)(name + len - base) == sizeof(object) - 1 &&
	       memcmp(base, object, sizeof(object) - 1) == 0;
}

/* The element of LIST that is our object; NULL when there is none. */
static const char *find_object(const char *list, size_t *len)
{
	for (;;) {
		list += strspn(list, ": ");
		*len = element(list);
		if (*len == 0)
			return NULL;
		if (is_object(list, *len))
			return list;
		list += *len;
	}
}

/* An object named by a path that does not exist in this root directory cannot be loaded. A name
 * without slash is searched for, and a token stands for something only the loader knows. */
static bool object_is_there(const char *name, size_t len)
{
	char path[ROOM];

	if (len >= sizeof(path) || !memchr(name, '/', len) || memchr(name, '$', len))
		return true;
	memcpy(path, name, len);
	path[len] = '\0';
	return pl_sys3(SYS_faccessat, AT_FDCWD, path, 4 /* R_OK */) == 0;
}

/* The file that execvp() would find, into OUT; false when that is unknown. */
static bool search_path(const char *file, char *out, size_t size)
{
	const char *path = getenv("PATH");
	size_t file_len = strlen(file);

	if (!path)
		path = "/bin:/usr/bin";
	for (;;) {
		size_t len = strcspn(path, ":");

		if (len + file_len + 2 <= size) {
			memcpy(out, path, len);
			out[len] = '/';
			memcpy(out + len + (len > 0), file, file_len + 1);
			if (pl_sys3(SYS_faccessat, AT_FDCWD, out, 1 /* X_OK */) == 0)
				return true;
		}
		path += len;
		if (!*path++)
			return false;
	}
}

/* Reads the start of the file; less than 0 for what is no plain file or cannot be read. */
static long read_head(int dir, const char *path, char *head, int *fd)
{
	struct stat st;
	long n;

	*fd = -1;
	if (*path) {
		/* Opening anything else could wait or do something. */
		if (pl_sys4(SYS_newfstatat, dir, path, &st, 0) != 0 || !S_ISREG(st.st_mode))
			return -1;
		*fd = (int)pl_sys4(SYS_openat, dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
		if (*fd < 0)
			return -1;
		dir = *fd;
	}
	n = pl_sys4(SYS_pread64, dir, head, HEAD, 0);
	return n;
}

/* The interpreter of the script at HEAD, into PATH. */
static bool script_runs(const char *head, long n, char *path, size_t size)
{
	const char *at = head + 2, *end = head + n;
	size_t len = 0;

	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	while (at + len < end && !strchr(" \t\n", at[len]))
		len++;
	if (len == 0 || len >= size || at + len == end)
		return false;
	memcpy(path, at, len);
	path[len] = '\0';
	return true;
}

/* Program header I of the file whose start is HEAD; false where that does not reach. */
static bool program_header(const char *head, long n, unsigned int i, Elf64_Phdr *p)
{
	Elf64_Ehdr h;
	uint64_t at;

	memcpy(&h, head, sizeof(h));
	at = h.e_phoff + i * sizeof(*p);
	if (i >= h.e_phnum || h.e_phentsize != sizeof(*p) || at > (uint64_t)n ||
	    at + sizeof(*p) > (uint64_t)n)
		return false;
	memcpy(p, head + at, sizeof(*p));
	return true;
}

/* Where in the file the address ADDR of the program lies; 0 when that is not found. */
static uint64_t file_offset(const char *head, long n, uint64_t addr)
{
	Elf64_Phdr p;

	for (unsigned int i = 0; program_header(head, n, i, &p); i++)
		if (p.p_type == PT_LOAD && addr >= p.p_vaddr && addr - p.p_vaddr < p.p_filesz)
			return addr - p.p_vaddr + p.p_offset;
	return 0;
}

/*
 * AddressSanitizer's shared runtime ends a program in which another object comes before it; it is
 * the first that such a program needs. DYNAMIC is the header of its dynamic section.
 */
static bool wants_to_be_first(int fd, const char *head, long n, const Elf64_Phdr *dynamic)
{
	static const char *const names[] = {"libasan.so", "libclang_rt.asan"};
	uint64_t needed = UINT64_MAX, strings = 0;
	Elf64_Dyn entries[64];
	char name[32] = "";
	long got = pl_sys4(SYS_pread64, fd, entries, sizeof(entries), dynamic->p_offset);

	for (long i = 0; i < got / (long)sizeof(entries[0]) && entries[i].d_tag != DT_NULL; i++) {
		if (entries[i].d_tag == DT_NEEDED && needed == UINT64_MAX)
			needed = entries[i].d_un.d_val;
		if (entries[i].d_tag == DT_STRTAB)
			strings = file_offset(head, n, entries[i].d_un.d_ptr);
	}
	if (needed == UINT64_MAX || !strings ||
	    pl_sys4(SYS_pread64, fd, name, sizeof(name) - 1, strings + needed) <= 0)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* Whether an ELF file of our word size and machine has a loader like ours, and room before all. */
static bool loader_is_ours(int fd, const char *head, long n, bool any_order)
{
	Elf64_Phdr p;

	for (unsigned int i = 0; program_header(head, n, i, &p); i++) {
		char name[64] = "";

		if (p.p_type == PT_DYNAMIC && !any_order && wants_to_be_first(fd, head, n, &p))
			return false;
		if (p.p_type != PT_INTERP || p.p_filesz >= sizeof(name) ||
		    pl_sys4(SYS_pread64, fd, name, p.p_filesz, p.p_offset) != (long)p.p_filesz)
			continue;
		if (strncmp(base_name(name, strlen(name)), our_loader, sizeof(our_loader) - 1) != 0)
			return false;
	}
	return true; /* also static ones, and what is too odd to tell */
}

/* In doubt true: the program is then started as it would be without us. */
static bool can_load(int dir, const char *path, bool any_order, char *room, size_t room_size)
{
	union {
		char bytes[HEAD];
		Elf64_Ehdr elf;
	} head;

	for (int depth = 0; depth <= MAX_SCRIPTS; depth++) {
		bool script, can = true;
		int fd;
		long n;

		/* A loader that is run by hand has no loader itself. */
		if (strncmp(base_name(path, strlen(path)), alien_loader,
			    sizeof(alien_loader) - 1) == 0)
			return false;
		n = read_head(dir, path, head.bytes, &fd);
		script = n > 2 && memcmp(head.bytes, "#!", 2) == 0;
		if (!script && n >= (long)sizeof(head.elf) &&
		    memcmp(head.bytes, ELFMAG, SELFMAG) == 0)
			can = head.bytes[EI_CLASS] == ELFCLASS64 &&
			      head.elf.e_machine == OUR_MACHINE &&
			      loader_is_ours(fd >= 0 ? fd : dir, head.bytes, n, any_order);
		if (fd >= 0)
			pl_sys1(SYS_close, fd);
		if (!script)
			return can;
		if (!script_runs(head.bytes, n, room, room_size))
			return true;
		path = room;
		dir = AT_FDCWD;
	}
	return true;
}

void pl_exec_env_plan(int dir, const char *path, bool search, char *const env[],
		      struct pl_exec_env *plan)
{
	char room[ROOM];
	const char *name = NULL;
	size_t n = 0, len = 0;
	bool any_order = false; /* AddressSanitizer was told not to mind */

	*plan = (struct pl_exec_env){0};
	for (; env && env[n]; n++) {
		if (strncmp(env[n], "ASAN_OPTIONS=", 13) == 0)
			any_order = strstr(env[n], "verify_asan_link_order=0") != NULL;
		if (!name && strncmp(env[n], variable, sizeof(variable) - 1) == 0) {
			name = find_object(env[n] + sizeof(variable) - 1, &len);
			plan->at = n;
			if (!name)
				return;
		}
	}
	if (!name || !path)
		return;
	if (object_is_there(name, len)) {
		if (search && *path && !strchr(path, '/')) {
			if (!search_path(path, room, sizeof(room)))
				return;
			path = room;
		}
		if (can_load(dir, path, any_order, room, sizeof(room)))
			return;
	}
	plan->text_size = strlen(env[plan->at]) + 1;
	plan->nr_variables = n;
}

void pl_exec_env_make(const struct pl_exec_env *plan, char *const env[], char **out, char *text)
{
	const char *list = env[plan->at] + sizeof(variable) - 1;
	char *end = text;

	memcpy(end, variable, sizeof(variable) - 1);
	end += sizeof(variable) - 1;
	for (;;) {
		size_t len;

		list += strspn(list, ": ");
		len = element(list);
		if (len == 0)
			break;
		if (!is_object(list, len)) {
			if (end > text + sizeof(variable) - 1)
				*end++ = ':';
			memcpy(end, list, len);
			end += len;
		}
		list += len;
	}
	*end = '\0';
	for (size_t i = 0; i < plan->nr_variables; i++) {
		if (i != plan->at)
			*out++ = env[i];
		else if (end > text + sizeof(variable) - 1)
			*out++ = text;
	}
	*out = NULL;
}
