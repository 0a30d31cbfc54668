"""`explain`, the drop-in tape, the notebook report; hooks come out again without a trace."""

from __future__ import annotations

import pytest
import tensorflow as tf
import whynone
from whynone import observe
from whynone.vocabulary import CAUSES


@pytest.fixture(autouse=True)
def stopped():
    yield
    observe.stop()


def broken() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)


def test_explain_collects_and_stops():
    with whynone.explain(report=None) as found:
        broken()
        broken()
    broken()
    assert [(f.cause, f.times) for f in found] == [("unwatched", 2)]


def test_hooks_come_out_again():
    from tensorflow.python.eager import context, record
    from tensorflow.python.framework import constant_op, ops

    places = [(tf.GradientTape, n) for n in ("gradient", "watch", "__enter__", "stop_recording")]
    places += [
        (ops.Graph, "_create_op_internal"),
        (ops._EagerTensorBase, "_numpy"),
        (constant_op, "convert_to_eager_tensor"),
        (record, "record_operation"),
    ]
    before = [getattr(*place) for place in places]
    with whynone.explain(report=None):
        assert [getattr(*place) for place in places] != before
    assert [getattr(*place) for place in places] == before
    assert context.context().op_callbacks == []


def test_drop_in_tape(capsys):
    x = tf.constant(2.0)
    with whynone.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, x) is None
    assert "with respect to `x`" in capsys.readouterr().err
    assert isinstance(tape, tf.GradientTape)


def test_no_tensor_is_kept_alive():
    import gc
    import weakref

    with whynone.explain(report=None):
        v = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            big = v * 2.0
            y = tf.reduce_sum(big * big)
        reference = weakref.ref(big)
        tape.gradient(y, v)
        del big, tape
        gc.collect()
        assert reference() is None


def test_exception_in_the_block_is_explained():
    found = []
    with pytest.raises(AttributeError), whynone.explain(report=found.extend):
        layer = tf.keras.layers.Dense(1)
        layer(tf.ones((1, 2)))
        _ = layer.output
    assert [f.cause for f in found] == ["never_called"]


def test_asking_for_zeros_is_healthy():
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    with whynone.explain(report=None) as found:
        with tf.GradientTape() as tape:
            y = a * 2.0
        tape.gradient(y, [a, b], unconnected_gradients="zero")
    assert found == []


def test_two_threads_have_their_own_tapes():
    import threading

    def work(fine: bool) -> None:
        v = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            y = v * 2.0 if fine else tf.round(v)
        tape.gradient(y, v)

    with whynone.explain(report=None) as found:
        threads = [threading.Thread(target=work, args=(i % 2 == 0,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [f.cause for f in found] == ["not_differentiable"]


def test_html_report_has_the_picture_and_escapes():
    from whynone.picture import html_report

    with whynone.explain(report=None) as found:
        w = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            y = tf.round(w * 2.0) if w < 3.0 else w
        tape.gradient(y, w)
    [finding] = found
    finding.label = "<script>"
    text = html_report([finding])
    assert "<svg" in text and "(broken)" in text
    assert "<script>" not in text
    assert [part["broken"] for part in finding.way].count(True) == 1


def test_every_cause_has_a_lesson():
    from whynone.findings import LESSONS

    assert set(LESSONS) == set(CAUSES)


def test_importing_whynone_does_not_import_tensorflow():
    import subprocess
    import sys

    code = "import sys, whynone; sys.exit('tensorflow' in sys.modules)"
    from tests.whynone.server import ROOT

    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT / "solutions").returncode == 0
