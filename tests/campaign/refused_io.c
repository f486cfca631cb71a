/* A layer between a program and the C library that lets one call below a folder fail, fall short, dawdle or kill.

   REFUSE_BELOW  the folder; calls on other files go through untouched
   REFUSE_CALL   open, read, write, sync, rename, mmap, truncate or remove
   REFUSE_AT     the number of the call that is hit, from 1, counted in each process
   REFUSE_FOR    how many calls are hit from then on
   REFUSE_WITH   an errno as a number, or short, slow or kill

   Built with: gcc -shared -fPIC -o refused_io.so refused_io.c -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum fate { PASS, FAIL, SHORT };

static int counted;

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static long number(const char *name) {
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

static int is_below(const char *path) {
    const char *below = getenv("REFUSE_BELOW");
    size_t length = below ? strlen(below) : 0;
    return length && path && strncmp(path, below, length) == 0;
}

static int is_open_below(int file) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return is_below(path);
}

/* What happens to a call on a file that counts. Sets errno if the call is to fail. */
static enum fate fate_of(const char *call, int counts) {
    const char *wanted = getenv("REFUSE_CALL"), *with = getenv("REFUSE_WITH");
    if (!wanted || !with || strcmp(wanted, call) || !counts)
        return PASS;
    long at = __atomic_add_fetch(&counted, 1, __ATOMIC_SEQ_CST), first = number("REFUSE_AT");
    if (at < first || at >= first + number("REFUSE_FOR"))
        return PASS;
    if (!strcmp(with, "kill"))
        raise(SIGKILL);
    if (!strcmp(with, "short"))
        return SHORT;
    if (!strcmp(with, "slow")) {
        nanosleep(&(struct timespec){0, 50 * 1000 * 1000}, NULL);
        return PASS;
    }
    errno = atoi(with);
    return FAIL;
}

#define OPENS(name, arguments, passed)                              \
    int name arguments {                                            \
        va_list rest;                                               \
        va_start(rest, flags);                                      \
        mode_t mode = va_arg(rest, mode_t);                         \
        va_end(rest);                                               \
        if (fate_of("open", is_below(path)) == FAIL)                \
            return -1;                                              \
        return NEXT(name) passed;                                   \
    }
OPENS(open, (const char *path, int flags, ...), (path, flags, mode))
OPENS(open64, (const char *path, int flags, ...), (path, flags, mode))
OPENS(openat, (int at, const char *path, int flags, ...), (at, path, flags, mode))
OPENS(openat64, (int at, const char *path, int flags, ...), (at, path, flags, mode))

#define MOVES(name, call, arguments, passed)                        \
    ssize_t name arguments {                                        \
        enum fate fate = fate_of(call, is_open_below(file));        \
        if (fate == FAIL)                                           \
            return -1;                                              \
        if (fate == SHORT && length > 1)                            \
            length /= 2;                                            \
        return NEXT(name) passed;                                   \
    }
MOVES(read, "read", (int file, void *to, size_t length), (file, to, length))
MOVES(pread, "read", (int file, void *to, size_t length, off_t at), (file, to, length, at))
MOVES(pread64, "read", (int file, void *to, size_t length, off64_t at), (file, to, length, at))
MOVES(write, "write", (int file, const void *from, size_t length), (file, from, length))
MOVES(pwrite, "write", (int file, const void *from, size_t length, off_t at), (file, from, length, at))
MOVES(pwrite64, "write", (int file, const void *from, size_t length, off64_t at), (file, from, length, at))

#define ENDS(name, call, arguments, counts, passed)                 \
    int name arguments {                                            \
        if (fate_of(call, counts) == FAIL)                          \
            return -1;                                              \
        return NEXT(name) passed;                                   \
    }
ENDS(fsync, "sync", (int file), is_open_below(file), (file))
ENDS(fdatasync, "sync", (int file), is_open_below(file), (file))
ENDS(ftruncate, "truncate", (int file, off_t length), is_open_below(file), (file, length))
ENDS(ftruncate64, "truncate", (int file, off64_t length), is_open_below(file), (file, length))
ENDS(rename, "rename", (const char *from, const char *to), is_below(from) || is_below(to), (from, to))
ENDS(unlink, "remove", (const char *path), is_below(path), (path))
ENDS(rmdir, "remove", (const char *path), is_below(path), (path))

void *mmap(void *where, size_t length, int protection, int flags, int file, off_t at) {
    if (file >= 0 && fate_of("mmap", is_open_below(file)) == FAIL)
        return MAP_FAILED;
    return NEXT(mmap)(where, length, protection, flags, file, at);
}

void *mmap64(void *where, size_t length, int protection, int flags, int file, off64_t at) {
    if (file >= 0 && fate_of("mmap", is_open_below(file)) == FAIL)
        return MAP_FAILED;
    return NEXT(mmap64)(where, length, protection, flags, file, at);
}
