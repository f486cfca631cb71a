/* A layer between a program and the C library that lets one call below a folder fail, fall short, dawdle or kill.

   REFUSE_BELOW  the folder; calls on other files go through untouched
   REFUSE_CALL   open, read, write, sync, rename, mmap, truncate, allocate, make, link or remove
   REFUSE_AT     the number of the call that is hit, from 1, counted in each process
   REFUSE_FOR    how many calls are hit from then on
   REFUSE_WITH   an errno as a number, or short, slow or kill
   REFUSE_MARK   a file that is made when a call is hit
   REFUSE_TALLY  a file that gets a line for each call of any kind

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
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
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

/* Whether a path is below that may be relative to an open folder. */
static int is_below_at(int at, const char *path) {
    return path && path[0] != '/' && at != AT_FDCWD ? is_open_below(at) : is_below(path);
}

static void leave_mark(void) {
    const char *mark = getenv("REFUSE_MARK");
    int file = mark ? syscall(SYS_openat, AT_FDCWD, mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file >= 0)
        syscall(SYS_close, file);
}

static void count(const char *call) {
    const char *tally = getenv("REFUSE_TALLY");
    if (!tally)
        return;
    char line[32];
    int length = snprintf(line, sizeof line, "%s\n", call);
    int file = syscall(SYS_openat, AT_FDCWD, tally, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file >= 0) {
        syscall(SYS_write, file, line, length);
        syscall(SYS_close, file);
    }
}

/* What happens to a call on a file that counts. Sets errno if the call is to fail. */
static enum fate fate_of(const char *call, int counts) {
    const char *wanted = getenv("REFUSE_CALL"), *with = getenv("REFUSE_WITH");
    if (!counts)
        return PASS;
    count(call);
    if (!wanted || !with || strcmp(wanted, call))
        return PASS;
    long at = __atomic_add_fetch(&counted, 1, __ATOMIC_SEQ_CST), first = number("REFUSE_AT");
    if (at < first || at >= first + number("REFUSE_FOR"))
        return PASS;
    leave_mark();
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

#define OPENS(name, counts, arguments, passed)                      \
    int name arguments {                                            \
        va_list rest;                                               \
        va_start(rest, flags);                                      \
        mode_t mode = va_arg(rest, mode_t);                         \
        va_end(rest);                                               \
        if (fate_of("open", counts) == FAIL)                        \
            return -1;                                              \
        return NEXT(name) passed;                                   \
    }
OPENS(open, is_below(path), (const char *path, int flags, ...), (path, flags, mode))
OPENS(open64, is_below(path), (const char *path, int flags, ...), (path, flags, mode))
OPENS(openat, is_below_at(at, path), (int at, const char *path, int flags, ...), (at, path, flags, mode))
OPENS(openat64, is_below_at(at, path), (int at, const char *path, int flags, ...), (at, path, flags, mode))

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
MOVES(sendfile, "write", (int file, int from, off_t *at, size_t length), (file, from, at, length))
MOVES(sendfile64, "write", (int file, int from, off64_t *at, size_t length), (file, from, at, length))
MOVES(copy_file_range, "write",
      (int from, off64_t *from_at, int file, off64_t *at, size_t length, unsigned int flags),
      (from, from_at, file, at, length, flags))
/* Of several buffers a short call moves the first half. */
MOVES(readv, "read", (int file, const struct iovec *to, int length), (file, to, length))
MOVES(writev, "write", (int file, const struct iovec *from, int length), (file, from, length))
MOVES(pwritev, "write", (int file, const struct iovec *from, int length, off_t at), (file, from, length, at))

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
ENDS(fallocate, "allocate", (int file, int mode, off_t at, off_t length), is_open_below(file), (file, mode, at, length))
ENDS(fallocate64, "allocate", (int file, int mode, off64_t at, off64_t length), is_open_below(file),
     (file, mode, at, length))
ENDS(rename, "rename", (const char *from, const char *to), is_below(from) || is_below(to), (from, to))
ENDS(renameat, "rename", (int at, const char *from, int to_at, const char *to),
     is_below_at(at, from) || is_below_at(to_at, to), (at, from, to_at, to))
ENDS(renameat2, "rename", (int at, const char *from, int to_at, const char *to, unsigned int flags),
     is_below_at(at, from) || is_below_at(to_at, to), (at, from, to_at, to, flags))
ENDS(link, "link", (const char *from, const char *to), is_below(to), (from, to))
ENDS(linkat, "link", (int at, const char *from, int to_at, const char *to, int flags), is_below_at(to_at, to),
     (at, from, to_at, to, flags))
ENDS(symlink, "link", (const char *from, const char *to), is_below(to), (from, to))
ENDS(mkdir, "make", (const char *path, mode_t mode), is_below(path), (path, mode))
ENDS(mkdirat, "make", (int at, const char *path, mode_t mode), is_below_at(at, path), (at, path, mode))
ENDS(unlink, "remove", (const char *path), is_below(path), (path))
ENDS(unlinkat, "remove", (int at, const char *path, int flags), is_below_at(at, path), (at, path, flags))
ENDS(rmdir, "remove", (const char *path), is_below(path), (path))

/* These two return what went wrong, and leave errno alone. */
int posix_fallocate(int file, off_t at, off_t length) {
    return fate_of("allocate", is_open_below(file)) == FAIL ? errno : NEXT(posix_fallocate)(file, at, length);
}

int posix_fallocate64(int file, off64_t at, off64_t length) {
    return fate_of("allocate", is_open_below(file)) == FAIL ? errno : NEXT(posix_fallocate64)(file, at, length);
}

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
