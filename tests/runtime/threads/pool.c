/* The functions of a pool for AArch64, linked as a process links them, and regions over them. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct place { uint32_t offset; const char *name; };
struct function { const char *name; const unsigned char *code; uint32_t size; const struct place *places; };
#include "functions.h" /* functions[], constants of the layout */

static const char *names[32];
static uintptr_t addresses[32];
static int known;

static void define(const char *name, uintptr_t address) { names[known] = name; addresses[known++] = address; }

static uintptr_t find(const char *name) {
    for (int i = 0; i < known; i++)
        if (!strcmp(names[i], name)) return addresses[i];
    fprintf(stderr, "no %s\n", name);
    exit(2);
}

static void link_function(const struct function *f) {
    unsigned char *at = mmap(0, f->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(at, f->code, f->size);
    for (const struct place *p = f->places; p->name; p++) {
        uintptr_t address = find(p->name);
        uint32_t *words = (uint32_t *)(at + p->offset);
        for (int part = 0; part < 4; part++)
            words[part] = (words[part] & ~(0xFFFFu << 5)) | (uint32_t)(address >> 16 * part & 0xFFFF) << 5;
    }
    mprotect(at, f->size, PROT_READ | PROT_EXEC);
    __builtin___clear_cache((char *)at, (char *)at + f->size);
    define(f->name, (uintptr_t)at);
}

typedef void region_t(void *job, void *argument, long workers);

/* Each argument: how often every worker was there, and what it found wrong. */
static int run(const char *job, long workers, long expected) {
    static int64_t cells[3 * CELLS];
    memset(cells, 0, sizeof cells);
    ((region_t *)find("region"))((void *)find(job), cells, workers);
    int wrong = 0;
    for (long w = 0; w < CELLS; w++) wrong += cells[w] != (w < workers ? expected : 0);
    if (!strcmp(job, "meet")) wrong += cells[CELLS] != 0;
    return wrong;
}

/* How many numbers are not claimed once. */
static int claim(long workers) {
    static int64_t cells[3 * CELLS];
    memset(cells, 0, sizeof cells);
    ((region_t *)find("region"))((void *)find("numbered"), cells, workers);
    int wrong = 0;
    for (long w = 0; w < CELLS; w++) wrong += cells[w] != (w < CELLS - 1);
    return wrong;
}

typedef void weighed_t(void *job, void *argument, long workers, long cycles);

/* Of how many workers a region of so many cycles consisted; -1 where a part was not run once. */
static long weigh(long workers, long cycles) {
    static int64_t cells[3 * CELLS];
    memset(cells, 0, sizeof cells);
    ((weighed_t *)find("weighed"))((void *)find("count"), cells, workers, cycles);
    long found = cells[CELLS];
    for (long w = 0; w < workers; w++)
        if (cells[w] != (w < found)) return -1;
    return found;
}

typedef void called3_t(void *a, long b, long c, long workers, long *record, long scratch, long *slot);
typedef void called6_t(void *a, long b, long c, long d, long e, long f, long workers, long *record, long scratch,
                       long *slot);
typedef void called_inner_t(void *a, long c, long workers, long *record, long scratch, long *slot);

/* Return how many results are wrong of a job whose operands are parameters. */
static long call(long workers) {
    static int64_t cells[3 * CELLS];
    long record[] = {(long)find("add"), INT64_MAX, 4096, 3, 5, 7, 128}, slot[] = {0, 1}, scratch = 1L << 41, wrong = 0;
    for (int operands = 3; operands <= 6; operands += 3) {
        memset(cells, 0, sizeof cells);
        slot[0] = 0;
        if (operands == 3)
            ((called3_t *)find("called3"))(cells, 1L << 40, 2, workers, record, scratch, slot);
        else
            ((called6_t *)find("called6"))(cells, 1L << 40, 2, 1L << 42, 1L << 43, 7, workers, record, scratch, slot);
        for (long w = 0; w < workers; w++) {
            wrong += cells[w] != (1L << 40) + 2 + 2 * scratch + 4096 + 3 + 5 || cells[CELLS + w] != workers;
            wrong += operands == 6 && cells[2 * CELLS + w] != (1L << 42) + (1L << 43) + 7;
        }
        wrong += slot[0] != scratch || slot[1] != 1;
    }
    ((called_inner_t *)find("called_inner"))(cells, 2, workers, record, scratch, slot);
    for (long w = 0; w < workers; w++) wrong += cells[w] != scratch + 128 + 2 + 2 * scratch + 4096 + 3 + 5;
    return wrong;
}

int main(void) {
    char *memory = mmap(0, STATE + SETTINGS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int64_t *settings = (int64_t *)(memory + STATE);
    uint64_t hertz;
    __asm__("mrs %0, cntfrq_el0" : "=r"(hertz));
    settings[SPIN / 8] = hertz / 20000;
    settings[LATENESS / 8] = settings[HOPE / 8] = INT64_MAX;
    settings[PROCESSORS / 8] = 3;
    strcpy((char *)settings + NAME, "tilesmith");
    pthread_attr_t *attributes = (pthread_attr_t *)((char *)settings + ATTRIBUTES);
    pthread_attr_init(attributes);
    pthread_attr_setstacksize(attributes, 1 << 20);
    pthread_attr_setdetachstate(attributes, PTHREAD_CREATE_DETACHED);
    define("state", (uintptr_t)memory);
    define("barrier_state", (uintptr_t)memory + BARRIER);
    define("settings", (uintptr_t)settings);
    define("pthread_create", (uintptr_t)pthread_create);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) link_function(functions + i);
    int wrong = 0;
    for (int times = 0; times < TIMES; times++)
        for (long workers = 1; workers <= 5; workers++) wrong += run("count", workers, 1);
    for (long workers = 2; workers <= 5; workers++) wrong += run("meet", workers, ROUNDS) + claim(workers);
    for (long workers = 1; workers <= 5; workers++) wrong += call(workers);
    ((void (*)(void))find("end"))();
    wrong += run("meet", 3, ROUNDS);
    usleep(10000); /* asleep */
    wrong += run("meet", 3, ROUNDS);
    settings[SPIN / 8] = INT64_MAX / 4; /* any two regions are near each other, nobody falls asleep any more */
    settings[LEAST_WORK / 8] = 100;
    settings[WORTH_WAKING / 8] = 1000;
    usleep(10000);
    for (long light = 300; light <= 900; light += 300) wrong += weigh(3, 300) != 1;
    wrong += weigh(3, 300) != 3; /* 1200 cycles: they are woken */
    wrong += weigh(3, 100) != 3; /* they are awake */
    wrong += weigh(3, 99) != 1;
    settings[SPIN / 8] = 0;
    wrong += weigh(3, 1000) != 3;
    usleep(10000);
    for (int times = 0; times < 9; times++) wrong += weigh(3, 999) != 1; /* too far from each other */
    wrong += weigh(3, 1000) != 3;
    printf("%d wrong, %ld ready\n", wrong, (long)*(int64_t *)(memory + READY));
    return wrong != 0;
}
