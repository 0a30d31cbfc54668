"""Ask a tape for the gradient of many common operations, and keep the answers in data/.

    python -m tests.record_op_gradients

Beside each answer stands whether the sum of the operation's values changes when its input is
moved a little, forward or back along one direction. That knows nothing of tapes.
"""

import json
import os
import sys
from collections.abc import Callable

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")

import keras
import numpy as np
import tensorflow as tf

from solutions.not_differentiable import tape_verdict
from tests.records import write_data

RECORD = "op_gradients.json"

STEP = 1 / 64
STILL = 1e-5  # a smaller change counts as none

INPUTS = {
    "positive": [0.4, 1.3, 2.2, 0.7],
    "below one": [0.2, 0.7, -0.4, 0.6],
    "negative": [-0.4, -1.3, -2.2, -0.7],
    "large": [40.0, 130.0, 220.0, 70.0],
    "zero": [0.0, 0.0, 0.0, 0.0],
    "matrix": [[2.0, 0.3], [0.3, 1.0]],
    "logits": [[0.4, 1.3, 2.2], [0.7, -0.4, 0.2]],
    "image": (np.arange(48).reshape(1, 4, 4, 3) * 7 % 48 / 50 + 0.02).round(2).tolist(),
}
LABELS = [2, 0]
TRUTH = [1.0, 0.0, 1.0, 0.0]
WEIGHTS = [1.0, -2.0, 0.5, 3.0]
NUMBERS = "tf.strings.to_number(tf.strings.as_string(x))"


def metric(cls: type, *arguments: object) -> Callable:
    return lambda x: cls()(*arguments, x)


def kernel(*shape: int) -> tf.Tensor:
    return tf.reshape(tf.cos(tf.range(float(np.prod(shape)))), shape)


# --- operation, as one writes it: the function of x; by the input that it gets ---------------

