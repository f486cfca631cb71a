#include <stdio.h>
#define SQUARE(x) ((x) * (x))

int prototype(int a);
extern struct point origin;

/* A point. */
struct point {
    int x, y;
};

typedef struct {
    struct point center;
    struct { int inner; } nested;
} Circle;

typedef struct node {
    struct node *next;
} Node;

typedef enum { RED, GREEN } Color;

enum mode { FAST, SLOW };

union bits {
    int whole;
    float part;
} shared;

typedef int (*compare_fn)(const void *, const void *);

/* Adds two numbers.
 * Returns the sum. */
static inline int add(int a, int b) {
    return a + b;
}

// Finds a node.
struct node *find(struct node *list, int key)
{
    return list;
}

char **names(void) { return NULL; }

int (*chooser(int kind))(int) {
    return NULL;
}

int old_style(a, b)
    int a;
    char *b;
{
    return a;
}

__attribute__((noreturn)) void die(const char *message) {
    exit(1);
}

#ifdef DEBUG
void trace(const char *format, ...) {
    puts(format);
}
#else
void trace(const char *format, ...) {
}
#endif

static struct point make(int x) {
    struct local { int a; } here = {x};
    return (struct point){here.a, 0};
}

REDIS_NO_SANITIZE("bounds")
unsigned long hashKey(const void *key) {
    return 0;
}

int main(int argc, char **argv) {
    return 0;
}
