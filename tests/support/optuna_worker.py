"""A worker process of an Optuna study, for tests that kill one: `python optuna_worker.py URL TRIALS`.

It prints a line, waits for one, and then runs trials until TRIALS of the study are complete, with a line for each.
"""

from __future__ import annotations

import sys
import time

import optuna

from camobo.optuna import CostAwareSampler


def objective(trial: optuna.Trial) -> tuple[float, float]:
    """A small space, so that two workers would often choose the same point."""
    trees, depth = trial.suggest_int("trees", 1, 20), trial.suggest_int("depth", 1, 8)
    print(f"started {trial.number}", flush=True)
    time.sleep(0.02)
    return abs(trees - 6.3) / 20.0, abs(depth - 5.1) / 8.0 + 0.01 * trees


def main() -> None:
    url, wanted = sys.argv[1], int(sys.argv[2])
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = CostAwareSampler("trees > depth", budget=wanted, seed=0)
    study = optuna.load_study(study_name="shared", storage=url, sampler=sampler)

    def stop_at_the_end(study: optuna.Study, _: object) -> None:
        if len(study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.COMPLETE,))) >= wanted:
            study.stop()

    print("ready", flush=True)
    sys.stdin.readline()  # workers load for seconds, and are to run at the same time
    study.optimize(objective, callbacks=[stop_at_the_end])


if __name__ == "__main__":
    main()
