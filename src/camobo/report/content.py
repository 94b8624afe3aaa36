"""The sections of a report: what is said and drawn, in reading order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from camobo.expense import comparisons, spend, uses
from camobo.insight import Check, Record, checks, models_of, slices, volumes
from camobo.models import Models
from camobo.plot import model, objectives, progress
from camobo.plot.style import Spec, number
from camobo.report import words
from camobo.report.page import Html, join, tag, typed
from camobo.report.tables import MOST_ROWS, described, table, trial_table, use_table
from camobo.trial import State, Trial


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the page and the figures it refers to, by their place among all figures."""

    html: Html
    figures: tuple[Spec, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """What the sections are written from, computed once."""

    record: Record
    models: Models | None
    checks: tuple[Check, ...]
    through: Trial | None
    """The trial slices go through."""
    start: int = field(default=0)
    """How many figures come before this section's."""


def known(record: Record, through: Trial | None) -> Known:
    """The models and what they are worth; the dearest computation of a report."""
    models = models_of(record)
    return Known(record, models, () if models is None else checks(record, models), through)


def figure(place: int, spec: Spec, caption: str | None, *, small: bool = False, titled: bool = True) -> Html:
    """The frame a figure is drawn into."""
    title = str(spec["layout"]["title"]["text"])
    label = Html(title)  # neutralised for Plotly, which is to say with the entities HTML has too
    drawn = tag("div", class_="plot", data_figure=str(place))
    heading = tag("figcaption", tag("strong", label) if titled else None, " ", caption)
    return tag("figure", heading, drawn, class_="panel" if small else "wide")


def section(title: str, *children: str | Html | None) -> Html:
    """A section with its heading."""
    return tag("section", tag("h2", title), *children)


def verdict(word: str, sentence: str | Html) -> Html:
    """A sentence with a mark that says at a glance whether it is good news."""
    marks = {"good": "good", "fair": "mind", "poor": "look", "early": "early"}
    return tag("p", tag("span", marks[word], class_=f"mark {word}"), " ", sentence, class_="verdict")


def summary(given: Known) -> Part:
    """The numbers everybody asks for first."""
    record = given.record
    trials, reached = volumes(record)
    spent = spend(record)
    budget = "" if record.plan.budget is None else f", {record.plan.budget} planned"
    asked = sum(not trial.added for trial in record.trials)
    cards = [
        ("suggested", f"{asked}", f"trials{budget}"),
        ("on the front", f"{len(record.front)}", f"of {len(record.complete)} complete"),
        ("hypervolume", number(float(reached[-1])) if trials else "–", _counted_from(record)),
    ]
    if spent is not None:
        if spent.told:
            cards.append(("spent", number(float(spent.amounts.sum())), "told with the results"))
        elif len(spent.amounts):
            share = f"{100.0 * float(spent.amounts.mean()):.0f} %"
            cards.append(("dear inputs used", share, "of their ranges, weighted by the order"))
    if given.checks:
        rated = [check.r_squared for check in given.checks if check.r_squared is not None]
        worst = f"{max(min(rated), 0.0):.2f}" if rated else "–"
        cards.append(("models", worst, "leave-one-out R²" + (", the worst of them" if len(given.checks) > 1 else "")))
    tiles = [
        tag("div", tag("dt", name), tag("dd", value), tag("dd", more, class_="more"), class_="card")
        for name, value, more in cards
    ]
    return Part(join(tag("p", words.progress(record), class_="lead"), tag("dl", *tiles, class_="cards")))


def _counted_from(record: Record) -> str:
    return "from the study's reference" if record.plan.reference is not None else "from the worst seen"


def front(given: Known) -> Part:
    """The front, drawn and tabled, best first in the first objective."""
    record = given.record
    spec = objectives.front(record)
    first, goal = next(iter(record.plan.objectives.items()))
    best = sorted(record.front, key=lambda t: (t.values or {})[first] * (-1.0 if goal == "max" else 1.0))
    one = len(record.plan.objectives) == 1
    told = {
        1: "Each point is a trial, the line the best so far.",
        2: "Each point is a trial; diamonds are those no other beats, the steps what they put within reach.",
        3: "Each point is a trial; diamonds are those no other beats. Drag to turn.",
    }.get(len(record.plan.objectives), "Each line is a trial; better is up on every scale.")
    if record.order is not None and record.complete:
        told += " Colours go from cheap (blue) to dear (red) by the use of the inputs the order names."
    rows = trial_table(record, best, "Trials on the front") if best else None
    more = tag("p", f"The first {MOST_ROWS} of {len(best)}.", class_="more") if len(best) > MOST_ROWS else None
    title = "Best trials" if one else "Front"
    return Part(section(title, figure(given.start, spec, told, titled=False), rows, more), (spec,))


def gains(given: Known) -> Part:
    """Hypervolume by trial and by spend; of one objective only by spend: its values by trial say the rest."""
    record = given.record
    one, spent = len(record.plan.objectives) == 1, spend(record)
    if not record.complete or (one and spent is None):
        return Part(Html(""))
    specs = [] if one else [progress.hypervolume(record)]
    if spent is not None:
        specs.append(progress.hypervolume(record, "spend"))
    against = "Against what the trials cost."
    if spent is not None and not spent.told:
        against = "Against the use of the inputs the order names; 1 is one trial with all at their dear ends."
    captions = [*([] if one else ["How much lies between the reference and the front."]), against]
    drawn = [figure(given.start + i, spec, captions[i]) for i, spec in enumerate(specs)]
    return Part(section("Progress", tag("div", *drawn, class_="pair" if len(drawn) > 1 else None)), tuple(specs))


def use(given: Known) -> Part:
    """What was used of each input, and whether the order was kept."""
    record, found = given.record, uses(given.record)
    if not record.settled:
        return Part(section("Use of inputs", tag("p", "Nothing has been used yet.")))
    specs = [progress.usage(record)]
    told: list[Html] = []
    if record.order is not None:
        specs.append(progress.cost_fading(record))
        pairs = comparisons(record)
        suggested = sum(not trial.added for trial in record.settled)
        told.append(verdict(*words.order_verdict(pairs, suggested)))
        lines = [
            tag(
                "li",
                tag("span", "kept" if pair.kept else "not kept", class_=f"mark {'good' if pair.kept else 'fair'}"),
                " ",
                typed(" = ".join(pair.dear)),
                " (dearer) ",
                words.comparison(pair),
                " for ",
                typed(" = ".join(pair.cheap)),
            )
            for pair in pairs
        ]
        told += [tag("ul", *lines, class_="plain")] if lines else []
        if lines and len(record.settled) > suggested:
            told.append(tag("p", "Judged by the trials suggested; the figure shows those added by hand too."))
    captions = [
        "Added up over the trials, each input as a share of its range. Dotted: what spreading evenly would use.",
        "How many times more a point must promise when only this input is at its dear end. Dots are the trials.",
    ]
    drawn = [figure(given.start + i, spec, captions[i]) for i, spec in enumerate(specs)]
    return Part(section("Use of inputs", *told, use_table(record, found), *drawn), tuple(specs))


def believed(given: Known) -> Part:
    """How the models are doing, and what they believe around one trial."""
    record = given.record
    if given.models is None or given.through is None:
        return Part(section("Models", tag("p", f"{model.TOO_FEW}.")))
    told = [
        verdict(word, join(typed(check.objective), ": ", sentence))
        for check in given.checks
        for word, sentence in [words.fit(check)]
    ]
    panels = [model.prediction_panel(record, check) for check in given.checks]
    cuts = [model.slice_panel(record, cut, given.through) for cut in slices(record, given.models, given.through)]
    checked = [figure(given.start + i, spec, None, small=True) for i, spec in enumerate(panels)]
    inputs = record.plan.space.dimension
    rows = [
        tag("div", *(figure(given.start + len(panels) + i, cuts[i], None, small=True) for i in row), class_="panels")
        for row in (range(first, first + inputs) for first in range(0, len(cuts), inputs))
    ]
    how = (
        "Each point is a trial, predicted from all others. On the dashed line a prediction came true; the bars are "
        "95 % intervals. Trials were chosen by the method, not at random, so this is a hint and not a proof."
    )
    around = (
        f"What the models expect when one input of trial {given.through.number} changes and the others stay: mean "
        "and 95 % band. The diamond is the trial as measured."
    )
    if (thinned := len(given.checks[0].trials)) < len(record.complete):
        how += f" There are too many trials to model all: these models are of {thinned} of them."
    body = section(
        "Models",
        *told,
        tag("p", how, class_="more"),
        tag("div", *checked, class_="panels"),
        tag("h3", f"Around trial {given.through.number}"),
        tag("p", around, class_="more"),
        *rows,
    )
    return Part(body, (*panels, *cuts))


def under_way(given: Known) -> Part:
    """Trials handed out and not settled."""
    record = given.record
    waiting = [trial for trial in record.trials if trial.state not in (State.COMPLETE, State.FAILED)]
    if not waiting:
        return Part(section("Under way", tag("p", "No trial is waiting for its result.")))
    return Part(section("Under way", trial_table(record, waiting, "Trials under way")))


def failed(given: Known) -> Part:
    """Trials that could not be measured, and why."""
    record = given.record
    lost = [trial for trial in record.trials if trial.state is State.FAILED]
    if not lost:
        return Part(Html(""))
    return Part(section("Failed", trial_table(record, lost, "Failed trials", reasons=True)))


def everything(given: Known) -> Part:
    """All trials, folded away until asked for."""
    record = given.record
    if not record.trials:
        return Part(Html(""))
    count = words.counted(len(record.trials), "trial")
    said = f"Show the first {MOST_ROWS} of {count}" if len(record.trials) > MOST_ROWS else f"Show all {count}"
    rows = trial_table(record, record.trials, "All trials", reasons=True)
    return Part(section("All trials", tag("details", tag("summary", said), rows)))


def cautions(given: Known) -> Part:
    """Numerical rescues and whatever else should temper trust."""
    found = words.warnings(given.record, given.models)
    told = tag("ul", *(tag("li", typed(line)) for line in found)) if found else tag("p", "Nothing to report.")
    return Part(section("Warnings and rescues", told))


def setup(given: Known) -> Part:
    """The problem as it was posed."""
    record, plan = given.record, given.record.plan
    inputs = [[typed(name), *described(source)] for name, source in plan.space.inputs.items()]
    references = dict(zip(plan.objectives, plan.reference or (), strict=False))
    goals = [
        [typed(name), goal, number(references[name]) if name in references else "from the data"]
        for name, goal in plan.objectives.items()
    ]
    listed = [join(tag("dt", name), tag("dd", typed(value))) for name, value in words.settings(record)]
    return Part(
        section(
            "Settings",
            table("Inputs", ["input", "kind", "range", "dear end"], inputs, text=range(4)),
            table("Objectives", ["objective", "goal", "reference"], goals, text=(0, 1)),
            tag("dl", *listed, class_="settings"),
        )
    )


SECTIONS: tuple[Callable[[Known], Part], ...] = (
    summary,
    front,
    gains,
    use,
    believed,
    under_way,
    failed,
    everything,
    cautions,
    setup,
)
