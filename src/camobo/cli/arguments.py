"""Arguments that commands share, their shell completion, and opening the study they name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from camobo.cli.phrases import command_line
from camobo.errors import CamoboError, InvalidOptionError

if TYPE_CHECKING:
    from camobo.study.study import Study


def open_study(place: str) -> Study:
    """The study in a file or at a URL."""
    if place.endswith(".toml"):
        made = study_of_problem(place)
        next_step = (
            f"its study is {made}"
            if Path(made).exists()
            else f"create its study with: {command_line('camobo', 'new', place)}"
        )
        raise InvalidOptionError(f"{place}: is a problem file, not a study; {next_step}.")
    from camobo.study.study import Study

    return Study.load(place)


def study_of_problem(path: str) -> str:
    """The default study file of a problem file: alloy.db for alloy.toml."""
    return with_ending(path, ".db")


def with_ending(path: str, ending: str) -> str:
    """The path with another file name ending."""
    if not Path(path).name:
        raise InvalidOptionError(f"need the name of a file, such as alloy.toml or alloy.db, got {path!r}.")
    return str(Path(path).with_suffix(ending))


Offer: TypeAlias = str | tuple[str, str]
"""What completion offers for a word; with what the shell says about it."""
_SAFE = re.compile(r"[\w./][\w./+%-]*(?:=[\w./+%-]*)?")
_NOT_PLAIN = re.compile(r"[^\w./+% ,=()-]+")
_LONGEST_REMARK, _MOST_OFFERED = 100, 200


def offered(found: Iterable[Offer]) -> list[Offer]:
    """Those words that no shell interprets; remarks about them reduced to plain characters.

    The words come from a file that somebody else may have written, and shells run what completion offers: bash inserts
    it as it is, zsh evaluates it, and what Typer escapes for one shell means something else in another. So whatever is
    offered has letters, digits and a few signs only, and does not begin like an option. For what is not offered, shells
    complete file names by themselves, with their own quotes.

    >>> offered(["alloy.db", "my alloy.db", "z$(reboot)"]), offered([("3", "oil`reboot`")])
    (['alloy.db'], [('3', 'oil_reboot_')])
    """
    kept: list[Offer] = []
    for each in found:
        if len(kept) == _MOST_OFFERED:
            break
        word, remark = (each, None) if isinstance(each, str) else each
        if _SAFE.fullmatch(word):
            kept.append(word if remark is None else (word, _NOT_PLAIN.sub("_", remark)[:_LONGEST_REMARK]))
    return kept


def _files(incomplete: str, endings: tuple[str, ...]) -> list[Offer]:
    """Folders, and files with one of the endings, that start with what was typed."""
    folder, _, start = incomplete.rpartition("/")
    prefix = f"{folder}/" if "/" in incomplete else ""
    try:
        entries = sorted(Path(folder or ("/" if prefix else ".")).iterdir())
    except OSError:
        return []
    found = [path for path in entries if path.name.startswith(start) and (start or not path.name.startswith("."))]
    return offered(
        prefix + path.name + ("/" if path.is_dir() else "")
        for path in found
        if path.is_dir() or path.name.endswith(endings)
    )


def _studies(incomplete: str) -> list[Offer]:
    return _files(incomplete, (".db", ".sqlite", ".sqlite3"))


def problems(incomplete: str) -> list[Offer]:
    """Completion: problem files."""
    return _files(incomplete, (".toml",))


def folders(incomplete: str) -> list[Offer]:
    """Completion: folders."""
    return _files(incomplete, ())


def pages(incomplete: str) -> list[Offer]:
    """Completion: Markdown files."""
    return _files(incomplete, (".md",))


def _problems_and_studies(incomplete: str) -> list[Offer]:
    return _files(incomplete, (".toml", ".db", ".sqlite", ".sqlite3"))


def _sheets(incomplete: str) -> list[Offer]:
    return _files(incomplete, (".csv", ".xlsx", ".tsv", ".txt"))


def _study_of(ctx: typer.Context) -> Study | None:
    """The study named on a command line that is still being typed; None if it cannot be opened."""
    named = ctx.params.get("study") or next(
        iter(ctx.args), ""
    )  # while an option's value is completed, arguments are still unparsed
    try:
        return open_study(str(named))
    except CamoboError:
        return None


def _trials(ctx: typer.Context, incomplete: str, *, only_open: bool) -> list[Offer]:
    study = _study_of(ctx)
    if study is None:
        return []
    trials = [trial for trial in study.trials if trial.state.open or not only_open]
    return offered((str(t.number), str(t).partition(": ")[2]) for t in trials if str(t.number).startswith(incomplete))


def open_trials(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """Completion: the numbers of trials that wait for results."""
    return _trials(ctx, incomplete, only_open=True)


def all_trials(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """Completion: the numbers of all trials."""
    return _trials(ctx, incomplete, only_open=False)


def _values(ctx: typer.Context, incomplete: str) -> list[Offer]:
    study = _study_of(ctx)
    given = {str(text).rpartition("=")[0] for text in ctx.params.get("values") or []}
    names = [] if study is None else [name for name in study.objectives if name not in given]
    return offered(f"{name}=" for name in names if name.startswith(incomplete))


def _objectives(ctx: typer.Context, incomplete: str) -> list[Offer]:
    study = _study_of(ctx)
    return [] if study is None else offered(name for name in study.objectives if name.startswith(incomplete))


def _facts(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """Names of inputs and objectives that are not given yet; after the name of a category, its choices."""
    study = _study_of(ctx)
    if study is None:
        return []
    before = {str(text).rpartition("=")[0] for text in ctx.params.get("facts") or []}
    return _settings(
        study, [name for name in (*study.space.names, *study.objectives) if name not in before], incomplete
    )


def _fixed(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """Names of inputs; after the name of a category, its choices."""
    study = _study_of(ctx)
    return [] if study is None else _settings(study, study.space.names, incomplete)


def _settings(study: Study, names: Sequence[str], incomplete: str) -> list[Offer]:
    """The names with an equal sign; if there is one already, the choices of the category before it."""
    from camobo.space.inputs import Categorical

    name, sign, _ = incomplete.rpartition("=")
    if not sign:
        return offered(f"{name}=" for name in names if name.startswith(incomplete))
    given = study.space.inputs.get(name)
    found = given.choices if isinstance(given, Categorical) else ()
    return offered(word for choice in found if (word := f"{name}={choice}").startswith(incomplete))


def _inputs(ctx: typer.Context, incomplete: str) -> list[Offer]:
    study = _study_of(ctx)
    return [] if study is None else offered(name for name in study.space.names if name.startswith(incomplete))


_STUDY = typer.Argument(
    metavar="STUDY",
    show_default=False,
    autocompletion=_studies,
    help="The study: a file such as alloy.db, or a database URL.",
)
StudyPlace = Annotated[str, _STUDY]
MaybeStudyPlace = Annotated[str | None, _STUDY]
Problem = Annotated[
    str,
    typer.Argument(metavar="PROBLEM", show_default=False, autocompletion=problems, help="The problem file (TOML)."),
]
ProblemOrStudy = Annotated[
    str,
    typer.Argument(
        metavar="STUDY",
        show_default=False,
        autocompletion=_problems_and_studies,
        help="A study (file or database URL), or a problem file: alloy.toml stands for alloy.db, created if needed.",
    ),
]
AnyTrial = Annotated[
    str,
    typer.Argument(metavar="TRIAL", show_default=False, autocompletion=all_trials, help="The trial's number."),
]
OpenTrials = Annotated[
    list[str],
    typer.Argument(metavar="TRIAL", show_default=False, autocompletion=open_trials, help="One or more trial numbers."),
]
ValuePairs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NAME=VALUE", show_default=False, autocompletion=_values, help="Results, such as strength=512."
    ),
]
Facts = Annotated[
    list[str],
    typer.Argument(
        metavar="NAME=VALUE",
        show_default=False,
        autocompletion=_facts,
        help="Inputs and results, such as nickel=5 strength=512.",
    ),
]
Fix = Annotated[
    list[str] | None,
    typer.Option(
        "--fix",
        metavar="NAME=VALUE",
        autocompletion=_fixed,
        help="A value that an input must have, such as quench=air.",
    ),
]
Same = Annotated[
    list[str] | None,
    typer.Option(
        "--same", metavar="NAME", autocompletion=_inputs, help="An input with one value in all trials asked for."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]
Reason = Annotated[
    str, typer.Option("--reason", "-r", metavar="TEXT", show_default=False, help="Why; stored in the log.")
]
Owner = Annotated[
    str | None,
    typer.Option("--owner", metavar="NAME", help="Who evaluates the trial. Asking again returns the same trial."),
]
Lease = Annotated[
    str | None,
    typer.Option(
        "--lease", metavar="TIME", help="How long the trial stays reserved: 90s, 30m, 2h, 3d. Default: no limit."
    ),
]
_SHEET = ("--sheet", "--csv")
SheetOut = Annotated[
    str | None,
    typer.Option(
        *_SHEET,
        metavar="FILE",
        help="Write a sheet to fill in: Excel if its name ends with .xlsx, else CSV; - for standard output.",
    ),
]
SheetIn = Annotated[
    str | None,
    typer.Option(
        *_SHEET,
        metavar="FILE",
        autocompletion=_sheets,
        help="Read results from a sheet, CSV or Excel; - for standard input.",
    ),
]
SheetFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE", show_default=False, autocompletion=_sheets, help="The file, CSV or Excel; - for standard input."
    ),
]
PriceList = Annotated[
    str | None,
    typer.Option(
        "--prices",
        metavar="FILE",
        autocompletion=_sheets,
        help="The cost as a price list: a CSV or Excel file with columns input, choice and price; - for standard input",
    ),
]
Paid = Annotated[
    str | None,
    typer.Option("--cost", metavar="NUMBER", help="What the trial cost."),
]
Objective = Annotated[
    str | None, typer.Option("--sort", metavar="NAME", autocompletion=_objectives, help="Best in this objective first.")
]
