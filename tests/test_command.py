from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import camobo as cm
from camobo.command import read_results

SPACE = cm.Space({"trees": cm.Integer(1, 9), "rate": cm.Real(0, 1), "kind": cm.Categorical(["a b", "$(touch x)"])})
GOALS: Any = {"loss": "min", "time": "min"}


def study_of(**options: Any) -> cm.Study:
    return cm.Study(SPACE, GOALS, seed=1, **options)


def command(*parts: str) -> cm.Command:
    return cm.Command([sys.executable, "-c", *parts], SPACE.names, list(GOALS))


GOOD = "import sys; print('epoch 1'); print('{\"loss\": %s, \"time\": %s}' % (sys.argv[1], sys.argv[2]))"


class TestRunning:
    def test_params_go_in_by_placeholder_and_results_come_out(self) -> None:
        study = study_of().optimize(command(GOOD, "{trees}", "{rate}"), 4)
        for trial in study.trials:
            assert trial.values == {"loss": float(trial.params["trees"]), "time": trial.params["rate"]}

    def test_every_digit_of_a_number_arrives(self) -> None:
        study = study_of().optimize(command(GOOD, "{trees}", "{rate}"), 3)
        assert all((trial.values or {})["time"].hex() == trial.params["rate"].hex() for trial in study.trials)

    def test_several_at_once(self) -> None:
        code = "import time; time.sleep(0.5); print('loss=1'); print('time=2'); print('cost=7.5')"
        started = time.monotonic()
        study = study_of().optimize(command(code), 4, jobs=4)
        assert time.monotonic() - started < 1.9
        assert [trial.values for trial in study.trials] == [{"loss": 1.0, "time": 2.0}] * 4
        assert [trial.cost for trial in study.trials] == [7.5] * 4

    def test_no_shell_sees_the_arguments(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        code = "import sys; assert sys.argv[1] in ('a b', '$(touch x)'), sys.argv; print('loss=1\\ntime=1')"
        study = study_of().optimize(command(code, "{kind}"), 4)
        assert {trial.state for trial in study.trials} == {cm.State.COMPLETE}
        assert list(tmp_path.iterdir()) == []

    def test_the_environment_tells_the_trial_and_its_params(self) -> None:
        code = (
            "import os, json; p = json.loads(os.environ['CAMOBO_PARAMS']); "
            "print(json.dumps({'loss': p['trees'], 'time': os.environ['CAMOBO_TRIAL'] and 1}))"
        )
        study = study_of().optimize(command(code), 2)
        assert [(t.values or {})["loss"] for t in study.trials] == [t.params["trees"] for t in study.trials]

    @pytest.mark.parametrize(
        ("code", "said"),
        [
            ("import sys; print('out of memory', file=sys.stderr); sys.exit(3)", "exited with code 3: out of memory"),
            ("import os; os.kill(os.getpid(), 9)", "killed by SIGKILL"),
            ("raise ValueError('no data')", "exited with code 1: .*ValueError: no data"),
            ("import sys; print('x' * 9999, file=sys.stderr); print('the end', file=sys.stderr); 1/0", "the end"),
            ("pass", "printed nothing"),
            ("print('done')", "no value for loss, time.*'done'"),
            ("print('{\"loss\": 1')", "not valid JSON"),
            ("print('{\"loss\": 1}')", "no value for 'time'"),
            ('print(\'{"loss": NaN, "time": 1}\')', "'loss' needs a finite number, got nan\\.$"),
            ('print(\'{"loss": "1", "time": 1}\')', "'loss'.*'1'"),
            ("print('loss=low\\ntime=1')", "'loss'.*'low'"),
            ("print('loss=inf\\ntime=1')", "'loss'.*inf"),
            ("import os; os.write(1, b'\\xff\\xfe')", "no value for loss"),
        ],
    )
    def test_a_command_that_goes_wrong_is_a_failed_trial_that_says_why(self, code: str, said: str) -> None:
        (trial,) = study_of().optimize(command(code), 1).trials
        assert trial.state is cm.State.FAILED
        import re

        assert re.search(said, trial.reason or "", flags=re.DOTALL), trial.reason
        assert len(trial.reason or "") < 2500

    def test_a_timeout_stops_the_command_and_all_it_started(self, tmp_path: Path) -> None:
        code = (
            "import subprocess, sys, time; p = subprocess.Popen(['sleep', '60']); "
            f"open({str(tmp_path / 'pid')!r}, 'w').write(str(p.pid)); print('waiting', file=sys.stderr, flush=True); "
            "time.sleep(60)"
        )
        started = time.monotonic()
        (trial,) = study_of().optimize(command(code), 1, timeout="2s").trials
        assert time.monotonic() - started < 15
        assert "longer than 2 s" in (trial.reason or "")
        assert "waiting" in (trial.reason or "")
        time.sleep(0.2)
        process = int((tmp_path / "pid").read_text())
        stat = Path(f"/proc/{process}/stat")
        assert not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"

    def test_much_output_is_no_trouble(self) -> None:
        code = "print('x' * 5_000_000); print('y\\n' * 1_000_000); print('loss=1'); print('time=2')"
        (trial,) = study_of().optimize(command(code), 1).trials
        assert trial.values == {"loss": 1.0, "time": 2.0}

    def test_a_command_that_is_not_there_spends_no_trial(self) -> None:
        study = study_of()
        with pytest.raises(cm.InvalidOptionError, match="'no-such-command' cannot be found"):
            study.optimize(cm.Command(["no-such-command"], SPACE.names, list(GOALS)), 3)
        assert study.trials == ()

    def test_a_command_that_cannot_be_started_is_a_failed_trial(self, tmp_path: Path) -> None:
        script = tmp_path / "script"
        script.write_text("#!/no/such/interpreter\n")
        script.chmod(0o755)
        (trial,) = study_of().optimize(cm.Command([os.fspath(script)], SPACE.names, list(GOALS)), 1).trials
        assert "cannot run" in (trial.reason or "")


class TestTemplate:
    def test_braces(self) -> None:
        made = cm.Command(["run", "{rate}", '--json={{"a": 1}}', "{trial}", "{}", "{a b}", "{{rate}}"], ["rate"], ["y"])
        assert made.arguments(5, {"rate": 0.1}) == ["run", "0.1", '--json={"a": 1}', "5", "{}", "{a b}", "{rate}"]

    def test_a_placeholder_for_no_input_is_refused_with_the_inputs_there_are(self) -> None:
        with pytest.raises(cm.InvalidOptionError, match=r"asks for 'tree'.*trees, rate, kind"):
            cm.Command(["run", "--n={tree}"], SPACE.names, ["y"])

    @pytest.mark.parametrize("template", ["run {x}", [], [3]])
    def test_what_is_no_command_line_is_refused(self, template: Any) -> None:
        with pytest.raises(cm.InvalidOptionError, match="command: need a list"):
            cm.Command(template, ["x"], ["y"])


@pytest.mark.parametrize(
    ("output", "values"),
    [
        ('{"a": 1, "b": 2.5}', {"a": 1.0, "b": 2.5}),
        ('noise\n\n  {"b": 2, "a": 1, "note": "x"}  \n\n', {"a": 1.0, "b": 2.0}),
        ("a=1\nb = 2e-3", {"a": 1.0, "b": 2e-3}),
        ("a=1\na=3\nb=-4\nthe end", {"a": 3.0, "b": -4.0}),
    ],
)
def test_results_are_read_from_the_last_line_or_from_pairs(output: str, values: dict[str, float]) -> None:
    assert read_results(output, ["a", "b"])[0] == values
