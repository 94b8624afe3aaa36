"""A cost-aware study in optuna-dashboard: make one, serve it, and look at the page.

    pip install 'camobo[optuna]' optuna-dashboard && python examples/dashboard.py          until Ctrl-C
    python examples/dashboard.py --once                                                  fetch it, and stop

The sampler keeps everything in Optuna's own storage, so the dashboard needs nothing from camobo.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import urllib.request
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, make_server

import optuna
import optuna_dashboard

from camobo.optuna import CostAwareSampler


def objective(trial: optuna.Trial) -> tuple[float, float]:
    """Strength and corrosion of an imaginary steel."""
    nickel, chromium = trial.suggest_float("nickel", 0, 20), trial.suggest_float("chromium", 0, 20)
    return 400 + 12 * nickel + 5 * chromium - 0.3 * nickel**2, 5.0 / (1.0 + 0.2 * chromium + 0.05 * nickel)


class Quiet(WSGIRequestHandler):
    """Serves without a line for every request."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def main() -> None:
    """Make a study of 30 trials in a temporary file and serve it."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with tempfile.TemporaryDirectory() as folder:
        storage = optuna.storages.RDBStorage(f"sqlite:///{Path(folder) / 'steel.db'}")
        sampler = CostAwareSampler("nickel > chromium", budget=30, seed=0)
        study = optuna.create_study(
            study_name="steel", storage=storage, directions=["maximize", "minimize"], sampler=sampler
        )
        study.optimize(objective, n_trials=30)
        port = 0 if "--once" in sys.argv else 8080
        server = make_server("127.0.0.1", port, optuna_dashboard.wsgi(storage), handler_class=Quiet)
        address = f"http://127.0.0.1:{server.server_port}"
        if "--once" in sys.argv:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            page = urllib.request.urlopen(f"{address}/dashboard").read().decode()
            told = json.load(urllib.request.urlopen(f"{address}/api/studies"))
            names = [summary["study_name"] for summary in told["study_summaries"]]
            print(f"{address}/dashboard: {len(page)} characters, studies: {', '.join(names)}")
            server.shutdown()
        else:
            print(f"Open {address}/dashboard; Ctrl-C ends it.")
            server.serve_forever()
        server.server_close()
        storage.remove_session()
        storage.engine.dispose()


if __name__ == "__main__":
    main()
