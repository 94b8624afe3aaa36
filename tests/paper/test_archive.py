from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from camobo import InvalidOptionError, InvalidValueError
from camobo.paper import archive, folder
from camobo.paper.folder import Setting
from tests.support.paper_runs import record

SETTING = Setting("cross-holder", 12, 0, {})


def contents(*runs: tuple[str, int]) -> list[dict[str, Any]]:
    return [asdict(record(SETTING, method, run)) for method, run in runs]  # type: ignore[arg-type]


class TestTheFile:
    RUNS = (("mo-ucb", 0), ("mo-ucb", 3), ("default", 1))

    def test_what_is_read_is_what_was_written_to_seven_and_to_three_digits(self, tmp_path: Path) -> None:
        written = contents(*self.RUNS)
        written[2] |= dict.fromkeys(("regrets", "own_regrets", "bound"))
        archive.write(tmp_path / "a.npz", written)
        for before, after in zip(written, archive.read(tmp_path / "a.npz"), strict=True):
            assert set(after) == set(before)
            for name, given in before.items():
                if not isinstance(given, np.ndarray):
                    assert after[name] == given
                    continue
                digits = 1e-3 if name in ("seconds", "regrets", "own_regrets", "bound") else 1e-7
                np.testing.assert_allclose(after[name], given, rtol=digits)

    def test_rough_numbers_are_rounded_to_the_nearest(self) -> None:
        rows = np.random.default_rng(0).uniform(1.0, 2.0, 4000).astype(np.float32)
        error = archive._roughly(rows) / rows - 1.0
        assert abs(error.mean()) < 1e-5
        assert np.abs(error).max() < 6e-4

    def test_no_file_has_no_runs(self, tmp_path: Path) -> None:
        assert archive.read(tmp_path / "a.npz") == []

    @pytest.mark.parametrize("spoil", [lambda b: b[: len(b) // 2], lambda b: b"", lambda b: b"not a zip file"])
    def test_a_damaged_one_is_named(self, tmp_path: Path, spoil: Any) -> None:
        file = tmp_path / "a.npz"
        archive.write(file, contents(*self.RUNS))
        file.write_bytes(spoil(file.read_bytes()))
        with pytest.raises(InvalidValueError, match=r"a\.npz: not an archive of runs, or a damaged one"):
            archive.read(file)

    def test_pickled_objects_are_refused(self, tmp_path: Path) -> None:
        np.savez(tmp_path / "a.npz", paper=np.array([{}], dtype=object))
        with pytest.raises(InvalidValueError, match="not an archive of runs"):
            archive.read(tmp_path / "a.npz")

    def test_one_that_cannot_be_written_leaves_what_was_there(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = tmp_path / "a.npz"
        archive.write(file, contents(*self.RUNS))
        before = file.read_bytes()

        def full(*_: object, **__: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(np, "savez_compressed", full)
        with pytest.raises(InvalidOptionError, match=r"a\.npz: cannot be written \(No space left on device\)"):
            archive.write(file, contents(("paper", 0)))
        assert file.read_bytes() == before
        assert [path.name for path in tmp_path.iterdir()] == ["a.npz"]


class TestAFolder:
    @staticmethod
    def made(place: Path, runs: int) -> None:
        folder.claim(place, SETTING)
        for job in folder.missing(place, SETTING, ["mo-ucb", "paper"], runs):
            job.path.parent.mkdir(exist_ok=True)
            folder.store(job.path, record(SETTING, job.method, job.run))

    def test_packed_runs_are_not_missing_and_load_like_single_ones(self, tmp_path: Path) -> None:
        self.made(tmp_path, 3)
        folder.pack(tmp_path, SETTING)
        for path in (tmp_path / "runs").iterdir():
            path.unlink()
        assert folder.missing(tmp_path, SETTING, ["mo-ucb", "paper"], 3) == []
        loaded = folder.load(tmp_path, SETTING)
        assert [(one.method, one.run) for one in loaded] == [(m, r) for m in ("mo-ucb", "paper") for r in range(3)]
        np.testing.assert_allclose(loaded[4].units, record(SETTING, "paper", 1).units, rtol=1e-7)

    def test_runs_made_since_are_packed_with_those_of_the_archive(self, tmp_path: Path) -> None:
        self.made(tmp_path, 1)
        folder.pack(tmp_path, SETTING)
        for path in (tmp_path / "runs").iterdir():
            path.unlink()
        self.made(tmp_path, 2)
        assert len(list((tmp_path / "runs").iterdir())) == 2
        assert len(folder.load(tmp_path, SETTING)) == 4
        folder.pack(tmp_path, SETTING)
        assert len(archive.read(tmp_path / "runs.npz")) == 4

    def test_an_archive_of_other_runs_is_named(self, tmp_path: Path) -> None:
        self.made(tmp_path, 1)
        folder.pack(tmp_path, SETTING)
        longer = Setting("cross-holder", 13, 0, {})
        with pytest.raises(InvalidValueError, match=r"runs\.npz: not a finished run of this experiment"):
            folder.load(tmp_path, longer)

    def test_nothing_is_packed_of_an_empty_folder(self, tmp_path: Path) -> None:
        folder.claim(tmp_path, SETTING)
        with pytest.raises(InvalidOptionError, match="has no finished runs"):
            folder.pack(tmp_path, SETTING)
