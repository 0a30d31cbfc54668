"""Make data/digits.csv.gz and data/digits_cnn.npz.

    python -m tests.make_digits          both files
    python -m tests.make_digits --check  trains again, writes nothing, says what came out

The digits are copied from scikit-learn's wheel, byte for byte, wherever this runs. The training
is repeatable on one machine: a second run gives the same bytes. On another processor TensorFlow
may add in another order, and then the last digits, and after many steps the weights, differ. So
the stored weights are what counts, and the test is what they can do (tests/test_grad_cam.py).
"""

import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from solutions import digits as d
from solutions.data_files import checksum_of
from tests.records import write_data

WHEEL = "scikit-learn==1.9.1"
EPOCHS, BATCH, RATE = 120, 64, 3e-3


def fetch_digits() -> bytes:
    """The file of digits inside scikit-learn's wheel; pip downloads it and installs nothing."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        which = ["--only-binary=:all:", "--python-version=3.11", "--platform=manylinux_2_28_x86_64"]
        subprocess.run([*pip, *which, "--dest", folder, WHEEL], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        return zipfile.ZipFile(wheel).read("sklearn/datasets/data/digits.csv.gz")


def train() -> keras.Model:
    """Train on the first 1397 digits, in new places and new clutter in each epoch."""
    keras.utils.set_random_seed(1)
    tf.config.experimental.enable_op_determinism()
    digits, labels = d.load_digits()
    digits, labels = digits[d.TRAIN], labels[d.TRAIN]
    model = d.build()
    steps = EPOCHS * -(-len(digits) // BATCH)
    model.compile(
        keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(RATE, steps)),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )
    for epoch in range(1, EPOCHS + 1):  # seed 0 is the test's
        scenes = d.place(digits, labels, seed=epoch)
        history = model.fit(scenes.images, scenes.labels, batch_size=BATCH, verbose=0).history
        if epoch % 10 == 0:
            print(f"epoch {epoch}: loss {history['loss'][0]:.3f}", flush=True)
    return model


def accuracy(model: keras.Model) -> float:
    """The share of the 400 test pictures that the network reads right."""
    scenes = d.scenes_for_testing()
    read = np.argmax(model(scenes.images), axis=1)
    return float(np.mean(read == scenes.labels))


def as_bytes(model: keras.Model) -> bytes:
    """The weights, in order, as an uncompressed .npz; NumPy writes no time stamps into it."""
    file = io.BytesIO()
    np.savez(file, **{f"{n}_{w.name}": w.numpy() for n, w in enumerate(model.weights)})
    return file.getvalue()


def main(arguments: list[str]) -> int:
    checking = arguments == ["--check"]
    stored = {name: checksum_of(name) for name in ("digits.csv.gz", "digits_cnn.npz")}
    files = {}
    if not checking:
        files["digits.csv.gz"] = fetch_digits()
        write_data("digits.csv.gz", files["digits.csv.gz"])
    model = train()
    files["digits_cnn.npz"] = as_bytes(model)
    if not checking:
        write_data("digits_cnn.npz", files["digits_cnn.npz"])
    for name, content in files.items():
        digest = hashlib.sha256(content).hexdigest()
        same = "as before" if digest == stored[name] else "other bytes than before"
        print(name, len(content), "bytes, SHA-256", digest, same)
    print(f"accuracy on the 400 test pictures: {accuracy(model):.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