OPERATIONS: dict[str, dict[str, Callable]] = {
    "positive": {
        # smooth mathematics
        "tf.abs(x)": tf.abs,
        "tf.exp(x)": tf.exp,
        "tf.math.log(x)": tf.math.log,
        "tf.math.log1p(x)": tf.math.log1p,
        "tf.math.expm1(x)": tf.math.expm1,
        "tf.sqrt(x)": tf.sqrt,
        "tf.math.rsqrt(x)": tf.math.rsqrt,
        "tf.square(x)": tf.square,
        "tf.pow(x, 3)": lambda x: tf.pow(x, 3),
        "tf.sin(x)": tf.sin,
        "tf.tanh(x)": tf.tanh,
        "tf.math.erf(x)": tf.math.erf,
        "tf.math.lgamma(x)": tf.math.lgamma,
        "tf.math.digamma(x)": tf.math.digamma,
        "tf.math.igamma(2, x)": lambda x: tf.math.igamma(2.0, x),
        "tf.math.atan2(x, 1)": lambda x: tf.math.atan2(x, 1.0),
        "tf.math.floormod(x, 1)": lambda x: tf.math.floormod(x, 1.0),
        "tf.math.xlogy(x, 2)": lambda x: tf.math.xlogy(x, 2.0),
        "tf.math.nextafter(x, 9)": lambda x: tf.math.nextafter(x, 9 * tf.ones_like(x)),
        "tf.math.divide_no_nan(1, x)": lambda x: tf.math.divide_no_nan(1.0, x),
        "tf.math.bessel_i0(x)": tf.math.bessel_i0,
        # rounding and steps
        "tf.round(x)": tf.round,
        "tf.math.rint(x)": tf.math.rint,
        "tf.floor(x)": tf.floor,
        "tf.math.ceil(x)": tf.math.ceil,
        "x // 0.5": lambda x: x // 0.5,
        "tf.sign(x)": tf.sign,
        "keras.ops.round(x)": keras.ops.round,
        "keras.ops.floor(x)": keras.ops.floor,
        "keras.ops.trunc(x)": keras.ops.trunc,
        "keras.layers.Discretization(…)(x)": lambda x: keras.layers.Discretization(
            bin_boundaries=[0.5, 1.0, 2.0]
        )(x),
        "tf.quantization.fake_quant_with_min_max_args(x)": (
            lambda x: tf.quantization.fake_quant_with_min_max_args(x, -6.0, 6.0, num_bits=3)
        ),
        "tf.quantization.quantize_and_dequantize_v2(x)": (
            lambda x: tf.quantization.quantize_and_dequantize_v2(
                x, -6.0, 6.0, num_bits=3, range_given=True
            )
        ),
        # comparing and logic
        "x > 0.5": lambda x: x > 0.5,
        "tf.greater_equal(x, 1)": lambda x: tf.greater_equal(x, 1.0),
        "tf.equal(x, 1)": lambda x: tf.equal(x, 1.0),
        "tf.logical_not(x > 1)": lambda x: tf.logical_not(x > 1.0),
        "tf.math.is_nan(x)": tf.math.is_nan,
        "tf.reduce_any(x > 1)": lambda x: tf.reduce_any(x > 1.0),
        "tf.where(x > 1, 1.0, 0.0)": lambda x: tf.where(x > 1.0, 1.0, 0.0),
        "tf.where(x > 1, x, 0.0)": lambda x: tf.where(x > 1.0, x, 0.0),
        "tf.maximum(x, 1)": lambda x: tf.maximum(x, 1.0),
        "tf.minimum(x, 1)": lambda x: tf.minimum(x, 1.0),
        "tf.clip_by_value(x, 0, 1)": lambda x: tf.clip_by_value(x, 0.0, 1.0),
        "tf.clip_by_norm(x, 1)[0]": lambda x: tf.clip_by_norm(x, 1.0)[0],
        # choosing, counting, sorting
        "tf.argmax(x)": tf.argmax,
        "tf.argmin(x)": tf.argmin,
        "tf.argsort(x)": tf.argsort,
        "tf.sort(x)[0]": lambda x: tf.sort(x)[0],
        "tf.math.top_k(x, 2).values": lambda x: tf.math.top_k(x, 2).values,
        "tf.math.top_k(x, 2).indices": lambda x: tf.math.top_k(x, 2).indices,
        "tf.math.count_nonzero(x)": tf.math.count_nonzero,
        "tf.math.zero_fraction(x)": tf.math.zero_fraction,
        "tf.math.bincount(…, weights=x)": lambda x: tf.math.bincount([0, 1, 1, 2], weights=x)[1],
        "tf.histogram_fixed_width(x, [0, 3])": lambda x: tf.histogram_fixed_width(
            x, [0.0, 3.0], nbins=3
        )[1],
        "tf.searchsorted([0, 1, 2], x)": lambda x: tf.searchsorted([0.0, 1.0, 2.0], x),
        "tf.unique(x).y": lambda x: tf.unique(x).y,
        "tf.unique_with_counts(x).y": lambda x: tf.unique_with_counts(x).y,
        "tf.one_hot(tf.cast(x, tf.int32), 3)": lambda x: tf.one_hot(tf.cast(x, tf.int32), 3),
        "tf.sequence_mask(x, 3)": lambda x: tf.sequence_mask(x, 3),
        "tf.where(x > 1)": lambda x: tf.where(x > 1.0),
        # types
        "tf.cast(x, tf.int32)": lambda x: tf.cast(x, tf.int32),
        "tf.cast(x, tf.bool)": lambda x: tf.cast(x, tf.bool),
        "tf.saturate_cast(x, tf.uint8)": lambda x: tf.saturate_cast(x, tf.uint8),
        "tf.cast(x, tf.float64)": lambda x: tf.cast(x, tf.float64),
        "tf.cast(x, tf.float16)": lambda x: tf.cast(x, tf.float16),
        "tf.math.real(tf.cast(x, tf.complex64))": lambda x: tf.math.real(tf.cast(x, tf.complex64)),
        "tf.bitcast(x, tf.int32)": lambda x: tf.bitcast(x, tf.int32),
        NUMBERS: lambda x: tf.strings.to_number(tf.strings.as_string(x)),
        # sums, products, statistics
        "tf.reduce_sum(x)": tf.reduce_sum,
        "tf.reduce_mean(x)": tf.reduce_mean,
        "tf.reduce_max(x)": tf.reduce_max,
        "tf.reduce_prod(x)": tf.reduce_prod,
        "tf.reduce_logsumexp(x)": tf.reduce_logsumexp,
        "tf.math.reduce_std(x)": tf.math.reduce_std,
        "tf.cumsum(x)": tf.cumsum,
        "tf.math.cumprod(x)": tf.math.cumprod,
        "tf.norm(x)": tf.norm,
        "tf.math.l2_normalize(x)": tf.math.l2_normalize,
        "tf.math.segment_max(x, …)": lambda x: tf.math.segment_max(x, [0, 0, 1, 1]),
        "tf.math.unsorted_segment_sum(x, …)": (
            lambda x: tf.math.unsorted_segment_sum(x, [1, 0, 1, -1], 2)
        ),
        # moving numbers about
        "x[0]": lambda x: x[0],
        "tf.gather(x, …)": lambda x: tf.gather(x, [2, 0]),
        "tf.gather([…], tf.cast(x, tf.int32))": (
            lambda x: tf.gather([1.0, 4.0, 9.0], tf.cast(x, tf.int32))
        ),
        "tf.boolean_mask(x, x > 1)": lambda x: tf.boolean_mask(x, x > 1.0),
        "tf.scatter_nd(…, x, …)": lambda x: tf.scatter_nd([[0], [2], [1], [0]], x, [3]),
        "tf.tensor_scatter_nd_max(x, …)": (
            lambda x: tf.tensor_scatter_nd_max(x, [[0], [2]], [1.0, 1.0])
        ),
        "tf.dynamic_partition(x, …)[0]": lambda x: tf.dynamic_partition(x, [0, 1, 1, 0], 2)[0],
        "tf.reverse(x, [0])[0]": lambda x: tf.reverse(x, [0])[0],
        "tf.roll(x, 1, 0)[0]": lambda x: tf.roll(x, 1, 0)[0],
        "tf.tile(x, [2])": lambda x: tf.tile(x, [2]),
        "tf.repeat(x, 2)": lambda x: tf.repeat(x, 2),
        "tf.pad(x, [[1, 1]], 'REFLECT')": lambda x: tf.pad(x, [[1, 1]], "REFLECT"),
        "tf.reshape(x, [2, 2])": lambda x: tf.reshape(x, [2, 2]),
        "tf.concat([x, x], 0)": lambda x: tf.concat([x, x], 0),
        "tf.linspace(x[0], x[1], 3)": lambda x: tf.linspace(x[0], x[1], 3),
        "tf.range(x[0], x[2])": lambda x: tf.range(x[0], x[2]),
        "tf.meshgrid(x, x)[0]": lambda x: tf.meshgrid(x, x)[0],
        "tf.nn.embedding_lookup(x, …)": lambda x: tf.nn.embedding_lookup(x, [0, 3]),
        # what only looks at the tensor
        "tf.shape(x)": tf.shape,
        "tf.size(x)": tf.size,
        "tf.zeros_like(x)": tf.zeros_like,
        "tf.ones_like(x)": tf.ones_like,
        "0.0 * x": lambda x: 0.0 * x,
        # stopped, or out of TensorFlow
        "tf.stop_gradient(x)": tf.stop_gradient,
        "tf.identity(x)": tf.identity,
        "tf.grad_pass_through(tf.round)(x)": tf.grad_pass_through(tf.round),
        "tf.constant(x.numpy())": lambda x: tf.constant(x.numpy()),
        "tf.Variable(x)": lambda x: tf.Variable(x).read_value(),
        "tf.Variable(…).assign(x)": lambda x: tf.Variable(tf.zeros(4)).assign(x),
        "tf.numpy_function(np.square, [x], …)": (
            lambda x: tf.numpy_function(np.square, [x], tf.float32)
        ),
        "tf.py_function(np.square, [x], …)": lambda x: tf.py_function(np.square, [x], tf.float32),
        "tf.py_function(tf.square, [x], …)": lambda x: tf.py_function(tf.square, [x], tf.float32),
        # control flow
        "tf.cond(x[0] > 0, …)": lambda x: tf.cond(x[0] > 0, lambda: x**2, lambda: x),
        "tf.while_loop(…)": lambda x: tf.while_loop(
            lambda i, _: i < 3, lambda i, y: (i + 1, y * x), [0, x]
        )[1],
        "tf.map_fn(tf.square, x)": lambda x: tf.map_fn(tf.square, x),
        "tf.scan(tf.multiply, x)": lambda x: tf.scan(tf.multiply, x),
        "tf.vectorized_map(tf.square, x)": lambda x: tf.vectorized_map(tf.square, x),
        # random
        "tf.random.normal([4], mean=x)": lambda x: tf.random.normal([4], mean=x),
        "tf.random.gamma([], alpha=x)": lambda x: tf.random.gamma([], alpha=x),
        "tf.random.poisson([2], x)": lambda x: tf.random.poisson([2], x),
        "tf.random.shuffle(x)[0]": lambda x: tf.random.shuffle(x)[0],
        "tf.nn.dropout(x, 0.5)": lambda x: tf.nn.dropout(x, 0.5),
        # signals
        "tf.abs(tf.signal.rfft(x))": lambda x: tf.abs(tf.signal.rfft(x)),
        "tf.math.angle(tf.signal.rfft(x)[1])": lambda x: tf.math.angle(tf.signal.rfft(x)[1]),
        "tf.signal.dct(x)": tf.signal.dct,
    },
    "below one": {
        "tf.math.asin(x)": tf.math.asin,
        "tf.math.atanh(x)": tf.math.atanh,
        "tf.math.erfinv(x)": tf.math.erfinv,
        "tf.nn.relu(x)": tf.nn.relu,
        "tf.nn.gelu(x)": tf.nn.gelu,
        "tf.nn.softplus(x)": tf.nn.softplus,
        "tf.sigmoid(x)": tf.sigmoid,
        "tf.nn.softmax(x)[0]": lambda x: tf.nn.softmax(x)[0],
        "keras.ops.hard_sigmoid(x)": keras.ops.hard_sigmoid,
        "keras.losses.binary_crossentropy(…, sigmoid(x))": (
            lambda x: keras.losses.binary_crossentropy(tf.constant(TRUTH), tf.sigmoid(x))
        ),
        "keras.losses.hinge(…, x)": lambda x: keras.losses.hinge(tf.constant(TRUTH), x),
        "keras.losses.huber(…, x)": lambda x: keras.losses.huber(tf.constant(TRUTH), x),
        "keras.losses.dice(…, sigmoid(x))": (
            lambda x: keras.losses.dice(tf.constant(TRUTH), tf.sigmoid(x))
        ),
        "keras.metrics.MeanSquaredError()(…, x)": metric(keras.metrics.MeanSquaredError, TRUTH),
        "keras.metrics.BinaryAccuracy()(…, x)": metric(keras.metrics.BinaryAccuracy, TRUTH),
        "keras.metrics.AUC()(…, sigmoid(x))": (lambda x: keras.metrics.AUC()(TRUTH, tf.sigmoid(x))),
        "keras.metrics.Mean()(x)": metric(keras.metrics.Mean),
        "keras.metrics.mean_squared_error(…, x)": (
            lambda x: keras.metrics.mean_squared_error(tf.constant(TRUTH), x)
        ),
        "keras.metrics.binary_accuracy(…, x)": (
            lambda x: keras.metrics.binary_accuracy(tf.constant(TRUTH), x)
        ),
    },
    "negative": {
        "tf.nn.relu(x), all below 0": tf.nn.relu,
        "tf.nn.elu(x)": tf.nn.elu,
        "tf.nn.leaky_relu(x)": tf.nn.leaky_relu,
        "tf.clip_by_value(x, 0, 1), all below 0": lambda x: tf.clip_by_value(x, 0.0, 1.0),
    },
    "large": {
        "tf.sigmoid(x), saturated": tf.sigmoid,
        "tf.tanh(x), saturated": tf.tanh,
        "tf.nn.softmax(x)[0], saturated": lambda x: tf.nn.softmax(x)[0],
    },
    "zero": {
        "tf.sqrt(x) at 0": tf.sqrt,
        "tf.norm(x) at 0": tf.norm,
        "tf.sqrt(x * x) at 0": lambda x: tf.sqrt(x * x),
        "tf.where(x > 0, tf.math.log(x), 0.0) at 0": (
            lambda x: tf.where(x > 0, tf.math.log(x), 0.0)
        ),
        "x * tf.math.log(x) at 0": lambda x: x * tf.math.log(x),
        "tf.math.reduce_std(x) at 0": tf.math.reduce_std,
        "tf.abs(x) at 0": tf.abs,
    },
    "matrix": {
        "tf.matmul(x, x)": lambda x: tf.matmul(x, x),
        "tf.einsum('ij,ji->', x, x)": lambda x: tf.einsum("ij,ji->", x, x),
        "tf.linalg.det(x)": tf.linalg.det,
        "tf.linalg.slogdet(x)[1]": lambda x: tf.linalg.slogdet(x)[1],
        "tf.linalg.inv(x)": tf.linalg.inv,
        "tf.linalg.solve(x, …)": lambda x: tf.linalg.solve(x, [[1.0], [2.0]]),
        "tf.linalg.cholesky(x)": tf.linalg.cholesky,
        "tf.linalg.qr(x).r": lambda x: tf.abs(tf.linalg.qr(x).r),
        "tf.linalg.svd(x)[0]": lambda x: tf.linalg.svd(x)[0],
        "tf.linalg.eigvalsh(x)[0]": lambda x: tf.linalg.eigvalsh(x)[0],
        "tf.linalg.expm(x)": tf.linalg.expm,
        "tf.linalg.sqrtm(x)": tf.linalg.sqrtm,
        "tf.linalg.pinv(x)": tf.linalg.pinv,
        "tf.linalg.trace(x)": tf.linalg.trace,
        "tf.linalg.band_part(x, 0, 0)": lambda x: tf.linalg.band_part(x, 0, 0),
        "tf.linalg.lu(x)[0]": lambda x: tf.linalg.lu(x)[0],
        "tf.linalg.matrix_rank(x)": tf.linalg.matrix_rank,
    },
    "logits": {
        "tf.nn.log_softmax(x)[0]": lambda x: tf.nn.log_softmax(x)[0],
        "tf.nn.softmax_cross_entropy_with_logits(…, x)": (
            lambda x: tf.nn.softmax_cross_entropy_with_logits(tf.one_hot(LABELS, 3), x)
        ),
        "keras.losses.sparse_categorical_crossentropy(…, x)": (
            lambda x: keras.losses.sparse_categorical_crossentropy(
                tf.constant(LABELS), x, from_logits=True
            )
        ),
        "keras.metrics.sparse_categorical_accuracy(…, x)": (
            lambda x: keras.metrics.sparse_categorical_accuracy(LABELS, x)
        ),
        "keras.metrics.F1Score()(…, x)": metric(
            keras.metrics.F1Score, tf.one_hot(LABELS, 3).numpy()
        ),
        "tf.math.in_top_k(…, x, 1)": lambda x: tf.math.in_top_k(LABELS, x, 1),
        "tf.random.categorical(x, 2)": lambda x: tf.random.categorical(x, 2),
        "tf.math.confusion_matrix(…, tf.argmax(x, 1))": (
            lambda x: tf.math.confusion_matrix(LABELS, tf.argmax(x, 1), 3)[0]
        ),
        "tf.nn.ctc_loss(…, x)": lambda x: tf.nn.ctc_loss(
            [[1]], tf.reshape(x, [2, 1, 3]), [1], [2], blank_index=0
        ),
        "tf.nn.ctc_greedy_decoder(x, …)[1]": (
            lambda x: tf.nn.ctc_greedy_decoder(tf.reshape(x, [2, 1, 3]), [2])[1]
        ),
        "keras.layers.Embedding(…)(x)": lambda x: keras.layers.Embedding(
            3, 2, embeddings_initializer="ones"
        )(tf.cast(tf.abs(x), tf.int32)),
    },
    "image": {
        "tf.nn.conv2d(x, …)": lambda x: tf.nn.conv2d(x, kernel(2, 2, 3, 1), 1, "VALID"),
        "tf.nn.max_pool2d(x, …)": lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID"),
        "tf.nn.avg_pool2d(x, …)": lambda x: tf.nn.avg_pool2d(x, 2, 2, "VALID"),
        "tf.nn.max_pool_with_argmax(x, …)[1]": (
            lambda x: tf.nn.max_pool_with_argmax(x, 2, 2, "VALID")[1]
        ),
        "tf.nn.erosion2d(x, …)": lambda x: tf.nn.erosion2d(
            x, kernel(2, 2, 3), [1, 1, 1, 1], "VALID", "NHWC", [1, 1, 1, 1]
        ),
        "tf.nn.local_response_normalization(x)": tf.nn.local_response_normalization,
        "tf.nn.space_to_depth(x, 2)": lambda x: tf.nn.space_to_depth(x, 2)[..., 0],
        "tf.image.resize(x, …, 'bilinear')": lambda x: tf.image.resize(x, [3, 3], "bilinear"),
        "tf.image.resize(x, …, 'bicubic')": lambda x: tf.image.resize(x, [3, 3], "bicubic"),
        "tf.image.resize(x, …, 'nearest')": lambda x: tf.image.resize(x, [3, 3], "nearest"),
        "tf.image.resize(x, …, 'area')": lambda x: tf.image.resize(x, [3, 3], "area"),
        "tf.image.resize(x, …, 'lanczos3')": lambda x: tf.image.resize(x, [3, 3], "lanczos3"),
        "tf.image.crop_and_resize(x, …)": lambda x: tf.image.crop_and_resize(
            x, [[0.1, 0.1, 0.8, 0.8]], [0], [2, 2]
        ),
        "tf.image.flip_left_right(x)[0, 0, 0, 0]": (
            lambda x: tf.image.flip_left_right(x)[0, 0, 0, 0]
        ),
        "tf.image.rot90(x)[0, 0, 0, 0]": lambda x: tf.image.rot90(x)[0, 0, 0, 0],
        "tf.image.adjust_brightness(x, 0.1)": lambda x: tf.image.adjust_brightness(x, 0.1),
        "tf.image.adjust_contrast(x, 2)[0, 0]": lambda x: tf.image.adjust_contrast(x, 2.0)[0, 0],
        "tf.image.adjust_hue(x, 0.1)[0, 0, 0, 0]": (
            lambda x: tf.image.adjust_hue(x, 0.1)[0, 0, 0, 0]
        ),
        "tf.image.adjust_saturation(x, 2)": lambda x: tf.image.adjust_saturation(x, 2.0),
        "tf.image.adjust_gamma(x, 2)": lambda x: tf.image.adjust_gamma(x, 2.0),
        "tf.image.rgb_to_grayscale(x)": tf.image.rgb_to_grayscale,
        "tf.image.rgb_to_hsv(x)": lambda x: tf.image.rgb_to_hsv(x)[0, 0, 0, 1],
        "tf.image.hsv_to_rgb(x)": lambda x: tf.image.hsv_to_rgb(x)[0, 0, 0, 0],
        "tf.image.per_image_standardization(x)": (
            lambda x: tf.image.per_image_standardization(x)[0, 0]
        ),
        "tf.image.total_variation(x)": tf.image.total_variation,
        "tf.image.psnr(x, …)": lambda x: tf.image.psnr(x, 0.5 * tf.ones_like(x), 1.0),
        "tf.image.sobel_edges(x)[0, 1, 1, 0]": lambda x: tf.image.sobel_edges(x)[0, 1, 1, 0],
        "tf.image.extract_patches(x, …)": lambda x: tf.image.extract_patches(
            x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"
        ),
        "tf.image.extract_glimpse(x, …)": lambda x: tf.image.extract_glimpse(
            x, [2, 2], [[0.0, 0.0]]
        ),
        "tf.image.draw_bounding_boxes(x, …)": lambda x: tf.image.draw_bounding_boxes(
            x, [[[0.2, 0.2, 0.8, 0.8]]], [[1.0, 0.0, 0.0]]
        ),
        "tf.image.non_max_suppression(…, x)": lambda x: tf.image.non_max_suppression(
            [[0.0, 0.0, 1.0, 1.0], [0.5, 0.5, 2.0, 2.0]], x[0, 0, :2, 0], 2
        ),
        "tf.io.decode_png(tf.io.encode_png(…))": lambda x: tf.io.decode_png(
            tf.io.encode_png(tf.cast(x[0], tf.uint8))
        ),
    },
}


