"""The exercise of `symbolic_outputs`: probes, points, and what people write instead."""

import keras
import numpy as np
import tensorflow as tf

from classroom.spec import Probe, Task, Wrong
from solutions import symbolic_outputs as reference

# --- the models that answers are tried on ---------------------------------------------------


def leaves():
    return tf.constant([[3.0, 1.0], [2.0, 1.0]])


def leaf_model():
    leaf = keras.Input((2,), name="leaf")
    hidden = keras.layers.Dense(2, "relu", use_bias=False, name="hidden")
    species = keras.layers.Dense(3, "sigmoid", use_bias=False, name="species")
    model = keras.Model(leaf, species(hidden(leaf)))
    w_hidden = np.array([[0.5, -0.5], [-0.5, 2.0]])
    model.set_weights([w_hidden, np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, 1.0]])])
    return model


def detour_model():
    """The hidden values go to the scores by two ways, so the layers do not stand in a row."""
    x = keras.Input((2,))
    hidden = keras.layers.Dense(2, "tanh", name="hidden")(x)
    middle = keras.layers.Dense(2, "tanh", name="middle")(hidden)
    scores = keras.layers.Dense(2, name="scores")(keras.layers.Add()([hidden, middle]))
    model = keras.Model(x, scores)
    model.set_weights(
        [
            np.array([[0.5, -1.0], [0.25, 0.75]]),
            np.array([0.1, -0.2]),
            np.array([[1.0, 0.5], [-0.5, 2.0]]),
            np.array([0.0, 0.3]),
            np.array([[1.5, -1.0], [0.5, 2.0]]),
            np.array([0.2, 0.0]),
        ]
    )
    return model


def without_weights_first():
    """Up to the layer of interest there is no weight: a tape must be told to watch."""
    model = keras.Sequential(
        [
            keras.Input((2,)),
            keras.layers.Rescaling(0.5, name="hidden"),
            keras.layers.Dense(2, "sigmoid", name="scores"),
        ]
    )
    model.set_weights([np.array([[1.0, -2.0], [0.5, 1.0]]), np.array([0.0, 0.5])])
    return model


def picture_model():
    picture = keras.Input((3, 3, 1))
    edges = keras.layers.Conv2D(2, 2, activation="tanh", name="edges")(picture)
    blobs = keras.layers.Conv2D(3, 2, name="blobs")(edges)
    model = keras.Model(picture, keras.layers.Flatten()(blobs))
    numbers = np.linspace(-1.0, 1.0, 8).reshape(2, 2, 1, 2)
    more = np.sin(np.arange(24.0)).reshape(2, 2, 2, 3)
    model.set_weights([numbers, np.array([0.1, -0.1]), more, np.array([0.0, 0.2, 0.4])])
    return model


def pictures():
    return tf.reshape(tf.cos(tf.range(18.0)), (2, 3, 3, 1))


# --- tensor_kind ----------------------------------------------------------------------------


def traced_tensor(shape):
    kept = []

    @tf.function(input_signature=[tf.TensorSpec(shape, tf.float32)])
    def keep(x):
        kept.append(x * 2.0)
        return x

    keep.get_concrete_function()
    return kept[0]


def described_batch_of_two():
    return keras.layers.Dense(3)(keras.Input(batch_shape=(2, 2)))


def traced_scores():
    """What a model returns inside a `tf.function`, while that is traced."""
    model, kept = leaf_model(), []
    traced = tf.function(lambda x: kept.append(model(x)) or x)
    traced.get_concrete_function(tf.TensorSpec([2, 2], tf.float32))
    return kept[0]


def traced_numbers():
    kept = []
    tf.function(lambda x: kept.append(tf.size(x)) or x)(leaves())
    return kept[0]


def by_backend(tensor):
    if keras.utils.is_keras_tensor(tensor):
        return "symbolic"
    return "traced" if tf.is_symbolic_tensor(tensor) else "value"


