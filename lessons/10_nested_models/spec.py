"""The exercise of `nested_models`: probes, points, and what people write instead."""

import keras
import numpy as np
import tensorflow as tf

from classroom.spec import Probe, Task, Wrong
from solutions import nested_models as reference
from solutions.intermediate_activations import (
    activation_gradients,
    layer_paths,
    value_and_gradients,
)

# --- the models that answers are tried on ---------------------------------------------------

W_MIXED = np.array([[1.0, -1.0], [0.5, 2.0]])
W_FEATURES = np.array([[2.0, 1.0], [1.0, -1.0]])
W_SCORES = np.array([[1.0, -2.0], [3.0, 1.0]])
W_FIRST = np.array([[0.5, 1.0], [-1.0, 2.0]])


def dense(name, activation=None):
    return keras.layers.Dense(2, activation, use_bias=False, name=name)


def make_backbone():
    image = keras.Input((2,), name="image")
    scaled = keras.layers.Rescaling(2.0, name="scaled")(image)
    premixed = keras.layers.ReLU(negative_slope=0.5, name="premixed")(scaled)
    mixed = dense("mixed", "relu")(premixed)
    return keras.Model(image, dense("features", "relu")(mixed), name="backbone")


def two_rows():
    return tf.constant([[1.0, 2.0], [2.0, -1.0]])


def classifier(before=()):
    """A nested model and what stands around it, all weights set by hand."""
    layers = [keras.Input((2,)), *before, make_backbone(), dense("scores")]
    model = keras.Sequential(layers, name="outer")
    weights = [W_FIRST] * len(before) + [W_MIXED, W_FEATURES, W_SCORES]
    model.set_weights(weights)
    return model


def nested_twice():
    model = classifier()
    outer = keras.Input((2,), name="photo")
    return keras.Model(outer, dense("last")(model(outer)), name="whole")


def hand_set(model):
    for place, weight in enumerate(model.weights):
        weight.assign(np.array([[1.0, -0.5], [0.25, 0.75]]) * (place + 1) / 2)
    return model


def first_score(y):
    return tf.reduce_sum(y[:, 0])


def squared_scores(y):
    return tf.reduce_sum(y**2) / 10.0


def siamese(calls):
    """One backbone called on each input; branches of different weights are added up."""
    backbone = make_backbone()
    inputs = [keras.Input((2,), name=f"photo_{n}") for n in range(calls)]
    branches = [dense(f"branch_{n}")(backbone(one)) for n, one in enumerate(inputs)]
    return hand_set(keras.Model(inputs, keras.layers.Add()(branches), name="siamese"))


def siamese_question(calls=2):
    x = [two_rows() * (n + 1.0) for n in range(calls)]
    return siamese(calls), x, squared_scores, "mixed"


# --- path_of --------------------------------------------------------------------------------


def walks_down(model, name):
    for layer in model.layers:
        if layer.name == name:
            return name
        if isinstance(layer, keras.Model):
            below = walks_down(layer, name)
            if below is not None:
                return f"{layer.name}/{below}"
    return None


def last_part_of_each_path(model, name):
    return next(path for path in layer_paths(model) if path.split("/")[-1] == name)


def asks_the_outer_model(model, name):
    return model.get_layer(name).name


def one_level_deep(model, name):
    for layer in model.layers:
        if layer.name == name:
            return name
        if isinstance(layer, keras.Model):
            for inner in layer.layers:
                if inner.name == name:
                    return f"{layer.name}/{name}"
    return None


def ends_with_the_name(model, name):
    return next(path for path in layer_paths(model) if path.endswith(name))


def starts_with_the_root(model, name):
    for path, layer in layer_paths(model).items():
        if layer.name == name:
            return f"{model.name}/{path}"
    return None


def only_the_box(model, name):
    for path, layer in layer_paths(model).items():
        if layer.name == name:
            return path.split("/")[0]
    return None


def senses():
    """Two nested models side by side, one of them with a third one in it."""
    eye = [keras.Input((2,)), dense("edges", "relu"), dense("edges_2")]
    cochlea = keras.Sequential([keras.Input((2,)), dense("pitch")], name="cochlea")
    ear = keras.Sequential([keras.Input((2,)), cochlea, dense("nerve")], name="ear")
    seen, heard = keras.Input((2,), name="seen"), keras.Input((2,), name="heard")
    both = keras.layers.Add(name="both")
    felt = both([keras.Sequential(eye, name="eye")(seen), ear(heard)])
    return keras.Model([seen, heard], dense("said")(felt), name="child")


