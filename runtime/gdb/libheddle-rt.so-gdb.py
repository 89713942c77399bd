# SPDX-License-Identifier: BSD-2-Clause
"""Helps gdb with a program that `heddle replay --gdb` runs; gdb loads it with libheddle-rt.so.

The program's threads are contexts on their stacks, and one kernel thread runs them in turn. To each belongs
a kernel thread that sleeps (runtime/preload/image/blocks.c). When the process stops, these are shown with
the registers that the program's threads have in their first frame outside the runtime; before anything
goes on they get their own back. So nothing but the kernel thread that really runs may be resumed by gdb
meanwhile: scheduler-locking is on while registers are borrowed, and commands that resume have hooks.

The runtime tells what is known by a table of words, heddle_debugger (runtime/preload/step/debugger.c), so
no debug information of the runtime is needed.
"""

import re
import struct

import gdb

WORDS = (
    "version helped running fibers nfibers fiber_size at_sp at_tcb at_alive at_fn at_high op_names order_names "
    "why thread event message done stop_at steps nsteps choices nchoices at_called"
).split()
WHY_BUG, WHY_BEFORE, WHY_BEHIND = 1, 2, 3
STEP_WROTE, STEP_READ = 1, 2
STEP_SIZE, CHOICE_SIZE = 80, 32
TID_IN_GLIBC = 0x2D0  # in what a pthread_t points to
BORROWED = "rbx rbp r12 r13 r14 r15 rsp rip rdi fs_base".split()
RED_ZONE, MOST_OF_STACK = 128, 1 << 20
KEPT_BY_CALLS = "rbx rbp r12 r13 r14 r15".split()
RESUMES = "continue fg jump signal detach".split()
STEPS = "step next stepi nexti until advance finish".split()


# ---- Memory of the program ---------------------------------------------------------------------


def read(address, form):
    raw = gdb.selected_inferior().read_memory(address, struct.calcsize(form))
    return struct.unpack(form, bytes(raw))


def word(address):
    return read(address, "<Q")[0]


def string(address):
    return gdb.selected_inferior().read_memory(address, 256).tobytes().split(b"\0")[0].decode(errors="replace")


def address_of(symbol):
    return int(gdb.parse_and_eval("(unsigned long)&" + symbol))


class Table:
    """heddle_debugger, as it is now."""

    def __init__(self):
        self.at = address_of("heddle_debugger")
        words = read(self.at, "<%dQ" % len(WORDS))
        for name, value in zip(WORDS, words):
            setattr(self, name, value)

    def set(self, name, value):
        at = self.at + 8 * WORDS.index(name)
        gdb.selected_inferior().write_memory(at, struct.pack("<Q", value))

    def running_tid(self):
        """The thread that really runs; None: the runtime itself does."""
        at = word(self.running)
        return read(at, "<I")[0] if at else None


def table():
    try:
        found = Table()
    except gdb.error:
        return None
    return found if found.version == 2 else None


def needed_table():
    found = table()
    if not found or not gdb.selected_inferior().threads():
        raise gdb.GdbError("heddle: no thread of the program has run under heddle yet")
    return found


def in_runtime(pc):
    start = address_of("heddle_runtime_text")
    return word(start) <= pc < word(start + 8)


def name_in(names, index):
    at = word(names + 8 * index)
    return string(at) if at else "?"


# ---- Threads of the program as threads of gdb ---------------------------------------------------


class Fiber:
    """A thread of the program, and the kernel thread that stands for it."""

    def __init__(self, t, tid, by_lwp):
        base = t.fibers + tid * t.fiber_size
        self.tid = tid
        self.sp = word(base + t.at_sp)
        self.tcb = word(base + t.at_tcb)
        self.alive = read(base + t.at_alive, "<?")[0]
        self.called = read(base + t.at_called, "<?")[0]
        self.fn = word(base + t.at_fn)
        self.arg = word(base + t.at_fn + 8)
        self.high = word(base + t.at_high)
        self.thread = by_lwp.get(read(self.tcb + TID_IN_GLIBC, "<i")[0]) if self.tcb else None