def by_what_it_lacks(tensor):
    if type(tensor).__name__ == "KerasTensor":
        return "symbolic"
    without_numbers = isinstance(tensor, tf.Tensor) and not hasattr(tensor, "numpy")
    return "traced" if without_numbers else "value"


def whatever_has_a_shape(tensor):
    return "value" if hasattr(tensor, "shape") else "symbolic"


def every_tf_tensor_has_a_value(tensor):
    return "symbolic" if isinstance(tensor, keras.KerasTensor) else "value"


def keras_tensors_are_traced(tensor):
    if isinstance(tensor, keras.KerasTensor) or tf.is_symbolic_tensor(tensor):
        return "traced"
    return "value"


def by_the_unknown_batch(tensor):
    if None in tensor.shape:
        return "symbolic"
    return "traced" if tf.is_symbolic_tensor(tensor) else "value"


def only_tensors_have_values(tensor):
    if isinstance(tensor, keras.KerasTensor):
        return "symbolic"
    return "value" if tf.is_tensor(tensor) and hasattr(tensor, "numpy") else "traced"


TENSOR_KIND = Task(
    function=reference.tensor_kind,
    kind="predict",
    minutes=5,
    points=4,
    probes=[
        Probe("the output of a layer", lambda: (leaf_model().layers[1].output,)),
        Probe("a slice of a model's output", lambda: (leaf_model().outputs[0][:, 1],)),
        Probe("an output with a known batch size", lambda: (described_batch_of_two(),)),
        Probe("what a model returned for two leaves", lambda: (leaf_model()(leaves()),)),
        Probe("a layer's kernel", lambda: (leaf_model().layers[1].kernel,)),
        Probe("an array", lambda: (np.ones(2),)),
        Probe("a tensor of a traced function", lambda: (traced_tensor([2, 2]),)),
        Probe("another, its batch size unknown", lambda: (traced_tensor([None, 2]),)),
    ],
    hidden=[
        Probe("an Input", lambda: (keras.Input((4,)),)),
        Probe("scores for a plot", lambda: (keras.ops.transpose(leaf_model().outputs[0]),)),
        Probe("a model's output while a function is traced", lambda: (traced_scores(),)),
        Probe("an integer of a traced function", lambda: (traced_numbers(),)),
        Probe("integers", lambda: (tf.range(3),)),
        Probe("a variable", lambda: (tf.Variable([[1, 2]]),)),
    ],
    hints=(
        "Which of the three is a class of Keras's own, and not a TensorFlow tensor at all?",
        "`isinstance(tensor, keras.KerasTensor)` finds the descriptions. For the rest, "
        "TensorFlow has a function in whose name the word symbolic occurs.",
        'First the KerasTensors: "symbolic". Of the others, `tf.is_symbolic_tensor(tensor)` is '
        'True for "traced"; what remains is a "value".',
    ),
    right=[by_backend, by_what_it_lacks],
    wrong=[
        Wrong(
            whatever_has_a_shape,
            cause="symbolic",
            why="A description has a shape and a dtype as well. That is all it has, so a shape "
            "proves nothing about values.",
            do="Ask what it is: `isinstance(tensor, keras.KerasTensor)`.",
            idea="a shape proves nothing",
        ),
        Wrong(
            every_tf_tensor_has_a_value,
            cause="symbolic",
            why="Not every TensorFlow tensor holds values. While a `tf.function` is traced, its "
            "tensors are steps of a graph that has not run yet.",
            do='Return "traced" where `tf.is_symbolic_tensor(tensor)` is True.',
            idea="has not run yet",
        ),
        Wrong(
            keras_tensors_are_traced,
            cause="symbolic",
            why="Two kinds without values are thrown together. A traced tensor belongs to a graph "
            "that a tape can follow; a KerasTensor belongs to none.",
            do='Return "symbolic" for a `keras.KerasTensor`, before you look for traced ones.',
            idea="thrown together",
        ),
        Wrong(
            by_the_unknown_batch,
            cause="symbolic",
            why="An unknown batch size is a habit of descriptions, not their mark. A description "
            "can have a known one, and a traced tensor can lack it.",
            do="Look at the type and not at the shape.",
            idea="not their mark",
        ),
        Wrong(
            only_tensors_have_values,
            why="Variables and arrays hold values, too. Your rule leaves them no kind but "
            '"traced".',
            do='Find the two kinds without values first, and call all the rest "value".',
            idea="Variables and arrays hold values",
        ),
    ],
)

