"""A small steel study: strong and rust-resistant, with as little nickel as that takes.

    python examples/steel.py

The alloy is made up, from textbook tendencies: chromium makes the rust-proof film, nickel toughens and helps it,
both strengthen with diminishing returns, and too much of either coarsens the grain. It stands in for a furnace.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from statistics import median

import camobo as cm

EVALUATIONS = 40
SEEDS = range(1, 11)
REFERENCE = {"strength": 250.0, "corrosion": 1.2}
SHARES = (0.8, 0.9, 0.95, 0.98)
METHODS: tuple[tuple[str, str | None, str], ...] = (
    ("camobo, nickel > chromium", "nickel > chromium", "default"),
    ("camobo, no cost", None, "default"),
    ("MO-UCB (the paper's baseline)", None, "paper"),
)

space = cm.Space({"nickel": cm.Real(0, 20, unit="%"), "chromium": cm.Real(0, 20, unit="%")})


def furnace(params: Mapping[str, float]) -> dict[str, float]:
    """Yield strength in MPa and corrosion in mm per year."""
    nickel, chromium = params["nickel"], params["chromium"]
    hardening = 150 * (1 - math.exp(-nickel / 4)) + 190 * (1 - math.exp(-chromium / 8))
    coarsening = 0.9 * max(0.0, nickel - 7) ** 2 + 1.6 * max(0.0, chromium - 11) ** 2
    film = 1 / (1 + math.exp(-(chromium - 11) / 2.5))
    corrosion = 1.1 - 0.85 * film - 0.12 * (1 - math.exp(-nickel / 5))
    return {"strength": 250 + hardening - coarsening, "corrosion": corrosion}


def melt(seed: int, cost: str | None, method: str = "default", *, thrift: float = 1.0) -> cm.Study:
    """One study from the first melt to the last."""
    study = cm.Study(
        space,
        objectives={"strength": "max", "corrosion": "min"},
        cost=cost,
        budget=EVALUATIONS,
        thrift=thrift,
        seed=seed,
        method=method,  # type: ignore[arg-type]
        reference=REFERENCE,
    )
    return study.optimize(furnace, EVALUATIONS)


def path(study: cm.Study) -> list[tuple[float, float]]:
    """Nickel used so far and hypervolume reached so far, melt by melt."""
    again = cm.Study(space, study.objectives, reference=REFERENCE)
    used, found = 0.0, []
    for trial in study.trials:
        used += trial.params["nickel"]
        again.add(trial.params, furnace(trial.params))
        found.append((used, again.hypervolume()))
    return found


def nickel_until(path: list[tuple[float, float]], volume: float) -> float:
    """Nickel used until a hypervolume was reached; infinite if it never was."""
    return next((used for used, reached in path if reached >= volume), math.inf)


def mean(numbers: Iterable[float]) -> float:
    """The mean over the seeds."""
    return sum(numbers) / len(SEEDS)


def show_front(study: cm.Study) -> None:
    """Print the best trade-offs of a study, strongest first; of many, some."""
    front = sorted(study.front(), key=lambda trial: -trial.values["strength"] if trial.values else 0.0)
    print(f"{EVALUATIONS} melts, told only that nickel is more expensive than chromium. The best trade-offs found:\n")
    print("   melt   nickel %   chromium %   strength MPa   corrosion mm/a")
    shown = front[:: max(1, len(front) // 10)]
    for trial in shown:
        assert trial.values is not None
        print(
            f"{trial.number:7d} {trial.params['nickel']:10.2f} {trial.params['chromium']:12.2f}"
            f" {trial.values['strength']:14.1f} {trial.values['corrosion']:16.3f}"
        )
    which = "." if shown == front else "; these are some of them."
    print(f"\n{len(front)} of the {EVALUATIONS} melts are on the front{which}\n")


def main() -> None:
    """Print the front of one cost-aware study, then what ten of each kind used and found."""
    made = {label: [melt(seed, cost, method) for seed in SEEDS] for label, cost, method in METHODS}
    aware = made[METHODS[0][0]][0]
    show_front(aware)
    print(f"Means of {len(SEEDS)} studies of {EVALUATIONS} melts:      nickel used   chromium used   hypervolume")
    for label, studies in made.items():
        nickel, chromium = (mean(study.usage()[name] for study in studies) for name in ("nickel", "chromium"))
        print(f"  {label:34s} {nickel:13.1f} {chromium:15.1f} {mean(s.hypervolume() for s in studies):13.1f}")
    paths = {label: [path(study) for study in studies] for label, studies in made.items()}
    best = max(volume for several in paths.values() for one in several for _, volume in one)
    print(
        "\nNickel used until so much of the best front was found, medians:"
        + "".join(f"{share:8.0%}" for share in SHARES)
    )
    for label, several in paths.items():
        used = (median(nickel_until(one, share * best) for one in several) for share in SHARES)
        print(f"  {label:61s}" + "".join(f"{nickel:8.0f}" for nickel in used))
    print("\nWhy melt 20 was suggested:\n")
    print(aware.explain(20))


if __name__ == "__main__":
    main()
