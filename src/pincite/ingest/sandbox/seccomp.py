"""Blocks system calls in a process that parses files, with a seccomp filter.

The program is classic BPF over the kernel's `struct seccomp_data`: call number, architecture,
address, six arguments (https://docs.kernel.org/userspace-api/seccomp_filter.html). It blocks calls
that reach beyond the process; threads, memory and reading remain allowed.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from dataclasses import dataclass

_REFUSED = {
    # name: (number on x86-64, number on aarch64, which has only the newer form)
    **{"socket": (41, 198), "socketpair": (53, 199), "connect": (42, 203), "bind": (49, 200)},
    **{"listen": (50, 201), "accept": (43, 202), "accept4": (288, 242), "sendto": (44, 206)},
    **{"sendmsg": (46, 211), "sendmmsg": (307, 269)},
    **{"execve": (59, 221), "execveat": (322, 281), "fork": (57, None), "vfork": (58, None)},
    **{"ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271)},
    **{"process_madvise": (440, 440), "kill": (62, 129), "tkill": (200, 130)},
    **{"rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "pidfd_open": (434, 434)},
    **{"pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424)},
    **{"creat": (85, None), "rename": (82, None), "renameat": (264, 38), "renameat2": (316, 276)},
    **{"link": (86, None), "linkat": (265, 37), "symlink": (88, None), "symlinkat": (266, 36)},
    **{"unlink": (87, None), "unlinkat": (263, 35), "mkdir": (83, None), "mkdirat": (258, 34)},
    **{"rmdir": (84, None), "mknod": (133, None), "mknodat": (259, 33), "truncate": (76, 45)},
    **{"ftruncate": (77, 46), "fallocate": (285, 47), "chmod": (90, None), "fchmod": (91, 52)},
    **{"fchmodat": (268, 53), "chown": (92, None), "fchown": (93, 55), "lchown": (94, None)},
    **{"fchownat": (260, 54), "utime": (132, None), "utimes": (235, None), "utimensat": (280, 88)},
    **{
        "futimesat": (261, None),
        "setxattr": (188, 5),
        "lsetxattr": (189, 6),
        "fsetxattr": (190, 7),
    },
    **{"removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16)},
    **{"copy_file_range": (326, 285), "sendfile": (40, 71), "splice": (275, 76), "tee": (276, 77)},
    **{"vmsplice": (278, 75), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41)},
    **{"chroot": (161, 51), "chdir": (80, 49), "fchdir": (81, 50), "unshare": (272, 97)},
    **{"setns": (308, 268), "open_tree": (428, 428), "move_mount": (429, 429)},
    **{"fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433)},
    **{"mount_setattr": (442, 442), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426)},
    **{"io_uring_register": (427, 427), "io_setup": (206, 0), "io_submit": (209, 2)},
    **{"bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282)},
    **{"memfd_secret": (447, 447), "keyctl": (250, 219), "add_key": (248, 217)},
    **{"request_key": (249, 218), "kexec_load": (246, 104), "kexec_file_load": (320, 294)},
    **{"init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106)},
    **{"reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89)},
    **{"quotactl": (179, 60), "quotactl_fd": (443, 443), "settimeofday": (164, 170)},
    **{"clock_settime": (227, 112), "clock_adjtime": (305, 266), "adjtimex": (159, 171)},
    **{"sethostname": (170, 161), "setdomainname": (171, 162), "iopl": (172, None)},
    **{"ioperm": (173, None), "personality": (135, 92), "modify_ldt": (154, None)},
    **{"name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265)},
    **{"fanotify_init": (300, 262), "inotify_init": (253, None), "inotify_init1": (294, 26)},
    **{"syslog": (103, 116), "shmget": (29, 194), "shmat": (30, 196), "msgget": (68, 186)},
    **{"semget": (64, 190), "mq_open": (240, 180), "setuid": (105, 146), "setgid": (106, 144)},
    **{"setreuid": (113, 145), "setregid": (114, 143), "setresuid": (117, 147)},
    **{"setresgid": (119, 149), "setgroups": (116, 159), "setfsuid": (122, 151)},
    **{"setfsgid": (123, 152), "capset": (126, 91), "setpgid": (109, 154), "setsid": (112, 157)},
}
"""Network; other programs and processes; changes to the disk; ways around these; the system itself."""


@dataclass(frozen=True, slots=True)
class _Machine:
    """The numbers of one architecture: its own, and those of calls filtered by their arguments."""

    audit: int
    column: int
    open: int | None
    openat: int
    openat2: int
    clone: int
    clone3: int
    ioctl: int
    tgkill: int
    prlimit: int


_MACHINES = {
    "x86_64": _Machine(0xC000003E, 0, 2, 257, 437, 56, 435, 16, 234, 302),
    "aarch64": _Machine(0xC00000B7, 1, None, 56, 437, 220, 435, 29, 131, 261),
}
_FIRST_UNKNOWN = 449
"""Calls from here on are newer than this list, so their effects are unknown."""

_CLONE_THREAD = 0x10000
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

_LOAD, _IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_ALLOW, _ERROR, _KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000

Instruction = tuple[int, int, int, int]
"""Opcode, instructions to skip if true, instructions to skip if false, operand."""


def program(machine: str, process: int) -> list[Instruction]:
    """The filter for this process id. Raises KeyError for an unsupported architecture."""
    of = _MACHINES[machine]
    numbers = [found[of.column] for found in _REFUSED.values()]
    return [
        *_known_calls(of),
        *_where(of.openat2, _ERROR | errno.ENOSYS),
        # Its flags are in memory, which a filter cannot read; the C library falls back to `clone`.
        *_where(of.clone3, _ERROR | errno.ENOSYS),
        *_where(of.ioctl, _ERROR | errno.ENOTTY),
        *(line for number in numbers if number is not None for line in _where(number, _refusal())),
        *(_if_writing(of.open, 1) if of.open is not None else ()),
        *_if_writing(of.openat, 2),
        *_only(of.clone, (_IF_ANY_BIT, 0, 1, _CLONE_THREAD)),
        *_only(of.tgkill, (_IF_EQUAL, 0, 1, process)),
        *_only(of.prlimit, (_IF_EQUAL, 0, 1, 0)),
        (_RETURN, 0, 0, _ALLOW),
    ]


_OF_PROGRAMS = frozenset(
    """
    socket socketpair bind listen accept accept4 sendto sendmsg sendmmsg execve execveat fork vfork
    kill tkill pidfd_open creat pidfd_send_signal rename renameat renameat2 link linkat symlink
    symlinkat unlink unlinkat mkdir mkdirat rmdir truncate ftruncate fallocate chmod fchmod fchmodat
    utime utimes utimensat futimesat copy_file_range sendfile chdir fchdir
    inotify_init inotify_init1 personality shmget shmat semget splice
    """.split()
)
"""What a whole program needs that a reader does not; Landlock says where it may write."""
_OWN_MACHINE = 1
"""AF_UNIX: sockets to other processes of this machine, which Landlock restricts."""


def program_without_network(machine: str) -> list[Instruction]:
    """The filter for another program. Raises KeyError for an unsupported architecture."""
    of = _MACHINES[machine]
    refused = [found[of.column] for name, found in _REFUSED.items() if name not in _OF_PROGRAMS]
    return [
        *_known_calls(of),
        *(line for number in refused if number is not None for line in _where(number, _refusal())),
        *_only(_REFUSED["socket"][of.column] or 0, (_IF_EQUAL, 0, 1, _OWN_MACHINE)),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _known_calls(of: _Machine) -> list[Instruction]:
    """Kill other architectures, refuse newer calls, and leave the number of the call loaded."""
    return [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_IF_EQUAL, 1, 0, of.audit),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER),
        # These include the x32 calls, whose numbers are offset by 0x40000000.
        (_IF_AT_LEAST, 0, 1, _FIRST_UNKNOWN),
        (_RETURN, 0, 0, _ERROR | errno.ENOSYS),
    ]


def _refusal() -> int:
    return _ERROR | errno.EPERM


def _where(number: int, result: int) -> list[Instruction]:
    return [(_IF_EQUAL, 0, 1, number), (_RETURN, 0, 0, result)]


def _if_writing(number: int, argument: int) -> list[Instruction]:
    return [
        (_IF_EQUAL, 0, 4, number),
        (_LOAD, 0, 0, _ARGUMENTS + 8 * argument),
        (_IF_ANY_BIT, 0, 1, _WRITING),
        (_RETURN, 0, 0, _refusal()),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _only(number: int, condition: Instruction) -> list[Instruction]:
    """Allow a call only if the lower half of its first argument meets the condition."""
    return [
        (_IF_EQUAL, 0, 4, number),
        (_LOAD, 0, 0, _ARGUMENTS),
        condition,
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _refusal()),
    ]


# --- Installing the filter ----------------------------------------------------------------------

_SET_NO_NEW_PRIVILEGES = 38
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_SET_FILTER, _ACTION_AVAILABLE = 1, 2
_ALL_THREADS = 1


class _Filter(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("if_true", ctypes.c_uint8),
        ("if_false", ctypes.c_uint8),
        ("operand", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("filter", ctypes.POINTER(_Filter)))


def refuse_new_privileges() -> str:
    """Set no_new_privs: programs started from here gain no privileges. Returns why it failed."""
    if not sys.platform.startswith("linux"):
        return "only Linux has no_new_privs"
    if _libc().prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return f"no_new_privs: {os.strerror(ctypes.get_errno())}"
    return ""


def unavailable() -> str:
    """Why seccomp filters are unavailable on this machine; an empty string if they work."""
    machine = os.uname().machine if sys.platform.startswith("linux") else ""
    if machine not in _SECCOMP or sys.maxsize < 2**32:
        return f"no seccomp filter for {machine or sys.platform}"
    action = ctypes.c_uint32(_ERROR)
    if _libc().syscall(_SECCOMP[machine], _ACTION_AVAILABLE, 0, ctypes.byref(action)):
        return f"seccomp: {os.strerror(ctypes.get_errno())}"
    return ""


def refuse_calls() -> bool:
    """Install the filter permanently for all threads of this process; returns whether it worked."""
    return not unavailable() and _install(program(os.uname().machine, os.getpid()))


def refuse_network() -> bool:
    """The same with the filter for another program, which is started afterwards."""
    return not unavailable() and _install(program_without_network(os.uname().machine))


def _install(lines: list[Instruction]) -> bool:
    machine = os.uname().machine
    filters = (_Filter * len(lines))(*(_Filter(*line) for line in lines))
    given = _Program(len(lines), filters)
    result = _libc().syscall(_SECCOMP[machine], _SET_FILTER, _ALL_THREADS, ctypes.byref(given))
    return bool(result == 0)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
