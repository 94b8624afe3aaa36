"""Ray Tune through Optuna: the same sampler, Ray's scheduling.

    pip install 'camobo[optuna]' 'ray[tune]' && python examples/ray_tune.py

`OptunaSearch` asks the sampler one trial at a time; trials that run at once know of one another.
"""

from __future__ import annotations

import sys

import optuna
from ray import tune
from ray.tune.search import ConcurrencyLimiter
from ray.tune.search.optuna import OptunaSearch

from camobo.optuna import CostAwareSampler


def steel(config: dict[str, float]) -> None:
    """Strength and corrosion of an imaginary steel."""
    nickel, chromium = config["nickel"], config["chromium"]
    tune.report(
        {
            "strength": 400 + 12 * nickel + 5 * chromium - 0.3 * nickel**2,
            "corrosion": 5.0 / (1.0 + 0.2 * chromium + 0.05 * nickel),
        }
    )


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
        steel,
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