def fibers(t):
    by_lwp = {thread.ptid[1]: thread for thread in gdb.selected_inferior().threads()}
    found = []
    for tid in range(t.nfibers):
        fiber = Fiber(t, tid, by_lwp)
        if not fiber.tcb:
            break
        found.append(fiber)
    return found


def registers(names):
    frame = gdb.newest_frame()
    return {name: int(frame.read_register(name)) & (2**64 - 1) for name in names}


def set_registers(values):
    for name, value in values.items():
        gdb.execute("set var $%s = %d" % (name, value), to_string=True)


def first_outside():
    """The newest frame that is the program's."""
    frame = gdb.newest_frame()
    while frame and (in_runtime(frame.pc()) or frame.type() == gdb.SIGTRAMP_FRAME):
        frame = frame.older()
    return frame if frame and frame.is_valid() else None


def leave_runtime():
    """The selected thread is shown in its first frame outside the runtime; False: it has none."""
    try:
        frame = first_outside()
        if frame is None:
            return False
        if frame.level():
            values = {name: int(frame.read_register(name)) & (2**64 - 1) for name in KEPT_BY_CALLS + ["rsp"]}
            # In the call, not behind it: that may be another line, or another function.
            faulted = frame.newer().type() == gdb.SIGTRAMP_FRAME
            values["rip"] = frame.pc() if faulted else frame.pc() - 1
            set_registers(values)
    except gdb.error:
        pass  # a stack that was written over: as it is
    return True


class Shown:
    """Which kernel threads have registers that are not their own."""

    def __init__(self):
        self.own = []  # (thread, registers)
        self.stacks = []  # (address, bytes)
        self.at_event = False
        self.real = None  # the kernel thread that runs

    def borrow(self, thread):
        thread.switch()
        self.own.append((thread, registers(BORROWED)))

    def keep_stack(self, sp):
        """A function that gdb calls finds the program's frames, and writes over ours, which lie below."""
        start, end = sp - RED_ZONE, registers(["rsp"])["rsp"]
        if 0 < end - start < MOST_OF_STACK:
            self.stacks.append((start, bytes(gdb.selected_inferior().read_memory(start, end - start))))

    def show_waiting(self, fiber):
        """As switch_context() left it (runtime/preload/arch/x86_64/switch.c)."""
        saved = read(fiber.sp, "<8Q")
        values = dict(zip("r15 r14 r13 r12 rbx rbp rip".split(), saved[1:]))
        values["rsp"] = fiber.sp + 64
        values["fs_base"] = fiber.tcb
        set_registers(values)
        self.leave_runtime(fiber)
        self.keep_stack(fiber.sp)

    def leave_runtime(self, fiber):
        if leave_runtime():
            return
        if fiber.called:  # its function has returned
            fiber.thread.name += " (ends)"
        else:  # as its function will find it
            set_registers({"rip": fiber.fn, "rdi": fiber.arg, "rsp": (fiber.high & ~15) - 8})

    def show(self, t, stopped_by_us):
        """Lends registers to all; the kernel thread that runs is the one of thread 0."""
        running = t.running_tid()
        everyone = fibers(t)
        main = everyone[0].thread
        if not main:
            return
        self.real = main
        main.switch()
        real = registers(BORROWED)
        # Nobody else may move while registers are borrowed.
        gdb.execute("set scheduler-locking on", to_string=True)
        for fiber in everyone:
            if not fiber.thread:
                continue
            fiber.thread.name = "T%d%s" % (fiber.tid, "" if fiber.alive else " (ended)")
            if not fiber.alive or (fiber.tid == running == 0 and not stopped_by_us):
                continue
            self.borrow(fiber.thread)
            if fiber.tid != running:
                self.show_waiting(fiber)
                continue
            if fiber.tid:
                set_registers(real)
            if stopped_by_us:
                self.leave_runtime(fiber)
                self.keep_stack(real["rsp"])

    def restore(self):
        """All have their own registers again, and the kernel thread that runs is selected."""
        for thread, values in self.own:
            if thread.is_valid():
                thread.switch()
                set_registers(values)
        for address, kept in self.stacks:
            gdb.selected_inferior().write_memory(address, kept)
        self.own = []
        self.stacks = []
        if self.real and self.real.is_valid():
            self.real.switch()
            gdb.execute("set scheduler-locking replay", to_string=True)