def repeatable(op: str, function: Callable) -> Callable:
    """The function; if it draws random numbers, then the same ones at each call."""
    if "random" not in op and "dropout" not in op:
        return function

    def call(x):
        tf.random.set_seed(1)
        return function(x)

    return call


def direction(shape: tuple[int, ...]) -> np.ndarray:
    """A way to move the input, without sums of zero; symmetric for a matrix, as the input is."""
    way = np.sin(1.0 + np.arange(np.prod(shape, dtype=int)).reshape(shape))
    return (way + way.T) / 2 if len(shape) == 2 and shape[0] == shape[1] else way


def total(function: Callable, x: np.ndarray) -> float:
    """`sum(function(x))` of a float32 input, added up in float64."""
    return float(np.asarray(function(tf.constant(x, tf.float32)), np.float64).sum())


def moves(function: Callable, x: np.ndarray) -> bool:
    """Whether the function's sum changes, or stops being a number, when its input moves."""
    way, here = STEP * direction(x.shape), total(function, x)
    changes = (total(function, x + way) - here, total(function, x - way) - here)
    return not all(abs(change) < STILL for change in changes)


def rows() -> list[dict]:
    """One row for each operation, sorted by its name.

    Returns:
        Dicts with `op`, `at` (a key of INPUTS), `gives` (a verdict) and `moves` (bool).
    """
    found = []
    for at, operations in OPERATIONS.items():
        x = np.array(INPUTS[at], np.float64)
        for op, function in operations.items():
            call = repeatable(op, function)
            gives = tape_verdict(call, tf.constant(x, tf.float32))
            found.append({"op": op, "at": at, "gives": gives, "moves": moves(call, x)})
    return sorted(found, key=lambda row: row["op"])


def record() -> dict:
    """The table, the inputs, and the versions that gave it."""
    return {
        "tensorflow": tf.__version__,
        "keras": keras.__version__,
        "inputs": INPUTS,
        "ops": rows(),
    }


def as_text(table: dict) -> str:
    """JSON with one line for each operation, so that a change reads well."""
    inputs = ",\n  ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in table["inputs"].items())
    ops = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in table["ops"])
    head = "\n".join(f' "{key}": "{table[key]}",' for key in ("tensorflow", "keras"))
    return f'{{\n{head}\n "inputs": {{\n  {inputs}\n }},\n "ops": [\n  {ops}\n ]\n}}\n'


def main() -> int:
    table = record()
    write_data(RECORD, as_text(table))
    print(f"{RECORD}: {len(table['ops'])} operations written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
