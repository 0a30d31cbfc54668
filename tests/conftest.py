"""Settings for every test: a quiet TensorFlow, and hypothesis without a clock."""

from classroom.quiet import import_tensorflow

import_tensorflow()

from hypothesis import HealthCheck, settings  # noqa: E402

settings.register_profile(
    "project",
    deadline=None,  # the first call of a TensorFlow operation is slow
    max_examples=30,
    derandomize=True,  # the same examples everywhere: a red run can be repeated
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("project")
