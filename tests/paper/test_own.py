from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import camobo as cm
from camobo.paper import Comparison, compare, folder
from camobo.paper.experiments import experiment
from camobo.paper.own import CommandFunction
from camobo.run.command import Command
from tests.support.commands import camobo as command

pytest.importorskip("matplotlib")

SPACE = cm.Space({"nickel": cm.Real(0, 20), "soak": cm.Integer(1, 12), "quench": cm.Categorical(["air", "oil"])})
GOALS: Any = {"strength": "max", "corrosion": "min"}


def melt(params: dict[str, Any]) -> dict[str, float]:
    nickel, soak = params["nickel"] / 20, params["soak"] / 12
    return {"corrosion": 1.2 - 0.9 * soak + 0.1 * nickel, "strength": 300 + 200 * nickel + 40 * soak * (1 - nickel)}


def compared(out: Path, **more: Any) -> Comparison:
    given: dict[str, Any] = {"runs": 3, "iterations": 5} | more
    return compare(melt, SPACE, GOALS, "nickel > soak", out=out, **given)


class TestComparing:
    def test_it_makes_runs_a_table_and_figures(self, tmp_path: Path) -> None:
        found = compared(tmp_path / "mine")
        assert list(found.summary["methods"]) == ["mo-ucb", "paper", "default"]
        assert "| CA-MOBO, ascending | 3 × 5 |" in str(found)
        assert "Scorecard" not in str(found)
        assert "published" not in str(found)
        assert found.figures
        assert all(path.is_file() and path.with_suffix(".pdf").is_file() for path in found.figures)

    def test_methods_start_from_the_same_observations_measured_by_the_function(self, tmp_path: Path) -> None:
        compared(tmp_path)
        records = folder.load(tmp_path, folder.read_setting(tmp_path))
        for run in range(3):
            starts = {str(one.first_units.tolist()) for one in records if one.run == run}
            assert len(starts) == 1
        one = records[0]
        values = [melt(SPACE.from_unit(unit)) for unit in one.units]
        assert one.values.tolist() == [[each["strength"], each["corrosion"]] for each in values]

    def test_regrets_are_against_the_best_measured_point_and_below_the_true_ones(self, tmp_path: Path) -> None:
        numbers = compared(tmp_path, runs=4, iterations=8).summary["methods"]
        for method in ("mo-ucb", "paper"):
            assert all(total >= 0.0 for total in numbers[method]["regret"])
            assert max(numbers[method]["regret"]) > 0.0
        assert "regret" not in numbers["default"]

    def test_the_same_call_again_makes_only_what_is_missing(self, tmp_path: Path) -> None:
        compared(tmp_path, runs=1)
        before = {path: path.stat().st_mtime_ns for path in (tmp_path / "runs").iterdir()}
        asked = []

        def counting(params: dict[str, Any]) -> dict[str, float]:
            asked.append(params)
            return melt(params)

        found = compare(counting, SPACE, GOALS, "nickel > soak", out=tmp_path, runs=2, iterations=5)
        assert found.summary["methods"]["paper"]["runs"] == [0, 1]
        assert len(asked) == 3 * (4 + 5)
        assert {path: path.stat().st_mtime_ns for path in before} == before

    def test_another_problem_in_the_same_folder_is_refused(self, tmp_path: Path) -> None:
        compared(tmp_path, runs=1)
        with pytest.raises(cm.InvalidOptionError, match="belongs to runs with"):
            compare(melt, SPACE, GOALS, "soak > nickel", out=tmp_path, runs=1, iterations=5)

    def test_chosen_methods_only_and_three_objectives(self, tmp_path: Path) -> None:
        def three(params: dict[str, Any]) -> dict[str, float]:
            return {**melt(params), "time": float(params["soak"])}

        found = compare(
            three,
            SPACE,
            GOALS | {"time": "min"},
            "soak",
            out=tmp_path,
            methods=["ca-mobo-printed", "mo-ucb"],
            runs=1,
            iterations=3,
        )
        assert list(found.summary["methods"]) == ["mo-ucb", "printed"]

    def test_several_processes_make_the_same_runs(self, tmp_path: Path) -> None:
        (tmp_path / "mine.py").write_text(
            textwrap.dedent(
                """
                import sys
                import camobo as cm
                from camobo.paper import compare

                def f(x):
                    return {"a": x["u"] ** 2, "b": (1 - x["u"]) ** 2 + x["v"]}

                if __name__ == "__main__":
                    space = cm.Space({"u": cm.Real(0, 1), "v": cm.Real(0, 1)})
                    jobs = int(sys.argv[1])
                    goals = {"a": "min", "b": "min"}
                    compare(f, space, goals, "u > v", runs=2, iterations=3, jobs=jobs, out=sys.argv[2])
                """
            )
        )
        for jobs in ("1", "2"):
            subprocess.run([sys.executable, "mine.py", jobs, f"out{jobs}"], cwd=tmp_path, check=True)
        kept = [
            [json.loads(path.read_text())["units"] for path in sorted((tmp_path / f"out{jobs}" / "runs").iterdir())]
            for jobs in (1, 2)
        ]
        assert kept[0] == kept[1]
        assert len(kept[0]) == 6


