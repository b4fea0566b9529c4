"""The memory that workers share: one mapping, whose first part reads zero in a forked child.

The state reads zero in a forked child (MADV_WIPEONFORK), so the child creates its own workers when it needs them.

    line 0     OWNER of the pool, 0 if nobody runs a region; READY, the number of existing workers and caller; the
               backoff; LIGHT regions that their caller ran alone while workers slept
    line 1     the current region: its job, argument, number of workers, floating-point control of its caller, parts
    lines 2-4  its barrier
    line 5     NEXT, the first part that nobody has claimed
    line 5+w   worker w: MAIL, the one word that it and callers exchange; its NUMBER

The settings, which a child keeps, are written by Python (`pool`) and read by machine code.

    MAIL       written by                                                next state
    EMPTY      the worker as it ends; also a new page                    IDLE, by whoever creates a thread for it
    IDLE       the worker: it waits, spinning                            GO by a caller, ASLEEP by itself, END
    ASLEEP     the worker, before it sleeps in a futex                   GO or END, with a wake-up
    GO         a caller: this part of the region is to be run            RUNNING by the worker, or IDLE by the caller,
                                                                         which takes back a part that is not begun
    RUNNING    the worker                                                IDLE by itself, WATCHED by the caller
    WATCHED    the caller, before it sleeps until the worker is done     IDLE by the worker, with a wake-up
    END        `close`: the thread is to end                             EMPTY by the worker, IDLE if needed after all
"""

from __future__ import annotations

LINE = 128  # bytes: two cache lines, since processors fetch them in pairs; one line of some Arm processors
MOST = 1024
"""The most workers of a region, including its caller."""

REGION, CLAIMS, WEIGHED = "region", "claims", "weighed"
"""The functions that begin a region: see `region_code`."""

EMPTY, IDLE, ASLEEP, GO, RUNNING, WATCHED, END = range(7)

# Offsets in the state
OWNER, READY, BACKOFF, UNTIL = 0, 8, 16, 24  # ticks: the length of the backoff, and its end
GOOD, IN_VAIN = 32, 40  # ticks of regions without a late join since then; ticks of consecutive regions in vain
LATE_JOINS, TAKEN_BACK = 48, 56  # counters for tests and diagnosis
LIGHT, LIGHT_AT = 64, 72  # cycles of consecutive light regions with workers asleep; start of the last, in ticks
JOB, ARGUMENT, WORKERS, CONTROL, PATIENCE = LINE, LINE + 8, LINE + 16, LINE + 24, LINE + 32  # PATIENCE: ticks to spin
PARTS = LINE + 40  # number of parts that workers claim one after the other; 0: worker w has part w
BARRIER = 2 * LINE
NEXT = 5 * LINE
FIRST = 6 * LINE  # worker 1
STATE = FIRST + (MOST - 1) * LINE
MAIL, NUMBER, THREAD, APART = 0, 8, 16, 24  # in a worker's line; APART: the processor that it is kept away from

# Offsets in a barrier
PARTICIPANTS, LIMIT, CALLER, WAITED, ARRIVED, GENERATION = 0, 8, 16, 24, LINE, 2 * LINE

# Offsets in the settings
SPIN, LATENESS, LEAST_BACKOFF, MOST_BACKOFF, HOPE, PROMPT = 0, 8, 16, 24, 32, 40  # ticks
PROCESSORS = 48  # the number of processors that this process may run on
NAME, MASK, ATTRIBUTES = 56, 72, 80  # of threads: name, blocked signals, pthread_attr_t
LEAST_WORK, WORTH_WAKING = 256, 264  # cycles of one thread: `weight_code`
SETTINGS = 512
