"""The names that trials and events carry."""

from __future__ import annotations

import getpass
import os
import socket


def worker_name() -> str:
    """User, host and process, "anna@lab:4711": the owner of the trials `optimize` evaluates unless one is given."""
    return f"{login()}@{socket.gethostname()}:{os.getpid()}"


def login() -> str:
    """The user this process runs under."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run under a user id without a name
        return str(os.getuid()) if hasattr(os, "getuid") else "unknown"
