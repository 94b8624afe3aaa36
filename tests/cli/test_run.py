from __future__ import annotations

import logging
import signal
import sys
import time
from pathlib import Path

import pytest

import camobo as cm
from tests.support.commands import camobo, start

FOREST = """
[space]
trees = { type = "integer", low = 5, high = 300, log = true }
depth = { type = "integer", low = 1, high = 16 }

[objectives]
error = "min"
size = "min"

[study]
cost = "trees > depth"
budget = 12
seed = 3
"""
TRAIN = """
import sys
trees, depth = map(int, sys.argv[1:])
print("training")
print(f"error={1 / trees + 2.0 ** -depth}")
print(f"size={trees * depth}")
print(f"cost={trees}")
"""


def forest(folder: Path, budget: int = 6) -> tuple[Path, list[str]]:
    """A problem file and the command that evaluates it."""
    folder.mkdir(exist_ok=True)
    (folder / "forest.toml").write_text(FOREST.replace("budget = 12", f"budget = {budget}"))
    (folder / "train.py").write_text(TRAIN)
    return folder / "forest.toml", ["--", sys.executable, str(folder / "train.py"), "{trees}", "{depth}"]


def test_a_command_is_run_until_the_budget_is_spent(tmp_path: Path) -> None:
    problem, command = forest(tmp_path / "a folder")
    done = camobo("run", problem, *command)
    assert (done.code, done.err) == (0, "")
    assert "6 evaluated, 0 failed." in done.out
    trials = cm.Study.load(problem.with_suffix(".db")).trials
    assert len(trials) == 6
    assert all(trial.values == {"error": 1 / trial.params["trees"] + 2.0 ** -trial.params["depth"],
                                "size": trial.params["trees"] * trial.params["depth"]} for trial in trials)  # fmt: skip
    assert all(trial.cost == trial.params["trees"] for trial in trials)
    again = camobo("run", problem, *command)
    assert (again.code, "no trial was evaluated." in again.out) == (0, True)
    said = "no trial was run: the budget of 6 trials is spent: 6 complete. To go on, raise it with camobo set "
    assert f"{said}STUDY --budget=…." in again.err


def in_money(folder: Path) -> tuple[Path, list[str]]:
    """The same with a budget of 900 EUR, of which a trial takes as many as it has trees."""
    problem, command = forest(folder)
    problem.write_text(problem.read_text().replace("budget = 6", 'budget = { cost = 900, unit = "EUR" }'))
    return problem, command


def test_a_budget_in_money_is_spent_and_the_run_says_how_much(tmp_path: Path) -> None:
    problem, command = in_money(tmp_path)
    done = camobo("run", problem, *command)
    study = cm.Study.load(problem.with_suffix(".db"))
    spent = f"{sum(trial.params['trees'] for trial in study.trials):.4g}"
    assert done.code == 0
    assert f"the budget is spent: {spent} of 900 EUR; the cheapest trial left costs about " in done.err
    assert f"spent {spent} EUR in this run, {spent} of 900 EUR in all." in done.out
    again = camobo("run", problem, *command)
    assert again.code == 0
    assert f"no trial was run: the budget is spent: {spent} of 900 EUR; the cheapest trial left costs " in again.err
    assert "To go on, raise it with camobo set STUDY --budget=…." in again.err
    assert f"spent {spent} of 900 EUR in all." in again.out
    refused = camobo("run", problem, "-n", "2", *command)
    assert refused.code == 1
    assert f"the budget is spent: {spent} of 900 EUR; " in refused.err


def test_a_program_reads_what_was_spent(tmp_path: Path) -> None:
    problem, command = in_money(tmp_path)
    first, second = (camobo("run", problem, "-n", "2", "--json", *command).json for _ in range(2))
    costs = [trial.cost or 0.0 for trial in cm.Study.load(problem.with_suffix(".db")).trials]
    assert first["spent"] == first["spent_in_all"] == sum(costs[:2])
    assert (second["spent"], second["spent_in_all"]) == (sum(costs[2:]), sum(costs))
    assert second["remaining"] == 900.0 - second["spent_in_all"]


def test_without_costs_nothing_is_said_of_money(tmp_path: Path) -> None:
    problem, _ = forest(tmp_path)
    free = ["--", "sh", "-c", "echo error=1; echo size=2"]
    assert "spent" not in camobo("run", problem, "-n", "2", *free).out
    facts = camobo("run", problem, "-n", "1", "--json", *free).json
    assert (facts["spent"], facts["spent_in_all"], facts["remaining"]) == (None, 0.0, None)