# --- values_at ------------------------------------------------------------------------------


def a_model_for_the_outputs(model, outputs, x):
    if isinstance(outputs, list):
        return [keras.Model(model.inputs, output)(x) for output in outputs]
    return keras.Model(model.inputs, outputs)(x)


def a_model_predicts(model, outputs, x):
    sub_model = keras.Model(inputs=model.inputs, outputs=outputs)
    return sub_model.predict(x, verbose=0)


def gives_the_descriptions_back(model, outputs, x):
    model(x)
    return outputs


def what_the_model_itself_returns(model, outputs, x):
    return model(x)


def asks_for_numpy(model, outputs, x):
    model(x)
    return outputs.numpy()


def the_function_of_old(model, outputs, x):
    run = keras.backend.function(model.inputs, outputs)
    return run([x])


def data_as_inputs(model, outputs, x):
    return keras.Model(x, outputs)(x)


def a_tensor_of_it(model, outputs, x):
    model(x)
    return tf.convert_to_tensor(outputs)


VALUES_AT = Task(
    function=reference.values_at,
    kind="write",
    minutes=5,
    points=3,
    probes=[
        Probe(
            "the hidden units for two leaves",
            lambda: (model := leaf_model(), model.layers[1].output, leaves()),
        ),
        Probe(
            "one score and the hidden units",
            lambda: (
                model := leaf_model(),
                [model.outputs[0][:, 1], model.layers[1].output],
                leaves(),
            ),
        ),
        Probe(
            "the difference of two scores",
            lambda: (
                model := detour_model(),
                model.outputs[0][:, 0] - model.outputs[0][:, 1],
                leaves(),
            ),
        ),
    ],
    hints=(
        "A description says what to compute. What in Keras can run a description?",
        "`keras.Model` takes descriptions of inputs and of outputs. The inputs are the model's.",
        "`keras.Model(model.inputs, outputs)` is a function. Call it with `x`.",
    ),
    right=[a_model_for_the_outputs, a_model_predicts],
    wrong=[
        Wrong(
            gives_the_descriptions_back,
            cause="symbolic",
            why="You gave the description back. Running the model does not fill it: a KerasTensor "
            "is the same before and after.",
            do="Make a function of it, `keras.Model(model.inputs, outputs)`, and return what that "
            "gives for `x`.",
            idea="does not fill it",
        ),
        Wrong(
            what_the_model_itself_returns,
            why="These are the model's own outputs. The question was for `outputs`, which may be a "
            "layer in the middle, or a slice.",
            do="Make a second model that has the same inputs and these outputs.",
            idea="the model's own outputs",
        ),
        Wrong(
            asks_for_numpy,
            cause="symbolic",
            why="There is no `numpy()` on a description, because there are no numbers in it.",
            do="`keras.Model(model.inputs, outputs)` computes them for a batch.",
            idea="no numbers in it",
        ),
        Wrong(
            the_function_of_old,
            cause="symbolic",
            why="`K.function` sent data through TensorFlow's graph. Keras 3 has no such graph, and "
            "`keras.backend.function` is gone.",
            do="`keras.Model(model.inputs, outputs)` has taken its place.",
            idea="is gone",
        ),
        Wrong(
            data_as_inputs,
            cause="symbolic",
            why="A model is made of descriptions alone, and `x` is data. It has not come into play "
            "yet when the model is made.",
            do="Make it from `model.inputs`, and give `x` to the finished model.",
            idea="of descriptions alone",
        ),
        Wrong(
            a_tensor_of_it,
            cause="symbolic",
            why="A conversion needs something to convert. No TensorFlow function takes a "
            "description.",
            do="Let Keras run it: `keras.Model(model.inputs, outputs)(x)`.",
            idea="something to convert",
        ),
    ],
)

