"""The network experiment: test error and prediction time of a network, by the paper's six hyper-parameters."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from camobo.errors import MissingExtraError
from camobo.paper.digits import Digits

BATCH, EPOCHS = 4000, 64
_PREDICTIONS = 15


def objective(digits: Digits, epochs: int, seed: int) -> Callable[[Mapping[str, Any]], tuple[float, float]]:
    """A function of the hyper-parameters: test error, and prediction time in microseconds per digit.

    ReLU layers with dropout and l1 and l2 penalties, a softmax on top, Adam, batches of 4,000. The time is the shortest
    of fifteen predictions of the whole test set, in processor time of one thread. If the training diverges, the error
    is that of always answering the rarest class.
    """
    keras, torch = _keras()
    images = torch.from_numpy(digits.test_images)
    counts = np.bincount(digits.test_labels, minlength=digits.classes)
    diverged = 1.0 - float(counts.min()) / float(counts.sum())

    def measure(params: Mapping[str, Any]) -> tuple[float, float]:
        gc.collect()  # the last network: its parts refer to each other; unfreed, 60 of the largest hold 0.6 GB
        keras.utils.set_random_seed(seed)
        model = _network(keras, params, digits)
        model.fit(
            digits.train_images,
            digits.train_labels,
            batch_size=min(BATCH, len(digits.train_labels)),
            epochs=epochs,
            verbose=0,
        )
        spent = []
        with torch.no_grad():
            for _ in range(_PREDICTIONS):
                start = time.process_time()
                chances = model(images, training=False)
                spent.append(time.process_time() - start)
        chances = chances.cpu().numpy()
        error = 1.0 - float(np.mean(chances.argmax(axis=1) == digits.test_labels))
        return (error if np.isfinite(chances).all() else diverged), 1e6 * min(spent) / len(digits.test_labels)

    return measure


def _network(keras: Any, params: Mapping[str, Any], digits: Digits) -> Any:
    penalty = {"l1": float(params["l1"]), "l2": float(params["l2"])}
    layers: list[Any] = [keras.layers.Input((digits.train_images.shape[1],))]
    for _ in range(int(params["layers"])):
        layers += [
            keras.layers.Dense(
                int(params["units"]), activation="relu", kernel_regularizer=keras.regularizers.L1L2(**penalty)
            ),
            keras.layers.Dropout(float(params["dropout"])),
        ]
    layers.append(keras.layers.Dense(digits.classes, activation="softmax"))
    model = keras.Sequential(layers)
    model.compile(
        optimizer=keras.optimizers.Adam(float(params["learning_rate"])), loss="sparse_categorical_crossentropy"
    )
    return model


def _keras() -> tuple[Any, Any]:
    """Keras and torch, on one thread: runs are parallel, and their times are compared."""
    os.environ["KERAS_BACKEND"] = "torch"
    try:
        import keras
        import torch
    except ImportError as error:
        raise MissingExtraError(
            f"the network experiment needs Keras on torch, which cannot be imported ({error}). "
            "Install them with: pip install 'camobo[paper]'"
        ) from error
    torch.set_num_threads(1)
    return keras, torch