def test_without_a_budget_in_money_the_run_says_what_it_spent(tmp_path: Path) -> None:
    problem, command = forest(tmp_path)
    done = camobo("run", problem, "-n", "3", *command)
    total = sum(float(trial.params["trees"]) for trial in cm.Study.load(tmp_path / "forest.db").trials)
    assert f"spent {total:.4g} in this run, {total:.4g} in all." in done.out


def test_a_command_that_fails_is_paid_for_and_a_cost_that_is_none_fails_it(tmp_path: Path) -> None:
    problem, _ = forest(tmp_path)
    camobo("run", problem, "-n", "1", "--", "sh", "-c", "echo cost=12; exit 3")
    camobo("run", problem, "-n", "1", "--", "sh", "-c", "echo error=1; echo size=2; echo cost=-4")
    failed, unpaid = cm.Study.load(tmp_path / "forest.db").trials
    assert (failed.state, failed.cost) == (cm.State.FAILED, 12.0)
    assert (unpaid.state, unpaid.cost) == (cm.State.FAILED, None)
    assert (unpaid.reason or "").startswith("cost: need a finite number of at least 0, got -4.0")


def test_several_runs_share_a_study_and_spend_its_budget_exactly(tmp_path: Path) -> None:
    problem, command = forest(tmp_path, 8)
    runs = [start("run", problem, "--jobs", "2", *command) for _ in range(2)]
    ends = [(process.communicate(timeout=120), process.returncode) for process in runs]
    assert [code for _, code in ends] == [0, 0], ends
    trials = cm.Study.load(tmp_path / "forest.db").trials
    assert [str(trial.state) for trial in trials] == ["complete"] * 8


def test_a_run_in_which_everything_fails_has_failed(tmp_path: Path) -> None:
    problem, _ = forest(tmp_path)
    done = camobo("run", problem, "-n", "2", "--", sys.executable, "-c", "raise SystemExit('no data')")
    assert done.code == 1
    assert "2 trials evaluated, all failed. The last: " in done.err
    assert done.err.count("no data") == 3
    assert [t.state for t in cm.Study.load(tmp_path / "forest.db").trials] == [cm.State.FAILED] * 2


USAGE = "import sys; sys.exit('2026-11-19 12:00:%s usage: no such option --dept' % sys.argv[1])"


def test_a_broken_command_ends_the_run_and_its_trials_are_evaluated_first_once_it_is_mended(tmp_path: Path) -> None:
    problem, command = forest(tmp_path, 8)
    done = camobo("run", problem, "--", sys.executable, "-c", USAGE, "{trial}")
    assert done.code == 1
    assert "the first 3 trials of this run all failed alike: the command exited with code 1: 2026" in done.err
    assert "released: fix the cause and run again" in done.err
    assert "To record such trials as failed and go on, give --record-failures." in done.err
    study = cm.Study.load(tmp_path / "forest.db")
    assert [trial.state for trial in study.trials] == [cm.State.RELEASED] * 3
    assert camobo("run", problem, *command).code == 0
    assert [str(trial.state) for trial in study.trials] == ["complete"] * 8


def test_failures_that_are_expected_are_recorded_on_request(tmp_path: Path) -> None:
    problem, _ = forest(tmp_path, 5)
    done = camobo("run", problem, "--record-failures", "--", sys.executable, "-c", USAGE, "{trial}")
    assert (done.code, "5 evaluated, 5 failed." in done.out) == (1, True)


@pytest.mark.parametrize("script", ["echo error=1", "echo error=1; echo size=big", "echo '{\"error\": 1'"])
def test_a_command_that_prints_something_other_than_its_results_ends_the_run_at_once(
    tmp_path: Path, script: str
) -> None:
    problem, _ = forest(tmp_path)
    done = camobo("run", problem, "--", "sh", "-c", script)
    assert done.code == 1
    assert "trial 0: " in done.err
    assert "The whole result was " in done.err
    assert [trial.state for trial in cm.Study.load(tmp_path / "forest.db").trials] == [cm.State.RELEASED]


def test_a_command_that_prints_nothing_may_have_broken_off_and_fails_its_trial(tmp_path: Path) -> None:
    problem, _ = forest(tmp_path)
    done = camobo("run", problem, "-n", "4", "--", "sh", "-c", "test {trial} = 0 || { echo error=1; echo size=2; }")
    assert (done.code, "4 evaluated, 1 failed." in done.out) == (0, True)


