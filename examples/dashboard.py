"""A cost-aware study in optuna-dashboard: create one, serve it, and look at the page.

    pip install '.[optuna]' optuna-dashboard && python examples/dashboard.py        in a checkout; stop with Ctrl-C
    python examples/dashboard.py --port 8081                                      another port than 8080
    python examples/dashboard.py --once                                           fetch the page, and stop

The sampler stores everything in Optuna's own storage, so the dashboard needs nothing from camobo.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
import threading
import urllib.request
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import optuna
import optuna_dashboard
from steel import furnace

from camobo.optuna import CostAwareSampler


def objective(trial: optuna.Trial) -> tuple[float, float]:
    """Strength and corrosion of a made-up steel. Above about 12 % chromium it rusts less and is weaker."""
    values = furnace({name: trial.suggest_float(name, 0, 20) for name in ("nickel", "chromium")})
    return values["strength"], values["corrosion"]


class Quiet(WSGIRequestHandler):
    """Serves without a log line per request."""

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def look(address: str) -> None:
    """Fetch the page and the list of studies, and print what came."""
    page = urllib.request.urlopen(f"{address}/dashboard").read().decode()
    answer = json.load(urllib.request.urlopen(f"{address}/api/studies"))
    names = [summary["study_name"] for summary in answer["study_summaries"]]
    print(f"{address}/dashboard: {len(page)} characters, studies: {', '.join(names)}")


def serve(server: WSGIServer, once: bool) -> None:
    """Serve until Ctrl-C, or until the page has been fetched once."""
    address = f"http://127.0.0.1:{server.server_port}"
    if once:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        look(address)
        server.shutdown()
        return
    with contextlib.suppress(KeyboardInterrupt):
        print(f"Open {address}/dashboard; Ctrl-C ends it.", flush=True)
        server.serve_forever()


def main() -> None:
    """Create a study of 30 trials in a temporary file and serve it."""
    options = argparse.ArgumentParser(description="A cost-aware study in optuna-dashboard.")
    options.add_argument("--port", type=int, default=8080)
    options.add_argument("--once", action="store_true", help="fetch the page from any free port, and stop")
    given = options.parse_args()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with tempfile.TemporaryDirectory() as folder:
        storage = optuna.storages.RDBStorage(f"sqlite:///{Path(folder) / 'steel.db'}")
        port = 0 if given.once else given.port
        try:
            server = make_server("127.0.0.1", port, optuna_dashboard.wsgi(storage), handler_class=Quiet)
        except (OSError, OverflowError) as error:
            sys.exit(f"Cannot serve on port {port} ({error}). Name another with --port; 0 takes any free one.")
        sampler = CostAwareSampler("nickel > chromium", budget=30, seed=0)
        study = optuna.create_study(
            study_name="steel", storage=storage, directions=["maximize", "minimize"], sampler=sampler
        )
        study.optimize(objective, n_trials=30)
        with server:
            serve(server, given.once)
        storage.remove_session()
        storage.engine.dispose()


if __name__ == "__main__":
    main()
