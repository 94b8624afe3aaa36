"""The environment of the contest: what suits the peers in it, and makes runs repeatable."""

from __future__ import annotations

import os
import sys

SURROUNDINGS = {
    # SMAC's runs depend on the hash seed.
    "PYTHONHASHSEED": "0",
    # BoTorch makes and drops large tensors all the time: their memory is kept, in large pages, instead of being given
    # back to the system each time. 45 evaluations of Matyas–Booth, the one run compared: 68 and 70 s without, 59 s with
    # it, 51 and 54 s with it and denormal numbers flushed; hypervolume and use of inputs are the same.
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=1073741824"
    ":glibc.malloc.trim_threshold=2147483648:glibc.malloc.top_pad=67108864",
}


def begin_again() -> None:
    """Begin this program again in the surroundings it needs, if it is not in them."""
    if any(os.environ.get(name) != value for name, value in SURROUNDINGS.items()):
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**os.environ, **SURROUNDINGS})
