"""The picture says what `tape.gradient` does, and listening changes nothing."""

import json
import xml.etree.ElementTree as ET

import pytest
import tensorflow as tf

from solutions.what_the_tape_records import CAUSES, draw, record_tape
from solutions.whynone import vocabulary


def test_computed_outside_the_block_breaks_the_path():
    x = tf.constant([1.0, 2.0])
    with record_tape() as recording:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        z = y + 1.0
    picture = draw(recording, z, x)
    assert (picture.intact, picture.cause) == (False, "outside_tape")
    assert tape.gradient(z, x) is None
    assert "z = y + 1.0" in picture.text
    ET.fromstring(picture.svg)
    json.dumps(recording.to_dict())


def test_causes_are_the_projects_vocabulary():
    assert set(CAUSES) <= set(vocabulary.CAUSES)


def test_nested_recordings_are_refused():
    with record_tape(), pytest.raises(RuntimeError, match="inside another"), record_tape():
        pass
