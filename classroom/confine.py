"""Gives up privileges for good: what a process does to itself before it runs a student's code.

Standard library only, and nothing of this repository: it runs inside the sandbox.
"""

import ctypes
import errno
import os
import platform
import signal
import struct
from pathlib import Path

libc = ctypes.CDLL(None, use_errno=True)

# prctl(2)
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 22, 24
PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 38, 47, 4
# mount(2), unshare(2)
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_REC, MS_PRIVATE = 0x4000, 0x40000
NEW_MOUNTS, NEW_CGROUPS, NEW_UTS, NEW_IPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
NEW_USERS, NEW_PIDS, NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
NEW_ANYTHING = NEW_MOUNTS | NEW_CGROUPS | NEW_UTS | NEW_IPC | NEW_USERS | NEW_PIDS | NEW_NETWORK

# System calls that no exercise needs and that reach other processes, the kernel's own stores or
# memory that no limit counts: x86-64's and arm64's numbers.
FORBIDDEN = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsmount": (432, 432),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "fanotify_init": (300, 262),
    "quotactl": (179, 60),
    "swapon": (167, 224),
    "reboot": (169, 142),
    "syslog": (103, 116),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "vmsplice": (278, 75),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
}
# Calls on the process that their first argument names: allowed on oneself, which is 0. The
# supervisor has the same uid, and they ask for no more than that.
ON_A_PROCESS = {
    "prlimit64": (302, 261),
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
}
CLONE, CLONE3, SOCKET = (56, 220), (435, 435), (41, 198)
AUDIT_ARCH = (0xC000003E, 0xC00000B7)
MACHINES = ("x86_64", "aarch64")
FAMILIES = (1, 2, 10)  # unix, inet, inet6: these belong to the empty network namespace


def check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def prctl(option: int, *values: int) -> None:
    padded = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    check(libc.prctl(option, *padded), f"prctl {option}")


def guard_supervisor() -> None:
    """Make this process one that its equals cannot read, trace or interrupt."""
    prctl(PR_SET_DUMPABLE, 0)  # /proc/<it>/mem and /proc/<it>/fd are root's, though its uid is not
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_IGN)
    syscall = {"x86_64": 250, "aarch64": 219}.get(platform.machine())
    if syscall:
        libc.syscall(syscall, 1, None)  # KEYCTL_JOIN_SESSION_KEYRING: not the teacher's keys


def become(uid: int) -> None:
    """Become a user without rights: no groups, no capabilities, now or ever again."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    if os.getuid() == 0:
        for capability in range(64):
            if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
                break
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    header = struct.pack("Ii", 0x20080522, 0)
    check(libc.capset(header, bytes(24)), "capset")
    prctl(PR_SET_DUMPABLE, 0)  # a change of uid sets these two anew
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def mount_scratch(folder: str, size: int) -> None:
    """An empty file system in memory over `folder`, with a bound on bytes and on files."""
    options = f"size={size},nr_inodes=4096,mode=1777".encode()
    flags = MS_NOSUID | MS_NODEV
    check(libc.mount(b"scratch", folder.encode(), b"tmpfs", flags, options), f"mount {folder}")


def enter_namespaces() -> None:
    """Fresh mounts, network, IPC and host name; the next child is the first process of its own."""
    check(libc.unshare(NEW_MOUNTS | NEW_PIDS | NEW_NETWORK | NEW_IPC | NEW_UTS), "unshare")
    check(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None), "make mounts private")


def hide_proc() -> None:
    """Cover /proc. TensorFlow asks it where its executable is; any answer will do."""
    flags = MS_NOSUID | MS_NODEV | MS_NOEXEC
    check(libc.mount(b"proc", b"/proc", b"tmpfs", flags, b"size=64k,nr_inodes=8"), "cover /proc")
    Path("/proc/self").mkdir()
    Path("/proc/self/exe").symlink_to("/grader/worker")
    check(libc.mount(None, b"/proc", None, MS_REMOUNT | MS_RDONLY | flags, None), "/proc")


def forbid_system_calls() -> bool:
    """Refuse the FORBIDDEN calls, new namespaces, and sockets that leave this machine's kernel.

    Returns False on a machine whose numbers are not known here; the namespaces hold there too.
    """
    if platform.machine() not in MACHINES:
        return False
    program = system_call_filter(MACHINES.index(platform.machine()))
    buffer = ctypes.create_string_buffer(program, len(program))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    said = Program(len(program) // 8, ctypes.addressof(buffer))
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    prctl(PR_SET_SECCOMP, 2, ctypes.addressof(said))
    return True


def system_call_filter(machine: int) -> bytes:
    """The filter as a classic BPF program; each instruction is 8 bytes."""
    load, equal, at_least, any_bit, done = 0x20, 0x15, 0x35, 0x45, 0x06
    allow, refuse, unknown = 0x7FFF0000, 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS
    kill = 0x80000000

    def op(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
        return struct.pack("HBBI", code, yes, no, value)

    rows = [op(load, 4), op(equal, AUDIT_ARCH[machine], 1, 0), op(done, kill), op(load, 0)]
    rows += [op(at_least, 0x40000000, 0, 1), op(done, refuse)]  # x32 numbers the calls anew
    for numbers in FORBIDDEN.values():
        rows += [op(equal, numbers[machine], 0, 1), op(done, refuse)]
    rows += [op(equal, CLONE3[machine], 0, 1), op(done, unknown)]  # glibc falls back on clone
    rows += [op(equal, CLONE[machine], 0, 4), op(load, 16), op(any_bit, NEW_ANYTHING, 0, 1)]
    rows += [op(done, refuse), op(done, allow)]
    for numbers in ON_A_PROCESS.values():
        rows += [op(equal, numbers[machine], 0, 4), op(load, 16), op(equal, 0, 1, 0)]
        rows += [op(done, refuse), op(done, allow)]
    rows += [op(equal, SOCKET[machine], 0, 3 + len(FAMILIES)), op(load, 16)]
    for index, family in enumerate(FAMILIES):
        rows += [op(equal, family, len(FAMILIES) - index, 0)]
    rows += [op(done, refuse), op(done, allow), op(done, allow)]
    return b"".join(rows)
