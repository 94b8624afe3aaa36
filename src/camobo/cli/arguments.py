"""Arguments that commands share, what the shell completes them with, and opening the study they name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from camobo.cli.words import typed
from camobo.errors import CamoboError, InvalidOptionError

if TYPE_CHECKING:
    from camobo.study import Study


def open_study(place: str) -> Study:
    """The study in a file or at a URL."""
    if place.endswith(".toml"):
        made = study_of_problem(place)
        there = (
            f"its study is {made}" if Path(made).exists() else f"begin its study with: {typed('camobo', 'new', place)}"
        )
        raise InvalidOptionError(f"{place}: is a problem file, not a study; {there}.")
    from camobo.study import Study

    return Study.load(place)


def study_of_problem(path: str) -> str:
    """Where the study of a problem file is kept unless somebody says otherwise: alloy.toml's in alloy.db."""
    return beside(path, ".db")


def beside(path: str, ending: str) -> str:
    """The file of the same name with another ending."""
    if not Path(path).name:
        raise InvalidOptionError(f"need the name of a file, such as alloy.toml or alloy.db, got {path!r}.")
    return str(Path(path).with_suffix(ending))


def _files(incomplete: str, endings: tuple[str, ...]) -> list[str]:
    """Folders and files of a kind that begin as typed."""
    folder, _, start = incomplete.rpartition("/")
    where = Path(folder or ("/" if incomplete.startswith("/") else "."))
    before = f"{folder}/" if "/" in incomplete else ""
    try:
        there = sorted(where.iterdir())
    except OSError:
        return []
    found = [path for path in there if path.name.startswith(start) and (start or not path.name.startswith("."))]
    return [
        before + path.name + ("/" if path.is_dir() else "")
        for path in found
        if path.is_dir() or path.name.endswith(endings)
    ]


def _studies(incomplete: str) -> list[str]:
    return _files(incomplete, (".db", ".sqlite", ".sqlite3"))


def _problems(incomplete: str) -> list[str]:
    return _files(incomplete, (".toml",))


def _problems_and_studies(incomplete: str) -> list[str]:
    return _files(incomplete, (".toml", ".db", ".sqlite", ".sqlite3"))


def _sheets(incomplete: str) -> list[str]:
    return _files(incomplete, (".csv", ".tsv", ".txt"))


def _of_study(ctx: typer.Context) -> Study | None:
    """The study named so far on a line that is being typed; a mistake in it is not yet one to complain of."""
    named = ctx.params.get("study") or next(iter(ctx.args), "")  # left unread while an option wants its value
    try:
        return open_study(str(named))
    except CamoboError:
        return None


def _trials(ctx: typer.Context, incomplete: str, *, only_open: bool) -> Iterable[tuple[str, str]]:
    study = _of_study(ctx)
    if study is None:
        return []
    trials = [trial for trial in study.trials if trial.state.open or not only_open]
    return [(str(t.number), str(t)) for t in trials if str(t.number).startswith(incomplete)][:200]


def open_trials(ctx: typer.Context, incomplete: str) -> Iterable[tuple[str, str]]:
    """Numbers of the trials that wait for results."""
    return _trials(ctx, incomplete, only_open=True)


def all_trials(ctx: typer.Context, incomplete: str) -> Iterable[tuple[str, str]]:
    """Numbers of all trials."""
    return _trials(ctx, incomplete, only_open=False)


def _values(ctx: typer.Context, incomplete: str) -> list[str]:
    study = _of_study(ctx)
    given = {str(text).rpartition("=")[0] for text in ctx.params.get("values") or []}
    names = [] if study is None else [name for name in study.objectives if name not in given]
    return [f"{name}=" for name in names if name.startswith(incomplete)]


def _objectives(ctx: typer.Context, incomplete: str) -> list[str]:
    study = _of_study(ctx)
    return [] if study is None else [name for name in study.objectives if name.startswith(incomplete)]


_STUDY = typer.Argument(
    metavar="STUDY",
    show_default=False,
    autocompletion=_studies,
    help="The study: a file such as alloy.db, or the URL of a database.",
)
StudyPlace = Annotated[str, _STUDY]
MaybeStudyPlace = Annotated[str | None, _STUDY]
Problem = Annotated[
    str,
    typer.Argument(metavar="PROBLEM", show_default=False, autocompletion=_problems, help="The problem file, TOML."),
]
ProblemOrStudy = Annotated[
    str,
    typer.Argument(
        metavar="STUDY",
        show_default=False,
        autocompletion=_problems_and_studies,
        help="A problem file such as alloy.toml, whose study is then alloy.db; or a study, by its file or URL.",
    ),
]
AnyTrial = Annotated[
    str,
    typer.Argument(metavar="TRIAL", show_default=False, autocompletion=all_trials, help="The number of the trial."),
]
OpenTrials = Annotated[
    list[str],
    typer.Argument(metavar="TRIAL...", show_default=False, autocompletion=open_trials, help="Numbers of trials."),
]
ValuePairs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NAME=VALUE...", show_default=False, autocompletion=_values, help="Results, such as strength=512."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Force = Annotated[bool, typer.Option("--force", help="Write over a file that is there.")]
Reason = Annotated[str, typer.Option("--reason", "-r", metavar="TEXT", show_default=False, help="Why.")]
Owner = Annotated[
    str | None,
    typer.Option("--owner", metavar="NAME", help="Who evaluates, one worker; asking again they get their trials back."),
]
Lease = Annotated[
    str | None,
    typer.Option("--lease", metavar="TIME", help="How long it is kept for them: 90s, 30m, 2h, 3d. Default: for ever."),
]
CsvIn = Annotated[
    str | None,
    typer.Option(
        "--csv", metavar="FILE", autocompletion=_sheets, help="Read results from a sheet; - for standard input."
    ),
]
CsvFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE", show_default=False, autocompletion=_sheets, help="The CSV file; - for standard input."
    ),
]
Objective = Annotated[
    str | None, typer.Option("--sort", metavar="NAME", autocompletion=_objectives, help="Best in this objective first.")
]