def test_after_the_time_no_trial_is_started_and_the_one_under_way_ends(tmp_path: Path) -> None:
    problem, _ = forest(tmp_path, 500)
    done = camobo("run", problem, "--timeout", "0.6", "--", "sh", "-c", "sleep 0.4; echo error=1; echo size=2")
    assert (done.code, "2 evaluated, 0 failed." in done.out or "1 evaluated, 0 failed." in done.out) == (0, True)


def test_some_failures_do_not_fail_a_run(tmp_path: Path) -> None:
    problem, _ = forest(tmp_path)
    code = "import sys; n = int(sys.argv[1]); print('error=1\\nsize=2') if n % 2 else sys.exit(3)"
    done = camobo("run", problem, "-n", "4", "--json", "--", sys.executable, "-c", code, "{trial}")
    assert done.code == 0
    assert (done.json["evaluated"], done.json["failed"]) == (4, 2)


def test_a_run_counts_its_own_trials_and_not_those_of_another(tmp_path: Path) -> None:
    problem, _ = forest(tmp_path)
    (tmp_path / "slow.py").write_text("import time; time.sleep(0.2)\n" + TRAIN)
    camobo("new", problem)
    study = problem.with_suffix(".db")
    other = start("run", study, "--", sys.executable, str(tmp_path / "slow.py"), "{trees}", "{depth}")
    with cm.Study.load(study) as watched:
        while not watched.trials:
            time.sleep(0.05)
    failing = camobo("run", study, "-n", "3", "--record-failures", "--", sys.executable, "-c", "raise SystemExit(3)")
    assert failing.code == 1
    assert "3 evaluated, 3 failed." in failing.out
    out, _ = other.communicate(timeout=120)
    complete = sum(trial.state is cm.State.COMPLETE for trial in cm.Study.load(study).trials)
    assert f"{complete} evaluated, 0 failed." in out
    assert other.returncode == 0


def test_a_timeout_with_or_without_a_unit_stops_a_command(tmp_path: Path) -> None:
    problem, _ = forest(tmp_path)
    began = time.monotonic()
    for limit in ("0.2", "0.2s"):
        assert camobo("run", problem, "-n", "1", "--trial-timeout", limit, "--", "sleep", "60").code == 1
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(("kind", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_a_request_to_end_hands_unfinished_trials_back(tmp_path: Path, kind: signal.Signals, code: int) -> None:
    problem, _ = forest(tmp_path)
    process = start("run", problem, "--jobs", "2", "--", "sh", "-c", f"touch '{tmp_path}/{{trial}}.started'; sleep 60")
    deadline = time.monotonic() + 60
    while len(list(tmp_path.glob("*.started"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(kind)
    _, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert "Traceback" not in err
    assert ("Everything recorded so far is stored" in err) is (kind is signal.SIGINT)
    assert {t.state for t in cm.Study.load(tmp_path / "forest.db").trials} == {cm.State.RELEASED}


def test_a_run_says_for_whom_it_waits(tmp_path: Path) -> None:
    problem, train = forest(tmp_path, 2)
    study = str(tmp_path / "forest.db")
    assert camobo("run", problem, "-n", "1", *train).code == 0
    assert camobo("ask", study, "--owner", "ghost", "--lease", "3s").code == 0
    done = camobo("run", problem, *train)
    assert done.code == 0
    assert done.err.count("waiting for trial 1, which ghost holds until ") == 1
    assert len(cm.Study.load(study).trials) == 2


def test_a_command_without_the_dashes_gets_an_explanation(tmp_path: Path) -> None:
    problem, _ = forest(tmp_path)
    done = camobo("run", problem, "python", "train.py", "--forest", "3")
    assert done.code == 2
    assert "comes after --" in done.err
    assert not (tmp_path / "forest.db").exists()


def test_a_place_to_store_goes_with_a_problem_file_only(tmp_path: Path) -> None:
    problem, command = forest(tmp_path)
    other = tmp_path / "other.db"
    assert camobo("run", problem, "-n", "1", "--storage", other, *command).code == 0
    assert len(cm.Study.load(other).trials) == 1
    assert not (tmp_path / "forest.db").exists()
    refused = camobo("run", other, "-n", "1", "--storage", tmp_path / "third.db", *command)
    assert refused.code == 1
    assert f"--storage: goes with a problem file; {other} is a study." in refused.err


def test_signals_are_handled_as_before_when_a_run_has_ended(tmp_path: Path) -> None:
    problem, command = forest(tmp_path)
    before = [signal.getsignal(kind) for kind in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    assert camobo("run", problem, "-n", "1", *command).code == 0
    assert [signal.getsignal(kind) for kind in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == before
    assert not logging.getLogger("camobo").handlers
    assert logging.getLogger("camobo").level == logging.NOTSET
