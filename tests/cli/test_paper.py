"""`camobo paper` as a command line: its options, folders, progress and refusals. The experiments are tested apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from camobo.cli import paper
from camobo.paper import drawing, folder, runs
from camobo.paper.departures import SCRIPT
from camobo.paper.experiments import NAMES
from camobo.paper.page import BEGIN, END
from tests.support.commands import camobo

SHORT = ("--runs", "1", "--iterations", "2", "--jobs", "1", "--cost", "paper")


class TestHelp:
    def test_every_experiment_has_a_command(self) -> None:
        names = {command.name for command in paper.app.registered_commands}
        assert set(NAMES) <= names

    @pytest.mark.parametrize("name", NAMES)
    def test_every_experiment_has_the_shared_options(self, name: str) -> None:
        shown = camobo("paper", name, "--help").out
        options = "--runs --iterations --jobs --seed --out --cost --protocol --beta --depart --quick"
        for option in options.split():
            assert option in shown

    def test_without_a_command_it_shows_the_help(self) -> None:
        done = camobo("paper")
        assert "cross-holder" in done.out + done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("zdt9",),
        ("zdt3", "--runs", "0"),
        ("zdt3", "--runs", "1000000000"),
        ("zdt3", "--iterations", "-1"),
        ("zdt3", "--seed", "-1"),
        ("zdt3", "--cost", "cheap"),
        ("zdt3", "--cost", "additive"),
        ("zdt3", "--protocol", "long"),
        ("zdt3", "--beta", "big"),
        ("zdt3", "--depart", "theta"),
        ("matyas-booth", "--booth", "telephone"),
        ("forest", "--dataset", "mnist"),
        ("steel", "--objectives", "3"),
        ("network", "--epochs", "0"),
    ],
    ids=" ".join,
)
def test_a_command_line_that_cannot_be_parsed_is_a_usage_error(arguments: tuple[str, ...]) -> None:
    assert camobo("paper", *arguments).code == 2


class TestRunning:
    @pytest.fixture(autouse=True)
    def quickly(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """No figures, in an empty folder: what they show is tested with the experiments."""
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(drawing, "available", lambda: None)
        monkeypatch.setattr("camobo.paper.figures.draw", lambda place, *_: [place / "quality.png"])

    @pytest.mark.parametrize(
        ("more", "place"),
        [
            ((), "paper-runs/steel"),
            (("--objectives", "2"), "paper-runs/steel-2"),
            (("--quick",), "paper-runs-quick/steel"),
            (("--out", "here"), "here"),
        ],
    )
    def test_results_go_to_a_folder_of_the_settings(self, tmp_path: Path, more: tuple[str, ...], place: str) -> None:
        done = camobo("paper", "steel", *SHORT, *more)
        assert done.code == 0, done.err
        assert [str(path.parent.relative_to(tmp_path)) for path in tmp_path.rglob("summary.json")] == [place]
        assert "2 runs of 2 iterations, 0 already done" in done.out
        assert "| MO-UCB |" in done.out
        assert "drawn: " in done.out

    @pytest.mark.parametrize(
        ("more", "place", "beta", "departures", "row"),
        [
            (("--beta", "theory"), "steel-theory", "theory", (), "MO-UCB, β of Theorem 1"),
            (("--protocol", "authors"), "steel-authors", "theory", SCRIPT, "+ β of Theorem 1: the script"),
            (
                ("--depart", "starts", "--depart", "length"),
                "steel-length-starts",
                "practical",
                ("length", "starts"),
                "+ two cheap starts",
            ),
        ],
    )
    def test_protocols_of_their_own_have_folders_and_rows_of_their_own(
        self, tmp_path: Path, more: tuple[str, ...], place: str, beta: str, departures: tuple[str, ...], row: str
    ) -> None:
        done = camobo("paper", "steel", *SHORT, *more)
        assert done.code == 0, done.err
        setting = folder.read_setting(tmp_path / "paper-runs" / place)
        assert (setting.beta, setting.departures) == (beta, departures)
        assert f"| {row} |" in done.out

    @pytest.mark.parametrize(
        ("costs", "methods"),
        [
            ((), ["default", "mo-ucb", "paper"]),
            (("--cost", "default"), ["default", "mo-ucb"]),
            (("--cost", "printed", "--cost", "printed"), ["mo-ucb", "printed"]),
        ],
    )
    def test_costs_choose_what_runs_beside_the_baseline(
        self, tmp_path: Path, costs: tuple[str, ...], methods: list[str]
    ) -> None:
        done = camobo("paper", "steel", "--runs", "1", "--iterations", "2", "--jobs", "1", *costs)
        assert done.code == 0, done.err
        assert sorted(path.stem for path in tmp_path.rglob("runs/*.json")) == [f"{name}-0000" for name in methods]

    def test_runs_already_done_are_not_made_again_and_can_be_redrawn(self, tmp_path: Path) -> None:
        assert camobo("paper", "steel", *SHORT).code == 0
        made = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("runs/*.json")}
        again = camobo("paper", "steel", *SHORT)
        assert "2 runs of 2 iterations, 2 already done" in again.out
        assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("runs/*.json")} == made
        (tmp_path / "paper-runs" / "steel" / "summary.json").unlink()
        assert "drawn: " in camobo("paper", "redraw", "paper-runs/steel").out
        page = tmp_path / "paper.md"
        page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
        table = camobo("paper", "table", "paper-runs", "--write", page)
        assert table.code == 0, table.err
        assert "| MO-UCB |" in table.out
        assert "| MO-UCB |" in page.read_text(encoding="utf-8")

    def test_an_interrupt_says_how_to_continue(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(runs, "make", interrupted)
        done = camobo("paper", "steel", *SHORT)
        assert done.code == 130
        assert done.err.strip() == "Interrupted. Finished runs are stored; run the same command to continue."

    def test_other_settings_in_the_same_folder_are_refused(self) -> None:
        assert camobo("paper", "steel", *SHORT, "--out", "here").code == 0
        done = camobo("paper", "steel", *SHORT, "--out", "here", "--seed", "9")
        assert done.code == 1
        assert "seed 0 (now 9)" in done.err

    def test_a_folder_without_finished_runs_has_nothing_to_draw(self, tmp_path: Path) -> None:
        folder.claim(tmp_path / "here", folder.Setting("steel", 2, 0, {"objectives": 1}))
        done = camobo("paper", "redraw", "here")
        assert done.code == 1
        assert "has no finished runs" in done.err


class TestCostSurface:
    def test_it_is_not_drawn_among_other_files_or_over_one(self, tmp_path: Path) -> None:
        (tmp_path / "thesis.tex").write_text("years of work")
        for place, said in ((tmp_path, "holds other files"), (tmp_path / "thesis.tex", "need a folder, got the file")):
            done = camobo("paper", "cost-surface", "--out", place)
            assert done.code == 1
            assert said in done.err
        assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]

    def test_each_file_drawn_is_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(drawing, "available", lambda: None)
        monkeypatch.setattr("camobo.paper.surface.cost_surface", lambda place: [place / "cost-surface.png"])
        monkeypatch.chdir(tmp_path)
        assert camobo("paper", "cost-surface").out == "drawn: paper-runs/cost-surface/cost-surface.png\n"


@pytest.mark.parametrize(
    ("size", "shown"),
    [(400, "0.4 kB"), (7_320, "7.3 kB"), (99_900, "99.9 kB"), (100_000, "0.1 MB"), (2_340_000, "2.3 MB")],
)
def test_packing_says_how_large_the_file_is(
    size: int, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "runs.npz"
    file.write_bytes(bytes(size))
    folder.claim(tmp_path / "here", folder.Setting("steel", 2, 0, {"objectives": 1}))
    monkeypatch.setattr(folder, "pack", lambda *_: file)
    assert camobo("paper", "pack", tmp_path / "here").out == f"packed: {file} ({shown})\n"


def test_a_table_of_an_empty_folder_names_a_command_to_start_with(tmp_path: Path) -> None:
    done = camobo("paper", "table", tmp_path)
    assert done.code == 1
    assert "camobo paper zdt3" in done.err
