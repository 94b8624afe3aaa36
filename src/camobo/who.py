"""Who does something, as the audit trail has it."""

from __future__ import annotations

import getpass
import os
import socket


def worker_name() -> str:
    """This user, host and process: who `optimize` evaluates for unless told otherwise."""
    return f"{login()}@{socket.gethostname()}:{os.getpid()}"


def login() -> str:
    """The name this process runs under."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run under a number that has no name
        return str(os.getuid()) if hasattr(os, "getuid") else "unknown"