PATH_OF = Task(
    function=reference.path_of,
    kind="write",
    minutes=8,
    points=4,
    probes=[
        Probe("a layer of a nested model", lambda: (classifier(), "mixed")),
        Probe("a model nested twice", lambda: (nested_twice(), "mixed")),
        Probe("a layer of the outer model", lambda: (classifier(), "scores")),
        Probe("the nested model itself", lambda: (nested_twice(), "backbone")),
    ],
    hidden=[
        Probe("a name with which another begins", lambda: (senses(), "edges")),
        Probe("a name that begins with another", lambda: (senses(), "edges_2")),
        Probe("a layer of a model in a model", lambda: (senses(), "pitch")),
        Probe("a model in a model", lambda: (senses(), "cochlea")),
        Probe("where two models meet", lambda: (senses(), "both")),
    ],
    hints=(
        "What are the keys and the values of the dict that `layer_paths(model)` returns?",
        "Go through its items. Which of the two tells you a layer's name exactly?",
        "`for path, layer in layer_paths(model).items():` and return the path whose "
        "`layer.name == name`.",
    ),
    right=[walks_down, last_part_of_each_path],
    wrong=[
        Wrong(
            asks_the_outer_model,
            why="`get_layer` looks at the model's own layers only, and a nested model is one of "
            "them: it is not opened.",
            do="Go through `layer_paths(model)`, which opens every box.",
            idea="the model's own layers only",
        ),
        Wrong(
            one_level_deep,
            why="You open the nested models of the outer model, but not the models in those: the "
            "search ends one level down.",
            do="Let the function call itself for each nested model, or use `layer_paths`.",
            idea="one level down",
        ),
        Wrong(
            ends_with_the_name,
            why="A path that ends with these letters need not end with this name: 'premixed' ends "
            "with 'mixed', too.",
            do="Compare the whole name: `layer.name == name`.",
            idea="'premixed' ends with 'mixed'",
        ),
        Wrong(
            starts_with_the_root,
            why="A path starts below the model that you pass. Its own name is no part of it.",
            do="Return the key of `layer_paths(model)` as it is.",
            idea="starts below the model",
        ),
        Wrong(
            only_the_box,
            why="This is the first step of the way: the box, not the layer in it.",
            do="Return the whole path, all names joined by `/`.",
            idea="the first step of the way",
        ),
    ],
)

# --- two_stage_gradient ---------------------------------------------------------------------


def two_stage_gradient_start(model, x, target, path):
    nested, name = path.split("/")
    layer = model.get_layer(nested).get_layer(name)
    both = keras.Model(model.inputs, [layer.output, model.outputs[0]])
    with tf.GradientTape() as tape:
        activation, y = both(x)
        value = target(y)
    return tape.gradient(value, activation)


def parts(model, path):
    """What every answer below needs: the nested model, its layer's name, the layers around it."""
    nested, name = path.split("/")
    inner = model.get_layer(nested)
    own = [layer for layer in model.layers if not isinstance(layer, keras.layers.InputLayer)]
    return own[: own.index(inner)], inner, name, own[own.index(inner) + 1 :]


def layer_after_layer(model, x, target, path):
    before, inner, name, after = parts(model, path)
    with tf.GradientTape() as tape:
        y = x
        for layer in [*before, *inner.layers[1:], *after]:
            y = layer(y)
            if layer.name == name:
                activation = y
                tape.watch(activation)
        value = target(y)
    return tape.gradient(value, activation)


def cuts_the_box_in_two(model, x, target, path):
    before, inner, name, after = parts(model, path)
    middle = inner.get_layer(name).output
    head, rest = keras.Model(inner.inputs, middle), keras.Model(middle, inner.outputs)
    for layer in before:
        x = layer(x)
    activation = head(x)
    with tf.GradientTape() as tape:
        tape.watch(activation)
        y = rest(activation)
        y = y[0] if isinstance(y, list) else y
        for layer in after:
            y = layer(y)
        value = target(y)
    return tape.gradient(value, activation)


