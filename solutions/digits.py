"""Handwritten digits on a cluttered canvas, and a small network that was trained to read them.

The digits are E. Alpaydin and C. Kaynak's "Optical Recognition of Handwritten Digits" (UCI, 1998,
https://doi.org/10.24432/C50P49, CC BY 4.0). `tests/make_digits.py` makes both files under `data/`.
"""

import gzip
import io
from typing import NamedTuple

import keras
import numpy as np

from solutions.data_files import read_file

SIDE, DIGIT, SCRAP = 32, 8, 4  # of the canvas, a digit and a piece of clutter, in pixels
SCRAPS, GREY = 8, 2  # pieces of clutter on a canvas, and the largest noise (white is 16)
TEST = slice(1397, None)  # the last 400 digits are kept for testing
TRAIN = slice(0, 1397)
KINDS = ("functional", "Sequential", "subclassed", "nested")


class Scenes(NamedTuple):
    """Digits in clutter.

    Attributes:
        images: float32 of shape (n, 32, 32, 1), 0 for black to 1 for white.
        labels: int64 of shape (n,), the digits 0 to 9.
        boxes: int64 of shape (n, 4), each digit's top, left, bottom and right; the last two are
            the first row and column outside.
    """

    images: np.ndarray
    labels: np.ndarray
    boxes: np.ndarray


def load_digits() -> tuple[np.ndarray, np.ndarray]:
    """Return the digits, uint8 of shape (1797, 8, 8) from 0 to 16, and their labels (1797,).

    Raises:
        FileNotFoundError, ValueError: the file is missing or changed; how to restore it.
    """
    text = gzip.decompress(read_file("digits.csv.gz"))
    table = np.loadtxt(io.BytesIO(text), np.uint8, delimiter=",")
    return table[:, :-1].reshape(-1, DIGIT, DIGIT), table[:, -1].astype(np.int64)


def place(digits: np.ndarray, labels: np.ndarray, seed: int) -> Scenes:
    """Put each digit somewhere on a canvas of its own, among scraps of the others and noise.

    Args:
        digits: of shape (n, 8, 8), from 0 to 16; the scraps are cut from them, too.
        labels: of shape (n,).
        seed: the same seed gives the same scenes.
    """
    rng = np.random.default_rng(seed)
    n = len(digits)
    canvas = rng.integers(0, GREY + 1, (n, SIDE, SIDE))
    for image in canvas:
        others = digits[rng.integers(n, size=SCRAPS)]
        cuts = rng.integers(DIGIT - SCRAP + 1, size=(SCRAPS, 2))
        places = rng.integers(SIDE - SCRAP + 1, size=(SCRAPS, 2))
        for other, (y, x), (top, left) in zip(others, cuts, places, strict=True):
            piece = other[y : y + SCRAP, x : x + SCRAP]
            spot = image[top : top + SCRAP, left : left + SCRAP]
            np.maximum(spot, piece, out=spot)
    corners = rng.integers(SIDE - DIGIT + 1, size=(n, 2))
    for image, digit, (top, left) in zip(canvas, digits, corners, strict=True):
        spot = image[top : top + DIGIT, left : left + DIGIT]
        np.maximum(spot, digit, out=spot)
    images = (canvas / 16).astype(np.float32)[..., None]
    return Scenes(images, np.asarray(labels), np.concatenate([corners, corners + DIGIT], axis=1))


def scenes_for_testing() -> Scenes:
    """Return the 400 test digits, none of which the network has seen, each in its clutter."""
    digits, labels = load_digits()
    return place(digits[TEST], labels[TEST], seed=0)


def build(kind: str = "functional") -> keras.Model:
    """Return the untrained network: (n, 32, 32, 1) to ten scores, before any softmax.

    Args:
        kind: how it is written down, one of `KINDS`. Layers and weights have the same order in
            all. The last convolution is called "maps"; in the nested form it is in "features".

    Raises:
        ValueError: `kind` is another word.
    """
    if kind not in KINDS:
        raise ValueError(
            f"build({kind!r}): the network can be written as {', '.join(KINDS)}. Pass one of "
            "these words. Lesson: grad_cam."
        )
    layers = keras.layers
    features = [
        layers.Conv2D(32, 3, padding="same", activation="relu", name="strokes"),
        layers.MaxPooling2D(name="pool"),
        layers.Conv2D(64, 3, padding="same", activation="relu", name="parts"),
        layers.Conv2D(64, 3, padding="same", activation="relu", name="maps"),
    ]
    head = [layers.GlobalMaxPooling2D(name="strongest"), layers.Dense(10, name="scores")]
    image = keras.Input((SIDE, SIDE, 1), name="image")
    if kind == "Sequential":
        return keras.Sequential([image, *features, *head], name="digits")
    if kind == "subclassed":
        model = _Subclassed(features, head)
        model(np.zeros((1, SIDE, SIDE, 1), np.float32))
        return model
    if kind == "nested":
        inner = keras.Sequential([image, *features], name="features")
        return keras.Sequential([inner, *head], name="digits")
    y = image
    for layer in [*features, *head]:
        y = layer(y)
    return keras.Model(image, y, name="digits")


class _Subclassed(keras.Model):
    def __init__(self, features, head):
        super().__init__(name="digits")
        self.features, self.head = features, head

    def call(self, x):
        for layer in [*self.features, *self.head]:
            x = layer(x)
        return x


def trained(kind: str = "functional") -> keras.Model:
    """Return the network of `build(kind)` with the weights that training gave.

    Raises:
        FileNotFoundError, ValueError: the weights are missing or changed; how to restore them.
    """
    model = build(kind)
    stored = np.load(io.BytesIO(read_file("digits_cnn.npz")))
    model.set_weights([stored[name] for name in stored.files])
    return model
