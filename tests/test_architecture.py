"""The direction of imports and "one stateful class", proved by reading the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "src" / "camobo"

LAYERS: list[set[str]] = [
    {"errors", "hints"},
    {"blas", "inputs"},
    {"lineups", "space"},
    {"order"},
    {"cost"},
    {"pareto", "plan", "scalarize", "standard"},
    {"problems"},
    {"kernels"},
    {"gp"},
    {"acquisition"},
    {"maximize"},
    {"design", "models"},
    {"engine"},
    {"account", "regret"},
    {"trial"},
    {"checks"},
    {"document", "history"},
    {"connect", "decide", "explanation", "filelock", "interrupts", "samefile", "summary", "tables", "who"},
    {"sql"},
    {"evaluate", "progress", "store"},
    {"command"},
    {"workers"},
    {"run"},
    {"study"},
    {"insight"},
    {"expense"},
    {"plot"},
    {"report"},
    {"botorch", "optuna"},
    {"paper"},
    {"cli"},
    {"__main__"},
]
"""Lowest first. A module or package may import from lower layers only; a new one is given its place here."""
RANK = {unit: rank for rank, layer in enumerate(LAYERS) for unit in layer}
PROBLEMS_MAY_IMPORT = {"errors", "inputs", "space", "pareto", "problems"}
CORE_DEPENDENCIES = {"numpy", "scipy", "moocore", "threadpoolctl"}
ALSO_IMPORTS = {
    "botorch": {"torch", "botorch"},
    "cli": {"typer", "rich"},
    "document": {"tomli"},
    "optuna": {"optuna", "sqlalchemy"},
    "plot": {"plotly"},
    "progress": {"rich"},
    "connect": {"sqlalchemy"},
    "sql": {"sqlalchemy"},
    "tables": {"sqlalchemy"},
    "paper": {"typer", "rich", "matplotlib", "sklearn", "keras", "torch", "mlxtend"},
}
"""What a unit may import from outside beyond that."""
FILES = sorted(ROOT.rglob("*.py"))
PROBLEM_FILES = sorted((ROOT / "problems").glob("*.py"))


def unit_of(path: Path) -> str:
    """The module or package a file belongs to: `study.py` is study, `cli/__init__.py` is cli."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


PLACED = [path for path in FILES if path != ROOT / "__init__.py"]
UNITS = sorted({unit_of(path) for path in PLACED})


def shown(path: Path) -> str:
    """A file's name in test ids."""
    return str(path.relative_to(ROOT))


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imported(path: Path) -> Iterator[str]:
    """Dotted names of everything a file imports, wherever in it: `from camobo import engine` is camobo.engine."""
    package = ["camobo", *path.relative_to(ROOT).parent.parts]
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            if source == "camobo":
                yield from (f"camobo.{alias.name}" for alias in node.names)
            else:
                yield source


def siblings(path: Path) -> set[str]:
    """Which of camobo's own modules and packages a file imports."""
    return {name.split(".")[1] for name in imported(path) if name.startswith("camobo.")}


def outsiders(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imported(path)} - {"camobo"}