# --- class_score_gradient -------------------------------------------------------------------


def class_score_gradient_start(model, name, index, x):
    with tf.GradientTape() as tape:
        model(x)
        score = model.outputs[0][:, int(index)]
    return tape.gradient(score, model.get_layer(name).output)


def slices_the_values(model, name, index, x):
    both = keras.Model(model.inputs, [model.get_layer(name).output, model.outputs[0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        activation, scores = both(x)
        score = scores[:, index]
    return tape.gradient(score, activation)


def head_on_a_watched_activation(model, name, index, x):
    hidden = model.get_layer(name).output
    activation = keras.Model(model.inputs, hidden)(x)
    head = keras.Model(hidden, model.outputs[0])
    with tf.GradientTape() as tape:
        tape.watch(activation)
        total = tf.reduce_sum(tf.gather(head(activation), index, axis=1))
    return tape.gradient(total, activation)


def values_and_a_description(model, name, index, x):
    with tf.GradientTape() as tape:
        score = model(x)[:, int(index)]
    return tape.gradient(score, model.get_layer(name).output)


def watches_the_description(model, name, index, x):
    hidden = model.get_layer(name).output
    with tf.GradientTape() as tape:
        tape.watch(hidden)
        score = model(x)[:, int(index)]
    return tape.gradient(score, hidden)


def a_run_for_each(model, name, index, x):
    inner = keras.Model(model.inputs, model.get_layer(name).output)
    with tf.GradientTape() as tape:
        activation = inner(x)
        score = model(x)[:, int(index)]
    return tape.gradient(score, activation)


def only_the_first_row(model, name, index, x):
    both = keras.Model(model.inputs, [model.get_layer(name).output, model.outputs[0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        activation, scores = both(x)
        score = scores[0, int(index)]
    return tape.gradient(score, activation)


def all_the_classes(model, name, index, x):
    both = keras.Model(model.inputs, [model.get_layer(name).output, model.outputs[0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        activation, scores = both(x)
    return tape.gradient(scores, activation)


def weights_of_the_layer(model, name, index, x):
    with tf.GradientTape() as tape:
        score = model(x)[:, int(index)]
    return tape.gradient(score, model.get_layer(name).trainable_variables)


def the_argmax_as_it_comes(model, name, index, x):
    hidden, score = model.get_layer(name).output, model.outputs[0][:, index]
    both = keras.Model(model.inputs, [hidden, score])
    with tf.GradientTape() as tape:
        tape.watch(x)
        activation, score = both(x)
    return tape.gradient(score, activation)


def never_watched(model, name, index, x):
    both = keras.Model(model.inputs, [model.get_layer(name).output, model.outputs[0]])
    with tf.GradientTape() as tape:
        activation, scores = both(x)
        score = scores[:, int(index)]
    return tape.gradient(score, activation)


CLASS_SCORE_GRADIENT = Task(
    function=reference.class_score_gradient,
    kind="repair",
    minutes=10,
    points=5,
    start=class_score_gradient_start,
    probes=[
        Probe("a leaf model, species 1", lambda: (leaf_model(), "hidden", 1, leaves())),
        Probe("two ways to the scores", lambda: (detour_model(), "hidden", 0, leaves())),
        Probe(
            "a class number from np.argmax",
            lambda: (leaf_model(), "hidden", np.argmax([0.1, 0.2, 0.7]), leaves()),
        ),
        Probe(
            "a layer with no weights up to it",
            lambda: (without_weights_first(), "hidden", 1, leaves()),
        ),
    ],
    hints=(
        "Which names in this function stand for values, and which for descriptions?",
        "Make a second model from `model.inputs`, whose outputs are the layer's output and the "
        "scores, and call it inside the block.",
        "`both = keras.Model(model.inputs, [model.get_layer(name).output, model.outputs[0]])`, "
        "then in the block `tape.watch(x)` and `activation, scores = both(x)`.",
    ),
    right=[slices_the_values, head_on_a_watched_activation],
    wrong=[
        Wrong(
            class_score_gradient_start,
            cause="symbolic",
            why="Both, score and layer output, are descriptions. The tape recorded a run of the "
            "model, and these two are not in that record.",
            do="Make them the outputs of a second model, call it on `x` inside the block, and use "
            "what it returns.",
            idea="are descriptions",
        ),
        Wrong(
            values_and_a_description,
            cause="symbolic",
            why="The score is a value now, and good. The source is still a description: "
            "`model(x)` does not put numbers into `layer.output`.",
            do="Let one model return both: `[model.get_layer(name).output, model.outputs[0]]`.",
            idea="The source is still a description",
        ),
        Wrong(
            watches_the_description,
            cause="symbolic",
            why="A tape can watch what holds values. Watching does not turn `layer.output` into "
            "the tensor that this run computes.",
            do="Get that tensor from a second model with two outputs; then watch `x`.",
            idea="can watch what holds values",
        ),
        Wrong(
            a_run_for_each,
            cause="other_call",
            why="The activation is from one run and the score from another. The numbers agree, but "
            "the score was not computed from this activation.",
            do="Take both from one model with two outputs, called once.",
            idea="from one run and the score from another",
        ),
        Wrong(
            never_watched,
            cause="unwatched",
            why="Where no layer up to yours has weights, nothing that the tape follows goes into "
            "the activation, so its making is not recorded.",
            do="Call `tape.watch(x)` first thing in the block.",
            idea="no layer up to yours has weights",
        ),
        Wrong(
            only_the_first_row,
            why="`scores[0, …]` is the score of the first example. The rest of the batch gets "
            "zeros.",
            do="Take the column, `[:, index]`; the tape adds the rows up.",
            idea="the first example",
        ),
        Wrong(
            all_the_classes,
            cause="summed",
            why="This is the gradient of all scores added up. The number of the class was never "
            "used.",
            do="Differentiate the column `scores[:, index]`, sliced inside the block.",
            idea="all scores added up",
        ),
        Wrong(
            weights_of_the_layer,
            why="`trainable_variables` are the layer's weights. The question is about what the "
            "layer returned.",
            do="Use the layer's output as the source: an output of a second model.",
            idea="what the layer returned",
        ),
        Wrong(
            the_argmax_as_it_comes,
            cause="symbolic",
            why="`np.argmax` gives a NumPy integer, and a description cannot be sliced with one.",
            do="Write `int(index)`, or slice the values instead of the description.",
            idea="a NumPy integer",
        ),
    ],
)

# --- filter_gradient ------------------------------------------------------------------------


def filter_gradient_start(model, name, index, x):
    response = keras.ops.mean(model.get_layer(name).output[..., index])
    gradient = tf.gradients(response, model.inputs[0])[0]
    run = keras.backend.function([model.inputs[0]], [response, gradient])
    return run([x])


def means_the_values(model, name, index, x):
    inner = keras.Model(model.inputs, model.get_layer(name).output)
    with tf.GradientTape() as tape:
        tape.watch(x)
        response = tf.reduce_mean(inner(x)[..., index])
    return response, tape.gradient(response, x)


def a_variable_picture(model, name, index, x):
    picture = tf.Variable(x)
    inner = keras.Model(model.inputs, keras.ops.mean(model.get_layer(name).output[..., index]))
    with tf.GradientTape() as tape:
        response = inner(picture)
    return response, tape.gradient(response, picture)


def never_watched_the_picture(model, name, index, x):
    inner = keras.Model(model.inputs, model.get_layer(name).output)
    with tf.GradientTape() as tape:
        response = tf.reduce_mean(inner(x)[..., index])
    return response, tape.gradient(response, x)


def the_models_inputs_as_source(model, name, index, x):
    inner = keras.Model(model.inputs, model.get_layer(name).output)
    with tf.GradientTape() as tape:
        response = tf.reduce_mean(inner(x)[..., index])
    return response, tape.gradient(response, model.inputs[0])


def the_whole_layer(model, name, index, x):
    inner = keras.Model(model.inputs, model.get_layer(name).output)
    with tf.GradientTape() as tape:
        tape.watch(x)
        response = tf.reduce_mean(inner(x))
    return response, tape.gradient(response, x)


def a_picture_of_the_batch(model, name, index, x):
    inner = keras.Model(model.inputs, model.get_layer(name).output)
    with tf.GradientTape() as tape:
        tape.watch(x)
        response = tf.reduce_mean(inner(x)[index % 2])
    return response, tape.gradient(response, x)


def the_sum_of_the_filter(model, name, index, x):
    inner = keras.Model(model.inputs, model.get_layer(name).output)
    with tf.GradientTape() as tape:
        tape.watch(x)
        response = tf.reduce_sum(inner(x)[..., index])
    return response, tape.gradient(response, x)


def the_gradient_alone(model, name, index, x):
    inner = keras.Model(model.inputs, model.get_layer(name).output)
    with tf.GradientTape() as tape:
        tape.watch(x)
        response = tf.reduce_mean(inner(x)[..., index])
    return tape.gradient(response, x)


FILTER_GRADIENT = Task(
    function=reference.filter_gradient,
    kind="repair",
    minutes=10,
    points=4,
    start=filter_gradient_start,
    probes=[
        Probe(
            "the first layer of a picture model", lambda: (picture_model(), "edges", 1, pictures())
        ),
        Probe("its second layer", lambda: (picture_model(), "blobs", 2, pictures())),
        Probe("a dense layer's unit", lambda: (leaf_model(), "hidden", 0, leaves())),
    ],
    hints=(
        "The old program wrote down a derivative and ran it later. What runs first today?",
        "Make a model that returns the layer's output, and call it inside a tape that watches `x`.",
        "`inner = keras.Model(model.inputs, model.get_layer(name).output)`; in the block, after "
        "`tape.watch(x)`, `response = tf.reduce_mean(inner(x)[..., index])`.",
    ),
    right=[means_the_values, a_variable_picture],
    wrong=[
        Wrong(
            filter_gradient_start,
            cause="symbolic",
            why="`tf.gradients` derives one place of a TensorFlow graph from another. A "
            "KerasTensor is in no graph, and eager TensorFlow keeps none.",
            do="Run a model up to the layer inside a tape, and differentiate what it returned.",
            idea="is in no graph",
        ),
        Wrong(
            never_watched_the_picture,
            cause="unwatched",
            why="`x` is a plain tensor. The tape follows the weights by itself, and the picture "
            "only if you say so.",
            do="Call `tape.watch(x)` before the model.",
            idea="only if you say so",
        ),
        Wrong(
            the_models_inputs_as_source,
            cause="symbolic",
            why="`model.inputs[0]` describes any picture at all. The tape has a record for the one "
            "that you sent through: `x`.",
            do="Watch `x`, and ask for the gradient with respect to `x`.",
            idea="describes any picture",
        ),
        Wrong(
            the_whole_layer,
            why="This is the mean over all filters of the layer. `index` was never used.",
            do="Slice the last axis, `[..., index]`, before the mean.",
            idea="all filters",
        ),
        Wrong(
            a_picture_of_the_batch,
            why="The first axis counts the pictures, the last one the filters. You picked a "
            "picture.",
            do="Write `[..., index]`.",
            idea="You picked a picture",
        ),
        Wrong(
            the_sum_of_the_filter,
            why="This adds the filter's responses up. The old program took their mean, and both "
            "results are smaller by that factor.",
            do="Use `tf.reduce_mean`.",
            idea="took their mean",
        ),
        Wrong(
            the_gradient_alone,
            why="The gradient is right. The response is missing: two results were asked for.",
            do="Return `response, gradient`.",
            idea="two results",
        ),
    ],
)

TASKS = [TENSOR_KIND, VALUES_AT, CLASS_SCORE_GRADIENT, FILTER_GRADIENT]
