"""Which kinds of model do other Grad-CAM packages manage, and are their maps the same as ours?

    python -m tests.bench_grad_cam

Needs an environment of its own, see data/README.md. Each package is asked for the heat maps of
the first 20 test pictures, from the same trained network written in five ways, and its answer is
held against `solutions.grad_cam`. Writes data/grad_cam_peers.json.
"""

import importlib.metadata
import json
import math
import platform
import warnings

import keras
import numpy as np
import tensorflow as tf

from solutions.digits import KINDS, scenes_for_testing, trained
from solutions.grad_cam import grad_cam
from tests.records import write_data

RECORD = "grad_cam_peers.json"
PEERS = ("tf-keras-vis", "xplique")
PICTURES = 20
ADDED = "Sequential, .add()"


def tf_keras_vis(model, images, classes):
    from tf_keras_vis.gradcam import Gradcam
    from tf_keras_vis.utils.scores import CategoricalScore

    return Gradcam(model)(
        CategoricalScore([int(c) for c in classes]),
        images,
        penultimate_layer="maps",
        expand_cam=False,
        normalize_cam=False,
    )


def xplique(model, images, classes):
    from xplique.attributions import GradCAM

    one_hot = tf.one_hot(classes, 10)
    return GradCAM(model, conv_layer="maps").explain(tf.constant(images), one_hot)[..., 0]


ASK = {"tf-keras-vis": tf_keras_vis, "xplique": xplique}


def network(kind):
    if kind != ADDED:
        return trained(kind)
    listed = trained("Sequential")
    model = keras.Sequential([keras.Input((32, 32, 1))], name="digits")
    for layer in listed.layers:
        model.add(layer.__class__.from_config(layer.get_config()))
    model.set_weights(listed.get_weights())
    return model


def ours(kind, images, classes):
    layer = "features/maps" if kind == "nested" else "maps"
    return grad_cam(network(kind), images, classes, layer)


def compare(theirs, heat, side):
    """The outcome of a package's answer: the power of ten that the largest difference is below."""
    theirs, heat = np.asarray(theirs, np.float64), heat[..., None]
    if theirs.shape[1] == side:  # it enlarges its maps itself, so ours are enlarged the same way
        heat = tf.image.resize(heat, (side, side), tf.image.ResizeMethod.BICUBIC)
    heat = np.asarray(heat, np.float64)[..., 0]
    if theirs.shape != heat.shape:
        return {"outcome": "other shape", "said": f"{theirs.shape}, not {heat.shape}"}
    error = np.abs(theirs - heat).max() / heat.max()
    if not error < 1e-4:
        return {"outcome": "another map", "said": f"largest difference {error:.1g} of the most"}
    return {"outcome": "same map", "below": math.ceil(math.log10(max(error, 1e-12)))}


def ask(peer, kind, scenes, model=None):
    images, classes = scenes.images[:PICTURES], scenes.labels[:PICTURES]
    try:
        theirs = ASK[peer](model or network(kind), images, classes)
    except Exception as error:
        said = str(error).strip().splitlines()
        return {"outcome": type(error).__name__, "said": said[0][:200] if said else ""}
    return compare(theirs, ours(kind, images, classes), images.shape[1])


def main():
    warnings.simplefilter("ignore")
    scenes = scenes_for_testing()
    version = importlib.metadata.version
    record = {
        "versions": {name: version(name) for name in ("tensorflow", "keras", "numpy", *PEERS)},
        "python": platform.python_version(),
        "pictures": PICTURES,
        "answers": [
            {"peer": peer, "kind": kind, **ask(peer, kind, scenes)}
            for peer in PEERS
            for kind in (*KINDS, ADDED)
        ],
    }
    for answer in record["answers"]:
        print(answer)
    write_data(RECORD, json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