shown = Shown()


def select(t, tid):
    for fiber in fibers(t):
        if fiber.tid == tid and fiber.thread:
            fiber.thread.switch()
            gdb.execute("frame 0", to_string=True)


# ---- Stops --------------------------------------------------------------------------------------


class Stop(gdb.Breakpoint):
    """Where the runtime wants the debugger to stop."""

    def __init__(self):
        super().__init__("*(unsigned long)&heddle_debugger_stop", internal=True)
        self.silent = True

    def stop(self):
        Table().set("helped", 1)
        return True


def say_why(t):
    event = "%d.%d" % (t.thread, t.event)
    if t.why == WHY_BUG:
        print("heddle: the bug shows here: %s" % string(t.message) if t.message else "heddle: the bug shows here")
    elif t.why == WHY_BEFORE:
        print("heddle: T%d is about to do %s" % (t.thread, event))
    else:
        print("heddle: T%d has done %s" % (t.thread, event))


def on_stop(event):
    t = table()
    shown.own = []
    shown.stacks = []
    ours = isinstance(event, gdb.BreakpointEvent) and any(b is stop_here for b in event.breakpoints)
    shown.at_event = bool(ours and t and t.why != WHY_BUG)
    if leaving:
        return
    if not t or (not ours and in_runtime(gdb.newest_frame().pc())):
        return
    running = t.running_tid()
    if not ours and running is None:
        return
    shown.show(t, ours)
    select(t, t.thread if ours else running)
    if ours:
        say_why(t)
        gdb.execute("frame")
    elif isinstance(event, gdb.BreakpointEvent) and isinstance(event.breakpoint, Arrived):
        line = gdb.newest_frame().find_sal().line
        gdb.execute("list %d,%d" % (line, line))


leaving = []  # not empty: on the way out of the runtime


def leave_for_good():
    """Really goes on to where the thread comes back from the runtime."""
    frame = gdb.newest_frame()
    inner = None
    while frame and in_runtime(frame.pc()):
        inner, frame = frame, frame.older()
    if inner is None or frame is None:
        return
    behind = gdb.FinishBreakpoint(inner, internal=True)
    behind.silent = True
    leaving.append(True)
    try:
        gdb.execute("continue", to_string=True)
    finally:
        leaving.clear()
    if not gdb.selected_thread() or in_runtime(gdb.newest_frame().pc()):
        raise gdb.GdbError("heddle: something else happened before")


class Arrived(gdb.Breakpoint):
    """Behind a call that was the end of its line: `next` has arrived, and is not to go on to another one."""

    def __init__(self, at):
        super().__init__("*%d" % at, internal=True, temporary=True)
        self.silent = True


def stop_on_new_line():
    frame = gdb.newest_frame()
    pc = frame.pc()
    here, before = gdb.find_pc_line(pc), gdb.find_pc_line(pc - 1)
    first = frame.architecture().disassemble(pc)[0]
    if here.pc == pc and here.line not in (0, before.line) and not re.match("j|call|ret", first["asm"]):
        Arrived(pc + first["length"])


def before_resuming(command):
    """Called by hooks of gdb's own commands."""
    if leaving:
        return
    was_at_event = shown.at_event
    shown.restore()
    if command in STEPS and was_at_event:
        leave_for_good()
        if command in ("step", "next"):
            stop_on_new_line()


