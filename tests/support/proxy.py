"""A TCP proxy between a client and a PostgreSQL server that loses chosen COMMITs, or the replies to them."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator
from typing import Literal
from urllib.parse import parse_qs, urlsplit

Loss = Literal["commit", "reply", "late commit"]
"""commit: it never arrives. reply: the change is stored, but nobody hears of it. late commit: the client's connection
breaks at once, and the COMMIT arrives a second later."""
LATE = 1.0


class Proxy:
    """Forwards connections to the server of a URL; `loses` says what happens to the next COMMITs of changes."""

    def __init__(self, server: str) -> None:
        (folder,) = parse_qs(urlsplit(server).query)["host"]
        self.behind = f"{folder}/.s.PGSQL.5432"
        self.loses: deque[Loss] = deque()
        self.lost = 0
        self.open = True
        """Whether connections are let through."""
        self.away_after_loss = False
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = (
            f"postgresql+psycopg://postgres@127.0.0.1:{self._listening.getsockname()[1]}/postgres?sslmode=disable"
        )
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                if not self.open:
                    client.close()
                    continue
                server = socket.socket(socket.AF_UNIX)
                server.connect(self.behind)
                threading.Thread(target=self._to_server, args=(client, server), daemon=True).start()
                threading.Thread(target=self._to_client, args=(server, client), daemon=True).start()

    def _to_server(self, client: socket.socket, server: socket.socket) -> None:
        writes = False
        with contextlib.suppress(OSError):
            while sent := client.recv(65536):
                writes = writes or b"FOR UPDATE" in sent
                if b"COMMIT" in sent:
                    if writes and self.loses:
                        self._lose(self.loses.popleft(), sent, client, server)
                        return
                    writes = False
                server.sendall(sent)
        _end(client, server)

    def _to_client(self, server: socket.socket, client: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while said := server.recv(65536):
                client.sendall(said)
        _end(client)

    def _lose(self, loss: Loss, commit: bytes, client: socket.socket, server: socket.socket) -> None:
        self.lost += 1
        self.open = not self.away_after_loss
        if loss == "reply":
            client.shutdown(socket.SHUT_WR)  # before the server says anything
            server.sendall(commit)
            time.sleep(0.2)  # it commits
        _end(client)
        if loss == "late commit":
            time.sleep(LATE)
            server.sendall(commit)
            time.sleep(0.2)
        _end(server)


def _end(*sockets: socket.socket) -> None:
    for one in sockets:
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()


@contextlib.contextmanager
def proxy_to(server: str) -> Iterator[Proxy]:
    proxy = Proxy(server)
    try:
        yield proxy
    finally:
        proxy.close()