def one_flat_plan(model, x, target, path):
    before, inner, name, after = parts(model, path)
    y = inner.outputs[0]
    for layer in after:
        y = layer(y)
    both = keras.Model(inner.inputs, [inner.get_layer(name).output, y])
    for layer in before:
        x = layer(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        activation, y = both(x)
        value = target(y)
    return tape.gradient(value, activation)


def piece_beside_the_model(model, x, target, path):
    nested, name = path.split("/")
    inner = model.get_layer(nested)
    piece = keras.Model(inner.inputs, inner.get_layer(name).output)
    with tf.GradientTape() as tape:
        activation = piece(x)
        value = target(model(x))
    return tape.gradient(value, activation)


def never_watches(model, x, target, path):
    before, inner, name, after = parts(model, path)
    both = keras.Model(inner.inputs, [inner.get_layer(name).output, inner.outputs[0]])
    y = x
    with tf.GradientTape() as tape:
        for layer in before:
            y = layer(y)
        activation, y = both(y)
        for layer in after:
            y = layer(y)
        value = target(y)
    return tape.gradient(value, activation)


def watches_too_late(model, x, target, path):
    before, inner, name, after = parts(model, path)
    both = keras.Model(inner.inputs, [inner.get_layer(name).output, inner.outputs[0]])
    y = x
    with tf.GradientTape() as tape:
        for layer in before:
            y = layer(y)
        activation, y = both(y)
        tape.watch(activation)
        for layer in after:
            y = layer(y)
        value = target(y)
    return tape.gradient(value, activation)


def skips_what_comes_before(model, x, target, path):
    _, inner, name, after = parts(model, path)
    both = keras.Model(inner.inputs, [inner.get_layer(name).output, inner.outputs[0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        activation, y = both(x)
        for layer in after:
            y = layer(y)
        value = target(y)
    return tape.gradient(value, activation)


def stops_at_the_end_of_the_box(model, x, target, path):
    before, inner, name, _ = parts(model, path)
    both = keras.Model(inner.inputs, [inner.get_layer(name).output, inner.outputs[0]])
    y = x
    with tf.GradientTape() as tape:
        for layer in before:
            y = layer(y)
        tape.watch(y)
        activation, y = both(y)
        value = target(y)
    return tape.gradient(value, activation)


def gradient_at_the_end_of_the_box(model, x, target, path):
    before, inner, _, after = parts(model, path)
    y = x
    for layer in before:
        y = layer(y)
    features = inner(y)
    with tf.GradientTape() as tape:
        tape.watch(features)
        y = features
        for layer in after:
            y = layer(y)
        value = target(y)
    return tape.gradient(value, features)


def weights_of_the_layer(model, x, target, path):
    nested, name = path.split("/")
    layer = model.get_layer(nested).get_layer(name)
    with tf.GradientTape() as tape:
        value = target(model(x))
    return tape.gradient(value, layer.trainable_variables)


TWO_STAGE_GRADIENT = Task(
    function=reference.two_stage_gradient,
    kind="repair",
    minutes=12,
    points=6,
    start=two_stage_gradient_start,
    probes=[
        Probe(
            "the lesson's model",
            lambda: (classifier(), two_rows(), first_score, "backbone/mixed"),
        ),
        Probe(
            "a layer before the nested model",
            lambda: (
                classifier([dense("first")]),
                two_rows(),
                squared_scores,
                "backbone/mixed",
            ),
        ),
        Probe(
            "a layer with no weights up to it",
            lambda: (classifier(), two_rows(), first_score, "backbone/scaled"),
        ),
    ],
    hints=(
        "From which `inputs` can `layer.output` be reached, and what else can be reached from "
        "there?",
        "Make the second model of the nested one: its inputs, the layer's output and its own "
        "output. The outer model's other layers you call yourself, one by one.",
        "Inside the block: the layers before, `tape.watch(y)`, "
        "`activation, y = both(y)`, the layers after, `value = target(y)`.",
    ),
    right=[layer_after_layer, cuts_the_box_in_two, one_flat_plan],
    wrong=[
        Wrong(
            two_stage_gradient_start,
            cause="disconnected_model",
            why="`layer.output` lies on the plan of the nested model, and `model.inputs` on "
            "that of the outer one. No way leads from one to the other.",
            do="Start at the nested model's own inputs, and call the outer layers yourself.",
            idea="lies on the plan of the nested model",
        ),
        Wrong(
            piece_beside_the_model,
            cause="other_call",
            why="The layer ran twice: once in your piece, once in `model(x)`. The value was "
            "computed from the second run, and your activation is from the first.",
            do="Give the piece a second output, the nested model's own, and go on from there "
            "instead of calling `model(x)`.",
            idea="The layer ran twice",
        ),
        Wrong(
            never_watches,
            cause="unwatched",
            why="Where no weight comes before the layer, nothing that its output was made of is "
            "watched, and the tape does not follow it.",
            do="Watch what goes into the nested model, before you call it: `tape.watch(y)`.",
            idea="the tape does not follow it",
        ),
        Wrong(
            watches_too_late,
            cause="watched_late",
            why="Where no weight comes before the layer, the activation must be watched. You watch "
            "it only after the features were made of it, and that step was not recorded.",
            do="Watch what goes into the nested model, before you call it: `tape.watch(y)`.",
            idea="only after the features were made of it",
        ),
        Wrong(
            skips_what_comes_before,
            why="You put `x` straight into the nested model. In the outer model, another layer "
            "comes before it.",
            do="Run the layers before the nested model first.",
            idea="another layer comes before it",
        ),
        Wrong(
            stops_at_the_end_of_the_box,
            why="You hand the nested model's features to `target`, which expects the outer model's "
            "output. The layers behind the nested model are missing.",
            do="Call the layers that follow, one by one, on the features.",
            idea="The layers behind the nested model are missing",
        ),
        Wrong(
            gradient_at_the_end_of_the_box,
            why="This is the gradient at the end of the nested model. The layer that the path "
            "names sits further inside.",
            do="Give the second model two outputs, and ask for the layer's.",
            idea="sits further inside",
        ),
        Wrong(
            weights_of_the_layer,
            why="These are gradients of the layer's weights. The task asks for the gradient of "
            "what the layer returned: one row for each row of `x`.",
            do="Keep the layer's output of this pass, and make that the source.",
            idea="gradients of the layer's weights",
        ),
    ],
)

# --- gradient_of_each_call ------------------------------------------------------------------


def by_value_and_gradients(model, x, target, name):
    [path] = [path for path, layer in layer_paths(model).items() if layer.name == name]
    found = value_and_gradients(model, x, target, weights=False, layers=[path])
    return list(found.activation_gradients[path])


def keeps_each_call_by_hand(model, x, target, name):
    layer = next(one for one in layer_paths(model).values() if one.name == name)
    call, kept = layer.call, []

    def keep(*args, **kwargs):
        kept.append(tf.identity(call(*args, **kwargs)))
        tape.watch(kept[-1])
        return kept[-1]

    with tf.GradientTape() as tape:
        layer.call = keep
        try:
            value = target(model(x))
        finally:
            del layer.call
    return tape.gradient(value, kept)


def the_name_for_a_path(model, x, target, name):
    return activation_gradients(model, x, target, name)[name]


def the_first_call_only(model, x, target, name):
    path = next(path for path, layer in layer_paths(model).items() if layer.name == name)
    return activation_gradients(model, x, target, path)[path][0]


def all_calls_added_up(model, x, target, name):
    path = next(path for path, layer in layer_paths(model).items() if layer.name == name)
    return sum(activation_gradients(model, x, target, path)[path])


def the_whole_dict(model, x, target, name):
    path = next(path for path, layer in layer_paths(model).items() if layer.name == name)
    return activation_gradients(model, x, target, path)


def activations_for_gradients(model, x, target, name):
    path = next(path for path, layer in layer_paths(model).items() if layer.name == name)
    return value_and_gradients(model, x, target, layers=path).activations[path]


GRADIENT_OF_EACH_CALL = Task(
    function=reference.gradient_of_each_call,
    kind="write",
    minutes=10,
    points=5,
    probes=[
        Probe("a siamese model", siamese_question),
        Probe("three calls", lambda: siamese_question(3)),
        Probe(
            "nested twice, one call",
            lambda: (hand_set(nested_twice()), two_rows(), first_score, "mixed"),
        ),
    ],
    hints=(
        "What does `activation_gradients` want to be told about the layer: its name or its path?",
        "It returns a dict. What is its key, and what kind of thing is the value?",
        "Find the path as in the first task; then "
        "`activation_gradients(model, x, target, path)[path]`.",
    ),
    right=[by_value_and_gradients, keeps_each_call_by_hand],
    wrong=[
        Wrong(
            the_name_for_a_path,
            why="Inside a nested model a bare name leads nowhere: `activation_gradients` takes "
            "the path, as in 'backbone/mixed'.",
            do="Find the path first, as in the first task.",
            idea="a bare name leads nowhere",
        ),
        Wrong(
            the_first_call_only,
            why="This is the gradient of the first call alone. The other calls of the layer count "
            "as well.",
            do="Return the whole list that belongs to the path.",
            idea="the first call alone",
        ),
        Wrong(
            all_calls_added_up,
            why="You added up the gradients of different calls. Each belongs to an activation of "
            "its own, so the sum is the gradient of neither.",
            do="Return them as a list, in the order of the calls.",
            idea="added up the gradients of different calls",
        ),
        Wrong(
            the_whole_dict,
            why="`activation_gradients` answers for many layers at once, so it returns a dict. The "
            "list you want is the entry under the path.",
            do="Add `[path]` behind the call.",
            idea="the entry under the path",
        ),
        Wrong(
            activations_for_gradients,
            why="These are the activations: what the layer returned. The task asks how the target "
            "changes with them.",
            do="Take `.activation_gradients`, or call `activation_gradients`.",
            idea="These are the activations",
        ),
    ],
)

TASKS = [PATH_OF, TWO_STAGE_GRADIENT, GRADIENT_OF_EACH_CALL]
