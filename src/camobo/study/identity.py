"""The names that trials and events carry."""

from __future__ import annotations

import getpass
import os
import socket

from camobo.checks import owner_name


def worker_name(owner: str | None = None) -> str:
    """The owner of the trials that `optimize` evaluates: as given, or user, host and process, "anna@lab:4711"."""
    return owner_name(owner) or f"{login()}@{socket.gethostname()}:{os.getpid()}"


def login() -> str:
    """The user this process runs under."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run under a user id without a name
        return str(os.getuid()) if hasattr(os, "getuid") else "unknown"
