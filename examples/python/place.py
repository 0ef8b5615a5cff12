#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The libplace developers
"""libplace from Python, by ctypes: the machine, and the CPU it would take for a task."""
import ctypes
import os
import sys
import time

place = ctypes.CDLL(os.environ.get("LIBPLACE_SO", "libplace.so.0"))
place.place_version.restype = ctypes.c_char_p


class Machine(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in (
        "size", "generation", "nr_cpu_ids", "nr_online", "nr_cores", "nr_clusters", "nr_llcs",
        "nr_packages", "nr_nodes", "nr_siblings", "asymmetric", "reserved")]


class Select(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("flags", ctypes.c_uint32),
                ("target", ctypes.c_int32), ("prev", ctypes.c_int32),
                ("util", ctypes.c_uint32), ("util_min", ctypes.c_uint32),
                ("util_max", ctypes.c_uint32), ("nr_cpus", ctypes.c_uint32),
                ("cpus", ctypes.POINTER(ctypes.c_ulong))]


class Choice(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("cpu", ctypes.c_int32), ("why", ctypes.c_char_p),
                ("rule", ctypes.c_char_p), ("load_age_ns", ctypes.c_uint64)]


def sized(kind, **fields):
    return kind(size=ctypes.sizeof(kind), **fields)


def check(ret):
    if ret < 0:
        raise OSError(-ret, os.strerror(-ret))
    return ret


def main():
    print("libplace", place.place_version().decode())
    try:
        check(place.place_start(None))
    except PermissionError:
        print("kept off by the environment")
        return 0
    machine = sized(Machine)
    # The keeper reads the machine after the first start; within a second, or there is no keeper.
    deadline = time.monotonic() + 10
    while place.place_machine_get(ctypes.byref(machine)) < 0:
        if time.monotonic() > deadline:
            print("nobody reads the machine here")
            return 1
        time.sleep(0.01)
    print(machine.nr_online, "CPUs on", machine.nr_cores, "cores")
    select, choice = sized(Select, util=200), sized(Choice)
    check(place.place_select_cpu(ctypes.byref(select), ctypes.byref(choice)))
    print("a small task would go to CPU", choice.cpu, "-", choice.why.decode())
    check(place.place_stop())
    # Misuse is answered, never fatal.
    return 0 if place.place_stop() < 0 and 0 <= choice.cpu < machine.nr_cpu_ids else 1


sys.exit(main())