def define_hooks():
    for command in RESUMES + STEPS:
        gdb.execute("define hook-%s\npython heddle_before_resuming('%s')\nend" % (command, command), to_string=True)


# ---- Frames -------------------------------------------------------------------------------------


class OutsideOnly:
    """Backtraces have no frames of the runtime (`bt -no-filters` has)."""

    name = "heddle"
    priority = 100
    enabled = True

    def filter(self, frames):
        return (f for f in frames if not in_runtime(f.inferior_frame().pc()))


# ---- Events -------------------------------------------------------------------------------------


class Step:
    """A step of the execution: struct engine_step_record (runtime/wire/search.h)."""

    def __init__(self, t, raw):
        (self.tid, self.index, self.kind, self.order, self.size, self.flags, self.rf_tid, self.rf_index,
         _, self.peer, self.addr, self.pc, self.value, _, self.stored, _) = struct.unpack("<IIBBBBiIIIxxxxQQQQQQ", raw)
        self.t = t

    def is_event(self):
        """Not one that says where the thread was stopped."""
        return name_in(self.t.op_names, self.kind) not in ("yield", "pause")

    def name(self):
        return "%d.%d" % (self.tid, self.index)

    def source(self):
        return "initial" if self.rf_tid == -1 else "from %d.%d" % (self.rf_tid, self.rf_index)

    def site(self):
        if not self.pc:
            return ""
        line = gdb.find_pc_line(self.pc - 1)
        if line.symtab:
            return "%s:%d" % (line.symtab.filename.split("/")[-1], line.line)
        return object_at(self.pc)

    def text(self):
        words = [name_in(self.t.op_names, self.kind)]
        order = name_in(self.t.order_names, self.order)
        if order != "na":
            words.append(order)
        if words[0] in ("create", "join"):
            words.append("T%d" % self.peer)
        if self.addr:
            words.append(object_at(self.addr))
        if self.size and self.flags & STEP_READ:
            words.append("= %s" % number(self.value))
        if self.size and self.flags & STEP_WROTE:
            words.append(("-> %s" if self.flags & STEP_READ else ":= %s") % number(self.stored))
        if self.size and self.flags & STEP_READ and self.rf_tid >= -1:
            words.append("(%s)" % self.source())
        return " ".join(words)

    def line(self):
        return "  %-6s %-46s %s" % (self.name(), self.text(), self.site())


def number(value):
    return str(value) if value <= 4096 else hex(value)


def object_at(address):
    said = gdb.execute("info symbol %d" % address, to_string=True)
    found = re.match(r"(.*?) in section ", said)
    return found.group(1) if found else hex(address)


def steps_so_far(t):
    if not t.nsteps:
        return []
    raw = bytes(gdb.selected_inferior().read_memory(t.steps, t.nsteps * STEP_SIZE))
    return [Step(t, raw[i:i + STEP_SIZE]) for i in range(0, len(raw), STEP_SIZE)]


def choices(t):
    """Of each step, by how many came before it: what it could have read, as (name, value)."""
    found = {}
    if t.nchoices:
        raw = bytes(gdb.selected_inferior().read_memory(t.choices, t.nchoices * CHOICE_SIZE))
        for step, tid, index, value, _ in struct.iter_unpack("<QiIQQ", raw):
            source = "initial" if tid == -1 else "from %d.%d" % (tid, index)
            found.setdefault(step, []).append((source, value))
    return found


# ---- Commands -----------------------------------------------------------------------------------


class Heddle(gdb.Command):
    """Commands about the execution that heddle replays."""

    def __init__(self):
        super().__init__("heddle", gdb.COMMAND_RUNNING, prefix=True)