class TestBadInput:
    @pytest.mark.parametrize(
        ("more", "said"),
        [
            ({"methods": ["random"]}, "methods: need some of mo-ucb, ca-mobo, ca-mobo-printed, default"),
            ({"methods": "mo-ucb"}, "methods: need some of"),
            ({"runs": 0}, "runs"),
            ({"iterations": 1.5}, "iterations"),
            ({"jobs": 0}, "jobs"),
            ({"seed": -1}, "seed"),
        ],
    )
    def test_a_wrong_option_is_named_before_a_folder_is_made(self, more: Any, said: str, tmp_path: Path) -> None:
        with pytest.raises(cm.InvalidOptionError, match=said):
            compared(tmp_path / "out", **more)
        assert not (tmp_path / "out").exists()

    @pytest.mark.parametrize("order", ["nickel > zinc", "nickel >", ["nickel"]])
    def test_an_order_that_does_not_fit_is_named(self, order: Any, tmp_path: Path) -> None:
        with pytest.raises(cm.CamoboError):
            compare(melt, SPACE, GOALS, order, out=tmp_path / "out")
        assert not (tmp_path / "out").exists()

    def test_a_function_that_other_processes_cannot_find_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(cm.InvalidOptionError, match="cannot be sent to other processes"):
            compare(lambda params: melt(params), SPACE, GOALS, "nickel > soak", out=tmp_path / "out", jobs=2)
        assert not (tmp_path / "out").exists()

    def test_values_that_are_missing_or_not_finite_are_named(self, tmp_path: Path) -> None:
        for returned in ({"strength": 1.0}, {"strength": 1.0, "corrosion": np.nan}):

            def wrong(params: dict[str, Any], given: Any = returned) -> Any:
                return given

            with pytest.raises(cm.InvalidValueError, match="corrosion"):
                compare(wrong, SPACE, GOALS, "nickel", out=tmp_path, runs=1, iterations=2)


class TestCommands:
    SCRIPT = "import sys; u = float(sys.argv[1]); print('strength=%r' % u); print('corrosion=%r' % (u * u))"

    def test_a_command_is_a_function(self) -> None:
        measure = CommandFunction(Command([sys.executable, "-c", self.SCRIPT, "{nickel}"], SPACE.names, list(GOALS)))
        assert measure({"nickel": 3.0, "soak": 2, "quench": "oil"}) == {"strength": 3.0, "corrosion": 9.0}

    def test_one_that_fails_says_for_which_inputs(self) -> None:
        measure = CommandFunction(Command([sys.executable, "-c", "raise SystemExit(3)"], SPACE.names, list(GOALS)))
        with pytest.raises(cm.InvalidValueError, match=r"exited with code 3.*'nickel': 3\.0.*Finished runs are stored"):
            measure({"nickel": 3.0, "soak": 2, "quench": "oil"})

    def test_the_command_line_compares_a_problem_file(self, tmp_path: Path) -> None:
        file = tmp_path / "alloy.toml"
        file.write_text(
            '[space]\nnickel = { type = "real", low = 0, high = 20 }\n'
            '[objectives]\nstrength = "max"\ncorrosion = "min"\n[study]\ncost = "nickel"\n'
        )
        script = tmp_path / "f.py"
        script.write_text(self.SCRIPT)
        out = tmp_path / "out"
        asked = ("paper", "compare", str(file), "--out", str(out), "--method", "mo-ucb", "--method", "ca-mobo")
        short = ("--runs", "1", "--iterations", "2", "--jobs", "1")
        found = command(*asked, *short, "--", sys.executable, str(script), "{nickel}")
        assert "| **alloy**: nickel |" in found.out
        assert (out / "runs" / "mo-ucb-0000.json").is_file()
        assert experiment("own", folder.read_setting(out).options).order == "nickel"

    def test_a_problem_without_an_order_is_refused(self, tmp_path: Path) -> None:
        file = tmp_path / "alloy.toml"
        file.write_text('[space]\nx = { type = "real", low = 0, high = 1 }\n[objectives]\ny = "max"\n')
        found = command("paper", "compare", str(file), "--", sys.executable)
        assert "need an order of costs to compare with" in found.err
