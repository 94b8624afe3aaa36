"""How much each input adds to what points cost."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from camobo.cost.protocol import CostModel
from camobo.cost.sweep import along, cheapest_of, costs_at
from camobo.space.space import Space


def effects_of(model: CostModel, space: Space) -> Mapping[str, float]:
    """How much each input can add to the cost of the cheapest trial: 0.5 is half of it. Inputs that add nothing lack.

    From the cheapest point, each input is moved over its range alone. Where a formula gives no cost nobody goes, so it
    does not count.
    """
    cheapest = cheapest_of(model, space)
    base, found = costs_at(model, cheapest[None, :])[0], {}
    for j, name in enumerate(space.names):
        costs = costs_at(model, along(space, cheapest, j))
        added = float(costs[np.isfinite(costs)].max(initial=base) / base) - 1.0
        if added > 1e-6:
            found[name] = added
    return found