class HeddleStep(gdb.Command):
    """heddle step [N]: go on until N events (default 1) have happened, of whichever threads."""

    def __init__(self):
        super().__init__("heddle step", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        t = needed_table()
        count = int(gdb.parse_and_eval(argument)) if argument else 1
        if t.why == WHY_BUG:
            raise gdb.GdbError("heddle: the execution is over: nothing happens behind its bug")
        if count < 1:
            raise gdb.GdbError("heddle: not a number from 1 up: " + argument)
        shown.restore()
        t.set("stop_at", t.done + count)
        gdb.execute("continue")


class HeddleGraph(gdb.Command):
    """heddle graph [T]: the events of each thread up to here (or of thread T only), and what they read."""

    def __init__(self):
        super().__init__("heddle graph", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        t = needed_table()
        only = int(argument.lstrip("T")) if argument else None
        steps = steps_so_far(t)
        for tid in sorted({step.tid for step in steps}):
            if only in (None, tid):
                print("T%d:" % tid)
                for step in steps:
                    if step.tid == tid and step.is_event():
                        print(step.line())


class HeddleWrites(gdb.Command):
    """heddle writes [EVENT | EXPRESSION]: the writes that a read could have observed when it happened.

    EVENT is a name like 1.2; without it, the event that is about to happen. EXPRESSION is an atomic object of
    the program: then of all reads of it up to here."""

    def __init__(self):
        super().__init__("heddle writes", gdb.COMMAND_DATA)

    def tell(self, t, step, found):
        print(step.line())
        for source, value in found:
            here = step.source() == source
            print("    could read %s (%s)%s" % (number(value), source, ", and did" if here else ""))

    def tell_next(self, t, known):
        if t.why != WHY_BEFORE or not shown.at_event:
            raise gdb.GdbError("heddle: no event is about to happen: name one, or an object")
        if t.done not in known:
            raise gdb.GdbError("heddle: %d.%d reads nothing" % (t.thread, t.event))
        print("  %d.%d is about to happen" % (t.thread, t.event))
        for source, value in known[t.done]:
            print("    can read %s (%s)" % (number(value), source))

    def wanted(self, argument):
        event = re.fullmatch(r"(\d+)\.(\d+)", argument)
        if event:
            return lambda step: (step.tid, step.index) == (int(event.group(1)), int(event.group(2)))
        value = gdb.parse_and_eval(argument)
        address = int(value.address) if value.address is not None else int(value)
        return lambda step: step.addr == address

    def invoke(self, argument, from_tty):
        t = needed_table()
        known = choices(t)
        if not argument:
            self.tell_next(t, known)
            return
        wanted = self.wanted(argument)
        met = [(i, step) for i, step in enumerate(steps_so_far(t)) if wanted(step) and i in known]
        if not met:
            raise gdb.GdbError("heddle: nothing up to here reads there: " + argument)
        for i, step in met:
            self.tell(t, step, known[i])


class HeddleThreads(gdb.Command):
    """heddle threads: the threads of the program, and the last event of each."""

    def __init__(self):
        super().__init__("heddle threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        t = needed_table()
        last = {step.tid: step for step in steps_so_far(t) if step.is_event()}
        for fiber in fibers(t):
            step = last.get(fiber.tid)
            print("  T%-3d %-9s %s" % (
                fiber.tid,
                "thread %d" % fiber.thread.num if fiber.thread else "-",
                ("" if fiber.alive else "ended; ") + ("last: " + step.line().strip() if step else "nothing done yet"),
            ))


def install():
    global stop_here
    gdb.execute("set $heddle_helped = 1", to_string=True)
    if hasattr(gdb, "heddle_installed"):
        return
    gdb.heddle_installed = True
    stop_here = Stop()
    for command in (Heddle, HeddleStep, HeddleGraph, HeddleWrites, HeddleThreads):
        command()
    outside_only = OutsideOnly()
    gdb.frame_filters[outside_only.name] = outside_only
    gdb.events.stop.connect(on_stop)
    # Hooks are run in the name space of gdb's command line.
    import __main__

    __main__.heddle_before_resuming = before_resuming
    define_hooks()


install()