class TestReadingImports:
    """The tests below are only as good as their eyes."""

    def test_every_form_of_import_is_seen(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(globals(), "ROOT", tmp_path)
        (tmp_path / "inner").mkdir()
        file = tmp_path / "inner" / "some.py"
        file.write_text(
            "import camobo.gp\nfrom camobo import engine, cost as c\nfrom camobo.space import Real\n"
            "from ..study import Study\nfrom . import other\nimport numpy as np\n"
            "def late():\n    from camobo.trial import Trial\n"
        )
        assert siblings(file) == {"gp", "engine", "cost", "space", "study", "trial", "inner"}
        assert outsiders(file) == {"numpy"}

    def test_files_are_found(self) -> None:
        assert {"engine", "study", "problems"} <= set(UNITS)
        assert len(PROBLEM_FILES) > 1


class TestLayers:
    def test_every_module_has_its_place(self) -> None:
        assert set(UNITS) == set(RANK)

    @pytest.mark.parametrize("path", PLACED, ids=shown)
    def test_a_module_imports_from_lower_layers_only(self, path: Path) -> None:
        unit = unit_of(path)
        upward = {name for name in siblings(path) - {unit} if RANK.get(name, 99) >= RANK[unit]}
        assert not upward

    @pytest.mark.parametrize("path", PROBLEM_FILES, ids=shown)
    def test_problems_import_only_errors_inputs_space_and_pareto(self, path: Path) -> None:
        assert siblings(path) <= PROBLEMS_MAY_IMPORT

    @pytest.mark.parametrize("path", PLACED, ids=shown)
    def test_a_module_imports_only_what_its_place_declares(self, path: Path) -> None:
        import sys

        allowed = CORE_DEPENDENCIES | ALSO_IMPORTS.get(unit_of(path), set())
        assert outsiders(path) - set(sys.stdlib_module_names) <= allowed


def assigned_attributes(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Attributes of its own object that a method binds, deletes, or sets by name or item."""
    if not function.args.args:
        return set()
    own = function.args.args[0].arg
    found = set()
    for node in ast.walk(function):
        bound = isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, (ast.Store, ast.Del))
        target: ast.expr | None = node if bound and isinstance(node, (ast.Attribute, ast.Subscript)) else None
        while isinstance(target, ast.Subscript):
            target = target.value
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == own:
            found.add(target.attr)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("object.__setattr__", "setattr"):
            found.add(ast.unparse(node.args[1]))
    return found


def changing_methods(path: Path) -> dict[str, set[str]]:
    """For each class of a file, its methods that change the object after it was made."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ClassDef):
            methods = [item for item in node.body if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef))]
            changing = {m.name for m in methods if assigned_attributes(m)} - {"__init__", "__post_init__"}
            if changing:
                found[node.name] = changing
    return found


class TestState:
    def test_only_the_study_changes(self) -> None:
        changing = {(path.stem, name) for path in FILES for name in changing_methods(path)}
        assert changing == {("study", "Study")}

    def test_every_dataclass_is_frozen(self) -> None:
        thawed = [
            f"{path.stem}.{node.name}"
            for path in FILES
            for node in ast.walk(tree(path))
            if isinstance(node, ast.ClassDef)
            for decorator in node.decorator_list
            if "dataclass" in ast.unparse(decorator) and "frozen=True" not in ast.unparse(decorator)
        ]
        assert not thawed

    @pytest.mark.parametrize("path", FILES, ids=shown)
    def test_no_module_draws_from_a_global_random_state_or_rebinds_a_global(self, path: Path) -> None:
        for node in ast.walk(tree(path)):
            assert not isinstance(node, ast.Global)
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("np.random", "numpy.random"):
                assert node.attr in ("Generator", "default_rng", "SeedSequence")
        assert "random" not in outsiders(path)

    @pytest.mark.parametrize("path", [path for path in PLACED if RANK[unit_of(path)] <= RANK["engine"]], ids=shown)
    def test_nothing_below_the_study_knows_a_disk_or_a_clock(self, path: Path) -> None:
        allowed = {"os"} if unit_of(path) == "blas" else set[str]()  # to be told of forks
        assert not outsiders(path) & {"time", "datetime", "os", "pathlib", "io", "sqlite3", "secrets"} - allowed

    @pytest.mark.parametrize("path", FILES, ids=shown)
    def test_no_user_is_answered_by_an_assertion_and_nothing_is_unpickled_evaluated_or_given_to_a_shell(
        self, path: Path
    ) -> None:
        nodes = list(ast.walk(tree(path)))
        assert not any(isinstance(node, ast.Assert) for node in nodes)
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        called = {ast.unparse(node.func) for node in calls}
        assert not called & {"eval", "exec", "__import__"}
        assert not called & {"os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput"}
        assert not any(keyword.arg == "shell" for node in calls for keyword in node.keywords)
        assert not outsiders(path) & {"pickle", "marshal", "shelve", "dill"}
