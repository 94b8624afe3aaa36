from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import camobo as cm
from camobo.errors import InvalidOptionError, InvalidValueError
from camobo.history.trial import Trial
from camobo.run.command import Command, CommandEvaluation, read_cost, read_results
from camobo.run.evaluate import Outcome
from tests.support.strategies import law
from tests.support.trial_queues import alive, begun, finished, wait_until

INPUTS = ("trees", "rate", "kind")
GOALS = ("loss", "time")
PARAMS = {"trees": 7, "rate": 0.1 + 0.2, "kind": "$(touch x)"}


def python(*parts: str) -> Command:
    return Command([sys.executable, "-S", "-E", "-c", *parts], INPUTS, GOALS)


def shell(script: str, *parts: str) -> Command:
    return Command(["sh", "-c", script, "sh", *parts], INPUTS, GOALS)


def run(command: Command, timeout: float | None = None) -> Outcome:
    return finished(begun(CommandEvaluation(command, Trial(3, PARAMS), timeout)))


class TestRunning:
    def test_a_study_is_optimised_with_a_command(self) -> None:
        space = cm.Space({"trees": cm.Integer(1, 9), "rate": cm.Real(0, 1)})
        command = cm.Command(["echo", '{{"loss": {trees}, "time": {rate}}}'], space.names, GOALS)
        study = cm.Study(space, {"loss": "min", "time": "min"}, seed=1).optimize(command, 4)
        for trial in study.trials:
            assert trial.values == {"loss": float(trial.params["trees"]), "time": trial.params["rate"]}

    def test_every_digit_of_a_number_arrives(self) -> None:
        outcome = run(shell('echo loss=1; echo "time=$1"', "{rate}"))
        assert (outcome.values or {})["time"].hex() == (0.1 + 0.2).hex()

    def test_several_at_once(self) -> None:
        space = cm.Space({"trees": cm.Integer(1, 9)})
        command = Command(["sh", "-c", "sleep 0.3; echo loss=1; echo cost=7.5"], space.names, ["loss"])
        started = time.monotonic()
        study = cm.Study(space, {"loss": "min"}, seed=1).optimize(command, 4, jobs=4)
        assert time.monotonic() - started < 1.1
        assert [(trial.values, trial.cost) for trial in study.trials] == [({"loss": 1.0}, 7.5)] * 4

    @pytest.mark.parametrize(
        ("script", "timeout", "cost"),
        [
            ("echo cost=12; exit 3", None, 12.0),
            ("echo cost=12; sleep 60", 1.0, 12.0),
            ('echo \'{"cost": 12, "loss": null}\'', None, 12.0),
            ("echo cost=much; exit 3", None, None),
            ("echo cost=-1; exit 3", None, None),
            ("echo '{\"cost\": 12'; exit 3", None, None),
            ("exit 3", None, None),
        ],
    )
    def test_a_command_that_fails_has_cost_what_it_printed(
        self, script: str, timeout: float | None, cost: float | None
    ) -> None:
        outcome = run(shell(script), timeout)
        assert (outcome.values, outcome.cost) == (None, cost)

    @pytest.mark.parametrize(
        ("script", "timeout", "least"),
        [("sleep 0.2; echo loss=1; echo time=1", None, 0.2), ("sleep 0.2; exit 3", None, 0.2), ("sleep 60", 0.4, 0.4)],
        ids=["ends well", "fails", "takes too long"],
    )
    def test_its_duration_is_its_lifetime(self, script: str, timeout: float | None, least: float) -> None:
        assert least <= (run(shell(script), timeout).seconds or 0.0) < least + 0.5

    def test_its_duration_does_not_depend_on_when_somebody_asks(self) -> None:
        running = begun(CommandEvaluation(shell("echo loss=1; echo time=1"), Trial(3, PARAMS), None))
        time.sleep(0.6)
        assert 0.0 < (finished(running).seconds or 0.0) < 0.5

    def test_no_shell_sees_the_arguments(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        code = "import sys; assert sys.argv[1:] == ['$(touch x)', 'a b'], sys.argv; print('loss=1\\ntime=1')"
        assert run(python(code, "{kind}", "a b")).values == {"loss": 1.0, "time": 1.0}
        assert list(tmp_path.iterdir()) == []

    def test_the_environment_holds_the_trial_and_its_params(self) -> None:
        code = (
            "import os, json; p = json.loads(os.environ['CAMOBO_PARAMS']); assert p['kind'] == '$(touch x)'; "
            "print(json.dumps({'loss': p['rate'], 'time': int(os.environ['CAMOBO_TRIAL'])}))"
        )
        assert run(python(code)).values == {"loss": 0.1 + 0.2, "time": 3.0}

    @pytest.mark.parametrize(
        ("script", "reason"),
        [
            ("echo out of memory >&2; exit 3", "^the command exited with code 3: out of memory$"),
            ("kill -9 $$", "killed by SIGKILL"),
            (f"{sys.executable} -S -E -c 'raise ValueError(1234)'", "exited with code 1: .*ValueError: 1234"),
            ("printf '%9999d' 0 >&2; echo the end >&2; exit 1", "exited with code 1: .*the end$"),
            ("true", "printed nothing: need one JSON object or lines name=value for loss, time"),
            ("echo done", "no value for loss, time.*'done'"),
            ("echo '{\"loss\": 1'", "not valid JSON"),
            ("echo '{\"loss\": 1}'", "no value for 'time'"),
            ('echo \'{"loss": NaN, "time": 1}\'', "'loss' needs a finite number, got nan\\.$"),
            ('echo \'{"loss": "1", "time": 1}\'', "'loss'.*'1'"),
            ("echo loss=low; echo time=1", "'loss'.*'low'"),
            ("echo loss=inf; echo time=1", "'loss'.*inf"),
            ("printf '\\377\\376'", "no value for loss"),
        ],
    )
    def test_a_command_that_goes_wrong_says_why(self, script: str, reason: str) -> None:
        outcome = run(shell(script))
        assert outcome.values is None
        assert re.search(reason, outcome.reason or "", flags=re.DOTALL), outcome.reason
        assert len(outcome.reason or "") < 2500

    def test_a_timeout_stops_the_command_and_all_it_started(self, tmp_path: Path) -> None:
        script = 'sleep 60 & echo $! > "$1"; echo waiting >&2; wait'
        outcome = run(shell(script, str(tmp_path / "pid")), timeout=2)
        assert outcome.reason == "it took longer than 2 s and was stopped: waiting"
        process = int((tmp_path / "pid").read_text())
        wait_until(lambda: not alive(process), 20)

    def test_kill_stops_the_command_and_all_it_started(self, tmp_path: Path) -> None:
        script = 'sleep 60 & echo $! > "$1.part"; mv "$1.part" "$1"; wait'
        running = begun(CommandEvaluation(shell(script, str(tmp_path / "pid")), Trial(3, PARAMS), None))
        wait_until((tmp_path / "pid").exists)
        assert running.poll() is None
        running.kill()
        running.kill()
        assert running.poll() == Outcome(reason="it was stopped")
        process = int((tmp_path / "pid").read_text())
        wait_until(lambda: not alive(process), 20)

    def test_much_output_is_no_trouble(self) -> None:
        code = "print('x' * 5_000_000); print('y\\n' * 1_000_000); print('loss=1'); print('time=2')"
        assert run(python(code)).values == {"loss": 1.0, "time": 2.0}

    def test_a_command_that_does_not_exist_is_refused(self) -> None:
        with pytest.raises(InvalidOptionError, match="'no-such-command' cannot be found or is not executable"):
            Command(["no-such-command"], INPUTS, GOALS).check()
        Command(["{kind}"], INPUTS, GOALS).check()

    def test_a_command_that_does_not_exist_spends_no_trial(self) -> None:
        study = cm.Study(cm.Space({"trees": cm.Integer(1, 9)}), {"loss": "min"}, seed=1)
        with pytest.raises(InvalidOptionError, match="'no-such-command' cannot be found"):
            study.optimize(Command(["no-such-command"], ["trees"], ["loss"]), 3)
        assert study.trials == ()

    def test_a_command_that_cannot_be_started_says_so(self, tmp_path: Path) -> None:
        script = tmp_path / "script"
        script.write_text("#!/no/such/interpreter\n")
        script.chmod(0o755)
        outcome = run(Command([os.fspath(script)], INPUTS, GOALS))
        assert (outcome.reason or "").startswith("cannot run: ")


class TestTemplate:
    def test_braces(self) -> None:
        made = Command(["run", "{rate}", '--json={{"a": 1}}', "{trial}", "{}", "{a b}", "{{rate}}"], ["rate"], ["y"])
        assert made.arguments(5, {"rate": 0.1}) == ["run", "0.1", '--json={"a": 1}', "5", "{}", "{a b}", "{rate}"]

    def test_a_placeholder_for_no_input_is_refused_with_the_inputs_there_are(self) -> None:
        with pytest.raises(InvalidOptionError, match=r"asks for 'tree', which is not an input.*trees, rate, kind"):
            Command(["run", "--n={tree}"], INPUTS, ["y"])

    @pytest.mark.parametrize("template", ["run {x}", [], [3]])
    def test_what_is_no_command_line_is_refused(self, template: Any) -> None:
        with pytest.raises(InvalidOptionError, match="command: need a list"):
            Command(template, ["x"], ["y"])


class TestReadingResults:
    @pytest.mark.parametrize(
        ("output", "values"),
        [
            ('{"a": 1, "b": 2.5}', {"a": 1.0, "b": 2.5}),
            ('noise\n\n  {"b": 2, "a": 1, "note": "x"}  \n\n', {"a": 1.0, "b": 2.0}),
            ("a=1\nb = 2e-3", {"a": 1.0, "b": 2e-3}),
            ("a=1\na=3\nb=-4\nthe end", {"a": 3.0, "b": -4.0}),
        ],
    )
    def test_results_are_read_from_the_last_line_or_from_pairs(self, output: str, values: dict[str, float]) -> None:
        assert read_results(output, ["a", "b"]) == (values, None)

    @law
    @given(st.floats(allow_nan=False, allow_infinity=False), st.floats(0, 1e300))
    def test_a_number_printed_by_python_is_read_to_the_last_digit(self, value: float, cost: float) -> None:
        for output in (f"a={value!r}\ncost={cost!r}", f'{{"a": {value!r}, "cost": {cost!r}}}'):
            assert read_results(output, ["a"]) == ({"a": value}, cost)

    @pytest.mark.parametrize(
        "output",
        [
            'cost=2\n{"a": 1}',
            '{"a": 1}\ncost=2',
            '{"a": 1}\ncost=9\ncost = 2\n',
            '{"a": 5}\na=1\ncost=2\ndone',
            "cost=2\na=1",
            '{"a": 1, "cost": 2}',
            'cost=9\n{"a": 1, "cost": 2}',
        ],
    )
    def test_a_cost_may_come_before_or_after_the_results_and_the_last_counts(self, output: str) -> None:
        assert read_results(output, ["a"]) == ({"a": 1.0}, 2.0)

    @pytest.mark.parametrize("output", ["a=1\nepoch 3 cost=2", "a=1\ncosts=2", '{"a": 1, "cost": null}'])
    def test_what_is_not_called_cost_is_none(self, output: str) -> None:
        assert read_results(output, ["a"]) == ({"a": 1.0}, None)

    @pytest.mark.parametrize("output", ["cost=-3\na=1", '{"cost": -3, "a": 1}', 'cost=9\n{"cost": -3, "a": 1}'])
    def test_an_objective_called_cost_is_an_objective_and_no_receipt(self, output: str) -> None:
        assert read_results(output, ["a", "cost"]) == ({"a": 1.0, "cost": -3.0}, None)
        assert read_cost(output, ["a", "cost"]) is None

    @pytest.mark.parametrize(
        "output", ["a=1\ncost=-1", '{"a": 1, "cost": "much"}', "a=1\ncost=inf", "a=1\ncost=nan", '{"a": 1}\ncost=low']
    )
    def test_a_cost_that_is_no_amount_of_money_is_refused(self, output: str) -> None:
        with pytest.raises(InvalidValueError, match=r"^cost: need a finite number of at least 0"):
            read_results(output, ["a"])

    @pytest.mark.parametrize("text", ["1_000", "\N{ARABIC-INDIC DIGIT THREE}", "0x10", "1,5", "1e", "--3", ""])
    def test_only_what_reads_as_a_number_elsewhere_reads_as_one_here(self, text: str) -> None:
        with pytest.raises(InvalidValueError, match="objective 'a' needs a finite number"):
            read_results(f"a={text}", ["a"])
        with pytest.raises(InvalidValueError, match=r"^cost: need a finite number"):
            read_results(f"a=1\ncost={text}", ["a"])

    def test_json_nested_without_end_is_refused(self) -> None:
        with pytest.raises(InvalidValueError, match="not valid JSON"):
            read_results('{"a":' * 100_000, ["a"])
