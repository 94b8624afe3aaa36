"""camobo's Optuna sampler in Ray Tune, which schedules the trials.

    pip install '.[optuna]' 'ray[tune]' && python examples/ray_tune.py        in a checkout

`OptunaSearch` asks the sampler for one trial at a time. The sampler knows which trials are running.
"""

from __future__ import annotations

import sys

import optuna
from ray import tune
from ray.tune.search import ConcurrencyLimiter
from ray.tune.search.optuna import OptunaSearch
from steel import furnace

from camobo.optuna import CostAwareSampler


def melt(config: dict[str, float]) -> None:
    """Strength and corrosion of a made-up steel. Above about 12 % chromium it rusts less and is weaker."""
    tune.report(furnace(config))


def main() -> None:
    """Tune two objectives, two trials at a time."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    search = OptunaSearch(
        metric=["strength", "corrosion"],
        mode=["max", "min"],
        sampler=CostAwareSampler("nickel > chromium", budget=trials, seed=0),
    )
    tuner = tune.Tuner(
        melt,
        param_space={"nickel": tune.uniform(0, 20), "chromium": tune.uniform(0, 20)},
        tune_config=tune.TuneConfig(search_alg=ConcurrencyLimiter(search, max_concurrent=2), num_samples=trials),
    )
    results = tuner.fit()
    configs = [result.config or {} for result in results]
    print(f"{len(configs)} trials, {results.num_errors} failed")
    for name in ("nickel", "chromium"):
        print(f"  mean {name} {sum(config[name] for config in configs) / len(configs):.1f} %")


if __name__ == "__main__":
    main()
