"""Why a run starts no further trial, and what it raises or says then.

Trials under way are always awaited first: what they measure is not lost because another went wrong.
"""

from __future__ import annotations

import logging
from collections import Counter

from camobo.errors import Advice, BudgetSpent, CamoboError, InvalidOptionError, InvalidValueError
from camobo.history.trial import Trial
from camobo.run.evaluate import Outcome
from camobo.run.faults import Fault, Opening
from camobo.run.money import spent_of
from camobo.run.trial_queue import Run, TrialQueue

_log = logging.getLogger("camobo")

_ALL_FREE = 100  # trials in a row: a few may cost nothing because their results were kept, or a machine stood idle


class Verdict:
    """What the outcomes of a run say about going on."""

    def __init__(self, run: Run, most: int | None) -> None:
        self.run, self.most = run, most
        self.started = 0
        self.spent: BudgetSpent | None = None
        """The reason, if what is left of the budget in money pays for no further trial."""
        self._mistake: InvalidValueError | None = None
        self._money_unknown: InvalidOptionError | None = None
        self._opening = Opening()
        self._without_cost = self._free = 0  # trials; those in a row that cost nothing

    @property
    def over(self) -> bool:
        """Whether no further trial is to be started, whatever is left of the budget."""
        return self.run.over() or self.doubt is not None

    @property
    def doubt(self) -> str | None:
        """What seems wrong with the function, if anything does; a trial under way that ends well may settle it."""
        if self._opening.doubtful:
            return self._opening.said
        return None if self._wrong is None else str(self._wrong)

    @property
    def _wrong(self) -> CamoboError | None:
        """What is wrong with the function, if no trial is under way."""
        broken = self._opening.error() if self._opening.doubtful else None
        return self._mistake or broken or self._money_unknown

    @property
    def blameless(self) -> tuple[int, ...]:
        """The trials that failed because the function is broken: they are to be evaluated again."""
        return self._opening.trials if self._opening.doubtful else ()

    def refuses(self, trial: Trial, outcome: Outcome) -> bool:
        """Whether an outcome is a mistake in the function, which ends the run and is not to be recorded."""
        fault = self.run.fault(outcome)
        if fault is None or not fault.mistake:
            return False
        if self._mistake is None:
            self._mistake = _mistake(trial, outcome, fault)
        return True

    def note(self, recorded: Trial, outcome: Outcome) -> None:
        """Take note of a trial that was recorded."""
        self._without_cost += not recorded.cost
        self._free = self._free + 1 if recorded.cost == 0.0 else 0
        self._opening = self._opening.then(recorded.number, self.run.fault(outcome), outcome.reason or "")
        self._money_unknown = self._unknown_money()

    def _unknown_money(self) -> InvalidOptionError | None:
        """An error if only money limits this run and its trials use none: it would never end."""
        queue = self.run.queue
        budget, enough = queue.plan.budget, queue.plan.initial
        if self.most is not None or self.run.most is not None or budget is None or self._without_cost < enough:
            return None
        if self._free >= _ALL_FREE:
            return InvalidOptionError(
                f"the budget is {budget}, but the last {self._free} trials cost nothing, so it would never be spent. "
                "Let the function return what a trial costs, or say how many trials to run."
            )
        if any(trial.cost for trial in queue.trials) or queue.spent() > 0.0:
            return None
        return InvalidOptionError(
            f"the budget is {budget}, but nothing tells what a trial costs: {self._without_cost} trials ended without "
            "a cost, or with a cost of 0. Let the function return (values, cost), or the command print cost=…; or give "
            "the study a cost in money, such as Prices; or say how many trials to run."
        )

    def end(self) -> None:
        """Say why no further trial is run: raise if something is wrong, log if the budget is spent.

        Raised is a spent budget only if trials were asked for by number and none was run.
        """
        if self._wrong is not None:
            raise self._wrong
        if self.run.over():
            _log.info("%d trials were started, and no more: the time is over, or the run was stopped", self.started)
        elif self.spent is not None or (self.most is None and not self.started):
            self._end_of_budget()

    def _end_of_budget(self) -> None:
        text = _spent_text(self.run.queue, self.spent)
        spent = BudgetSpent(text, advice=Advice.SPEND_MORE)
        if self.most is not None and not self.started:
            raise spent from self.spent
        if self.most is not None:
            _log.warning("%d of %d trials were run: %s", self.started, self.most, spent)
        elif self.started:
            _log.info("%s", text)
        else:
            _log.warning("no trial was run: %s", spent)


def _spent_text(queue: TrialQueue, error: BudgetSpent | None) -> str:
    """What was spent of what, and why that is all; without an error, what became of the trials of the budget."""
    budget = queue.plan.budget
    if error is None:
        states = Counter(str(trial.state) for trial in queue.trials if not trial.added)
        return f"the budget of {budget} is spent: {', '.join(f'{count} {state}' for state, count in states.items())}."
    limit, unit = (None, "") if budget is None else (budget.cost, budget.unit)
    return f"the budget is spent: {spent_of(queue.spent(), limit, unit)}; {error.message}"


def _mistake(trial: Trial, outcome: Outcome, fault: Fault) -> InvalidValueError:
    """What to raise for a result that is none."""
    said = (outcome.reason or "").removeprefix(f"{fault.kind}: ")
    error = InvalidValueError(
        f"trial {trial.number}: {said} The whole result was {fault.returned}. Nothing was recorded and the trial is "
        "released: fix what gives such results, and run again.",
        advice=Advice.CATCH,
    )
    error.__cause__ = fault.error
    return error
