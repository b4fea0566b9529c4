/* Replaces each instruction of a function by one that traps, calls the function, and from the signal handler asks
 * libgcc's unwinder and backtrace() for the callers. The function is called by `enter`, which holds known values in every
 * register that a function must hand back: the unwinder must find them there, the stack pointer as it was before
 * the call, and behind it main.
 *
 * An instruction that is not reached is tried once more under another rounding mode of the caller.
 *
 * Prints for each function its name, how many instructions trapped, and how many it has. A mistake is a line with `!`.
 */
#define _GNU_SOURCE
#include <execinfo.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

struct function { const char *name; unsigned char *code; const int *offsets; int count; long arguments[8]; };
extern const struct function FUNCTIONS[];

static const int REGISTERS[] =
#ifdef __x86_64__
    {3, 6, 12, 13, 14, 15};
static const unsigned char TRAP[] = {0xf4}; /* hlt: privileged */
__asm__(
    ".globl enter, leave\n.type enter, @function\nenter:\n.cfi_startproc\nendbr64\n"
    "push %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %rbp, 0\npush %rbx\n.cfi_adjust_cfa_offset 8\n"
    ".cfi_rel_offset %rbx, 0\npush %r12\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %r12, 0\npush %r13\n"
    ".cfi_adjust_cfa_offset 8\n.cfi_rel_offset %r13, 0\npush %r14\n.cfi_adjust_cfa_offset 8\n"
    ".cfi_rel_offset %r14, 0\npush %r15\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %r15, 0\n"
    "sub $8, %rsp\n.cfi_adjust_cfa_offset 8\npush 56(%rsi)\n.cfi_adjust_cfa_offset 8\npush 48(%rsi)\n.cfi_adjust_cfa_offset 8\n"
    "mov %rsp, entered(%rip)\nmov %rdi, %rax\nmov %rsi, %r10\n"
    "mov $0x5a5a0003, %ebx\nmov $0x5a5a0006, %ebp\nmov $0x5a5a000c, %r12d\nmov $0x5a5a000d, %r13d\n"
    "mov $0x5a5a000e, %r14d\nmov $0x5a5a000f, %r15d\n"
    "mov (%r10), %rdi\nmov 8(%r10), %rsi\nmov 16(%r10), %rdx\nmov 24(%r10), %rcx\nmov 32(%r10), %r8\n"
    "mov 40(%r10), %r9\ncall *%rax\nleave:\nadd $24, %rsp\n.cfi_adjust_cfa_offset -24\n"
    "pop %r15\n.cfi_adjust_cfa_offset -8\npop %r14\n.cfi_adjust_cfa_offset -8\npop %r13\n"
    ".cfi_adjust_cfa_offset -8\npop %r12\n.cfi_adjust_cfa_offset -8\npop %rbx\n.cfi_adjust_cfa_offset -8\n"
    "pop %rbp\n.cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n");
#else
    {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 72, 73, 74, 75, 76, 77, 78, 79};
static const unsigned char TRAP[] = {0, 0, 0, 0}; /* udf */
#define SET(n) "mov x" #n ", #0x5a5a0000\nadd x" #n ", x" #n ", " #n "\n"
#define SETD(n, d) "mov x9, #0x5a5a0000\nadd x9, x9, " #n "\nfmov d" #d ", x9\n"
__asm__(
    ".globl enter, leave\n.type enter, %function\nenter:\n.cfi_startproc\nhint 34\n"
    "stp x29, x30, [sp, -160]!\n.cfi_def_cfa_offset 160\n.cfi_offset 29, -160\n.cfi_offset 30, -152\n"
    "stp x19, x20, [sp, 16]\n.cfi_offset 19, -144\n.cfi_offset 20, -136\nstp x21, x22, [sp, 32]\n"
    ".cfi_offset 21, -128\n.cfi_offset 22, -120\nstp x23, x24, [sp, 48]\n.cfi_offset 23, -112\n.cfi_offset 24, -104\n"
    "stp x25, x26, [sp, 64]\n.cfi_offset 25, -96\n.cfi_offset 26, -88\nstp x27, x28, [sp, 80]\n"
    ".cfi_offset 27, -80\n.cfi_offset 28, -72\nstp d8, d9, [sp, 96]\n.cfi_offset 72, -64\n.cfi_offset 73, -56\n"
    "stp d10, d11, [sp, 112]\n.cfi_offset 74, -48\n.cfi_offset 75, -40\nstp d12, d13, [sp, 128]\n"
    ".cfi_offset 76, -32\n.cfi_offset 77, -24\nstp d14, d15, [sp, 144]\n.cfi_offset 78, -16\n.cfi_offset 79, -8\n"
    "adrp x9, entered\nmov x10, sp\nstr x10, [x9, :lo12:entered]\nmov x16, x0\nmov x17, x1\n"
    SET(19) SET(20) SET(21) SET(22) SET(23) SET(24) SET(25) SET(26) SET(27) SET(28) SET(29)
    SETD(72, 8) SETD(73, 9) SETD(74, 10) SETD(75, 11) SETD(76, 12) SETD(77, 13) SETD(78, 14) SETD(79, 15)
    "ldp x0, x1, [x17]\nldp x2, x3, [x17, 16]\nldp x4, x5, [x17, 32]\nldp x6, x7, [x17, 48]\nblr x16\nleave:\n"
    "ldp x19, x20, [sp, 16]\nldp x21, x22, [sp, 32]\nldp x23, x24, [sp, 48]\nldp x25, x26, [sp, 64]\n"
    "ldp x27, x28, [sp, 80]\nldp d8, d9, [sp, 96]\nldp d10, d11, [sp, 112]\nldp d12, d13, [sp, 128]\n"
    "ldp d14, d15, [sp, 144]\nldp x29, x30, [sp], 160\nret\n.cfi_endproc\n");
