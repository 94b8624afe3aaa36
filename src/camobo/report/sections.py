"""The sections of a report, in reading order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from camobo.hints import counted
from camobo.history.trial import State, Trial
from camobo.insight.diagnostics import Check, checks, models_of
from camobo.insight.record import Record
from camobo.insight.slices import slices
from camobo.insight.spending import disagreements, fading, forecast, spend
from camobo.model.models import Models
from camobo.plot import fronts, model, spending
from camobo.plot.style import Spec, number, rough
from camobo.report import sentences
from camobo.report.page import Html, join, tag, user_text
from camobo.report.tables import MOST_ROWS, input_cells, table, trial_table, use_table


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the page, and its figures. The HTML refers to a figure by its index among all figures of the page."""

    html: Html
    figures: tuple[Spec, ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """What every section reads: computed once, except `first_figure`."""

    record: Record
    models: Models | None
    checks: tuple[Check, ...]
    sliced: Trial | None
    """The trial that the slices go through."""
    first_figure: int = 0
    """The index of the section's first figure among all figures of the page."""


def facts_of(record: Record, sliced: Trial | None) -> Facts:
    """Fits the models and checks them: the slowest part of a report."""
    models = models_of(record)
    return Facts(record, models, () if models is None else checks(record, models), sliced)


def figure(index: int, spec: Spec, caption: str | None, *, small: bool = False, titled: bool = True) -> Html:
    """The element that a figure is drawn into, with its title and caption."""
    title = Html(str(spec["layout"]["title"]["text"]))  # escaped for Plotly, with entities that HTML has too
    drawn = tag("div", class_="plot", data_figure=str(index))
    heading = tag("figcaption", tag("strong", title) if titled else None, " ", caption)
    return tag("figure", heading, drawn, class_="panel" if small else "wide")


def section(title: str, *children: str | Html | None) -> Html:
    """A section with its heading."""
    return tag("section", tag("h2", title), *children)


def verdict(found: sentences.Verdict, about: str | None = None) -> Html:
    """A grade as a coloured mark, then the sentence, after the name of what it is about."""
    mark = tag("span", "too early" if found.grade == "early" else found.grade, class_=f"mark {found.grade}")
    name = None if about is None else join(user_text(about), ": ")
    return tag("p", mark, " ", name, found.sentence, class_="verdict")


def summary(facts: Facts) -> Part:
    """The most important numbers, one card per number."""
    record, money = facts.record, sentences.spent(facts.record)
    trials, reached = record.volumes
    reference = "study's reference" if record.plan.reference is not None else "worst measured values"
    limit = None if record.plan.budget is None else record.plan.budget.trials
    cards = [
        ("suggested", f"{len(record.suggested)}", "trials" if limit is None else f"of {limit} in the budget"),
        ("on the front", f"{len(record.front)}", f"of {counted(len(record.complete), 'complete trial')}"),
        ("hypervolume", number(float(reached[-1])) if trials else "–", f"relative to the {reference}"),
    ]
    spent = spend(record)
    if money is not None:
        cards.append(("spent", *money))
    elif spent is not None and not spent.in_money:
        mean = float(spent.amounts.sum()) / len(record.evaluated)
        cards.append(("mean cost", f"{rough(mean)}×", "expected; the cheapest trial is 1×"))
    if facts.checks:
        scores = [check.r_squared for check in facts.checks if check.r_squared is not None]
        lowest = f", lowest of {len(facts.checks)} models" if len(facts.checks) > 1 else ""
        cards.append(("model accuracy", f"{max(min(scores), 0.0):.2f}" if scores else "–", f"leave-one-out R²{lowest}"))
    tiles = [
        tag("div", tag("dt", name), tag("dd", value), tag("dd", detail, class_="more"), class_="card")
        for name, value, detail in cards
    ]
    return Part(join(tag("p", sentences.progress(record), class_="lead"), tag("dl", *tiles, class_="cards")))


def front(facts: Facts) -> Part:
    """The front as a figure and as a table, sorted by the first objective, best first."""
    record, count = facts.record, len(facts.record.plan.objectives)
    spec = fronts.front(record)
    first, goal = next(iter(record.plan.objectives.items()))
    best = sorted(record.front, key=lambda t: (t.values or {})[first] * (-1.0 if goal == "max" else 1.0))
    caption = {
        1: "One point per trial. The line is the best value so far.",
        2: "One point per trial. Diamonds mark the front; the steps bound the region it dominates.",
        3: "One point per trial. Diamonds mark the front. Drag to rotate.",
    }.get(count, "One line per trial. On every scale, higher is better.")
    if record.complete and fronts.coloured_by_cost(record):
        known = record.costs is not None and record.costs.in_money
        caption += f" Colour shows the {'' if known else 'expected '}cost, from low (blue) to high (red)"
        caption += "." if known else ", in multiples of the cheapest possible trial."
    rows = trial_table(record, best, "Trials on the front") if best else None
    notes = [f"The first {MOST_ROWS} of {len(best)} trials."] if len(best) > MOST_ROWS else []
    costs = record.costs
    if costs is not None and any(t.number in costs.amounts and t.number not in costs.paid for t in best):
        notes.append("≈ marks an expected cost: none is recorded.")
    more = tag("p", " ".join(notes), class_="more") if notes else None
    drawn = figure(facts.first_figure, spec, caption, titled=False)
    return Part(section("Best trials" if count == 1 else "Front", drawn, rows, more), (spec,))


def progress(facts: Facts) -> Part:
    """Hypervolume by trial and by cost; for one objective only by spend: the front shows its values by trial."""
    record, spent = facts.record, spend(facts.record)
    drawn: list[tuple[Spec, str]] = []
    if record.complete and len(record.plan.objectives) > 1:
        drawn.append((spending.hypervolume(record), "Volume between the reference and the front."))
    if record.complete and spent is not None:
        caption = "What the money bought, trial by trial."
        if not spent.in_money:
            caption = (
                "Amounts are not known: the axis adds up expected costs, of which the cheapest possible trial counts 1."
            )
        drawn.append((spending.hypervolume(record, "spend"), caption))
    if not drawn:
        return Part(Html(""))
    html = tag("div", *_figures(facts.first_figure, drawn), class_="pair" if len(drawn) > 1 else None)
    return Part(section("Progress", html), tuple(spec for spec, _ in drawn))


def _figures(first: int, drawn: Sequence[tuple[Spec, str]]) -> list[Html]:
    return [figure(first + i, spec, caption) for i, (spec, caption) in enumerate(drawn)]


def cost_and_use(facts: Facts) -> Part:
    """What each input adds to the cost, how much of it was used, how good expected costs were, and how cost fades."""
    record = facts.record
    title = "Cost and use of inputs" if record.costs is not None else "Use of inputs"
    if not record.settled:
        return Part(section(title, tag("p", "No trial has finished yet.")))
    doubts = [verdict(sentences.disagreement(found, record)) for found in disagreements(record)]
    caption = "Sum over the finished trials; a trial at the expensive end adds 1. Dotted: level 0.5 in every trial."
    drawn = [(spending.usage(record), caption)]
    pair = _figures(facts.first_figure + 1, more := _of_cost(record))
    html = section(
        title,
        *doubts,
        use_table(record),
        *_figures(facts.first_figure, drawn),
        tag("div", *pair, class_="pair" if len(pair) > 1 else None) if pair else None,
    )
    return Part(html, tuple(spec for spec, _ in [*drawn, *more]))


def _of_cost(record: Record) -> list[tuple[Spec, str]]:
    """How cost fades, and expected costs against paid ones; each if there is something to show."""
    drawn, pairs = list[tuple[Spec, str]](), forecast(record)
    if fading(record) is not None:
        caption = (
            "A trial with only this input at its expensive end must promise this many times as much as the cheapest "
            "trial to be suggested."
        )
        if record.plan.budget is None:
            caption += " Without a budget, half of it counts as spent after 30 trials."
        drawn.append((spending.fading_cost(record), caption))
    if pairs is not None:
        caption = (
            "On the dashed line, a trial cost what was expected. For half of the trials the difference was at most "
            f"{rough(100.0 * pairs.typical_error)} %."
        )
        drawn.append((spending.costs(record), caption))
    return drawn


def models(facts: Facts) -> Part:
    """How accurate the models are, and what they predict around one trial."""
    record, sliced = facts.record, facts.sliced
    if facts.models is None or sliced is None:
        return Part(section("Models", tag("p", f"{model.TOO_FEW}.")))
    panels = [model.prediction_panel(record, check) for check in facts.checks]
    cuts = [model.slice_panel(record, cut, sliced) for cut in slices(record, facts.models, sliced)]
    frames = [figure(facts.first_figure + i, spec, None, small=True) for i, spec in enumerate([*panels, *cuts])]
    inputs = record.plan.space.dimension
    rows = [frames[first : first + inputs] for first in range(len(panels), len(frames), inputs)]
    how = (
        "Each trial is predicted from all other trials (leave-one-out). On the dashed line, prediction and measurement "
        "agree; bars are 95 % intervals. The method chose these trials, so they say little about the rest of the space."
    )
    modelled, complete = len(facts.checks[0].trials), len(record.complete)
    if modelled < complete:
        how += f" To limit computing time, the models use {modelled} of {complete} complete trials."
    around = (
        f"Predictions when one input of trial {sliced.number} changes and the others stay the same: mean and 95 % "
        "band. The diamond is the measured value."
    )
    body = section(
        "Models",
        *(verdict(sentences.model_verdict(check), check.objective) for check in facts.checks),
        tag("p", how, class_="more"),
        tag("div", *frames[: len(panels)], class_="panels"),
        tag("h3", f"Slices through trial {sliced.number}"),
        tag("p", around, class_="more"),
        *(tag("div", *row, class_="panels") for row in rows),
    )
    return Part(body, (*panels, *cuts))


def pending(facts: Facts) -> Part:
    """Trials without a result yet."""
    waiting = [trial for trial in facts.record.trials if trial.state.open]
    if not waiting:
        return Part(section("Pending", tag("p", "No trial is waiting for a result.")))
    return Part(section("Pending", trial_table(facts.record, waiting, "Pending trials")))


def failed(facts: Facts) -> Part:
    """Failed trials, and why they failed."""
    found = [trial for trial in facts.record.trials if trial.state is State.FAILED]
    if not found:
        return Part(Html(""))
    return Part(section("Failed", trial_table(facts.record, found, "Failed trials", reasons=True)))


def all_trials(facts: Facts) -> Part:
    """All trials, collapsed."""
    record = facts.record
    if not record.trials:
        return Part(Html(""))
    count = counted(len(record.trials), "trial")
    label = f"Show the first {MOST_ROWS} of {count}" if len(record.trials) > MOST_ROWS else f"Show all {count}"
    rows = trial_table(record, record.trials, "All trials", reasons=True)
    return Part(section("All trials", tag("details", tag("summary", label), rows)))


def warnings(facts: Facts) -> Part:
    """Doubts about the order, numerical rescues and other reasons to trust the results less."""
    found = sentences.warnings(facts.record, facts.models)
    html = tag("ul", *(tag("li", user_text(line)) for line in found)) if found else tag("p", "None.")
    return Part(section("Warnings", html))


def settings(facts: Facts) -> Part:
    """The problem and every option of the study."""
    plan = facts.record.plan
    inputs = [[user_text(name), *input_cells(given)] for name, given in plan.space.inputs.items()]
    references = dict(zip(plan.objectives, plan.reference or (), strict=False))
    goals = [
        [user_text(name), goal, number(references[name]) if name in references else "worst measured"]
        for name, goal in plan.objectives.items()
    ]
    options = [join(tag("dt", name), tag("dd", user_text(value))) for name, value in sentences.settings(facts.record)]
    return Part(
        section(
            "Settings",
            table("Inputs", ["input", "kind", "range", "expensive end"], inputs, text=range(4)),
            table("Objectives", ["objective", "goal", "reference"], goals, text=(0, 1)),
            tag("dl", *options, class_="settings"),
        )
    )


SECTIONS: tuple[Callable[[Facts], Part], ...] = (
    summary,
    front,
    progress,
    cost_and_use,
    models,
    pending,
    failed,
    all_trials,
    warnings,
    settings,
)
"""Each writes one section; together, in this order, they are the page."""
