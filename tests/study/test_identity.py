from __future__ import annotations

import getpass
import os
import socket
from typing import NoReturn

import pytest

from camobo.errors import InvalidOptionError
from camobo.study.identity import login, worker_name


def test_a_worker_is_named_by_user_host_and_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "anna")
    assert login() == "anna"
    assert worker_name() == f"anna@{socket.gethostname()}:{os.getpid()}"


def test_a_worker_with_a_name_of_its_own_keeps_it_if_it_is_one() -> None:
    assert worker_name("night shift") == "night shift"
    with pytest.raises(InvalidOptionError, match="owner: need a name that is not blank"):
        worker_name(" ")


@pytest.mark.parametrize("error", [KeyError, OSError])
def test_a_user_without_a_name_goes_by_its_number(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    def nameless() -> NoReturn:
        raise error("no such user")

    monkeypatch.setattr(getpass, "getuser", nameless)
    assert login() == str(os.getuid())
    monkeypatch.delattr(os, "getuid")
    assert login() == "unknown"