#endif

void enter(void *function, const long *arguments);
extern char leave[];
uintptr_t entered; /* the stack pointer at the call */

static sigjmp_buf again;
static uintptr_t in_main;
static const struct function *running;
static int offset, mistakes;

static void mistake(const char *what, long number) {
    if (++mistakes < 20) printf("! %s at %#x: %s %ld\n", running->name, offset, what, number);
}

struct found { int frames, entered, main; };

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *data) {
    struct found *found = data;
    found->frames++;
    found->main |= _Unwind_GetIP(context) == in_main;
    if (_Unwind_GetIP(context) == (uintptr_t)leave) {
        found->entered = 1;
        if (_Unwind_GetCFA(context) != entered) mistake("stack pointer off by", _Unwind_GetCFA(context) - entered);
        for (unsigned i = 0; i < sizeof REGISTERS / sizeof *REGISTERS; i++)
            if (_Unwind_GetGR(context, REGISTERS[i]) != 0x5a5a0000u + REGISTERS[i]) mistake("register", REGISTERS[i]);
    }
    return found->frames < 50 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static void trapped(int signal) {
    struct found found = {0, 0, 0};
    void *callers[64];
    int known = 0;
    _Unwind_Backtrace(visit, &found);
    for (int n = backtrace(callers, 64); n--;) known |= (uintptr_t)callers[n] == in_main;
    if (!found.entered || !found.main || !known) mistake("lost behind frame", found.frames);
    siglongjmp(again, 1);
}

static void put(unsigned char *place, const unsigned char *bytes) {
    const uintptr_t page = sysconf(_SC_PAGESIZE), first = (uintptr_t)place & -page;
    const size_t size = ((uintptr_t)place + sizeof TRAP - first + page - 1) & -page;
    mprotect((void *)first, size, PROT_READ | PROT_WRITE | PROT_EXEC);
    memcpy(place, bytes, sizeof TRAP);
    __builtin___clear_cache((char *)place, (char *)place + sizeof TRAP);
}

/* 0: to nearest; 1: towards zero, where kernels that round go to code of their own behind their end. */
static void round_to(int mode) {
#ifdef __x86_64__
    const unsigned word = mode ? 0x7f80 : 0x1f80;
    __asm__ volatile("ldmxcsr %0" : : "m"(word));
#else
    __asm__ volatile("msr fpcr, %0" : : "r"(mode ? 3ul << 22 : 0ul));
#endif
}

static __attribute__((noinline)) void try(void) {
    in_main = (uintptr_t)__builtin_return_address(0);
    for (running = FUNCTIONS; running->name; running++) {
        volatile int hit = 0;
        for (volatile int i = 0; i < running->count; i++) {
            unsigned char before[sizeof TRAP], *place = running->code + (offset = running->offsets[i]);
            memcpy(before, place, sizeof TRAP);
            put(place, TRAP);
            for (volatile int mode = 0, caught = 0; mode < 2 && !caught; mode++)
                if (sigsetjmp(again, 1)) hit++, caught = 1;
                else round_to(mode), enter(running->code, running->arguments);
            round_to(0);
            put(place, before);
        }
        printf("%s %d %d\n", running->name, hit, running->count);
    }
}

int main(void) {
    struct sigaction action = {.sa_handler = trapped};
    sigaction(SIGSEGV, &action, 0);
    sigaction(SIGILL, &action, 0);
    try();
    fflush(stdout);
    return mistakes != 0;
}
